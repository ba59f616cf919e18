"""Signatures of operations on matrices, and of the arithmetic that works on matrices too.

Sizes are part of a sort.  A signature is computed from the sizes of the arguments, so that they agree in every call
that has one: conditions about agreement (``nrows(m) = nrows(n)``) are never left.  Sizes given by arguments
(``zeros(2, 3)``) must be literals.

A matrix is a value of a sort `MatrixOf`, or a list literal of list literals of one length.  Any other list of lists is
none: its sizes are not known.  Two sizes agree if they are equal polynomials, so ``n`` and ``m`` do not.

Elements may be of any sort where nothing is computed with them; zeros and ones are natural numbers.  Solvers only
approximate matrices, so every signature is incomplete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.builtins.row import Argument, Builtin, Rule, Signature, Waiting
from kleis.builtins.shapes import common_number, is_open, larger

__all__ = [
    "Matrix",
    "beside",
    "blocks",
    "column_count",
    "column_index",
    "constant",
    "diagonal_length",
    "diagonal_matrix",
    "filled",
    "four_blocks",
    "from_entries",
    "matrix_of",
    "number_of",
    "numbers_or_matrices",
    "of_one_matrix",
    "on_top",
    "part",
    "plus_sizes",
    "product",
    "row_count",
    "row_index",
    "scaled",
    "size_text",
    "sum_of",
    "with_entries",
    "with_entry",
]

_Answer: TypeAlias = "tuple[Signature, ...] | Waiting"

_ELEMENTS = Waiting("the sort of the elements")
_MATRIX = Waiting("the size of the matrix")


class Matrix(msgspec.Struct, frozen=True):
    """An argument as a matrix; `written` says that it is a list literal."""

    rows: core.Dimension
    columns: core.Dimension
    element: core.Sort
    written: bool = False

    def parameter(self, element: core.Sort) -> core.Sort:
        """The sort of a parameter for this argument, with other elements."""
        return (
            core.ListOf(core.ListOf(element))
            if self.written
            else core.MatrixOf(self.rows, self.columns, element)
        )


def matrix_of(argument: Argument) -> Matrix | None:
    """The argument as a matrix; None if it is none, or not known to be one."""
    match argument:
        case Argument(sort=core.MatrixOf(rows=rows, columns=columns, element=element)):
            return Matrix(rows, columns, element)
        case Argument(
            sort=core.ListOf(element=core.ListOf(element=element)), shape=(int(rows), int(columns))
        ) if rows:
            return Matrix(constant(rows), constant(columns), element, written=True)
        case _:
            return None


def _matrices(*arguments: Argument) -> list[Matrix] | Waiting | None:
    """All these arguments as matrices; None if one is none."""
    found = [matrix_of(each) for each in arguments]
    if all(found):
        return [each for each in found if each is not None]
    waits = all(
        matrix is not None or is_open(each.sort) for matrix, each in zip(found, arguments, strict=True)
    )
    return _MATRIX if waits else None


def _one(
    row: Builtin, parameters: tuple[core.Sort, ...], result: core.Sort, condition: str | None = None
) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=parameters, result=result, incomplete=True, condition=condition),)


# ── Sizes ────────────────────────────────────────────────────────────────────────────────────────────────────


def constant(size: int) -> core.Dimension:
    """A size that is a number."""
    return core.Dimension((((), size),) if size else ())


def number_of(size: core.Dimension) -> int | None:
    """The number that a size is; None if it has names in it."""
    match size.terms:
        case ():
            return 0
        case (((), number),):
            return number
        case _:
            return None


def plus_sizes(a: core.Dimension, b: core.Dimension) -> core.Dimension:
    """The sum of two sizes; the number comes last, as in ``n + 1``."""
    total: dict[tuple[str, ...], int] = {}
    for atoms, coefficient in (*a.terms, *b.terms):
        total[atoms] = total.get(atoms, 0) + coefficient
    kept = [(atoms, coefficient) for atoms, coefficient in total.items() if coefficient]
    return core.Dimension(tuple(sorted(kept, key=lambda monomial: (not monomial[0], monomial[0]))))


def size_text(size: core.Dimension, otherwise: str) -> str:
    """A size in a condition: its number, else the operation that gives it."""
    number = number_of(size)
    return otherwise if number is None else str(number)


def row_count(matrix: Matrix) -> str:
    """The number of rows of the parameter `m` in a condition."""
    return size_text(matrix.rows, "nrows(m)")


def column_count(matrix: Matrix) -> str:
    """The number of columns of the parameter `m` in a condition."""
    return size_text(matrix.columns, "ncols(m)")


def diagonal_length(matrix: Matrix) -> str:
    """The length of the diagonal of the parameter `m` in a condition."""
    rows, columns = number_of(matrix.rows), number_of(matrix.columns)
    if rows is not None and columns is not None:
        return str(min(rows, columns))
    by_rows, by_columns = row_count(matrix), column_count(matrix)
    return by_rows if matrix.rows == matrix.columns else f"min({by_rows}, {by_columns})"


def row_index(matrix: Matrix) -> str:
    """The condition that `i` is a row of `m`."""
    return f"0 ≤ i ∧ i < {row_count(matrix)}"


def column_index(matrix: Matrix) -> str:
    """The condition that `j` is a column of `m`."""
    return f"0 ≤ j ∧ j < {column_count(matrix)}"


# ── Arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────


def sum_of(least: core.Numeric) -> Rule:
    """Sums and differences, with elements of sort `least` or larger; a matrix that is not known yet is like the other."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        found = [matrix_of(each) for each in arguments]
        known = [each for each in found if each is not None]
        if any(
            matrix is None and not is_open(each.sort) for matrix, each in zip(found, arguments, strict=True)
        ):
            return ()
        if not known:
            return _MATRIX
        if any((each.rows, each.columns) != (known[0].rows, known[0].columns) for each in known):
            return ()
        if all(is_open(each.element) for each in known):
            return _ELEMENTS
        element = common_number(*(each.element for each in known), least=least)
        if element is None:
            return ()
        result = core.MatrixOf(known[0].rows, known[0].columns, element)
        parameters = tuple(result if each is None else each.parameter(element) for each in found)
        return _one(row, parameters, result)

    return rule


def product(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """The product of two matrices, or of a number and a matrix in either order."""
    left, right = map(matrix_of, arguments)
    if left is None or right is None:
        matrix, factor = (left, arguments[1].sort) if right is None else (right, arguments[0].sort)
        if matrix is None or is_open(factor):
            return _MATRIX if is_open(factor) else ()
        return _scaled(row, matrix, factor, matrix_first=right is None)
    if left.columns != right.rows:
        return ()
    if is_open(left.element) and is_open(right.element):
        return _ELEMENTS
    element = common_number(left.element, right.element, least=core.NATURAL)
    if element is None:
        return ()
    parameters = (left.parameter(element), right.parameter(element))
    return _one(row, parameters, core.MatrixOf(left.rows, right.columns, element))


def scaled(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """The product of a number and a matrix; the number may be unknown."""
    matrix = matrix_of(arguments[1])
    if matrix is None:
        return _MATRIX if is_open(arguments[1].sort) else ()
    return _scaled(row, matrix, arguments[0].sort, matrix_first=False)


def _scaled(row: Builtin, matrix: Matrix, factor: core.Sort | None, *, matrix_first: bool) -> _Answer:
    if is_open(matrix.element) and is_open(factor):
        return _ELEMENTS
    element = common_number(matrix.element, factor, least=core.NATURAL)
    if element is None:
        return ()
    parameter = matrix.parameter(element)
    parameters = (parameter, element) if matrix_first else (element, parameter)
    return _one(row, parameters, core.MatrixOf(matrix.rows, matrix.columns, element))


def numbers_or_matrices(numbers: Rule, matrices: Rule) -> Rule:
    """An operation on numbers that takes matrices too: a matrix among the arguments decides."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        chosen = matrices if any(matrix_of(each) for each in arguments) else numbers
        return chosen(row, arguments)

    return rule


# ── Making matrices ──────────────────────────────────────────────────────────────────────────────────────────


def filled(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """A matrix of zeros and ones: sizes are literals; one size makes a square."""
    sizes = [each.literal for each in arguments if isinstance(each.literal, int) and each.literal >= 0]
    if len(sizes) < len(arguments):
        return ()
    result = core.MatrixOf(constant(sizes[0]), constant(sizes[-1]), core.NATURAL)
    return _one(row, (core.INTEGER,) * len(arguments), result)


def from_entries(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """``Matrix(2, 1, [x, y])``"""
    rows, columns, entries = arguments[0].literal, arguments[1].literal, arguments[2].sort
    if not (isinstance(rows, int) and isinstance(columns, int) and rows >= 0 and columns >= 0):
        return ()
    if is_open(entries):
        return _ELEMENTS
    if not isinstance(entries, core.ListOf):
        return ()
    result = core.MatrixOf(constant(rows), constant(columns), entries.element)
    return _one(row, (core.INTEGER, core.INTEGER, entries), result, f"length(entries) = {rows * columns}")


def diagonal_matrix(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """A square matrix from its diagonal: the length of the list is the size, so it must be written."""
    (entries,) = arguments
    if not isinstance(entries.sort, core.ListOf) or not entries.shape:
        return ()
    element = entries.sort.element
    if is_open(element):
        return _ELEMENTS
    if not isinstance(element, core.Numeric):
        return ()
    size = constant(entries.shape[0])
    return _one(row, (entries.sort,), core.MatrixOf(size, size, element))


# ── Of one matrix ────────────────────────────────────────────────────────────────────────────────────────────


def of_one_matrix(result: Callable[[Matrix], core.Sort | None]) -> Rule:
    """An operation on one matrix that always has a value where `result` says of what sort."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        taken = _matrices(*arguments)
        if taken is None or isinstance(taken, Waiting):
            return taken or ()
        (matrix,) = taken
        found = result(matrix)
        if found is None:
            return _ELEMENTS if is_open(matrix.element) else ()
        return _one(row, (matrix.parameter(matrix.element),), found)

    return rule


def part(result: Callable[[core.Sort], core.Sort], *indexes: Callable[[Matrix], str]) -> Rule:
    """An entry, a row or a column: its sort from that of the elements, and the condition of each index."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        taken = _matrices(arguments[0])
        if taken is None or isinstance(taken, Waiting):
            return taken or ()
        (matrix,) = taken
        parameters = (matrix.parameter(matrix.element), *(core.INTEGER,) * len(indexes))
        condition = " ∧ ".join(index(matrix) for index in indexes)
        return _one(row, parameters, result(matrix.element), condition)

    return rule


# ── Changing a matrix ────────────────────────────────────────────────────────────────────────────────────────


def _joined(matrix: Matrix, given: core.Sort | None) -> core.Sort | None:
    """The sort of the elements of a matrix into which values of another sort go."""
    if given is None or isinstance(given, core.SortVariable):
        return matrix.element
    return given if is_open(matrix.element) else larger(matrix.element, given)


def with_entry(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """The matrix `m` with another entry in row `i`, column `j`."""
    taken = _matrices(arguments[0])
    if taken is None or isinstance(taken, Waiting):
        return taken or ()
    (matrix,) = taken
    element = _joined(matrix, arguments[3].sort)
    if element is None:
        return ()
    parameters = (matrix.parameter(element), core.INTEGER, core.INTEGER, element)
    condition = f"{row_index(matrix)} ∧ {column_index(matrix)}"
    return _one(row, parameters, core.MatrixOf(matrix.rows, matrix.columns, element), condition)


def with_entries(
    count: Callable[[Matrix], str],
    index: Callable[[Matrix], str] | None = None,
    *,
    more_rows: int = 0,
    more_columns: int = 0,
) -> Rule:
    """The matrix `m` with the list `entries` as a row, column or diagonal.

    `count` is the text of how many entries there must be, `index` the condition of the index if there is one.
    """

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        names = [each.name for each in row.parameters]
        at_matrix, at_entries = names.index("m"), names.index("entries")
        taken, entries = _matrices(arguments[at_matrix]), arguments[at_entries].sort
        if taken is None or isinstance(taken, Waiting):
            return taken or ()
        if not is_open(entries) and not isinstance(entries, core.ListOf):
            return ()
        (matrix,) = taken
        element = _joined(matrix, entries.element if isinstance(entries, core.ListOf) else None)
        if element is None:
            return ()
        parameters: list[core.Sort] = [core.INTEGER] * len(arguments)
        parameters[at_matrix], parameters[at_entries] = matrix.parameter(element), core.ListOf(element)
        rows = plus_sizes(matrix.rows, constant(more_rows))
        result = core.MatrixOf(rows, plus_sizes(matrix.columns, constant(more_columns)), element)
        fits = f"length(entries) = {count(matrix)}"
        return _one(row, tuple(parameters), result, f"{index(matrix)} ∧ {fits}" if index else fits)

    return rule


# ── Joining matrices ─────────────────────────────────────────────────────────────────────────────────────────

Size: TypeAlias = tuple[core.Dimension, core.Dimension]


def blocks(compose: Callable[..., Size | None]) -> Rule:
    """Matrices joined to one; `compose` gives the size of the whole, None where the sizes do not agree."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        taken = _matrices(*arguments)
        if taken is None or isinstance(taken, Waiting):
            return taken or ()
        size = compose(*taken)
        known = [each.element for each in taken if not is_open(each.element)]
        element: core.Sort | None = known[0] if known else taken[0].element
        for each in known:
            element = None if element is None else larger(element, each)
        if size is None or element is None:
            return ()
        parameters = tuple(each.parameter(element) for each in taken)
        return _one(row, parameters, core.MatrixOf(*size, element))

    return rule


def on_top(upper: Matrix, lower: Matrix) -> Size | None:
    """The size of one matrix on top of another."""
    if upper.columns != lower.columns:
        return None
    return plus_sizes(upper.rows, lower.rows), upper.columns


def beside(left: Matrix, right: Matrix) -> Size | None:
    """The size of two matrices side by side."""
    if left.rows != right.rows:
        return None
    return left.rows, plus_sizes(left.columns, right.columns)


def four_blocks(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Size | None:
    """The size of a matrix of four blocks, a and b above c and d."""
    upper, lower = beside(a, b), beside(c, d)
    if upper is None or lower is None:
        return None
    return on_top(Matrix(*upper, core.NATURAL), Matrix(*lower, core.NATURAL))
