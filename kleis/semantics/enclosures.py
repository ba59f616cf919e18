"""Real terms between rationals: comparisons with π and e, decided by bounds and never by a float.

`enclosure` is the only place where a value that is not known exactly takes part in a truth. Bounds are rationals, every
operation is rounded outwards, and what is not covered has no enclosure.

Invariant: a term with an enclosure has a value, and the value lies in it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from kleis import core
from kleis.builtins.real_constants import BOUNDS
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth

__all__ = ["ENCLOSED", "ORDERS", "Enclosure", "compared", "enclosure"]

Enclosure: TypeAlias = tuple[Fraction, Fraction]
"""A rational not above and one not below."""

ORDERS = frozenset({"less_than", "leq", "greater_than", "geq", "equals"})

ENCLOSED = frozenset({*BOUNDS, "exp", "atan"})
"""The operations whose values are real numbers that only enclosures know: exp at a number of ℕ, atan at 1."""

_SCALE = 10**60
_LARGEST = 4_096
"""Bits of a bound; a term with larger ones is not compared."""
_EXPONENT = 64
_DEPTH = 200


def compared(order: str, left: Enclosure, right: Enclosure) -> Truth:
    """Whether two numbers are in an order, where their enclosures tell."""
    if order in ("greater_than", "geq"):
        order, left, right = ("less_than" if order == "greater_than" else "leq"), right, left
    if order == "less_than":
        return TRUE if left[1] < right[0] else FALSE if left[0] >= right[1] else OPEN
    if order == "leq":
        return TRUE if left[1] <= right[0] else FALSE if left[0] > right[1] else OPEN
    if left[1] < right[0] or right[1] < left[0]:
        return FALSE
    return TRUE if left[0] == left[1] == right[0] == right[1] else OPEN


def enclosure(term: core.Term, value: Callable[[core.Term], object], depth: int = _DEPTH) -> Enclosure | None:
    """Rationals that a real term lies between, or None; `value` gives the exact value of other terms, if there is one."""
    if depth == 0:
        return None
    if isinstance(term, core.Coercion):
        numeric = isinstance(term.sort, core.Numeric) and term.sort != core.COMPLEX
        return enclosure(term.term, value, depth - 1) if numeric else None
    if isinstance(term, core.BuiltinCall) and term.sort == core.REAL:
        name = term.operation.name
        if name in BOUNDS and not term.arguments:
            return BOUNDS[name]
        if name in _ARITHMETIC and all(_is_real(each.sort) for each in term.arguments):
            parts = [enclosure(each, value, depth - 1) for each in term.arguments]
            known = [each for each in parts if each is not None]
            return _rounded(_ARITHMETIC[name](*known)) if len(known) == len(parts) else None
        if name == "power":
            return _power(term.arguments[0], value(term.arguments[1]), value, depth)
        if name == "exp":
            return _power(_E, value(term.arguments[0]), value, depth)
        if name == "atan" and value(term.arguments[0]) == 1:
            low, high = BOUNDS["pi"]
            return (low / 4, high / 4)
    exact = value(term)
    if isinstance(exact, int | Fraction) and not isinstance(exact, bool):
        return (Fraction(exact), Fraction(exact))
    return None


def _is_real(sort: core.Sort) -> bool:
    return isinstance(sort, core.Numeric) and sort != core.COMPLEX


_E = core.BuiltinCall(core.Operation("e", (), core.REAL), ())


def _power(
    of: core.Term, count: object, value: Callable[[core.Term], object], depth: int
) -> Enclosure | None:
    """A power with an exponent of ℕ that is known, as a product."""
    base = enclosure(of, value, depth - 1)
    if base is None or not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _EXPONENT:
        return None
    found: Enclosure | None = (Fraction(1), Fraction(1))
    for _ in range(count):
        found = _rounded(_times(found, base)) if found is not None else None
    return found


def _rounded(bounds: Enclosure | None) -> Enclosure | None:
    """Bounds with few digits, outwards; None where they are too large."""
    if bounds is None:
        return None
    low, high = bounds
    if low != high:
        low = Fraction((low.numerator * _SCALE) // low.denominator, _SCALE)
        high = Fraction(-((-high.numerator * _SCALE) // high.denominator), _SCALE)
    size = max(each.bit_length() for part in (low, high) for each in (part.numerator, part.denominator))
    return (low, high) if size <= _LARGEST else None


def _times(a: Enclosure, b: Enclosure) -> Enclosure:
    products = [x * y for x in a for y in b]
    return (min(products), max(products))


def _divide(a: Enclosure, b: Enclosure) -> Enclosure | None:
    if b[0] <= 0 <= b[1]:
        return None
    return _times(a, (1 / b[1], 1 / b[0]))


def _absolute(a: Enclosure) -> Enclosure:
    if a[0] >= 0:
        return a
    return (-a[1], -a[0]) if a[1] <= 0 else (Fraction(0), max(-a[0], a[1]))


_ARITHMETIC: dict[str, Callable[..., Enclosure | None]] = {
    "plus": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "minus": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "negate": lambda a: (-a[1], -a[0]),
    "times": _times,
    "divide": _divide,
    "abs": _absolute,
    "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
}
"""Operations on reals, with a value wherever the bounds given have one."""
