"""The builtins that come with the extra `numeric`: their names by family, for an error that says so (§4.8).

The music family of the original has no builtins: it is Kleis code that prints text.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["NUMERIC_EXTRA"]

_FAMILIES = {
    "linear algebra (LAPACK)": """
        eigenvalues eigvals eig svd singular_values svdvals solve linsolve inv inverse qr cholesky chol rank
        matrix_rank cond condition_number norm matrix_norm det_lapack schur schur_decomp care riccati lqr dare
        riccati_discrete dlqr expm matrix_exp mpow matrix_pow realify complexify schur_complex
        cmat_zero cmat_eye cmat_from_real cmat_from_imag cmat_real cmat_imag cmat_add cmat_sub cmat_mul cmat_conj
        cmat_transpose cmat_dagger cmat_trace cmat_scale_real cmat_eigenvalues cmat_schur cmat_svd
        cmat_singular_values cmat_solve cmat_inv cmat_qr cmat_rank cmat_cond cmat_norm cmat_det cmat_eig cmat_expm
        cmat_mpow
        """,
    "tensors and Fourier transforms": """
        ndarray_reshape ndarray_contract ndarray_moveaxis ndarray_flatten dft fft idft ifft
        """,
    "differential equations": "ode45 integrate",
    "plotting": """
        diagram plot scatter bar hbar stem hstem fill_between stacked_area boxplot hboxplot heatmap colormesh contour
        quiver place path yaxis secondary_yaxis xaxis secondary_xaxis lighten
        """,
}

NUMERIC_EXTRA: Mapping[str, str] = {
    name: family for family, names in _FAMILIES.items() for name in names.split()
}
"""The family of each name."""
