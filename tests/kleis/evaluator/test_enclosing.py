"""`interval` and `enclose`: the value lies between the bounds, the bounds are near, and the prover agrees."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.values import ListValue, is_number
from tests.support.theories.running import evaluation, refusal, value


def bounds(expression: str, program: str = "") -> tuple[Fraction, Fraction]:
    found = evaluation(expression, program)
    assert not found.approximate
    assert isinstance(found.value, ListValue)
    low, high = found.value
    assert isinstance(low, (int, Fraction))
    assert isinstance(high, (int, Fraction))
    return Fraction(low), Fraction(high)


expressions = st.recursive(
    st.integers(0, 5).map(str) | st.sampled_from(["1/3", "pi()", "e()", "sqrt(2)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda each: f"({' '.join(each)})"),
        inner.map(lambda each: f"sin({each})"),
        inner.map(lambda each: f"cos({each})"),
        inner.map(lambda each: f"atan({each})"),
        inner.map(lambda each: f"abs({each})"),
    ),
    max_leaves=5,
)


@settings(max_examples=60, deadline=None)
@given(expressions)
def test_a_number_lies_within_its_interval(expression: str) -> None:
    low, high = bounds(f"interval({expression})")
    double = evaluation(expression).value
    assert is_number(double)
    assert isinstance(double, (int, float, Fraction))
    slack = Fraction(1, 10**9) * max(1, abs(Fraction(double)))
    assert low - slack <= Fraction(double) <= high + slack
    assert high - low <= Fraction(1, 10**14) * max(1, abs(low))


def test_squares_of_the_bounds_of_a_root_are_around_its_square() -> None:
    low, high = bounds("interval(sqrt(2))")
    assert low**2 < 2 < high**2
    assert bounds("interval(1/3)") == (Fraction(1, 3), Fraction(1, 3))


def test_cancellation_raises_the_precision() -> None:
    low, high = bounds("interval(sin(10^22))")
    assert low < Fraction(math.sin(10.0**22)) < high or high - low < Fraction(1, 10**15)
    low, high = bounds("interval((sqrt(2) * 10^30 + 1) - sqrt(2) * 10^30)")
    assert low <= 1 <= high
    assert high - low < Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("call", "least", "greatest"),
    [
        ("enclose(λ x . x * x - x, 0, 1)", -0.25, 0),
        ("enclose(sin, 0, 3)", 0, 1),
        ("enclose(λ x . exp(0 - x * x), 0 - 1, 2)", math.exp(-4), 1),
        ("enclose(λ x . x^3 - 3 * x, 0 - 2, 2)", -2, 2),
        ("let k = 3 in enclose(λ x . k * x, 0, 1)", 0, 3),
    ],
)
def test_a_range_holds_all_values_and_little_more(call: str, least: float, greatest: float) -> None:
    low, high = bounds(call)
    assert low <= least + 1e-12
    assert high >= greatest - 1e-12
    assert (least - low) + (high - greatest) <= 0.01 * max(1, greatest - least)


def test_definitions_lets_and_conditions_are_read() -> None:
    program = "define twice(x) = 2 * x\ndefine power_of(x, n) = if n = 0 then 1 else x * power_of(x, n - 1)"
    assert bounds("interval(twice(1/3))", program) == (Fraction(2, 3), Fraction(2, 3))
    low, high = bounds("interval(power_of(sqrt(2), 4))", program)
    assert low <= 4 <= high
    assert bounds("interval(let a = 1/2 in a * a)") == (Fraction(1, 4), Fraction(1, 4))


@pytest.mark.parametrize(
    "call",
    [
        "interval(1/0)",
        "interval(ln(0))",
        "interval(sqrt(0 - 1))",
        "interval(length([1]))",
        "let c = sin(1) in interval(c)",
        "enclose(λ x . 1 / x, 0 - 1, 1)",
        "enclose(λ x . x, 1, 0)",
        "enclose(λ x . x, 0, sin(1))",
        "enclose(5, 0, 1)",
        "interval(f(1))",
    ],
)
def test_what_is_not_shown_to_have_a_value_has_no_interval(call: str) -> None:
    program = "define f(x) = f(x)"
    assert refusal(call, program).code in ("enclosure", "sort")


def test_names_of_the_program_win() -> None:
    assert value("interval(5)", "define interval(x) = x + 1") == "6"
    assert value("interval(x)") == "interval(x)"
    assert value("enclose(f, 0, 1)") == "enclose(f, 0, 1)"


@pytest.mark.parametrize("expression", ["sqrt(2)", "sin(1)", "exp(1)"])
def test_the_prover_confirms_an_interval(expression: str) -> None:
    from kleis.semantics.elementary_bounds import Elementary
    from kleis.semantics.real_functions import applied

    low, high = bounds(f"interval({expression})")
    name, _, argument = expression.rstrip(")").partition("(")
    point = Fraction(argument)
    exact = applied(Elementary(256, lambda steps: None), name, (point, point))
    assert low <= exact[0] <= exact[1] <= high
