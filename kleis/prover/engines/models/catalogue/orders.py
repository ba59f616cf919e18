"""Lattices, Boolean and relation algebras, algebras of many-valued logics, orders and graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

from kleis.prover.engines.models.catalogue.tables import Construction, single_sorted

__all__ = [
    "boolean_algebra",
    "chain",
    "graph",
    "lattice",
    "many_valued",
    "order",
    "ortholattice",
    "relations_algebra",
]

_Relation = Callable[[Any, Any], bool]


def lattice(size: int, covers: Sequence[tuple[int, int]]) -> Construction:
    """The lattice on 0 … size − 1, 0 least and the last one greatest, with these covers: below, above."""
    below = _reflexive_closure(size, covers)
    return _lattice_structure(range(size), lambda x, y: (x, y) in below)


def chain(size: int) -> Construction:
    """The numbers in their order."""
    return _lattice_structure(range(size), lambda x, y: bool(x <= y))


def _lattice_structure(
    elements: Sequence[Any],
    below: _Relation,
    complements: Callable[[Any], Any] | None = None,
    others: Sequence[Callable[[Any, Any], Any]] = (),
) -> Construction:
    """Join, meet, implication where there is one, pseudocomplement; least and greatest element; the order."""
    least = next(x for x in elements if all(below(x, y) for y in elements))
    greatest = next(x for x in elements if all(below(y, x) for y in elements))

    def bound(x: Any, y: Any, under: _Relation) -> Any:
        """The common bound that is under all common bounds."""
        above = [z for z in elements if under(x, z) and under(y, z)]
        return next(z for z in above if all(under(z, each) for each in above))

    def join(x: Any, y: Any) -> Any:
        return bound(x, y, below)

    @cache
    def meet(x: Any, y: Any) -> Any:
        return bound(x, y, lambda a, b: below(b, a))

    def residual(x: Any, y: Any) -> Any:
        """The greatest z with x ∧ z ≤ y, or y where there is none."""
        fitting = [z for z in elements if below(meet(x, z), y)]
        return next((z for z in fitting if all(below(each, z) for each in fitting)), y)

    complement = complements or (lambda x: residual(x, least))
    return single_sorted(
        elements,
        constants=[least, greatest],
        unary=[complement, lambda x: x],
        binary=[join, meet, residual, *others],
        properties=[lambda x: x == least, lambda x: x != least, lambda x: x == greatest],
        relations=[
            below,
            lambda x, y: below(y, x),
            lambda x, y: x != y and below(x, y),
            lambda x, y: x != y and below(y, x),
            lambda x, y: x == y,
        ],
    )


def boolean_algebra(atoms: int) -> Construction:
    """The sets of atoms."""
    whole = (1 << atoms) - 1
    return _lattice_structure(
        range(whole + 1),
        lambda x, y: x & y == x,
        lambda x: whole ^ x,
        (lambda x, y: x ^ y, lambda x, y: x & ~y, lambda x, y: whole ^ (x & y), lambda x, y: whole ^ (x | y)),
    )


def ortholattice(size: int, covers: Sequence[tuple[int, int]], opposite: Sequence[int]) -> Construction:
    """A lattice with an orthocomplement, given by its values."""
    below = _reflexive_closure(size, covers)
    return _lattice_structure(range(size), lambda x, y: (x, y) in below, opposite.__getitem__)


def many_valued(size: int) -> Construction:
    """A chain of truth values with Łukasiewicz's sum, product, implication and negation: an MV-algebra."""
    top = size - 1
    return _lattice_structure(
        range(size),
        lambda x, y: bool(x <= y),
        lambda x: top - x,
        (
            lambda x, y: min(top, x + y),
            lambda x, y: max(0, x + y - top),
            lambda x, y: min(top, top - x + y),
            lambda x, y: abs(x - y),
        ),
    )


def relations_algebra() -> Construction:
    """The relations on two points: union, intersection, composition, residuals; complement, converse, star; identity."""
    pairs = list(product(range(2), repeat=2))
    elements = range(16)
    members = [frozenset(pair for place, pair in enumerate(pairs) if each >> place & 1) for each in elements]
    number = {each: place for place, each in enumerate(members)}
    identity = number[frozenset(((0, 0), (1, 1)))]

    def composed(x: int, y: int) -> int:
        return number[frozenset((a, d) for a, b in members[x] for c, d in members[y] if b == c)]

    def star(x: int) -> int:
        found = identity
        while (longer := found | composed(found, x)) != found:
            found = longer
        return found

    def converse(x: int) -> int:
        return number[frozenset((b, a) for a, b in members[x])]

    def greatest(fits: Callable[[int], bool]) -> int:
        found = 0
        for each in elements:
            if fits(each):
                found |= each
        return found

    return single_sorted(
        elements,
        constants=[0, identity, 15],
        unary=[lambda x: 15 ^ x, converse, star],
        binary=[
            lambda x, y: x | y,
            composed,
            lambda x, y: x & y,
            lambda x, y: greatest(lambda z: composed(x, z) & ~y == 0),
            lambda x, y: greatest(lambda z: composed(z, x) & ~y == 0),
            lambda x, y: greatest(lambda z: composed(z, y) & ~x == 0),
        ],
        relations=[lambda x, y: x & ~y == 0, lambda x, y: y & ~x == 0],
        properties=[lambda x: x & ~identity == 0],
    )


def order(size: int, covers: Sequence[tuple[int, int]]) -> Construction:
    """A partial order, with its strict and converse forms."""
    below = _reflexive_closure(size, covers)
    return single_sorted(
        range(size),
        relations=[
            lambda x, y: (x, y) in below,
            lambda x, y: x != y and (x, y) in below,
            lambda x, y: (y, x) in below,
            lambda x, y: x == y,
            lambda x, y: (x, y) in below or (y, x) in below,
        ],
        properties=[lambda x: x == 0, lambda x: x == size - 1],
    )


def graph(size: int, arrows: Sequence[tuple[int, int]]) -> Construction:
    """A directed graph: its arrows, edges without direction, and reachability."""
    reachable = _reflexive_closure(size, arrows)
    return single_sorted(
        range(size),
        relations=[
            lambda x, y: (x, y) in arrows,
            lambda x, y: (x, y) in arrows or (y, x) in arrows,
            lambda x, y: x == y or (x, y) in arrows or (y, x) in arrows,
            lambda x, y: (x, y) in reachable,
        ],
        properties=[lambda x: x == 0],
    )


def _reflexive_closure(size: int, pairs: Sequence[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """The least reflexive and transitive relation with these pairs."""
    found = {(x, x) for x in range(size)} | set(pairs)
    for middle, x, y in product(range(size), repeat=3):
        if (x, middle) in found and (middle, y) in found:
            found.add((x, y))
    return frozenset(found)
