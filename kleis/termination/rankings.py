"""Measures: candidates for what decreases, and what linear arithmetic knows about them at a call.

Specification: proving.md §1 ("Definitions": a measure by `@decreases`, or guessed, with a lower bound).

A measure decreases at a call if it is at least 1 less there, and it is bounded if it is at least 0 before the call:
that is well-founded for real measures too.  A guess may also be a parameter with parts, in the order of
kleis/termination/size_change.py; then its term is the parameter itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import msgspec

from kleis.core import (
    INTEGER,
    NATURAL,
    STRING,
    BuiltinCall,
    Connective,
    DataSort,
    Definition,
    Equals,
    ListOf,
    LiteralTerm,
    RecordOf,
    Term,
    TupleOf,
    Variable,
    build_terms,
)
from kleis.definedness.linear_arithmetic import AtLeast, Fact, Linear, impossible, negated
from kleis.definedness.path_arithmetic import Arithmetic, is_number, is_whole
from kleis.termination.recursive_calls import Bound, Call, always_defined
from kleis.termination.size_change import graph_of

__all__ = ["CallFacts", "Change", "Quantity", "bound_term", "candidates"]

Change: TypeAlias = Literal["less", "falling", "kept", "unknown"]
"""What a call does to a measure: less and bounded; less, not bounded; not greater; not known."""

_CANDIDATES = 24
_PAIRS = 5
"""How many numbers among the parameters are paired at most."""


class Quantity(msgspec.Struct, frozen=True):
    """A measure of a definition: a number over its parameters, or the parts of a parameter (`position`)."""

    term: Term
    position: int | None = None


def bound_term(quantity: Quantity) -> Term:
    """The condition that a measure is not negative, written without needless differences."""
    term = quantity.term
    zero = build_terms.as_number(LiteralTerm(0, NATURAL), term.sort)
    if isinstance(term, BuiltinCall) and term.operation.name == "minus":
        return build_terms.at_least(*term.arguments)
    return build_terms.at_least(term, zero)


# ── What a call does ─────────────────────────────────────────────────────────────────────────────────────────


class CallFacts:
    """A call with what its path says in linear arithmetic."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._arithmetic = Arithmetic(call.values())
        self._arcs = {(source, target): proper for source, target, proper in graph_of(call).arcs}
        self._facts = tuple(self._read())

    def _read(self) -> Iterator[Fact]:
        for step in self.call.path:
            if isinstance(step, Bound):
                yield self._arithmetic.equal(step.variable, step.value)
            elif step.certain or always_defined(step.formula):
                yield self._arithmetic.assume(step.formula, step.holds)
        for argument in self.call.arguments:
            if is_number(argument.sort):
                yield from self._arithmetic.linear(argument)[1]
            elif isinstance(argument.sort, ListOf):
                yield from self._arithmetic.length(argument)[1]

    @property
    def impossible(self) -> bool:
        """Whether the call is never made."""
        return impossible(self._facts, self._arithmetic.unknowns)

    def change(self, before: Quantity, after: Quantity, conditions: Sequence[Quantity] = ()) -> Change:
        """What the call does to a measure, where the caller's `conditions` are not negative."""
        if before.position is not None and after.position is not None:
            proper = self._arcs.get((before.position, after.position))
            return "unknown" if proper is None else "less" if proper else "kept"
        if before.position is not None or after.position is not None:
            return "unknown"
        old, first = self._before(before)
        new, second = self._after(after)
        facts = [*first, *second, *self._conditions(conditions)]
        if self._follows(old.minus(new).shifted(-1), facts):
            return "less" if self._follows(old, facts) else "falling"
        return "kept" if self._follows(old.minus(new), facts) else "unknown"

    def hopeless(self, before: Quantity, after: Quantity) -> bool:
        """Whether the measure is known not to decrease, so that nobody can prove that it does."""
        if before.position is not None or after.position is not None:
            return True
        old, first = self._before(before)
        new, second = self._after(after)
        return self._follows(new.minus(old), [*first, *second])

    def preserves(self, conditions: Sequence[Quantity], after: Quantity) -> bool:
        """Whether a condition of the callee holds of the arguments where the caller's hold."""
        new, sides = self._after(after)
        return self._follows(new, [*sides, *self._conditions(conditions)])

    def always(self, quantity: Quantity) -> bool:
        """Whether the measure is never negative, whatever the path."""
        form, sides = self._before(quantity)
        return impossible([*sides, negated(AtLeast(form))], self._arithmetic.unknowns)

    def _before(self, quantity: Quantity) -> tuple[Linear, tuple[Fact, ...]]:
        self._arithmetic.rest()
        return self._arithmetic.linear(quantity.term)

    def _after(self, quantity: Quantity) -> tuple[Linear, tuple[Fact, ...]]:
        self._arithmetic.rest()
        return self._arithmetic.linear(
            build_terms.at_arguments(quantity.term, self.call.callee, self.call.arguments)
        )

    def _conditions(self, conditions: Iterable[Quantity]) -> Iterator[Fact]:
        for quantity in conditions:
            form, sides = self._before(quantity)
            yield AtLeast(form)
            yield from sides

    def _follows(self, form: Linear, facts: Sequence[Fact]) -> bool:
        return impossible([*self._facts, *facts, negated(AtLeast(form))], self._arithmetic.unknowns)


# ── Guesses ──────────────────────────────────────────────────────────────────────────────────────────────────


def candidates(definition: Definition, calls: Sequence[Call]) -> tuple[Quantity, ...]:
    """Measures worth trying for a definition, the simplest first; all always defined."""
    numbers = list(_numbers(definition))
    parted = [
        Quantity(variable, position)
        for position, variable in enumerate(definition.parameters)
        if isinstance(variable.sort, DataSort | ListOf | TupleOf | RecordOf)
    ]
    found: dict[Quantity, None] = dict.fromkeys([*map(Quantity, numbers), *parted])
    for term in _compared(definition, calls):
        found.setdefault(Quantity(term))
    for variable in definition.parameters:
        if is_number(variable.sort) and not is_whole(variable.sort):
            found.setdefault(Quantity(variable))
    for left, right in combinations(numbers[:_PAIRS], 2):
        found.setdefault(Quantity(build_terms.difference(left, right)))
        found.setdefault(Quantity(build_terms.difference(right, left)))
    for left, right in combinations(numbers[:_PAIRS], 2):
        found.setdefault(Quantity(build_terms.total([left, right])))
    if len(numbers) > 2:
        found.setdefault(Quantity(build_terms.total(numbers)))
    for variable in definition.parameters:
        if variable.sort == INTEGER:
            found.setdefault(Quantity(build_terms.absolute(variable)))
    return tuple(found)[:_CANDIDATES]


def _numbers(definition: Definition) -> Iterator[Term]:
    """The integers among the parameters, and the lengths of those that have one."""
    for variable in definition.parameters:
        if is_whole(variable.sort):
            yield build_terms.as_number(variable, INTEGER)
        elif isinstance(variable.sort, ListOf) or variable.sort == STRING:
            yield build_terms.length_of(variable)


def _compared(definition: Definition, calls: Sequence[Call]) -> Iterator[Term]:
    """The differences of what is compared on the way to calls: where they vanish, the recursion may end."""
    parameters = {variable.name for variable in definition.parameters}
    seen: set[Term] = set()
    for call in calls:
        arithmetic = Arithmetic(call.values())
        for step in call.path:
            if isinstance(step, Bound) or step.formula in seen:
                continue
            seen.add(step.formula)
            for left, right in _sides(step.formula):
                form = arithmetic.linear(right)[0].minus(arithmetic.linear(left)[0])
                for each in (form, form.scaled(-1)):
                    term = _written(each, arithmetic, parameters)
                    if term is not None:
                        yield term


def _sides(formula: Term) -> Iterator[tuple[Term, Term]]:
    """The integers that a condition compares."""
    match formula:
        case Connective(arguments=arguments):
            for argument in arguments:
                yield from _sides(argument)
        case Equals(left=left, right=right) if is_whole(left.sort) and is_whole(right.sort):
            yield left, right
        case BuiltinCall(operation=operation, arguments=(left, right)):
            compares = operation.name in ("leq", "less_than", "geq", "greater_than", "neq")
            if compares and is_number(left.sort) and is_number(right.sort):
                yield left, right
        case _:
            return


def _written(form: Linear, arithmetic: Arithmetic, parameters: set[str]) -> Term | None:
    """A linear form over parameters and their lengths as an integer term; None if it is another."""
    if form.is_constant or not arithmetic.unknowns.whole(form):
        return None
    plus: list[Term] = []
    minus: list[Term] = []
    for number, factor in form.terms:
        key = arithmetic.unknowns.key(number)
        variable = key[1] if isinstance(key, tuple) and key[0] == "length" else key
        if not isinstance(variable, Variable) or variable.name not in parameters:
            return None
        base = (
            build_terms.as_number(variable, INTEGER) if variable is key else build_terms.length_of(variable)
        )
        (plus if factor > 0 else minus).append(build_terms.multiple(abs(int(factor)), base))
    constant = int(form.constant)
    if constant:
        (plus if constant > 0 else minus).append(build_terms.integer(abs(constant)))
    return (
        build_terms.difference(build_terms.total(plus), build_terms.total(minus))
        if minus
        else build_terms.total(plus)
    )
