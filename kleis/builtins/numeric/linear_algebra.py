"""Real matrices: decompositions, equations, functions of a matrix.  See docs/reference/numerics.md §2.

Signs and order of eigenvectors, Schur vectors and Q are those of LAPACK and not fixed by mathematics: invariants hold (A·V =
V·Λ, Q·R = A, Uᵀ·U = I), entries may differ between versions.
"""

from __future__ import annotations

from typing import Any

from kleis.builtins.matrix_algebra import matrix_product, matrix_value, read_matrix
from kleis.builtins.numeric.arrays import (
    checked,
    described,
    list_of_vectors,
    matrix_of,
    numbers_or_complex,
    real_matrix,
    square_matrix,
    vector,
    vector_of,
)
from kleis.builtins.numeric.extra import charge_cubic, computing, numeric_error, numpy, scipy, shape_error
from kleis.builtins.row import Context
from kleis.values import Data, ListValue, Symbol, Value, list_of

__all__ = [
    "cholesky",
    "condition_number",
    "determinant",
    "determinant_of",
    "eigensystem",
    "eigenvalues",
    "exponential",
    "inverse",
    "matrix_power",
    "norm",
    "qr",
    "rank",
    "schur",
    "singular_value_decomposition",
    "singular_values",
    "solve",
    "solve_array",
]

_EPSILON = 2.0**-52


def eigenvalues(context: Context, a: Value) -> ListValue:
    """The eigenvalues in LAPACK's order, conjugates beside each other."""
    array = square_matrix(context, "eigenvalues", a)
    charge_cubic(context, len(array), 10)
    with computing("eigenvalues"):
        found = numpy("eigenvalues").linalg.eigvals(array)
    return numbers_or_complex(context, "eigenvalues", found)


def eigensystem(context: Context, a: Value) -> ListValue:
    """[values, vectors]: the k-th vector, a list of ``complex(re, im)`` of length 1, belongs to the k-th value."""
    array = square_matrix(context, "eig", a)
    charge_cubic(context, len(array), 25)
    context.admit(array.size, "a list")
    with computing("eig"):
        values, vectors = numpy("eig").linalg.eig(array)
    columns = checked("eig", vectors).T.astype(complex).tolist()
    return list_of([numbers_or_complex(context, "eig", values), list_of_vectors(columns)])


def singular_value_decomposition(context: Context, a: Value) -> ListValue:
    """[U, s, Vᵀ] with A = U·diag(s)·Vᵀ, all of U and Vᵀ."""
    array = real_matrix(context, "svd", a)
    charge_cubic(context, max(array.shape), 20)
    with computing("svd"):
        u, s, vt = numpy("svd").linalg.svd(array, full_matrices=True)
    return list_of(
        [matrix_of(context, "svd", u), vector_of(context, "svd", s), matrix_of(context, "svd", vt)]
    )


def singular_values(context: Context, a: Value) -> ListValue:
    """The singular values, descending."""
    array = real_matrix(context, "singular_values", a)
    charge_cubic(context, max(array.shape), 5)
    with computing("singular_values"):
        found = numpy("singular_values").linalg.svd(array, compute_uv=False)
    return vector_of(context, "singular_values", found)


def solve(context: Context, a: Value, b: Value) -> ListValue:
    """The x with A·x = b."""
    array = square_matrix(context, "solve", a, "the matrix")
    right = vector(context, "solve", b, "the right side")
    if len(right) != len(array):
        expected = f"a list of {len(array)} numbers, one for each row"
        raise shape_error("solve", "the right side", found=described(b), expected=expected)
    return vector_of(context, "solve", solve_array(context, "solve", array, right))


def solve_array(context: Context, name: str, array: Any, right: Any) -> Any:
    """The solution of a square system by LU; an error where the matrix is singular to working precision."""
    charge_cubic(context, len(array))
    library = numpy(name)
    with computing(name):
        lapack = scipy(name).lapack
        factor, solution, condition = (
            (lapack.zgetrf, lapack.zgetrs, lapack.zgecon)
            if library.iscomplexobj(array)
            else (lapack.dgetrf, lapack.dgetrs, lapack.dgecon)
        )
        lu, pivots, singular = factor(array)
        size = library.abs(array).sum(axis=0).max()
        reciprocal = 0.0 if singular or not library.isfinite(size) else condition(lu, size)[0]
        if not reciprocal >= _EPSILON:
            raise numeric_error(f"{name}: the matrix is singular to working precision")
        return solution(lu, pivots, right)[0]


def inverse(context: Context, a: Value) -> Data:
    """The inverse of a square matrix."""
    return _inverse(context, "inv", a)


def _inverse(context: Context, name: str, a: Value) -> Data:
    array = square_matrix(context, name, a)
    charge_cubic(context, len(array), 2)
    identity = numpy(name).eye(len(array))
    return matrix_of(context, name, solve_array(context, name, array, identity))


def qr(context: Context, a: Value) -> ListValue:
    """[Q, R], reduced: A = Q·R."""
    array = real_matrix(context, "qr", a)
    charge_cubic(context, max(array.shape), 3)
    with computing("qr"):
        q, r = numpy("qr").linalg.qr(array, mode="reduced")
    return list_of([matrix_of(context, "qr", q), matrix_of(context, "qr", r)])


def cholesky(context: Context, a: Value) -> Data:
    """The lower triangular L with A = L·Lᵀ."""
    array = square_matrix(context, "cholesky", a)
    charge_cubic(context, len(array))
    library = numpy("cholesky")
    with computing("cholesky"):
        if not library.allclose(array, array.T, rtol=1e-9, atol=0.0):
            raise numeric_error("cholesky: the matrix is not symmetric")
        lower = library.linalg.cholesky(array)
    return matrix_of(context, "cholesky", lower)


def rank(context: Context, a: Value) -> int:
    """The number of singular values above max(m, n)·s_max·2.2e-16: an integer that rests on doubles."""
    array = real_matrix(context, "rank", a)
    charge_cubic(context, max(array.shape), 5)
    with computing("rank"):
        found = int(numpy("rank").linalg.matrix_rank(array))
    context.approximate = True
    return found


def condition_number(context: Context, a: Value) -> Value:
    """s_max / s_min; the symbol Inf where s_min is 0."""
    array = real_matrix(context, "cond", a)
    charge_cubic(context, max(array.shape), 5)
    with computing("cond"):
        found = numpy("cond").linalg.svd(array, compute_uv=False)
        if found[-1] == 0:
            return Symbol("Inf")
        ratio = checked("cond", found[0] / found[-1])
    return float(ratio)


_KINDS = {
    "fro": "fro",
    "frobenius": "fro",
    "1": 1,
    "one": 1,
    "2": 2,
    "two": 2,
    "inf": "inf",
    "infinity": "inf",
    "Inf": "inf",
}


def norm(context: Context, a: Value, kind: Value = "fro") -> float:
    """The norm of a matrix or a flat list: Frobenius, 1 (columns), 2 (largest singular value) or ∞ (rows)."""
    spelled = kind.name if isinstance(kind, Symbol) else str(kind) if isinstance(kind, (int, str)) else ""
    known = _KINDS.get(spelled)
    if known is None:
        expected = '"fro", "1", "2" or "inf"'
        raise shape_error("norm", "the kind of norm", found=spelled or described(kind), expected=expected)
    library = numpy("norm")
    flat = isinstance(a, ListValue) and len(a) > 0 and not isinstance(a[0], ListValue)
    array = vector(context, "norm", a) if flat else real_matrix(context, "norm", a)
    if known == 2 and not flat:
        charge_cubic(context, max(array.shape), 5)
    order = {"inf": library.inf, "fro": None if flat else "fro"}.get(str(known), known)
    with computing("norm"):
        # Scaled, so that no square overflows or vanishes.
        largest = float(library.abs(array).max())
        found = largest * float(library.linalg.norm(array / largest, order)) if largest else 0.0
    return float(checked("norm", found))


def determinant(context: Context, a: Value) -> float:
    """The determinant by LU."""
    array = square_matrix(context, "det_lapack", a)
    return float(checked("det_lapack", determinant_of(context, "det_lapack", array)))


def determinant_of(context: Context, name: str, array: Any) -> Any:
    """The determinant of an array: the pivots' product, its sign that of the exchanges."""
    charge_cubic(context, len(array))
    library = numpy(name)
    with computing(name):
        lapack = scipy(name).lapack
        factor = lapack.zgetrf if library.iscomplexobj(array) else lapack.dgetrf
        lu, pivots, _ = factor(array)
        exchanges = int((pivots != library.arange(len(array))).sum())
        return (-1) ** exchanges * library.prod(lu.diagonal())


def schur(context: Context, a: Value) -> ListValue:
    """[U, T, eigenvalues] with A = U·T·Uᵀ, T quasi-triangular; the eigenvalues are those of T's diagonal, in its order."""
    array = square_matrix(context, "schur", a)
    charge_cubic(context, len(array), 25)
    with computing("schur"):
        t, u = scipy("schur").schur(array, output="real")
        values = _diagonal_eigenvalues(t)
    return list_of(
        [
            matrix_of(context, "schur", u),
            matrix_of(context, "schur", t),
            numbers_or_complex(context, "schur", values),
        ]
    )


def _diagonal_eigenvalues(t: Any) -> Any:
    """The eigenvalues of a quasi-triangular matrix, block by block."""
    library = numpy("schur")
    values: list[complex] = []
    place = 0
    while place < len(t):
        if place + 1 < len(t) and t[place + 1, place]:
            values += library.linalg.eigvals(t[place : place + 2, place : place + 2]).tolist()
            place += 2
        else:
            values.append(complex(t[place, place]))
            place += 1
    return library.array(values)


def exponential(context: Context, a: Value) -> Data:
    """e to the power A, by scaling and squaring."""
    array = square_matrix(context, "expm", a)
    charge_cubic(context, len(array), 30)
    with computing("expm"):
        found = scipy("expm").expm(array)
    return matrix_of(context, "expm", found)


def matrix_power(context: Context, a: Value, k: int) -> Value:
    """A to the power k: exact where k ≥ 0 and the entries are exact, by the inverse where k < 0."""
    if k < 0:
        return matrix_power(context, _inverse(context, "mpow", a), -k)
    base: Value = a
    size = _exact_size(context, a)
    if not k:
        return matrix_value(context, [[int(i == j) for j in range(size)] for i in range(size)], size)
    result: Value | None = None
    remaining = k
    while remaining:
        if remaining & 1:
            result = base if result is None else matrix_product(context, result, base)
        remaining >>= 1
        if remaining:
            base = matrix_product(context, base, base)
    assert result is not None
    read = read_matrix(context, result)
    return matrix_value(context, read.rows, read.columns)


def _exact_size(context: Context, a: Value) -> int:
    """The size of a square matrix whose entries may be anything."""
    if not isinstance(a, (Data, ListValue)):
        raise shape_error("mpow", "its argument", found=described(a), expected="a square matrix")
    read = read_matrix(context, a)
    if not read.rows or len(read.rows) != read.columns:
        raise shape_error("mpow", "its argument", found=described(a), expected="a square matrix")
    return read.columns
