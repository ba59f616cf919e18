"""Arrays of any number of axes: ``NDArray([dimensions], [entries row by row])``, in exact arithmetic where the entries are exact.

See docs/reference/numerics.md §4.  Nothing here needs a library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kleis.builtins.matrix_algebra import entry_sum, product_of_entries, read_matrix
from kleis.builtins.numeric.arrays import described
from kleis.builtins.numeric.extra import shape_error
from kleis.builtins.row import Context, Undecided
from kleis.values import (
    Data,
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    is_number,
    kind_name,
    list_of,
)

__all__ = ["contract", "flatten", "move_axis", "reshape"]

_SYMBOLIC = (Symbol, Stuck, Suspended)


def reshape(context: Context, entries: Value, dimensions: Value) -> Data:
    """The array of these entries, row by row."""
    flat = _numbers("ndarray_reshape", entries, "the entries")
    sizes = _dimensions("ndarray_reshape", dimensions)
    if math.prod(sizes) != len(flat):
        expected = f"{_shape_text(sizes)} = {math.prod(sizes)} entries"
        raise shape_error("ndarray_reshape", "the list", found=f"{len(flat)} entries", expected=expected)
    return _array(context, sizes, flat)


def _numbers(name: str, value: Value, what: str) -> list[Value]:
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    if not isinstance(value, ListValue):
        raise shape_error(name, what, found=described(value), expected="a flat list of numbers")
    flat = value.items()
    for entry in flat:
        if isinstance(entry, _SYMBOLIC):
            raise Undecided
        if not is_number(entry):
            raise shape_error(name, what, found=f"a list with {kind_name(entry)}", expected="numbers")
    return flat


def _dimensions(name: str, value: Value) -> list[int]:
    sizes: list[int] = []
    for each in _numbers(name, value, "the dimensions"):
        if not isinstance(each, int) or isinstance(each, bool) or each < 1:
            found = f"a list with {kind_name(each)}"
            raise shape_error(name, "the dimensions", found=found, expected="positive integers")
        sizes.append(each)
    if not sizes:
        raise shape_error(name, "the dimensions", found="an empty list", expected="at least one dimension")
    return sizes


def _shape_text(sizes: Sequence[int]) -> str:
    return " × ".join(map(str, sizes))


def _array(context: Context, sizes: Sequence[int], flat: Sequence[Value]) -> Data:
    context.admit(len(flat), "an array")
    return Data("NDArray", (list_of(sizes), list_of(flat)))


def _read(name: str, value: Value) -> tuple[list[int], list[Value]]:
    """Dimensions and entries of an array."""
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    if not isinstance(value, Data) or value.constructor != "NDArray" or len(value.fields) != 2:
        raise shape_error(name, "the array", found=described(value), expected="an NDArray")
    sizes = _dimensions(name, value.fields[0])
    flat = _numbers(name, value.fields[1], "the entries")
    if math.prod(sizes) != len(flat):
        expected = f"{_shape_text(sizes)} = {math.prod(sizes)} entries"
        raise shape_error(name, "the array", found=f"{len(flat)} entries", expected=expected)
    return sizes, flat


def _axis(name: str, sizes: Sequence[int], axis: int) -> int:
    if not 0 <= axis < len(sizes):
        expected = f"one of 0 … {len(sizes) - 1} of an array {_shape_text(sizes)}"
        raise shape_error(name, "the axis", found=str(axis), expected=expected)
    return axis


def contract(context: Context, array: Value, matrix: Value, axis: int) -> Data:
    """The array with every fibre along an axis multiplied by a matrix: dimension c becomes r for an r × c matrix."""
    name = "ndarray_contract"
    sizes, flat = _read(name, array)
    _axis(name, sizes, axis)
    if isinstance(matrix, _SYMBOLIC):
        raise Undecided
    if not isinstance(matrix, (Data, ListValue)):
        raise shape_error(name, "the matrix", found=described(matrix), expected="a real matrix")
    read = read_matrix(context, matrix)
    if read.columns != sizes[axis]:
        expected = f"a matrix of {sizes[axis]} columns, as axis {axis} of {_shape_text(sizes)} has entries"
        raise shape_error(name, "the matrix", found=described(matrix), expected=expected)
    if any(isinstance(entry, _SYMBOLIC) for line in read.rows for entry in line):
        raise Undecided
    inner = math.prod(sizes[axis + 1 :])
    outer = math.prod(sizes[:axis])
    context.admit(outer * len(read.rows) * inner, "an array")
    context.charge(outer * len(read.rows) * inner * read.columns)
    contracted: list[Value] = []
    for block in range(outer):
        start = block * sizes[axis] * inner
        for line in read.rows:
            for offset in range(inner):
                total: Value = 0
                for k, factor in enumerate(line):
                    term = product_of_entries(context, factor, flat[start + k * inner + offset])
                    total = entry_sum(context, total, term)
                contracted.append(total)
    return _array(context, [*sizes[:axis], len(read.rows), *sizes[axis + 1 :]], contracted)


def move_axis(context: Context, array: Value, source: int, target: int) -> Data:
    """The array with one axis moved to another place; the others keep their order."""
    name = "ndarray_moveaxis"
    sizes, flat = _read(name, array)
    order = list(range(len(sizes)))
    order.insert(_axis(name, sizes, target), order.pop(_axis(name, sizes, source)))
    strides = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
    places = [0]
    for axis in order:
        context.charge(len(places) * sizes[axis])
        places = [place + step * strides[axis] for place in places for step in range(sizes[axis])]
    return _array(context, [sizes[axis] for axis in order], [flat[place] for place in places])


def flatten(context: Context, array: Value) -> ListValue:
    """The entries, row by row."""
    return list_of(_read("ndarray_flatten", array)[1])
