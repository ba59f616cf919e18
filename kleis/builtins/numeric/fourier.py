"""Discrete Fourier transforms: X_k = Σ_j x_j·e^(−2πi·jk/n) without a factor, and the inverse with 1/n.

See docs/reference/numerics.md §4.
"""

from __future__ import annotations

from kleis.builtins.numeric.arrays import complex_array, numbers_or_complex
from kleis.builtins.numeric.extra import computing, numpy
from kleis.builtins.row import Context
from kleis.values import ListValue, Value

__all__ = ["inverse_transform", "transform"]


def transform(context: Context, x: Value) -> ListValue:
    """The transform of a list of real or complex numbers."""
    array = complex_array(context, "fft", x)
    with computing("fft"):
        found = numpy("fft").fft.fft(array)
    return numbers_or_complex(context, "fft", found)


def inverse_transform(context: Context, x: Value) -> ListValue:
    """The list whose transform is given."""
    array = complex_array(context, "ifft", x)
    with computing("ifft"):
        found = numpy("ifft").fft.ifft(array)
    return numbers_or_complex(context, "ifft", found)
