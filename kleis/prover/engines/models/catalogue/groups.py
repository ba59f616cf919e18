"""Groups, and what is made of them: loops, quandles, maps between groups, actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache, partial
from itertools import permutations, product
from typing import Any, NamedTuple

from kleis.prover.engines.models.catalogue.tables import (
    Construction,
    Operation,
    operation,
    single_sorted,
)

__all__ = [
    "Group",
    "action",
    "alternating",
    "chein_loop",
    "cyclic",
    "dicyclic",
    "dihedral",
    "direct",
    "group_structure",
    "heisenberg",
    "homomorphism",
    "linear",
    "numbered",
    "quandle",
    "semidirect",
    "symmetric",
    "unitriangular",
]


class Group(NamedTuple):
    """A group by its elements, the neutral one first, and its multiplication."""

    elements: Sequence[Hashable]
    times: Callable[[Any, Any], Any]

    def inverse(self, element: Any) -> Any:
        """The inverse of an element."""
        return next(each for each in self.elements if self.times(element, each) == self.elements[0])

    def power(self, element: Any, exponent: int) -> Any:
        """A power with an exponent ≥ 0."""
        found = self.elements[0]
        for _ in range(exponent):
            found = self.times(found, element)
        return found


# ── Groups ───────────────────────────────────────────────────────────────────────────────────────────────────


def cyclic(order: int) -> Group:
    """The numbers modulo the order, added."""
    return Group(range(order), lambda x, y: (x + y) % order)


def direct(*factors: Group) -> Group:
    """The direct product."""
    return Group(
        list(product(*(each.elements for each in factors))),
        lambda x, y: tuple(each.times(a, b) for each, a, b in zip(factors, x, y, strict=True)),
    )


def semidirect(normal: int, top: int, factor: int) -> Group:
    """The pairs of Z_normal ⋊ Z_top: the generator of the second multiplies the first by the factor."""
    return Group(
        list(product(range(normal), range(top))),
        lambda x, y: ((x[0] + pow(factor, x[1], normal) * y[0]) % normal, (x[1] + y[1]) % top),
    )


def dihedral(corners: int) -> Group:
    """The symmetries of a regular polygon."""
    return semidirect(corners, 2, corners - 1)


def dicyclic(half: int) -> Group:
    """The group of aⁱ and aⁱb with a^(2·half) = 1, b² = a^half, b⁻¹ a b = a⁻¹; the quaternion group for 2."""
    order = 2 * half

    def times(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
        turned = -y[0] if x[1] else y[0]
        return (x[0] + turned + (half if x[1] and y[1] else 0)) % order, (x[1] + y[1]) % 2

    return Group(list(product(range(order), range(2))), times)


def symmetric(letters: int) -> Group:
    """All permutations, composed: first the right one."""
    return Group(list(permutations(range(letters))), _composed)


def alternating(letters: int) -> Group:
    """The even permutations."""
    return Group([each for each in permutations(range(letters)) if _is_even(each)], _composed)


def _composed(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([x[each] for each in y])


def _is_even(given: tuple[int, ...]) -> bool:
    pairs = ((i, j) for j in range(len(given)) for i in range(j))
    return sum(given[i] > given[j] for i, j in pairs) % 2 == 0


def heisenberg(modulus: int) -> Group:
    """The upper unitriangular 3×3 matrices over the numbers modulo a number, as their entries above the diagonal."""
    return Group(
        list(product(range(modulus), repeat=3)),
        lambda x, y: (
            (x[0] + y[0]) % modulus,
            (x[1] + y[1]) % modulus,
            (x[2] + y[2] + x[0] * y[1]) % modulus,
        ),
    )


def unitriangular() -> Group:
    """The upper unitriangular 4×4 matrices modulo 2, as their entries above the diagonal, row by row."""
    return Group(
        list(product(range(2), repeat=6)),
        lambda x, y: (
            x[0] ^ y[0],
            x[1] ^ y[1] ^ x[0] & y[3],
            x[2] ^ y[2] ^ x[0] & y[4] ^ x[1] & y[5],
            x[3] ^ y[3],
            x[4] ^ y[4] ^ x[3] & y[5],
            x[5] ^ y[5],
        ),
    )


def linear(modulus: int, *, special: bool) -> Group:
    """The invertible 2×2 matrices over a field of prime order, or those of determinant 1."""

    def times(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
        (a, b, c, d), (p, q, r, s) = x, y
        entries = (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s)
        return tuple([each % modulus for each in entries])

    def fits(x: tuple[int, ...]) -> bool:
        determinant = (x[0] * x[3] - x[1] * x[2]) % modulus
        return determinant == 1 if special else determinant != 0

    unit = (1, 0, 0, 1)
    rest = [each for each in product(range(modulus), repeat=4) if fits(each) and each != unit]
    return Group([unit, *rest], times)


# ── As structures ────────────────────────────────────────────────────────────────────────────────────────────


def group_structure(group: Group) -> Construction:
    """Multiplication, inverse and neutral element; quotients, commutators, conjugates; powers; cyclic subgroups."""
    group = numbered(group)
    times = group.times

    @cache
    def inverse(element: int) -> int:
        return int(group.inverse(element))

    @cache
    def subgroup(place: int) -> frozenset[int]:
        return _generated(group, group.elements[place])

    return single_sorted(
        group.elements,
        constants=[0, *_generators(group)],
        unary=[
            inverse,
            lambda x: x,
            lambda x: times(x, x),
            lambda x: group.power(x, 3),
            lambda x: 0,
        ],
        binary=[
            times,
            lambda x, y: times(x, inverse(y)),
            lambda x, y: times(inverse(x), y),
            lambda x, y: times(times(inverse(x), inverse(y)), times(x, y)),
            lambda x, y: times(times(inverse(y), x), y),
            lambda x, y: times(y, x),
        ],
        properties=[
            partial(_is_in, partial(subgroup, place)) for place in range(min(_SUBGROUPS, len(group.elements)))
        ],
        relations=[lambda x, y: times(x, y) == times(y, x), lambda x, y: x == y],
    )


_SUBGROUPS = 6


def _is_in(subgroup: Callable[[], frozenset[int]], element: int) -> bool:
    return element in subgroup()


def numbered(group: Group) -> Group:
    """The same group with numbers for elements, and a table."""
    number = {each: place for place, each in enumerate(group.elements)}
    rows = [[number[group.times(x, y)] for y in group.elements] for x in group.elements]
    return Group(range(len(rows)), lambda x, y: rows[x][y])


def _generated(group: Group, element: Any) -> frozenset[Any]:
    """The powers of an element."""
    found = [group.elements[0]]
    while (following := group.times(found[-1], element)) != found[0]:
        found.append(following)
    return frozenset(found)


def _generators(group: Group) -> list[Hashable]:
    """The first pair that does not commute, or the second and the third element."""
    pairs = product(group.elements, repeat=2)
    found = next(((x, y) for x, y in pairs if group.times(x, y) != group.times(y, x)), None)
    return list(found or group.elements[1:3])


def chein_loop(group: Group) -> Construction:
    """The Moufang loop of a group G on G × {0, 1}; it is associative only if G commutes."""
    group = numbered(group)
    inverses = {each: group.inverse(each) for each in group.elements}
    elements = [*product((0, 1), group.elements)]

    def times(x: tuple[int, Any], y: tuple[int, Any]) -> tuple[int, Any]:
        (left, g), (right, h) = x, y
        match left, right:
            case 0, 0:
                return 0, group.times(g, h)
            case 0, _:
                return 1, group.times(h, g)
            case _, 0:
                return 1, group.times(g, inverses[h])
            case _:
                return 0, group.times(inverses[h], g)

    neutral = elements[0]
    inverse = {x: next(y for y in elements if times(x, y) == neutral) for x in elements}
    return single_sorted(
        elements,
        constants=[neutral],
        unary=[inverse.__getitem__],
        binary=[times, lambda x, y: times(x, inverse[y]), lambda x, y: times(inverse[x], y)],
    )


def quandle(group: Group) -> Construction:
    """A group with conjugation alone, from either side."""
    group = numbered(group)
    inverses = {each: group.inverse(each) for each in group.elements}

    def conjugate(x: Any, y: Any) -> Any:
        return group.times(group.times(inverses[y], x), y)

    return single_sorted(
        group.elements,
        binary=[
            conjugate,
            lambda x, y: conjugate(x, inverses[y]),
            lambda x, y: conjugate(y, x),
            lambda x, y: conjugate(y, inverses[x]),
        ],
    )


def homomorphism(source: int, target: int, factor: int) -> Construction:
    """Two cyclic groups, and multiplication by the factor from the one to the other."""
    sizes = (source, target)
    made: list[Operation] = []
    for sort, size in enumerate(sizes):
        made.append(operation(sizes, (sort, sort), sort, lambda x, y, size=size: (x + y) % size))
        made.append(operation(sizes, (sort,), sort, lambda x, size=size: -x % size))
        made += [operation(sizes, (), sort, lambda x=x: x) for x in range(min(size, _NAMED))]
    made.append(operation(sizes, (0,), 1, lambda x: x * factor % target))
    made.append(operation(sizes, (0,), 1, lambda _: 0))
    return Construction(sizes, tuple(made))


_NAMED = 4


def action(group: Group, points: int, moved: Callable[[Any, int], int]) -> Construction:
    """A group with the points on which it acts from the left."""
    elements = group.elements
    number = {each: place for place, each in enumerate(elements)}
    sizes = (len(elements), points)
    return Construction(
        sizes,
        (
            operation(sizes, (0, 0), 0, lambda x, y: number[group.times(elements[x], elements[y])]),
            operation(sizes, (0,), 0, lambda x: number[group.inverse(elements[x])]),
            operation(sizes, (0, 1), 1, lambda x, p: moved(elements[x], p)),
            operation(sizes, (1, 0), 1, lambda p, x: moved(group.inverse(elements[x]), p)),
            *(operation(sizes, (), 0, lambda x=x: x) for x in range(min(_NAMED, len(elements)))),
            *(operation(sizes, (), 1, lambda p=p: p) for p in range(min(_NAMED, points))),
        ),
    )
