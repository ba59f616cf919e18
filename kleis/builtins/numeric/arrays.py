"""Values as arrays of doubles, and arrays as values.

A real matrix is a list of rows of equal length or ``Matrix(m, n, [entries row by row])``; a vector is a flat list, ``Vector(n,
[entries])`` or a matrix, read row by row; a complex matrix is a pair ``[Re, Im]`` of real matrices.  Exact entries are rounded to
the nearest double.  What comes out is a `Matrix`, a flat list, a number or ``complex(re, im)``.

Errors have code ``shape`` where the shape is wrong and code ``numeric`` where an entry is no double; entries that are not known yet
raise `Undecided`, so that the call stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from kleis.builtins.numeric.extra import (
    LARGEST_DIMENSION,
    numeric_error,
    numpy,
    shape_error,
)
from kleis.builtins.row import Context, Undecided
from kleis.values import (
    Complex,
    Data,
    ListValue,
    Number,
    Stuck,
    Suspended,
    Symbol,
    Value,
    is_number,
    kind_name,
    list_of,
)

__all__ = [
    "checked",
    "complex_array",
    "complex_number",
    "complex_pair",
    "described",
    "finite_number",
    "list_of_vectors",
    "matrix_of",
    "numbers_or_complex",
    "pair_parts",
    "real_matrix",
    "real_pair",
    "square_matrix",
    "vector",
    "vector_of",
]

_SYMBOLIC = (Symbol, Stuck, Suspended)
_PAIRS = frozenset({"Pair", "pair", "Tuple", "tuple"})


# ── Shapes in words ──────────────────────────────────────────────────────────────────────────────────────────


def described(value: Value) -> str:
    """What an argument is, with its shape, for messages."""
    if isinstance(value, Data) and value.constructor == "Matrix" and len(value.fields) == 3:
        rows, columns, entries = value.fields
        if isinstance(rows, int) and isinstance(columns, int) and isinstance(entries, ListValue):
            size = f"a {rows} × {columns} matrix"
            return size if len(entries) == rows * columns else f"{size} with {_counted(len(entries), 'entr')}"
    if not isinstance(value, ListValue):
        return kind_name(value)
    lengths = {len(line) if isinstance(line, ListValue) else -1 for line in value}
    if not lengths:
        return "an empty list"
    if lengths == {-1}:
        return f"a flat list of {_counted(len(value), 'entr')}"
    if len(lengths) == 1:
        return f"a {len(value)} × {lengths.pop()} matrix"
    if -1 in lengths:
        return "a list of rows and numbers"
    return f"a list of rows of lengths {', '.join(map(str, sorted(lengths)[:4]))}"


def _counted(count: int, stem: str) -> str:
    return f"{count} {stem}{'y' if count == 1 else 'ies'}"


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────


def real_matrix(context: Context, name: str, value: Value, what: str = "its argument") -> Any:
    """The array of a real matrix of at least one row and column."""
    rows, columns, flat = _entries(context, name, value, what)
    if max(rows, columns) > LARGEST_DIMENSION:
        raise numeric_error(
            f"{name}: {what} is {described(value)}; a matrix has at most {LARGEST_DIMENSION} rows and columns",
            "compute a smaller case",
        )
    return _doubles(context, name, flat).reshape(rows, columns)


def square_matrix(context: Context, name: str, value: Value, what: str = "its argument") -> Any:
    """The array of a square real matrix."""
    array = real_matrix(context, name, value, what)
    if array.shape[0] != array.shape[1]:
        raise shape_error(name, what, found=described(value), expected="a square matrix")
    return array


def _entries(context: Context, name: str, value: Value, what: str) -> tuple[int, int, list[Value]]:
    """The sizes and the entries of a matrix in either spelling."""
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    if isinstance(value, Data) and value.constructor == "Matrix" and len(value.fields) == 3:
        rows, columns, entries = value.fields
        if any(isinstance(each, _SYMBOLIC) for each in value.fields):
            raise Undecided
        fits = (
            isinstance(rows, int)
            and isinstance(columns, int)
            and isinstance(entries, ListValue)
            and rows > 0
            and columns > 0
            and rows * columns == len(entries)
        )
        if fits:
            assert isinstance(rows, int)
            assert isinstance(columns, int)
            assert isinstance(entries, ListValue)
            context.charge(len(entries))
            return rows, columns, entries.items()
    elif isinstance(value, ListValue) and len(value):
        lines = value.items()
        if any(isinstance(line, _SYMBOLIC) for line in lines):
            raise Undecided
        widths = {len(line) if isinstance(line, ListValue) else 0 for line in lines}
        if len(widths) == 1 and 0 not in widths:
            flat: list[Value] = []
            for line in lines:
                assert isinstance(line, ListValue)
                flat += line.items()
            context.charge(len(flat))
            return len(lines), widths.pop(), flat
    raise shape_error(name, what, found=described(value), expected="a matrix of at least one row and column")


def vector(context: Context, name: str, value: Value, what: str = "its argument") -> Any:
    """The array of a vector of at least one entry."""
    flat = _flat(context, value)
    if not flat:
        raise shape_error(name, what, found=described(value), expected="a list of numbers")
    return _doubles(context, name, flat)


def _flat(context: Context, value: Value) -> list[Value] | None:
    """The entries of a vector; None if it is none."""
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    entries: Value = value
    if isinstance(value, Data) and value.constructor in ("Matrix", "Vector") and len(value.fields) in (2, 3):
        entries = value.fields[-1]
    if not isinstance(entries, ListValue):
        return None
    flat = entries.items()
    if any(isinstance(each, ListValue) for each in flat):
        return None
    if isinstance(value, Data):
        sizes = value.fields[:-1]
        if any(isinstance(each, _SYMBOLIC) for each in sizes):
            raise Undecided
        count = 1
        for size in sizes:
            count *= size if isinstance(size, int) else -1
        if count != len(flat):
            return None
    context.charge(len(flat))
    return flat


def _doubles(context: Context, name: str, flat: Sequence[Value]) -> Any:
    library = numpy(name)
    kinds = set(map(type, flat))
    if not kinds <= {int, float}:
        flat = [_double(name, each) for each in flat]
    try:
        return library.array(flat, dtype=float)
    except OverflowError:
        raise _too_large(name) from None


def _double(name: str, entry: Value) -> float:
    if isinstance(entry, _SYMBOLIC):
        raise Undecided
    if not is_number(entry):
        raise shape_error(name, "an entry", found=kind_name(entry), expected="a real number")
    assert isinstance(entry, (int, float, Fraction))
    try:
        return float(entry)
    except OverflowError:
        raise _too_large(name) from None


def finite_number(name: str, value: Value, what: str) -> float:
    """A real number as a double."""
    if not isinstance(value, _SYMBOLIC) and not is_number(value):
        raise shape_error(name, what, found=described(value), expected="a real number")
    return _double(name, value)


def _too_large(name: str) -> Exception:
    return numeric_error(f"{name}: an entry is too large for a double", "scale the entries")


def complex_array(context: Context, name: str, value: Value) -> Any:
    """The array of a list of real or complex numbers, at least one."""
    flat = _flat(context, value)
    if not flat:
        raise shape_error(name, "its argument", found=described(value), expected="a list of numbers")
    if not any(isinstance(each, Complex) for each in flat):
        return _doubles(context, name, flat)
    real = [each.real if isinstance(each, Complex) else each for each in flat]
    imaginary: list[Value] = [each.imaginary if isinstance(each, Complex) else 0 for each in flat]
    return _doubles(context, name, real) + 1j * _doubles(context, name, imaginary)


def pair_parts(name: str, value: Value) -> tuple[Value, Value]:
    """The real and the imaginary part of a complex matrix."""
    if isinstance(value, _SYMBOLIC):
        raise Undecided
    if isinstance(value, ListValue) and len(value) == 2:
        return value[0], value[1]
    if isinstance(value, Data) and value.constructor in _PAIRS and len(value.fields) == 2:
        return value.fields[0], value.fields[1]
    raise shape_error(
        name, "a complex matrix", found=described(value), expected="a pair [Re, Im] of real matrices"
    )


def complex_pair(context: Context, name: str, value: Value) -> Any:
    """The complex array of a pair of real matrices of one size."""
    real_part, imaginary_part = pair_parts(name, value)
    real = real_matrix(context, name, real_part, "the real part")
    imaginary = real_matrix(context, name, imaginary_part, "the imaginary part")
    if real.shape != imaginary.shape:
        expected = f"a {real.shape[0]} × {real.shape[1]} matrix like the real part"
        raise shape_error(name, "the imaginary part", found=described(imaginary_part), expected=expected)
    return real + 1j * imaginary


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────

_NEGLIGIBLE = 1e-14
"""An imaginary part of at most this, relative to the largest number of a result, is rounding."""


def checked(name: str, array: Any) -> Any:
    """An array without infinities and NaN, and without negative zeros."""
    library = numpy(name)
    if not library.isfinite(array).all():
        raise numeric_error(f"{name}: the result is beyond the doubles", "scale the entries")
    return array + 0.0


def matrix_of(context: Context, name: str, array: Any) -> Data:
    """The value ``Matrix(m, n, […])`` of an array of two axes."""
    rows, columns = array.shape
    context.admit(rows * columns, "a matrix")
    return Data("Matrix", (rows, columns, list_of(checked(name, array).ravel().tolist())))


def vector_of(context: Context, name: str, array: Any) -> ListValue:
    """The flat list of an array of one axis."""
    context.admit(len(array), "a list")
    return list_of(checked(name, array).tolist())


def complex_number(number: complex) -> Complex:
    """``complex(re, im)``, also where the imaginary part is 0."""
    return Complex(number.real + 0.0, number.imag + 0.0)


def numbers_or_complex(context: Context, name: str, array: Any) -> ListValue:
    """The list of complex numbers, plain ones where the imaginary part is rounding."""
    context.admit(len(array), "a list")
    found = checked(name, array).tolist()
    bound = _NEGLIGIBLE * max((abs(each) for each in found), default=0.0)
    return list_of(_plain(each, bound) for each in found)


def _plain(number: complex | float, bound: float) -> Number | Complex:
    if isinstance(number, float):
        return number
    return number.real if abs(number.imag) <= bound else complex_number(number)


def real_pair(context: Context, name: str, array: Any) -> ListValue:
    """The pair [Re, Im] of a complex array of two axes."""
    return list_of([matrix_of(context, name, array.real), matrix_of(context, name, array.imag)])


def list_of_vectors(columns: Iterable[Iterable[complex]]) -> ListValue:
    """Columns as lists of ``complex(re, im)``."""
    return list_of(list_of(complex_number(entry) for entry in column) for column in columns)
