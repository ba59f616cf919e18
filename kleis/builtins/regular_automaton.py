"""The automaton of a regular expression, grown by derivatives as texts lead through it, and kept for the next text.

Specification: kleis-language.md §5.4 (Regex).  The states are expressions by number (kleis/builtins/regular/automaton.py);
code points that the expression does not tell apart have one step.

Invariants
    * What a match costs depends on the expression and the text alone, never on what was matched before: a step is
      paid for when a match first takes it, whether it is known already or not, by the parts of its state.
    * What is kept is bounded (`_KEPT`), whatever texts come: beyond that the states are forgotten.
    * Safe to use from several threads.
"""

from __future__ import annotations

import threading
from bisect import bisect_right

from kleis.budget import Budget, Meter
from kleis.builtins.regular.automaton import Space
from kleis.builtins.regular.regex import Node
from kleis.builtins.regular_classes import bounds_of, characters_between

__all__ = ["Automaton", "matches"]

_KEPT = 100_000
"""The most expressions and steps that one automaton keeps from one text to the next."""

_STEP_COST = 10
"""What a step costs for each part of the state it leaves."""

_FREE = Budget(steps=1 << 62, depth=1, size=1)
"""Whoever matches pays; the space itself does not count."""


def matches(text: str, node: Node, meter: Meter) -> bool:
    """Whether the whole text is in the language of an expression that is matched once."""
    return Automaton(node).matches(text, meter)


class Automaton:
    """The states found so far.  Make one for an expression and match many texts with it."""

    __slots__ = ("_bounds", "_characters", "_kinds", "_lock", "_node", "_space", "_start", "_steps")

    def __init__(self, node: Node) -> None:
        self._node = node
        self._bounds = bounds_of(node)
        self._characters = characters_between(self._bounds)
        self._kinds = [bisect_right(self._bounds, point) for point in range(128)]
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        space = Space(Meter(_FREE))
        self._start = space.add(self._node)
        self._space = space
        self._steps: dict[tuple[int, str], tuple[int, int]] = {}

    def _step(
        self, space: Space, known: dict[tuple[int, str], tuple[int, int]], step: tuple[int, str]
    ) -> tuple[int, int]:
        """What a step costs, and where it leads."""
        with self._lock:
            found = known[step] = (space.weight(step[0]) * _STEP_COST, space.derivative(*step))
            return found

    @property
    def kept(self) -> int:
        """How many expressions and steps are kept."""
        return self._space.size

    def matches(self, text: str, meter: Meter) -> bool:
        """Whether the whole text is in the language."""
        with self._lock:
            if self._space.size > _KEPT:
                self._begin()
            space, state = self._space, self._start
            known = self._steps
        kinds, bounds, characters = self._kinds, self._bounds, self._characters
        taken: dict[tuple[int, str], int] = {}
        meter.charge(len(text))
        for character in text:
            point = ord(character)
            kind = characters[kinds[point] if point < 128 else bisect_right(bounds, point)]
            step = (state, kind)
            following = taken.get(step)
            if following is None:
                cost, following = known.get(step) or self._step(space, known, step)
                meter.charge(cost)
                taken[step] = following
            state = following
            if state in (space.none, space.full):
                break
        return space.accepts(state)
