"""Induction for definitions that recur on parts of parts, and for products that need many steps."""

from __future__ import annotations

import pytest

from kleis.prover.engines.induction.engine import INDUCTION, PATIENT_INDUCTION, check_induction
from tests.support.provers.claims import refuted_again, task

TERMS = """
data Sum = Number(k : ℤ) | Plus(a : Sum, b : Sum) | Minus(c : Sum)
define value(e : Sum) : ℤ = match e { Number(k) => k | Plus(a, b) => value(a) + value(b) | Minus(c) => 0 - value(c) }
define plain(e : Sum) : Sum = match e {
  Number(k) => Number(k) | Plus(Number(0), b) => plain(b) | Plus(a, b) => Plus(plain(a), plain(b))
  | Minus(Minus(c)) => plain(c) | Minus(c) => Minus(plain(c)) }
define wrong(e : Sum) : Sum = match e { Minus(Minus(c)) => Minus(wrong(c)) | Minus(c) => Minus(c) | d => d }
"""
PAIRS = """
data Row = End | Add(head : ℤ, tail : Row)
define size(x : Row) : ℕ = match x { End => 0 | Add(_, t) => 1 + size(t) }
define swapped(x : Row) : Row = match x { End => End | Add(h, End) => Add(h, End) | Add(h, Add(k, t)) => Add(k, Add(h, swapped(t))) }
"""
POWERS = "define power2(n : ℕ) : ℕ = if n = 0 then 1 else 2 * power2(n - 1)\n"


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (TERMS, "∀(e : Sum). value(plain(e)) = value(e)"),
        (PAIRS, "∀(x : Row). size(swapped(x)) = size(x)"),
        (PAIRS, "∀(x : Row). swapped(swapped(x)) = x"),
    ],
)
def test_hypotheses_of_parts_of_parts(program: str, claim: str) -> None:
    given = task(program, claim)
    answer = INDUCTION.run(given, 8_000_000)
    assert answer.outcome == "proved"
    assert "and parts of parts" in answer.detail
    assert refuted_again(answer.proof)
    assert check_induction(given, answer.proof)
    plain = [(path.replace(" and parts of parts", ""), text) for path, text in answer.proof]
    assert not check_induction(given, plain)
    assert not check_induction(given, answer.proof[:-1])


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (TERMS, "∀(e : Sum). value(wrong(e)) = value(e)"),
        (TERMS, "∀(e : Sum). plain(e) = e"),
        (PAIRS, "∀(x : Row). swapped(x) = x"),
    ],
)
def test_nothing_false_is_proved(program: str, claim: str) -> None:
    assert INDUCTION.run(task(program, claim), 4_000_000).outcome == "silent"


def test_a_hypothesis_about_a_part_holds_only_of_values_that_have_it() -> None:
    """Were it assumed of every part, ``Minus(Number(0))`` would have a part of a part."""
    given = task(TERMS, "∀(e : Sum). e = Number(0) ∨ e = Minus(Number(0)) ∨ plain(e) ≠ plain(e)")
    assert INDUCTION.run(given, 4_000_000).outcome == "silent"


def test_products_are_given_their_time() -> None:
    given = task(POWERS, "∀(m n : ℕ). power2(m + n) = power2(m) * power2(n)")
    answer = PATIENT_INDUCTION.run(given, 3_000_000)
    assert answer.outcome == "proved"
    assert check_induction(given, answer.proof)
    false = task(POWERS, "∀(m n : ℕ). power2(m + n) = power2(m) + power2(n)")
    assert PATIENT_INDUCTION.run(false, 1_000_000).outcome == "silent"
