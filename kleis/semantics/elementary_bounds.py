"""Elementary functions between rationals, at any precision: series with proved remainders, in integers throughout.

A series is summed in integers, as multiples of 2⁻ʷ; lower sums are rounded down, upper ones up, and what is left out is
added outwards:

    exp             x = 2ˢ·y with 0 ≤ y ≤ ½; the terms at least halve, so the rest is at most the last; s squarings
    atanh, atan     0 ≤ z ≤ ½: the rest of Σ ±zⁿ/n is at most zⁿ/(1 − z²) ≤ 2·zⁿ
    sin, cos        |r| ≤ 1.4 after multiples of π/2: alternating and decreasing, so the rest is at most the next term
    π               16·atan(1/5) − 4·atan(1/239)
    ln              x = 2ᵏ·m with ⅔ ≤ m ≤ 4/3: k·ln 2 + 2·atanh((m − 1)/(m + 1)), and ln 2 = 2·atanh(1/3)
    sqrt            the integer square root

Where a function is monotone its bounds are those at the ends.  `kleis.semantics.real_functions` makes the others of these.

Invariants
    * Arguments in the enclosures given have values, and these lie in the enclosure returned.
    * What is not shown to be defined for all arguments in the enclosures is `NotEnclosed`.
    * Work is charged before it is done, by precision and size; no floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from kleis.semantics.rational_bounds import (
    ONE,
    Enclosure,
    NotEnclosed,
    absolute,
    divided,
    increasing,
    minus,
    negated,
    plus,
    scaled,
    times,
)

__all__ = ["Elementary"]


_MAGNITUDE = 1 << 16
"""Binary digits before or after the point; what has more is not enclosed."""

_GUARD = 16
"""Binary digits beyond the precision, for rounding."""

# ── Series, in multiples of 2⁻ʷ ──────────────────────────────────────────────────────────────────────────────


def _fixed(x: Fraction, w: int) -> tuple[int, int]:
    return (x.numerator << w) // x.denominator, -((-x.numerator << w) // x.denominator)


def _up(value: int, w: int) -> int:
    return -(-value >> w)


def _odd_series(z: Fraction, w: int, *, alternating: bool) -> Enclosure:
    """Σ zⁿ/n over odd n, with signs in turn if `alternating`, for 0 ≤ z ≤ ½."""
    assert 0 <= 2 * z <= 1
    low_power, high_power = _fixed(z, w)
    low_square, high_square = low_power * low_power >> w, _up(high_power * high_power, w)
    low = high = 0
    n, sign = 1, 1
    while True:
        down, up = low_power // n, -(-high_power // n)
        low, high = (low + down, high + up) if sign > 0 else (low - up, high - down)
        low_power, high_power = low_power * low_square >> w, _up(high_power * high_square, w)
        n, sign = n + 2, -sign if alternating else 1
        if high_power <= 1:
            rest = 2 * high_power
            return Fraction(low - rest, 1 << w), Fraction(high + rest, 1 << w)


def _exponential_series(y: Fraction, w: int) -> Enclosure:
    """Σ yᵏ/k! for 0 ≤ y ≤ ½."""
    assert 0 <= 2 * y <= 1
    low_y, high_y = _fixed(y, w)
    low_term = high_term = low = high = 1 << w
    k = 0
    while high_term > 1:
        k += 1
        low_term, high_term = (low_term * low_y >> w) // k, -(-_up(high_term * high_y, w) // k)
        low, high = low + low_term, high + high_term
    return Fraction(low, 1 << w), Fraction(high + high_term, 1 << w)


def _circular_series(r: Fraction, w: int, start: int) -> Enclosure:
    """rˢ/s! − rˢ⁺²/(s+2)! + … for 0 ≤ r ≤ 1.4, where the terms decrease: the cosine from 0, the sine from 1."""
    assert 0 <= 5 * r <= 7
    low_r, high_r = _fixed(r, w)
    low_square, high_square = low_r * low_r >> w, _up(high_r * high_r, w)
    low_term, high_term = (low_r, high_r) if start else (1 << w, 1 << w)
    low = high = 0
    k, sign = start, 1
    while high_term > 1:
        low, high = (low + low_term, high + high_term) if sign > 0 else (low - high_term, high - low_term)
        steps = (k + 1) * (k + 2)
        low_term = (low_term * low_square >> w) // steps
        high_term = -(-_up(high_term * high_square, w) // steps)
        k, sign = k + 2, -sign
    return Fraction(low - high_term, 1 << w), Fraction(high + high_term, 1 << w)


@lru_cache(maxsize=64)
def _pi(w: int) -> Enclosure:
    first = _odd_series(Fraction(1, 5), w, alternating=True)
    second = _odd_series(Fraction(1, 239), w, alternating=True)
    return 16 * first[0] - 4 * second[1], 16 * first[1] - 4 * second[0]


@lru_cache(maxsize=64)
def _ln2(w: int) -> Enclosure:
    low, high = _odd_series(Fraction(1, 3), w, alternating=False)
    return 2 * low, 2 * high


# ── The functions ────────────────────────────────────────────────────────────────────────────────────────────


class Elementary:
    """Enclosures with about `bits` significant binary digits; `charge` is told the cost of each step beforehand."""

    def __init__(self, bits: int, charge: Callable[[int], None]) -> None:
        self.bits = bits
        self._charge = charge

    def rounded(self, bounds: Enclosure, more: int = _GUARD) -> Enclosure:
        """The bounds with few digits, outwards; a number that is known exactly stays, unless it is long."""
        bits = self.bits + more
        if bounds[0] == bounds[1] and _length(bounds[0]) <= 4 * bits:
            return bounds
        return -_ceiling(-bounds[0], bits), _ceiling(bounds[1], bits)

    def _paid(self, more: int = 0) -> int:
        """The number of binary digits to sum a series with, once it is paid for."""
        w = self.bits + _GUARD + more
        self._charge(1 + (w * w >> 9))
        return w

    def pi(self) -> Enclosure:
        """π"""
        return _pi(self._paid())

    def exp(self, x: Fraction) -> Enclosure:
        """eˣ"""
        if abs(x) * 3 > _MAGNITUDE * 2:
            raise NotEnclosed
        if x < 0:
            return divided(ONE, self.exp(-x))
        halvings = math.ceil(x).bit_length() + 1
        w = self._paid(2 * halvings)
        found = _exponential_series(x / (1 << halvings), w)
        for _ in range(halvings):
            found = self.rounded(times(found, found), 2 * halvings + _GUARD)
        return found

    def ln(self, x: Fraction) -> Enclosure:
        """The logarithm, of positive numbers"""
        if x <= 0:
            raise NotEnclosed
        k = x.numerator.bit_length() - x.denominator.bit_length()
        k += 1 if 3 * x > _two_to(k) * 4 else -1 if 3 * x < _two_to(k) * 2 else 0
        m = x / _two_to(k)
        w = self._paid(k.bit_length())
        z = (m - 1) / (m + 1)
        series = _odd_series(abs(z), w, alternating=False)
        twice = scaled(series, 2 if z >= 0 else -2)
        return plus(twice, scaled(_ln2(w), k))

    def sqrt(self, x: Fraction) -> Enclosure:
        """The square root, of numbers that are not negative"""
        if x < 0:
            raise NotEnclosed
        shift = self._paid() - (x.numerator.bit_length() - x.denominator.bit_length()) // 2
        scaled = x * _two_to(shift) * _two_to(shift)
        root = math.isqrt(math.floor(scaled))
        exact = root * root == scaled
        return root / _two_to(shift), (root if exact else root + 1) / _two_to(shift)

    def atan(self, x: Fraction) -> Enclosure:
        """The arc tangent"""
        if x < 0:
            return negated(self.atan(-x))
        turns = Fraction(1, 2) if x > 1 else Fraction(1, 4)
        if 2 * x > 1:
            return minus(scaled(self.pi(), turns), self.atan(1 / x if x > 1 else (1 - x) / (1 + x)))
        return _odd_series(x, self._paid(), alternating=True)

    def sine_and_cosine(self, x: Enclosure) -> tuple[Enclosure, Enclosure]:
        """Of an angle: turned back by quarters to where the sine increases."""
        size = math.floor(max(abs(x[0]), abs(x[1]))).bit_length()
        if size > _MAGNITUDE >> 4:
            raise NotEnclosed
        if 2 * (x[1] - x[0]) > 1:
            return (-ONE[0], ONE[0]), (-ONE[0], ONE[0])
        w = self._paid(size)
        quarter = scaled(_pi(w), Fraction(1, 2))
        quarters = round((x[0] + x[1]) / (2 * quarter[0]))
        r = minus(x, scaled(quarter, quarters))
        if 5 * max(abs(r[0]), abs(r[1])) > 7:
            raise NotEnclosed
        sine = increasing(lambda at: _sine(at, w), r)
        nearest, furthest = absolute(r)
        cosine = (_circular_series(furthest, w, 0)[0], _circular_series(nearest, w, 0)[1])
        turned = (
            (sine, cosine),
            (cosine, negated(sine)),
            (negated(sine), negated(cosine)),
            (negated(cosine), sine),
        )
        return turned[quarters % 4]

    def power(self, base: Enclosure, exponent: Enclosure) -> Enclosure:
        """A power: a product where the exponent is a whole number, else of a positive base."""
        if exponent[0] == exponent[1] and exponent[0].denominator == 1:
            return self._product(base, exponent[0].numerator)
        if base[0] <= 0:
            raise NotEnclosed
        return increasing(self.exp, self.rounded(times(exponent, increasing(self.ln, base)), 2 * _GUARD))

    def _product(self, base: Enclosure, count: int) -> Enclosure:
        if count < 0:
            return divided(ONE, self._product(base, -count))
        if count % 2 == 0:
            base = absolute(base)
        guard = 2 * count.bit_length() + _GUARD
        ends = []
        for end in base:
            found: Enclosure = ONE
            for digit in f"{count:b}":
                self._charge(1 + (self.bits >> 8))
                found = self.rounded(times(found, found), guard)
                found = self.rounded(times(found, (end, end)), guard) if digit == "1" else found
            ends.append(found)
        return ends[0][0], ends[1][1]


def _sine(r: Fraction, w: int) -> Enclosure:
    return _circular_series(r, w, 1) if r >= 0 else negated(_circular_series(-r, w, 1))


def _two_to(k: int) -> Fraction:
    return Fraction(1 << k) if k >= 0 else Fraction(1, 1 << -k)


def _length(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def _ceiling(x: Fraction, bits: int) -> Fraction:
    """The least number not below with so many significant binary digits, about."""
    if x == 0:
        return x
    size = x.numerator.bit_length() - x.denominator.bit_length()
    if abs(size) > _MAGNITUDE:
        raise NotEnclosed
    scale = _two_to(bits - size)
    return math.ceil(x * scale) / scale
