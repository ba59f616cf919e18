"""Tier T6: complex numbers (§4.8).  Arithmetic operators work on them too; ``complex(a, 0)`` is the number a."""

from __future__ import annotations

from kleis.builtins import exact_numbers
from kleis.builtins.context import Context
from kleis.builtins.exact_numbers import Numeric
from kleis.builtins.row import Builtin, row
from kleis.values import Complex, Number, complex_value

__all__ = ["COMPLEX_NUMBERS"]


def _complex(context: Context, real: Number, imaginary: Number) -> Numeric:
    return complex_value(real, imaginary)


def _conjugate(context: Context, z: Numeric) -> Numeric:
    return complex_value(z.real, exact_numbers.negate_real(z.imaginary)) if isinstance(z, Complex) else z


def _squared(context: Context, z: Numeric) -> Numeric:
    if not isinstance(z, Complex):
        return exact_numbers.multiply(context, z, z)
    real, imaginary = z.real, z.imaginary
    return exact_numbers.add(
        context,
        exact_numbers.multiply(context, real, real),
        exact_numbers.multiply(context, imaginary, imaginary),
    )


def _real_part(context: Context, z: Numeric) -> Number:
    return z.real if isinstance(z, Complex) else z


def _imaginary_part(context: Context, z: Numeric) -> Number:
    return z.imaginary if isinstance(z, Complex) else 0


def _inverse(context: Context, z: Numeric) -> Numeric:
    return exact_numbers.divide(context, 1, z)


COMPLEX_NUMBERS: tuple[Builtin, ...] = (
    row("complex(re : ℝ, im : ℝ) : ℂ", _complex, "re + im·i", ("complex(3, 0)", "3"),
        ("complex(0, 1) * complex(0, 1)", "0 - 1"), ("complex(1, 2) / complex(3, 4)", "complex(11/25, 2/25)"),
        tier="T6"),
    row("complex_add(a : ℂ, b : ℂ) : ℂ", exact_numbers.add, "a + b", ("complex_add(complex(1, 2), complex(2, 3))",
        "complex(3, 5)"), tier="T6", aliases="cadd"),
    row("complex_sub(a : ℂ, b : ℂ) : ℂ", exact_numbers.subtract, "a - b",
        ("complex_sub(complex(1, 2), complex(1, 3))", "complex(0, 0 - 1)"), tier="T6", aliases="csub"),
    row("complex_mul(a : ℂ, b : ℂ) : ℂ", exact_numbers.multiply, "a * b",
        ("complex_mul(complex(1, 2), complex(3, 4))", "complex(0 - 5, 10)"), tier="T6", aliases="cmul"),
    row("complex_div(a : ℂ, b : ℂ) : ℂ", exact_numbers.divide, "a / b", ("complex_div(2, complex(0, 1))", "complex(0, 0 - 2)"),
        ("complex_div(complex(0, 1), 0)", "undefined"), tier="T6", aliases="cdiv", condition="b ≠ 0"),
    row("complex_inverse(a : ℂ) : ℂ", _inverse, "1 / a", ("complex_inverse(complex(0, 1))", "complex(0, 0 - 1)"),
        ("complex_inverse(0)", "undefined"), tier="T6", condition="a ≠ 0"),
    row("conj(a : ℂ) : ℂ", _conjugate, "The conjugate.", ("conj(complex(1, 2))", "complex(1, 0 - 2)"), tier="T6",
        aliases="complex_conj conjugate"),
    row("abs_squared(a : ℂ) : ℝ", _squared, "|a|²", ("abs_squared(complex(3, 4))", "25"), tier="T6",
        aliases="complex_abs_squared abs_sq"),
    row("re(a : ℂ) : ℝ", _real_part, "The real part.", ("re(complex(1, 2))", "1"), ("Re(3)", "3"), tier="T6",
        aliases="Re real_part real"),
    row("im(a : ℂ) : ℝ", _imaginary_part, "The imaginary part.", ("im(complex(1, 2))", "2"), ("Im(3)", "0"), tier="T6",
        aliases="Im imag_part imag"),
)  # fmt: skip
