"""Claims that a careless evaluator would prove: false, undefined, beyond any range, opaque, endless, too large.

See docs/reference/proving.md §6.4.
"""

from __future__ import annotations

import pytest

from kleis.prover.engines.computation.evaluation import EVALUATION, check_evaluation
from tests.support.provers.claims import task

STEPS = 100_000

OPAQUE = """
structure Section {
  operation f : ℤ → ℤ
  element c : ℤ
}
"""
ENDLESS = "define spin(n : ℤ) : ℤ = spin(n) + 1\n"
DEEP = "define count(n : ℤ) : ℤ = if n ≤ 0 then 0 else 1 + count(n - 1)\n"
ACKERMANN = """
define ack(m : ℕ, n : ℕ) : ℕ =
  if m = 0 then n + 1 else if n = 0 then ack(m - 1, 1) else ack(m - 1, ack(m, n - 1))
"""
NARROW = "define same(n : ℕ) : ℕ = n\n"
COLOURS = "data Colour = Red | Green | Blue\n"

FALSE = [
    ("", "length([1, 2]) = 3"),
    ("", "reverse([1, 2]) = [1, 2]"),
    ("", "sin(0) = 1"),
    ("", 'strlen("ab") = 3'),
    ("", "∀(n : ℕ). n < 5 → n * n < 16"),
    ("", "∀(x : ℤ). 0 - 3 ≤ x ∧ x ≤ 3 → x * x ≤ 8"),
    ("", "∃(x : ℤ). 0 ≤ x ∧ x < 100 ∧ x * x = 2"),
    ("", "∀(x : ℤ). in_set(x, [1, 2, 3]) → x < 3"),
    ("", '∀(s : String). in_set(s, ["a", "bc"]) → strlen(s) = 1'),
    (COLOURS, "∀(c d : Colour). c = d"),
    ("", "∀(a b : Bool). (a → b) = (b → a)"),
]
"""Plainly false."""

UNDEFINED = [
    ("", "head([] : List(ℤ)) = head([] : List(ℤ))"),
    ("", "1 / 0 = 1 / 0"),
    ("", "div(7, 0) = div(7, 0)"),
    ("", "nth([1, 2], 2) = nth([1, 2], 2)"),
    ("", "sqrt(0 - 1) = sqrt(0 - 1)"),
    ("", "ln(0) = ln(0)"),
    ("", "map(λ x . 1 / x, [1, 0]) = map(λ x . 1 / x, [1, 0])"),
    ("", "¬(1 / 0 = 1)"),
    ("", "∀(x : ℤ). 0 ≤ x ∧ x < 3 → x / x = 1"),
    ("", "∀(x : ℤ). 0 ≤ x ∧ x < 3 ∧ 1 / x > 0 → x > 0"),
    (NARROW, "same(0 - 4) = same(0 - 4)"),
]
"""Without a value: no proof, whatever the claim looks like."""

BEYOND = [
    ("", "∀(n : ℕ). n * n ≥ n"),
    ("", "∀(n : ℕ). n < 1000"),
    ("", "∀(x : ℤ). x < 5 ∨ x > 3"),
    ("", "∀(x : ℤ). x < 5 → x < 100"),
    ("", "∀(x : ℤ). (0 ≤ x ∨ x < 5) → x < 100"),
    ("", "∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → x = 0 ∨ x = 1"),
    ("", "∀(x : ℚ). 0 ≤ x ∧ x ≤ 1 → x = 0 ∨ x = 1 ∨ x = 1/2"),
    ("", "∀(x y : ℤ). 0 ≤ x ∧ x < y ∧ y > 2 → x < 100"),
    ("", "∀(x : ℤ). 0 ≤ x ∧ x < 1 / 0 → x = 7"),
    ("", "∀(x y : ℤ). 0 ≤ x ∧ x < y ∧ y < x + 5 → y < 8"),
    ("", "∀(x y : ℤ). x < y ∧ y < x → x = 0"),
    ("", "∀(x y : ℤ). 0 ≤ x ∧ x ≤ y → x < 8"),
    ("", "∀(x y : ℝ). 0 ≤ x ∧ x < y ∧ y < 2 → y - x = 1"),
    ("", "∃(n : ℕ). n > 1000000"),
    ("", "∀(s : String). strlen(s) < 4"),
    ("", "∀(l : List(ℕ)). length(l) < 4"),
    ("", "∀(x : ℤ). ∃(y : ℤ). y > x"),
    ("", "(λ (x : ℤ) . x) = (λ (x : ℤ) . x)"),
    ("", "∀(x : ℤ). in_set(x, complement(set_of([1, 2]))) → x ≠ 1 ∧ x < 50"),
    ("", "∀(f : ℤ → Bool). f(0) = f(1)"),
    ("", "sin(1) * sin(1) + cos(1) * cos(1) = 1"),
]
"""True or false, but no matter of finitely many exact values."""

UNKNOWN_PARTS = [
    (OPAQUE, "f(0) = 0"),
    (OPAQUE, "∀(n : ℕ). n < 3 → f(n) < 100"),
    (OPAQUE, "c < 100"),
    ("structure Plain(T) {\n  operation g : T → T\n}\n", "∀(x y : T). x = y"),
]

TOO_LARGE = [
    ("", "2 ^ 1000000000 > 0"),
    ("", "length(range(1000000000000)) > 0"),
    ("", "∀(n : ℕ). n < 1000000000 → n ≥ 0"),
    ("", "∀(x y : BitVec(32)). bvadd(x, y) = bvadd(y, x)"),
    ("", "1000000! > 0"),
    (ENDLESS, "spin(0) = 0"),
    (ENDLESS, "spin(0) = spin(0)"),
    (ENDLESS, "spin(0) ≠ spin(0)"),
    (DEEP, "count(100000) = 100000"),
    (ACKERMANN, "ack(4, 2) > 0"),
]


@pytest.mark.parametrize(("program", "claim"), [*FALSE, *UNDEFINED, *BEYOND, *UNKNOWN_PARTS, *TOO_LARGE])
def test_no_proof_by_computing(program: str, claim: str) -> None:
    given = task(program, claim, "Plain(T)" if "Plain" in program else None)
    if EVALUATION.applies(given):
        answer = EVALUATION.run(given, STEPS)
        assert answer.outcome != "proved"
        assert answer.steps <= STEPS
    assert not check_evaluation(given, STEPS)


@pytest.mark.parametrize(("program", "claim"), [*UNDEFINED, *BEYOND, *UNKNOWN_PARTS, *TOO_LARGE])
def test_no_refutation_by_computing(program: str, claim: str) -> None:
    given = task(program, claim, "Plain(T)" if "Plain" in program else None)
    assert not EVALUATION.applies(given) or EVALUATION.run(given, STEPS).outcome == "silent"
