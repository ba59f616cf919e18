"""Tier T9: concrete matrices.  Indexes start at 0; every operation gives a new matrix.

See docs/reference/kleis.md §8.8.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeGuard

from kleis import core
from kleis.builtins import exact_numbers, matrix_shapes
from kleis.builtins.matrix_algebra import (
    Matrix,
    entry_sum,
    matrix_product,
    matrix_sum,
    matrix_value,
    product_of_entries,
    read_matrix,
    scale_matrix,
)
from kleis.builtins.matrix_shapes import (
    blocks,
    column_count,
    column_index,
    diagonal_length,
    of_one_matrix,
    row_count,
    row_index,
    with_entries,
)
from kleis.builtins.row import Builtin, Context, row, undefined
from kleis.builtins.shapes import NUMBERS, alike, fixed, larger, shape
from kleis.values import Complex, Data, ListValue, Stuck, Suspended, Symbol, Value, complex_value, list_of

__all__ = ["MATRICES"]

_SQUARE = "nrows(m) = ncols(m)"
_SAME_SIZE = "nrows(m) = nrows(n) ∧ ncols(m) = ncols(n)"


def _matrix(
    context: Context, value: Value, columns: int | None = None, entries: ListValue | None = None
) -> Data:
    if columns is None or entries is None:
        read = read_matrix(context, value)
        return matrix_value(context, read.rows, read.columns)
    return matrix_value(
        context, read_matrix(context, Data("Matrix", (value, columns, entries))).rows, columns
    )


def _filled(context: Context, rows: int, columns: int, value: int) -> Data:
    if rows < 0 or columns < 0:
        raise undefined("a matrix of negative size")
    context.admit(rows * columns, "a matrix")
    return matrix_value(context, [[value] * columns for _ in range(rows)], columns)


def _zeros(context: Context, rows: int, columns: int | None = None) -> Data:
    return _filled(context, rows, rows if columns is None else columns, 0)


def _ones(context: Context, rows: int, columns: int | None = None) -> Data:
    return _filled(context, rows, rows if columns is None else columns, 1)


def _diagonal_matrix(context: Context, entries: ListValue) -> Data:
    size = len(entries)
    context.admit(size * size, "a matrix")
    return matrix_value(
        context, [[entries[i] if i == j else 0 for j in range(size)] for i in range(size)], size
    )


def _identity(context: Context, size: int) -> Data:
    if size < 0:
        raise undefined("a matrix of negative size")
    context.admit(size * size, "a matrix")
    return _diagonal_matrix(context, list_of([1] * size))


def _difference(context: Context, m: Value, n: Value) -> Data:
    return matrix_sum(context, m, scale_matrix(context, -1, n))


def _multiply(context: Context, a: Value, b: Value) -> Value:
    if isinstance(a, (Data, ListValue)) and isinstance(b, (Data, ListValue)):
        return matrix_product(context, a, b)
    if isinstance(a, (Data, ListValue)):
        return scale_matrix(context, b, a)
    if isinstance(b, (Data, ListValue)):
        return scale_matrix(context, a, b)
    assert isinstance(a, exact_numbers.Numeric)
    assert isinstance(b, exact_numbers.Numeric)
    return exact_numbers.multiply(context, a, b)


def _transpose(context: Context, m: Value) -> Data:
    read = read_matrix(context, m)
    turned = [[line[column] for line in read.rows] for column in range(read.columns)]
    return matrix_value(context, turned, len(read.rows))


def _dagger(context: Context, m: Value) -> Data:
    read = read_matrix(context, _transpose(context, m))
    conjugated: list[list[Value]] = []
    for line in read.rows:
        entries: list[Value] = []
        for entry in line:
            if isinstance(entry, (Symbol, Stuck, Suspended)):
                entries.append(Stuck("conj", (entry,), total=True))
            elif isinstance(entry, Complex):
                entries.append(complex_value(entry.real, exact_numbers.negate_real(entry.imaginary)))
            else:
                entries.append(entry)
        conjugated.append(entries)
    return matrix_value(context, conjugated, read.columns)


def _square(context: Context, m: Value, what: str) -> Matrix:
    read = read_matrix(context, m)
    if len(read.rows) != read.columns:
        raise undefined(f"the {what} of a matrix that is not square")
    return read


def _trace(context: Context, m: Value) -> Value:
    total: Value = 0
    for index, line in enumerate(_square(context, m, "trace").rows):
        total = entry_sum(context, total, line[index])
    return total


def _determinant(context: Context, m: Value) -> Value:
    """Elimination where all entries are exact numbers, else cofactors, which need no division."""
    read = _square(context, m, "determinant")
    exact = [[entry for entry in line if _is_exact(entry)] for line in read.rows]
    if all(len(line) == read.columns for line in exact):
        return _eliminated(context, [[Fraction(entry) for entry in line] for line in exact])
    return _by_cofactors(context, read)


def _is_exact(entry: Value) -> TypeGuard[int | Fraction]:
    return isinstance(entry, (int, Fraction)) and not isinstance(entry, bool)


def _eliminated(context: Context, rows: list[list[Fraction]]) -> int | Fraction:
    """The determinant of exact numbers: cubic in their number, a step for each that is changed."""
    determinant = Fraction(1)
    for column in range(len(rows)):
        pivot = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if pivot is None:
            return 0
        if pivot != column:
            rows[column], rows[pivot] = rows[pivot], rows[column]
            determinant = -determinant
        leading = rows[column]
        determinant *= leading[column]
        for i in range(column + 1, len(rows)):
            context.charge(1 + len(rows) - column)
            factor = rows[i][column] / leading[column]
            if factor:
                rows[i] = [entry - factor * above for entry, above in zip(rows[i], leading, strict=True)]
    return determinant.numerator if determinant.denominator == 1 else determinant


def _by_cofactors(context: Context, read: Matrix) -> Value:
    """Expansion by columns, minors remembered: it needs no division, so entries may be symbolic."""
    minors: dict[frozenset[int], Value] = {frozenset(): 1}
    rows = range(read.columns)
    for column in range(read.columns - 1, -1, -1):
        grown: dict[frozenset[int], Value] = {}
        for chosen, minor in minors.items():
            for index in rows:
                if index in chosen:
                    continue
                context.charge(4)
                # The sign of a cofactor: how many of the rows below come before this one.
                before = sum(other < index for other in chosen)
                term = product_of_entries(context, read.rows[index][column], minor)
                signed = product_of_entries(context, -1, term) if before % 2 else term
                key = chosen | {index}
                grown[key] = entry_sum(context, grown.get(key, 0), signed)
        minors = grown
    return minors[frozenset(rows)]


def _size(context: Context, m: Value) -> ListValue:
    read = read_matrix(context, m)
    return list_of([len(read.rows), read.columns])


def _row_count(context: Context, m: Value) -> int:
    return len(read_matrix(context, m).rows)


def _column_count(context: Context, m: Value) -> int:
    return read_matrix(context, m).columns


def _inside(matrix: Matrix, i: int | None = None, j: int | None = None) -> None:
    for index, limit, what in ((i, len(matrix.rows), "row"), (j, matrix.columns, "column")):
        if index is not None and not 0 <= index < limit:
            raise undefined(f"{what} {index} of a matrix with {limit}", "indexes start at 0")


def _get(context: Context, m: Value, i: int, j: int) -> Value:
    read = read_matrix(context, m)
    _inside(read, i, j)
    return read.rows[i][j]


def _row(context: Context, m: Value, i: int) -> ListValue:
    read = read_matrix(context, m)
    _inside(read, i)
    return list_of(read.rows[i])


def _column(context: Context, m: Value, j: int) -> ListValue:
    read = read_matrix(context, m)
    _inside(read, None, j)
    return list_of(line[j] for line in read.rows)


def _diagonal(context: Context, m: Value) -> ListValue:
    read = read_matrix(context, m)
    return list_of(read.rows[i][i] for i in range(min(len(read.rows), read.columns)))


def _set(context: Context, m: Value, i: int, j: int, value: Value) -> Data:
    read = read_matrix(context, m)
    _inside(read, i, j)
    read.rows[i][j] = value
    return matrix_value(context, read.rows, read.columns)


def _set_row(context: Context, m: Value, i: int, entries: ListValue) -> Data:
    read = read_matrix(context, m)
    _inside(read, i)
    read.rows[i] = _fitting(entries, read.columns)
    return matrix_value(context, read.rows, read.columns)


def _set_column(context: Context, m: Value, j: int, entries: ListValue) -> Data:
    read = read_matrix(context, m)
    _inside(read, None, j)
    for line, entry in zip(read.rows, _fitting(entries, len(read.rows)), strict=True):
        line[j] = entry
    return matrix_value(context, read.rows, read.columns)


def _set_diagonal(context: Context, m: Value, entries: ListValue) -> Data:
    read = read_matrix(context, m)
    for i, entry in enumerate(_fitting(entries, min(len(read.rows), read.columns))):
        read.rows[i][i] = entry
    return matrix_value(context, read.rows, read.columns)


def _fitting(entries: ListValue, count: int) -> list[Value]:
    if len(entries) != count:
        raise undefined(f"{len(entries)} entries where {count} are needed")
    return entries.items()


def _stack(context: Context, m: Value, n: Value) -> Data:
    upper, lower = read_matrix(context, m), read_matrix(context, n)
    if upper.columns != lower.columns:
        raise undefined("matrices of different widths on top of each other")
    return matrix_value(context, upper.rows + lower.rows, upper.columns)


def _beside(context: Context, m: Value, n: Value) -> Data:
    left, right = read_matrix(context, m), read_matrix(context, n)
    if len(left.rows) != len(right.rows):
        raise undefined("matrices of different heights beside each other")
    joined = [one + other for one, other in zip(left.rows, right.rows, strict=True)]
    return matrix_value(context, joined, left.columns + right.columns)


def _prepend_row(context: Context, entries: ListValue, m: Value) -> Data:
    return _stack(context, list_of([entries]), m)


def _append_row(context: Context, m: Value, entries: ListValue) -> Data:
    return _stack(context, m, list_of([entries]))


def _prepend_column(context: Context, entries: ListValue, m: Value) -> Data:
    return _beside(context, list_of(list_of([entry]) for entry in entries), m)


def _append_column(context: Context, m: Value, entries: ListValue) -> Data:
    return _beside(context, m, list_of(list_of([entry]) for entry in entries))


def _assemble_matrix(context: Context, a: Value, b: Value, c: Value, d: Value) -> Data:
    return _stack(context, _beside(context, a, b), _beside(context, c, d))


def _assemble_vector(context: Context, upper: ListValue, lower: ListValue) -> ListValue:
    context.admit(len(upper) + len(lower), "a vector")
    return list_of([*upper, *lower])


_VECTOR = core.ListOf(core.SortVariable("a"))


def _same_sort(m: matrix_shapes.Matrix) -> core.Sort:
    return core.MatrixOf(m.rows, m.columns, m.element)


def _transposed_sort(m: matrix_shapes.Matrix) -> core.Sort:
    return core.MatrixOf(m.columns, m.rows, m.element)


def _conjugate_transposed_sort(m: matrix_shapes.Matrix) -> core.Sort | None:
    return _transposed_sort(m) if isinstance(m.element, core.Numeric) else None


def _trace_sort(m: matrix_shapes.Matrix) -> core.Sort | None:
    return m.element if m.rows == m.columns and isinstance(m.element, core.Numeric) else None


def _determinant_sort(m: matrix_shapes.Matrix) -> core.Sort | None:
    element = _trace_sort(m)
    return None if element is None else larger(element, core.INTEGER)


_M = "[[1, 2], [3, 4]]"

MATRICES: tuple[Builtin, ...] = (
    row("Matrix(rows : Any, columns : ℤ, entries : List) : Matrix", matrix_shapes.from_entries, _matrix,
        "A matrix from its entries, row by row.", ("Matrix(2, 1, [5, 6])", "matrix([[5], [6]])"),
        ("Matrix(2, 2, [1])", "undefined"), tier="T9",
        condition="rows ≥ 0 ∧ columns ≥ 0 ∧ rows * columns = length(entries)"),
    row("matrix(rows : Matrix) : Matrix", of_one_matrix(_same_sort), _matrix, "A matrix from its rows.",
        (f"matrix({_M})", "Matrix(2, 2, [1, 2, 3, 4])"), tier="T9"),
    row("eye(size : ℤ) : Matrix", matrix_shapes.filled, _identity, "The identity matrix.",
        ("eye(2)", "matrix([[1, 0], [0, 1]])"), ("eye(0 - 1)", "undefined"), tier="T9", aliases="identity",
        condition="size ≥ 0"),
    row("zeros(rows : ℤ, columns : ℤ?) : Matrix", matrix_shapes.filled, _zeros,
        "A matrix of zeros; square where one size is given.", ("zeros(1, 2)", "matrix([[0, 0]])"),
        ("zeros(0 - 1, 1)", "undefined"), tier="T9", condition="rows ≥ 0 ∧ columns ≥ 0"),
    row("ones(rows : ℤ, columns : ℤ?) : Matrix", matrix_shapes.filled, _ones,
        "A matrix of ones; square where one size is given.", ("ones(2)", "matrix([[1, 1], [1, 1]])"), tier="T9",
        condition="rows ≥ 0 ∧ columns ≥ 0"),
    row("diag_matrix(entries : List) : Matrix", matrix_shapes.diagonal_matrix, _diagonal_matrix,
        "The square matrix with that diagonal.", ("diag_matrix([1, 2])", "matrix([[1, 0], [0, 2]])"), tier="T9",
        aliases="diagonal"),
    row("matrix_add(m : Matrix, n : Matrix) : Matrix", matrix_shapes.sum_of(core.NATURAL), matrix_sum, "m + n",
        (f"matrix_add({_M}, eye(2))", "matrix([[2, 2], [3, 5]])"), (f"matrix_add({_M}, eye(3))", "undefined"),
        tier="T9", condition=_SAME_SIZE),
    row("matrix_sub(m : Matrix, n : Matrix) : Matrix", matrix_shapes.sum_of(core.INTEGER), _difference, "m - n",
        (f"matrix_sub({_M}, {_M})", "zeros(2)"), tier="T9", condition=_SAME_SIZE),
    row("multiply(a : ℂ|Matrix, b : ℂ|Matrix) : ℂ or Matrix",
        matrix_shapes.numbers_or_matrices(fixed(*alike(NUMBERS, 2)), matrix_shapes.product), _multiply,
        "The product of matrices or numbers.", (f"multiply({_M}, {_M})", "matrix([[7, 10], [15, 22]])"),
        ("multiply(2, 3)", "6"), tier="T9", aliases="matmul builtin_matrix_mul matrix_mul"),
    row("scalar_matrix_mul(factor : ℂ, m : Matrix) : Matrix", matrix_shapes.scaled, scale_matrix, "factor * m",
        (f"scalar_matrix_mul(2, {_M})", "matrix([[2, 4], [6, 8]])"), tier="T9"),
    row("transpose(m : Matrix) : Matrix", of_one_matrix(_transposed_sort), _transpose,
        "Rows and columns exchanged; postfix ᵀ.", ("transpose([[1, 2]])", "matrix([[1], [2]])"), tier="T9"),
    row("dagger(m : Matrix) : Matrix", of_one_matrix(_conjugate_transposed_sort), _dagger,
        "The conjugate transpose; postfix †.", ("dagger([[complex(0, 1)]])", "matrix([[complex(0, 0 - 1)]])"),
        tier="T9"),
    row("trace(m : Matrix) : ℂ", of_one_matrix(_trace_sort), _trace, "The sum of the diagonal.", (f"trace({_M})", "5"),
        ("trace([[1, 2]])", "undefined"), tier="T9", condition=_SQUARE),
    row("det(m : Matrix) : ℂ", of_one_matrix(_determinant_sort), _determinant, "The determinant, exact.",
        (f"det({_M})", "0 - 2"), ("det([[0, 1, 2], [1, 0, 3], [4, 0 - 3, 8]])", "0 - 2"),
        ("det([[1, 2]])", "undefined"), tier="T9", condition=_SQUARE),
    row("size(m : Matrix) : List", of_one_matrix(lambda m: core.ListOf(core.NATURAL)), _size, "[rows, columns]",
        ("size([[1, 2]])", "[1, 2]"), tier="T9", aliases="shape dims"),
    row("nrows(m : Matrix) : ℕ", of_one_matrix(lambda m: core.NATURAL), _row_count, "The number of rows.",
        ("nrows([[1, 2]])", "1"), tier="T9", aliases="num_rows"),
    row("ncols(m : Matrix) : ℕ", of_one_matrix(lambda m: core.NATURAL), _column_count, "The number of columns.",
        ("ncols([[1, 2]])", "2"), tier="T9", aliases="num_cols"),
    row("matrix_get(m : Matrix, i : ℤ, j : ℤ) : ℂ",
        matrix_shapes.part(lambda element: element, row_index, column_index), _get, "The entry in row i, column j.",
        (f"matrix_get({_M}, 1, 0)", "3"), (f"matrix_get({_M}, 2, 0)", "undefined"), tier="T9", aliases="element",
        condition="0 ≤ i ∧ i < nrows(m) ∧ 0 ≤ j ∧ j < ncols(m)"),
    row("matrix_row(m : Matrix, i : ℤ) : List", matrix_shapes.part(core.ListOf, row_index), _row, "Row i.",
        (f"row({_M}, 1)", "[3, 4]"), tier="T9", aliases="row", condition="0 ≤ i ∧ i < nrows(m)"),
    row("matrix_col(m : Matrix, j : ℤ) : List", matrix_shapes.part(core.ListOf, column_index), _column, "Column j.",
        (f"col({_M}, 1)", "[2, 4]"), tier="T9", aliases="col", condition="0 ≤ j ∧ j < ncols(m)"),
    row("matrix_diag(m : Matrix) : List", of_one_matrix(lambda m: core.ListOf(m.element)), _diagonal, "The diagonal.",
        (f"diag({_M})", "[1, 4]"), tier="T9", aliases="diag"),
    row("set_element(m : Matrix, i : ℤ, j : ℤ, a : Any) : Matrix", matrix_shapes.with_entry, _set,
        "The matrix with a in row i, column j.", (f"set_element({_M}, 0, 0, 9)", "matrix([[9, 2], [3, 4]])"),
        tier="T9", aliases="set", condition="0 ≤ i ∧ i < nrows(m) ∧ 0 ≤ j ∧ j < ncols(m)"),
    row("set_row(m : Matrix, i : ℤ, entries : List) : Matrix", with_entries(column_count, row_index), _set_row,
        "The matrix with another row i.", (f"set_row({_M}, 0, [8, 9])", "matrix([[8, 9], [3, 4]])"), tier="T9",
        condition="0 ≤ i ∧ i < nrows(m) ∧ length(entries) = ncols(m)"),
    row("set_col(m : Matrix, j : ℤ, entries : List) : Matrix", with_entries(row_count, column_index), _set_column,
        "The matrix with another column j.", (f"set_col({_M}, 0, [8, 9])", "matrix([[8, 2], [9, 4]])"), tier="T9",
        condition="0 ≤ j ∧ j < ncols(m) ∧ length(entries) = nrows(m)"),
    row("set_diag(m : Matrix, entries : List) : Matrix", with_entries(diagonal_length), _set_diagonal,
        "The matrix with another diagonal.", (f"set_diag({_M}, [8, 9])", "matrix([[8, 2], [3, 9]])"), tier="T9",
        condition="length(entries) = min(nrows(m), ncols(m))"),
    row("vstack(m : Matrix, n : Matrix) : Matrix", blocks(matrix_shapes.on_top), _stack, "m on top of n.",
        ("vstack([[1]], [[2]])", "matrix([[1], [2]])"), tier="T9", aliases="append_rows",
        condition="ncols(m) = ncols(n)"),
    row("hstack(m : Matrix, n : Matrix) : Matrix", blocks(matrix_shapes.beside), _beside, "n to the right of m.",
        ("hstack([[1]], [[2]])", "matrix([[1, 2]])"), tier="T9", aliases="append_cols",
        condition="nrows(m) = nrows(n)"),
    row("prepend_row(entries : List, m : Matrix) : Matrix", with_entries(column_count, more_rows=1), _prepend_row,
        "A row on top.", ("prepend_row([1], [[2]])", "matrix([[1], [2]])"), tier="T9",
        condition="length(entries) = ncols(m)"),
    row("append_row(m : Matrix, entries : List) : Matrix", with_entries(column_count, more_rows=1), _append_row,
        "A row at the bottom.", ("append_row([[2]], [1])", "matrix([[2], [1]])"), tier="T9",
        condition="length(entries) = ncols(m)"),
    row("prepend_col(entries : List, m : Matrix) : Matrix", with_entries(row_count, more_columns=1), _prepend_column,
        "A column on the left.", ("prepend_col([1], [[2]])", "matrix([[1, 2]])"), tier="T9",
        condition="length(entries) = nrows(m)"),
    row("append_col(m : Matrix, entries : List) : Matrix", with_entries(row_count, more_columns=1), _append_column,
        "A column on the right.", ("append_col([[2]], [1])", "matrix([[2, 1]])"), tier="T9",
        condition="length(entries) = nrows(m)"),
    row("assemble_matrix(a : Matrix, b : Matrix, c : Matrix, d : Matrix) : Matrix", blocks(matrix_shapes.four_blocks),
        _assemble_matrix, "The matrix of four blocks, a and b above c and d.",
        ("assemble_matrix([[1]], [[2]], [[3]], [[4]])", f"matrix({_M})"), tier="T9",
        condition="nrows(a) = nrows(b) ∧ nrows(c) = nrows(d) ∧ ncols(a) + ncols(b) = ncols(c) + ncols(d)"),
    row("assemble_vector(a : List, b : List) : List", fixed(shape(_VECTOR, _VECTOR, _VECTOR), incomplete=True),
        _assemble_vector, "The entries of a, then those of b.", ("assemble_vector([1], [2])", "[1, 2]"), tier="T9"),
)  # fmt: skip
