"""Measures: candidates for what decreases at a call, and what linear arithmetic proves of them.

A measure decreases at a call if it is at least 1 less there, and it is bounded if it is at least 0 before the call:
that is well-founded for real measures too.  A guess may also be a parameter with parts, in the order of
kleis/termination/size_change.py; then its term is the parameter itself. See docs/reference/proving.md §3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.core import build_terms
from kleis.definedness.linear_arithmetic import AtLeast, Fact, Linear, impossible, negated
from kleis.definedness.path_arithmetic import Arithmetic, is_number, is_whole
from kleis.termination.recursive_calls import Bound, Call, always_defined
from kleis.termination.size_change import graph_of

__all__ = ["CallFacts", "Change", "Level", "Quantity", "Ranking", "Rankings", "bound_term", "candidates"]

Change: TypeAlias = Literal["less", "falling", "kept", "unknown"]

_CANDIDATES = 24
_PAIRS = 5


class Quantity(msgspec.Struct, frozen=True):
    """A measure of a definition: a number over its parameters, or the parts of a parameter (`position`)."""

    term: core.Term
    position: int | None = None


def bound_term(quantity: Quantity) -> core.Term:
    """The condition that a measure is not negative; of a difference, the comparison of its sides."""
    term = quantity.term
    zero = build_terms.as_number(core.LiteralTerm(0, core.NATURAL), term.sort)
    if isinstance(term, core.BuiltinCall) and term.operation.name == "minus":
        return build_terms.at_least(*term.arguments)
    return build_terms.at_least(term, zero)


# ── What a call does ─────────────────────────────────────────────────────────────────────────────────────────


class CallFacts:
    """A call with its path as facts of linear arithmetic."""

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
            elif isinstance(argument.sort, core.ListOf):
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
        """Whether the measure is known not to decrease."""
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


def candidates(definition: core.Definition, calls: Sequence[Call]) -> tuple[Quantity, ...]:
    """Measures worth trying for a definition, the simplest first; all always defined."""
    numbers = list(_numbers(definition))
    parted = [
        Quantity(variable, position)
        for position, variable in enumerate(definition.parameters)
        if isinstance(variable.sort, core.DataSort | core.ListOf | core.TupleOf | core.RecordOf)
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
        if variable.sort == core.INTEGER:
            found.setdefault(Quantity(build_terms.absolute(variable)))
    return tuple(found)[:_CANDIDATES]


def _numbers(definition: core.Definition) -> Iterator[core.Term]:
    """The integers among the parameters, and the lengths of those that have one."""
    for variable in definition.parameters:
        if is_whole(variable.sort):
            yield build_terms.as_number(variable, core.INTEGER)
        elif isinstance(variable.sort, core.ListOf) or variable.sort == core.STRING:
            yield build_terms.length_of(variable)


def _compared(definition: core.Definition, calls: Sequence[Call]) -> Iterator[core.Term]:
    """The differences of what is compared on the way to calls: where they vanish, the recursion may end."""
    parameters = {variable.name for variable in definition.parameters}
    seen: set[core.Term] = set()
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


def _sides(formula: core.Term) -> Iterator[tuple[core.Term, core.Term]]:
    """The integers that a condition compares."""
    match formula:
        case core.Connective(arguments=arguments):
            for argument in arguments:
                yield from _sides(argument)
        case core.Equals(left=left, right=right) if is_whole(left.sort) and is_whole(right.sort):
            yield left, right
        case core.BuiltinCall(operation=operation, arguments=(left, right)):
            compares = operation.name in ("leq", "less_than", "geq", "greater_than", "neq")
            if compares and is_number(left.sort) and is_number(right.sort):
                yield left, right
        case _:
            return


def _written(form: Linear, arithmetic: Arithmetic, parameters: set[str]) -> core.Term | None:
    """A linear form over parameters and their lengths as an integer term; None if it is another."""
    if form.is_constant or not arithmetic.unknowns.whole(form):
        return None
    plus: list[core.Term] = []
    minus: list[core.Term] = []
    for number, factor in form.terms:
        key = arithmetic.unknowns.key(number)
        variable = key[1] if isinstance(key, tuple) and key[0] == "length" else key
        if not isinstance(variable, core.Variable) or variable.name not in parameters:
            return None
        base = (
            build_terms.as_number(variable, core.INTEGER)
            if variable is key
            else build_terms.length_of(variable)
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


# Lexicographic rankings: for a group of definitions, measures of which every call lets one decrease.
#
# A level gives each definition one measure.  A level *discharges* the calls at which its measure decreases and is
# bounded; at all other calls that are left it must not grow.  Calls that lie on no cycle of those left are
# discharged by a level of constants.  If all calls are discharged, no infinite chain of calls exists: the first level
# that discharges calls infinitely often would decrease infinitely often without growing (Bulwahn, Krauss, Nipkow 2007).
#
# Under a condition, the measures of some levels are assumed not negative before each call; that is kept only if every
# call preserves it.

Level: TypeAlias = tuple[tuple[str, Quantity], ...]

_QUESTIONS = 700

_DEPTH = 4


class Ranking(msgspec.Struct, frozen=True):
    """Levels, outermost first, and those (by index) whose measures are assumed not to be negative."""

    levels: tuple[Level, ...]
    assumed: tuple[int, ...] = ()

    def measures(self, key: str) -> tuple[Quantity, ...]:
        """The measures of a definition; 0 where a level says nothing of it."""
        nothing = Quantity(build_terms.integer(0))
        return tuple(dict(level).get(key, nothing) for level in self.levels)

    def conditions(self, key: str) -> tuple[Quantity, ...]:
        """What is assumed of a definition's arguments not to be negative."""
        found = (dict(self.levels[index]).get(key) for index in self.assumed)
        return tuple(quantity for quantity in found if quantity is not None and quantity.position is None)


class Rankings:
    """The search, with its budget and the changes of measures at single calls found so far."""

    def __init__(self, calls: Sequence[CallFacts], quantities: Mapping[str, Sequence[Quantity]]) -> None:
        self._calls = tuple(calls)
        self._quantities = quantities
        self._left = _QUESTIONS
        self._known: dict[tuple[int, Quantity, Quantity, tuple[Quantity, ...]], Change] = {}
        self._index = {id(facts): index for index, facts in enumerate(self._calls)}

    def unconditional(self) -> Ranking | None:
        """A ranking that needs no condition; None if none is found."""
        levels = next(self._levels(self._calls, _DEPTH, False), None)
        return None if levels is None else Ranking(levels)

    def conditional(self) -> Iterator[Ranking]:
        """Rankings under conditions that the calls preserve, those with few conditions first."""
        for levels in self._levels(self._calls, _DEPTH, True):
            everything = tuple(range(len(levels)))
            for assumed in dict.fromkeys((*((index,) for index in everything), everything)):
                ranking = Ranking(levels, assumed)
                if self.holds(ranking):
                    yield ranking
            if self._left <= 0:
                return

    def holds(self, ranking: Ranking) -> bool:
        """Whether linear arithmetic shows every call to decrease, and to preserve the conditions."""
        return all(
            self.discharged(facts, ranking) and self.preserved(facts, ranking) for facts in self._calls
        )

    def discharged(self, facts: CallFacts, ranking: Ranking) -> bool:
        """Whether the measures decrease lexicographically at a call."""
        before, after = (ranking.measures(each.key) for each in (facts.call.caller, facts.call.callee))
        conditions = ranking.conditions(facts.call.caller.key)
        for old, new in zip(before, after, strict=True):
            change = self._change(facts, old, new, conditions)
            if change != "kept":
                return change == "less"
        return False

    def preserved(self, facts: CallFacts, ranking: Ranking) -> bool:
        """Whether the callee's conditions follow from the caller's."""
        conditions = ranking.conditions(facts.call.caller.key)
        return all(
            facts.preserves(conditions, quantity) for quantity in ranking.conditions(facts.call.callee.key)
        )

    def _levels(self, calls: Sequence[CallFacts], depth: int, assuming: bool) -> Iterator[tuple[Level, ...]]:
        if not calls:
            yield ()
            return
        left = _cyclic(calls)
        first = (_constants(calls),) if len(left) < len(calls) else ()
        if not left:
            yield first
            return
        if depth <= 0:
            return
        for level in self._assignments(left, assuming):
            measure = dict(level)
            rest = [facts for facts in left if self._on(facts, measure, assuming) != "less"]
            if len(rest) < len(left):
                for further in self._levels(rest, depth - 1, assuming):
                    yield (*first, level, *further)

    def _assignments(self, calls: Sequence[CallFacts], assuming: bool) -> Iterator[Level]:
        """Measures for the definitions of the calls under which no call grows."""
        keys = list(dict.fromkeys(facts.call.caller.key for facts in calls))
        between = {
            key: [facts for facts in calls if key in (facts.call.caller.key, facts.call.callee.key)]
            for key in keys
        }

        def extend(chosen: dict[str, Quantity], remaining: Sequence[str]) -> Iterator[Level]:
            if not remaining:
                yield tuple(chosen.items())
                return
            key, *others = remaining
            for quantity in self._quantities[key]:
                if self._left <= 0:
                    return
                trial = {**chosen, key: quantity}
                known = [
                    facts
                    for facts in between[key]
                    if facts.call.caller.key in trial and facts.call.callee.key in trial
                ]
                if all(self._on(facts, trial, assuming) in ("less", "kept") for facts in known):
                    yield from extend(trial, others)

        yield from extend({}, keys)

    def _on(self, facts: CallFacts, measure: Mapping[str, Quantity], assuming: bool) -> Change:
        before, after = measure[facts.call.caller.key], measure[facts.call.callee.key]
        conditions = (before,) if assuming and before.position is None else ()
        change = self._change(facts, before, after, conditions)
        return "kept" if change == "falling" else change

    def _change(
        self, facts: CallFacts, before: Quantity, after: Quantity, conditions: tuple[Quantity, ...]
    ) -> Change:
        key = (self._index[id(facts)], before, after, conditions)
        if key not in self._known:
            if self._left <= 0:
                return "unknown"
            self._left -= 1
            change = facts.change(before, after, conditions)
            self._known[key] = change
        return self._known[key]


def _cyclic(calls: Sequence[CallFacts]) -> list[CallFacts]:
    """The calls that lie on a cycle."""
    edges: dict[str, set[str]] = {}
    for facts in calls:
        edges.setdefault(facts.call.caller.key, set()).add(facts.call.callee.key)
    return [facts for facts in calls if facts.call.caller.key in _reached(facts.call.callee.key, edges)]


def _reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    found = {start}
    waiting = [start]
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _constants(calls: Sequence[CallFacts]) -> Level:
    """Numbers that decrease along the calls on no cycle, and stay along the others."""
    edges: dict[str, set[str]] = {}
    for facts in calls:
        edges.setdefault(facts.call.caller.key, set()).add(facts.call.callee.key)
        edges.setdefault(facts.call.callee.key, set())
    reached = {key: _reached(key, edges) for key in edges}
    cycles = {key: frozenset(each for each in reached[key] if key in reached[each]) for key in edges}
    below = {cycles[key]: {cycles[each] for each in reached[key]} - {cycles[key]} for key in edges}
    found: dict[frozenset[str], int] = {}
    for cycle in sorted(below, key=lambda each: len(below[each])):
        found[cycle] = max((found[each] + 1 for each in below[cycle]), default=0)
    return tuple((key, Quantity(build_terms.integer(found[cycles[key]]))) for key in edges)
