"""Equations between terms over the operations of a structure: canonical form, text, rewriting.

A term is a variable (an integer from 0) or a tuple ``(operation, argument, …)``.  The variables of a canonical equation
are numbered in order of occurrence, and the smaller of its two directions is taken, so that equations that differ in
names or sides alone are equal.

Rewriting is ordered: an equation is used in either direction, on the instances that become smaller in a Knuth–Bendix
order in which variables are constants.  The order is total on terms, so every term has a normal form; two terms with the
same one are equal in every model of the equations used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression

__all__ = [
    "Equation",
    "LawTexts",
    "Rules",
    "Shape",
    "Term",
    "canonical",
    "numbered",
    "proposition_of_equation",
    "read_equation",
    "shape",
    "size_of",
    "subterms",
    "variable_names",
    "variables_of",
]

Application: TypeAlias = "tuple[str, *tuple[Term, ...]]"
"""An operation and its arguments."""

Term: TypeAlias = "int | Application"
"""A variable, or an operation at its arguments."""

Shape: TypeAlias = "tuple[tuple[int, str, int], ...]"
"""What terms of one size are ordered by."""

_LETTERS = "xyzuvw"


class Equation(msgspec.Struct, frozen=True, order=True):
    """Two terms.  Equations made by `canonical` are equal exactly if they differ in names and sides at most."""

    left: Term
    right: Term

    @property
    def is_trivial(self) -> bool:
        """Whether both sides are the same term."""
        return self.left == self.right

    def variables(self) -> int:
        """How many variables it has."""
        return len(_variables(self.left) | _variables(self.right))

    def size(self) -> int:
        """How many symbols both sides have."""
        return size_of(self.left) + size_of(self.right)


def variable_names(count: int) -> tuple[str, ...]:
    """Names for so many variables."""
    return tuple(_LETTERS[i] if i < len(_LETTERS) else f"x{i}" for i in range(count))


def subterms(term: Term) -> Iterator[Term]:
    """A term and all below it."""
    stack = [term]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, tuple):
            stack.extend(reversed(part[1:]))


@lru_cache(maxsize=1 << 16)
def size_of(term: Term) -> int:
    """The symbols of a term."""
    if isinstance(term, int):
        return 1
    size = 0
    stack = [term]
    while stack:
        part = stack.pop()
        size += 1
        for below in part[1:]:
            if isinstance(below, int):
                size += 1
            else:
                stack.append(below)
    return size


def variables_of(term: Term) -> list[int]:
    """The variables of a term in the order in which they come, repeated ones too."""
    if isinstance(term, int):
        return [term]
    found: list[int] = []
    stack: list[Term] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            found.append(part)
        elif len(part) > 1:
            stack.extend(part[:0:-1])
    return found


@lru_cache(maxsize=1 << 16)
def _variables(term: Term) -> frozenset[int]:
    return frozenset(variables_of(term))


def canonical(left: Term, right: Term) -> Equation:
    """The canonical equation of two terms: the greater side on the left, variables in order of occurrence."""
    difference = size_of(left) - size_of(right)
    if difference:
        return numbered(left, right) if difference > 0 else numbered(right, left)
    one, two = numbered(left, right), numbered(right, left)
    return min(one, two, key=lambda each: (shape(each.left), shape(each.right)))


def shape(term: Term) -> Shape:
    """A key that orders variables and operations alike."""
    return tuple(
        (0, "", part) if isinstance(part, int) else (len(part), part[0], -1) for part in subterms(term)
    )


def numbered(left: Term, right: Term) -> Equation:
    """The equation with its variables in order of occurrence."""
    names: dict[int, int] = {}
    for name in (*variables_of(left), *variables_of(right)):
        if name not in names:
            names[name] = len(names)
    return Equation(_renamed(left, names), _renamed(right, names))


def _renamed(term: Term, names: Mapping[int, Term]) -> Term:
    if isinstance(term, int):
        return names[term]
    return (term[0], *[_renamed(part, names) for part in term[1:]])


# ── Propositions ─────────────────────────────────────────────────────────────────────────────────────────────


def read_equation(expression: tree.Expression, operations: Mapping[str, int]) -> Equation | None:
    """The canonical equation of a proposition; None if it is no equation between terms over the operations.

    `operations` gives arities by name.  Other names are variables, bound by an outer ∀ or free.
    """
    while isinstance(expression, tree.Using):
        expression = expression.body
    while (
        isinstance(expression, tree.Quantifier) and expression.kind == "forall" and expression.where is None
    ):
        expression = expression.body
    match expression:
        case tree.Call("equals", (left, right)):
            names: dict[str, int] = {}
            one, two = _read(left, operations, names), _read(right, operations, names)
            return None if one is None or two is None else canonical(one, two)
        case _:
            return None


def _read(expression: tree.Expression, operations: Mapping[str, int], names: dict[str, int]) -> Term | None:
    match expression:
        case tree.Name(name):
            if name in operations:
                return (name,) if operations[name] == 0 else None
            return names.setdefault(name, len(names))
        case tree.Call(name, arguments) if operations.get(name) == len(arguments):
            parts = [part for each in arguments if (part := _read(each, operations, names)) is not None]
            if len(parts) < len(arguments):
                return None
            found: Term = (name, *parts)
            return found
        case _:
            return None


def proposition_of_equation(
    equation: Equation, carrier: tree.TypeExpression, structure: str, *, qualified: bool = False
) -> tree.Expression:
    """The proposition that an equation holds for all elements of the carrier, in the structure.

    `qualified` names its operations by the structure, so that nothing else of that name is meant.  Without a structure
    its operations are global.
    """
    names = variable_names(equation.variables())
    owner = f"{structure}::" if qualified and structure else ""
    sides = tuple(_written(side, names, owner) for side in (equation.left, equation.right))
    body = _closed(tree.Call("equals", sides), len(names), carrier)
    return tree.Using(tree.NamedType(structure), body) if structure else body


def _closed(body: tree.Expression, variables: int, carrier: tree.TypeExpression) -> tree.Expression:
    binders = tuple(tree.Binder(name, carrier) for name in variable_names(variables))
    return tree.Quantifier("forall", binders, None, body) if binders else body


def _written(term: Term, names: Sequence[str], owner: str) -> tree.Expression:
    if isinstance(term, int):
        return tree.Name(names[term])
    name = term[0] if "::" in term[0] else owner + term[0]
    if len(term) == 1:
        return tree.Name(name)
    return tree.Call(name, tuple(_written(part, names, owner) for part in term[1:]))


class LawTexts:
    """Equations as `print_expression` writes their propositions over a carrier; each term is written once."""

    def __init__(self, carrier: tree.TypeExpression) -> None:
        self._carrier = carrier
        self._terms: dict[Term, str] = {}
        self._starts: dict[int, str] = {}

    def of(self, equation: Equation) -> str:
        """``∀(x y : G). x • y = y • x``: the proposition without its structure."""
        return (
            f"{self._start(equation.variables())}{self._term(equation.left)} = {self._term(equation.right)}"
        )

    def _term(self, term: Term) -> str:
        """A term beside ``=``: on either side, whatever is on the other, it is written alike."""
        known = self._terms.get(term)
        if known is None:
            side = _written(term, variable_names(1 + max(_variables(term), default=0)), "")
            text = print_expression(tree.Call("equals", (side, tree.Name("x"))))
            known = self._terms[term] = text.removesuffix(" = x")
        return known

    def _start(self, variables: int) -> str:
        """The quantifier over so many variables."""
        if variables not in self._starts:
            text = print_expression(_closed(tree.Name("x"), variables, self._carrier))
            self._starts[variables] = text.removesuffix("x")
        return self._starts[variables]


# ── Rewriting ────────────────────────────────────────────────────────────────────────────────────────────────


def compare(left: Term, right: Term) -> int:
    """Knuth–Bendix order, all weights 1, variables below the operations: -1, 0 or 1."""
    if left == right:
        return 0
    difference = size_of(left) - size_of(right)
    if difference:
        return 1 if difference > 0 else -1
    if isinstance(left, int) or isinstance(right, int):
        smaller = isinstance(left, int) and (not isinstance(right, int) or left < right)
        return -1 if smaller else 1
    one, two = (-len(left), left[0]), (-len(right), right[0])
    if one != two:
        return 1 if one > two else -1
    for first, second in zip(left[1:], right[1:], strict=True):
        found = compare(first, second)
        if found:
            return found
    return 0


class Rules:
    """Known equations, used as rewrite rules."""

    def __init__(self) -> None:
        self.known: list[Equation] = []
        self._normal: dict[Term, tuple[Term, frozenset[int]]] = {}

    def add(self, equation: Equation) -> None:
        """Add an equation."""
        self.known.append(equation)
        self._normal.clear()

    def follows(self, equation: Equation) -> frozenset[int] | None:
        """The rules (by number) that bring both sides to one normal form; None if they do not."""
        left, one = self.normal(equation.left)
        right, two = self.normal(equation.right)
        return one | two if left == right else None

    def normal(self, term: Term) -> tuple[Term, frozenset[int]]:
        """The normal form of a term, and the rules used on the way."""
        known = self._normal.get(term)
        if known is not None:
            return known
        found = self._reduced(term)
        self._normal[term] = found
        return found

    def _reduced(self, term: Term) -> tuple[Term, frozenset[int]]:
        used: frozenset[int] = frozenset()
        if isinstance(term, tuple) and len(term) > 1:
            parts = [self.normal(part) for part in term[1:]]
            used = used.union(*[each for _, each in parts])
            term = (term[0], *[part for part, _ in parts])
        for place, rule in enumerate(self.known):
            for left, right in ((rule.left, rule.right), (rule.right, rule.left)):
                if isinstance(left, int):
                    continue
                instance = _instance(left, right, term)
                if instance is not None and compare(term, instance) > 0:
                    last, more = self.normal(instance)
                    return last, used | more | {place}
        return term, used


def _instance(left: Term, right: Term, term: Term) -> Term | None:
    """The right side where the left one matches the term; None if it does not, or leaves variables of the right open."""
    bound: dict[int, Term] = {}
    if not _matches(left, term, bound):
        return None
    if not all(name in bound for name in variables_of(right)):
        return None
    return _renamed(right, bound)


def _matches(pattern: Term, term: Term, bound: dict[int, Term]) -> bool:
    if isinstance(pattern, int):
        return bound.setdefault(pattern, term) == term
    if isinstance(term, int) or term[0] != pattern[0] or len(term) != len(pattern):
        return False
    return all(_matches(one, two, bound) for one, two in zip(pattern[1:], term[1:], strict=True))
