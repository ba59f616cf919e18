"""Complex matrices as pairs [Re, Im] of real matrices.

Sums, products and the other structural operations are exact where the entries are, and entries may be symbolic; decompositions are
those of A + iB itself, so that a spectrum has n values.  See docs/reference/numerics.md §3.
"""

from __future__ import annotations

from typing import Any

from kleis.builtins.matrix_algebra import (
    Matrix,
    entry_sum,
    matrix_product,
    matrix_sum,
    matrix_value,
    read_matrix,
    scale_matrix,
)
from kleis.builtins.numeric.arrays import (
    checked,
    complex_pair,
    described,
    list_of_vectors,
    numbers_or_complex,
    pair_parts,
    real_pair,
    vector_of,
)
from kleis.builtins.numeric.extra import charge_cubic, computing, numeric_error, numpy, scipy, shape_error
from kleis.builtins.numeric.linear_algebra import determinant_of, solve_array
from kleis.builtins.row import Context, Undecided
from kleis.values import Data, ListValue, Stuck, Suspended, Symbol, Value, list_of

__all__ = [
    "adjoint",
    "complexified",
    "condition_number",
    "conjugate",
    "determinant",
    "difference",
    "eigensystem",
    "eigenvalues",
    "exponential",
    "frobenius_norm",
    "from_imaginary",
    "from_real",
    "identity",
    "imaginary_part",
    "inverse",
    "matrix_power",
    "product",
    "qr",
    "rank",
    "real_part",
    "realified",
    "scaled",
    "schur",
    "singular_value_decomposition",
    "singular_values",
    "solve",
    "sum_of",
    "trace",
    "transpose",
    "zero",
]


# ── Structure: exact ─────────────────────────────────────────────────────────────────────────────────────────


def _read(context: Context, name: str, value: Value) -> Matrix:
    """A real matrix of any entries."""
    if isinstance(value, (Symbol, Stuck, Suspended)):
        raise Undecided
    is_one = isinstance(value, ListValue) or (
        isinstance(value, Data) and value.constructor == "Matrix" and len(value.fields) == 3
    )
    if not is_one:
        raise shape_error(name, "a part", found=described(value), expected="a real matrix")
    return read_matrix(context, value)


def _parts(context: Context, name: str, c: Value) -> tuple[Data, Data]:
    """The parts of a complex matrix, of one size."""
    read = [_read(context, name, part) for part in pair_parts(name, c)]
    sizes = [(len(each.rows), each.columns) for each in read]
    if sizes[0] != sizes[1]:
        found = f"a {sizes[1][0]} × {sizes[1][1]} matrix"
        expected = f"a {sizes[0][0]} × {sizes[0][1]} matrix like the real part"
        raise shape_error(name, "the imaginary part", found=found, expected=expected)
    real, imaginary = (matrix_value(context, each.rows, each.columns) for each in read)
    return real, imaginary


def _zeros(context: Context, rows: int, columns: int) -> Data:
    context.admit(rows * columns, "a matrix")
    return matrix_value(context, [[0] * columns for _ in range(rows)], columns)


def zero(context: Context, rows: int, columns: int) -> ListValue:
    """The zero matrix."""
    return list_of([_zeros(context, rows, columns), _zeros(context, rows, columns)])


def identity(context: Context, size: int) -> ListValue:
    """The identity matrix."""
    context.admit(size * size, "a matrix")
    lines = [[int(i == j) for j in range(size)] for i in range(size)]
    return list_of([matrix_value(context, lines, size), _zeros(context, size, size)])


def from_real(context: Context, a: Value) -> ListValue:
    """[A, 0]"""
    read = _read(context, "cmat_from_real", a)
    return list_of(
        [matrix_value(context, read.rows, read.columns), _zeros(context, len(read.rows), read.columns)]
    )


def from_imaginary(context: Context, b: Value) -> ListValue:
    """[0, B]"""
    read = _read(context, "cmat_from_imag", b)
    return list_of(
        [_zeros(context, len(read.rows), read.columns), matrix_value(context, read.rows, read.columns)]
    )


def real_part(context: Context, c: Value) -> Data:
    """Re C"""
    return _parts(context, "cmat_real", c)[0]


def imaginary_part(context: Context, c: Value) -> Data:
    """Im C"""
    return _parts(context, "cmat_imag", c)[1]


def _minus(context: Context, a: Value, b: Value) -> Data:
    return matrix_sum(context, a, scale_matrix(context, -1, b))


def sum_of(context: Context, c: Value, d: Value) -> ListValue:
    """C + D"""
    (a, b), (e, f) = _parts(context, "cmat_add", c), _parts(context, "cmat_add", d)
    return list_of([matrix_sum(context, a, e), matrix_sum(context, b, f)])


def difference(context: Context, c: Value, d: Value) -> ListValue:
    """C − D"""
    (a, b), (e, f) = _parts(context, "cmat_sub", c), _parts(context, "cmat_sub", d)
    return list_of([_minus(context, a, e), _minus(context, b, f)])


def product(context: Context, c: Value, d: Value) -> ListValue:
    """C·D = (AE − BF) + i(AF + BE)"""
    return _product(context, _parts(context, "cmat_mul", c), _parts(context, "cmat_mul", d))


def _product(context: Context, c: tuple[Data, Data], d: tuple[Data, Data]) -> ListValue:
    (a, b), (e, f) = c, d
    real = _minus(context, matrix_product(context, a, e), matrix_product(context, b, f))
    imaginary = matrix_sum(context, matrix_product(context, a, f), matrix_product(context, b, e))
    return list_of([real, imaginary])


def conjugate(context: Context, c: Value) -> ListValue:
    """A − iB"""
    a, b = _parts(context, "cmat_conj", c)
    return list_of([a, scale_matrix(context, -1, b)])


def transpose(context: Context, c: Value) -> ListValue:
    """Rows and columns exchanged."""
    return list_of([_turned(context, part) for part in _parts(context, "cmat_transpose", c)])


def adjoint(context: Context, c: Value) -> ListValue:
    """The conjugate transpose."""
    a, b = _parts(context, "cmat_dagger", c)
    return list_of([_turned(context, a), scale_matrix(context, -1, _turned(context, b))])


def _turned(context: Context, part: Data) -> Data:
    read = read_matrix(context, part)
    turned = [[line[column] for line in read.rows] for column in range(read.columns)]
    return matrix_value(context, turned, len(read.rows))


def trace(context: Context, c: Value) -> ListValue:
    """[re, im] of the sum of the diagonal."""
    sums: list[Value] = []
    for part in _parts(context, "cmat_trace", c):
        read = _square(context, "cmat_trace", part)
        total: Value = 0
        for place, line in enumerate(read.rows):
            total = entry_sum(context, total, line[place])
        sums.append(total)
    return list_of(sums)


def _square(context: Context, name: str, part: Data) -> Matrix:
    read = read_matrix(context, part)
    if len(read.rows) != read.columns:
        raise shape_error(name, "its argument", found=described(part), expected="a square matrix")
    return read


def scaled(context: Context, factor: Value, c: Value) -> ListValue:
    """r·C for a real r"""
    return list_of([scale_matrix(context, factor, part) for part in _parts(context, "cmat_scale_real", c)])


def realified(context: Context, c: Value) -> Data:
    """The real matrix of rows (A, −B) and (B, A), twice as large."""
    a, b = (_square(context, "realify", part) for part in _parts(context, "realify", c))
    minus = read_matrix(context, scale_matrix(context, -1, matrix_value(context, b.rows, b.columns)))
    upper = [left + right for left, right in zip(a.rows, minus.rows, strict=True)]
    lower = [left + right for left, right in zip(b.rows, a.rows, strict=True)]
    return matrix_value(context, upper + lower, 2 * a.columns)


def complexified(context: Context, m: Value) -> ListValue:
    """[upper left block, lower left block] of a real matrix of even size."""
    read = _read(context, "complexify", m)
    if len(read.rows) != read.columns or read.columns % 2 or not read.rows:
        expected = "a square matrix of even size"
        raise shape_error("complexify", "its argument", found=described(m), expected=expected)
    half = read.columns // 2
    blocks = (read.rows[:half], read.rows[half:])
    return list_of(matrix_value(context, [line[:half] for line in block], half) for block in blocks)


# ── Decompositions: in doubles ───────────────────────────────────────────────────────────────────────────────


def _array(context: Context, name: str, c: Value, weight: int, *, square: bool = True) -> Any:
    array = complex_pair(context, name, c)
    if square and array.shape[0] != array.shape[1]:
        found = f"a {array.shape[0]} × {array.shape[1]} matrix"
        raise shape_error(name, "its argument", found=found, expected="a square matrix")
    charge_cubic(context, max(array.shape), 4 * weight)
    return array


def eigenvalues(context: Context, c: Value) -> ListValue:
    """The n eigenvalues of A + iB."""
    name = "cmat_eigenvalues"
    array = _array(context, name, c, 5)
    with computing(name):
        found = numpy(name).linalg.eigvals(array)
    return numbers_or_complex(context, name, found)


def eigensystem(context: Context, c: Value) -> ListValue:
    """[values, vectors]: n values and n columns, each a list of n ``complex(re, im)``."""
    name = "cmat_eig"
    array = _array(context, name, c, 10)
    context.admit(array.size, "a list")
    with computing(name):
        values, vectors = numpy(name).linalg.eig(array)
    columns = checked(name, vectors).T.tolist()
    return list_of([numbers_or_complex(context, name, values), list_of_vectors(columns)])


def schur(context: Context, c: Value) -> ListValue:
    """[U, T, eigenvalues]: C = U·T·U†, T upper triangular, its diagonal the eigenvalues."""
    name = "cmat_schur"
    array = _array(context, name, c, 10)
    with computing(name):
        t, u = scipy(name).schur(array, output="complex")
    values = numbers_or_complex(context, name, t.diagonal().copy())
    return list_of([real_pair(context, name, u), real_pair(context, name, t), values])


def singular_value_decomposition(context: Context, c: Value) -> ListValue:
    """[U, s, V†] with C = U·diag(s)·V†; s is real."""
    name = "cmat_svd"
    array = _array(context, name, c, 8, square=False)
    with computing(name):
        u, s, vh = numpy(name).linalg.svd(array, full_matrices=True)
    return list_of([real_pair(context, name, u), vector_of(context, name, s), real_pair(context, name, vh)])


def singular_values(context: Context, c: Value) -> ListValue:
    """The singular values, descending."""
    name = "cmat_singular_values"
    return vector_of(context, name, _singular_values(context, name, c))


def _singular_values(context: Context, name: str, c: Value) -> Any:
    array = _array(context, name, c, 3, square=False)
    with computing(name):
        return checked(name, numpy(name).linalg.svd(array, compute_uv=False))


def qr(context: Context, c: Value) -> ListValue:
    """[Q, R], reduced."""
    array = _array(context, "cmat_qr", c, 2, square=False)
    with computing("cmat_qr"):
        q, r = numpy("cmat_qr").linalg.qr(array, mode="reduced")
    return list_of([real_pair(context, "cmat_qr", q), real_pair(context, "cmat_qr", r)])


def solve(context: Context, c: Value, d: Value) -> ListValue:
    """The X with C·X = D."""
    name = "cmat_solve"
    array = _array(context, name, c, 1)
    right = complex_pair(context, name, d)
    if len(right) != len(array):
        found = f"a {right.shape[0]} × {right.shape[1]} matrix"
        raise shape_error(name, "the right side", found=found, expected=f"a matrix of {len(array)} rows")
    return real_pair(context, name, solve_array(context, name, array, right))


def inverse(context: Context, c: Value) -> ListValue:
    """The inverse of a square matrix."""
    return _inverse(context, "cmat_inv", c)


def _inverse(context: Context, name: str, c: Value) -> ListValue:
    array = _array(context, name, c, 1)
    return real_pair(
        context, name, solve_array(context, name, array, numpy(name).eye(len(array), dtype=complex))
    )


def exponential(context: Context, c: Value) -> ListValue:
    """e to the power C."""
    array = _array(context, "cmat_expm", c, 15)
    with computing("cmat_expm"):
        found = scipy("cmat_expm").expm(array)
    return real_pair(context, "cmat_expm", found)


def rank(context: Context, c: Value) -> int:
    """The number of singular values above rounding."""
    array = _array(context, "cmat_rank", c, 3, square=False)
    with computing("cmat_rank"):
        found = int(numpy("cmat_rank").linalg.matrix_rank(array))
    context.approximate = True
    return found


def condition_number(context: Context, c: Value) -> Value:
    """s_max / s_min; the symbol Inf where s_min is 0."""
    found = _singular_values(context, "cmat_cond", c)
    if found[-1] == 0:
        return Symbol("Inf")
    with computing("cmat_cond"):
        return float(checked("cmat_cond", found[0] / found[-1]))


def frobenius_norm(context: Context, c: Value) -> float:
    """√Σ|c_ij|²"""
    array = _array(context, "cmat_norm", c, 1, square=False)
    library = numpy("cmat_norm")
    with computing("cmat_norm"):
        largest = float(max(library.abs(array.real).max(), library.abs(array.imag).max()))
        found = largest * float(library.linalg.norm(array / largest)) if largest else 0.0
    return float(checked("cmat_norm", found))


def determinant(context: Context, c: Value) -> ListValue:
    """[re, im] of the determinant."""
    array = _array(context, "cmat_det", c, 1)
    found = complex(checked("cmat_det", determinant_of(context, "cmat_det", array)))
    return list_of([found.real, found.imag])


def matrix_power(context: Context, c: Value, k: int) -> ListValue:
    """C to the power k: exact where k ≥ 0 and the entries are exact, by the inverse where k < 0."""
    if k < 0:
        return matrix_power(context, _inverse(context, "cmat_mpow", c), -k)
    base = _parts(context, "cmat_mpow", c)
    size = _square(context, "cmat_mpow", base[0]).columns
    if not size:
        raise numeric_error("cmat_mpow: the matrix is empty")
    result = identity(context, size)
    remaining = k
    while remaining:
        if remaining & 1:
            result = _product(context, _parts(context, "cmat_mpow", result), base)
        remaining >>= 1
        if remaining:
            base = _parts(context, "cmat_mpow", _product(context, base, base))
    return result
