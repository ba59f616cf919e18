"""Inductions that start later, and bounds by laws of growth: what is proved, what is nearly true, and what the checker refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.format import Certificate, Identity, Induction
from kleis.prover.checker.kernel import Refusal, judge
from kleis.prover.engines.induction.number_search import OF_NUMBERS
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.provers.claims import task
from tests.support.theories.small_theories import theory_of

FIBONACCI = "define fib(n : ℕ) : ℕ = if n < 2 then n else fib(n - 1) + fib(n - 2)\n"
OWN = """
define p2(n : ℕ) : ℕ = if n = 0 then 1 else 2 * p2(n - 1)
define f(n : ℤ) : ℤ = if n ≤ 0 then 1 else n * f(n - 1)
"""
TREES = """
data Tree = Leaf | Node(left : Tree, key : ℤ, right : Tree)
define size(t : Tree) : ℕ = match t { Leaf => 0 | Node(l, _, r) => size(l) + 1 + size(r) }
define leaves(t : Tree) : ℕ = match t { Leaf => 1 | Node(l, _, r) => leaves(l) + leaves(r) }
define height(t : Tree) : ℕ = match t { Leaf => 0 | Node(l, _, r) => 1 + max(height(l), height(r)) }
define short(t : Tree) : ℕ = match t { Leaf => 0 | Node(l, _, r) => 1 + min(short(l), short(r)) }
define up(n : ℕ) : ℕ = if n = 0 then 1 else 3 * up(n - 1)
define odd(n : ℕ) : ℕ = if n = 0 then 2 else if mod(n, 2) = 0 then 2 * odd(n - 1) else 1
"""

PROVED = [
    ("", "∀(n : ℕ). n ≥ 4 → n! > 2^n"),
    ("", "∀(n : ℕ). n > 3 → 2^n < n!"),
    ("", "∀(n : ℕ). n ≥ 7 → n! > 3^n"),
    ("", "∀(n : ℕ). n ≥ 10 → 2^n > n^3"),
    (FIBONACCI, "∀(n : ℕ). n ≥ 12 → fib(n) ≥ n^2"),
    (OWN, "∀(n : ℤ). n ≥ 4 → f(n) > 2 * n"),
    ("", "∀(n : ℕ). n ≥ 1 → n! ≥ 2^(n-1)"),
    ("", "∀(n : ℕ). 2^(n-1) < 2^n"),
    ("", "∀(n : ℤ). n ≥ 0 → 2^n ≥ n + 1"),
    ("", "∀(n : ℤ). n ≥ 5 → 2^n > n^2"),
    (TREES, "∀(t : Tree). size(t) < 2^height(t)"),
    (TREES, "∀(t : Tree). leaves(t) ≤ 2^height(t)"),
    (TREES, "∀(t : Tree). 2^short(t) ≤ size(t) + 1"),
    (TREES, "∀(t : Tree). size(t) < up(height(t))"),
]

NEARLY = [
    ("", "∀(n : ℕ). n ≥ 3 → n! > 2^n"),
    ("", "∀(n : ℕ). n ≥ 4 → n! > 2^n + 8"),
    ("", "∀(n : ℕ). n ≥ 6 → n! > 3^n"),
    ("", "∀(n : ℕ). n ≥ 9 → 2^n > n^3"),
    ("", "∀(n : ℕ). 2^n > n^3"),
    ("", "∀(n : ℕ). n ≠ 9 → 2^n ≥ n^3 ∨ n = 30"),
    (FIBONACCI, "∀(n : ℕ). n ≥ 11 → fib(n) > n^2 - 31"),
    (FIBONACCI, "∀(n : ℕ). n ≥ 12 → fib(n) > n^2"),
    (OWN, "∀(n : ℤ). n ≥ 4 → f(n) > 6 * n"),
    ("", "∀(n : ℕ). n ≥ 1 → n! > 2^(n-1)"),
    ("", "∀(n : ℕ). n ≥ 1 → 2^(n-1) ≥ n + 1"),
    ("", "∀(n : ℤ). n ≥ 4 → 2^n > n^2"),
    ("", "∀(n : ℤ). 2^n ≥ 1"),
    ("", "∀(n : ℤ). 0^n = 0 * 0^(n-1)"),
    (TREES, "∀(t : Tree). size(t) + 1 < 2^height(t)"),
    (TREES, "∀(t : Tree). 2^height(t) ≤ size(t) + 1"),
    (TREES, "∀(t : Tree). size(t) < 2^short(t)"),
    (TREES, "∀(t : Tree). size(t) < odd(height(t))"),
]


@pytest.mark.parametrize(("program", "claim"), PROVED)
def test_bounds_are_proved(program: str, claim: str) -> None:
    given = task(program, claim)
    assert OF_NUMBERS.applies(given)
    answer = OF_NUMBERS.run(given, 4_000_000)
    assert answer.outcome == "proved", answer.detail
    assert answer == OF_NUMBERS.run(given, 4_000_000), "the same budget gives the same proof"


@pytest.mark.parametrize(("program", "claim"), NEARLY)
def test_nothing_nearly_true_is_proved(program: str, claim: str) -> None:
    assert OF_NUMBERS.run(task(program, claim), 1_500_000).outcome == "silent"


def test_claims_of_no_recursion_over_numbers_are_left_to_others() -> None:
    assert not OF_NUMBERS.applies(task("", "∀(n : ℕ). n ≥ 4 → n^2 > 3 * n"))
    assert not OF_NUMBERS.applies(task("", "∀(x : ℝ). x ≥ 4 → exp(x) > x"))
    assert not OF_NUMBERS.applies(task("", "4! > 2^4"))


def test_a_budget_ends_the_search() -> None:
    answer = OF_NUMBERS.run(task("", "∀(n : ℕ). n ≥ 3 → n! > 2^n"), 200_000)
    assert (answer.outcome, answer.reason) == ("silent", "resource")
    assert answer.steps <= 200_000


# ── Certificates ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as running:
        yield running


def certificate_of(broker: Broker, program: str, claim: str) -> Certificate:
    theory = theory_of(program)
    order = [each for each in ORDER if each.engine.endswith(":OF_NUMBERS")]
    with Prover(theory, broker=broker, order=order) as prover:
        decision = prover.decide(parse_expression(claim))
    assert (decision.verdict.status, decision.verdict.engine) == ("verified", "induction with laws")
    return build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)


def refused(certificate: Certificate) -> bool:
    try:
        judge(certificate, ("z3",))
    except Refusal:
        return True
    return False


def test_a_certificate_of_a_later_start_and_what_is_made_of_it(broker: Broker) -> None:
    made = certificate_of(broker, "", "∀(n : ℕ). n ≥ 4 → n! > 2^n")
    assert not refused(made)
    (step,) = made.steps
    proof = step.proof
    assert isinstance(proof, Induction)
    assert proof.start == 4
    for change in (
        {"start": 0},
        {"start": 3},
        {"start": 5},
        {"start": -4},
        {"cases": proof.cases[1:]},
        {"cases": proof.cases[:-2] + proof.cases[-1:]},
        {"cases": proof.cases[-1:]},
        {"by": 2},
        {"by": 0},
        {"size": True},
        {"on": "m"},
    ):
        assert refused(_with(made, 0, msgspec.structs.replace(proof, **change))), change


def test_a_certificate_by_laws_and_what_is_made_of_it(broker: Broker) -> None:
    made = certificate_of(broker, TREES, "∀(t : Tree). size(t) < 2^height(t)")
    assert not refused(made)
    assert len(made.steps) > 1
    last = len(made.steps) - 1
    for place in range(last):
        rest = made.steps[:place] + made.steps[place + 1 :]
        assert refused(msgspec.structs.replace(made, steps=rest)), place
    assert refused(msgspec.structs.replace(made, steps=made.steps[:last]))
    turned = (*made.steps[last - 1 :: -1], made.steps[last])
    assert last == 1 or refused(msgspec.structs.replace(made, steps=turned))


def test_a_certificate_by_an_identity_and_what_is_made_of_it(broker: Broker) -> None:
    made = certificate_of(broker, "", "∀(n : ℕ). n ≥ 1 → n! ≥ 2^(n-1)")
    assert not refused(made)
    kinds = [type(each.proof) for each in made.steps]
    assert kinds[-1] is Induction
    assert Identity in kinds
    place = kinds.index(Identity)
    assert refused(msgspec.structs.replace(made, steps=made.steps[:place] + made.steps[place + 1 :]))
    false = "∀(n : ℕ). n ≥ 1 → n! ≥ 2^n"
    digest = digest_of(task("", false).goal)
    assert refused(msgspec.structs.replace(made, claim=false, goal=digest))
    other = certificate_of(broker, "", "∀(n : ℤ). n ≥ 5 → 3^n > n^2").steps[place].shows
    changed = msgspec.structs.replace(made.steps[place], shows=other)
    assert refused(
        msgspec.structs.replace(made, steps=(*made.steps[:place], changed, *made.steps[place + 1 :]))
    )
    assert refused(_with(made, len(kinds) - 1, Identity()))


def _with(certificate: Certificate, place: int, proof: Any) -> Certificate:
    steps = list(certificate.steps)
    steps[place] = msgspec.structs.replace(steps[place], proof=proof)
    return msgspec.structs.replace(certificate, steps=tuple(steps))
