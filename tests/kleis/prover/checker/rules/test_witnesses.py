"""The rule `witnesses`: what is left to show implies the claim, also where parts have no value; what does not fit is refused."""

from __future__ import annotations

from random import Random

import pytest

from kleis import core
from kleis.core.canonical_bytes import digest_of
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.format import Ask, Certificate, CertificateError, Step, Witnesses
from kleis.prover.checker.kernel import judge
from kleis.prover.checker.rules.witnesses import existence
from kleis.prover.engines.laws.engine import WITNESSES, steps_of
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import TRUE, Truth
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.theory import Theory
from tests.support.provers.claims import task

EVEN = "define even(n : ℤ) : Bool = ∃(k : ℤ). n = 2 * k\n"

TRUE_CLAIMS = [
    ("", "∀(a b c : ℤ). (∃(k : ℤ). b = a * k) ∧ (∃(k : ℤ). c = b * k) → (∃(k : ℤ). c = a * k)"),
    ("", "∀(b c : ℤ). (∃(k : ℤ). b - 1 = 2 * k) ∧ (∃(k : ℤ). c = 2 * k) → (∃(k : ℤ). b * c = 2 * k)"),
    ("", "∀(x : ℝ). ∃(y : ℝ). y > x^3 + x"),
    (EVEN, "∀(a b c : ℤ). even(a) ∧ even(b) → even(a * c + b)"),
]


def certificate(program: str, claim: str, *steps: Step) -> Certificate:
    goal = digest_of(task(program, claim).goal)
    return Certificate(status="verified", theory=program, goal=goal, claim=claim, steps=steps)


@pytest.mark.parametrize(("program", "claim"), TRUE_CLAIMS)
def test_terms_are_found_and_accepted(program: str, claim: str) -> None:
    asked = task(program, claim)
    assert WITNESSES.applies(asked)
    answer = WITNESSES.run(asked, 600_000)
    assert answer.outcome == "proved", answer.detail
    assert judge(certificate(program, claim, *steps_of(answer)), ("z3",)).leaves


def test_a_definition_is_not_unfolded_where_an_argument_may_be_undefined() -> None:
    """`never(div(n, 0))` has no truth value, though what it stands for may be false without its argument."""
    program = "define never(n : ℤ) : Bool = ∃(k : ℤ). 0 = 1\n"
    for argument, unfolded in (("n", True), ("n + 1", True), ("div(n, 0)", False)):
        goal = task(program, f"∀(n : ℤ). never({argument}) → (∃(k : ℤ). k = n)").goal
        assert goal.claim is not None
        found = existence(goal, goal.claim)
        assert isinstance(found.hypotheses[0], core.DefinitionCall) is not unfolded


@pytest.mark.parametrize(
    "claim",
    [
        "∀(a b c : ℤ). (∃(k : ℤ). b = a * k) ∧ (∃(k : ℤ). c = a * k) → (∃(k : ℤ). c = b * k)",
        "∀(x : ℤ). ∃(y : ℤ). x = 2 * y",
        "∀(x : ℝ). ∃(y : ℝ). y * y + 1 = x",
    ],
)
def test_nothing_is_found_for_what_is_false(claim: str) -> None:
    assert WITNESSES.run(task("", claim), 100_000).outcome == "silent"


K = ["var", "k"]
CLAIM = "∀(n : ℤ). (∃(k : ℤ). n = 2 * k) → (∃(j : ℤ). n + 2 = 2 * j)"
MORE = ["built-in", "plus", "ℤ", K, ["as", "ℤ", ["number", "1", "ℕ"]]]


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ((K,), "z3"),
        ((), "0 values for 1"),
        ((MORE, K), "2 values for 1"),
        ((["var", "j"],), "j"),
        ((["number", "1", "ℕ"],), "ℕ"),
    ],
)
def test_other_values_are_refused(at: tuple[object, ...], why: str) -> None:
    assert judge(certificate("", CLAIM, Step(Witnesses((MORE,), Ask()))), ("z3",)).leaves
    with pytest.raises(CertificateError, match=why):
        judge(certificate("", CLAIM, Step(Witnesses(at, Ask()))), ("z3",))


def test_a_claim_that_wants_nothing_is_refused() -> None:
    with pytest.raises(CertificateError, match="does not say that something exists"):
        judge(certificate("", "∀(n : ℤ). n = n", Step(Witnesses((), Ask()))), ("z3",))


# ── What is left implies the claim ───────────────────────────────────────────────────────────────────────────


def formula(random: Random, depth: int, names: tuple[str, ...]) -> str:
    """A formula over truth values, some of which are undefined; bound names come again."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(
            [*names, *names, "true", "(1 / 0 = 1)", f"(if {names[0]} then 1 / 0 = 1 else true)"]
        )
    if random.random() < 0.35:
        name = random.choice("pqrs")
        inner = formula(random, depth - 1, (*names, name))
        return f"({random.choice('∃∃∃∀')}({name} : Bool). {inner})"
    if random.random() < 0.2:
        return f"¬{formula(random, depth - 1, names)}"
    sign = random.choice("∧∧∨→")
    return f"({formula(random, depth - 1, names)} {sign} {formula(random, depth - 1, names)})"


def truth(goal: Goal, claim: core.Term) -> Truth:
    return evaluator_of(goal, Model({}, {}), Bounds(), "one-sided", Account(Bounds().budget)).truth(claim)


def test_what_is_left_implies_the_claim() -> None:
    random = Random(5)
    elaborator = Elaborator(Theory())
    wanted = shown = 0
    for _ in range(80):
        given, conclusion = formula(random, 3, ("p", "q")), formula(random, 2, ("p", "q", "t"))
        claim = f"∀(p q : Bool). {given} → (∃(t : Bool). {conclusion})"
        goal = elaborator.proposition(parse_expression(claim))
        assert goal.claim is not None
        found = existence(goal, goal.claim)
        if not found.wanted:
            continue
        wanted += 1
        literals: list[core.Term] = [core.LiteralTerm(each, core.BOOL) for each in (True, False)]
        undefined = core.Undefined(core.BOOL, "nothing")
        choices: list[core.Term] = [
            *literals,
            *(each for each in found.variables if each.sort == core.BOOL),
            undefined,
        ]
        left = found.at(tuple(random.choice(choices) for _ in found.wanted))
        if truth(goal, left) is TRUE:
            shown += 1
            assert truth(goal, goal.claim) is TRUE
    assert wanted > 60
    assert shown > 12
