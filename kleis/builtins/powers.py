"""Powers and roots: exact where the result is rational, a float otherwise.

Specification: kleis-language.md §4.5 (OURS), proving.md §1 (``0^0 = 1``; negative exponents undefined at 0).
"""

from __future__ import annotations

import math
from fractions import Fraction

from kleis.budget import Meter
from kleis.builtins.context import undefined
from kleis.builtins.exact_numbers import Numeric, approximate, divide, finite, multiply
from kleis.values import Complex, Number, exact

__all__ = ["exact_root", "modulus", "power", "square_root"]

_GREATEST_ROOT = 64
"""Roots of higher order than this are not tried exactly."""


def power(meter: Meter, base: Numeric, exponent: Number) -> Numeric:
    """base ^ exponent"""
    if isinstance(exponent, int):
        return _integer_power(meter, base, exponent)
    if isinstance(base, Complex):
        raise undefined("a complex number to a power that is no integer", "use an integer exponent")
    if base < 0:
        if isinstance(exponent, float) and exponent.is_integer():
            return finite(lambda: float(approximate(base) ** exponent))
        raise undefined(
            "a negative number to a power that is no integer", "state that the base is not negative"
        )
    if base == 0 and exponent < 0:
        raise undefined("0 to a negative power", "state that the base is not 0")
    if isinstance(exponent, Fraction) and not isinstance(base, float):
        root = exact_root(base, exponent.denominator)
        if root is not None:
            return _integer_power(meter, root, exponent.numerator)
    x, y = approximate(base), approximate(exponent)
    return finite(lambda: float(x**y))


def _integer_power(meter: Meter, base: Numeric, exponent: int) -> Numeric:
    if exponent < 0:
        if base == 0:
            raise undefined("0 to a negative power", "state that the base is not 0")
        return divide(meter, 1, _integer_power(meter, base, -exponent))
    if isinstance(base, float):
        if exponent.bit_length() > 1000:
            exponent_value = approximate(exponent)
            return finite(lambda: float(base**exponent_value))
        return finite(lambda: float(base**exponent))
    if isinstance(base, Complex):
        return _complex_power(meter, base, exponent)
    if base in (0, 1, -1):
        return base if exponent % 2 or base == 1 else (1 if base or not exponent else 0)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    meter.admit_bits(bits * exponent)
    meter.charge((bits * exponent // 64) ** 2 // 16)
    result = base**exponent
    return exact(result) if isinstance(result, Fraction) else int(result)


def _complex_power(meter: Meter, base: Complex, exponent: int) -> Numeric:
    result: Numeric = 1
    factor: Numeric = base
    while exponent:
        meter.charge(1)
        if exponent & 1:
            result = multiply(meter, result, factor)
        exponent >>= 1
        if exponent:
            factor = multiply(meter, factor, factor)
    return result


def exact_root(number: int | Fraction, order: int) -> int | Fraction | None:
    """The root of a number that is not negative, if it is rational and the order is small."""
    if order > _GREATEST_ROOT:
        return number if number in (0, 1) else None
    above = _integer_root(number.numerator, order)
    below = _integer_root(number.denominator, order)
    return None if above is None or below is None else exact(Fraction(above, below))


def _integer_root(number: int, order: int) -> int | None:
    if order == 2:
        root = math.isqrt(number)
    else:
        # Newton's method from above: the first guess is at least the root, and the guesses fall until it is met.
        root = 1 << -(-number.bit_length() // order)
        while number:
            smaller = ((order - 1) * root + number // root ** (order - 1)) // order
            if smaller >= root:
                break
            root = smaller
    return root if root**order == number else (0 if number == 0 else None)


def square_root(meter: Meter, a: Number) -> Number:
    """√a: exact for squares of rationals"""
    if a < 0:
        raise undefined("the square root of a negative number", "state that the argument is not negative")
    if not isinstance(a, float):
        meter.charge((a.numerator.bit_length() + a.denominator.bit_length()) // 16)
        root = exact_root(a, 2)
        if root is not None:
            return root
        return _large_root(a)
    return math.sqrt(a)


def _large_root(a: int | Fraction) -> float:
    """√a for a number that may be beyond the floats although its root is not."""
    try:
        return math.sqrt(a)
    except OverflowError:
        return approximate(math.isqrt(a.numerator // a.denominator))


def modulus(meter: Meter, a: Numeric) -> Number:
    """|a|"""
    if not isinstance(a, Complex):
        return -a if a < 0 else a
    if isinstance(a.real, float) or isinstance(a.imaginary, float):
        x, y = approximate(a.real), approximate(a.imaginary)
        return finite(lambda: math.hypot(x, y))
    squares = multiply(meter, a.real, a.real), multiply(meter, a.imaginary, a.imaginary)
    total = sum(square for square in squares if not isinstance(square, Complex))
    return square_root(meter, total)
