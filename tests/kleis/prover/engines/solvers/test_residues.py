"""Residues: facts about remainders are proved, then used; nothing false follows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.prover.certificates.build import Question, build
from kleis.prover.certificates.check import check
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.engines.solvers.residues import RESIDUES
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.claims import refuted_again, task
from tests.support.provers.leaves import accepted_steps

STEPS = 400_000


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


@pytest.mark.parametrize(
    "claim",
    [
        "∀(n : ℤ). mod(n * n, 3) ≠ 2",
        "∀(n : ℤ). mod(n, 5) ≠ 0 → mod(n * n * n * n, 5) = 1",
        "∀(x y z : ℤ). x * x + y * y ≠ 4 * z + 3",
        "∀(x y z : ℕ). x ^ 2 + y ^ 2 ≠ 4 * z + 3",
        "∀(x y : ℤ). x * x ≠ 3 * y * y + 2",
        "∀(x : ℤ). mod(x, 2) = 1 → mod(x * x, 8) = 1",
    ],
)
def test_proved(claim: str) -> None:
    given = task("", claim)
    answer = RESIDUES.run(given, STEPS)
    assert answer.outcome == "proved"
    assert refuted_again(answer.proof)
    accepted_steps(given, answer, RESIDUES.name)


@pytest.mark.parametrize(
    "claim",
    [
        "∀(n : ℤ). mod(n * n, 3) ≠ 1",
        "∀(x y z : ℤ). x * x + y * y ≠ 4 * z + 1",
        "∀(x y : ℤ). mod(x * y, 4) = 0 → mod(x, 4) = 0 ∨ mod(y, 4) = 0",
        "∀(x y : ℕ). mod(x * y, 3 - y) ≥ 0",
    ],
)
def test_what_is_false_is_not_proved(claim: str) -> None:
    assert RESIDUES.run(task("", claim), STEPS).outcome == "silent"


@pytest.mark.parametrize(
    "claim", ["∀(x : ℝ). x * x ≥ 2 * x - 1", "∀(x y : ℤ). x + y = y + x", "∃(x : ℤ). x * x = 4", "2 * 2 = 4"]
)
def test_it_does_not_apply_without_unknown_integers_that_are_multiplied(claim: str) -> None:
    assert not RESIDUES.applies(task("", claim))


def test_axioms_are_used_and_named() -> None:
    program = "structure S { element c : ℤ  axiom two : mod(c, 3) = 2 }"
    given = task(program, "∀(x : ℤ). x * x ≠ 3 * x + c")
    answer = RESIDUES.run(given, STEPS)
    assert answer.outcome == "proved"
    assert answer.core == ("S::two",)


def test_it_has_certificates(broker: Broker) -> None:
    program = "structure S { element c : ℤ  axiom two : mod(c, 3) = 2 }"
    theory = Theory().include(parse_program(program))
    claim = "∀(x : ℤ). x * x ≠ 3 * x + c"
    verdict = Prover(theory, broker=broker).verify(parse_expression(claim))
    assert (verdict.status, verdict.engine) == ("verified", "residues")
    certificate = build(broker, theory, Question(claim), verdict)
    assert len(certificate.steps) == 2
    assert check(to_json(certificate), broker).ok
