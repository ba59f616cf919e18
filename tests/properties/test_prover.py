"""Verdicts of the whole pipeline: never against brute force, and the same however a question is worded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from kleis.elaborate.elaborator import Elaborator
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.semantics.models import decide
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.program import print_expression, print_program
from kleis.syntax.tree import Expression, Program
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.terms.variants import with_fresh_variables
from tests.support.theories.random_propositions import FINITE, GROUND, closed, ground

_FEW = settings(
    max_examples=int(os.environ.get("PIF_EXAMPLES", "12")),
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)
"""Whole questions to the prover: few, unless a run by hand says how many."""


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def theory_of(program: str) -> Theory:
    return Theory().include(parse_program(program))


def ask(broker: Broker, theory: Theory, proposition: Expression) -> Verdict:
    return Prover(theory, broker=broker, guards=10).verify(proposition)


def never_against(verdict: Verdict, truth: str) -> None:
    """A verdict of truth needs truth; one of falsehood needs that the claim is not true."""
    event(f"{verdict.status}, {truth}")
    assert verdict.status in ("verified", "disproved", "unknown"), verdict
    if verdict.status == "verified":
        assert truth in ("true", "open")
    if verdict.status == "disproved":
        assert truth in ("false", "undefined", "open")
        assert truth == "open" or verdict.evidence is not None


# ── Against brute force ──────────────────────────────────────────────────────────────────────────────────────

FINITE_THEORY, GROUND_THEORY = theory_of(FINITE), theory_of(GROUND)


def truth_in(theory: Theory, proposition: Expression) -> str:
    return truth_of(Elaborator(theory).proposition(proposition), bounds=Bounds())


@given(closed())
@_FEW
def test_verdicts_over_finite_sorts_are_those_of_brute_force(broker: Broker, text: str) -> None:
    proposition = parse_expression(text)
    never_against(ask(broker, FINITE_THEORY, proposition), truth_in(FINITE_THEORY, proposition))


@given(ground())
@_FEW
def test_verdicts_on_ground_claims_are_those_of_the_evaluator(broker: Broker, text: str) -> None:
    proposition = parse_expression(text)
    never_against(ask(broker, GROUND_THEORY, proposition), truth_in(GROUND_THEORY, proposition))


# ── Small theories over one carrier ──────────────────────────────────────────────────────────────────────────

_LAWS = (
    "∀(x : S). x • x = x",
    "∀(x y : S). x • y = y • x",
    "∀(x y : S). x • y = x",
    "∀(x : S). e • x = x",
    "∀(x : S). x • e = e",
    "∀(x y z : S). (x • y) • z = x • (y • z)",
    "∀(x : S). x • x ≠ x",
    "∃(x : S). ∀(y : S). x • y = y",
    "∀(x : S). p(x) ↔ p(x • e)",
    "∃(x : S). p(x) ∧ ¬p(e)",
    "∀(x : S). p(x) → x = e",
    "∀(x y : S). x = y ∨ p(x) ∨ p(y)",
    "∀(x : S). p(x • x)",
    "¬p(e)",
)


def structure(laws: list[str]) -> str:
    axioms = "\n".join(f"    axiom a{place} : {law}" for place, law in enumerate(laws))
    members = "operation (•) : S × S → S\n    element e : S\n    operation p : S → Bool\n"
    return f"structure Small(S) {{\n    {members}{axioms}\n}}"


theories = st.lists(st.sampled_from(_LAWS), min_size=1, max_size=4, unique=True)
claims = st.sampled_from(_LAWS)


@given(theories, claims)
@_FEW
def test_what_is_verified_holds_in_every_small_model(broker: Broker, laws: list[str], claim: str) -> None:
    theory, proposition = theory_of(structure(laws)), parse_expression(claim)
    verdict = ask(broker, theory, proposition)
    decision = decide(Elaborator(theory).proposition(proposition), Bounds(carrier=2))
    event(f"{verdict.status}, {decision.status}")
    if decision.status == "disproved":
        assert verdict.status in ("disproved", "unknown")
    if verdict.status == "disproved":
        assert not decision.conclusive
    if verdict.status == "inconsistent":
        assert decision.models == 0


@given(theories)
@_FEW
def test_no_theory_is_inconsistent_and_has_a_model(broker: Broker, laws: list[str]) -> None:
    theory = theory_of(structure(laws))
    ((_, verdict),) = Prover(theory, broker=broker, guards=10).consistent()
    found = decide(Elaborator(theory).structure("Small"), Bounds(carrier=2))
    event(f"{verdict.status}, {found.status}")
    assert verdict.status in ("consistent", "inconsistent", "unknown")
    if found.status == "model":
        assert verdict.status in ("consistent", "unknown")
    if verdict.status == "inconsistent":
        absurd = parse_expression("∀(x : S). x • e ≠ x • e")
        assert ask(broker, theory, absurd).status == "inconsistent"


# ── However it is worded ─────────────────────────────────────────────────────────────────────────────────────


def reworded(proposition: Expression) -> Expression:
    """The proposition with other bound names, printed and read again."""
    return parse_expression(print_expression(with_fresh_variables(proposition, lambda name: f"{name}_other")))


@given(closed())
@_FEW
def test_bound_names_and_printing_change_no_verdict(broker: Broker, text: str) -> None:
    proposition = parse_expression(text)
    first, second = (ask(broker, FINITE_THEORY, each) for each in (proposition, reworded(proposition)))
    assert (first.status, first.reason) == (second.status, second.reason)


@given(theories, claims, st.randoms(use_true_random=False))
@_FEW
def test_the_order_of_declarations_changes_no_verdict(
    broker: Broker, laws: list[str], claim: str, random: Any
) -> None:
    items = list(parse_program("\n".join((FINITE, structure(laws)))).items)
    random.shuffle(items)
    shuffled = theory_of(print_program(Program(tuple(items))))
    proposition = parse_expression(claim)
    statuses = {ask(broker, each, proposition).status for each in (theory_of(structure(laws)), shuffled)}
    assert len(statuses) == 1
