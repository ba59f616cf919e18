"""All roots of a polynomial with rational coefficients, each in a disc that is proved to hold it and no other.

python-flint searches: it factors the polynomial and approximates the roots.  What is returned was confirmed in integers and
fractions, by code that trusts the search with nothing:

    * The factors multiply to the polynomial, so multiplicities are right.
    * A polynomial f of degree n has a root within n·|f(z) / f'(z)| of any z: f'/f is the sum of 1/(z − r) over the n roots.
    * n discs, one for each root and all disjoint, so hold one root each.
    * A disc around a real number that holds one root of a real polynomial holds a real one: it would hold its conjugate too.

Radii are rational bounds, rounded up.  See docs/reference/numerics.md §6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from kleis.builtins.numeric.arrays import described
from kleis.builtins.numeric.extra import flint, numeric_error, shape_error
from kleis.builtins.row import Context, Undecided
from kleis.values import (
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    complex_value,
    exact,
    kind_name,
    list_of,
)

__all__ = ["Disc", "confirmed", "roots"]

_MOST_WORK = 4_096
"""Degree times binary digits of the coefficients: it bounds how near roots can be to each other."""

_SEARCHES = ((128, 64), (512, 96), (2_048, 128))
"""Binary digits of the search, and the rounds that it has at least."""

_ROUNDS_BY_DEGREE = 8_192
"""Times the degree: a round halves the distance to a root that is far from all others."""


class Disc(NamedTuple):
    """A root and its multiplicity: it is within `radius` of ``real + i·imaginary``, and no other is."""

    real: Fraction
    imaginary: Fraction
    radius: Fraction
    multiplicity: int


def roots(context: Context, coefficients: Value) -> ListValue:
    """[centre, radius, multiplicity] for every root; real ones first and ascending, then by real and imaginary part.

    Coefficients stand from the constant up, as in stdlib/kleis/calculus.kleis: ``roots([0 - 2, 0, 1])`` are those of x² − 2.
    """
    polynomial = _integral(_coefficients(coefficients))
    degree = len(polynomial) - 1
    size = degree * max(each.bit_length() for each in polynomial)
    if size > _MOST_WORK:
        raise numeric_error(
            f"roots: degree times digits is {size}; at most {_MOST_WORK} is computed",
            "compute a smaller case",
        )
    library = flint("roots")
    factors = _factors(library, polynomial)
    for precision, least_rounds in _SEARCHES:
        rounds = max(least_rounds, _ROUNDS_BY_DEGREE // degree)
        context.charge(degree * degree * rounds * (1 + precision // 512))
        centres = [_centres(library, factor, precision, rounds) for factor, _ in factors]
        discs = confirmed(polynomial, factors, centres)
        if discs is not None:
            return list_of(_shown(disc) for disc in sorted(discs, key=_order))
    raise numeric_error("roots: the roots are too near to each other to be told apart")


def _order(disc: Disc) -> tuple[bool, Fraction, Fraction]:
    return (disc.imaginary != 0, disc.real, disc.imaginary)


def _shown(disc: Disc) -> ListValue:
    centre = complex_value(exact(disc.real), exact(disc.imaginary))
    return list_of([centre, exact(disc.radius), disc.multiplicity])


def _coefficients(value: Value) -> list[Fraction]:
    """The coefficients from the constant up, the highest not 0."""
    if isinstance(value, (Symbol, Stuck, Suspended)):
        raise Undecided
    if not isinstance(value, ListValue):
        raise shape_error(
            "roots",
            "its argument",
            found=described(value),
            expected="a list of coefficients, the constant first",
        )
    found: list[Fraction] = []
    for entry in value:
        if isinstance(entry, (Symbol, Stuck, Suspended)):
            raise Undecided
        if isinstance(entry, bool) or not isinstance(entry, (int, Fraction)):
            expected = "an exact rational number"
            raise shape_error("roots", "a coefficient", found=kind_name(entry), expected=expected)
        found.append(Fraction(entry))
    while found and not found[-1]:
        found.pop()
    if len(found) < 2:
        expected = "a polynomial of degree at least 1"
        raise shape_error("roots", "its argument", found="a constant", expected=expected)
    return found


def _integral(coefficients: Sequence[Fraction]) -> list[int]:
    """The primitive polynomial with the same roots."""
    common = math.lcm(*(each.denominator for each in coefficients))
    whole = [int(each * common) for each in coefficients]
    content = math.gcd(*whole)
    return [each // content for each in whole]


# ── The search ───────────────────────────────────────────────────────────────────────────────────────────────


def _factors(library: Any, polynomial: Sequence[int]) -> list[tuple[list[int], int]]:
    """Factors without multiple roots, and how often each occurs."""
    _, found = library.fmpz_poly(list(polynomial)).factor()
    return [([int(each) for each in factor.coeffs()], int(times)) for factor, times in found]


def _centres(
    library: Any, factor: Sequence[int], precision: int, rounds: int
) -> list[tuple[Fraction, Fraction]]:
    """Approximations of the roots of a factor by the iteration of Ehrlich and Aberth, from points on a circle."""
    degree = len(factor) - 1
    with library.ctx.workprec(precision):
        polynomial = library.acb_poly(list(factor))
        slope = polynomial.derivative()
        radius = (library.arb(abs(factor[0])) / abs(factor[-1])) ** (library.arb(1) / degree)
        points = [
            _middle(library, radius * library.acb.exp(library.acb(0, (2 * k + 0.7) * math.pi / degree)))
            for k in range(degree)
        ]
        small = library.arb(2) ** (16 - precision)
        for _ in range(rounds):
            points, moved = _improved(library, polynomial, slope, points)
            if all(moves < small * (abs(point) + 1) for moves, point in zip(moved, points, strict=True)):
                break
        return [_rounded(_dyadic(point.real), _dyadic(point.imag), precision) for point in points]


def _improved(
    library: Any, polynomial: Any, slope: Any, points: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The points after one round, and how far each moved."""
    improved, moved = list(points), []
    for place, point in enumerate(points):
        newton = polynomial(point) / slope(point)
        pull = sum(
            (1 / (point - other) for other in improved[:place] + improved[place + 1 :]), library.acb(0)
        )
        step = newton / (1 - newton * pull)
        if step.is_finite():
            improved[place] = _middle(library, point - step)
        moved.append(abs(step) if step.is_finite() else library.arb(1))
    return improved, moved


def _middle(library: Any, point: Any) -> Any:
    return library.acb(point.real.mid(), point.imag.mid())


_DECIMAL_DIGITS_A_BIT = 0.30103


def _rounded(real: Fraction, imaginary: Fraction, precision: int) -> tuple[Fraction, Fraction]:
    """A point with the digits that a search is believed to have: fewer are nicer to read and faster to confirm."""
    largest = max(abs(real), abs(imaginary))
    if not largest:
        return real, imaginary
    digits = (precision // 2 - 4) * _DECIMAL_DIGITS_A_BIT
    size = (largest.numerator.bit_length() - largest.denominator.bit_length()) * _DECIMAL_DIGITS_A_BIT
    unit = Fraction(10) ** round(digits - size)
    return round(real * unit) / unit, round(imaginary * unit) / unit


def _dyadic(ball: Any) -> Fraction:
    """The middle of a ball."""
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


# ── What is confirmed ────────────────────────────────────────────────────────────────────────────────────────


def confirmed(
    polynomial: Sequence[int],
    factors: Sequence[tuple[Sequence[int], int]],
    centres: Sequence[Sequence[tuple[Fraction, Fraction]]],
) -> list[Disc] | None:
    """Disjoint discs with one root each, for all roots of an integral polynomial; None where that is not shown.

    Coefficients stand from the constant up.  `centres` are points near the roots of each factor; nothing is believed of them or
    of `factors`.
    """
    if not _multiplies_to(polynomial, factors):
        return None
    discs: list[Disc] = []
    for (factor, times), points in zip(factors, centres, strict=True):
        if len(points) != len(factor) - 1:
            return None
        for point in points:
            radius = _radius(factor, point)
            if radius is None:
                return None
            discs.append(Disc(*point, radius, times))
    for place, one in enumerate(discs):
        if any(not _apart(one, other) for other in discs[:place]):
            return None
        # The conjugate of a root is a root: a disc that touches the real axis is centred on it.
        if one.imaginary and abs(one.imaginary) <= one.radius:
            return None
    return discs


def _multiplies_to(polynomial: Sequence[int], factors: Sequence[tuple[Sequence[int], int]]) -> bool:
    """Whether the factors multiply to the polynomial, up to a constant."""
    product = [1]
    for factor, times in factors:
        if len(factor) < 2 or not factor[-1] or times < 1 or times * (len(factor) - 1) > len(polynomial):
            return False
        for _ in range(times):
            grown = [0] * (len(product) + len(factor) - 1)
            for i, a in enumerate(product):
                for j, b in enumerate(factor):
                    grown[i + j] += a * b
            product = grown
    return len(product) == len(polynomial) and all(
        a * polynomial[-1] == b * product[-1] for a, b in zip(product, polynomial, strict=True)
    )


def _radius(factor: Sequence[int], point: tuple[Fraction, Fraction]) -> Fraction | None:
    """A bound of n·|f(z) / f'(z)|; None where f'(z) is 0."""
    # In integers: z = (x + iy) / d, and every step of Horner's rule is multiplied by d.
    d = math.lcm(point[0].denominator, point[1].denominator)
    x, y = int(point[0] * d), int(point[1] * d)
    real = imaginary = slope_real = slope_imaginary = 0
    scale = 1
    for coefficient in reversed(factor):
        slope_real, slope_imaginary = (
            slope_real * x - slope_imaginary * y + real,
            slope_real * y + slope_imaginary * x + imaginary,
        )
        real, imaginary = real * x - imaginary * y + coefficient * scale, real * y + imaginary * x
        scale *= d
    # Now f(z)·dⁿ and f'(z)·dⁿ⁻¹, where scale is dⁿ⁺¹.
    value = real * real + imaginary * imaginary
    slope = slope_real * slope_real + slope_imaginary * slope_imaginary
    if not slope:
        return None
    return _root_above(Fraction((len(factor) - 1) ** 2 * value, slope * d * d))


def _root_above(square: Fraction) -> Fraction:
    """A decimal of two or three digits, at least √square."""
    if not square:
        return Fraction(0)
    size = (square.numerator.bit_length() - square.denominator.bit_length()) / 2 * _DECIMAL_DIGITS_A_BIT
    unit = Fraction(10) ** (2 - math.floor(size))
    return (math.isqrt(math.floor(square * unit * unit)) + 1) / unit


def _apart(one: Disc, other: Disc) -> bool:
    distance = (one.real - other.real) ** 2 + (one.imaginary - other.imaginary) ** 2
    return distance > (one.radius + other.radius) ** 2
