"""Regular expressions by number: equal ones have one number, and a derivative is computed once.

The expressions are those of kleis/builtins/regular/regex.py.  `Space` numbers them and walks their states, for questions
about whole languages; `Automaton` keeps the states of one expression for the texts matched against it.

Invariants
    * The number of an expression never changes, and expressions that the constructors find alike have the same one:
      unions and intersections are sets, sequences lean to the right.
    * A step is charged whenever a derivative is computed, not when it is looked up.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable

from kleis.budget import Budget, Meter
from kleis.builtins.regular.regex import Node, bounds_of, characters_between

__all__ = ["Automaton", "Space", "matches"]


class Space:
    """The expressions met so far.  `none`, `empty` and `full` are the numbers of three; `derivatives` is to be read
    only.  One thread at a time may make new ones.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._numbers: dict[tuple[object, ...], int] = {}
        self._shapes: list[tuple[object, ...]] = []
        self._accepts: list[bool] = []
        self.derivatives: dict[tuple[int, str], int] = {}
        self._weights: dict[int, int] = {}
        self._explored: dict[int, str | None] = {}
        self._splits: dict[int, int] = {}
        self.none = self._number(("none",), accepts=False)
        self.empty = self._number(("text", ""), accepts=True)
        self._any = self._number(("any",), accepts=False)
        self.full = self._number(("loop", self._any, 0, None), accepts=True)
        self._bounds: set[int] = set()
        self.states = 0

    # ── Making ───────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, node: Node) -> int:
        """The number of an expression.  Texts are walked with the characters that all expressions added tell apart."""
        self._bounds |= set(bounds_of(node))
        self._explored.clear()
        self._splits.clear()
        return self._added(node)

    def _added(self, node: Node) -> int:
        match node[0]:
            case "then":
                return self._sequence([self._added(part) for part in node[1:]])
            case "or":
                return self._union(map(self._added, node[1:]))
            case "and":
                return self.meet(map(self._added, node[1:]))
            case "not":
                return self.negated(self._added(node[1]))
            case "loop":
                return self._loop(self._added(node[1]), node[2], node[3])
            case "text":
                return self._number(node, accepts=not node[1])
            case _:
                return self._number(node, accepts=False)

    def _number(self, shape: tuple[object, ...], *, accepts: bool) -> int:
        number = self._numbers.get(shape)
        if number is None:
            self._meter.charge(1)
            number = len(self._shapes)
            self._numbers[shape] = number
            self._shapes.append(shape)
            self._accepts.append(accepts)
        return number

    def _sequence(self, parts: list[int]) -> int:
        result = self.empty
        for part in reversed(parts):
            result = self._then(part, result)
        return result

    def _then(self, first: int, rest: int) -> int:
        if self.none in (first, rest):
            return self.none
        if first == self.empty or rest == self.empty:
            return rest if first == self.empty else first
        shape = self._shapes[first]
        if shape[0] == "then":
            _, head, tail = shape
            assert isinstance(head, int)
            assert isinstance(tail, int)
            return self._then(head, self._then(tail, rest))
        return self._number(("then", first, rest), accepts=self._accepts[first] and self._accepts[rest])

    def _union(self, parts: Iterable[int]) -> int:
        return self._gathered("or", parts, neutral=self.none, absorbing=self.full)

    def meet(self, parts: Iterable[int]) -> int:
        """What all of them have."""
        return self._gathered("and", parts, neutral=self.full, absorbing=self.none)

    def _gathered(self, kind: str, parts: Iterable[int], *, neutral: int, absorbing: int) -> int:
        shapes = self._shapes
        found: set[int] = set()
        for part in parts:
            shape = shapes[part]
            if shape[0] == kind and isinstance(shape[1], frozenset):
                found |= shape[1]
            else:
                found.add(part)
        if absorbing in found:
            return absorbing
        for part in found:
            shape = shapes[part]
            if shape[0] == "not" and shape[1] in found:
                return absorbing
        found.discard(neutral)
        if len(found) <= 1:
            return found.pop() if found else neutral
        made = (kind, frozenset(found))
        number = self._numbers.get(made)
        if number is not None:
            return number
        test = any if kind == "or" else all
        return self._number(made, accepts=test([self._accepts[part] for part in found]))

    def is_complement(self, part: int) -> bool:
        """Whether an expression is a complement."""
        return self._shapes[part][0] == "not"

    def negated(self, part: int) -> int:
        """Every text but its own."""
        if part in (self.none, self.full):
            return self.full if part == self.none else self.none
        shape = self._shapes[part]
        if shape[0] == "not" and isinstance(shape[1], int):
            return shape[1]
        return self._number(("not", part), accepts=not self._accepts[part])

    def _loop(self, part: int, low: int, high: int | None) -> int:
        if high is not None and high < low:
            return self.none
        if high == 0 or part == self.empty:
            return self.empty
        if part == self.none:
            return self.empty if low == 0 else self.none
        if (low, high) == (1, 1):
            return part
        return self._number(("loop", part, low, high), accepts=low == 0 or self._accepts[part])

    @property
    def size(self) -> int:
        """How many expressions and derivatives there are."""
        return len(self._shapes) + len(self.derivatives)

    def accepts(self, number: int) -> bool:
        """Whether the empty text is in the language."""
        return self._accepts[number]

    def weight(self, number: int) -> int:
        """How many expressions have to be derived to derive this one."""
        known = self._weights.get(number)
        if known is None:
            seen: set[int] = set()
            waiting = [number]
            while waiting:
                each = waiting.pop()
                if each not in seen:
                    seen.add(each)
                    waiting.extend(self._derived_first(self._shapes[each]))
            known = self._weights[number] = len(seen)
        return known

    def _derived_first(self, shape: tuple[object, ...]) -> Iterable[int]:
        match shape:
            case ("then", int() as first, int() as rest):
                return (first, rest) if self._accepts[first] else (first,)
            case ("or" | "and", frozenset() as parts):
                return parts
            case ("not", int() as part) | ("loop", int() as part, _, _):
                return (part,)
            case _:
                return ()

    # ── Walking ──────────────────────────────────────────────────────────────────────────────────────────────

    def derivative(self, number: int, character: str) -> int:
        """What may follow a character."""
        known = self.derivatives.get((number, character))
        if known is None:
            self._meter.charge(1)
            known = self._derived(self._shapes[number], character)
            self.derivatives[number, character] = known
        return known

    def _derived(self, shape: tuple[object, ...], character: str) -> int:
        kind = shape[0]
        if kind == "or" or kind == "and":
            _, parts = shape
            assert isinstance(parts, frozenset)
            following = self._each_derived(parts, character)
            return self._union(following) if kind == "or" else self.meet(following)
        match shape:
            case ("then", int() as first, int() as rest):
                begun = self._then(self.derivative(first, character), rest)
                if not self._accepts[first]:
                    return begun
                return self._union((begun, self.derivative(rest, character)))
            case ("text", str() as text):
                if text[:1] != character:
                    return self.none
                return self._number(("text", text[1:]), accepts=len(text) == 1)
            case ("loop", int() as part, int() as low, high):
                most = high - 1 if isinstance(high, int) else None
                rest = self._loop(part, max(low - 1, 0), most)
                return self._then(self.derivative(part, character), rest)
            case ("not", int() as part):
                return self.negated(self.derivative(part, character))
            case ("range", str() as low, str() as high):
                return self.empty if low <= character <= high else self.none
            case ("any",):
                return self.empty
            case ("none",):
                return self.none
            case _:
                raise AssertionError(shape)

    def _each_derived(self, parts: frozenset[int], character: str) -> list[int]:
        """What may follow a character in each part, the first made first: that settles their numbers."""
        known = self.derivatives
        found = []
        for part in sorted(parts):
            following = known.get((part, character))
            found.append(self.derivative(part, character) if following is None else following)
        return found

    def shortest(self, number: int) -> str | None:
        """The shortest text in the language, the first in lexicographic order; None if the language is empty."""
        if number not in self._explored:
            self._explored[number] = self._explore(number)
        return self._explored[number]

    def _explore(self, start: int) -> str | None:
        told_apart = _ToldApart(self._bounds)
        known = {start}
        waiting = deque([(start, "")])
        while waiting:
            number, text = waiting.popleft()
            self.states += 1
            if self._accepts[number]:
                return text
            for character in told_apart.characters(self._split(number, told_apart)):
                self._meter.charge(1)
                following = self.derivative(number, character)
                if following != self.none and following not in known:
                    known.add(following)
                    waiting.append((following, text + character))
        return None

    def _split(self, number: int, told_apart: _ToldApart) -> int:
        """Where the derivatives of an expression may change from one character to the next."""
        known = self._splits.get(number)
        if known is None:
            match self._shapes[number]:
                case ("range", str() as low, str() as high):
                    known = told_apart.cuts(ord(low), ord(high) + 1)
                case ("text", str() as text) if text:
                    known = told_apart.cuts(ord(text[0]), ord(text[0]) + 1)
                case shape:
                    known = 0
                    for part in self._derived_first(shape):
                        known |= self._split(part, told_apart)
            self._splits[number] = known
        return known


class _ToldApart:
    """The classes of characters that bounds cut the alphabet into, and coarser ones: a bit says that a class begins anew.

    A state tells few classes apart, so the first character of each of its own stands for the others: they lead where it does.
    """

    def __init__(self, bounds: Iterable[int]) -> None:
        self._characters = characters_between(bounds)
        self._places = {point: 1 << place for place, point in enumerate(sorted(bounds), 1)}
        self._chosen: dict[int, tuple[str, ...]] = {}

    def cuts(self, *points: int) -> int:
        """The bits of these bounds; what is outside the alphabet cuts nothing."""
        return sum(self._places.get(point, 0) for point in set(points))

    def characters(self, cuts: int) -> tuple[str, ...]:
        """The first character of each class that these cuts leave, in order."""
        chosen = self._chosen.get(cuts)
        if chosen is None:
            chosen = self._chosen[cuts] = tuple(
                each for place, each in enumerate(self._characters) if place == 0 or cuts >> place & 1
            )
        return chosen


# The automaton of a regular expression, grown by derivatives as texts lead through it, and kept for the next text.
#
# The states are expressions by number; code points that the expression does not tell apart have one step.
#
# Invariants
#     * What a match costs depends on the expression and the text alone, never on what was matched before: a step is
#       charged when a match first takes it, whether it is known already or not, by the parts of its state.
#     * What is kept is bounded (`_KEPT`), whatever texts come: beyond that the states are forgotten.
#     * Safe to use from several threads.

_KEPT = 100_000

_STEP_COST = 10

_FREE = Budget(steps=1 << 62, depth=1, size=1)


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
