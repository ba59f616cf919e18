"""Induction with laws of lists: sorting is proved, false variants of every law are not, and proofs stand the checker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis import core
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.format import Induction
from kleis.prover.engines.induction.law_search import BY_MEASURE, LAWS, LawSearch
from kleis.prover.engines.induction.list_laws import candidates
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, load_engine
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.provers.claims import task
from tests.support.theories.small_theories import theory_of

SORTED = """
define sorted(l : List(ℤ)) : Bool = match l {
    [] => true | Cons(x, r) => match r { [] => true | Cons(y, q) => x ≤ y ∧ sorted(r) } }
define cnt(x : ℤ, l : List(ℤ)) : ℕ = match l { [] => 0 | Cons(y, r) => if x = y then 1 + cnt(x, r) else cnt(x, r) }
"""
QUICK = (
    SORTED
    + """
define below(p : ℤ, l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | Cons(y, r) => if y < p then Cons(y, below(p, r)) else below(p, r) }
define above(p : ℤ, l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | Cons(y, r) => if y < p then above(p, r) else Cons(y, above(p, r)) }
define qsort(l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | Cons(p, r) => append(qsort(below(p, r)), Cons(p, qsort(above(p, r)))) }
"""
)
FILTERED = (
    SORTED
    + """
define qsort(l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | Cons(p, r) => append(qsort(filter(λ (y : ℤ) . y < p, r)),
                                    Cons(p, qsort(filter(λ (y : ℤ) . y ≥ p, r)))) }
"""
)
LOSSY = FILTERED.replace("y ≥ p", "y > p")
"""It drops what is equal to the pivot."""
UPSIDE_DOWN = FILTERED.replace("y < p", "y > p").replace("y ≥ p", "y ≤ p")
MERGED = (
    SORTED
    + """
define merge(k : List(ℤ), l : List(ℤ)) : List(ℤ) = match (k, l) {
    ([], _) => l | (_, []) => k
    | (Cons(x, xs), Cons(y, ys)) => if x ≤ y then Cons(x, merge(xs, l)) else Cons(y, merge(k, ys)) }
define evens(l : List(ℤ)) : List(ℤ) = match l { [] => [] | Cons(x, r) => Cons(x, odds(r)) }
define odds(l : List(ℤ)) : List(ℤ) = match l { [] => [] | Cons(x, r) => evens(r) }
define msort(l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | [x] => [x] | _ => merge(msort(evens(l)), msort(odds(l))) }
"""
)

ONCE = (
    SORTED
    + """
define once(l : List(ℤ)) : List(ℤ) = match l { [] => [] | Cons(x, r) => Cons(x, once(filter(λ (y : ℤ) . y ≠ x, r))) }
"""
)
"""Each element once: what is left goes down in length."""


INSERTED = """
define put(x : ℤ, l : List(ℤ)) : List(ℤ) = match l {
    [] => [x] | Cons(y, r) => if x ≤ y then Cons(x, l) else Cons(y, put(x, r)) }
define isort(l : List(ℤ)) : List(ℤ) = match l { [] => [] | Cons(x, r) => put(x, isort(r)) }
"""


def answer(program: str, claim: str, engine: LawSearch = BY_MEASURE) -> Answer:
    given = task(program, claim)
    assert engine.applies(given)
    return engine.run(given, 4_000_000)


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (QUICK, "∀(l : List(ℤ)). sorted(qsort(l))"),
        (QUICK, "∀(x : ℤ, l : List(ℤ)). cnt(x, qsort(l)) = cnt(x, l)"),
        (FILTERED, "∀(l : List(ℤ)). sorted(qsort(l))"),
        (FILTERED, "∀(l : List(ℤ)). length(qsort(l)) = length(l)"),
        (MERGED, "∀(l : List(ℤ)). sorted(msort(l))"),
        (MERGED, "∀(x : ℤ, l : List(ℤ)). cnt(x, msort(l)) = cnt(x, l)"),
        (ONCE, "∀(x : ℤ, l : List(ℤ)). cnt(x, once(l)) > 0 ↔ cnt(x, l) > 0"),
        (ONCE, "∀(l : List(ℤ)). once(once(l)) = once(l)"),
    ],
)
def test_sorting_is_proved(program: str, claim: str) -> None:
    found = answer(program, claim)
    assert found.outcome == "proved"
    formula, proof = found.shown[-1]
    assert formula == task(program, claim).goal.claim
    assert isinstance(proof, Induction)
    assert proof.size
    assert found == answer(program, claim), "the same task and budget give the same proof"


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (LOSSY, "∀(x : ℤ, l : List(ℤ)). cnt(x, qsort(l)) = cnt(x, l)"),
        (LOSSY, "∀(l : List(ℤ)). length(qsort(l)) = length(l)"),
        (UPSIDE_DOWN, "∀(l : List(ℤ)). sorted(qsort(l))"),
        (FILTERED, "∀(l : List(ℤ)). qsort(l) = l"),
        (FILTERED, "∀(l : List(ℤ)). sorted(l) ∨ length(qsort(l)) ≠ length(l)"),
        (MERGED.replace("x ≤ y then", "x ≥ y then"), "∀(l : List(ℤ)). sorted(msort(l))"),
        (MERGED.replace("Cons(x, odds(r))", "odds(r)"), "∀(l : List(ℤ)). length(msort(l)) = length(l)"),
    ],
)
def test_false_variants_are_not_proved(program: str, claim: str) -> None:
    given = task(program, claim)
    for engine in (BY_MEASURE, LAWS):
        if engine.applies(given):
            assert engine.run(given, 1_500_000).outcome == "silent"


def test_the_claim_is_no_law_that_it_is_proved_from() -> None:
    claim = task(FILTERED, "∀(v1 : List(ℤ)). length(qsort(v1)) = length(v1)").goal
    assert claim.claim is not None
    assert all(claim.claim not in group.formulas for group in candidates(claim))


def test_candidates_depend_on_the_goal_alone() -> None:
    goal = task(QUICK, "∀(l : List(ℤ)). sorted(qsort(l))").goal
    first, second = (tuple(candidates(goal)) for _ in range(2))
    assert first == second
    assert all(isinstance(each, core.Quantifier) for group in first for each in group.formulas)


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (FILTERED + INSERTED, "∀(l : List(ℤ)). qsort(l) = isort(l)"),
        (MERGED + INSERTED, "∀(l : List(ℤ)). msort(l) = isort(l)"),
    ],
)
def test_two_ways_of_sorting_are_one(program: str, claim: str) -> None:
    found = answer(program, claim)
    assert found.outcome == "proved"
    formula, proof = found.shown[-1]
    assert formula == task(program, claim).goal.claim
    assert isinstance(proof, Induction)
    assert proof.size


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        (LOSSY + INSERTED, "∀(l : List(ℤ)). qsort(l) = isort(l)"),
        (UPSIDE_DOWN + INSERTED, "∀(l : List(ℤ)). qsort(l) = isort(l)"),
    ],
)
def test_two_ways_that_differ_are_not(program: str, claim: str) -> None:
    """Every candidate for the true variants is one for these."""
    assert BY_MEASURE.run(task(program, claim), 2_500_000).outcome == "silent"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def test_a_certificate_proves_the_laws_and_the_conditions_of_the_recursion(broker: Broker) -> None:
    theory = theory_of(QUICK)
    claim = "∀(l : List(ℤ)). length(qsort(l)) = length(l)"
    with Prover(theory, broker=broker) as prover:
        decision = prover.decide(parse_expression(claim))
    assert decision.verdict.engine == "induction with laws"
    made = build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)
    assert len(made.steps) > 1, "laws stand in it with their proofs"
    assert [each.name for each in made.grounds] == ["qsort::decreases::1", "qsort::decreases::2"]


@pytest.mark.parametrize(
    ("program", "claim", "engine"),
    [
        (INSERTED, "∀(l : List(ℤ)). isort(isort(l)) = isort(l)", "induction with laws"),
        ("", "∀(n : ℕ). n! ≥ 1", "induction"),
    ],
)
def test_certificates_of_inductions(program: str, claim: str, engine: str, broker: Broker) -> None:
    theory = theory_of(program)
    order = [each for each in ORDER if load_engine(each.engine).name == engine]
    with Prover(theory, broker=broker, order=order) as prover:
        decision = prover.decide(parse_expression(claim))
    assert decision.verdict.status == "verified"
    assert build(broker, theory, Question(claim), decision.verdict, answer=decision.answer).steps


def test_the_order_of_elements_matters_to_other_functions() -> None:
    """Laws of insertion are candidates of these too, and are not proved."""
    unsorted = INSERTED.replace("if x ≤ y then Cons(x, l) else Cons(y, put(x, r))", "Cons(x, l)")
    given = task(unsorted, "∀(l : List(ℤ)). isort(reverse(l)) = isort(l)")
    assert LAWS.run(given, 1_500_000).outcome == "silent"
