"""Standard models: what is found, and the check of each by queries of its own."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from kleis.budget import Budget
from kleis.core import BOOL, INTEGER, NATURAL, REAL, STRING, ListOf, LiteralTerm, Sort, Variable
from kleis.core.goal import Goal
from kleis.prover.engines.models.standard_models import INTERPRETATIONS
from kleis.prover.engines.models.standard_operations import candidates
from kleis.prover.protocol.witness import Interpretation
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import OPEN, UNDEFINED
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


STACK = """
structure Stack(E, S) {
  element empty : S
  operation push : E → S → S
  operation pop : S → S
  operation top : S → E
  operation isEmpty : S → Bool
  axiom popped : ∀(x : E, s : S). pop(push(x, s)) = s
  axiom topmost : ∀(x : E, s : S). top(push(x, s)) = x
  axiom none : isEmpty(empty)
  axiom some : ∀(x : E, s : S). ¬isEmpty(push(x, s))
}
"""

WORDS = """
structure Words(W) {
  element none : W
  operation join : W → W → W
  operation size : W → ℕ
  axiom associative : ∀(x y z : W). join(join(x, y), z) = join(x, join(y, z))
  axiom left : ∀(x : W). join(none, x) = x
  axiom right : ∀(x : W). join(x, none) = x
  axiom cancels : ∀(x y z : W). join(x, y) = join(x, z) → y = z
  axiom sizes : ∀(x y : W). size(join(x, y)) = size(x) + size(y)
}
"""

LISTS = {"E": "ℤ", "S": "List(ℤ)"}


@pytest.mark.parametrize(
    ("program", "using", "claim", "readings"),
    [
        (STACK, "Stack(E, S)", "∀(s : S). ¬isEmpty(s) → s = push(top(s), pop(s))", LISTS),
        (STACK, "Stack(E, S)", "∀(s : S). s = empty ∨ (∃(x : E, t : S). s = push(x, t))", LISTS),
        (COUNTED, "Counted(S)", "∀(s t : S). count(s) = count(t) → s = t", {"S": "String"}),
        (WORDS, "Words(W)", "∀(x y : W). join(x, y) = join(y, x)", {"W": "String"}),
    ],
)
def test_carriers_may_be_lists_and_texts(
    program: str, using: str, claim: str, readings: dict[str, str]
) -> None:
    given = task(program, claim, using)
    answer = INTERPRETATIONS.run(given, 4 * STEPS)
    assert answer.outcome == "refuted"
    evidence = evidence_of(given, answer.witness)
    assert evidence is not None
    assert readings.items() <= dict(evidence.interpretation).items()


@pytest.mark.parametrize(
    ("program", "using", "claim"),
    [
        (STACK, "Stack(E, S)", "∀(x : E, s : S). pop(pop(push(x, push(x, s)))) = s"),
        (STACK, "Stack(E, S)", "∀(x y : E, s t : S). push(x, s) = push(y, t) → x = y ∧ s = t"),
        (COUNTED, "Counted(S)", "∀(s : S). next(s) ≠ s"),
        (WORDS, "Words(W)", "∀(x : W). size(join(x, x)) = 0 → size(x) = 0"),
    ],
)
def test_what_follows_is_not_refuted_over_lists_and_texts(program: str, using: str, claim: str) -> None:
    assert INTERPRETATIONS.run(task(program, claim, using), 4 * STEPS).outcome == "silent"


SORTS = (INTEGER, REAL, NATURAL, STRING, BOOL, ListOf(INTEGER))


@pytest.mark.parametrize("codomain", SORTS)
def test_candidates_have_values_everywhere(codomain: Sort) -> None:
    bounds = Bounds(
        integer=1, natural=1, denominator=1, values=4, points=64, length=2, budget=Budget(steps=10_000_000)
    )
    evaluator = evaluator_of(Goal(claim=None), Model({}, {}), bounds, "one-sided", Account(bounds.budget))
    tried = 0
    for count in range(3):
        for sorts in itertools.product(SORTS, repeat=count):
            parameters = tuple(Variable(f"x{place}", sort) for place, sort in enumerate(sorts))
            for term in candidates(parameters, codomain):
                assert term.sort == codomain
                for environment in evaluator.environments(parameters, {})[0]:
                    assert evaluator.outcome(term, environment) not in (UNDEFINED, OPEN)
                    tried += 1
    assert tried > 50


FALLING = """
structure Falling {
  operation f : ℤ → ℤ
  axiom falls : ∀(x : ℤ). f(x + 1) < f(x)
  axiom start : f(0) = 2
}
"""

RECIPROCAL = """
structure Reciprocal {
  operation f : ℝ → ℝ
  axiom apart : ∀(x : ℝ). x ≠ 0 → f(x) = 1/x
}
"""


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (FALLING, None),
        (FALLING, "∀(x : ℤ). f(x) ≠ 1 - x + 1"),
        (RECIPROCAL, "f(0) = 0"),
        (RECIPROCAL, "f(0) = 1"),
        (RECIPROCAL, "∀(x : ℝ). f(f(x)) = x ∧ f(0) ≠ 0"),
    ],
)
def test_what_axioms_say_of_a_symbol_is_tried(program: str, claim: str | None) -> None:
    given = task(program, claim)
    answer = INTERPRETATIONS.run(given, 4 * STEPS)
    assert answer.outcome == ("model" if claim is None else "refuted")
    assert evidence_of(given, answer.witness) is not None


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (FALLING, "∀(x : ℤ). f(x) > f(x + 1)"),
        (FALLING, "f(1) < 2"),
        (RECIPROCAL, "f(2) = 1/2"),
        (RECIPROCAL, "∀(x : ℝ). x ≠ 0 → x * f(x) = 1"),
    ],
)
def test_what_follows_from_what_axioms_say_is_not_refuted(program: str, claim: str) -> None:
    assert INTERPRETATIONS.run(task(program, claim), 4 * STEPS).outcome == "silent"


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
