"""The catalogue: every construction is what its name says."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest

from kleis.prover.engines.models.catalogue.entries import ENTRIES, Entry, made
from kleis.prover.engines.models.catalogue.tables import TRUTH, Construction

NAMES = {each.name: each for each in ENTRIES}
ABELIAN = ("the cyclic group", "the Klein", "the group ℤ")
GROUPS = [each for each in ENTRIES if "group" in each.name and "ring" not in each.name]
GROUPS = [
    each
    for each in GROUPS
    if not any(word in each.name for word in ("semigroup", "quasigroup", "quandle", "loop"))
]
RINGS = [
    each for each in ENTRIES if each.name.startswith(("the integers modulo", "the field of", "the 2×2 m"))
]


def binary(construction: Construction, place: int = 0) -> list[tuple[int, ...]]:
    """The table of an operation with two arguments, row by row."""
    table = construction.tables((0, 0), 0)[place]
    (size,) = construction.sizes
    return [table[start : start + size] for start in range(0, size * size, size)]


def associates(rows: list[tuple[int, ...]]) -> bool:
    numbers = range(len(rows))
    return all(rows[rows[x][y]][z] == rows[x][rows[y][z]] for x, y, z in product(numbers, repeat=3))


def commutes(rows: list[tuple[int, ...]]) -> bool:
    return all(rows[x][y] == rows[y][x] for x, y in product(range(len(rows)), repeat=2))


def test_names_are_different_and_sizes_at_most_64() -> None:
    assert len(NAMES) == len(ENTRIES)
    assert all(prod(each.sizes) <= 81 and max(each.sizes) <= 64 for each in ENTRIES)
    assert [sum(each.sizes) for each in ENTRIES] == sorted(sum(each.sizes) for each in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda each: each.name)
def test_tables_are_total_and_have_values_of_their_sort(entry: Entry) -> None:
    construction = made(entry)
    assert construction.sizes == entry.sizes
    for each in construction.operations:
        most = 2 if each.codomain == TRUTH else entry.sizes[each.codomain]
        assert len(each.table) == prod(entry.sizes[sort] for sort in each.domain)
        assert set(each.table) <= set(range(most))


@pytest.mark.parametrize("entry", GROUPS, ids=lambda each: each.name)
def test_groups_are_groups(entry: Entry) -> None:
    construction = made(entry)
    rows = binary(construction)
    inverse = construction.tables((0,), 0)[0]
    assert associates(rows)
    assert all(rows[0][x] == x == rows[x][0] and rows[x][inverse[x]] == 0 for x in range(len(rows)))
    assert commutes(rows) == entry.name.startswith(ABELIAN)


@pytest.mark.parametrize("entry", RINGS, ids=lambda each: each.name)
def test_rings_are_rings(entry: Entry) -> None:
    plus, times = binary(made(entry)), binary(made(entry), 1)
    numbers = range(len(plus))
    assert associates(plus)
    assert associates(times)
    assert commutes(plus)
    for x, y, z in product(numbers, repeat=3):
        assert times[x][plus[y][z]] == plus[times[x][y]][times[x][z]]
        assert times[plus[x][y]][z] == plus[times[x][z]][times[y][z]]


def powers(rows: list[tuple[int, ...]], exponent: int) -> set[int]:
    """The powers of all elements with an exponent."""
    found = set()
    for x in range(len(rows)):
        power = 0
        for _ in range(exponent):
            power = rows[power][x]
        found.add(power)
    return found


def test_the_exponents_that_the_catalogue_is_for() -> None:
    assert powers(binary(made(NAMES["the Heisenberg group modulo 3"])), 3) == {0}
    assert powers(binary(made(NAMES["the quaternion group"])), 4) == {0}
    assert powers(binary(made(NAMES["the unitriangular 4×4 matrices modulo 2"])), 4) == {0}
    assert powers(binary(made(NAMES["the semidirect product ℤ₉ ⋊ ℤ₃"])), 3) != {0}


@pytest.mark.parametrize("size", [4, 8, 9, 16])
def test_fields_have_inverses(size: int) -> None:
    times = binary(made(NAMES[f"the field of {size} elements"]), 1)
    one = next(x for x in range(size) if all(times[x][y] == y for y in range(size)))
    assert all(one in times[x] for x in range(1, size))


def test_the_moufang_loop_is_no_group() -> None:
    rows = binary(made(NAMES["the Moufang loop of order 12"]))
    assert not associates(rows)
    for x, y, z in product(range(12), repeat=3):
        assert rows[rows[x][y]][rows[z][x]] == rows[x][rows[rows[y][z]][x]]


def test_lattices_are_told_apart() -> None:
    def laws(name: str) -> tuple[bool, bool]:
        join, meet = binary(made(NAMES[name])), binary(made(NAMES[name]), 1)
        numbers = range(len(join))
        triples = list(product(numbers, repeat=3))
        assert all(join[x][meet[x][y]] == x == meet[x][join[x][y]] for x, y in product(numbers, repeat=2))
        distributive = all(meet[x][join[y][z]] == join[meet[x][y]][meet[x][z]] for x, y, z in triples)
        modular = all(join[x][meet[y][z]] == meet[join[x][y]][z] for x, y, z in triples if join[x][z] == z)
        return distributive, modular

    assert laws("the diamond M₃") == (False, True)
    assert laws("the pentagon N₅") == (False, False)
    assert laws("the orthomodular lattice MO₂") == (False, True)
    assert laws("the hexagon O₆") == (False, False)
    assert laws("the sets of 3 atoms") == (True, True)
