"""Arithmetic on rational bounds of real numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

__all__ = [
    "ONE",
    "Enclosure",
    "NotEnclosed",
    "absolute",
    "divided",
    "increasing",
    "minus",
    "negated",
    "plus",
    "scaled",
    "times",
]

Enclosure: TypeAlias = tuple[Fraction, Fraction]
"""A rational not above and one not below."""

ONE: Enclosure = (Fraction(1), Fraction(1))


class NotEnclosed(Exception):
    """A value that is not shown to exist, or is too large or too small to be enclosed."""


def times(a: Enclosure, b: Enclosure) -> Enclosure:
    """The products."""
    products = [x * y for x in a for y in b]
    return (min(products), max(products))


def divided(a: Enclosure, b: Enclosure) -> Enclosure:
    """The quotients; `NotEnclosed` where the divisor may be 0."""
    if b[0] <= 0 <= b[1]:
        raise NotEnclosed
    return times(a, (1 / b[1], 1 / b[0]))


def plus(a: Enclosure, b: Enclosure) -> Enclosure:
    """The sums."""
    return (a[0] + b[0], a[1] + b[1])


def minus(a: Enclosure, b: Enclosure) -> Enclosure:
    """The differences."""
    return (a[0] - b[1], a[1] - b[0])


def negated(a: Enclosure) -> Enclosure:
    """The numbers with the other sign."""
    return (-a[1], -a[0])


def absolute(a: Enclosure) -> Enclosure:
    """The absolute values."""
    return a if a[0] >= 0 else negated(a) if a[1] <= 0 else (Fraction(0), max(-a[0], a[1]))


def scaled(a: Enclosure, by: Fraction | int) -> Enclosure:
    """The multiples."""
    return times(a, (Fraction(by), Fraction(by)))


def increasing(at: Callable[[Fraction], Enclosure], x: Enclosure) -> Enclosure:
    """The values of an increasing function, by those at the ends."""
    return at(x[0])[0], at(x[1])[1]
