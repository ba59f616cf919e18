"""A verdict whose own proof the checker does not settle has a certificate by another engine."""

from __future__ import annotations

import pytest

from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import check
from kleis.prover.checker.format import Interpretation, Law, RegularLanguages
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory


def test_a_remainder_of_a_sum_is_certified_by_a_law() -> None:
    claim = "∀(a b n : ℤ). n > 0 → mod(mod(a, n) + mod(b, n), n) = mod(a + b, n)"
    with Broker() as broker, Prover(Theory(), broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
        assert (verdict.status, verdict.engine) == ("verified", "z3")
        certificate = build(broker, Theory(), Question(claim), verdict)
        assert check(to_json(certificate), broker).ok
    assert isinstance(certificate.steps[0].proof, Law)


def test_no_text_of_a_kind_is_certified_by_automata() -> None:
    """Z3 refutes it, and the checker's translation has no words for values that are regular expressions."""
    claim = "∃(s : String). strlen(s) = 1 ∧ ¬matches(s, re_allchar)"
    with Broker() as broker, Prover(Theory(), broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
        assert (verdict.status, verdict.engine) == ("disproved", "z3")
        certificate = build(broker, Theory(), Question(claim), verdict)
        assert check(to_json(certificate), broker).ok
    assert isinstance(certificate.witness, Interpretation)
    assert isinstance(certificate.witness.proof[0].proof, RegularLanguages)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("¬(∃(f : ℤ → ℤ). ∀(x : ℤ). f(x) > x ∧ f(x) < x + 1)", "verified"),
        ("∃(f : ℤ → ℤ). ∀(x : ℤ). f(x) > x ∧ f(x) < x + 1", "disproved"),
    ],
)
def test_that_there_is_no_function_is_certified(claim: str, status: str) -> None:
    with Broker() as broker, Prover(Theory(), broker=broker) as prover:
        verdict = prover.verify(parse_expression(claim))
        assert verdict.status == status
        assert check(to_json(build(broker, Theory(), Question(claim), verdict)), broker).ok
