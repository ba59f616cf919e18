"""π, e and 2π between rationals: what proofs know of them. No double stands for them.

The encoder of the engines asserts the bounds of the constants that a task mentions, the checker of certificates asserts
them from this table too. The reference semantics computes bounds of its own. The digits are tested against exact series.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

__all__ = ["BOUNDS", "CONSTANT_READINGS", "LETTERS"]

_DIGITS = 40
_LOW = {
    "pi": 31415926535897932384626433832795028841971,
    "e": 27182818284590452353602874713526624977572,
    "tau": 62831853071795864769252867665590057683943,
}

BOUNDS: Mapping[str, tuple[Fraction, Fraction]] = {
    name: (Fraction(low, 10**_DIGITS), Fraction(low + 1, 10**_DIGITS)) for name, low in _LOW.items()
}
"""By the name of the built-in: a rational below and one above, 40 digits after the point."""

CONSTANT_READINGS: Mapping[str, str] = {
    "π": "π, the ratio of a circle's circumference to its diameter, 3.14159…",
    "pi": "π, the ratio of a circle's circumference to its diameter, 3.14159…",
    "τ": "2π, 6.28318…",
    "tau": "2π, 6.28318…",
    "e": "Euler's number, 2.71828…",
    "i": "the imaginary unit",
}
"""What the name of a constant is read as where nothing declares it."""

LETTERS = frozenset({"e", "i", "τ"})
"""Constants only where their place is one of real or complex numbers; elsewhere letters like any other."""
