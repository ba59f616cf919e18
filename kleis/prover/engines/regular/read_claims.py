"""Claims about strings as memberships of variables in regular languages.

A claim becomes a formula over two kinds of atoms: that a variable is in a language (a node of
`kleis.builtins.regular.regex`), and whatever else it says, which is left open.  Definitions are unfolded.

Invariants
    * The formula has the truth value of the claim at every assignment, whatever the truth values of its open atoms.
    * Only total claims are read: every part of them has a value everywhere, so that two truth values suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from kleis import core
from kleis.builtins.regular import regex
from kleis.builtins.regular.regex import ANY, EMPTY, FULL, NONE, Node
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, substitute, subterms
from kleis.prover.engines.regular.memberships import (
    Formula,
    Open,
    Pieces,
    all_of,
    any_of,
    in_language,
    joined,
    member,
    opposite,
    same,
    searched,
)

__all__ = ["Reader", "Unreadable", "is_total"]

_CASES = 64
"""The number of strings that a conditional string is split into at most."""

_LENGTH = 10_000
"""The greatest length in a comparison, and the greatest bound of a loop."""


class Unreadable(Exception):
    """A claim that is not total, or too large to unfold; never leaves the engine."""


# ── Totality ─────────────────────────────────────────────────────────────────────────────────────────────────


def is_total(goal: Goal) -> bool:
    """Whether every part of the claim, definitions unfolded, has a value everywhere."""
    if goal.claim is None:
        return False
    _, hypotheses, rest = stripped(goal.claim)
    bodies = [*hypotheses, rest, *(each.body for each in goal.definitions)]
    if any(each.group for each in goal.definitions):
        return False
    return all(_has_a_value(term) for body in bodies for term in subterms(body))


def _has_a_value(term: core.Term) -> bool:
    match term:
        case core.BuiltinCall(operation=operation, arguments=arguments):
            if operation.condition is None:
                return True
            return operation.name == "re_range" and all(
                isinstance(each, core.LiteralTerm) and bool(each.value) for each in arguments
            )
        case (
            core.Variable()
            | core.LiteralTerm()
            | core.SymbolCall()
            | core.DefinitionCall()
            | core.Equals()
            | core.Connective()
            | core.Conditional()
        ):
            return True
        case core.Let() | core.Coercion():
            return True
        case _:
            return False


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────


class Reader:
    """Reads the claims of one goal."""

    def __init__(self, goal: Goal) -> None:
        self._definitions = {each.key: each for each in goal.definitions}
        self._nodes: dict[core.Term, Node | None] = {}

    def truth(self, term: core.Term) -> Formula:
        """A term of sort Bool as a formula."""
        match term:
            case core.LiteralTerm(value=bool() as value):
                return value
            case core.Connective(name=name, arguments=arguments):
                return _connected(name, [self.truth(each) for each in arguments])
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                test = self.truth(condition)
                return any_of(all_of(test, self.truth(yes)), all_of(opposite(test), self.truth(no)))
            case core.Let() | core.DefinitionCall():
                return self.truth(self._unfolded(term))
            case core.Equals(left=left, right=right):
                return self._equal(term, left, right)
            case core.BuiltinCall():
                return self._builtin(term)
            case _:
                return Open(term)

    def _unfolded(self, term: core.Let | core.DefinitionCall) -> core.Term:
        if isinstance(term, core.Let):
            return substitute(term.body, {term.variable.name: term.value})
        definition = self._definitions[term.definition]
        names = (each.name for each in definition.parameters)
        return substitute(definition.body, dict(zip(names, term.arguments, strict=True)))

    def _equal(self, term: core.Term, left: core.Term, right: core.Term) -> Formula:
        if left.sort == core.BOOL:
            first, second = self.truth(left), self.truth(right)
            return any_of(all_of(first, second), all_of(opposite(first), opposite(second)))
        if left.sort == core.STRING:
            return self._on_texts(term, (left, right), same)
        return self._length(term, "equals", left, right)

    def _builtin(self, term: core.BuiltinCall) -> Formula:
        name, arguments = term.operation.name, term.arguments
        if name == "matches":
            node = self.node(arguments[1])
            if node is None:
                return Open(term)
            language: Node = node
            return self._on_texts(term, arguments[:1], lambda pieces: member(pieces[0], language))
        if name in _SEARCHES:
            return self._on_texts(term, arguments, searched(_SEARCHES[name]))
        if name in _CLASSES:
            return self._on_texts(term, arguments, lambda pieces: member(pieces[0], _CLASSES[name]))
        if name in _COMPARED and len(arguments) == 2:
            return self._length(term, name, *arguments)
        return Open(term)

    def _on_texts(
        self,
        term: core.Term,
        texts: Sequence[core.Term],
        decide: Callable[[Sequence[Pieces]], Formula | None],
    ) -> Formula:
        """The formula that `decide` makes of strings, case by case; open where it makes none."""
        found: list[Formula] = []
        every = [self._cases(each) for each in texts]
        if any(each is None for each in every):
            return Open(term)
        for chosen in product(*(each for each in every if each is not None)):
            decided = decide([pieces for _, pieces in chosen])
            inside = Open((term, tuple(pieces for _, pieces in chosen))) if decided is None else decided
            found.append(all_of(*(condition for condition, _ in chosen), inside))
            if len(found) > _CASES:
                raise Unreadable
        return any_of(*found)

    def _cases(self, term: core.Term) -> list[tuple[Formula, Pieces]] | None:
        """The strings that a term may be, each with its condition; None for a term of another form."""
        match term:
            case core.LiteralTerm(value=str() as text):
                return [(True, (text,))]
            case core.Variable():
                return [(True, (term,))]
            case core.Let() | core.DefinitionCall():
                return self._cases(self._unfolded(term))
            case core.Conditional(condition=condition, consequent=yes, alternative=no):
                test, first, second = self.truth(condition), self._cases(yes), self._cases(no)
                if first is None or second is None:
                    return None
                return [(all_of(test, when), pieces) for when, pieces in first] + [
                    (all_of(opposite(test), when), pieces) for when, pieces in second
                ]
            case core.BuiltinCall(operation=operation, arguments=arguments) if operation.name == "concat":
                parts = [self._cases(each) for each in arguments]
                if any(each is None for each in parts):
                    return None
                return [
                    (all_of(*(when for when, _ in chosen)), joined(pieces for _, pieces in chosen))
                    for chosen in product(*(each for each in parts if each is not None))
                ]
            case _:
                return None

    def _length(self, term: core.Term, name: str, left: core.Term, right: core.Term) -> Formula:
        """A comparison of the length of a string with a number."""
        for measured, bound, turned in ((left, right, False), (right, left, True)):
            measured, bound = _bare(measured), _bare(bound)
            if not isinstance(measured, core.BuiltinCall) or measured.operation.name != "strlen":
                continue
            if (
                not isinstance(bound, core.LiteralTerm)
                or type(bound.value) is not int
                or abs(bound.value) > _LENGTH
            ):
                continue
            language = _of_length(_TURNED[name] if turned else name, bound.value)
            return self._on_texts(term, measured.arguments, in_language(language))
        return Open(term)

    # regular expressions

    def node(self, term: core.Term) -> Node | None:
        """A constant regular expression; None for one that depends on a variable."""
        if term not in self._nodes:
            self._nodes[term] = self._node(term)
        return self._nodes[term]

    def _node(self, term: core.Term) -> Node | None:
        match term:
            case core.LiteralTerm(value=str() as text):
                return ("text", text)
            case core.Let() | core.DefinitionCall():
                return self.node(self._unfolded(term))
            case core.BuiltinCall(operation=operation, arguments=arguments):
                return self._built(operation.name, arguments)
            case _:
                return None

    def _built(self, name: str, arguments: tuple[core.Term, ...]) -> Node | None:
        match name:
            case "re_range":
                low, high = (each.value if isinstance(each, core.LiteralTerm) else None for each in arguments)
                if not isinstance(low, str) or not isinstance(high, str):
                    return None
                return ("range", low[0], high[0]) if low[0] <= high[0] else NONE
            case "re_loop":
                part = self.node(arguments[0])
                bounds = [_bare(each) for each in arguments[1:]]
                if part is None or not all(isinstance(each, core.LiteralTerm) for each in bounds):
                    return None
                least, most = (each.value for each in bounds if isinstance(each, core.LiteralTerm))
                if type(least) is not int or type(most) is not int or most > _LENGTH:
                    return None
                return regex.loop(part, max(least, 0), most if most >= 0 else -1)
            case _ if name in _CONSTRUCTORS:
                parts = [self.node(each) for each in arguments]
                known = [each for each in parts if each is not None]
                return _CONSTRUCTORS[name](*known) if len(known) == len(parts) else None
            case _:
                return None


_CONSTRUCTORS: Mapping[str, Callable[..., Node]] = {
    "re_literal": lambda part: part,
    "re_star": lambda part: regex.loop(part, 0, None),
    "re_plus": lambda part: regex.loop(part, 1, None),
    "re_option": lambda part: regex.unite(EMPTY, part),
    "re_concat": regex.join,
    "re_union": regex.unite,
    "re_intersect": regex.meet,
    "re_complement": regex.negated,
    "re_full": lambda: FULL,
    "re_empty": lambda: NONE,
    "re_allchar": lambda: ANY,
}

_DIGITS: Node = ("range", "0", "9")
_LETTERS: Node = regex.unite(("range", "a", "z"), ("range", "A", "Z"))
_CLASSES: Mapping[str, Node] = {
    "isAscii": regex.loop(("range", " ", "~"), 0, None),
    "isDigits": regex.loop(_DIGITS, 1, None),
    "isAlpha": regex.loop(_LETTERS, 1, None),
    "isAlphaNum": regex.loop(regex.unite(_LETTERS, _DIGITS), 1, None),
}

_SEARCHES: Mapping[str, tuple[bool, bool]] = {
    "contains": (True, True),
    "hasPrefix": (False, True),
    "hasSuffix": (True, False),
    "str_eq": (False, False),
}
"""For each search, whether anything may stand before and behind the string sought."""

_COMPARED = ("less_than", "leq", "greater_than", "geq")
_TURNED = {
    "equals": "equals",
    "less_than": "greater_than",
    "leq": "geq",
    "greater_than": "less_than",
    "geq": "leq",
}


def _connected(name: str, parts: Sequence[Formula]) -> Formula:
    match name:
        case "and":
            return all_of(*parts)
        case "or":
            return any_of(*parts)
        case "not":
            return opposite(parts[0])
        case _:
            return any_of(opposite(parts[0]), parts[1])


def _bare(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def _of_length(name: str, bound: int) -> Node:
    match name:
        case "equals":
            return regex.loop(ANY, bound, bound) if bound >= 0 else NONE
        case "less_than":
            return regex.loop(ANY, 0, bound - 1) if bound > 0 else NONE
        case "leq":
            return regex.loop(ANY, 0, bound) if bound >= 0 else NONE
        case "greater_than":
            return regex.loop(ANY, max(bound + 1, 0), None)
        case _:
            return regex.loop(ANY, max(bound, 0), None)
