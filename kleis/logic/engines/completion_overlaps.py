"""What critical pairs and redundancy tests look at: places in left sides, instances, orders of variables.

Specification: proving.md §3 (completion).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kleis.prover.engines.completion.rewriting import Direction
from kleis.prover.engines.completion.shared_terms import SHIFT, Bank, Node, positions

__all__ = ["Overlap", "covers", "orders"]


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
