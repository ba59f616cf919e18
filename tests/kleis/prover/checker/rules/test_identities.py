"""The rules `identity`, `sums` and `law`: what is true is shown, and no false variant of it."""

from __future__ import annotations

import pytest

from kleis.builtins.laws import LAWS
from kleis.prover.checker.format import Identity, Law, Sums
from kleis.prover.checker.rules.identities import asked_for, check_identity
from kleis.prover.checker.rules.laws import check_law, law
from kleis.prover.checker.rules.sums import check_sums
from kleis.prover.checker.sequent import RejectedError, Sequent
from tests.support.provers.claims import task


def sequent(claim: str) -> Sequent:
    goal = task("", claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). sin(x)^2 + cos(x)^2 = 1",
        "∀(x : ℝ). sin(3 * x) = 3 * sin(x) - 4 * sin(x)^3",
        "∀(x y : ℝ). 2 * sin(x) * sin(y) = cos(x - y) - cos(x + y)",
        "∀(x : ℝ). sin(x + π / 2) = cos(x)",
        "cos(π / 12) = (√6 + √2) / 4",
        "∀(x y : ℝ). exp(x - y) = exp(x) / exp(y)",
        "∀(x : ℝ). cosh(x)^2 - sinh(x)^2 = 1",
        "√12 = 2 * √3",
        "∀(x y z : ℝ). x^2 + (y + z)^2 = x * x + y^2 + 2 * y * z + z^2",
        "∀(x : ℝ, m n : ℕ). x^(m + n) = x^m * x^n",
        "∀(x y : ℝ, n : ℕ). (x * y)^n = x^n * y^n",
        "∀(n : ℕ). 6^n = 2^n * 3^n",
        "∀(A B : Matrix(3, 3, ℝ)). det(A * B) = det(A) * det(B)",
        "∀(A : Matrix(2, 3, ℝ), B : Matrix(3, 2, ℝ)). transpose(A * B) = transpose(B) * transpose(A)",
        "∀(a b c d : ℝ). a * d - b * c ≠ 0 → "
        "[[a, b], [c, d]] * scalar_matrix_mul(1 / (a * d - b * c), [[d, -b], [-c, a]]) = eye(2)",
    ],
)
def test_what_rests_on_nothing(claim: str) -> None:
    assert check_identity(sequent(claim), Identity()) > 0
    with pytest.raises(RejectedError, match="nothing"):
        check_identity(sequent(claim), Identity("step 1"))
    with pytest.raises(RejectedError):
        check_identity(sequent(claim), Identity(), 3)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)",
        "∀(x : ℝ). ln(x^2) = 2 * ln(x)",
        "∀(x : ℝ). √x * √x = x",
        "∀(x : ℝ). x / x = 1",
        "∀(x : ℝ, m n : ℤ). x^(m + n) = x^m * x^n",
        "∀(x : ℝ, m n : ℕ). x^(m - n) * x^n = x^m",
        "∀(x : ℝ). tan(x) * cos(x) = sin(x)",
        "∀(a b c d : ℝ). [[a, b], [c, d]] * scalar_matrix_mul(1 / (a * d - b * c), [[d, -b], [-c, a]]) = eye(2)",
    ],
)
def test_what_does_not_hold_everywhere_asks_for_more(claim: str) -> None:
    given = sequent(claim)
    asked, _ = asked_for(given.goal, given.claim, 1_000_000)
    assert asked is not None
    with pytest.raises(RejectedError, match="not given"):
        check_identity(given, Identity())
    other = Sequent(given.goal, (("step 1", given.claim),), given.claim)
    with pytest.raises(RejectedError, match="not what"):
        check_identity(other, Identity("step 1"))
    assert check_identity(Sequent(given.goal, (("step 1", asked),), given.claim), Identity("step 1")) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℝ). sin(2 * x) = 2 * sin(x)",
        "∀(x y z : ℝ). (x^y)^z = x^(y * z)",
        "∀(x : ℝ). sin(x)^2 - cos(x)^2 = 1",
        "∀(x : ℝ). √(x^2) = x",
        "√2 + √3 = √5",
        "∀(x : ℝ). abs(x) = x",
        "∀(x y : ℝ). exp(x * y) = exp(x) * exp(y)",
        "∀(x y : ℝ). abs(x + y) = abs(x) + abs(y)",
        "∀(n : ℕ). 0^n = 0",
        "∀(n : ℕ). (-1)^n = 1",
        "∀(x : ℝ, m n : ℕ). x^(m * n) = x^m * x^n",
        "∀(A B : Matrix(2, 2, ℝ)). A * B = B * A",
        "∀(A B : Matrix(2, 2, ℝ)). det(matrix_add(A, B)) = det(A) + det(B)",
        "∀(A B : Matrix(2, 2, ℝ)). transpose(A * B) = transpose(A) * transpose(B)",
    ],
)
def test_what_is_false_is_never_shown(claim: str) -> None:
    given = sequent(claim)
    with pytest.raises(RejectedError):
        asked_for(given.goal, given.claim, 1_000_000)


_PARTIAL = "(if 1 / x > 0 then x else 1)"
"""Undefined at 0."""


@pytest.mark.parametrize(
    "claim",
    [
        "∀(n : ℕ). prod_bounds(λ i . 1 / (i - 3), 0, n) - prod_bounds(λ i . 1 / (i - 3), 0, n) = 0",
        "∀(n : ℕ). Σ(0, n, λ i . 1 / (i - 3)) = Σ(0, n, λ i . 1 / (i - 3))",
        "∀(x : ℝ). foldl(λ a b . a / b, x, [1, 0]) = foldl(λ a b . a / b, x, [1, 0])",
        f"∀(x : ℝ). {_PARTIAL} = {_PARTIAL}",
        f"∀(x : ℝ). {_PARTIAL} = {_PARTIAL} → 2 * {_PARTIAL} = {_PARTIAL} + {_PARTIAL}",
    ],
)
def test_what_may_have_no_value_asks_for_one(claim: str) -> None:
    """A function that is given may be partial, and that a hypothesis says so gives a term no value."""
    given = sequent(claim)
    with pytest.raises(RejectedError, match="not given"):
        check_identity(given, Identity())


def test_a_total_function_that_is_given_asks_for_nothing() -> None:
    given = sequent("∀(n : ℕ). prod_bounds(λ i . i * i, 0, n) + 1 = 1 + prod_bounds(λ i . i * i, 0, n)")
    assert check_identity(given, Identity()) > 0


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ). 6 * Σ(1, n, λ i . i^2) = n * (n + 1) * (2 * n + 1)", True),
        ("∀(n : ℕ). Σ(0, n, λ i . i) = n * (n + 1) / 2", True),
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * n / 2", False),
        ("∀(n : ℕ). Σ(1, n, λ i . i) = n * (n + 1) / 2 + 1", False),
        ("∀(n : ℕ). Σ(2, n, λ i . i) = n * (n + 1) / 2 - 1", False),
        ("∀(n : ℕ). Σ(0, n, λ i . n) = n * n", False),
        ("∀(n : ℕ). n = 0 → Σ(1, n, λ i . i) = n * n", False),
    ],
)
def test_sums_by_induction(claim: str, holds: bool) -> None:
    if holds:
        assert check_sums(sequent(claim), Sums("n")) > 0
    else:
        with pytest.raises(RejectedError):
            check_sums(sequent(claim), Sums("n"))
    with pytest.raises(RejectedError, match="no such"):
        check_sums(sequent(claim), Sums("m"))


def test_a_law_is_itself_and_no_other() -> None:
    goal = task("", "1 = 1").goal
    for name in LAWS:
        check_law(Sequent(goal, (), law(name)), Law(name))
    with pytest.raises(RejectedError, match="no law"):
        check_law(Sequent(goal, (), law("pythagoras")), Law("nothing"))
    with pytest.raises(RejectedError, match="not the law"):
        check_law(Sequent(goal, (), law("pythagoras")), Law("sine is odd"))
    false = sequent("∀(x y : ℝ). ln(x * y) = ln(x) + ln(y)")
    with pytest.raises(RejectedError, match="not the law"):
        check_law(false, Law("logarithm of a product"))
