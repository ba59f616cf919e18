"""Induction: what it proves, what it must not prove, and that its obligations can be written down again."""

from __future__ import annotations

import pytest

from kleis.core import Quantifier
from kleis.prover.engines.induction.engine import INDUCTION, check_induction
from kleis.prover.engines.induction.lemmas import plausible, templates
from kleis.prover.engines.induction.schemes import goal_of, schemes
from tests.support.provers.claims import refuted_again, task

LISTS = """
data Row = End | Add(head : ℤ, tail : Row)
define join(x : Row, y : Row) : Row = match x { End => y | Add(h, t) => Add(h, join(t, y)) }
define turn(x : Row) : Row = match x { End => End | Add(h, t) => join(turn(t), Add(h, End)) }
define size(x : Row) : ℤ = match x { End => 0 | Add(h, t) => 1 + size(t) }
"""

POWERS = "define twice(n : ℤ) : ℤ = if n ≤ 0 then 1 else 2 * twice(n - 1)\n"
FIBONACCI = "define fib(n : ℤ) : ℤ = if n ≤ 1 then n else fib(n - 1) + fib(n - 2)\n"
STEPS = 8_000_000

PROVED = [
    (LISTS, "∀(x : Row). join(x, End) = x"),
    (LISTS, "∀(x y z : Row). join(join(x, y), z) = join(x, join(y, z))"),
    (LISTS, "∀(x y : Row). size(join(x, y)) = size(x) + size(y)"),
    (LISTS, "∀(x : Row). turn(turn(x)) = x"),
    (LISTS, "∀(x : Row). size(turn(x)) = size(x)"),
    (POWERS, "∀(n : ℤ). n ≥ 0 → twice(n) ≥ n + 1"),
    (FIBONACCI, "∀(n : ℤ). n ≥ 0 → fib(n) ≥ 0"),
]

NOT_PROVED = [
    (LISTS, "∀(x y : Row). join(x, y) = join(y, x)"),
    (LISTS, "∀(x : Row). turn(x) = x"),
    (POWERS, "∀(n : ℤ). twice(n) > n + 1"),
    (FIBONACCI, "∀(n : ℤ). n ≥ 0 → fib(n) ≥ n"),
    (FIBONACCI, "∀(n : ℤ). fib(n) ≥ 0"),
]


@pytest.mark.parametrize(("program", "claim"), PROVED)
def test_a_proof_is_refuted_again_and_its_schemes_written_again(program: str, claim: str) -> None:
    given = task(program, claim)
    answer = INDUCTION.run(given, STEPS)
    assert answer.outcome == "proved"
    assert refuted_again(answer.proof)
    assert check_induction(given, answer.proof)


@pytest.mark.parametrize(("program", "claim"), NOT_PROVED)
def test_nothing_false_is_proved(program: str, claim: str) -> None:
    assert INDUCTION.run(task(program, claim), 3_000_000).outcome == "silent"


def test_a_proof_of_something_else_or_with_a_case_missing_is_no_proof() -> None:
    given = task(LISTS, "∀(x : Row). join(x, End) = x")
    proof = INDUCTION.run(given, STEPS).proof
    assert check_induction(given, proof)
    assert not check_induction(given, proof[:-1])
    assert not check_induction(given, ())
    assert not check_induction(task(LISTS, "∀(x : Row). join(End, x) = turn(x)"), proof)
    (path, text), *rest = proof
    assert not check_induction(
        given, [(path, text.replace("(check-sat)", "(assert false)(check-sat)")), *rest]
    )
    assert not check_induction(given, [(path.replace("on x", "on y"), text), *rest])
    assert not check_induction(given, [("template 999", text), *proof])


def test_axioms_that_a_proof_uses_are_in_its_core() -> None:
    program = """
    data Row = End | Add(head : ℤ, tail : Row)
    structure Weights {
      operation weight : ℤ → ℤ
      axiom positive : ∀(n : ℤ). weight(n) > 0
      axiom idle : weight(0) = 3
    }
    define total(x : Row) : ℤ = match x { End => 0 | Add(h, t) => weight(h) + total(t) }
    """
    given = task(program, "∀(x : Row). total(x) ≥ 0")
    answer = INDUCTION.run(given, STEPS)
    assert answer.outcome == "proved"
    assert [name.split("::")[-1] for name in answer.core] == ["positive"]
    assert check_induction(given, answer.proof)


def test_there_is_no_induction_over_carriers_or_real_numbers() -> None:
    program = "structure Plain(T) {\n  operation f : T → T\n}\n"
    given = task(program, "∀(x : T). f(x) = x", "Plain(T)")
    assert given.goal.claim is not None
    assert schemes(goal_of(given.goal.claim), (0,)) == ()
    assert not INDUCTION.applies(given)
    real = task("", "∀(x : ℝ). x * x ≥ 0").goal.claim
    assert real is not None
    assert schemes(goal_of(real), (0,)) == ()


def test_a_definition_that_only_names_another_hides_no_recursion() -> None:
    program = LISTS + "define both(x : Row, y : Row) : Row = join(x, y)\n"
    answer = INDUCTION.run(
        task(program, "∀(x y z : Row). both(both(x, y), z) = both(x, both(y, z))"), 400_000
    )
    assert answer.detail == "claim: induction on x"


def test_natural_numbers_have_a_base_and_a_step() -> None:
    program = "define sum(n : ℕ) : ℕ = if n = 0 then 0 else n + sum(n - 1)\n"
    given = task(program, "∀(n : ℕ). 2 * sum(n) = n * (n + 1)")
    answer = INDUCTION.run(given, STEPS)
    assert answer.outcome == "proved"
    assert check_induction(given, answer.proof)


def test_templates_are_closed_and_small_values_refute_wrong_ones() -> None:
    meaning = task(LISTS, "∀(x : Row). turn(turn(x)) = x").goal
    found = templates(meaning)
    assert found == templates(meaning)
    assert all(isinstance(each, Quantifier) for each in found)
    kept = [each for each in found if plausible(meaning, each)]
    assert 0 < len(kept) < len(found)
