"""Evaluation: closed and finite claims are decided by computing them; what it must not prove is in
tests/attacks/test_computed_proofs.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.prover.engines.computation.evaluation import EVALUATION, check_evaluation
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.claims import task

STEPS = 300_000

COLLATZ = """
define collatz(n : ℤ) : ℤ =
  if n ≤ 1 then 0 else 1 + collatz(if mod(n, 2) = 0 then div(n, 2) else 3 * n + 1)
"""
COLOURS = "data Colour = Red | Green | Blue\ndefine next(c : Colour) : Colour = match c { Red => Green | Green => Blue | Blue => Red }\n"

TRUE = [
    ("", "length([1, 2, 3]) = 3"),
    ("", "reverse([1, 2]) = [2, 1]"),
    ("", 'concat("ab", "c") = "abc"'),
    ("", "sin(0) = 0 ∧ cos(0) = 1 ∧ exp(0) = 1 ∧ ln(1) = 0 ∧ sqrt(4) = 2"),
    ("", "gcd(12, 18) = 6"),
    ("", "det([[1, 2], [3, 4]]) = 0 - 2"),
    ("", "1/3 + 1/6 = 0.5"),
    ("", "set_of([1, 2]) = set_of([2, 1, 1])"),
    ("", "foldl(λ a x . a - x, 10, [1, 2]) = 7"),
    ("", "∀(a b : Bool). ¬(a ∧ b) = (¬a ∨ ¬b)"),
    ("", "∀(x y : BitVec(4)). bvadd(x, y) = bvadd(y, x)"),
    ("", "∀(n : ℕ). n < 20 → sum(range(n)) = n * (n - 1) / 2"),
    ("", "∀(x : ℤ). 0 ≤ x ∧ x < 10 → ∃(y : ℤ). 0 ≤ y ∧ y ≤ x ∧ (y + y = x ∨ y + y + 1 = x)"),
    ("", "∀(x y : ℤ). 0 ≤ x ∧ x < y ∧ y < 6 → length(range(x, y)) = y - x"),
    ("", "∀(x : ℤ). in_set(x, [1, 2, 3]) → length(range(x)) = x"),
    ("", "∀(x : ℤ). x = 4 → length(range(x)) = 4"),
    ("", "∀(x : ℤ). 5 ≤ x ∧ x < 3 → length(range(x)) = 17"),
    ("", "¬(∃(x : ℤ). 0 ≤ x ∧ x < 100 ∧ x * x = 2)"),
    ("", "∃(x : ℤ). 0 ≤ x ∧ x < 100 ∧ x * x = 81"),
    ("", '∀(s : String). in_set(s, ["ab", "cd"]) → strlen(s) = 2'),
    (COLOURS, "∀(c : Colour). next(next(next(c))) = c"),
    ("", "∀(f : Bool → Bool). ∀(x : Bool). f(f(f(x))) = f(x)"),
    (COLLATZ, "collatz(6) = 8"),
    ("", "1/0 = 1 ∨ 1 = 1"),
    ("", "√2 + √3 > π ∧ sin(1) < 0.85 ∧ ¬(ln(2) < 0.69)"),
    ("define f(x : ℝ) : ℝ = if x > 3 then exp(x) else 0", "f(π) > 23 ∧ f(2) = 0"),
]


@pytest.mark.parametrize(("program", "claim"), TRUE)
def test_what_is_computed_to_be_true_is_proved(program: str, claim: str) -> None:
    given = task(program, claim)
    assert EVALUATION.applies(given)
    answer = EVALUATION.run(given, STEPS)
    assert answer.outcome == "proved", answer.detail
    assert answer.core == ()
    assert check_evaluation(given, answer.steps)
    assert EVALUATION.run(given, STEPS) == answer


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (COLLATZ, "collatz(6) = 9"),
        ("", "length([1, 2]) = 3"),
        ("", "sin(0) = 1"),
        ("", "cos(1) > 0.6"),
        ("", "exp(π * √163) = 262537412640768744"),
    ],
)
def test_a_closed_claim_that_is_computed_to_be_false_is_refuted(program: str, claim: str) -> None:
    assert EVALUATION.run(task(program, claim), STEPS).outcome == "refuted"


@pytest.mark.parametrize("claim", ["∀(n : ℕ). n * n ≥ n", "∀(x : ℝ). 0 ≤ x ∧ x ≤ 1 → x * x ≤ x"])
def test_claims_about_everything_are_left_to_others_at_once(claim: str) -> None:
    assert not EVALUATION.applies(task("", claim))


# ── Through the whole pipeline ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def asked(broker: Broker, program: str, claim: str) -> Verdict:
    prover = Prover(Theory().include(parse_program(program)), broker=broker, guards=10)
    return prover.verify(parse_expression(claim))


@pytest.mark.parametrize("claim", ["length([1, 2, 3]) = 3", "sin(0) = 0", "reverse([1, 2]) = [2, 1]"])
def test_a_closed_fact_is_verified_and_the_verdict_says_how(broker: Broker, claim: str) -> None:
    verdict = asked(broker, "", claim)
    assert (verdict.status, verdict.engine, verdict.core) == ("verified", "evaluation", ())
    assert verdict.consistency == "model"


def test_axioms_that_clash_are_said_to_clash_all_the_same(broker: Broker) -> None:
    program = "structure Bad { element a : ℤ  axiom one : a = 1  axiom two : a = 2 }\n"
    assert asked(broker, program, "length([a]) = 1").status == "inconsistent"


def test_calls_that_end_are_computed_whatever_others_do(broker: Broker) -> None:
    program = COLLATZ + "define spin(n : ℤ) : ℤ = spin(n) + 1\n"
    assert asked(broker, program, "collatz(27) = 111").status == "verified"
    wrong = asked(broker, program, "collatz(27) = 112")
    assert wrong.status == "disproved"
    assert wrong.evidence is not None
    assert not wrong.evidence.undefined
    for claim in ("spin(0) = 0", "spin(0) ≠ 0", "spin(0) = spin(0)", "∀(n : ℤ). collatz(n) ≥ 0"):
        verdict = asked(broker, program, claim)
        assert (verdict.status, verdict.reason) == ("unknown", "termination")
    assert asked(broker, program, "∀(n : ℤ). collatz(n) = 0").status == "disproved"


def test_too_much_to_compute_is_unknown(broker: Broker) -> None:
    for claim in ("2 ^ 1000000000 > 0", "length(range(1000000000000)) > 0"):
        assert asked(broker, "", claim).status == "unknown"
