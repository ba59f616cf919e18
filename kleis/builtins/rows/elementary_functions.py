"""Tier T5: elementary functions.  The only source of floats; exact where the value is rational and well known.

The help of each row says where its value is exact. See docs/reference/kleis.md §8.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from kleis import core
from kleis.builtins import exact_numbers
from kleis.builtins.row import Builtin, Context, row, undefined
from kleis.builtins.shapes import fixed, shape
from kleis.values import Number

__all__ = ["MATHEMATICS"]

_Run = Callable[[Context, Number], Number]


def _function(
    compute: Callable[[float], float],
    exact_values: Mapping[Number, int],
    defined: Callable[[Number], bool] = lambda a: True,
    name: str = "",
) -> _Run:
    """A real function: exact at the given points, undefined where `defined` does not hold, else a float."""

    def run(context: Context, a: Number) -> Number:
        if not defined(a):
            raise undefined(f"{name} outside its domain")
        if not isinstance(a, float) and a in exact_values:
            return exact_values[a]
        x = exact_numbers.approximate(a)
        return exact_numbers.finite(lambda: compute(x))

    return run


def _logarithm(context: Context, a: Number) -> Number:
    if a <= 0:
        raise undefined(
            "the logarithm of a number that is not positive", "state that the argument is positive"
        )
    if a == 1 and not isinstance(a, float):
        return 0
    return _bignum_logarithm(a, math.log)


def _bignum_logarithm(a: Number, logarithm: Callable[[float | int], float]) -> float:
    """A logarithm of a number that may be beyond the floats."""
    if isinstance(a, Fraction):
        return logarithm(a.numerator) - logarithm(a.denominator)
    return logarithm(a)


def _base_logarithm(base: int, logarithm: Callable[[float | int], float]) -> _Run:
    def run(context: Context, a: Number) -> Number:
        if a <= 0:
            raise undefined(
                "the logarithm of a number that is not positive", "state that the argument is positive"
            )
        if not isinstance(a, float):
            exponent = round(_bignum_logarithm(a, logarithm))
            context.admit_bits(abs(exponent) * base.bit_length())
            if Fraction(base) ** exponent == a:
                return exponent
        return _bignum_logarithm(a, logarithm)

    return run


def _exp2(context: Context, a: Number) -> Number:
    result = exact_numbers.power(context, 2, a)
    assert isinstance(result, Number)
    return result


def _atan2(context: Context, y: Number, x: Number) -> Number:
    if x == 0 and y == 0:
        raise undefined("the angle of the point (0, 0)", "state that one coordinate is not 0")
    if y == 0 and x > 0 and not isinstance(y, float):
        return 0
    return math.atan2(exact_numbers.approximate(y), exact_numbers.approximate(x))


def _hypotenuse(context: Context, a: Number, b: Number) -> Number:
    squares = exact_numbers.add(
        context, exact_numbers.multiply(context, a, a), exact_numbers.multiply(context, b, b)
    )
    assert isinstance(squares, Number)
    return exact_numbers.square_root(context, squares)


def _radians(context: Context, a: Number) -> Number:
    if a == 0 and not isinstance(a, float):
        return 0
    return exact_numbers.finite(lambda: math.radians(exact_numbers.approximate(a)))


def _constant(value: float) -> Callable[[Context], float]:
    return lambda context: value


# Solvers only approximate irrational values: every signature is incomplete.
_OF_ONE = fixed(shape(core.REAL, core.REAL), incomplete=True)
_OF_TWO = fixed(shape(core.REAL, core.REAL, core.REAL), incomplete=True)
_REAL_CONSTANT = fixed(shape(core.REAL), incomplete=True)

MATHEMATICS: tuple[Builtin, ...] = (
    row("sin(a : ℝ) : ℝ", _OF_ONE, _function(math.sin, {0: 0}), "The sine; exact at 0.", ("sin(0)", "0"), tier="T5"),
    row("cos(a : ℝ) : ℝ", _OF_ONE, _function(math.cos, {0: 1}), "The cosine; exact at 0.", ("cos(0)", "1"), tier="T5"),
    row("tan(a : ℝ) : ℝ", _OF_ONE, _function(math.tan, {0: 0}), "The tangent; exact at 0.", ("tan(0)", "0"),
        tier="T5"),
    row("asin(a : ℝ) : ℝ", _OF_ONE, _function(math.asin, {0: 0}, lambda a: -1 <= a <= 1, "asin"),
        "The arc sine; exact at 0.", ("asin(0)", "0"), ("asin(2)", "undefined"), tier="T5", aliases="arcsin",
        condition="0 - 1 ≤ a ∧ a ≤ 1"),
    row("acos(a : ℝ) : ℝ", _OF_ONE, _function(math.acos, {1: 0}, lambda a: -1 <= a <= 1, "acos"),
        "The arc cosine; exact at 1.", ("acos(1)", "0"), ("acos(2)", "undefined"), tier="T5", aliases="arccos",
        condition="0 - 1 ≤ a ∧ a ≤ 1"),
    row("atan(a : ℝ) : ℝ", _OF_ONE, _function(math.atan, {0: 0}), "The arc tangent; exact at 0.", ("atan(0)", "0"),
        tier="T5", aliases="arctan"),
    row("sinh(a : ℝ) : ℝ", _OF_ONE, _function(math.sinh, {0: 0}), "The hyperbolic sine; exact at 0.", ("sinh(0)", "0"),
        tier="T5"),
    row("cosh(a : ℝ) : ℝ", _OF_ONE, _function(math.cosh, {0: 1}), "The hyperbolic cosine; exact at 0.",
        ("cosh(0)", "1"), tier="T5"),
    row("tanh(a : ℝ) : ℝ", _OF_ONE, _function(math.tanh, {0: 0}), "The hyperbolic tangent; exact at 0.",
        ("tanh(0)", "0"), tier="T5"),
    row("asinh(a : ℝ) : ℝ", _OF_ONE, _function(math.asinh, {0: 0}), "The inverse of sinh; exact at 0.",
        ("asinh(0)", "0"), tier="T5", aliases="arcsinh"),
    row("acosh(a : ℝ) : ℝ", _OF_ONE, _function(math.acosh, {1: 0}, lambda a: a >= 1, "acosh"),
        "The inverse of cosh; exact at 1.", ("acosh(1)", "0"), ("acosh(0)", "undefined"), tier="T5", aliases="arccosh",
        condition="a ≥ 1"),
    row("atanh(a : ℝ) : ℝ", _OF_ONE, _function(math.atanh, {0: 0}, lambda a: -1 < a < 1, "atanh"),
        "The inverse of tanh; exact at 0.", ("atanh(0)", "0"), ("atanh(1)", "undefined"), tier="T5", aliases="arctanh",
        condition="0 - 1 < a ∧ a < 1"),
    row("atan2(y : ℝ, x : ℝ) : ℝ", _OF_TWO, _atan2, "The angle of the point (x, y).", ("atan2(0, 1)", "0"),
        ("atan2(0, 0)", "undefined"), tier="T5", aliases="arctan2", condition="x ≠ 0 ∨ y ≠ 0"),
    row("sqrt(a : ℝ) : ℝ", _OF_ONE, exact_numbers.square_root, "The square root; exact for squares of rationals.",
        ("sqrt(9/4)", "3/2"), ("sqrt(0 - 1)", "undefined"), tier="T5", condition="a ≥ 0"),
    row("exp(a : ℝ) : ℝ", _OF_ONE, _function(math.exp, {0: 1}), "e to the power a; exact at 0.", ("exp(0)", "1"),
        tier="T5"),
    row("exp2(a : ℝ) : ℝ", _OF_ONE, _exp2, "2 to the power a; exact for integers.", ("exp2(10)", "1024"), tier="T5"),
    row("ln(a : ℝ) : ℝ", _OF_ONE, _logarithm, "The natural logarithm; exact at 1.", ("ln(1)", "0"),
        ("ln(0)", "undefined"), tier="T5", aliases="log", condition="a > 0"),
    row("log10(a : ℝ) : ℝ", _OF_ONE, _base_logarithm(10, math.log10),
        "The logarithm to base 10; exact for its powers.", ("log10(1000)", "3"), ("log10(0.01)", "0 - 2"),
        ("log10(0)", "undefined"), tier="T5", condition="a > 0"),
    row("log2(a : ℝ) : ℝ", _OF_ONE, _base_logarithm(2, math.log2), "The logarithm to base 2; exact for its powers.",
        ("log2(1/8)", "0 - 3"), ("log2(0)", "undefined"), tier="T5", condition="a > 0"),
    row("hypot(a : ℝ, b : ℝ) : ℝ", _OF_TWO, _hypotenuse, "√(a² + b²)", ("hypot(3, 4)", "5"), tier="T5"),
    row("deg_to_rad(a : ℝ) : ℝ", _OF_ONE, _radians, "Degrees to radians.", ("deg_to_rad(0)", "0"), tier="T5",
        aliases="radians"),
    row("pi() : ℝ", _REAL_CONSTANT, _constant(math.pi), "π; computed as a float, proved with by rational bounds.",
        ("floor(pi() * 100)", "314"), tier="T5", aliases="π"),
    row("e() : ℝ", _REAL_CONSTANT, _constant(math.e),
        "Euler's number; computed as a float, proved with by rational bounds.", ("floor(e() * 100)", "271"), tier="T5"),
    row("tau() : ℝ", _REAL_CONSTANT, _constant(math.tau), "2π; computed as a float, proved with by rational bounds.",
        ("floor(tau() * 100)", "628"), tier="T5", aliases="τ"),
)  # fmt: skip
