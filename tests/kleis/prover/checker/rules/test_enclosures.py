"""The rule `enclosures`: true with the precision that it names, and with no other number in that place."""

from __future__ import annotations

import random

import msgspec
import pytest

from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import Assignment, Enclosures
from kleis.prover.checker.read_terms import operation_at
from kleis.prover.checker.rules.enclosures import check_enclosures
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.engines.computation.evaluation import EVALUATION, precision_of
from kleis.semantics.enclosures import MOST_PRECISION, PRECISION
from tests.support.provers.claims import task

PI = "3.14159265358979323846264338327950288419716939937510582097494459"
E = "2.71828182845904523536028747135266249775724709369995957496696762"


def sequent(claim: str, program: str = "") -> Sequent:
    goal = task(program, claim).goal
    assert goal.claim is not None
    return Sequent(goal, (), goal.claim)


@pytest.mark.parametrize(
    "claim",
    [
        "√2 + √3 > π",
        "sin(1) < 0.85 ∧ cos(1) > 0.5",
        "ln(2) > 0.69 → exp(1) < 2.72",
        "2^(1/2) < 1.5",
        "¬(tan(1) < 1.5)",
        f"{PI} < π",
    ],
)
def test_what_the_engine_proves_is_checked_with_its_precision(claim: str) -> None:
    answer = EVALUATION.run(task("", claim), 300_000)
    assert answer.outcome == "proved", answer.detail
    precision = precision_of(answer)
    assert check_enclosures(sequent(claim), Enclosures(precision)) > 0
    with pytest.raises(RejectedError, match="steps"):
        check_enclosures(sequent(claim), Enclosures(precision), 10)


@pytest.mark.parametrize("precision", [0, -1, -PRECISION, MOST_PRECISION + 1, 10**30])
def test_no_other_precision_is_admitted(precision: int) -> None:
    with pytest.raises(RejectedError, match="precision"):
        check_enclosures(sequent("π > 3"), Enclosures(precision))
    refuted = task("", "π < 3").goal
    with pytest.raises(RejectedError, match="precision"):
        check_model(refuted, Assignment(precision=precision), operation_at())
    assert check_model(refuted, Assignment(), operation_at()).evidence.kind == "assignment"


def test_a_precision_that_does_not_tell_the_sides_apart_is_refused() -> None:
    claim = sequent(f"{PI} < π")
    with pytest.raises(RejectedError, match="not found to be true"):
        check_enclosures(claim, Enclosures(PRECISION))
    assert check_enclosures(claim, Enclosures(8 * PRECISION)) > 0


@pytest.mark.parametrize(
    "claim",
    [
        "π < 3",
        "π = π + 0 * e()",
        "sin(π) = 0",
        "sin(1)^2 + cos(1)^2 = 1",
        "√2 * √2 ≤ 2",
        "ln(0) < 1",
        "¬(ln(0) < 1)",
        "√(3 - π) < 1",
        "1 / (sin(1) - sin(1)) > 0 ∨ 1 / (sin(1) - sin(1)) ≤ 0",
        "exp(10^6) > 1",
        "∀(x : ℝ). sin(x) < 2",
        "∃(x : ℝ). exp(x) = 2",
    ],
)
@pytest.mark.parametrize("precision", [1, PRECISION, MOST_PRECISION])
def test_what_is_false_undefined_equal_or_open_is_refused(claim: str, precision: int) -> None:
    with pytest.raises(RejectedError):
        check_enclosures(sequent(claim), Enclosures(precision))


def test_a_function_that_is_declared_is_not_the_built_in() -> None:
    with pytest.raises(RejectedError):
        check_enclosures(sequent("w < 4", "structure W { element w : ℝ  axiom is : w = π }"), Enclosures(128))


@pytest.mark.parametrize(("name", "digits"), [("π", PI), ("e()", E), ("exp(1)", E), ("4 * arctan(1)", PI)])
def test_wrong_digits_are_refused_at_every_precision(name: str, digits: str) -> None:
    """The digits of a bound changed at random: the claim is accepted exactly where it is still true."""
    source = random.Random(name)
    for _ in range(60):
        place = source.randrange(2, len(digits))
        changed = f"{digits[:place]}{source.randrange(10)}{digits[place + 1 :]}"
        claim = sequent(f"{changed} < {name}")
        proof = Enclosures(source.choice([8, 64, PRECISION, 512]))
        if changed > digits:
            with pytest.raises(RejectedError):
                check_enclosures(claim, proof)
        else:
            assert check_enclosures(claim, msgspec.structs.replace(proof, precision=512)) > 0
