"""Points whose coordinates are rational numbers or roots of polynomials.

Nothing that holds one is trusted: whoever shows a root checks the signs, and proves the rest.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

__all__ = ["Point", "Root"]


class Root(msgspec.Struct, frozen=True):
    """A root of a polynomial, which changes its sign between `low` and `high`; the constant coefficient is first."""

    coefficients: tuple[Fraction, ...]
    low: Fraction
    high: Fraction

    def value_at(self, point: Fraction) -> Fraction:
        """The polynomial's value, by Horner's rule."""
        value = Fraction(0)
        for each in reversed(self.coefficients):
            value = value * point + each
        return value

    @property
    def exists(self) -> bool:
        """Whether the signs at the ends differ, so that there is a root between them."""
        return self.low < self.high and self.value_at(self.low) * self.value_at(self.high) < 0


class Point(msgspec.Struct, frozen=True):
    """The coordinates by the names of the claim's outermost variables."""

    coordinates: tuple[tuple[str, Fraction | Root], ...]
