"""Initial value problems against closed forms and against scipy's own integrator."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.support.theories.numerics import computed, needs_numeric
from tests.support.theories.running import refusal, value

pytestmark = needs_numeric


@pytest.mark.parametrize(
    ("problem", "exact", "accuracy"),
    [
        ("λ t y . y, [1], [0, 2], 1/2", lambda t: [math.exp(t)], 1e-5),
        (
            "λ t y . [nth(y, 1), 0 - nth(y, 0)], [1, 0], [0, 6], 1",
            lambda t: [math.cos(t), -math.sin(t)],
            1e-5,
        ),
        ("λ t y . [2 * t], [0], [0 - 1, 1], 1/4", lambda t: [t * t - 1], 1e-9),
        ("λ t y . y, [1], [0, 0 - 1], 1/4", lambda t: [math.exp(t)], 1e-5),
        ("λ t y . [0], [3], [0, 1], 1/4", lambda t: [3.0], 0),
    ],
)
def test_solutions_are_near_to_closed_forms(problem: str, exact: Any, accuracy: float) -> None:
    rows = computed(f"ode45({problem})")
    assert len(rows) > 3
    for t, state in rows:
        assert all(abs(a - b) <= accuracy * max(1, abs(b)) for a, b in zip(state, exact(t), strict=True)), (
            t,
            state,
            exact(t),
        )


def test_steps_are_those_of_the_method() -> None:
    """The pendulum at its grid points, as scipy's RK45 has them under the same tolerances."""
    from scipy.integrate import solve_ivp

    rows = computed("ode45(λ t y . [nth(y, 1), 0 - sin(nth(y, 0))], [1, 0], [0, 5], 1)")
    known = solve_ivp(
        lambda t, y: [y[1], -math.sin(y[0])],
        (0, 5),
        [1, 0],
        t_eval=range(6),
        rtol=1e-6,
        atol=1e-9,
        first_step=0.001,
    )
    for (_, state), expected in zip(rows, known.y.T, strict=True):
        assert all(abs(a - b) < 5e-5 for a, b in zip(state, expected, strict=True))


def test_the_grid_ends_where_the_span_ends_if_it_falls_there() -> None:
    assert [t for t, _ in computed("ode45(λ t y . [1], [0], [0, 1])")][-1] == 1
    assert len(computed("ode45(λ t y . [1], [0], [0, 1])")) == 11
    assert [t for t, _ in computed("ode45(λ t y . [1], [0], [0, 1], 3/10)")] == pytest.approx(
        [0, 0.3, 0.6, 0.9]
    )
    assert computed("ode45(λ t y . [1], [5], [2, 2])") == [[2, [5]]]


def test_functions_of_every_kind_are_taken() -> None:
    expected = value("ode45(λ t y . [2 * nth(y, 0)], [1], [0, 1], 1)")
    assert value("ode45(grow, [1], [0, 1], 1)", "define grow(t, y) = [2 * nth(y, 0)]") == expected
    made = "define make(k) = λ t y . [k * nth(y, 0)]"
    assert value("ode45(make(2), [1], [0, 1], 1)", made) == expected


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("λ t y . [nth(y, 0)^2], [1], [0, 3]", "the step became too small at t = 1.0000"),
        ("λ t y . [1 / (nth(y, 0) - 1)], [1], [0, 1]", "at t = 0: division by zero"),
        ('λ t y . ["a"], [1], [0, 1]', "at t = 0"),
        ("λ t y . 5, [1], [0, 1]", "f at t = 0 is an integer"),
        ("λ t y . [exp(nth(y, 0)^2)], [1], [0, 3]", "t = "),
    ],
)
def test_a_failure_says_the_time(problem: str, words: str) -> None:
    error = refusal(f"ode45({problem})")
    assert error.code in ("numeric", "shape")
    assert words in error.message
