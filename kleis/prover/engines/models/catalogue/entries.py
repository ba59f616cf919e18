"""The catalogue: constructions by name, the smallest first.  Each is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import NamedTuple

from kleis.prover.engines.models.catalogue import groupoids, groups, orders, rings
from kleis.prover.engines.models.catalogue.groups import cyclic, dihedral, direct, semidirect
from kleis.prover.engines.models.catalogue.rings import modular
from kleis.prover.engines.models.catalogue.tables import Construction

__all__ = ["ENTRIES", "Entry", "made"]


class Entry(NamedTuple):
    """A construction by name, with the numbers of elements of its sorts."""

    name: str
    sizes: tuple[int, ...]
    make: Callable[[], Construction]


_CYCLIC = (2, 3, 4, 5, 6, 7, 8, 9)

_SUBSETS = ((0, 1), (0, 2), (1, 3), (2, 3))
"""The covers of the sets of two atoms."""

_FANO = ((0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5))

_PLANE = tuple(
    tuple(sorted((3 * x + y, 3 * a + b, 3 * (-x - a) % 9 + (-y - b) % 3)))
    for x in range(3)
    for y in range(3)
    for a in range(3)
    for b in range(3)
    if (x, y) != (a, b)
)
"""The lines of the plane over three elements: triples with the sum 0."""


def _groups() -> Iterator[Entry]:
    def entry(name: str, order: int, make: Callable[[], groups.Group]) -> Entry:
        return Entry(name, (order,), lambda: groups.group_structure(make()))

    for order in _CYCLIC:
        yield entry(f"the cyclic group of order {order}", order, partial(cyclic, order))
    yield entry("the Klein four-group", 4, lambda: direct(cyclic(2), cyclic(2)))
    yield entry("the symmetric group on 3 letters", 6, lambda: groups.symmetric(3))
    yield entry("the group ℤ₄ × ℤ₂", 8, lambda: direct(cyclic(4), cyclic(2)))
    yield entry("the group ℤ₂³", 8, lambda: direct(cyclic(2), cyclic(2), cyclic(2)))
    yield entry("the dihedral group of order 8", 8, lambda: dihedral(4))
    yield entry("the quaternion group", 8, lambda: groups.dicyclic(2))
    yield entry("the group ℤ₃²", 9, lambda: direct(cyclic(3), cyclic(3)))
    yield entry("the dihedral group of order 10", 10, lambda: dihedral(5))
    yield entry("the alternating group on 4 letters", 12, lambda: groups.alternating(4))
    yield entry("the dihedral group of order 12", 12, lambda: dihedral(6))
    yield entry("the dicyclic group of order 12", 12, lambda: groups.dicyclic(3))
    yield entry("the dihedral group of order 16", 16, lambda: dihedral(8))
    yield entry("the generalised quaternion group of order 16", 16, lambda: groups.dicyclic(4))
    yield entry("the semidirect product ℤ₄ ⋊ ℤ₄", 16, lambda: semidirect(4, 4, 3))
    yield entry("the modular group of order 16", 16, lambda: semidirect(8, 2, 5))
    yield entry("the group of order 16 that is semidihedral", 16, lambda: semidirect(8, 2, 3))
    yield entry(
        "the product of the dihedral group of order 8 and ℤ₂", 16, lambda: direct(dihedral(4), cyclic(2))
    )
    yield entry(
        "the product of the quaternion group and ℤ₂", 16, lambda: direct(groups.dicyclic(2), cyclic(2))
    )
    yield entry("the Frobenius group of order 20", 20, lambda: semidirect(5, 4, 2))
    yield entry("the Frobenius group of order 21", 21, lambda: semidirect(7, 3, 2))
    yield entry("the symmetric group on 4 letters", 24, lambda: groups.symmetric(4))
    yield entry(
        "the special linear group of 2×2 matrices modulo 3", 24, lambda: groups.linear(3, special=True)
    )
    yield entry("the Heisenberg group modulo 3", 27, lambda: groups.heisenberg(3))
    yield entry("the semidirect product ℤ₉ ⋊ ℤ₃", 27, lambda: semidirect(9, 3, 4))
    yield entry(
        "the product of two symmetric groups on 3 letters",
        36,
        lambda: direct(groups.symmetric(3), groups.symmetric(3)),
    )
    yield entry(
        "the general linear group of 2×2 matrices modulo 3", 48, lambda: groups.linear(3, special=False)
    )
    yield entry("the semidirect product ℤ₁₁ ⋊ ℤ₅", 55, lambda: semidirect(11, 5, 3))
    yield entry("the alternating group on 5 letters", 60, lambda: groups.alternating(5))
    yield entry("the Heisenberg group modulo 4", 64, lambda: groups.heisenberg(4))
    yield entry("the unitriangular 4×4 matrices modulo 2", 64, groups.unitriangular)


def _rings() -> Iterator[Entry]:
    def entry(name: str, order: int, make: Callable[[], rings.Ring]) -> Entry:
        return Entry(name, (order,), lambda: rings.ring_structure(make()))

    for order in _CYCLIC:
        yield entry(f"the integers modulo {order}", order, partial(modular, order))
    yield entry("ℤ₂ with all products 0", 2, lambda: rings.null_ring(2))
    yield entry("ℤ₃ with all products 0", 3, lambda: rings.null_ring(3))
    yield entry("the functions of two points into ℤ₂", 4, lambda: rings.product_ring(modular(2), modular(2)))
    yield entry("the field of 4 elements", 4, lambda: rings.polynomials(2, (1, 1)))
    yield entry("ℤ₂[x] modulo x²", 4, lambda: rings.polynomials(2, (0, 0)))
    yield entry("pairs over ℤ₂ with x·y = x scaled by the first entry of y", 4, lambda: rings.one_sided(2))
    yield entry("the near-ring of the maps of 2 elements", 4, lambda: rings.maps_near_ring(2))
    yield entry("the functions of three points into ℤ₂", 8, lambda: rings.product_ring(*[modular(2)] * 3))
    yield entry("the field of 8 elements", 8, lambda: rings.polynomials(2, (1, 1, 0)))
    yield entry("the upper triangular 2×2 matrices modulo 2", 8, lambda: rings.matrices(2, triangular=True))
    yield entry("the strictly triangular 3×3 matrices modulo 2", 8, lambda: rings.strictly_triangular(2))
    yield entry("the triples modulo 2 with the cross product", 8, lambda: rings.cross_product(2))
    yield entry("the field of 9 elements", 9, lambda: rings.polynomials(3, (2, 0)))
    yield entry("ℤ₃[x] modulo x²", 9, lambda: rings.polynomials(3, (0, 0)))
    yield entry("pairs over ℤ₃ with x·y = x scaled by the first entry of y", 9, lambda: rings.one_sided(3))
    yield entry("the 2×2 matrices modulo 2", 16, lambda: rings.matrices(2, triangular=False))
    yield entry("the field of 16 elements", 16, lambda: rings.polynomials(2, (1, 1, 0, 0)))
    yield entry("the upper triangular 2×2 matrices modulo 3", 27, lambda: rings.matrices(3, triangular=True))
    yield entry("the strictly triangular 3×3 matrices modulo 3", 27, lambda: rings.strictly_triangular(3))
    yield entry("the triples modulo 3 with the cross product", 27, lambda: rings.cross_product(3))
    yield entry("the near-ring of the maps of ℤ₃", 27, lambda: rings.maps_near_ring(3))
    yield entry(
        "the group ring of the symmetric group on 3 letters modulo 2",
        64,
        lambda: rings.group_ring(groups.symmetric(3)),
    )


def _orders() -> Iterator[Entry]:
    for size in (2, 3, 4, 5):
        yield Entry(f"the chain of {size}", (size,), partial(orders.chain, size))
        yield Entry(f"the chain of {size} truth values", (size,), partial(orders.many_valued, size))
    for atoms in (2, 3, 4):
        yield Entry(f"the sets of {atoms} atoms", (2**atoms,), partial(orders.boolean_algebra, atoms))
    three = ((0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4))
    yield Entry("the diamond M₃", (5,), lambda: orders.lattice(5, three))
    yield Entry("the pentagon N₅", (5,), lambda: orders.lattice(5, ((0, 1), (1, 2), (0, 3), (2, 4), (3, 4))))
    yield Entry("two atoms under a new top", (5,), lambda: orders.lattice(5, (*_SUBSETS, (3, 4))))
    yield Entry("the product of chains of 2 and 3", (6,), lambda: orders.lattice(6, _PRODUCT_OF_CHAINS))
    four = tuple((0, x) for x in (1, 2, 3, 4)) + tuple((x, 5) for x in (1, 2, 3, 4))
    yield Entry(
        "the orthomodular lattice MO₂", (6,), lambda: orders.ortholattice(6, four, (5, 2, 1, 4, 3, 0))
    )
    hexagon = ((0, 1), (1, 2), (2, 5), (0, 3), (3, 4), (4, 5))
    yield Entry("the hexagon O₆", (6,), lambda: orders.ortholattice(6, hexagon, (5, 4, 3, 2, 1, 0)))
    yield Entry("the relations on 2 points", (16,), orders.relations_algebra)
    for size in (2, 3):
        yield Entry(f"{size} elements that are not comparable", (size,), partial(orders.order, size, ()))
    yield Entry("two elements below a third", (3,), lambda: orders.order(3, ((0, 2), (1, 2))))
    yield Entry("two elements above a third", (3,), lambda: orders.order(3, ((0, 1), (0, 2))))
    yield Entry("the order on 4 elements like an N", (4,), lambda: orders.order(4, ((0, 2), (1, 2), (1, 3))))
    yield Entry(
        "two pairs of elements, each under both others",
        (4,),
        lambda: orders.order(4, ((0, 2), (0, 3), (1, 2), (1, 3))),
    )
    yield Entry("the cycle of 3 arrows", (3,), lambda: orders.graph(3, ((0, 1), (1, 2), (2, 0))))
    yield Entry("the path of 2 arrows", (3,), lambda: orders.graph(3, ((0, 1), (1, 2))))
    yield Entry(
        "the cycle of 5 arrows", (5,), lambda: orders.graph(5, ((0, 1), (1, 2), (2, 3), (3, 4), (4, 0)))
    )


_PRODUCT_OF_CHAINS = ((0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5))


def _groupoids() -> Iterator[Entry]:
    yield Entry("two elements", (2,), groupoids.two_elements)
    yield Entry("the rectangular band of 2 × 2", (4,), lambda: groupoids.bands(2, 2))
    yield Entry("the Brandt semigroup of 2×2 matrix units", (5,), groupoids.brandt)
    for modulus in (3, 5, 7):
        yield Entry(f"affine operations modulo {modulus}", (modulus,), partial(groupoids.affine, modulus))
    yield Entry("the Steiner quasigroup of order 7", (7,), lambda: groupoids.steiner(7, _FANO, loop=False))
    yield Entry("the Steiner quasigroup of order 9", (9,), lambda: groupoids.steiner(9, _PLANE, loop=False))
    yield Entry("the Steiner loop of order 10", (10,), lambda: groupoids.steiner(9, _PLANE, loop=True))
    yield Entry("the Moufang loop of order 12", (12,), lambda: groups.chein_loop(groups.symmetric(3)))
    yield Entry(
        "the quandle of the symmetric group on 3 letters", (6,), lambda: groups.quandle(groups.symmetric(3))
    )
    yield Entry(
        "the quandle of the alternating group on 4 letters",
        (12,),
        lambda: groups.quandle(groups.alternating(4)),
    )


def _several_sorts() -> Iterator[Entry]:
    def scaled(modulus: int) -> Callable[[int, Sequence[int]], tuple[int, ...]]:
        return lambda a, v: tuple([a * each % modulus for each in v])

    def space(modulus: int, dimension: int) -> Construction:
        vectors = rings.product_ring(*[modular(modulus)] * dimension)
        return rings.module(modular(modulus), vectors, scaled(modulus))

    yield Entry("the plane over ℤ₂", (2, 4), lambda: space(2, 2))
    yield Entry("the line over ℤ₃", (3, 3), lambda: space(3, 1))
    yield Entry("the plane over ℤ₃", (3, 9), lambda: space(3, 2))
    yield Entry("the space over ℤ₂", (2, 8), lambda: space(2, 3))
    yield Entry(
        "the module ℤ₂ over ℤ₄", (4, 2), lambda: rings.module(modular(4), modular(2), lambda a, v: a * v % 2)
    )
    yield Entry(
        "the module ℤ₄ over ℤ₄", (4, 4), lambda: rings.module(modular(4), modular(4), lambda a, v: a * v % 4)
    )
    yield Entry("ℤ₂ ↪ ℤ₄", (2, 4), lambda: groups.homomorphism(2, 4, 2))
    yield Entry("ℤ₄ ↠ ℤ₂", (4, 2), lambda: groups.homomorphism(4, 2, 1))
    yield Entry("ℤ₆ ↠ ℤ₃", (6, 3), lambda: groups.homomorphism(6, 3, 1))
    yield Entry("ℤ₂ at rest on 2 points", (2, 2), lambda: groups.action(cyclic(2), 2, lambda x, p: p))
    yield Entry("ℤ₃ turning 3 points", (3, 3), lambda: groups.action(cyclic(3), 3, lambda x, p: (x + p) % 3))
    yield Entry(
        "the permutations of 3 points",
        (6, 3),
        lambda: groups.action(groups.symmetric(3), 3, lambda x, p: int(x[p])),
    )
    yield Entry("the maps of 2 points", (4, 2), lambda: groupoids.function_space(2))
    yield Entry("the maps of 3 points", (27, 3), lambda: groupoids.function_space(3))


ENTRIES: tuple[Entry, ...] = tuple(
    sorted(
        (*_groupoids(), *_orders(), *_groups(), *_rings(), *_several_sorts()),
        key=lambda each: (sum(each.sizes), max(each.sizes)),
    )
)
"""All constructions; those of one size in the order of their kinds."""


@cache
def made(entry: Entry) -> Construction:
    """The construction of an entry."""
    return entry.make()
