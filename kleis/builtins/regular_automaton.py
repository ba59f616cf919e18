"""The automaton of a regular expression, grown by derivatives as texts lead through it, and kept for the next text.

Specification: kleis-language.md §5.4 (Regex).  The derivatives are those of kleis/builtins/regular.py.

Code points that the expression does not tell apart have one step: the points where its literals and ranges begin and
end cut the alphabet into classes.

Invariants
    * What a match costs depends on the expression and the text alone, never on what was matched before: a step is
      paid for by the size of its state when a match first takes it, whether it is known already or not.
    * What is kept is bounded (`_KEPT`), whatever texts come.  Steps beyond that are made again for each match.
    * Safe to use from several threads.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kleis.budget import Meter
from kleis.builtins.regular import FULL, NONE, Node, derivative, measure, nullable

__all__ = ["Automaton", "bounds_of", "characters_between", "matches"]

_KEPT = 2_000
"""The most states, and ten times as many steps, that one automaton keeps."""

_STEP_COST = 5
"""What a step costs for each node of the state it leaves."""


def matches(text: str, node: Node, meter: Meter) -> bool:
    """Whether the whole text is in the language of an expression that is matched once."""
    return Automaton(node).matches(text, meter)


class _State:
    """What may still follow.  `size` is None until a step from here is first paid for."""

    __slots__ = ("accepts", "final", "following", "kept", "node", "size")

    def __init__(self, node: Node, *, kept: bool) -> None:
        self.node = node
        self.accepts = nullable(node)
        self.final = node in (NONE, FULL)
        self.following: dict[int, _State] = {}
        self.kept = kept
        self.size: int | None = None


class Automaton:
    """The states found so far.  Make one for an expression and match many texts with it."""

    __slots__ = ("_bounds", "_classes", "_lock", "_start", "_states", "_steps")

    def __init__(self, node: Node) -> None:
        self._bounds = bounds_of(node)
        self._classes = [bisect_right(self._bounds, point) for point in range(128)]
        self._lock = threading.Lock()
        self._start = _State(node, kept=True)
        self._states: dict[Node, _State] = {node: self._start}
        self._steps = 0

    def matches(self, text: str, meter: Meter) -> bool:
        """Whether the whole text is in the language."""
        classes, bounds = self._classes, self._bounds
        taken: dict[tuple[_State, int], _State] = {}
        passing: dict[Node, _State] = {}
        state = self._start
        meter.charge(len(text))
        for character in text:
            point = ord(character)
            kind = classes[point] if point < 128 else bisect_right(bounds, point)
            following = taken.get((state, kind))
            if following is None:
                self._pay(state, meter)
                following = state.following.get(kind) or self._step(state, kind, passing)
                taken[state, kind] = following
            state = following
            if state.final:
                break
        return state.accepts

    @staticmethod
    def _pay(state: _State, meter: Meter) -> None:
        if state.size is None:
            state.size = measure(state.node, Meter(meter.budget))[0]
        meter.charge(state.size * _STEP_COST)

    def _step(self, state: _State, kind: int, passing: dict[Node, _State]) -> _State:
        """The state after a character of that kind, kept if there is room; else it is in `passing`."""
        node = derivative(state.node, chr(self._bounds[kind - 1]) if kind else "\0")
        with self._lock:
            found = self._states.get(node) or passing.get(node)
            room = self._steps < 10 * _KEPT
            if found is None:
                found = _State(node, kept=room and len(self._states) < _KEPT)
                if found.kept:
                    self._states[node] = found
                else:
                    passing[node] = found
            if found.kept and state.kept and room:
                state.following[kind] = found
                self._steps += 1
            return found


def bounds_of(node: Node) -> list[int]:
    """The code points at which a new class of characters begins."""
    found: set[int] = set()
    for low, high in _ranges_of(node):
        found.add(ord(low))
        found.add(ord(high) + 1)
    return sorted(each for each in found if 0 < each <= 0x10FFFF)


def _ranges_of(node: Node) -> Iterator[tuple[str, str]]:
    pending = [node]
    while pending:
        item = pending.pop()
        if item[0] == "range":
            yield item[1], item[2]
        elif item[0] == "text":
            yield from ((character, character) for character in set(item[1]))
        pending.extend(part for part in item[1:] if isinstance(part, tuple))


def characters_between(bounds: Iterable[int]) -> list[str]:
    """One character of each class that bounds cut the alphabet into: a usual one where the class has one."""
    cuts = sorted({0, 0x110000, *bounds})
    return [_readable(low, high) for low, high in pairwise(cuts)]


def _readable(low: int, high: int) -> str:
    """A character from `low` to below `high`, a usual one if there is one."""
    usual = (point for point in map(ord, _USUAL) if low <= point < high)
    surrogate = 0xD800 <= low < 0xE000
    return chr(next(usual, 0xE000 if surrogate and high > 0xE000 else low))


_USUAL = "ab01 .-/_"
