"""Numbers of the core as numerals of Kleis: exact, never negative.

Specification: kleis-language.md §1.4.  Every literal of a source has a numeral; the results of arithmetic on them,
as 1/3, may have none.
"""

from __future__ import annotations

from fractions import Fraction

from kleis.values.numerals import integer_text

__all__ = ["has_numeral", "numeral"]


def has_numeral(value: int | Fraction) -> bool:
    """Whether a number is written as one numeral: it is not negative, and its decimals end."""
    return value >= 0 and _places(Fraction(value)) is not None


def numeral(value: int | Fraction) -> str:
    """The numeral: ``3`` for an integer, ``3.0`` and ``0.25`` for fractions.  ValueError if there is none."""
    if isinstance(value, int):
        return integer_text(int(value))
    places = _places(value)
    if places is None:
        raise ValueError(f"{value} has no numeral")
    if places == 0:
        return f"{value.numerator}.0"
    digits = integer_text(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _places(value: Fraction) -> int | None:
    """How many decimals a fraction has; None if they do not end."""
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None
