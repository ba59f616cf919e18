"""Tier T10: differential equations, Fourier transforms, tensors, roots of polynomials.

See docs/reference/numerics.md §4–§6.  No row has a signature: a double is no value of a proposition.
"""

from __future__ import annotations

from kleis.builtins.numeric import differential_equations, fourier, polynomial_roots, tensors
from kleis.builtins.row import Builtin, row
from kleis.builtins.rows.linear_algebra import IN_DOUBLES

__all__ = ["NUMERICAL_ANALYSIS"]

NUMERICAL_ANALYSIS: tuple[Builtin, ...] = (
    row("ode45(f : Function, y0 : List, span : List, dt : ℝ?) : List", IN_DOUBLES, differential_equations.integrate,
        "The solution of y' = f(t, y) from y0 over [t0, t1]: rows [t, [y₁, …, yₙ]], dt apart (0.1 where none is said).",
        tier="T10", aliases="integrate", higher_order=True, needs=("numpy", "scipy")),
    row("fft(x : Any) : List", IN_DOUBLES, fourier.transform, "Σ_j x_j·e^(−2πi·jk/n) for k = 0 … n − 1.", tier="T10",
        aliases="dft", needs=("numpy",)),
    row("ifft(x : Any) : List", IN_DOUBLES, fourier.inverse_transform, "The list whose transform is x.", tier="T10",
        aliases="idft", needs=("numpy",)),
    row("ndarray_reshape(entries : Any, dimensions : Any) : NDArray", IN_DOUBLES, tensors.reshape,
        "The array of these dimensions, its entries row by row; exact.", tier="T10"),
    row("ndarray_contract(t : Any, m : Any, axis : ℤ) : NDArray", IN_DOUBLES, tensors.contract,
        "Every fibre of t along an axis multiplied by the matrix m; exact where the entries are.", tier="T10"),
    row("ndarray_moveaxis(t : Any, source : ℤ, target : ℤ) : NDArray", IN_DOUBLES, tensors.move_axis,
        "The array with one axis moved to another place.", tier="T10"),
    row("ndarray_flatten(t : Any) : List", IN_DOUBLES, tensors.flatten, "The entries, row by row.", tier="T10"),
    row("roots(p : Any) : List", IN_DOUBLES, polynomial_roots.roots,
        "[centre, radius, multiplicity] for every root of a polynomial with exact coefficients, the constant first: "
        "proved to be within the radius.", tier="T10", needs=("flint",)),
)  # fmt: skip
