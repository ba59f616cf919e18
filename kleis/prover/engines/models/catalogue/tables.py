"""Finite structures as operation tables: what a construction is, and how tables are made from functions.

Elements are numbers from 0.  A table has the values of all arguments in their order: the value at ``(x, y)`` of a binary
operation on n elements stands at ``x·n + y``.  Truth values are 0 and 1, and `TRUTH` stands for their sort.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import product, starmap
from typing import Any, NamedTuple

__all__ = ["TRUTH", "Construction", "Operation", "operation", "single_sorted"]

TRUTH = -1
"""The sort of truth values, among the numbers of sorts."""


class Operation:
    """An operation: the numbers of the sorts of its arguments and of its values; its table is made when it is looked at."""

    def __init__(
        self, domain: Sequence[int], codomain: int, make: Callable[[], Iterable[int | bool]]
    ) -> None:
        self.domain = tuple(domain)
        self.codomain = codomain
        self._make = make

    @cached_property
    def table(self) -> tuple[int, ...]:
        """The values of all arguments in their order."""
        return tuple(map(int, self._make()))


class Construction(NamedTuple):
    """A structure with so many elements of each sort, and its operations, the commonest first."""

    sizes: tuple[int, ...]
    operations: tuple[Operation, ...]

    def tables(self, domain: Sequence[int], codomain: int) -> list[tuple[int, ...]]:
        """The different tables of the operations with these sorts."""
        kind = tuple(domain), codomain
        found = (each.table for each in self.operations if (each.domain, each.codomain) == kind)
        return list(dict.fromkeys(found))


def operation(
    sizes: Sequence[int], domain: Sequence[int], codomain: int, value: Callable[..., int | bool]
) -> Operation:
    """The operation that a function of numbers computes."""
    ranges = [range(sizes[sort]) for sort in domain]
    return Operation(domain, codomain, lambda: starmap(value, product(*ranges)))


def single_sorted(
    elements: Sequence[Hashable],
    *,
    constants: Iterable[Hashable] = (),
    unary: Iterable[Callable[[Any], Any]] = (),
    binary: Iterable[Callable[[Any, Any], Any]] = (),
    properties: Iterable[Callable[[Any], int | bool]] = (),
    relations: Iterable[Callable[[Any, Any], int | bool]] = (),
) -> Construction:
    """A structure on one set.  Elements are constants too, after those given: all if they are at most eight, or some."""
    number = {each: place for place, each in enumerate(elements)}
    rest = elements if len(elements) <= _NAMED else elements[:_FEW]

    def valued(arity: int, value: Callable[..., Any]) -> Operation:
        return Operation(
            (0,) * arity, 0, lambda: map(number.__getitem__, starmap(value, product(elements, repeat=arity)))
        )

    def judged(arity: int, value: Callable[..., int | bool]) -> Operation:
        return Operation((0,) * arity, TRUTH, lambda: starmap(value, product(elements, repeat=arity)))

    return Construction(
        (len(elements),),
        (
            *(valued(2, each) for each in binary),
            *(valued(1, each) for each in unary),
            *(valued(0, lambda each=each: each) for each in dict.fromkeys([*constants, *rest])),
            *(judged(2, each) for each in relations),
            *(judged(1, each) for each in properties),
        ),
    )


_NAMED, _FEW = 8, 4
