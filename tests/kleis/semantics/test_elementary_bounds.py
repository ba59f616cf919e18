"""Series between rationals, against independent computations: decimals, other series, identities.  No floats."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kleis.semantics import elementary_bounds, rational_bounds, real_functions
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.rational_bounds import (
    ONE,
    Enclosure,
    NotEnclosed,
    divided,
    increasing,
    minus,
    plus,
    scaled,
    times,
)
from tests.kleis.prover.checker.test_translation_size import lines_of_code

BITS = 200
OF = Elementary(BITS, lambda steps: None)

_DECIMALS = Context(prec=100, Emax=10**6, Emin=-(10**6))
_NEAR = Fraction(1, 10**90)

points = some.fractions(min_value=-40, max_value=40, max_denominator=10**6)
positive = some.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)


def _decimal(x: Fraction) -> Decimal:
    return _DECIMALS.divide(Decimal(x.numerator), Decimal(x.denominator))


def _agrees(found: Enclosure, value: Decimal) -> None:
    """The value to 90 of its digits meets the bounds, which are narrow."""
    exact = Fraction(value)
    slack = abs(exact) * _NEAR + _NEAR
    assert found[0] - slack <= exact <= found[1] + slack
    assert found[0] <= found[1]
    assert found[1] - found[0] <= (abs(exact) + 1) * Fraction(1, 1 << (BITS - 12))


def _meet(one: Enclosure, other: Enclosure) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


@given(points)
def test_exp_is_that_of_decimals(x: Fraction) -> None:
    _agrees(OF.exp(x), _DECIMALS.exp(_decimal(x)))


@given(positive)
def test_ln_is_that_of_decimals(x: Fraction) -> None:
    _agrees(OF.ln(x), _DECIMALS.ln(_decimal(x)))


@given(positive)
def test_sqrt_is_that_of_decimals(x: Fraction) -> None:
    found = OF.sqrt(x)
    _agrees(found, _DECIMALS.sqrt(_decimal(x)))
    assert found[0] ** 2 <= x <= found[1] ** 2


@given(some.fractions(min_value=0, max_value=10**9))
def test_the_root_of_a_square_is_known_exactly(x: Fraction) -> None:
    assert OF.sqrt(Fraction(x.numerator) ** 2) == (Fraction(x.numerator), Fraction(x.numerator))


def test_pi_is_that_of_another_formula() -> None:
    """π = 20·atan(1/7) + 8·atan(3/79), summed in fractions."""

    def arctangent(x: Fraction, terms: int) -> Enclosure:
        sums = [Fraction(0)]
        for k in range(terms):
            sums.append(sums[-1] + Fraction((-1) ** k) * x ** (2 * k + 1) / (2 * k + 1))
        return min(sums[-2:]), max(sums[-2:])

    other = plus(scaled(arctangent(Fraction(1, 7), 45), 20), scaled(arctangent(Fraction(3, 79), 30), 8))
    found = OF.pi()
    assert found[0] <= other[0] <= other[1] <= found[1] or _meet(found, other)
    assert found[1] - found[0] < Fraction(1, 1 << (BITS - 12))


def _taylor(x: Fraction, start: int) -> Enclosure:
    """sin (start 1) or cos (start 0) for |x| ≤ 7, by a partial sum and the next term, in fractions."""
    term = Fraction(x) if start else Fraction(1)
    total, k = Fraction(0), start
    while k < 90:
        total += term
        term *= -x * x / ((k + 1) * (k + 2))
        k += 2
    return total - abs(term), total + abs(term)


@given(some.fractions(min_value=-7, max_value=7, max_denominator=50))
def test_sine_and_cosine_are_those_of_taylor(x: Fraction) -> None:
    sine, cosine = OF.sine_and_cosine((x, x))
    for found, start in ((sine, 1), (cosine, 0)):
        expected = _taylor(x, start)
        assert _meet(found, expected)
        assert found[1] - found[0] < Fraction(1, 1 << (BITS - 12))


@given(some.fractions(min_value=-(10**30), max_value=10**30, max_denominator=1000), points)
def test_addition_theorems(a: Fraction, b: Fraction) -> None:
    (sine_a, cosine_a), (sine_b, cosine_b) = OF.sine_and_cosine((a, a)), OF.sine_and_cosine((b, b))
    sine, cosine = OF.sine_and_cosine((a + b, a + b))
    assert _meet(sine, plus(times(sine_a, cosine_b), times(cosine_a, sine_b)))
    assert _meet(cosine, minus(times(cosine_a, cosine_b), times(sine_a, sine_b)))
    assert _meet(ONE, plus(times(sine, sine), times(cosine, cosine)))


@given(some.fractions(min_value=-(10**6), max_value=10**6))
def test_the_tangent_of_the_arc_tangent(x: Fraction) -> None:
    between = OF.atan(x)
    tangent = divided(*OF.sine_and_cosine(between))
    assert tangent[0] <= x <= tangent[1]


@given(points, points)
def test_exp_of_a_sum_and_ln_of_exp(a: Fraction, b: Fraction) -> None:
    assert _meet(OF.exp(a + b), times(OF.exp(a), OF.exp(b)))
    back = increasing(OF.ln, OF.exp(a))
    assert back[0] <= a <= back[1]


@given(positive, some.fractions(min_value=-8, max_value=8, max_denominator=9))
def test_powers_with_fractions_are_roots(base: Fraction, exponent: Fraction) -> None:
    found = OF.power((base, base), (exponent, exponent))
    back = OF.power(found, (Fraction(exponent.denominator),) * 2)
    plain = base**exponent.numerator
    assert back[0] <= plain <= back[1]


@given(some.fractions(min_value=-9, max_value=9, max_denominator=9), some.integers(-9, 9))
def test_powers_with_whole_exponents_are_products(base: Fraction, exponent: int) -> None:
    if base == 0 and exponent < 0:
        with pytest.raises(NotEnclosed):
            OF.power((base, base), (Fraction(exponent),) * 2)
        return
    found = OF.power((base, base), (Fraction(exponent),) * 2)
    assert found[0] <= base**exponent <= found[1]


@given(
    some.fractions(min_value=-3, max_value=3), some.fractions(min_value=0, max_value=2), some.integers(0, 6)
)
def test_powers_of_what_lies_between(low: Fraction, width: Fraction, exponent: int) -> None:
    found = OF.power((low, low + width), (Fraction(exponent),) * 2)
    for part in range(5):
        assert found[0] <= (low + width * part / 4) ** exponent <= found[1]


_POINTWISE: tuple[tuple[Callable[[Enclosure], Enclosure], Fraction], ...] = (
    (lambda x: OF.sine_and_cosine(x)[0], Fraction(-20)),
    (lambda x: OF.sine_and_cosine(x)[1], Fraction(-20)),
    (lambda x: increasing(OF.exp, x), Fraction(-20)),
    (lambda x: increasing(OF.atan, x), Fraction(-20)),
    (lambda x: increasing(OF.ln, x), Fraction(1, 1000)),
    (lambda x: increasing(OF.sqrt, x), Fraction(0)),
)


@given(
    some.sampled_from(_POINTWISE),
    some.fractions(min_value=0, max_value=20, max_denominator=99),
    some.fractions(min_value=0, max_value=1, max_denominator=99),
)
def test_bounds_over_an_interval_hold_the_values_inside(
    row: tuple[Callable[[Enclosure], Enclosure], Fraction], start: Fraction, width: Fraction
) -> None:
    function, least = row
    low = least + start
    whole = function((low, low + width))
    for part in range(4):
        inside = function((low + width * part / 3,) * 2)
        assert whole[0] <= inside[1]
        assert inside[0] <= whole[1]
        assert whole[0] <= (inside[0] + inside[1]) / 2 <= whole[1]


@pytest.mark.parametrize("bits", [1, 2, 8, 53, 128, 1024, 4096])
def test_every_precision_agrees_with_the_others(bits: int) -> None:
    of = Elementary(bits, lambda steps: None)
    x = Fraction(7, 3)
    for name in ("exp", "ln", "sqrt", "atan"):
        assert _meet(getattr(of, name)(x), getattr(OF, name)(x))
    for coarse, fine in zip(of.sine_and_cosine((x, x)), OF.sine_and_cosine((x, x)), strict=True):
        assert _meet(coarse, fine)
    assert _meet(of.pi(), OF.pi())


@pytest.mark.parametrize(
    "ask",
    [
        lambda: OF.ln(Fraction(0)),
        lambda: OF.ln(Fraction(-1)),
        lambda: OF.sqrt(Fraction(-1, 10**50)),
        lambda: OF.exp(Fraction(10**6)),
        lambda: OF.exp(Fraction(-(10**6))),
        lambda: OF.sine_and_cosine((Fraction(1 << 5000),) * 2),
        lambda: OF.power((Fraction(2),) * 2, (Fraction(10**9),) * 2),
        lambda: OF.power((Fraction(0), Fraction(1)), (Fraction(1, 2),) * 2),
        lambda: OF.power((Fraction(-8),) * 2, (Fraction(1, 3),) * 2),
        lambda: divided(ONE, (Fraction(-1), Fraction(1))),
        lambda: divided(ONE, (Fraction(0), Fraction(1))),
    ],
)
def test_what_has_no_value_or_is_too_large_is_not_enclosed(ask: Callable[[], object]) -> None:
    with pytest.raises(NotEnclosed):
        ask()


def test_work_is_charged_before_it_is_done() -> None:
    class Stop(Exception):
        pass

    def stop(steps: int) -> None:
        assert steps > 1_000
        raise Stop

    of = Elementary(4096, stop)
    for ask in (of.pi, lambda: of.exp(Fraction(1)), lambda: of.ln(Fraction(2)), lambda: of.atan(Fraction(2))):
        with pytest.raises(Stop):
            ask()
    with pytest.raises(Stop):
        of.sine_and_cosine(ONE)


@pytest.mark.parametrize("module", [rational_bounds, elementary_bounds, real_functions])
def test_the_bounds_are_short_and_without_floats(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]
    assert lines_of_code(text) <= 250
    for each in ast.walk(ast.parse(text)):
        assert not (isinstance(each, ast.Constant) and isinstance(each.value, float))
        assert not (isinstance(each, ast.Name) and each.id == "float")
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "math":
            assert each.attr in ("isqrt", "floor", "ceil")
