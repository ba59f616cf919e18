"""Standard models: what is found, and the check of each by queries of its own."""

from __future__ import annotations

import msgspec
import pytest

from kleis.core import BOOL, LiteralTerm
from kleis.prover.engines.models.standard_models import INTERPRETATIONS
from kleis.prover.protocol.witness import Interpretation
from tests.support.provers.claims import evidence_of, task

STEPS = 400_000

DENSE = """
structure Dense(T) {
  operation lt : T → T → Bool
  axiom irr : ∀(x : T). ¬lt(x, x)
  axiom trans : ∀(x y z : T). lt(x, y) ∧ lt(y, z) → lt(x, z)
  axiom dense : ∀(x y : T). lt(x, y) → ∃(z : T). lt(x, z) ∧ lt(z, y)
  axiom onward : ∀(x : T). ∃(y : T). lt(x, y)
}
"""

NEXT = """
structure Next(T) {
  element start : T
  operation next : T → T
  axiom injective : ∀(x y : T). next(x) = next(y) → x = y
}
"""

CLASH = """
structure Clash(T) {
  operation lt : T → T → Bool
  axiom irr : ∀(x : T). ¬lt(x, x)
  axiom refl : ∀(x : T). lt(x, x)
}
"""


def test_a_theory_with_infinite_models_only_has_one_that_is_shown() -> None:
    given = task(DENSE, None, "Dense")
    answer = INTERPRETATIONS.run(given, STEPS)
    assert answer.outcome == "model"
    evidence = evidence_of(given, answer.witness)
    assert evidence is not None
    assert evidence.kind == "interpretation"
    assert evidence.interpretation[0][1] == "ℝ"


COUNTED = """
structure Counted(S) {
  element zero : S
  operation next : S → S
  operation count : S → ℕ
  axiom start : count(zero) = 0
  axiom onward : ∀(s : S). count(next(s)) = count(s) + 1
}
"""

CANCELLATIVE = """
structure Cancellative(A) {
  operation plus2 : A → A → A
  element none : A
  axiom associative : ∀(x y z : A). plus2(plus2(x, y), z) = plus2(x, plus2(y, z))
  axiom commutative : ∀(x y : A). plus2(x, y) = plus2(y, x)
  axiom neutral : ∀(x : A). plus2(none, x) = x
  axiom cancels : ∀(x y z : A). plus2(x, y) = plus2(x, z) → y = z
}
"""


@pytest.mark.parametrize(
    ("program", "claim", "using"),
    [
        (COUNTED, None, "Counted"),
        (CANCELLATIVE, "∀(x : A). ∃(y : A). plus2(x, y) = none", "Cancellative(A)"),
    ],
)
def test_carriers_may_be_the_natural_numbers(program: str, claim: str | None, using: str) -> None:
    given = task(program, claim, using)
    answer = INTERPRETATIONS.run(given, 4 * STEPS)
    assert answer.outcome == ("model" if claim is None else "refuted")
    evidence = evidence_of(given, answer.witness)
    assert evidence is not None
    assert evidence.interpretation[0][1] == "ℕ"


def test_a_claim_that_fails_in_a_standard_model_is_refuted() -> None:
    given = task(NEXT, "∀(y : T). ∃(x : T). next(x) = y ∧ next(x) ≠ x", "Next(T)")
    answer = INTERPRETATIONS.run(given, STEPS)
    assert answer.outcome == "refuted"
    assert evidence_of(given, answer.witness) is not None


@pytest.mark.parametrize(
    ("program", "claim", "using"),
    [(CLASH, None, "Clash"), (NEXT, "∀(x y : T). next(x) = next(y) → x = y", "Next(T)")],
)
def test_nothing_is_claimed_of_theories_without_models_or_of_what_follows(
    program: str, claim: str | None, using: str
) -> None:
    assert INTERPRETATIONS.run(task(program, claim, using), STEPS).outcome == "silent"


def test_the_check_refuses_what_is_no_model_or_does_not_refute() -> None:
    given = task(DENSE, None, "Dense")
    found = INTERPRETATIONS.run(given, STEPS).witness["interpretation"]

    def shown(changed: Interpretation) -> bool:
        return evidence_of(given, {"interpretation": changed}) is not None

    assert shown(found)
    ((symbol, parameters, _),) = found.symbols
    never = LiteralTerm(False, BOOL)
    assert not shown(msgspec.structs.replace(found, symbols=((symbol, parameters, never),)))
    assert not shown(msgspec.structs.replace(found, symbols=()))
    true = task(DENSE, "∀(x y : T). lt(x, y) → ¬lt(y, x)", "Dense(T)")
    assert evidence_of(true, {"interpretation": found}) is None
