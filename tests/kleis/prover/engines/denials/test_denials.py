"""The engine `denials` and what the checker believes of it: nothing that is true or false is shown to be something else."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.prover.certificates.build import Question, build
from kleis.prover.checker.format import Ask, Certificate, CertificateError, Interpretation, SignChange, Step
from kleis.prover.checker.kernel import judge
from kleis.prover.checker.write_witness import witness_data
from kleis.prover.engines.denials.engine import DENIALS
from kleis.prover.portfolio import ORDER
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.provers.claims import evidence_of, task
from tests.support.provers.hostile_witnesses import mutated, plain
from tests.support.theories.small_theories import theory_of

STEPS = 1_200_000

FALSE = (
    "∃(x : ℝ). exp(x) = 0",
    "∀(x : ℝ). cos(x) ≠ 0",
    "∀(f : ℤ → ℤ). ∃(x : ℤ). f(x) = x",
    "∀(f : ℕ → ℕ). ∃(x : ℕ). f(x) > x",
    "∀(f : ℤ → ℤ, y : ℤ). ∃(x : ℤ). f(x) > x + y",
    "∀(f g : ℤ → ℤ). ∃(x : ℤ). f(g(x)) = x",
    "¬(∃(x : ℤ). x > 3)",
    "∃(s : String). strlen(s) = 1 ∧ ¬matches(s, re_allchar)",
)
UNDEFINED = (
    "∃(x : ℝ). x = 0 ∧ x/x = 1",
    "¬(∀(x : ℤ). div(x, x) = 1)",
    "∀(x : ℤ). (∀(y : ℤ). div(x, y) = div(x, y)) → x = 5",
)
TRUE = (
    "∃(x : ℝ). exp(x) = 1",
    "∀(x : ℝ). exp(x) ≠ 0",
    "∀(x : ℝ). cos(x) ≠ 2",
    "∀(f : ℤ → ℤ). ∃(x : ℤ). f(x) ≥ f(0)",
    "∀(f : ℕ → ℕ). ∃(x : ℕ). f(x + 1) ≥ f(x)",
    "∀(f : ℤ → ℤ). (∀(x : ℤ). f(x) = x) → f(3) = 3",
    "∃(x : ℝ). x = 0 ∨ x/x = 1",
    "∃(s : String). strlen(s) = 2 ∧ ¬matches(s, re_allchar)",
    "∀(x : ℤ). (∀(y : ℤ). y ≠ 0 → div(x, y) = div(x, y))",
    "¬(∃(x : ℤ). x ≠ 0 ∧ div(x, x) = 2)",
)


def certificate(claim: str, witness: Any) -> Certificate:
    goal = digest_of(task("", claim).goal)
    return Certificate(status="disproved", theory="", goal=goal, claim=claim, witness=witness)


def accepted(claim: str, witness: Any) -> bool:
    try:
        judge(certificate(claim, witness), ("z3",))
    except CertificateError:
        return False
    return True


def found(claim: str) -> Any:
    """The witness for a claim, as data."""
    given = task("", claim)
    assert DENIALS.applies(given)
    answer = DENIALS.run(given, STEPS)
    assert answer.outcome == "refuted", answer.detail
    return witness_data(given.goal, answer.witness)


@pytest.mark.parametrize("claim", FALSE)
def test_what_is_false_is_refuted_and_not_said_to_be_undefined(claim: str) -> None:
    given = task("", claim)
    evidence = evidence_of(given, DENIALS.run(given, STEPS).witness)
    assert evidence is not None
    assert not evidence.undefined
    assert accepted(claim, found(claim))
    assert not accepted(claim, Interpretation(undefined=True))


@pytest.mark.parametrize("claim", UNDEFINED)
def test_what_has_no_truth_value_is_not_said_to_be_false(claim: str) -> None:
    given = task("", claim)
    evidence = evidence_of(given, DENIALS.run(given, STEPS).witness)
    assert evidence is not None
    assert evidence.undefined
    assert accepted(claim, Interpretation(undefined=True))
    assert not accepted(claim, Interpretation())


@pytest.mark.parametrize("claim", TRUE)
def test_what_is_true_is_never_refuted(claim: str) -> None:
    given = task("", claim)
    answer = DENIALS.run(given, STEPS)
    assert answer.outcome == "silent"
    assert not accepted(claim, Interpretation())
    assert not accepted(claim, Interpretation(undefined=True))


def test_functions_are_terms_that_make_the_claim_false() -> None:
    claim = "∀(f : ℤ → ℤ). ∃(x : ℤ). f(x) = x"
    right = found(claim)
    ((name, body),) = right.functions
    assert (name, accepted(claim, right)) == ("f", True)
    x0, one = ["var", "x0"], ["number", "1", "ℕ"]
    for functions in (
        (("f", x0),),
        (("f", ["var", "x1"]),),
        (("f", ["var", "x"]),),
        (("f", one),),
        (("g", body),),
        (("f", body), ("f", body)),
        (("f", None),),
        (),
    ):
        assert not accepted(claim, msgspec.structs.replace(right, functions=functions))
    assert not accepted(claim, msgspec.structs.replace(right, undefined=True))
    assert not accepted(claim, msgspec.structs.replace(right, point=(("f", "1"),)))


def test_no_functions_where_none_are_asked_for() -> None:
    assert not accepted("∀(x : ℤ). x ≠ 42", Interpretation(functions=(("x", ["var", "x0"]),)))
    assert not accepted("∃(f : ℤ → ℤ). f(0) ≠ f(0)", Interpretation(functions=(("f", ["var", "x0"]),)))


def test_the_other_variables_have_values_or_none() -> None:
    claim = "∀(f : ℤ → ℤ, y : ℤ). ∃(x : ℤ). f(x) = y"
    given = task("", claim)
    constant = witness_data(given.goal, DENIALS.run(given, STEPS).witness).functions
    assert accepted(claim, Interpretation(functions=constant))
    for point in ((("y", "5"),), (("f", "5"), ("y", "5")), (("y", "1/2"),), (("y", "5"), ("y", "5"))):
        holds = accepted(claim, Interpretation(functions=constant, point=point))
        assert not holds or point == (("y", "5"),)
    assert not accepted(claim, Interpretation(functions=(("f", ["var", "x0"]),), point=(("y", "5"),)))


def test_the_steps_of_a_proof_show_the_negation_and_nothing_else() -> None:
    claim = "∀(x : ℝ). cos(x) ≠ 0"
    right = found(claim)
    (step,) = right.proof
    assert isinstance(step.proof, SignChange)
    for other in (
        (step, step),
        (msgspec.structs.replace(step, shows=["true"]),),
        (Step(msgspec.structs.replace(step.proof, low="0", high="1")),),
        (Step(msgspec.structs.replace(step.proof, low=step.proof.high, high=step.proof.low)),),
    ):
        assert not accepted(claim, msgspec.structs.replace(right, proof=other))
    assert not accepted("∀(x : ℝ). cos(x) ≠ 2", right)
    assert not accepted("∀(x : ℝ). cos(x) = 0 → x < 0", right)
    assert not accepted(claim, msgspec.structs.replace(right, undefined=True))
    laws = found("∃(x : ℝ). exp(x) = 0")
    for place in range(len(laws.proof)):
        fewer = (*laws.proof[:place], *laws.proof[place + 1 :])
        assert not accepted("∃(x : ℝ). exp(x) = 0", msgspec.structs.replace(laws, proof=fewer))


PRIME = "define prime(p : ℕ) : Bool = p ≥ 2 ∧ (∀(d : ℕ). 2 ≤ d ∧ d < p → mod(p, d) ≠ 0)\n"


def test_a_solver_asked_with_the_negation_inwards_refutes_nothing_true() -> None:
    asked = Interpretation(proof=(Step(Ask()),))
    assert accepted("∃(x : ℤ). x * x < 0", asked)
    for claim in TRUE:
        assert not accepted(claim, asked), claim


def test_a_refutation_that_no_solver_finds_as_it_stands_has_a_certificate() -> None:
    theory, claim = theory_of(PRIME), "∃(n : ℕ). prime(n * n)"
    order = [each for each in ORDER if each.engine.endswith(":DENIALS")]
    with Broker() as broker, Prover(theory, broker=broker, order=order) as prover:
        decision = prover.decide(parse_expression(claim))
        made = build(broker, theory, Question(claim), decision.verdict, answer=decision.answer)
    assert judge(made, ("z3",)).status == "disproved"
    assert isinstance(made.witness, Interpretation)
    for other in ("∃(n : ℕ). prime(n)", "∃(n : ℕ). prime(n * n + 1)", "∃(n : ℕ). prime(2 * n)"):
        goal = digest_of(task(PRIME, other).goal)
        with pytest.raises(CertificateError):
            judge(msgspec.structs.replace(made, claim=other, goal=goal), ("z3",))


@pytest.mark.parametrize(
    "program",
    [
        "structure S { operation c : ℤ → ℤ axiom a : ∀(x : ℤ). c(x) = div(1, x) }\n",
        "structure S { element c : ℤ axiom a : c > 0 }\n",
    ],
)
def test_nothing_is_undefined_where_something_is_declared(program: str) -> None:
    """A term that stands for a symbol may have no value somewhere; the symbol has one everywhere."""
    claim = "∃(x : ℤ). c(x) = 7 ∧ x = 0" if "operation" in program else "c = c + 0 * div(1, 0)"
    goal = task(program, claim).goal
    given = Certificate(status="disproved", theory=program, goal=digest_of(goal), claim=claim)
    for witness in (
        Interpretation(undefined=True),
        Interpretation(undefined=True, symbols=(("c : → ℤ", ["number", "1", "ℤ"]),)),
    ):
        with pytest.raises(CertificateError):
            judge(msgspec.structs.replace(given, witness=witness), ("z3",))


# ── Edited witnesses ─────────────────────────────────────────────────────────────────────────────────────────


@cache
def plain_witness(claim: str) -> Any:
    return plain(found(claim))


def wrongly_accepted(random: Random) -> str:
    """A true claim that an edited witness of a false one is accepted for; empty if it is refused."""
    changed = mutated(plain_witness(random.choice((*FALSE, *UNDEFINED))), random, random.choice((0, 1, 1, 2)))
    aimed = random.choice(TRUE)
    try:
        witness = msgspec.convert(changed, Interpretation)
    except msgspec.ValidationError:
        return ""
    return f"{aimed}: {changed}" if accepted(aimed, witness) else ""


@pytest.mark.parametrize("seed", range(12))
def test_edited_witnesses_refute_nothing_that_is_true(seed: int) -> None:
    assert not wrongly_accepted(Random(seed))


# ── Against a second semantics ───────────────────────────────────────────────────────────────────────────────

Truth = bool | None
"""None: undefined."""

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "≠": operator.ne,
    "≤": operator.le,
    "<": operator.lt,
}


class _Claim(msgspec.Struct, frozen=True):
    """A claim in words, and its truth at values of its variables."""

    text: str
    at: Any


def _term(random: Random, names: list[str], depth: int) -> _Claim:
    kind = (
        random.choice(("number", "variable", "plus", "div", "mod"))
        if depth
        else random.choice(("number", "variable"))
    )
    if kind == "variable" and names:
        name = random.choice(names)
        return _Claim(name, lambda v: v[name])
    if kind in ("number", "variable"):
        number = random.randint(0, 3)
        return _Claim(str(number), lambda v: number)
    a, b = (_term(random, names, depth - 1) for _ in range(2))
    if kind == "plus":
        return _Claim(f"({a.text} + {b.text})", lambda v: _both(a.at(v), b.at(v), lambda x, y: x + y))
    apply = (lambda x, y: x // y) if kind == "div" else (lambda x, y: x % y)
    return _Claim(
        f"{kind}({a.text}, {b.text})",
        lambda v: _both(a.at(v), b.at(v), lambda x, y: None if y == 0 else apply(x, y)),
    )


def _both(x: Any, y: Any, apply: Any) -> Any:
    return None if x is None or y is None else apply(x, y)


def _formula(random: Random, names: list[str], depth: int) -> _Claim:
    kind = random.choice(("atom", "not", "and", "or", "implies", "forall", "exists")) if depth else "atom"
    if kind == "atom":
        a, b, sign = _term(random, names, 1), _term(random, names, 1), random.choice(list(_COMPARISONS))
        return _Claim(f"{a.text} {sign} {b.text}", lambda v: _both(a.at(v), b.at(v), _COMPARISONS[sign]))
    if kind in ("forall", "exists"):
        return _quantified(random, names, depth, kind)
    a = _formula(random, names, depth - 1)
    if kind == "not":
        return _Claim(f"¬({a.text})", lambda v: None if a.at(v) is None else not a.at(v))
    b = _formula(random, names, depth - 1)
    sign = {"and": "∧", "or": "∨", "implies": "→"}[kind]

    def truth(v: Any) -> Truth:
        x, y = a.at(v), b.at(v)
        if kind == "implies":
            x = None if x is None else not x
        return _any((x, y)) if kind != "and" else _negation(_any((_negation(x), _negation(y))))

    return _Claim(f"({a.text}) {sign} ({b.text})", truth)


def _negation(x: Truth) -> Truth:
    return None if x is None else not x


def _any(values: Any) -> Truth:
    listed = list(values)
    return True if True in listed else None if None in listed else False


def _quantified(random: Random, names: list[str], depth: int, kind: str) -> _Claim:
    name, most = f"x{len(names)}", random.randint(1, 3)
    body = _formula(random, [*names, name], depth - 1)
    bounds = f"0 ≤ {name} ∧ {name} < {most}"
    if kind == "exists":
        return _Claim(
            f"(∃({name} : ℤ). {bounds} ∧ ({body.text}))",
            lambda v: _any(body.at({**v, name: each}) for each in range(most)),
        )
    return _Claim(
        f"(∀({name} : ℤ). {bounds} → ({body.text}))",
        lambda v: _negation(_any(_negation(body.at({**v, name: each})) for each in range(most))),
    )


def disagreement(random: Random) -> str:
    """What is wrong with the answer to a random claim about few numbers; empty if nothing is."""
    claim = _quantified(random, [], random.randint(1, 3), random.choice(("forall", "exists")))
    given = task("", claim.text)
    if not DENIALS.applies(given):
        return ""
    answer = DENIALS.run(given, STEPS)
    evidence = evidence_of(given, answer.witness) if answer.outcome == "refuted" else None
    if evidence is None:
        return ""
    truth = claim.at({})
    expected = None if evidence.undefined else False
    return "" if truth is expected else f"{claim.text} is {truth}, and was shown to be {expected}"


@pytest.mark.parametrize("seed", range(25))
def test_random_claims_about_few_numbers(seed: int) -> None:
    assert not disagreement(Random(seed))


def main(count: int, seed: int) -> None:
    """Try so many claims, and stop at the first that is answered wrongly."""
    for number in range(count):
        wrong = disagreement(Random(seed + number)) or wrongly_accepted(Random(seed + number))
        if wrong:
            sys.exit(f"seed {seed + number}: {wrong}")
    print(f"{count} claims, none answered wrongly")


if __name__ == "__main__":
    main(*(int(each) for each in (*sys.argv[1:], "1000", "1000")[:2]))
