"""The built-in real functions on bounds: inverse functions, domains, and that each is a row of the built-in table."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kleis.builtins.rows.table import find_builtin
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.rational_bounds import Enclosure, NotEnclosed, divided, minus, plus, scaled, times
from kleis.semantics.real_functions import FUNCTIONS, applied

OF = Elementary(160, lambda steps: None)


def _at(name: str, *points: Fraction | int) -> Enclosure:
    return applied(OF, name, *((Fraction(each), Fraction(each)) for each in points))


def _holds(bounds: Enclosure, x: Fraction) -> bool:
    return bounds[0] <= x <= bounds[1] and bounds[1] - bounds[0] < Fraction(1, 1 << 100)


def _meet(one: Enclosure, other: Enclosure) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def test_every_function_is_a_built_in() -> None:
    assert [name for name in FUNCTIONS if find_builtin(name) is None] == []


@pytest.mark.parametrize(
    ("name", "inverse", "low", "high"),
    [
        ("asin", "sin", -1, 1),
        ("acos", "cos", -1, 1),
        ("atan", "tan", -50, 50),
        ("sinh", "asinh", -9, 9),
        ("asinh", "sinh", -99, 99),
        ("acosh", "cosh", 1, 99),
        ("tanh", "atanh", -5, 5),
        ("atanh", "tanh", Fraction(-99, 100), Fraction(99, 100)),
        ("exp2", "log2", -50, 50),
        ("log2", "exp2", Fraction(1, 50), 50),
        ("exp", "ln", -50, 50),
    ],
)
def test_inverse_functions(name: str, inverse: str, low: Fraction, high: Fraction) -> None:
    for part in range(25):
        x = Fraction(low) + (Fraction(high) - low) * part / 24
        assert _holds(applied(OF, inverse, _at(name, x)), x), x


@given(some.fractions(min_value=-30, max_value=30, max_denominator=1000))
def test_made_of_exp(x: Fraction) -> None:
    sinh, cosh = _at("sinh", x), _at("cosh", x)
    assert _meet(plus(sinh, cosh), _at("exp", x))
    assert _meet(minus(cosh, sinh), _at("exp", -x))
    assert _meet(divided(sinh, cosh), _at("tanh", x))
    assert _meet(_at("log10", 10 * abs(x) + 1), divided(_at("ln", 10 * abs(x) + 1), _at("ln", 10)))


@given(some.integers(-9, 9), some.integers(-9, 9))
def test_angles_and_lengths_of_points(y: int, x: int) -> None:
    if x == y == 0:
        with pytest.raises(NotEnclosed):
            _at("atan2", y, x)
        return
    angle, length = _at("atan2", y, x), _at("hypot", x, y)
    assert _holds(times(length, applied(OF, "cos", angle)), Fraction(x))
    assert _holds(times(length, applied(OF, "sin", angle)), Fraction(y))
    assert -OF.pi()[0] < angle[1]
    assert angle[0] < OF.pi()[1]


def test_angles_between_which_the_sign_of_y_is_not_known() -> None:
    about_zero = (Fraction(-1, 10), Fraction(1, 10))
    with pytest.raises(NotEnclosed):
        applied(OF, "atan2", about_zero, (Fraction(-2), Fraction(-1)))
    assert applied(OF, "atan2", about_zero, (Fraction(1), Fraction(2)))[1] < Fraction(1, 9)


def test_degrees() -> None:
    assert _meet(_at("deg_to_rad", 180), _at("pi"))
    assert _meet(_at("tau"), scaled(_at("pi"), 2))


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("asin", Fraction(1001, 1000)),
        ("asin", Fraction(-2)),
        ("acos", Fraction(2)),
        ("acosh", Fraction(999, 1000)),
        ("atanh", Fraction(1)),
        ("atanh", Fraction(-1)),
        ("ln", Fraction(0)),
        ("log2", Fraction(-1)),
        ("log10", Fraction(0)),
        ("sqrt", Fraction(-1)),
    ],
)
def test_outside_of_the_domain_nothing_is_said(name: str, point: Fraction) -> None:
    with pytest.raises(NotEnclosed):
        _at(name, point)
    inside = Fraction(3, 2) if name == "acosh" else Fraction(1, 2)
    with pytest.raises(NotEnclosed):
        applied(OF, name, (min(point, inside), max(point, inside)))


def test_a_tangent_over_a_pole_is_not_enclosed() -> None:
    with pytest.raises(NotEnclosed):
        applied(OF, "tan", (Fraction(157, 100), Fraction(158, 100)))
    with pytest.raises(NotEnclosed):
        applied(OF, "tan", scaled(OF.pi(), Fraction(1, 2)))
