"""Real numbers that floating point knows approximately, with a bound of the error; exact ones are fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import msgspec

__all__ = [
    "Inexact",
    "NoValue",
    "NotClear",
    "Real",
    "absolute",
    "compared",
    "function",
    "over",
    "power",
    "times",
    "total",
]


class NoValue(Exception):
    """A term that is undefined."""


class NotClear(Exception):
    """A value that is not known well enough."""


class Inexact(msgspec.Struct, frozen=True):
    """A number, and how far it may be off."""

    value: float
    error: float


Real: TypeAlias = Fraction | Inexact

_LARGEST = 1e100
_MOST_BITS = 4_000


def _inexact(number: Real) -> Inexact:
    if isinstance(number, Inexact):
        return number
    if abs(number) > _LARGEST:
        raise NotClear
    value = float(number)
    return Inexact(value, abs(value) * 1e-15)


def _kept(value: float, error: float) -> Inexact:
    if not (math.isfinite(value) and abs(value) < _LARGEST and error < 1e-3 * (1 + abs(value))):
        raise NotClear
    return Inexact(value, error + abs(value) * 1e-15)


def _small(number: Fraction) -> Fraction:
    if number.numerator.bit_length() + number.denominator.bit_length() > _MOST_BITS:
        raise NotClear
    return number


def total(a: Real, b: Real) -> Real:
    """The sum."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _small(a + b)
    x, y = _inexact(a), _inexact(b)
    return _kept(x.value + y.value, x.error + y.error + 1e-15 * (abs(x.value) + abs(y.value)))


def times(a: Real, b: Real) -> Real:
    """The product."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return _small(a * b)
    if a == 0 or b == 0:
        return Fraction(0)
    x, y = _inexact(a), _inexact(b)
    return _kept(x.value * y.value, abs(x.value) * y.error + abs(y.value) * x.error + x.error * y.error)


def over(a: Real, b: Real) -> Real:
    """The quotient."""
    if b == 0:
        raise NoValue
    if isinstance(b, Fraction):
        return times(a, 1 / b)
    if abs(b.value) <= 2 * b.error or abs(b.value) * _LARGEST <= 1:
        raise NotClear
    return times(a, _kept(1 / b.value, b.error / (abs(b.value) - b.error) ** 2))


def absolute(a: Real) -> Real:
    """The absolute value."""
    return abs(a) if isinstance(a, Fraction) else Inexact(abs(a.value), a.error)


def compared(a: Real, b: Real) -> int:
    """-1, 0 or 1; `NotClear` where the numbers are too close."""
    difference = total(a, times(Fraction(-1), b))
    if isinstance(difference, Fraction):
        return (difference > 0) - (difference < 0)
    if abs(difference.value) <= 4 * difference.error + 1e-9:
        raise NotClear
    return 1 if difference.value > 0 else -1


def function(of: Callable[[float], float], a: Real) -> Real:
    """A function of floating point; `NoValue` where it has none."""
    x = _inexact(a)
    try:
        value = of(x.value)
        spread = max(abs(of(x.value + side * (x.error + 1e-13)) - value) for side in (1, -1))
    except ValueError:
        raise NotClear from None
    except OverflowError:
        raise NotClear from None
    return _kept(value, 2 * spread + 1e-14)


def power(base: Real, exponent: Real) -> Real:
    """A power: of 0 with exponents from 0 on, of negative numbers with whole ones, 0⁰ = 1."""
    if not isinstance(exponent, Fraction):
        if compared(base, Fraction(0)) <= 0:
            raise NotClear if base != 0 else NoValue if compared(exponent, Fraction(0)) < 0 else NotClear
        return function(math.exp, times(exponent, function(math.log, base)))
    if exponent.denominator == 1:
        if abs(exponent) > 300:
            raise NotClear
        if exponent < 0:
            return over(Fraction(1), power(base, -exponent))
        found: Real = Fraction(1)
        for _ in range(int(exponent)):
            found = times(found, base)
        return found
    if base == 0:
        if exponent < 0:
            raise NoValue
        return Fraction(0)
    if compared(base, Fraction(0)) < 0:
        raise NoValue
    return function(math.exp, times(exponent, function(math.log, base)))
