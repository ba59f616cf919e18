"""Where an expression has a value, as a Kleis formula.

The formula of a part is put together from those of its parts, as the reference semantics does it: calls are strict,
`if` and `match` need what they look at and the branch taken, ∧ ∨ → and the quantifiers are Kleene's.  What an operation
needs besides is said by its row in kleis/builtins, what a definition needs by its companion (companions.py).

Two readings
    *whole* (the body of a definition): every operation counts.  The formula is true exactly where there is a value.
    *of calls alone* (a law): only the companions count, not what the law's own operations need.  Where the law has a
    truth value, or all its tools have values, the formula is not false.

Invariants
    * The formula is false only where the expression has no value, and in the second reading only where a companion is
      false that the value depends on.  It may be undefined where an operation of the law itself has no value.
    * It has a value although parts of the expression have none: Kleene's false ∧ undefined is false, so the formulas of
      arguments stand before what is said of the arguments.
    * A form that is not known is refused.  Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import cast

import msgspec

from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import find_builtin
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import walk
from registry.translate.kleis_syntax import EMPTY, call, names_in

__all__ = [
    "FALSE",
    "TRUE",
    "Unsaid",
    "ValueConditions",
    "both",
    "bound_by",
    "conjuncts",
    "implication",
    "used",
]

TRUE, FALSE = tree.Boolean(True), tree.Boolean(False)

_LARGEST = 3_000
"""Nodes of a formula. ∧ and ∨ of two partial sides say each side more than once."""

_CONSTRUCTORS = frozenset({"Pair", "Tuple3", "Tuple4", "Tuple5", "Unit", "Cons", "Nil", "record", "field"})
_RECORDS = frozenset({"get_field", "set_field"})
"""The fields of records are known from types: a record without the field is refused before."""

_ITEMWISE = frozenset({"list_map", "list_filter"})

Companion = Callable[[str], str | None]


class Unsaid(Exception):
    """An expression of which it is not said where it has a value; the message says which part."""


class ValueConditions:
    """Makes the formulas. `companion` gives the name of the companion of a function, None for one that always has a
    value; it may raise `Unsaid`. `partial` are the functions that have one, `total` other functions of the theory."""

    def __init__(
        self, companion: Companion, partial: Iterable[str], total: Iterable[str], *, whole: bool
    ) -> None:
        self._companion = companion
        self._partial = frozenset(partial)
        self._total = frozenset(total)
        self._whole = whole

    def of(self, node: tree.Expression) -> tree.Expression:
        """Where an expression has a value."""
        if not self._whole and not self._speaks(node):
            return TRUE
        found = self._of(node)
        if sum(1 for _ in walk(found)) > _LARGEST:
            raise Unsaid(f"more than {_LARGEST} nodes say where it has a value")
        return found

    def of_law(self, law: tree.Expression) -> tree.Expression:
        """The law under the premise that its calls have values, each where the law needs it."""
        match law:
            case tree.Quantifier(kind="forall", where=where, body=body):
                self._check_binders(each.name for each in law.binders)
                if where is None or self.of(where) == TRUE:
                    return msgspec.structs.replace(law, body=self.of_law(body))
                premised = self.of_law(call("implies", where, body))
                return msgspec.structs.replace(law, where=None, body=premised)
            case tree.Call(name="implies", arguments=(premise, conclusion)) if self.of(premise) == TRUE:
                return call("implies", premise, self.of_law(conclusion))
            case _:
                return implication(self.of(law), law)

    def _speaks(self, node: tree.Expression) -> bool:
        return not self._partial.isdisjoint(names_in(node))

    def _check_binders(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._partial:
                raise Unsaid(f"{name} is bound in it and a function too")

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _of(self, node: tree.Expression) -> tree.Expression:
        match node:
            case tree.Name(name=name) if name not in self._partial:
                return TRUE
            case tree.Number() | tree.Text() | tree.Boolean():
                return TRUE
            case tree.ListLiteral(items=items):
                return self._all(items)
            case tree.Ascription(expression=inner) if inner == EMPTY or not self._whole:
                return self.of(inner)
            case tree.Conditional(condition=condition, consequent=yes, alternative=no):
                first, second = self.of(yes), self.of(no)
                same = first == second and (self._whole or first == TRUE)
                branch = first if same else tree.Conditional(condition, first, second)
                return both(self.of(condition), branch)
            case tree.Let(pattern=pattern, value=value, body=body):
                self._check_binders(bound_by(pattern))
                inside = self.of(body)
                unused = self._whole and names_in(inside).isdisjoint(bound_by(pattern))
                if inside != TRUE and not unused:
                    inside = msgspec.structs.replace(node, pattern=used(pattern, inside), body=inside)
                return both(self.of(value), inside)
            case tree.Match(scrutinee=scrutinee, cases=cases):
                return both(self.of(scrutinee), self._cases(scrutinee, cases))
            case tree.Quantifier(kind="forall" | "exists", where=where):
                return self._quantified(node, where)
            case tree.Call():
                return self._call(node)
            case _:
                raise Unsaid(
                    f"a tool without values is used in a form of which it is not said: {_word(node)}"
                )

    def _all(self, nodes: Iterable[tree.Expression]) -> tree.Expression:
        return reduce(both, map(self.of, nodes), cast(tree.Expression, TRUE))

    def _cases(self, scrutinee: tree.Expression, cases: tuple[tree.Case, ...]) -> tree.Expression:
        """What a `match` needs besides a value to look at: a case, and a value there."""
        if not self._whole and not any(self._speaks(case.body) for case in cases):
            if any(case.guard is not None and self._speaks(case.guard) for case in cases):
                raise Unsaid("a guard of a `match` asks a tool without values")
            return TRUE
        if not all(case.guard is None and _is_known(case.pattern) for case in cases):
            raise Unsaid("a `match` has patterns of which it is not said when they match")
        for case in cases:
            self._check_binders(bound_by(case.pattern))
        bodies = [self.of(case.body) for case in cases]
        made = [
            tree.Case(used(case.pattern, body), None, body) for case, body in zip(cases, bodies, strict=True)
        ]
        missing = _missing(cases)
        if missing is not None:
            made.insert(0, tree.Case(missing, None, FALSE if self._whole else TRUE))
        known = _known_case(scrutinee, made) if self._whole else None
        if known is not None:
            return known
        return TRUE if all(each.body == TRUE for each in made) else tree.Match(scrutinee, tuple(made))

    def _quantified(self, node: tree.Quantifier, where: tree.Expression | None) -> tree.Expression:
        """Kleene's: all instances have a value, or one decides."""
        self._check_binders(each.name for each in node.binders)
        universal = node.kind == "forall"
        body = node.body
        if where is not None:
            body = call("implies" if universal else "logical_and", where, body)
        known = self.of(body)
        decisive = both(known, call("logical_not", body) if universal else body)
        every = tree.Quantifier("forall", node.binders, None, known)
        some = tree.Quantifier("exists", node.binders, None, decisive)
        return TRUE if known == TRUE else call("logical_or", every, some)

    # ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────

    def _call(self, node: tree.Call) -> tree.Expression:
        name, arguments = node.name, node.arguments
        connective = _CONNECTIVES.get(name)
        if connective is not None:
            return connective(self, arguments)
        if name in self._partial:
            companion = self._companion(name)
            needed = self._all(arguments)
            return needed if companion is None else both(needed, tree.Call(companion, arguments))
        if name in self._total or name in _CONSTRUCTORS or name in _RECORDS:
            return self._all(arguments)
        row = find_builtin(name)
        if row is None:
            raise Unsaid(f"it is not said where {name} has a value")
        if row.higher_order:
            return self._itemwise(node, row)
        return both(self._all(arguments), self._own(row, arguments))

    def _own(self, row: Builtin, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        """What an operation needs of its arguments, as its row says it."""
        if not self._whole or row.condition is None:
            return TRUE
        names = [each.name for each in row.parameters]
        if row.variadic or len(arguments) != len(names):
            raise Unsaid(f"it is not said where {row.name} of so many arguments has a value")
        condition = parse_expression(row.condition)
        return _plain(_put_in(condition, dict(zip(names, arguments, strict=True))))

    def _itemwise(self, node: tree.Call, row: Builtin) -> tree.Expression:
        """A function at every item of a list: it has to have a value at each."""
        if row.name in _ITEMWISE and len(node.arguments) == 2 and self._whole:
            function, items = node.arguments
            if isinstance(function, tree.Lambda):
                inside = self.of(function.body)
                needed = self.of(items)
                if inside == TRUE:
                    return needed
                return both(needed, call("all", msgspec.structs.replace(function, body=inside), items))
        raise Unsaid(f"{row.name} calls a function that may have no value")

    def _not(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._all(arguments)

    def _and(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._of_two(arguments, lambda each: call("logical_not", each), lambda each: each)

    def _or(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._of_two(arguments, lambda each: each, lambda each: call("logical_not", each))

    def _implies(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        premise, *conclusion = arguments
        return self._or((call("logical_not", premise), *conclusion))

    def _of_two(
        self,
        arguments: tuple[tree.Expression, ...],
        decides: Callable[[tree.Expression], tree.Expression],
        leaves: Callable[[tree.Expression], tree.Expression],
    ) -> tree.Expression:
        """A connective of two sides: both have values, or one decides alone. `decides` says of a side that it does,
        `leaves` that it does not."""
        left, right = arguments
        first, second = self.of(left), self.of(right)
        if first == second:
            return first
        if first == TRUE:
            return implication(_positive(leaves(left)), second)
        if second == TRUE:
            return implication(_positive(leaves(right)), first)
        alone = [both(first, _positive(decides(left))), both(second, _positive(decides(right)))]
        return reduce(lambda one, other: call("logical_or", one, other), alone, both(first, second))


_CONNECTIVES: Mapping[str, Callable[[ValueConditions, tuple[tree.Expression, ...]], tree.Expression]] = {
    "logical_not": ValueConditions._not,
    "logical_and": ValueConditions._and,
    "logical_or": ValueConditions._or,
    "implies": ValueConditions._implies,
}


# ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────────


def both(left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """``left ∧ right``, shorter where one of them is known. What is false decides, whatever the other is."""
    if FALSE in (left, right):
        return FALSE
    if left == TRUE:
        return right
    known = conjuncts(left)
    new = [each for each in conjuncts(right) if each not in known]
    return reduce(lambda one, other: call("logical_and", one, other), new, left)


def conjuncts(formula: tree.Expression) -> list[tree.Expression]:
    """The formulas that are all true where a formula is; none for what is always true."""
    match formula:
        case tree.Call(name="logical_and", arguments=arguments):
            return [part for each in arguments for part in conjuncts(each)]
        case tree.Boolean(value=True):
            return []
        case _:
            return [formula]


def implication(premise: tree.Expression, conclusion: tree.Expression) -> tree.Expression:
    """``premise → conclusion``, shorter where one of them is true."""
    if premise == TRUE or conclusion == TRUE:
        return conclusion
    return call("implies", premise, conclusion)


def _positive(formula: tree.Expression) -> tree.Expression:
    """The same without ¬¬."""
    match formula:
        case tree.Call(name="logical_not", arguments=(tree.Call(name="logical_not", arguments=(inner,)),)):
            return inner
        case _:
            return formula


def _plain(condition: tree.Expression) -> tree.Expression:
    """The condition of an operation; whether a numeral is 0 needs no prover."""
    match condition:
        case tree.Call(name="neq", arguments=(tree.Number(text=text) | tree.Call(name="negate", arguments=(tree.Number(text=text),)),
                                         tree.Number(text="0"))):  # fmt: skip
            return tree.Boolean(text.strip("0") != "")
        case _:
            return condition


def _put_in(node: tree.Expression, values: Mapping[str, tree.Expression]) -> tree.Expression:
    """A row's condition, which binds nothing, at arguments."""
    match node:
        case tree.Name(name=name):
            if name not in values:
                raise Unsaid(f"a condition speaks of {name}")
            return values[name]
        case tree.Call(name=name, arguments=arguments):
            return tree.Call(name, tuple(_put_in(each, values) for each in arguments))
        case tree.Number() | tree.Text() | tree.Boolean():
            return node
        case _:
            raise Unsaid("the condition of an operation has a form that is not known")


# ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────────

_SIMPLE = (tree.VariablePattern, tree.WildcardPattern)


def _is_known(pattern: tree.Pattern) -> bool:
    match pattern:
        case tree.ListPattern(items=()):
            return True
        case tree.ConstructorPattern(name="Cons" | "Pair", arguments=(first, second)):
            return isinstance(first, _SIMPLE) and isinstance(second, _SIMPLE)
        case _:
            return False


def _missing(cases: tuple[tree.Case, ...]) -> tree.Pattern | None:
    """The values that no case is for; None where there are none."""
    kinds = {
        each.pattern.name if isinstance(each.pattern, tree.ConstructorPattern) else "[]" for each in cases
    }
    if kinds in ({"Pair"}, {"[]", "Cons"}):
        return None
    if kinds == {"Cons"}:
        return tree.ListPattern(())
    raise Unsaid("a `match` has no cases for some values, or cases of two kinds")


def _known_case(scrutinee: tree.Expression, cases: list[tree.Case]) -> tree.Expression | None:
    """What stands in the case of a list that is written out, if it does not speak of its parts."""
    if not isinstance(scrutinee, tree.ListLiteral):
        return None
    is_empty = not scrutinee.items
    fitting = [each for each in cases if isinstance(each.pattern, tree.ListPattern) == is_empty]
    return fitting[0].body if fitting and not bound_by(fitting[0].pattern) else None


def bound_by(pattern: tree.Node) -> frozenset[str]:
    return frozenset(
        each.name for each in walk(pattern) if isinstance(each, tree.VariablePattern | tree.AsPattern)
    )


def used(pattern: tree.Pattern, body: tree.Expression) -> tree.Pattern:
    """A pattern without the names that the body does not use; patterns of other forms stay as they are."""
    if isinstance(pattern, tree.ConstructorPattern) and _is_known(pattern):
        names = names_in(body)
        parts = tuple(each if isinstance(each, tree.VariablePattern) and each.name in names else tree.WildcardPattern()
                      for each in pattern.arguments)  # fmt: skip
        return msgspec.structs.replace(pattern, arguments=parts)
    return pattern


def _word(node: tree.Expression) -> str:
    return type(node).__name__.lower()
