"""Concrete matrices: both spellings read, one written, and the operations that arithmetic needs.

``[[1, 2], [3, 4]]`` and ``Matrix(2, 2, [1, 2, 3, 4])`` are both accepted; results are always
``Matrix(m, n, [row by row])``.  Entries may be symbolic: 0 and 1 are then simplified away, so that the product with an
identity matrix is the matrix. See docs/reference/kleis.md §8.8.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.builtins import exact_numbers
from kleis.builtins.row import Context, undefined, wrong_sort
from kleis.values import (
    Complex,
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

__all__ = [
    "Matrix",
    "entry_sum",
    "is_matrix",
    "matrix_product",
    "matrix_sum",
    "matrix_value",
    "product_of_entries",
    "read_matrix",
    "scale_matrix",
]


class Matrix:
    """A matrix as its rows.  All rows have `columns` entries."""

    __slots__ = ("columns", "rows")

    def __init__(self, rows: list[list[Value]], columns: int) -> None:
        self.rows = rows
        self.columns = columns


def is_matrix(value: Value) -> bool:
    """Whether a value that is a number or a matrix is a matrix."""
    return isinstance(value, (Data, ListValue))


def read_matrix(context: Context, value: Value) -> Matrix:
    """The rows of a matrix in either spelling."""
    if isinstance(value, Data):
        rows, columns, entries = value.fields
        if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(entries, ListValue)):
            raise undefined("a matrix whose size is not known")
        if rows < 0 or columns < 0 or rows * columns != len(entries):
            raise undefined(
                f"Matrix({rows}, {columns}, …) with {len(entries)} entries", "give rows * columns entries"
            )
        context.charge(len(entries))
        flat = entries.items()
        return Matrix([flat[row * columns : (row + 1) * columns] for row in range(rows)], columns)
    if not isinstance(value, ListValue):
        raise wrong_sort("no matrix", found=kind_name(value), expected="Matrix")
    read: list[list[Value]] = []
    for line in value:
        if not isinstance(line, ListValue):
            raise wrong_sort(
                "a matrix is a list of lists of equal length", found=kind_name(line), expected="a list"
            )
        context.charge(len(line) + 1)
        read.append(line.items())
    width = len(read[0]) if read else 0
    if any(len(line) != width for line in read):
        raise undefined("a matrix with rows of different lengths")
    return Matrix(read, width)


def matrix_value(context: Context, rows: Sequence[Sequence[Value]], columns: int | None = None) -> Data:
    """The value ``Matrix(m, n, […])`` with these rows."""
    width = len(rows[0]) if rows else columns or 0
    context.admit(len(rows) * width, "a matrix")
    return Data("Matrix", (len(rows), width, list_of(entry for line in rows for entry in line)))


def _is_exactly(value: Value, number: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == number


def entry_sum(context: Context, a: Value, b: Value) -> Value:
    """a + b, where either may be symbolic"""
    if _is_exactly(a, 0):
        return b
    if _is_exactly(b, 0):
        return a
    if isinstance(a, (Symbol, Stuck, Suspended)) or isinstance(b, (Symbol, Stuck, Suspended)):
        return Stuck("plus", (a, b), total=True)
    return exact_numbers.add(context, _entry(a), _entry(b))


def product_of_entries(context: Context, a: Value, b: Value) -> Value:
    """a * b, where either may be symbolic"""
    if _is_exactly(a, 1):
        return b
    if _is_exactly(b, 1):
        return a
    symbolic = isinstance(a, (Symbol, Stuck, Suspended)) or isinstance(b, (Symbol, Stuck, Suspended))
    if symbolic:
        zero = _is_exactly(a, 0) or _is_exactly(b, 0)
        return 0 if zero and _total(a) and _total(b) else Stuck("times", (a, b), total=True)
    return exact_numbers.multiply(context, _entry(a), _entry(b))


def _total(value: Value) -> bool:
    """Whether a value is defined whatever its unbound names stand for: 0 times ``1/x`` is not 0 at x = 0."""
    return not isinstance(value, (Stuck, Suspended))


def _entry(value: Value) -> exact_numbers.Numeric:
    if is_number(value) or isinstance(value, Complex):
        assert isinstance(value, exact_numbers.Numeric)
        return value
    raise wrong_sort("arithmetic needs numbers", found=kind_name(value), expected="ℂ")


def matrix_sum(context: Context, a: Value, b: Value) -> Data:
    """a + b"""
    left, right = _both(context, a, b)
    if len(left.rows) != len(right.rows) or left.columns != right.columns:
        raise undefined(f"the sum of matrices of sizes {_size(left)} and {_size(right)}")
    summed = [
        [entry_sum(context, x, y) for x, y in zip(one, other, strict=True)]
        for one, other in zip(left.rows, right.rows, strict=True)
    ]
    return matrix_value(context, summed, left.columns)


def matrix_product(context: Context, a: Value, b: Value) -> Data:
    """a * b"""
    left, right = _both(context, a, b)
    if left.columns != len(right.rows):
        raise undefined(
            f"the product of matrices of sizes {_size(left)} and {_size(right)}",
            "the left one needs as many columns as the right one has rows",
        )
    context.admit(len(left.rows) * right.columns, "a matrix")
    context.charge(len(left.rows) * left.columns * right.columns)
    columns = [[line[index] for line in right.rows] for index in range(right.columns)]
    product = [[_inner(context, line, column) for column in columns] for line in left.rows]
    return matrix_value(context, product, right.columns)


def _inner(context: Context, left: Sequence[Value], right: Sequence[Value]) -> Value:
    total: Value = 0
    for x, y in zip(left, right, strict=True):
        total = entry_sum(context, total, product_of_entries(context, x, y))
    return total


def scale_matrix(context: Context, factor: Value, matrix: Value) -> Data:
    """factor * matrix"""
    read = read_matrix(context, matrix)
    scaled = [[product_of_entries(context, factor, entry) for entry in line] for line in read.rows]
    return matrix_value(context, scaled, read.columns)


def _both(context: Context, a: Value, b: Value) -> tuple[Matrix, Matrix]:
    for value in (a, b):
        if not is_matrix(value):
            raise wrong_sort(
                "a matrix and a number cannot be added", found=kind_name(value), expected="Matrix"
            )
    return read_matrix(context, a), read_matrix(context, b)


def _size(matrix: Matrix) -> str:
    return f"{len(matrix.rows)} × {matrix.columns}"
