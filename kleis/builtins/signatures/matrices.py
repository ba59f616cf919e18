"""Signatures of matrices, and of the arithmetic that works on matrices too.


Sizes are part of a sort.  A signature is computed from the sizes of the arguments, so that they agree in every call
that has one: conditions about agreement (``nrows(m) = nrows(n)``) are never left.  Sizes given by arguments
(``zeros(2, 3)``) must be literals.  What arguments may be, kleis/builtins/signatures/shapes.py says.

Elements may be of any sort where nothing is computed with them; zeros and ones are natural numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kleis import core
from kleis.builtins.row import Builtin
from kleis.builtins.signatures.scalars import alike
from kleis.builtins.signatures.shapes import (
    NUMBERS,
    Argument,
    Matrix,
    Rule,
    Signature,
    Waiting,
    common_number,
    constant,
    fixed,
    is_open,
    larger,
    matrix_of,
    number_of,
    plus_sizes,
    shape,
    size_text,
)

__all__ = ["MATRIX_RULES"]

_Answer: TypeAlias = "tuple[Signature, ...] | Waiting"

_ELEMENTS = Waiting("the sort of the elements")
_MATRIX = Waiting("the size of the matrix")


def _one(
    row: Builtin, parameters: tuple[core.Sort, ...], result: core.Sort, condition: str | None = None
) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=parameters, result=result, incomplete=True, condition=condition),)


def _taken(*arguments: Argument) -> list[Matrix] | Waiting | None:
    """All these arguments as matrices; None if one is none."""
    found = [matrix_of(each) for each in arguments]
    if all(found):
        return [each for each in found if each is not None]
    waits = all(
        matrix is not None or is_open(each.sort) for matrix, each in zip(found, arguments, strict=True)
    )
    return _MATRIX if waits else None


# ── Arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────


def _sum(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """Sums and differences: one of the matrices may still be unknown, it is like the other."""
    found = [matrix_of(each) for each in arguments]
    known = [each for each in found if each is not None]
    if any(matrix is None and not is_open(each.sort) for matrix, each in zip(found, arguments, strict=True)):
        return ()
    if not known:
        return _MATRIX
    if any((each.rows, each.columns) != (known[0].rows, known[0].columns) for each in known):
        return ()
    if all(is_open(each.element) for each in known):
        return _ELEMENTS
    least = core.INTEGER if row.name in ("minus", "matrix_sub", "negate") else core.NATURAL
    element = common_number(*(each.element for each in known), least=least)
    if element is None:
        return ()
    result = core.MatrixOf(known[0].rows, known[0].columns, element)
    parameters = tuple(result if each is None else each.parameter(element) for each in found)
    return _one(row, parameters, result)


def _product(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """The product of two matrices, or of a number and a matrix."""
    left, right = map(matrix_of, arguments)
    if left is not None and right is not None:
        if left.columns != right.rows:
            return ()
        if is_open(left.element) and is_open(right.element):
            return _ELEMENTS
        element = common_number(left.element, right.element, least=core.NATURAL)
        if element is None:
            return ()
        parameters = (left.parameter(element), right.parameter(element))
        return _one(row, parameters, core.MatrixOf(left.rows, right.columns, element))
    matrix = left or right
    other = arguments[0 if left is None else 1].sort
    if matrix is None or is_open(other):
        return _MATRIX if is_open(other) else ()
    scaled = _scaled(matrix, other)
    if scaled is None or isinstance(scaled, Waiting):
        return scaled or ()
    factor, parameter, result = scaled
    return _one(row, (parameter, factor) if right is None else (factor, parameter), result)


def _scaled(
    matrix: Matrix, factor: core.Sort | None
) -> tuple[core.Sort, core.Sort, core.Sort] | Waiting | None:
    if is_open(matrix.element) and is_open(factor):
        return _ELEMENTS
    element = common_number(matrix.element, factor, least=core.NATURAL)
    if element is None:
        return None
    return element, matrix.parameter(element), core.MatrixOf(matrix.rows, matrix.columns, element)


def _multiple(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """`scalar_matrix_mul`"""
    matrix = matrix_of(arguments[1])
    if matrix is None:
        return _MATRIX if is_open(arguments[1].sort) else ()
    scaled = _scaled(matrix, arguments[0].sort)
    if scaled is None or isinstance(scaled, Waiting):
        return scaled or ()
    factor, parameter, result = scaled
    return _one(row, (factor, parameter), result)


def _also_of_numbers(numbers: Rule, matrices: Rule) -> Rule:
    """A row for numbers that takes matrices too: the first matrix among the arguments decides."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        chosen = matrices if any(matrix_of(each) for each in arguments) else numbers
        return chosen(row, arguments)

    return rule


# ── Making matrices ──────────────────────────────────────────────────────────────────────────────────────────


def _filled(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """`eye`, `zeros` and `ones`: sizes are literals; one size makes a square."""
    sizes = [each.literal for each in arguments if isinstance(each.literal, int) and each.literal >= 0]
    if len(sizes) < len(arguments):
        return ()
    result = core.MatrixOf(constant(sizes[0]), constant(sizes[-1]), core.NATURAL)
    return _one(row, (core.INTEGER,) * len(arguments), result)


def _from_entries(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
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


def _diagonal(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """`diag_matrix`: the length of the list is the size, so it must be written."""
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


def _of_one(result: Callable[[Matrix], core.Sort | None]) -> Rule:
    """An operation on one matrix that always has a value where `result` says of what sort."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        taken = _taken(*arguments)
        if taken is None or isinstance(taken, Waiting):
            return taken or ()
        (matrix,) = taken
        found = result(matrix)
        if found is None:
            return _ELEMENTS if is_open(matrix.element) else ()
        return _one(row, (matrix.parameter(matrix.element),), found)

    return rule


def _same(matrix: Matrix) -> core.Sort:
    return core.MatrixOf(matrix.rows, matrix.columns, matrix.element)


def _transposed(matrix: Matrix) -> core.Sort:
    return core.MatrixOf(matrix.columns, matrix.rows, matrix.element)


def _conjugate_transposed(matrix: Matrix) -> core.Sort | None:
    return _transposed(matrix) if isinstance(matrix.element, core.Numeric) else None


def _trace(matrix: Matrix) -> core.Sort | None:
    square = matrix.rows == matrix.columns
    return matrix.element if square and isinstance(matrix.element, core.Numeric) else None


def _determinant(matrix: Matrix) -> core.Sort | None:
    element = _trace(matrix)
    return None if element is None else larger(element, core.INTEGER)


def _row_index(matrix: Matrix) -> str:
    return f"0 ≤ i ∧ i < {size_text(matrix.rows, 'nrows(m)')}"


def _column_index(matrix: Matrix) -> str:
    return f"0 ≤ j ∧ j < {size_text(matrix.columns, 'ncols(m)')}"


def _both_indexes(matrix: Matrix) -> str:
    return f"{_row_index(matrix)} ∧ {_column_index(matrix)}"


_INDEXES: Mapping[str, tuple[int, Callable[[Matrix], str]]] = {
    "matrix_get": (2, _both_indexes),
    "matrix_row": (1, _row_index),
    "matrix_col": (1, _column_index),
}


def _part(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """An entry, a row or a column."""
    taken = _taken(arguments[0])
    if taken is None or isinstance(taken, Waiting):
        return taken or ()
    (matrix,) = taken
    count, condition = _INDEXES[row.name]
    result = matrix.element if count == 2 else core.ListOf(matrix.element)
    parameters = (matrix.parameter(matrix.element), *(core.INTEGER,) * count)
    return _one(row, parameters, result, condition(matrix))


# ── Changing a matrix ────────────────────────────────────────────────────────────────────────────────────────


def _joined(matrix: Matrix, given: core.Sort | None) -> core.Sort | None:
    """The sort of the elements of a matrix into which values of another sort go."""
    if given is None or isinstance(given, core.SortVariable):
        return matrix.element
    return given if is_open(matrix.element) else larger(matrix.element, given)


def _element_of(entries: core.Sort | None) -> core.Sort | None:
    return entries.element if isinstance(entries, core.ListOf) else None


def _with_entry(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    taken = _taken(arguments[0])
    if taken is None or isinstance(taken, Waiting):
        return taken or ()
    (matrix,) = taken
    element = _joined(matrix, arguments[3].sort)
    if element is None:
        return ()
    parameters = (matrix.parameter(element), core.INTEGER, core.INTEGER, element)
    return _one(row, parameters, core.MatrixOf(matrix.rows, matrix.columns, element), _both_indexes(matrix))


def _lengths(row: Builtin, matrix: Matrix) -> str:
    """How many entries there must be."""
    by_rows, by_columns = size_text(matrix.rows, "nrows(m)"), size_text(matrix.columns, "ncols(m)")
    match row.name:
        case "set_row":
            return f"{_row_index(matrix)} ∧ length(entries) = {by_columns}"
        case "set_col":
            return f"{_column_index(matrix)} ∧ length(entries) = {by_rows}"
        case "set_diag":
            return f"length(entries) = {_diagonal_length(matrix, by_rows, by_columns)}"
        case "prepend_row" | "append_row":
            return f"length(entries) = {by_columns}"
        case _:
            return f"length(entries) = {by_rows}"


def _diagonal_length(matrix: Matrix, by_rows: str, by_columns: str) -> str:
    rows, columns = number_of(matrix.rows), number_of(matrix.columns)
    if rows is not None and columns is not None:
        return str(min(rows, columns))
    return by_rows if matrix.rows == matrix.columns else f"min({by_rows}, {by_columns})"


_ONE_MORE: Mapping[str, tuple[int, int]] = {
    "prepend_row": (1, 0),
    "append_row": (1, 0),
    "prepend_col": (0, 1),
    "append_col": (0, 1),
}


def _with_entries(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
    """A row, column or diagonal set or added."""
    names = [each.name for each in row.parameters]
    at_matrix, at_entries = names.index("m"), names.index("entries")
    taken, entries = _taken(arguments[at_matrix]), arguments[at_entries].sort
    if taken is None or isinstance(taken, Waiting):
        return taken or ()
    if not is_open(entries) and not isinstance(entries, core.ListOf):
        return ()
    (matrix,) = taken
    element = _joined(matrix, _element_of(entries))
    if element is None:
        return ()
    parameters: list[core.Sort] = [core.INTEGER] * len(arguments)
    parameters[at_matrix], parameters[at_entries] = matrix.parameter(element), core.ListOf(element)
    more_rows, more_columns = _ONE_MORE.get(row.name, (0, 0))
    rows = plus_sizes(matrix.rows, constant(more_rows))
    result = core.MatrixOf(rows, plus_sizes(matrix.columns, constant(more_columns)), element)
    return _one(row, tuple(parameters), result, _lengths(row, matrix))


# ── Putting matrices together ────────────────────────────────────────────────────────────────────────────────


def _blocks(compose: Callable[..., tuple[core.Dimension, core.Dimension] | None]) -> Rule:
    """Matrices side by side; `compose` gives the size of the whole, None where the sizes do not agree."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> _Answer:
        taken = _taken(*arguments)
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


def _above(upper: Matrix, lower: Matrix) -> tuple[core.Dimension, core.Dimension] | None:
    if upper.columns != lower.columns:
        return None
    return plus_sizes(upper.rows, lower.rows), upper.columns


def _beside(left: Matrix, right: Matrix) -> tuple[core.Dimension, core.Dimension] | None:
    if left.rows != right.rows:
        return None
    return left.rows, plus_sizes(left.columns, right.columns)


def _four(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> tuple[core.Dimension, core.Dimension] | None:
    upper, lower = _beside(a, b), _beside(c, d)
    if upper is None or lower is None:
        return None
    return _above(Matrix(*upper, core.NATURAL), Matrix(*lower, core.NATURAL))


_LIST = core.ListOf(core.SortVariable("a"))
_SUM_OF_NUMBERS = fixed(*alike(NUMBERS, 2))
_SIGNED = NUMBERS[1:]

MATRIX_RULES: Mapping[str, Rule] = {
    "plus": _also_of_numbers(_SUM_OF_NUMBERS, _sum),
    "minus": _also_of_numbers(fixed(*alike(_SIGNED, 2)), _sum),
    "negate": _also_of_numbers(fixed(*alike(_SIGNED, 1)), _sum),
    "times": _also_of_numbers(_SUM_OF_NUMBERS, _product),
    "multiply": _also_of_numbers(_SUM_OF_NUMBERS, _product),
    "matrix_add": _sum,
    "matrix_sub": _sum,
    "scalar_matrix_mul": _multiple,
    "Matrix": _from_entries,
    "matrix": _of_one(_same),
    "eye": _filled,
    "zeros": _filled,
    "ones": _filled,
    "diag_matrix": _diagonal,
    "transpose": _of_one(_transposed),
    "dagger": _of_one(_conjugate_transposed),
    "trace": _of_one(_trace),
    "det": _of_one(_determinant),
    "size": _of_one(lambda matrix: core.ListOf(core.NATURAL)),
    "nrows": _of_one(lambda matrix: core.NATURAL),
    "ncols": _of_one(lambda matrix: core.NATURAL),
    "matrix_diag": _of_one(lambda matrix: core.ListOf(matrix.element)),
    "matrix_get": _part,
    "matrix_row": _part,
    "matrix_col": _part,
    "set_element": _with_entry,
    **dict.fromkeys(
        ("set_row", "set_col", "set_diag", "prepend_row", "append_row", "prepend_col", "append_col"),
        _with_entries,
    ),
    "vstack": _blocks(_above),
    "hstack": _blocks(_beside),
    "assemble_matrix": _blocks(_four),
    "assemble_vector": fixed(shape(_LIST, _LIST, _LIST), incomplete=True),
}
"""By the names of the rows."""
