"""The built-in real functions on rational bounds, each made of the series of `kleis.semantics.elementary_bounds`.

Call `applied`.  Nothing has a row in `FUNCTIONS` whose value is not that of the built-in wherever its arguments are in the
enclosures; where a condition of the built-in is not shown for all of them, it is `NotEnclosed`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from kleis.semantics.elementary_bounds import Elementary
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

__all__ = ["FUNCTIONS", "applied"]

_TWO = Fraction(2)


def applied(of: Elementary, name: str, *arguments: Enclosure) -> Enclosure:
    """A function of `FUNCTIONS` at all arguments in these enclosures; `NotEnclosed` where it is not known."""
    return of.rounded(FUNCTIONS[name](of, *map(of.rounded, arguments)))


def _logarithm(of: Elementary, x: Enclosure) -> Enclosure:
    return increasing(of.ln, x)


def _to_base(base: int) -> Callable[[Elementary, Enclosure], Enclosure]:
    point = (Fraction(base), Fraction(base))
    return lambda of, x: divided(_logarithm(of, x), _logarithm(of, point))


def _root(of: Elementary, x: Enclosure) -> Enclosure:
    return increasing(of.sqrt, x)


def _exponential(of: Elementary, x: Enclosure) -> Enclosure:
    return increasing(of.exp, x)


def _arc_sine(of: Elementary, x: Enclosure) -> Enclosure:
    def at(end: Fraction) -> Enclosure:
        if abs(end) > 1:
            raise NotEnclosed
        if abs(end) == 1:
            return scaled(of.pi(), end / 2)
        return increasing(of.atan, of.rounded(divided((end, end), of.sqrt(1 - end * end))))

    return increasing(at, x)


def _arc_cosine(of: Elementary, x: Enclosure) -> Enclosure:
    return minus(scaled(of.pi(), Fraction(1, 2)), _arc_sine(of, x))


def _angle(of: Elementary, y: Enclosure, x: Enclosure) -> Enclosure:
    """atan2, on the half planes x > 0, y > 0 and y < 0, and on the ray y = 0 > x."""
    if x[0] > 0:
        return increasing(of.atan, divided(y, x))
    if y[0] > 0 or y[1] < 0:
        quarter = scaled(of.pi(), Fraction(1, 2) if y[0] > 0 else Fraction(-1, 2))
        return minus(quarter, increasing(of.atan, divided(x, y)))
    if y[0] == y[1] == 0 and x[1] < 0:
        return of.pi()
    raise NotEnclosed


def _hyperbolic_sine(of: Elementary, x: Enclosure) -> Enclosure:
    def at(end: Fraction) -> Enclosure:
        grown = of.exp(end)
        return scaled(minus(grown, divided(ONE, grown)), Fraction(1, 2))

    return increasing(at, x)


def _hyperbolic_cosine(of: Elementary, x: Enclosure) -> Enclosure:
    def at(end: Fraction) -> Enclosure:
        grown = of.exp(end)
        return scaled(plus(grown, divided(ONE, grown)), Fraction(1, 2))

    return increasing(at, absolute(x))


def _hyperbolic_tangent(of: Elementary, x: Enclosure) -> Enclosure:
    return increasing(lambda end: minus(ONE, divided((_TWO, _TWO), plus(of.exp(2 * end), ONE))), x)


def _area(of: Elementary, end: Fraction, constant: int) -> Enclosure:
    """ln(x + √(x² + c)) for x ≥ 0"""
    return _logarithm(of, of.rounded(plus((end, end), of.sqrt(end * end + constant))))


def _area_sine(of: Elementary, x: Enclosure) -> Enclosure:
    return increasing(lambda end: _area(of, end, 1) if end >= 0 else negated(_area(of, -end, 1)), x)


def _area_cosine(of: Elementary, x: Enclosure) -> Enclosure:
    if x[0] < 1:
        raise NotEnclosed
    return increasing(lambda end: _area(of, end, -1), x)


def _area_tangent(of: Elementary, x: Enclosure) -> Enclosure:
    if x[0] <= -1 or x[1] >= 1:
        raise NotEnclosed
    return increasing(lambda end: scaled(of.ln((1 + end) / (1 - end)), Fraction(1, 2)), x)


FUNCTIONS: dict[str, Callable[..., Enclosure]] = {
    "plus": lambda of, a, b: plus(a, b),
    "minus": lambda of, a, b: minus(a, b),
    "negate": lambda of, a: negated(a),
    "times": lambda of, a, b: times(a, b),
    "divide": lambda of, a, b: divided(a, b),
    "abs": lambda of, a: absolute(a),
    "min": lambda of, a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda of, a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "pi": lambda of: of.pi(),
    "tau": lambda of: scaled(of.pi(), Fraction(2)),
    "e": lambda of: of.exp(Fraction(1)),
    "power": Elementary.power,
    "exp": _exponential,
    "exp2": lambda of, x: of.power((_TWO, _TWO), x),
    "ln": _logarithm,
    "log2": _to_base(2),
    "log10": _to_base(10),
    "sqrt": _root,
    "hypot": lambda of, a, b: _root(of, plus(of.power(a, (_TWO, _TWO)), of.power(b, (_TWO, _TWO)))),
    "sin": lambda of, x: of.sine_and_cosine(x)[0],
    "cos": lambda of, x: of.sine_and_cosine(x)[1],
    "tan": lambda of, x: divided(*of.sine_and_cosine(x)),
    "asin": _arc_sine,
    "acos": _arc_cosine,
    "atan": lambda of, x: increasing(of.atan, x),
    "atan2": _angle,
    "sinh": _hyperbolic_sine,
    "cosh": _hyperbolic_cosine,
    "tanh": _hyperbolic_tangent,
    "asinh": _area_sine,
    "acosh": _area_cosine,
    "atanh": _area_tangent,
    "deg_to_rad": lambda of, x: scaled(times(x, of.pi()), Fraction(1, 180)),
}
"""By the name of a built-in of real numbers."""
