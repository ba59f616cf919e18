"""Lexicographic rankings: for a group of definitions, measures of which every call lets one decrease.

Specification: proving.md §1 ("Definitions").

A level gives each definition one measure.  A level *settles* the calls at which its measure decreases and is
bounded; at all other calls that are left it must not grow.  Calls that lie on no cycle of those left are settled
by a level of constants.  If all calls are settled, no infinite chain of calls exists: the first level that settles calls
infinitely often would decrease infinitely often without growing (Bulwahn, Krauss, Nipkow 2007).

Under a condition, the measures of some levels are assumed not negative before each call; that is kept only if every
call preserves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from kleis.core import build_terms
from kleis.termination.rankings import CallFacts, Change, Quantity

__all__ = ["Level", "Ranking", "Rankings"]

Level: TypeAlias = tuple[tuple[str, Quantity], ...]
"""A measure for each definition of the calls that were left, by key."""

_QUESTIONS = 700
"""How many questions may be put to linear arithmetic for one group."""

_DEPTH = 4
"""How many levels a guessed ranking may have."""


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
    """The search, with its budget and what it has found out about single calls."""

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
        return all(self.settled(facts, ranking) and self.preserved(facts, ranking) for facts in self._calls)

    def settled(self, facts: CallFacts, ranking: Ranking) -> bool:
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
