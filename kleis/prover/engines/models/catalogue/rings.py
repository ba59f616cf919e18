"""Rings, near-rings and algebras over small fields; modules over them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from kleis.prover.engines.models.catalogue.groups import Group
from kleis.prover.engines.models.catalogue.tables import Construction, operation, single_sorted

__all__ = [
    "Ring",
    "cross_product",
    "group_ring",
    "maps_near_ring",
    "matrices",
    "modular",
    "module",
    "null_ring",
    "one_sided",
    "polynomials",
    "product_ring",
    "ring_structure",
    "strictly_triangular",
]


class Ring(NamedTuple):
    """A ring by its elements, 0 first, sum and product; `one` is None where there is no unit."""

    elements: Sequence[Hashable]
    plus: Callable[[Any, Any], Any]
    times: Callable[[Any, Any], Any]
    one: Any

    @property
    def zero(self) -> Any:
        return self.elements[0]

    def minus(self, element: Any) -> Any:
        """The negative of an element."""
        return next(each for each in self.elements if self.plus(element, each) == self.zero)


# ── Rings ────────────────────────────────────────────────────────────────────────────────────────────────────


def modular(modulus: int) -> Ring:
    """The numbers modulo a number."""
    return Ring(range(modulus), lambda x, y: (x + y) % modulus, lambda x, y: x * y % modulus, 1 % modulus)


def null_ring(modulus: int) -> Ring:
    """The numbers modulo a number, all products 0."""
    return Ring(range(modulus), lambda x, y: (x + y) % modulus, lambda x, y: 0, None)


def product_ring(*factors: Ring) -> Ring:
    """The direct product: for several copies of one ring, the functions into it."""
    ones = [each.one for each in factors]
    return Ring(
        list(product(*(each.elements for each in factors))),
        lambda x, y: tuple(each.plus(a, b) for each, a, b in zip(factors, x, y, strict=True)),
        lambda x, y: tuple(each.times(a, b) for each, a, b in zip(factors, x, y, strict=True)),
        None if None in ones else tuple(ones),
    )


def polynomials(prime: int, remainder: Sequence[int]) -> Ring:
    """Polynomials over a prime field modulo xᵏ − remainder, coefficients from the lowest: a field, or with nilpotents."""
    degree = len(remainder)

    def times(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
        found = [0] * (2 * degree - 1)
        for (i, a), (j, b) in product(enumerate(x), enumerate(y)):
            found[i + j] += a * b
        for high in range(2 * degree - 2, degree - 1, -1):
            for place, coefficient in enumerate(remainder):
                found[high - degree + place] += found[high] * coefficient
        return tuple([each % prime for each in found[:degree]])

    return Ring(list(product(range(prime), repeat=degree)), _added(prime), times, (1, *[0] * (degree - 1)))


def matrices(prime: int, *, triangular: bool) -> Ring:
    """The 2×2 matrices over a prime field, row by row, or the upper triangular ones."""
    entries = product(range(prime), repeat=4)
    return Ring(
        [each for each in entries if not (triangular and each[2])],
        _added(prime),
        lambda x, y: tuple(
            [
                each % prime
                for each in (
                    x[0] * y[0] + x[1] * y[2],
                    x[0] * y[1] + x[1] * y[3],
                    x[2] * y[0] + x[3] * y[2],
                    x[2] * y[1] + x[3] * y[3],
                )
            ]
        ),
        (1, 0, 0, 1),
    )


def strictly_triangular(prime: int) -> Ring:
    """The strictly upper triangular 3×3 matrices: products of three are 0."""
    return Ring(
        list(product(range(prime), repeat=3)),
        _added(prime),
        lambda x, y: (0, 0, x[0] * y[1] % prime),
        None,
    )


def one_sided(prime: int) -> Ring:
    """Pairs with x·y = x scaled by the first entry of y: it does not commute, and has right units only."""
    return Ring(
        list(product(range(prime), repeat=2)),
        _added(prime),
        lambda x, y: (x[0] * y[0] % prime, x[1] * y[0] % prime),
        None,
    )


def group_ring(group: Group) -> Ring:
    """The sums of elements of a group with coefficients modulo 2: sets of elements."""
    number = {each: place for place, each in enumerate(group.elements)}
    count = len(group.elements)
    moved: list[list[int]] = []
    for x in group.elements:
        places = [number[group.times(x, y)] for y in group.elements]
        moved.append(
            [sum(1 << places[j] for j in range(count) if each >> j & 1) for each in range(1 << count)]
        )

    def times(x: int, y: int) -> int:
        found = 0
        for i in range(count):
            if x >> i & 1:
                found ^= moved[i][y]
        return found

    return Ring(range(1 << count), lambda x, y: x ^ y, times, 1)


def maps_near_ring(modulus: int) -> Ring:
    """All maps of the numbers modulo a number, added and composed: distributive from one side only."""
    return Ring(
        list(product(range(modulus), repeat=modulus)),
        _added(modulus),
        lambda x, y: tuple([x[each] for each in y]),
        tuple(range(modulus)),
    )


def cross_product(prime: int) -> Ring:
    """The triples over a prime field with their cross product: a Lie algebra."""
    return Ring(
        list(product(range(prime), repeat=3)),
        _added(prime),
        lambda x, y: (
            (x[1] * y[2] - x[2] * y[1]) % prime,
            (x[2] * y[0] - x[0] * y[2]) % prime,
            (x[0] * y[1] - x[1] * y[0]) % prime,
        ),
        None,
    )


def _added(modulus: int) -> Callable[[Any, Any], Any]:
    return lambda x, y: tuple([(a + b) % modulus for a, b in zip(x, y, strict=True)])


# ── As structures ────────────────────────────────────────────────────────────────────────────────────────────


def ring_structure(ring: Ring) -> Construction:
    """Sum, product, difference, negative, 0 and 1; the product from the other side; commutator, circle product; squares."""
    plus, times = ring.plus, ring.times
    minus = cache(ring.minus)
    inverse = cache(partial(_inverse, ring))
    return single_sorted(
        ring.elements,
        constants=[ring.zero, *([] if ring.one is None else [ring.one, minus(ring.one)])],
        unary=[
            minus,
            lambda x: x,
            *([] if ring.one is None else [lambda x: plus(ring.one, minus(x)), lambda x: inverse(x)]),
            lambda x: times(x, x),
            lambda _: ring.zero,
        ],
        binary=[
            plus,
            times,
            lambda x, y: plus(x, minus(y)),
            lambda x, y: times(y, x),
            lambda x, y: plus(plus(x, y), times(x, y)),
            lambda x, y: plus(times(x, y), minus(times(y, x))),
            *([] if ring.one is None else [lambda x, y: times(x, inverse(y))]),
        ],
        properties=[lambda x: x == ring.zero, lambda x: times(x, x) == x, lambda x: times(x, x) == ring.zero],
        relations=[lambda x, y: x == y, lambda x, y: times(x, y) == x],
    )


def _inverse(ring: Ring, element: Any) -> Any:
    """The inverse where there is one, else 0."""
    both = (each for each in ring.elements if ring.times(element, each) == ring.one)
    return next(both, ring.zero)


def module(scalars: Ring, vectors: Ring, scaled: Callable[[Any, Any], Any]) -> Construction:
    """A ring with a group on which it acts from the left; the products of the vectors are not meant."""
    numbers = [{each: place for place, each in enumerate(one.elements)} for one in (scalars, vectors)]
    sizes = (len(scalars.elements), len(vectors.elements))

    def on(sort: int, ring: Ring, value: Callable[[Any, Any], Any]) -> Callable[[int, int], int]:
        return lambda x, y: numbers[sort][value(ring.elements[x], ring.elements[y])]

    made = [
        operation(sizes, (0, 0), 0, on(0, scalars, scalars.plus)),
        operation(sizes, (0, 0), 0, on(0, scalars, scalars.times)),
        operation(sizes, (0,), 0, lambda x: numbers[0][scalars.minus(scalars.elements[x])]),
        operation(sizes, (1, 1), 1, on(1, vectors, vectors.plus)),
        operation(sizes, (1,), 1, lambda x: numbers[1][vectors.minus(vectors.elements[x])]),
        operation(
            sizes, (0, 1), 1, lambda a, v: numbers[1][scaled(scalars.elements[a], vectors.elements[v])]
        ),
    ]
    units: Iterable[int] = [0] if scalars.one is None else [0, numbers[0][scalars.one]]
    made += [
        operation(sizes, (), 0, lambda a=a: a) for a in dict.fromkeys([*units, *range(min(4, sizes[0]))])
    ]
    made += [operation(sizes, (), 1, lambda v=v: v) for v in range(min(4, sizes[1]))]
    return Construction(sizes, tuple(made))
