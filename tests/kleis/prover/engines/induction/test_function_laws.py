"""Laws about functions, taken at the functions of a claim: what is proved with them, what is not, and what certificates hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from kleis import core
from kleis.core.canonical_bytes import digest_of
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.format import Ask, Case, Certificate, Induction, Instance, Proof, Step
from kleis.prover.checker.kernel import Refusal, judge
from kleis.prover.checker.rules.open_claims import with_functions_named
from kleis.prover.checker.sequent import Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.induction.function_laws import at_functions, taken
from kleis.prover.engines.induction.law_formulas import closed
from kleis.prover.engines.induction.law_search import LAWS
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import load_engine
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.provers.claims import task
from tests.support.theories.small_theories import theory_of

KEEP = """
define keep(p : ℤ → Bool, l : List(ℤ)) : List(ℤ) = match l {
    [] => [] | Cons(x, r) => if p(x) then Cons(x, keep(p, r)) else keep(p, r) }
"""

CHOSEN_REVERSED = "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, reverse(l)) = reverse(filter(p, l))"
OF_APPEND = "∀(p : ℤ → Bool, k l : List(ℤ)). filter(p, append(k, l)) = append(filter(p, k), filter(p, l))"
TWICE_REVERSED = (
    "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, filter(q, reverse(l))) = reverse(filter(q, filter(p, l)))"
)
OF_TWO = "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, filter(q, l)) = filter(q, filter(p, l))"


def formula(claim: str) -> core.Quantifier:
    found = task("", claim).goal.claim
    assert isinstance(found, core.Quantifier)
    return found


def sequent(claim: str, *premises: tuple[str, str]) -> Sequent:
    """As an induction leaves it: functions are unknown operations."""
    goal = task("", claim).goal
    whole = Sequent(goal, tuple((name, formula(each)) for name, each in premises), formula(claim))
    return with_functions_named(whole)


@pytest.mark.parametrize(
    ("program", "claim"),
    [
        ("", CHOSEN_REVERSED),
        ("", TWICE_REVERSED),
        ("", "∀(p : ℤ → Bool, l : List(ℤ)). reverse(filter(p, reverse(l))) = filter(p, l)"),
        (KEEP, "∀(p : ℤ → Bool, l : List(ℤ)). keep(p, reverse(l)) = reverse(keep(p, l))"),
    ],
)
def test_laws_of_any_function_serve_the_one_of_a_claim(program: str, claim: str) -> None:
    given = task(program, claim)
    found = LAWS.run(given, 4_000_000)
    assert found.outcome == "proved"
    assert found == LAWS.run(given, 4_000_000), "the same task and budget give the same proof"


@pytest.mark.parametrize(
    "claim",
    [
        "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, reverse(l)) = filter(p, l)",
        "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, filter(q, reverse(l))) = reverse(filter(q, filter(q, l)))",
        "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, filter(q, reverse(l))) = filter(q, filter(p, l))",
        "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, reverse(filter(q, l))) = reverse(filter(p, l))",
        "∀(p q : ℤ → Bool, l : List(ℤ)). filter(p, reverse(l)) = reverse(filter(q, l))",
        "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, reverse(l)) = reverse(filter(λ (x : ℤ) . ¬p(x), l))",
        "∀(p : ℤ → Bool, k l : List(ℤ)). filter(p, append(k, l)) = append(filter(p, l), filter(p, k))",
    ],
)
def test_false_variants_are_not_proved(claim: str) -> None:
    assert LAWS.run(task("", claim), 1_000_000).outcome == "silent"


def test_a_law_is_taken_at_the_functions_of_the_claim_and_at_no_others() -> None:
    whole = sequent(CHOSEN_REVERSED, ("law", OF_APPEND), ("two", OF_TWO), ("hypothesis 1", OF_APPEND))
    found, instances = at_functions(whole)
    assert [name for name, _ in found.premises] == ["law at 1", "two at 1", "hypothesis 1"]
    assert {name: (each.of, len(each.at)) for name, each in instances} == {
        "law at 1": ("law", 1),
        "two at 1": ("two", 2),
    }
    law = found.premise("law at 1")
    assert isinstance(law, core.Quantifier)
    assert [each.sort for each in law.variables] == [core.ListOf(core.INTEGER)] * 2


def test_a_function_of_another_sort_is_no_value() -> None:
    other = "∀(f : ℤ → ℤ, k l : List(ℤ)). map(f, append(k, l)) = append(map(f, k), map(f, l))"
    whole = sequent(CHOSEN_REVERSED, ("law", other))
    assert at_functions(whole) == (whole, ())


def test_a_function_that_depends_on_a_variable_of_the_claim_is_no_value() -> None:
    whole = sequent(
        "∀(a : ℤ, l : List(ℤ)). length(filter(λ (x : ℤ) . x < a, l)) ≤ length(l)", ("law", OF_APPEND)
    )
    assert at_functions(whole) == (whole, ())


def test_a_formula_taken_at_all_its_variables_has_none_left() -> None:
    whole = formula("∀(x y : ℤ). x + y = y + x")
    one, two = core.LiteralTerm(1, core.INTEGER), core.LiteralTerm(2, core.INTEGER)
    assert isinstance(taken(whole, one), core.Quantifier)
    assert isinstance(taken(whole, one, two), core.Equals)


def test_candidates_begin_with_their_functions() -> None:
    body = formula("∀(l : List(ℤ), p : ℤ → Bool). length(l) ≥ length(filter(p, l))").body
    whole = closed(body)
    assert isinstance(whole, core.Quantifier)
    assert [isinstance(each.sort, core.FunctionOf) for each in whole.variables] == [True, False]


# ── Certificates ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def certificate() -> Iterator[Certificate]:
    theory = theory_of("")
    order = [each for each in ORDER if load_engine(each.engine) == LAWS]
    with Broker() as broker, Prover(theory, broker=broker, order=order) as prover:
        decision = prover.decide(parse_expression(CHOSEN_REVERSED))
        yield build(broker, theory, Question(CHOSEN_REVERSED), decision.verdict, answer=decision.answer)


def test_a_certificate_about_two_functions_needs_each_of_its_laws() -> None:
    theory = theory_of("")
    order = [each for each in ORDER if load_engine(each.engine) == LAWS]
    with Broker() as broker, Prover(theory, broker=broker, order=order) as prover:
        decision = prover.decide(parse_expression(TWICE_REVERSED))
        made = build(broker, theory, Question(TWICE_REVERSED), decision.verdict, answer=decision.answer)
    assert judge(made, ("z3",)).status == "verified"
    one = made.claim.replace("reverse(filter(q, filter(p, l)))", "reverse(filter(q, filter(q, l)))")
    last = made.steps[-1:]
    for changed in ({"claim": one}, {"steps": last}, {"steps": made.steps[:-1]}):
        with pytest.raises(Refusal):
            judge(msgspec.structs.replace(made, **changed), ("z3",))


def with_instances(proof: Proof, instances: tuple[Instance, ...]) -> Proof:
    """The proof with other instances wherever it has some."""
    if isinstance(proof, Induction):
        cases = (
            msgspec.structs.replace(each, proof=with_instances(each.proof, instances)) for each in proof.cases
        )
        return msgspec.structs.replace(proof, cases=tuple(cases))
    if isinstance(proof, Ask) and proof.instances:
        return msgspec.structs.replace(proof, instances=instances)
    return proof


def test_the_certificate_takes_the_law_at_the_function(certificate: Certificate) -> None:
    assert judge(certificate, ("z3",)).status == "verified"
    proof = certificate.steps[-1].proof
    assert isinstance(proof, Induction)
    leaves = [each.proof for each in proof.cases]
    assert any(isinstance(each, Ask) and each.instances for each in leaves)


@pytest.mark.parametrize("body", [["true"], ["false"]])
def test_the_law_at_another_function_shows_nothing(certificate: Certificate, body: list[str]) -> None:
    *laws, last = certificate.steps
    proof = last.proof
    assert isinstance(proof, Induction)
    asked = [each.proof for each in proof.cases if isinstance(each.proof, Ask)]
    (own,) = (each for leaf in asked for each in leaf.instances)
    other = msgspec.structs.replace(own, at=(["function", [["x", "ℤ"]], body],))
    changed = msgspec.structs.replace(last, proof=with_instances(proof, (other,)))
    with pytest.raises(Refusal):
        judge(msgspec.structs.replace(certificate, steps=(*laws, changed)), ("z3",))


_PARTIAL = ["built-in", "div", "ℤ", ["number", "1", "ℤ"], ["var", "v"]]
_POSITIVE = ["built-in", "greater_than", "Bool", _PARTIAL, ["number", "0", "ℤ"]]
_BY_LISTS = Induction("l", cases=(Case("Nil", Ask()), Case("Cons", Ask(("hypothesis 1",)))))


@pytest.mark.parametrize(
    ("law", "claim", "body"),
    [
        (
            "∀(f : ℤ → ℤ, l : List(ℤ)). length(map(f, l)) = length(l)",
            "∀(l : List(ℤ)). length(map(λ x . div(1, x), l)) = length(l)",
            _PARTIAL,
        ),
        (
            "∀(p : ℤ → Bool, l : List(ℤ)). length(filter(p, l)) ≤ length(l)",
            "∀(l : List(ℤ)). length(filter(λ x . div(1, x) > 0, l)) ≤ length(l)",
            _POSITIVE,
        ),
        (
            "∀(p : ℤ → Bool, l : List(ℤ)). filter(p, l) = filter(p, l)",
            "∀(l : List(ℤ)). filter(λ x . div(1, x) > 0, l) = filter(λ x . div(1, x) > 0, l)",
            _POSITIVE,
        ),
    ],
)
def test_a_law_of_total_functions_says_nothing_of_a_partial_one(
    law: str, claim: str, body: list[Any]
) -> None:
    """Each claim is undefined of [0]."""
    function = ["function", [["v", "ℤ"]], body]
    one = ["number", "1", "ℤ"]
    same = (function, ["if", ["true"], function, function], ["let", "z", one, function])
    shown = Step(_BY_LISTS, term_data(formula(law)))
    for last in (Ask(("step 1",)), *(Ask((), (Instance("step 1", (each,)),)) for each in same)):
        given = Certificate(
            status="verified",
            theory="",
            goal=digest_of(task("", claim).goal),
            claim=claim,
            steps=(shown, Step(last)),
        )
        with pytest.raises(Refusal, match="step 2"):
            judge(given, ("z3",))
