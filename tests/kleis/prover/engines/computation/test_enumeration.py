"""Enumeration: counterexamples at small, readable values."""

from __future__ import annotations

import pytest

from kleis.prover.engines.computation.enumeration import ENUMERATION
from kleis.prover.evidence import check_evidence
from kleis.semantics.truth import FALSE, UNDEFINED
from tests.support.provers.claims import claim_at, task

STEPS = 60_000

FIBONACCI = "define fib(n : ℤ) : ℤ = if n ≤ 1 then n else fib(n - 1) + fib(n - 2)\n"


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        ("", "∀(x : ℤ). x ≠ 1000"),
        ("", "∀(x y : ℤ). x * y ≠ 35 ∨ x > y"),
        ("", "∀(s t : String). concat(s, t) = concat(t, s)"),
        ("", '∀(s : String). ¬(contains(s, "curl") ∧ contains(s, "| sh"))'),
        ("", "∀(x : ℝ). x * x ≥ x"),
        (FIBONACCI, "∀(n : ℤ). n ≥ 0 → fib(n) ≥ n"),
        ("data Tree = Leaf | Node(left : Tree, right : Tree)", "∀(t : Tree). t = Leaf"),
    ],
)
def test_a_false_claim_has_a_point_where_it_is_false(program: str, claim: str) -> None:
    given = task(program, claim)
    assert ENUMERATION.applies(given)
    answer = ENUMERATION.run(given, STEPS)
    assert answer.outcome == "refuted"
    assert not answer.witness.undefined
    assert claim_at(given, answer) is FALSE
    assert ENUMERATION.run(given, STEPS).steps == answer.steps


@pytest.mark.parametrize(
    "claim", ["∀(x : ℤ). x + 0 = x", "∀(x : ℤ). x * x ≠ 15241383936", "∀(x : ℤ). ∃(y : ℤ). y = x + 100"]
)
def test_what_does_not_fail_at_small_values_is_never_answered(claim: str) -> None:
    answer = ENUMERATION.run(task("", claim), 500)
    assert answer.outcome == "silent"
    assert "points" in answer.detail


def test_a_false_point_is_preferred_to_an_undefined_one() -> None:
    given = task("", "∀(x : ℤ). 1 / x ≠ 1 / 3")
    assert ENUMERATION.run(given, STEPS).witness.assignment == {"x": 3}
    undefined = task("", "∀(x : ℤ). x / x = 1")
    answer = ENUMERATION.run(undefined, STEPS)
    assert answer.witness.undefined
    assert claim_at(undefined, answer) is UNDEFINED


def test_unknown_symbols_are_left_to_others() -> None:
    program = "structure Plain(T) {\n  operation f : T → T\n}\n"
    assert not ENUMERATION.applies(task(program, "∀(x : T). f(x) = x", "Plain(T)"))


def test_functions_are_tried_as_tables() -> None:
    given = task("", "∀(f : ℤ → ℤ → ℤ, z : ℤ, l : List(ℤ)). list_fold(f, z, l) = foldr(f, z, l)")
    answer = ENUMERATION.run(given, STEPS)
    assert answer.outcome == "refuted"
    assert check_evidence(given, answer) is not None
    true = task("", "∀(f : ℤ → ℤ, l : List(ℤ)). length(list_map(f, l)) = length(l)")
    assert ENUMERATION.run(true, STEPS).outcome == "silent"
