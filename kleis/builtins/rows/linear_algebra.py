"""Tier T10: real matrices in doubles, and matrices as pairs [Re, Im].  See docs/reference/numerics.md §2, §3.

No row has a signature: a double is no value of a proposition.
"""

from __future__ import annotations

from kleis.builtins.numeric import complex_matrices, control, linear_algebra
from kleis.builtins.row import Builtin, Untyped, row

__all__ = ["COMPLEX_MATRICES", "IN_DOUBLES", "REAL_MATRICES"]

IN_DOUBLES = Untyped("it is computed in floating point, and no double is a value of a proposition")

_NUMPY = ("numpy",)
_SCIPY = ("numpy", "scipy")


def _numeric(
    usage: str, run: object, doc: str, aliases: str = "", needs: tuple[str, ...] = _NUMPY
) -> Builtin:
    assert callable(run)
    return row(usage, IN_DOUBLES, run, doc, tier="T10", aliases=aliases, needs=needs)


REAL_MATRICES: tuple[Builtin, ...] = (
    _numeric("eigenvalues(a : Any) : List", linear_algebra.eigenvalues,
        "The eigenvalues of a square matrix, conjugates beside each other.", "eigvals"),
    _numeric("eig(a : Any) : List", linear_algebra.eigensystem,
        "[values, vectors]; the k-th vector, of length 1, belongs to the k-th value."),
    _numeric("svd(a : Any) : List", linear_algebra.singular_value_decomposition,
        "[U, s, Vᵀ] with A = U·diag(s)·Vᵀ; s descends."),
    _numeric("singular_values(a : Any) : List", linear_algebra.singular_values, "The singular values, descending.",
        "svdvals"),
    _numeric("solve(a : Any, b : Any) : List", linear_algebra.solve, "The x with A·x = b, as a flat list.", "linsolve",
        _SCIPY),
    _numeric("inv(a : Any) : Matrix", linear_algebra.inverse, "The inverse of a square matrix.", "inverse", _SCIPY),
    _numeric("qr(a : Any) : List", linear_algebra.qr, "[Q, R], reduced, with A = Q·R."),
    _numeric("cholesky(a : Any) : Matrix", linear_algebra.cholesky, "The lower triangular L with A = L·Lᵀ.", "chol"),
    _numeric("rank(a : Any) : ℕ", linear_algebra.rank,
        "The number of singular values above max(m, n)·s_max·2.2e-16.", "matrix_rank"),
    _numeric("cond(a : Any) : ℝ", linear_algebra.condition_number, "s_max / s_min; Inf where s_min is 0.",
        "condition_number"),
    _numeric("norm(a : Any, kind : Any?) : ℝ", linear_algebra.norm,
        "A norm of a matrix or a list: \"fro\" (where none is said), \"1\" (largest column sum), \"2\", \"inf\" "
        "(largest row sum).", "matrix_norm"),
    _numeric("det_lapack(a : Any) : ℝ", linear_algebra.determinant, "The determinant by LU; det is exact.", "", _SCIPY),
    _numeric("schur(a : Any) : List", linear_algebra.schur,
        "[U, T, eigenvalues] with A = U·T·Uᵀ, T quasi-triangular.", "schur_decomp", _SCIPY),
    _numeric("expm(a : Any) : Matrix", linear_algebra.exponential, "e to the power A.", "matrix_exp", _SCIPY),
    _numeric("mpow(a : Any, k : ℤ) : Matrix", linear_algebra.matrix_power,
        "A to the power k: exact where k ≥ 0 and the entries are exact, by the inverse where k < 0.", "matrix_pow", ()),
    _numeric("care(a : Any, b : Any, q : Any, r : Any) : Matrix", control.continuous_riccati,
        "The stabilising P with AᵀP + PA − P·B·R⁻¹·Bᵀ·P + Q = 0.", "riccati", _SCIPY),
    _numeric("lqr(a : Any, b : Any, q : Any, r : Any) : List", control.continuous_regulator,
        "[K, P] with P of care and K = R⁻¹·Bᵀ·P, as lists of rows.", "", _SCIPY),
    _numeric("dare(a : Any, b : Any, q : Any, r : Any) : Matrix", control.discrete_riccati,
        "The stabilising P with P = AᵀPA − AᵀPB·(R + BᵀPB)⁻¹·BᵀPA + Q.", "riccati_discrete", _SCIPY),
    _numeric("dlqr(a : Any, b : Any, q : Any, r : Any) : List", control.discrete_regulator,
        "[K, P] with P of dare and K = (BᵀPB + R)⁻¹·BᵀPA, as lists of rows.", "", _SCIPY),
)  # fmt: skip

COMPLEX_MATRICES: tuple[Builtin, ...] = (
    _numeric("cmat_zero(rows : ℕ, columns : ℕ) : List", complex_matrices.zero, "The zero matrix.",
        "builtin_cmat_zero", ()),
    _numeric("cmat_eye(size : ℕ) : List", complex_matrices.identity, "The identity matrix.", "builtin_cmat_eye", ()),
    _numeric("cmat_from_real(a : Any) : List", complex_matrices.from_real, "[A, 0]",
        "as_complex builtin_cmat_from_real", ()),
    _numeric("cmat_from_imag(b : Any) : List", complex_matrices.from_imaginary, "[0, B]",
        "as_imaginary builtin_cmat_from_imag", ()),
    _numeric("cmat_real(c : Any) : Matrix", complex_matrices.real_part, "Re C",
        "real_part_matrix builtin_cmat_real", ()),
    _numeric("cmat_imag(c : Any) : Matrix", complex_matrices.imaginary_part, "Im C",
        "imag_part_matrix builtin_cmat_imag", ()),
    _numeric("cmat_add(c : Any, d : Any) : List", complex_matrices.sum_of, "C + D", "builtin_cmat_add", ()),
    _numeric("cmat_sub(c : Any, d : Any) : List", complex_matrices.difference, "C − D", "builtin_cmat_sub", ()),
    _numeric("cmat_mul(c : Any, d : Any) : List", complex_matrices.product, "C·D", "builtin_cmat_mul", ()),
    _numeric("cmat_conj(c : Any) : List", complex_matrices.conjugate, "The conjugate.", "builtin_cmat_conj", ()),
    _numeric("cmat_transpose(c : Any) : List", complex_matrices.transpose, "Rows and columns exchanged.",
        "builtin_cmat_transpose", ()),
    _numeric("cmat_dagger(c : Any) : List", complex_matrices.adjoint, "The conjugate transpose.",
        "cmat_adjoint builtin_cmat_dagger", ()),
    _numeric("cmat_trace(c : Any) : List", complex_matrices.trace, "[re, im] of the sum of the diagonal.",
        "builtin_cmat_trace", ()),
    _numeric("cmat_scale_real(r : ℝ, c : Any) : List", complex_matrices.scaled, "r·C",
        "builtin_cmat_scale_real", ()),
    _numeric("realify(c : Any) : Matrix", complex_matrices.realified, "The real matrix of rows (A, −B) and (B, A).",
        "builtin_realify", ()),
    _numeric("complexify(m : Any) : List", complex_matrices.complexified,
        "[upper left block, lower left block] of a matrix of even size.", "builtin_complexify", ()),
    _numeric("cmat_eigenvalues(c : Any) : List", complex_matrices.eigenvalues, "The n eigenvalues.", "cmat_eigvals"),
    _numeric("cmat_eig(c : Any) : List", complex_matrices.eigensystem, "[values, vectors], n of each."),
    _numeric("cmat_schur(c : Any) : List", complex_matrices.schur,
        "[U, T, eigenvalues] with C = U·T·U†, T upper triangular.", "schur_complex", _SCIPY),
    _numeric("cmat_svd(c : Any) : List", complex_matrices.singular_value_decomposition,
        "[U, s, V†] with C = U·diag(s)·V†; s is real."),
    _numeric("cmat_singular_values(c : Any) : List", complex_matrices.singular_values,
        "The singular values, descending.", "cmat_svdvals"),
    _numeric("cmat_qr(c : Any) : List", complex_matrices.qr, "[Q, R], reduced, with C = Q·R."),
    _numeric("cmat_solve(c : Any, d : Any) : List", complex_matrices.solve, "The X with C·X = D.", "cmat_linsolve",
        _SCIPY),
    _numeric("cmat_inv(c : Any) : List", complex_matrices.inverse, "The inverse.", "cmat_inverse", _SCIPY),
    _numeric("cmat_expm(c : Any) : List", complex_matrices.exponential, "e to the power C.", "cmat_matrix_exp", _SCIPY),
    _numeric("cmat_rank(c : Any) : ℕ", complex_matrices.rank, "The number of singular values above rounding.",
        "cmat_matrix_rank"),
    _numeric("cmat_cond(c : Any) : ℝ", complex_matrices.condition_number, "s_max / s_min; Inf where s_min is 0.",
        "cmat_condition_number"),
    _numeric("cmat_norm(c : Any) : ℝ", complex_matrices.frobenius_norm, "The Frobenius norm.", "cmat_matrix_norm"),
    _numeric("cmat_det(c : Any) : List", complex_matrices.determinant, "[re, im] of the determinant.",
        "cmat_determinant", _SCIPY),
    _numeric("cmat_mpow(c : Any, k : ℤ) : List", complex_matrices.matrix_power,
        "C to the power k: exact where k ≥ 0 and the entries are exact.", "cmat_matrix_pow", ()),
)  # fmt: skip
