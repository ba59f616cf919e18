"""Claims about strings as memberships of variables in regular languages.

A claim becomes a formula over two kinds of atoms: that a variable is in a language (a node of
`kleis.builtins.regular.regex`), and whatever else it says, which is left open.  Definitions are unfolded.

Invariants
    * The formula has the truth value of the claim at every assignment, whatever the truth values of its open atoms.
    * Only total claims are read: every part of them has a value everywhere, so that two truth values suffice.
    * Unfolding is charged by the size of what comes out: definitions that call each other twice double it at each step.

See docs/reference/certificates.md §3.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from kleis import core
from kleis.budget import Meter
from kleis.core.goal import Goal
from kleis.core.traversal import stripped, substitute, subterms
from kleis.prover.checker.rules.regular_memberships import (
    Decide,
    Formula,
    Open,
    Pieces,
    all_of,
    any_of,
    in_language,
    joined,
    opposite,
    same,
    searched,
)
from kleis.prover.checker.rules.regular_patterns import CLASSES, LENGTH, SEARCHES, bare, language, of_length

__all__ = ["Reader", "Unreadable", "is_total"]

_CASES = 64
"""The number of strings that a conditional string is split into at most."""


_Case: TypeAlias = tuple[Formula, Pieces]
"""A string with the condition under which a term is it."""


class Unreadable(Exception):
    """A claim that is too large to unfold; never leaves the rule and the engine."""


# ── Totality ─────────────────────────────────────────────────────────────────────────────────────────────────


def is_total(goal: Goal, claim: core.Term) -> bool:
    """Whether every part of a claim, definitions unfolded, has a value everywhere."""
    _, hypotheses, rest = stripped(claim)
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
    """Reads claims with the definitions of one goal."""

    def __init__(self, goal: Goal, meter: Meter) -> None:
        self._definitions = {each.key: each for each in goal.definitions}
        self._meter = meter

    def truth(self, term: core.Term) -> Formula:
        """A term of sort Bool as a formula."""
        self._meter.charge(1)
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
        """The body with values for its variables.  Terms share their parts, and are walked as trees."""
        definition = None if isinstance(term, core.Let) else self._definitions[term.definition]
        for _ in subterms(term, *(() if definition is None else (definition.body,))):
            self._meter.charge(1)
        if isinstance(term, core.Let):
            return substitute(term.body, {term.variable.name: term.value})
        assert definition is not None
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
            node = language(arguments[1], self._unfolded)
            if node is None:
                return Open(term)
            return self._on_texts(term, arguments[:1], in_language(node))
        if name in SEARCHES:
            return self._on_texts(term, arguments, searched(SEARCHES[name]))
        if name in CLASSES:
            return self._on_texts(term, arguments, in_language(CLASSES[name]))
        if name in _COMPARED and len(arguments) == 2:
            return self._length(term, name, *arguments)
        return Open(term)

    def _on_texts(self, term: core.Term, texts: Sequence[core.Term], decide: Decide) -> Formula:
        """The formula that `decide` makes of strings, case by case; open where it makes none."""
        found: list[Formula] = []
        every = [self._cases(each) for each in texts]
        if any(each is None for each in every):
            return Open(term)
        for chosen in product(*(each for each in every if each is not None)):
            decided = decide([pieces for _, pieces in chosen], self._meter)
            inside = Open((term, tuple(pieces for _, pieces in chosen))) if decided is None else decided
            found.append(all_of(*(condition for condition, _ in chosen), inside))
            if len(found) > _CASES:
                raise Unreadable
        return any_of(*found)

    def _cases(self, term: core.Term) -> list[_Case] | None:
        """The strings that a term may be, each with its condition; None for a term of another form or sort."""
        self._meter.charge(1)
        if term.sort != core.STRING:
            return None
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
                return _few(
                    [(all_of(test, when), pieces) for when, pieces in first]
                    + [(all_of(opposite(test), when), pieces) for when, pieces in second]
                )
            case core.BuiltinCall(operation=operation, arguments=arguments) if operation.name == "concat":
                parts = [self._cases(each) for each in arguments]
                known = [each for each in parts if each is not None]
                if len(known) < len(parts):
                    return None
                if prod(map(len, known)) > _CASES:
                    raise Unreadable
                return [
                    (all_of(*(when for when, _ in chosen)), joined(pieces for _, pieces in chosen))
                    for chosen in product(*known)
                ]
            case _:
                return None

    def _length(self, term: core.Term, name: str, left: core.Term, right: core.Term) -> Formula:
        """A comparison of the length of a string with a number."""
        for measured, bound, turned in ((left, right, False), (right, left, True)):
            measured, bound = bare(measured), bare(bound)
            if not isinstance(measured, core.BuiltinCall) or measured.operation.name != "strlen":
                continue
            if (
                not isinstance(bound, core.LiteralTerm)
                or type(bound.value) is not int
                or abs(bound.value) > LENGTH
            ):
                continue
            lengths = of_length(_TURNED[name] if turned else name, bound.value)
            return self._on_texts(term, measured.arguments, in_language(lengths))
        return Open(term)


_COMPARED = ("less_than", "leq", "greater_than", "geq")
_TURNED = {
    "equals": "equals",
    "less_than": "greater_than",
    "leq": "geq",
    "greater_than": "less_than",
    "geq": "leq",
}


def _few(cases: list[_Case]) -> list[_Case]:
    if len(cases) > _CASES:
        raise Unreadable
    return cases


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
