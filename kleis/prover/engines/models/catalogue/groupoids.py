"""Sets with one operation of little law: semigroups, maps, quasigroups, affine operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations, product

from kleis.prover.engines.models.catalogue.tables import Construction, operation, single_sorted

__all__ = ["affine", "bands", "brandt", "function_space", "steiner", "two_elements"]


def two_elements() -> Construction:
    """Two elements with all operations of two arguments and of one."""
    binary = list(product(range(2), repeat=4))
    unary = list(product(range(2), repeat=2))
    return single_sorted(
        range(2),
        binary=[partial(_at, values) for values in binary],
        unary=[values.__getitem__ for values in unary],
        relations=[partial(_at, values) for values in binary],
        properties=[values.__getitem__ for values in unary],
    )


def _at(values: Sequence[int], x: int, y: int) -> int:
    return values[2 * x + y]


def bands(rows: int, columns: int) -> Construction:
    """The rectangular band: (a, b)·(c, d) = (a, d), with the projections and a constant operation."""
    elements = list(product(range(rows), range(columns)))
    return single_sorted(
        elements,
        binary=[lambda x, y: (x[0], y[1]), lambda x, y: x, lambda x, y: y, lambda x, y: (0, 0)],
        unary=[lambda x: x, lambda x: (0, x[1]), lambda x: (x[0], 0), lambda x: (0, 0)],
    )


def brandt() -> Construction:
    """The 2×2 matrix units with 0: an inverse semigroup that does not commute."""
    elements = [None, *product(range(2), repeat=2)]

    def times(x: tuple[int, int] | None, y: tuple[int, int] | None) -> tuple[int, int] | None:
        return (x[0], y[1]) if x is not None and y is not None and x[1] == y[0] else None

    return single_sorted(
        elements,
        binary=[times],
        unary=[lambda x: None if x is None else (x[1], x[0])],
        properties=[lambda x: times(x, x) == x],
    )


def function_space(points: int) -> Construction:
    """The maps of a set to itself with composition and identity, and the set to which they are applied."""
    maps = [tuple(range(points))]
    maps += [each for each in product(range(points), repeat=points) if each != maps[0]]
    number = {each: place for place, each in enumerate(maps)}
    sizes = (len(maps), points)
    after = operation(sizes, (0, 0), 0, lambda f, g: number[tuple([maps[f][each] for each in maps[g]])])
    before = operation(sizes, (0, 0), 0, lambda f, g: number[tuple([maps[g][each] for each in maps[f]])])
    return Construction(
        sizes,
        (
            after,
            before,
            operation(sizes, (0, 1), 1, lambda f, x: maps[f][x]),
            *(operation(sizes, (), 0, lambda f=f: f) for f in range(min(6, len(maps)))),
            *(operation(sizes, (), 1, lambda x=x: x) for x in range(points)),
            *(operation(sizes, (1,), 1, lambda x, f=f: maps[f][x]) for f in range(min(4, len(maps)))),
        ),
    )


def affine(modulus: int) -> Construction:
    """The numbers modulo a prime with a·x + b·y: sums, differences, midpoints, quandles, quasigroups of few laws."""
    half = (modulus + 1) // 2
    pairs = [
        (1, 1),
        (1, modulus - 1),
        (modulus - 1, modulus - 1),
        (half, half),
        (modulus - 1, 2),
        (2, modulus - 1),
    ]
    pairs += [(1, 2), (2, 1), (2, 3), (1, 0), (0, 1)]

    def scaled(a: int, b: int, c: int = 0) -> Callable[[int, int], int]:
        return lambda x, y: (a * x + b * y + c) % modulus

    return single_sorted(
        range(modulus),
        binary=[*(scaled(a % modulus, b % modulus) for a, b in pairs), scaled(1, 1, 1)],
        unary=[
            lambda x: -x % modulus,
            lambda x: x,
            lambda x: (x + 1) % modulus,
            lambda x: 2 * x % modulus,
            lambda x: (1 - x) % modulus,
            lambda x: (x - 1) % modulus,
        ],
        relations=[lambda x, y: (x + 1) % modulus == y, lambda x, y: x <= y, lambda x, y: x < y],
    )


def steiner(points: int, blocks: Sequence[Sequence[int]], *, loop: bool) -> Construction:
    """A Steiner triple system: the product of two points is the third one of their block.

    x·x is x in the quasigroup, and in the loop a neutral element besides the points.
    """
    third = {(x, y): z for block in blocks for x, y, z in permutations(block)}

    def times(x: int, y: int) -> int:
        if points in (x, y):
            return y if x == points else x
        return (points if loop else x) if x == y else third[x, y]

    elements = [points, *range(points)] if loop else range(points)
    return single_sorted(elements, binary=[times], unary=[lambda x: x])
