"""The rules `remainders`, `rational roots`, `subdivision` and `sign change`: against false variants and exact values."""

from __future__ import annotations

import random

import pytest

from kleis.prover.checker.format import SignChange, Subdivision
from kleis.prover.checker.rules.intervals import check_sign_change, check_subdivision
from kleis.prover.checker.rules.rational_roots import check_rational_roots
from kleis.prover.checker.rules.remainders import check_remainders
from kleis.prover.checker.sequent import RejectedError, Sequent
from tests.support.provers.claims import task


def sequent(claim: str) -> Sequent:
    goal = task("", claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


def holds(rule: object, claim: str, *more: object) -> bool:
    assert callable(rule)
    try:
        return bool(rule(sequent(claim), *more) > 0)
    except RejectedError:
        return False


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("∀(n : ℤ). mod(n^17 - n, 17) = 0", True),
        ("∀(n : ℤ). mod(n, 2) = 1 → mod(n * n, 8) = 1", True),
        ("∀(n : ℕ). mod(3^(2 * n + 1) + 2^(n + 2), 7) = 0", True),
        ("∀(a b : ℤ). mod(a^2 + b^2, 4) ≠ 3", True),
        ("∀(n : ℤ). mod(n^4 - n, 4) = 0", False),
        ("∀(n : ℤ). n > 5 → mod(n, 2) = 0", False),
        ("∀(n : ℕ). mod(2^n, 4) = 0", False),
        ("∀(n m : ℕ). mod(2^(n * m), 4) = 1", False),
        ("∀(n : ℤ). mod(n, 0) = 0 ∨ mod(n, 2) < 2", True),
        ("∀(x : ℤ). mod(x * div(x, 2), 2) = 0", False),
    ],
)
def test_remainders(claim: str, expected: bool) -> None:
    assert holds(check_remainders, claim) is expected


def test_remainders_agree_with_exact_evaluation() -> None:
    source = random.Random(5)
    for _ in range(150):
        modulus, base, other = source.randint(2, 12), source.randint(0, 9), source.randint(0, 9)
        a, b, left = source.randint(1, 3), source.randint(0, 3), source.randint(0, modulus - 1)
        claim = f"∀(n : ℕ). mod({base}^({a} * n + {b}) + {other} * n, {modulus}) ≠ {left}"
        exact = all((base ** (a * n + b) + other * n) % modulus != left for n in range(300))
        assert holds(check_remainders, claim) is exact, claim


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("∀(x : ℚ). x^2 ≠ 2", True),
        ("¬(∃(x : ℚ). x^3 - 3 * x + 1 = 0)", True),
        ("∀(p q : ℤ). q ≠ 0 → p^2 ≠ 2 * q^2", True),
        ("¬(∃(x : ℚ). (x : ℝ) = √2)", True),
        ("∀(p q : ℤ). q ≠ 0 → √2 ≠ p / q", True),
        ("∀(x : ℚ). x^2 ≠ 4", False),
        ("∀(x : ℚ). 6 * x^2 - 5 * x + 1 ≠ 0", False),
        ("∀(x : ℝ). x^2 ≠ 2", False),
        ("∀(p q : ℤ). p^2 ≠ 2 * q^2", False),
        ("∀(p q : ℤ). q ≠ 0 → p * p ≠ p * q", False),
        ("∀(p q : ℤ). p ≠ 0 → p * q ≠ 2 * q^2", False),
        ("∀(p q : ℤ). √2 ≠ p / q", False),
        ("∀(x : ℚ). x^2 ≠ x^2", False),
    ],
)
def test_rational_roots(claim: str, expected: bool) -> None:
    assert holds(check_rational_roots, claim) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → exp(x) < 3", True),
        ("∀(x y : ℝ). 0 ≤ x ∧ x ≤ 1 ∧ 0 ≤ y ∧ y ≤ 1 → x * y < 1.01", True),
        ("∀(x : ℝ). 1 ≤ x ∧ x ≤ 2 → ln(x) < 0.7", True),
        ("∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → sin(x) < 0.8", False),
        ("∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → ln(x) < 1", False),
        ("∀(x : ℝ). 0 ≤ x → sin(x) < 2", False),
        ("∀(x : ℝ). -1 ≤ x ∧ x ≤ 1 → 1 / x < 2 ∨ 1 / x > 1", False),
        ("∀(x : ℝ). 1 ≤ x ∧ x ≤ 2 → tan(x) < 100 ∨ tan(x) > 99", False),
    ],
)
def test_subdivision(claim: str, expected: bool) -> None:
    assert holds(check_subdivision, claim, Subdivision(48)) is expected
    assert not holds(check_subdivision, claim, Subdivision(0))


@pytest.mark.parametrize(
    ("claim", "low", "high", "expected"),
    [
        ("∃(x : ℝ). cos(x) = x", "0", "1", True),
        ("∃(x : ℝ). exp(x) = 2 ∧ x > 0", "1/2", "1", True),
        ("∃(x : ℝ). exp(x) = 2 ∧ x > 1", "1/2", "1", False),
        ("∃(x : ℝ). cos(x) = x", "1", "0", False),
        ("∃(x : ℝ). cos(x) = x", "2", "3", False),
        ("∃(x : ℝ). 1 / x = 0", "-1", "1", False),
        ("∃(x : ℝ). tan(x) = 0", "1", "2", False),
        ("∃(x : ℝ). (if x < 0 then -1 else 1) = 0", "-1", "1", False),
        ("∃(x : ℝ). (floor(x) : ℝ) = 0.5", "0", "1", False),
        ("∃(x : ℚ). x * x = 2", "1", "2", False),
    ],
)
def test_sign_change(claim: str, low: str, high: str, expected: bool) -> None:
    assert holds(check_sign_change, claim, SignChange(low, high, 48)) is expected
