"""Numbers as text and back, exactly and for any size.

Python refuses to print or read integers beyond a few thousand digits, by a limit that is global to the process;
`decimal` has no such limit, so the setting stays as the host wants it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from kleis.budget import Meter
from kleis.values.kinds import Number, exact

__all__ = [
    "integer_from_digits",
    "integer_text",
    "number_from_text",
    "number_text",
    "plain_text",
    "signed_integer",
]

_DIRECT_DIGITS = 600
"""Fewer digits than this Python prints and reads whatever its limit is set to (at least 640)."""


def integer_text(number: int) -> str:
    """The decimal digits of an integer."""
    return str(number) if number.bit_length() < _DIRECT_DIGITS else str(Decimal(number))


def integer_from_digits(digits: str) -> int:
    """The integer with these ASCII digits."""
    return int(digits) if len(digits) < _DIRECT_DIGITS else int(Decimal(digits))


def signed_integer(text: str) -> int:
    """The integer with this sign, if there is one, and ASCII digits; `ValueError` if it is no such text."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"no integer: {text[:40]!r}")
    number = integer_from_digits(digits)
    return -number if text.startswith("-") else number


def number_text(number: Number) -> str:
    """A number as plain text: ``3``, ``-1/3``, ``0.8414709848078965``."""
    if isinstance(number, float):
        text = repr(number)
        return text.removesuffix(".0")
    if isinstance(number, Fraction):
        return f"{integer_text(number.numerator)}/{integer_text(number.denominator)}"
    return integer_text(number)


def number_from_text(text: str, meter: Meter) -> int | Fraction:
    """The exact value of a numeral as Kleis spells it: ``3``, ``0.10``, ``1e3``.

    ``1e999999999`` is a short text for a number that the budget may not admit.
    """
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    whole, _, part = mantissa.partition(".")
    shift = integer_from_digits(exponent.lstrip("+-")) if exponent else 0
    scale = (-shift if exponent.startswith("-") else shift) - len(part)
    meter.admit((len(whole) + len(part) + abs(scale)) * 10 // 3, "a number")
    digits = integer_from_digits(whole + part)
    return digits * 10**scale if scale >= 0 else exact(Fraction(digits, 10**-scale))


def plain_text(number: Number) -> str:
    """A number as programs put it into a text: ``0.25`` where that is exact, else ``1/3``."""
    if not isinstance(number, Fraction) or number.denominator.bit_length() > _GREATEST_DECIMAL_BITS:
        return number_text(number)
    rest, places, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, places = rest // 2, places + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1 or number.denominator == 1:
        return number_text(number)
    places = max(places, fives)
    digits = integer_text(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


_GREATEST_DECIMAL_BITS = 128
"""Fractions with a longer denominator are written as fractions."""
