"""Symmetry of finite models, broken: clauses that every model satisfies after a renaming of its elements.

See docs/reference/proving.md §7.4.

    * The i-th constant of a sort is at most i, and no value is used before the one below it (`number_constants`).
    * In problems with one sort the next cells are bounded in the same way (`bound_cells`), or
    * the tables, read as one list of values, are not smaller after an exchange of two elements (`least_under_exchanges`).
      That leaves fewer copies and more clauses.

The last two exclude each other: among the copies of a model those with bounded cells are others than the least ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Protocol

from kleis.core import BOOL, Sort
from kleis.prover.engines.first_order_terms import Function

__all__ = ["bound_cells", "least_under_exchanges", "number_constants"]

_COMPARED = 150
"""Cells that are compared with those after an exchange."""


class Bits(Protocol):
    """The bits of tables, and the clauses about them: `finite_clauses.Encoding`."""

    def cell(self, function: Function, arguments: Sequence[int]) -> tuple[int, ...]: ...

    def bit(self) -> int: ...

    def emit(self, clause: tuple[int, ...]) -> None: ...


def number_constants(bits: Bits, functions: Sequence[Function], sizes: Mapping[Sort, int]) -> None:
    """The constants of every sort name elements in order: the first one 0, the next at most 1, …"""
    for sort, constants in _constants(functions, sizes).items():
        cells = [bits.cell(each, ()) for each in constants]
        for index, cell in enumerate(cells):
            for value in range(1, sizes[sort]):
                bits.emit((-cell[value], *(each[value - 1] for each in cells[:index])))


def _constants(functions: Sequence[Function], sizes: Mapping[Sort, int]) -> dict[Sort, list[Function]]:
    found: dict[Sort, list[Function]] = {sort: [] for sort in sizes}
    for function in functions:
        if not function.domain and function.codomain != BOOL:
            found[function.codomain].append(function)
    return found


# ── Bounded cells ────────────────────────────────────────────────────────────────────────────────────────────


def bound_cells(bits: Bits, functions: Sequence[Function], sizes: Mapping[Sort, int]) -> None:
    """Elements of the only sort are numbered in the order in which constants and then certain cells name them."""
    ((sort, size),) = sizes.items()
    constants = len(_constants(functions, sizes)[sort])
    for bound, function, arguments in _bounded(functions, size, constants):
        cell = bits.cell(function, arguments)
        for value in range(bound + 1, size):
            bits.emit((-cell[value],))


def _bounded(
    functions: Sequence[Function], size: int, constants: int
) -> Iterator[tuple[int, Function, tuple[int, ...]]]:
    """Cells that may be bounded, each with its greatest value.

    A cell whose arguments have numbers below `named` is at most `named`, and at most `named + 1` elements have numbers
    then.
    """
    functions = sorted(
        (each for each in functions if each.domain and each.codomain != BOOL),
        key=lambda each: len(each.domain),
    )
    named = max(constants, 1)
    used: set[tuple[Function, tuple[int, ...]]] = set()
    while functions and named < size - 1:
        places = (
            (function, arguments)
            for newest in reversed(range(named))
            for function in functions
            for arguments in product(range(newest + 1), repeat=len(function.domain))
            if max(arguments) == newest and min(arguments) > 0
        )
        free = next((each for each in places if each not in used), None)
        if free is None:
            return
        used.add(free)
        yield named, *free
        named += 1


# ── Exchanges ────────────────────────────────────────────────────────────────────────────────────────────────


def least_under_exchanges(
    bits: Bits, functions: Sequence[Function], compared: Sequence[Function], sizes: Mapping[Sort, int]
) -> None:
    """The tables of some functions are, value by value, at most what they are after an exchange of two elements.

    Elements that constants may name are not exchanged: `number_constants` gives them their numbers.  The least copy of a model under the
    renamings of the others satisfies all of this, whichever cells are compared.
    """
    named = {sort: len(constants) for sort, constants in _constants(functions, sizes).items()}
    cells = [
        (function, arguments)
        for function in sorted(compared, key=lambda each: len(each.domain))
        for arguments in product(*(range(sizes[sort]) for sort in function.domain))
        if function.domain
    ]
    for sort, size in sizes.items():
        concerned = [each for each in cells if sort in (*each[0].domain, each[0].codomain)][:_COMPARED]
        for one, other in combinations(range(named[sort], size), 2):
            exchange = list(range(size))
            exchange[one], exchange[other] = other, one
            _at_most(bits, concerned, sort, exchange)


def _at_most(
    bits: Bits, cells: Sequence[tuple[Function, tuple[int, ...]]], sort: Sort, exchange: Sequence[int]
) -> None:
    """Clauses: the values of cells are at most those after an exchange, at the first cell where they differ."""
    equal: int | None = None
    for function, arguments in cells:
        moved = [
            exchange[value] if each == sort else value
            for each, value in zip(function.domain, arguments, strict=True)
        ]
        here, there = _values(bits, function, arguments), _values(bits, function, moved)
        if function.codomain == sort:
            there = [there[each] for each in exchange]
        guard = () if equal is None else (-equal,)
        if here == there:
            continue
        for value, bit in enumerate(here):
            bits.emit((*guard, -bit, *there[value:]))
        following = bits.bit()
        for bit, same in zip(here, there, strict=True):
            bits.emit((*guard, -bit, -same, following))
        equal = following


def _values(bits: Bits, function: Function, arguments: Sequence[int]) -> list[int]:
    """For every value of a cell the literal that says that it has it."""
    cell = bits.cell(function, arguments)
    return [-cell[0], cell[0]] if function.codomain == BOOL else list(cell)
