"""Ordered rewriting: a discrimination tree of equations, normal forms with their steps, critical pairs.

An equation that the ordering orients is used from left to right; another one in both directions, wherever the
instance gets smaller.  Variables of the smaller side that the other does not have become the least constant.

A `Trace` records how a term was rewritten: first its arguments, then a step at the root, then the rest.  It is None
where nothing was rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from kleis.prover.engines.completion.shared_terms import (
    SHIFT,
    Bank,
    Node,
    instance,
    positions,
    variables_of,
)

__all__ = ["Direction", "Greater", "Index", "Overlap", "Rewriter", "Trace", "covers", "expanded", "orders"]

Trace: TypeAlias = "tuple[tuple[Trace | None, ...] | None, tuple[int, Node, Trace | None] | None]"

_DEEPEST = 100

_WIDEST = 400


class Direction:
    """An equation from one side to the other; `oriented` if the left side is always greater.

    The variables are numbered by first occurrence in `left`; `right` has no others, since the least constant of
    their sort stands for those.  `whole` is the right side with them; `free` says that there are some.
    """

    __slots__ = ("equation", "free", "left", "oriented", "right", "whole")

    def __init__(
        self, bank: Bank, equation: int, sides: tuple[Node, Node], oriented: bool, least: Mapping[int, Node]
    ) -> None:
        self.equation = equation
        self.left, self.whole = bank.renamed(sides)
        self.oriented = oriented
        bound = variables_of(self.left)
        extra = {each: least[each.sort] for each in variables_of(self.whole) if each not in bound}
        self.right = instance(bank, self.whole, extra)
        self.free = bool(extra)


class _Branch:
    """A node of the tree: what follows a function, a variable (by number and sort), or where patterns end."""

    __slots__ = ("directions", "functions", "variables")

    def __init__(self) -> None:
        self.functions: dict[int, _Branch] = {}
        self.variables: dict[tuple[int, int], _Branch] = {}
        self.directions: list[Direction] = []


class Index:
    """Left sides by their symbols in reading order."""

    def __init__(self) -> None:
        self.root = _Branch()

    def insert(self, direction: Direction) -> None:
        """Add a direction."""
        branch = self.root
        waiting = [direction.left]
        while waiting:
            term = waiting.pop()
            if term.head < 0:
                branch = branch.variables.setdefault((-1 - term.head, term.sort), _Branch())
            else:
                branch = branch.functions.setdefault(term.head, _Branch())
                waiting.extend(reversed(term.arguments))
        branch.directions.append(direction)

    def remove(self, direction: Direction) -> None:
        """Remove a direction; emptied branches stay."""
        branch = self.root
        waiting = [direction.left]
        while waiting:
            term = waiting.pop()
            if term.head < 0:
                branch = branch.variables[-1 - term.head, term.sort]
            else:
                branch = branch.functions[term.head]
                waiting.extend(reversed(term.arguments))
        branch.directions.remove(direction)

    def matches(self, term: Node) -> Iterator[tuple[Direction, list[Node]]]:
        """The directions whose left side matches, each with the values of its variables."""
        found: list[tuple[list[Direction], list[Node]]] = []
        _collect(self.root, (term, None), [], found)
        for directions, bound in found:
            for direction in directions:
                yield direction, bound


_Pending: TypeAlias = "tuple[Node, _Pending] | None"


def _collect(
    branch: _Branch, pending: _Pending, bound: list[Node], found: list[tuple[list[Direction], list[Node]]]
) -> None:
    """Walk the tree along the pending terms, first by functions, then by variables."""
    while pending is not None:
        term, rest = pending
        for (index, sort), following in branch.variables.items():
            if index < len(bound):
                if bound[index] is term:
                    _collect(following, rest, bound, found)
            elif sort == term.sort:
                _collect(following, rest, [*bound, term], found)
        next_branch = branch.functions.get(term.head)
        if next_branch is None:
            return
        branch = next_branch
        pending = rest
        for part in reversed(term.arguments):
            pending = (part, pending)
    if branch.directions:
        found.append((branch.directions, bound))


class Greater(Protocol):
    """An ordering of terms."""

    def greater(self, left: Node, right: Node) -> bool:
        """Whether every instance of the left term is greater than that of the right one."""
        ...


class Rewriter:
    """Normal forms under an index and an ordering.  `charge` counts lookups; no step leads to a term larger than `widest`."""

    def __init__(
        self,
        bank: Bank,
        index: Index,
        ordering: Greater,
        charge: Callable[[int], None],
        widest: int = _WIDEST,
    ) -> None:
        self._bank = bank
        self._index = index
        self._ordering = ordering
        self._charge = charge
        self._widest = widest
        self._known: dict[Node, tuple[Node, Trace | None]] = {}
        self._depth = 0
        self.cut = False

    def forget(self) -> None:
        """Forget normal forms: the index has changed."""
        self._known.clear()

    def normal(self, term: Node) -> tuple[Node, Trace | None]:
        """The normal form of a term, with its trace."""
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._normal(term)
        return known

    def _normal(self, term: Node) -> tuple[Node, Trace | None]:
        if term.head < 0 or self._depth > _DEEPEST:
            self.cut = self.cut or term.head >= 0
            return term, None
        self._depth += 1
        traces: tuple[Trace | None, ...] | None = None
        if term.arguments:
            pairs = [self.normal(each) for each in term.arguments]
            arguments = tuple([each for each, _ in pairs])
            if arguments != term.arguments:
                traces = tuple([trace for _, trace in pairs])
                term = self._bank.apply(term.head, arguments)
        step = self.step(term)
        if step is not None:
            equation, value = step
            result, rest = self.normal(value)
            self._depth -= 1
            return result, (traces, (equation, value, rest))
        self._depth -= 1
        return term, None if traces is None else (traces, None)

    def step(self, term: Node) -> tuple[int, Node] | None:
        """A rewriting step at the root: the equation and the result."""
        self._charge(1)
        for direction, bound in self._index.matches(term):
            value = filled(self._bank, direction.right, bound)
            if value.size > self._widest:
                self.cut = True
            elif direction.oriented or self._ordering.greater(term, value):
                return direction.equation, value
        return None


def filled(bank: Bank, pattern: Node, bound: Sequence[Node]) -> Node:
    """The pattern with its numbered variables replaced."""
    if pattern.ground:
        return pattern
    if pattern.head < 0:
        return bound[-1 - pattern.head]
    return bank.apply(pattern.head, tuple([filled(bank, each, bound) for each in pattern.arguments]))


def expanded(bank: Bank, term: Node, trace: Trace | None) -> list[tuple[int, Node]]:
    """The steps of a trace, one by one: the equation used and the whole term after it."""
    steps: list[tuple[int, Node]] = []
    while trace is not None:
        inside, root = trace
        if inside is not None:
            arguments = list(term.arguments)
            for index, each in enumerate(inside):
                for equation, part in expanded(bank, arguments[index], each):
                    arguments[index] = part
                    steps.append((equation, bank.apply(term.head, tuple(arguments))))
            term = bank.apply(term.head, tuple(arguments))
        if root is None:
            break
        equation, term, trace = root
        steps.append((equation, term))
    return steps


# ── Critical pairs and redundancy ───────────────────────────────────────────────────────────────────────────


class Overlap:
    """A direction as the inner one of a critical pair (`left`, `right`) and as the outer one (`original`, `target`).

    The inner one has its variables renamed, so that the two share none.
    """

    __slots__ = ("_places", "direction", "left", "original", "right", "target")

    def __init__(self, bank: Bank, direction: Direction) -> None:
        self.direction = direction
        self.original, self.target = direction.left, direction.whole
        self.left, self.right = bank.renamed((direction.left, direction.whole), SHIFT)
        self._places: dict[int, list[tuple[tuple[int, ...], Node]]] = {}
        for path, part in positions(direction.left):
            self._places.setdefault(part.head, []).append((path, part))

    def places_of(self, left: Node) -> Sequence[tuple[tuple[int, ...], Node]]:
        """The positions where a left side may fit."""
        if left.head >= 0:
            return self._places.get(left.head, ())
        return [place for places in self._places.values() for place in places]


def covers(bank: Bank, direction: Direction, bound: Sequence[Node], right: Node) -> bool:
    """Whether the right side of a direction whose left side matches can be made the given term."""
    values = dict(enumerate(bound))
    waiting = [(direction.whole, right)]
    while waiting:
        pattern, term = waiting.pop()
        if pattern.head < 0:
            if pattern.sort != term.sort or values.setdefault(-1 - pattern.head, term) is not term:
                return False
        elif pattern.head != term.head:
            return False
        else:
            waiting.extend(zip(pattern.arguments, term.arguments, strict=True))
    return True


def orders(variables: Sequence[Node]) -> Iterator[Mapping[Node, tuple[Node, int]]]:
    """Every way to order variables, equal ones allowed: each variable with the first of its equals and a rank.

    Variables of different sorts are ordered too; they are never equal.
    """
    yield from _orders(list(variables), [])


def _orders(rest: list[Node], classes: list[list[Node]]) -> Iterator[Mapping[Node, tuple[Node, int]]]:
    if not rest:
        yield {each: (group[0], rank) for rank, group in enumerate(classes) for each in group}
        return
    variable, following = rest[0], rest[1:]
    for index, group in enumerate(classes):
        if group[0].sort == variable.sort:
            yield from _orders(following, [*classes[:index], [*group, variable], *classes[index + 1 :]])
    for index in range(len(classes) + 1):
        yield from _orders(following, [*classes[:index], [variable], *classes[index:]])
