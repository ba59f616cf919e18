"""Certificates pass their check again, and whatever is changed in them is refused.

See docs/reference/certificates.md §6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
import pytest

from kleis.core.canonical_bytes import digest_of
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.certificates.build import Question, build, build_from, build_part
from kleis.prover.certificates.check import check
from kleis.prover.checker.format import (
    Ask,
    Assignment,
    Certificate,
    CertificateError,
    Evaluation,
    Induction,
    Interpretation,
    Rewriting,
    Step,
    Tables,
)
from kleis.prover.checker.strict_reading import from_json, to_json
from kleis.prover.portfolio import Entry
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task, declarations_of
from kleis.prover.protocol.recorded_answers import Recorded, RecordedAnswers
from kleis.prover.protocol.verdict import Reason
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.theories.small_theories import theory_of

PROGRAM = """
structure Group(G) {
  operation (•) : G × G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_id : ∀(x : G). e • x = x
  axiom left_inv : ∀(x : G). inv(x) • x = e
}
structure Clash(B) {
  element a : B
  element b : B
  axiom same : a = b
  axiom other : a ≠ b
  axiom idle : ∀(x : B). x = x
}
structure Order(O) {
  operation before : O × O → Bool
  axiom irreflexive : ∀(x : O). ¬before(x, x)
  axiom transitive : ∀(x y z : O). before(x, y) ∧ before(y, z) → before(x, z)
  axiom onward : ∀(x : O). ∃(y : O). before(x, y)
}
structure Counted(C) { operation size : C → ℝ  axiom small : ∀(x : C). sin(size(x)) < 2 }
implements Counted(ℤ) { operation size(x) = x }
@decreases(n * n)
define down(n : ℤ) : ℤ = if n ≤ 0 then 0 else down(n - 1)
define total(l : List(ℤ)) : ℤ = match l { Nil => 0 | Cons(h, t) => h + total(t) }
define copied(l : List(ℤ)) : List(ℤ) = match l { Nil => Nil | Cons(h, t) => Cons(h, copied(t)) }
"""

ENGINES = "kleis.prover.engines"
DIRECT = (Entry("kleis.prover.engines.solvers.script_engines:DIRECT", "prove", 1_500_000),)
COMPLETION = (Entry(f"{ENGINES}.completion.engine:Completion", "prove", 60_000),)
TABLES = (Entry(f"{ENGINES}.models.finite_models:FiniteModels", "refute", 1_500_000),)
INSTANCES = (Entry(f"{ENGINES}.solvers.instantiation:INSTANTIATION", "prove", 2_000_000),)
INDUCTION = (Entry(f"{ENGINES}.induction.engine:INDUCTION", "prove", 20_000_000),)
STANDARD = (Entry(f"{ENGINES}.models.standard_models:INTERPRETATIONS", "refute", 3_000_000),)
COMPUTED = (Entry(f"{ENGINES}.computation.evaluation:EVALUATION", "prove", 40_000),)
SMALL = (Entry(f"{ENGINES}.computation.enumeration:ENUMERATION", "refute", 40_000),)

RIGHT_IDENTITY = "∀(x : G). x • e = x"
ABELIAN = "∀(x y : G). x • y = y • x"
ONLY_IDEMPOTENT = "∀(x : G). x • x = x → x = e"
SQUARE = "∀(x : ℝ). x * x ≥ 0"
COPY = "∀(l : List(ℤ)). total(copied(l)) = total(l)"

CASES: dict[str, tuple[str, tuple[Entry, ...], str]] = {
    "completion": (RIGHT_IDENTITY, (*COMPLETION, *TABLES), "verified"),
    "z3": (SQUARE, DIRECT, "verified"),
    "instances": (ONLY_IDEMPOTENT, INSTANCES, "verified"),
    "induction": (COPY, INDUCTION, "verified"),
    "evaluation": ("∀(x : ℤ). 0 ≤ x ∧ x < 9 → down(x) = length([1, 2]) - 2", COMPUTED, "verified"),
    "fallen away": ("∀(x : G). if x • e = x then true else true", COMPLETION, "verified"),
    "clash": ("∀(x : B). x = a", COMPLETION, "inconsistent"),
    "clash by z3": ("∀(x : B). x = a", DIRECT, "inconsistent"),
    "tables": (ABELIAN, TABLES, "disproved"),
    "assignment": ("∀(x : ℤ). x ≠ 42", SMALL, "disproved"),
    "interpretation": ("∃(x : O). ∀(y : O). ¬before(y, x)", STANDARD, "disproved"),
}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as made:
        yield made


def theory() -> Theory:
    return Theory().include(parse_program(PROGRAM))


@lru_cache
def made(broker: Broker, case: str) -> Certificate:
    claim, order, status = CASES[case]
    prover = Prover(theory(), broker=broker, order=order)
    verdict = prover.verify(parse_expression(claim))
    assert verdict.status == status
    return build(broker, theory(), Question(claim), verdict, order=order)


def refused(broker: Broker, certificate: Certificate, **changes: Any) -> str:
    """What is said of the certificate with changes; it must not be accepted."""
    changed = msgspec.structs.replace(certificate, **changes)
    assert changed != certificate
    report = check(to_json(changed), broker)
    assert not report.ok
    assert report.refused is not None
    return ": ".join(report.refused)


def digest(claim: str, status: str = "verified", about: Theory | None = None) -> str:
    """The digest of a claim in the theory: whoever forges a certificate can compute it."""
    goal = Elaborator(about or theory()).proposition(parse_expression(claim))
    return digest_of(declarations_of(goal) if status == "inconsistent" else goal)


@pytest.mark.parametrize("case", CASES)
def test_it_holds_again_also_from_its_file(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    data = to_json(certificate)
    assert to_json(from_json(data)) == data
    report = check(data, broker)
    assert report.ok, report.refused
    assert report.status == CASES[case][2]
    assert report.leaves


class Counting(Broker):
    """A broker that keeps the names of its jobs."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[str] = []
        self.budgets: set[tuple[str, int]] = set()

    def submit(self, job: str, task: Any, steps: int, **options: Any) -> Any:
        """Note the job and pass it on."""
        self.jobs.append(job)
        self.budgets.add((job, steps))
        return super().submit(job, task, steps, **options)


@pytest.mark.parametrize("case", CASES)
def test_what_the_engines_of_a_verdict_answered_is_not_asked_again(broker: Broker, case: str) -> None:
    claim, order, _ = CASES[case]
    with Counting() as counting:
        prover = Prover(theory(), broker=counting, order=order)
        verdict = prover.verify(parse_expression(claim))
        before = len(counting.jobs)
        certificate = build(counting, theory(), Question(claim), verdict, order=order, answers=prover.answers)
    assert not {each.engine for each in order} & set(counting.jobs[before:])
    assert to_json(certificate) == to_json(made(broker, case))


def test_an_engine_that_is_asked_again_has_the_budget_of_its_prover() -> None:
    (entry,) = COMPLETION
    with Counting() as counting:
        prover = Prover(theory(), broker=counting, order=COMPLETION, effort=3)
        verdict = prover.verify(parse_expression(RIGHT_IDENTITY))
        prover.answers.clear()
        counting.budgets.clear()
        build_from(counting, prover, Question(RIGHT_IDENTITY), verdict)
    assert (entry.engine, 3 * entry.steps) in counting.budgets
    assert (entry.engine, entry.steps) not in counting.budgets


def test_other_questions_and_other_budgets_are_no_recorded_answers(broker: Broker) -> None:
    prover = Prover(theory(), broker=broker, order=DIRECT)
    prover.verify(parse_expression(SQUARE))
    (entry,) = DIRECT
    elaborator = Elaborator(theory())
    task = Task(elaborator.proposition(parse_expression(SQUARE), file="<elsewhere>"))
    assert task.goal.claim is not None
    known = prover.answers.find(entry.engine, task, entry.steps)
    assert known is not None
    assert known.outcome == "proved"
    other = Task(elaborator.proposition(parse_expression("∀(x : ℝ). x * x ≥ 1")))
    with_lemma = Task(task.goal, (task.goal.claim,))
    assert prover.answers.find(entry.engine, other, entry.steps) is None
    assert prover.answers.find(entry.engine, with_lemma, entry.steps) is None
    assert prover.answers.find(entry.engine, task, entry.steps + 1) is None
    assert prover.answers.find(TABLES[0].engine, task, entry.steps) is None
    prover.answers.clear()
    assert prover.answers.find(entry.engine, task, entry.steps) is None


@pytest.mark.parametrize("reason", ["killed", "memory"])
def test_an_answer_that_a_limit_cut_short_is_not_recorded(reason: Reason) -> None:
    task = Task(Elaborator(theory()).proposition(parse_expression(SQUARE)))
    answers = RecordedAnswers()
    answers.add(Recorded("engine", task, 1, Answer(outcome="silent", reason=reason)))
    assert answers.find("engine", task, 1) is None
    answers.add(Recorded("engine", task, 1, Answer(outcome="silent", reason="resource")))
    assert answers.find("engine", task, 1) is not None


PROOFS: dict[str, type] = {
    "completion": Rewriting,
    "z3": Ask,
    "instances": Ask,
    "induction": Induction,
    "evaluation": Evaluation,
    "fallen away": Ask,
    "clash": Rewriting,
    "clash by z3": Ask,
}
WITNESSES: dict[str, type] = {"tables": Tables, "assignment": Assignment, "interpretation": Interpretation}


@pytest.mark.parametrize("case", PROOFS)
def test_each_engine_leaves_its_kind_of_proof(broker: Broker, case: str) -> None:
    assert type(made(broker, case).steps[-1].proof) is PROOFS[case]


@pytest.mark.parametrize("case", WITNESSES)
def test_and_its_kind_of_witness(broker: Broker, case: str) -> None:
    assert type(made(broker, case).witness) is WITNESSES[case]


def test_of_engines_with_one_name_the_one_that_applied_is_asked_again(broker: Broker) -> None:
    engine = f"{ENGINES}.superposition.engine"
    order = (
        Entry(f"{engine}:ConditionalSuperposition", "prove", 10),
        Entry(f"{engine}:Superposition", "prove", 60_000),
    )
    with Prover(theory(), broker=broker, order=order) as prover:
        verdict = prover.verify(parse_expression(RIGHT_IDENTITY))
    assert [each.engine for each in verdict.attempts] == ["superposition"]
    assert build(broker, theory(), Question(RIGHT_IDENTITY), verdict, order=order).steps


def test_what_a_check_reports(broker: Broker) -> None:
    report = check(to_json(made(broker, "completion")), broker)
    assert report.core == ("Group::assoc", "Group::left_id", "Group::left_inv")
    assert report.model == "checked"
    assert report.claim == "using Group ∀(x : G). x • e = x"
    assert [(each.place, each.by) for each in report.leaves] == [("claim", "rewriting"), ("model", "tables")]
    assert report.goal == digest(RIGHT_IDENTITY)
    report = check(to_json(made(broker, "induction")), broker)
    assert dict(report.definitions) == {
        "total": "an argument becomes a part of itself",
        "copied": "an argument becomes a part of itself",
    }
    assert all(each.by.startswith("z3 ") for each in report.leaves)
    report = check(to_json(made(broker, "tables")), broker)
    assert report.evidence is not None
    assert report.evidence.kind == "tables"


def test_it_holds_no_solver_text(broker: Broker) -> None:
    for case in CASES:
        data = to_json(made(broker, case)).decode()
        assert "assert" not in data.replace(made(broker, case).theory, "")
        assert "declare" not in data


@pytest.mark.parametrize("case", CASES)
def test_another_claim_is_refused(broker: Broker, case: str) -> None:
    assert "goal" in refused(broker, made(broker, case), claim="∀(x : ℤ). x = 0")


@pytest.mark.parametrize("case", CASES)
def test_another_claim_with_its_own_digest_is_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    groups = "G" in certificate.claim
    other = {
        "verified": "∀(x y : G). x = y" if groups else "∀(x : ℤ). x ≠ 42",
        "inconsistent": "∀(x : G). x = x",
        "disproved": "∀(x : G). x = x" if groups else "∀(x : ℤ). x = x",
    }[certificate.status]
    refused(broker, certificate, claim=other, goal=digest(other, certificate.status))


@pytest.mark.parametrize("case", ["completion", "clash"])
def test_another_theory_is_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    changed = certificate.theory.replace("inv(x) • x = e", "inv(x) • x = x").replace("a ≠ b", "a = a")
    assert changed != certificate.theory
    about = Theory().include(parse_program(changed))
    refused(broker, certificate, theory=changed)
    goal = digest(certificate.claim, certificate.status, about)
    refused(broker, certificate, theory=changed, goal=goal, model=None)
    refused(broker, certificate, theory="this is ( no program")


@pytest.mark.parametrize("case", ["completion", "instances", "clash", "clash by z3"])
def test_fewer_premises_are_refused(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    *before, last = certificate.steps
    assert isinstance(last.proof, Ask | Rewriting)
    for place in range(len(last.proof.given)):
        fewer = (*last.proof.given[:place], *last.proof.given[place + 1 :])
        proof = msgspec.structs.replace(last.proof, given=fewer)
        if isinstance(proof, Ask):
            kept = tuple(each for each in proof.instances if each.of in fewer)
            proof = msgspec.structs.replace(proof, instances=kept)
        refused(broker, certificate, steps=(*before, Step(proof)), model=None)
    proof = msgspec.structs.replace(last.proof, given=(*last.proof.given, "Group::no_such_axiom"))
    refused(broker, certificate, steps=(*before, Step(proof)), model=None)


@pytest.mark.parametrize("case", PROOFS)
def test_other_kinds_of_proof_show_nothing(broker: Broker, case: str) -> None:
    certificate = made(broker, case)
    refused(broker, certificate, steps=())
    if case not in ("evaluation", "z3"):
        refused(broker, certificate, steps=(Step(Evaluation()),))
    if case in ("completion", "instances", "clash", "clash by z3"):
        refused(broker, certificate, steps=(Step(Ask()),), model=None)


def test_other_links_are_refused(broker: Broker) -> None:
    certificate = made(broker, "completion")
    (step,) = certificate.steps
    assert isinstance(step.proof, Rewriting)
    (refutation,) = step.proof.refutations
    for place in range(len(refutation.links)):
        links = (*refutation.links[:place], *refutation.links[place + 1 :])
        changed = msgspec.structs.replace(
            step.proof, refutations=(msgspec.structs.replace(refutation, links=links),)
        )
        refused(broker, certificate, steps=(Step(changed),))
    refused(broker, certificate, steps=(Step(msgspec.structs.replace(step.proof, refutations=())),))


def test_other_cases_of_an_induction_are_refused(broker: Broker) -> None:
    certificate = made(broker, "induction")
    *before, last = certificate.steps
    assert isinstance(last.proof, Induction)
    cases = last.proof.cases
    for other in ((), cases[:1], cases[::-1], (*cases, cases[0]), (cases[0], cases[0])):
        changed = msgspec.structs.replace(last.proof, cases=other)
        refused(broker, certificate, steps=(*before, Step(changed)))
    refused(broker, certificate, steps=(*before, Step(msgspec.structs.replace(last.proof, on="x"))))


TWISTS: dict[str, Callable[[Tables], Tables]] = {
    "a cell": lambda found: msgspec.structs.replace(
        found,
        tables=tuple((name, (1 - values[0], *values[1:])) for name, values in found.tables),
    ),
    "no tables": lambda found: msgspec.structs.replace(found, tables=()),
    "no carriers": lambda found: msgspec.structs.replace(found, carriers=()),
    "a table twice": lambda found: msgspec.structs.replace(found, tables=(*found.tables, found.tables[0])),
    "a smaller carrier": lambda found: msgspec.structs.replace(found, carriers=(("G", 1),)),
}


@pytest.mark.parametrize("twist", TWISTS)
def test_other_tables_are_refused(broker: Broker, twist: str) -> None:
    certificate = made(broker, "tables")
    assert isinstance(certificate.witness, Tables)
    refused(broker, certificate, witness=TWISTS[twist](certificate.witness))


def test_another_value_is_refused(broker: Broker) -> None:
    certificate = made(broker, "assignment")
    assert isinstance(certificate.witness, Assignment)
    for value in ("41", 42, "42.0", None, ["number", "41", "ℕ"]):
        changed = msgspec.structs.replace(certificate.witness, variables=(("x", value),))
        refused(broker, certificate, witness=changed)


def test_another_model_of_the_axioms_is_refused(broker: Broker) -> None:
    certificate = made(broker, "completion")
    refused(broker, certificate, model=made(broker, "assignment").witness)


@pytest.mark.parametrize("status", ["verified", "disproved", "inconsistent", "consistent"])
@pytest.mark.parametrize("case", ["completion", "z3", "tables", "clash"])
def test_another_status_is_refused(broker: Broker, case: str, status: Any) -> None:
    certificate = made(broker, case)
    if status != certificate.status:
        refused(broker, certificate, status=status)
        refused(broker, certificate, status=status, goal=digest(certificate.claim, status))


def test_lemmas_are_shown_first(broker: Broker) -> None:
    order = (*COMPLETION, *DIRECT, *INSTANCES)
    prover = Prover(theory(), broker=broker, order=order)
    lemma, claim = RIGHT_IDENTITY, "∀(x y : G). x • y • e = x • y"
    trees = [parse_expression(lemma)]
    question = Question(claim, "", ((lemma, prover.verify(trees[0])),))
    verdict = prover.verify(parse_expression(claim), lemmas=trees)
    certificate = build(broker, theory(), question, verdict, order=order)
    assert [each.claim for each in certificate.lemmas] == [lemma]
    assert check(to_json(certificate), broker).ok
    false = msgspec.structs.replace(certificate.lemmas[0], claim="∀(x y : G). x = y")
    refused(broker, certificate, lemmas=(false,))
    refused(broker, certificate, lemmas=())
    refused(broker, certificate, lemmas=(msgspec.structs.replace(certificate.lemmas[0], steps=()),))


@pytest.mark.parametrize(("lemma", "alone"), [("c > 4", True), ("d > 2 ∧ c > 4", False)])
def test_a_claim_is_shown_without_lemmas_by_axioms_of_its_own_only(
    broker: Broker, lemma: str, alone: bool
) -> None:
    sections = theory_of(
        "structure Known { element c : ℤ  axiom large : c > 5 }\n"
        "structure Other { element d : ℤ  axiom small : d = 3 }\n"
    )
    prover, claim = Prover(sections, broker=broker), "c > 3"
    trees = [parse_expression(lemma)]
    question = Question(claim, "", ((lemma, prover.verify(trees[0])),))
    made = build(broker, sections, question, prover.verify(parse_expression(claim), lemmas=trees))
    through = msgspec.structs.replace(made, steps=(Step(Ask(("lemma 1",))),), model=None)
    report = check(to_json(through), broker)
    assert report.ok, report.refused
    assert set(report.core) == {"Known::large", *(() if alone else ("Other::small",))}
    assert report.without_lemmas == (digest(claim, about=sections) if alone else "")


@pytest.mark.parametrize(
    "claim", ["length([1, 2]) = 3", "1 / 0 = 1 / 0", "∀(n : ℕ). n * n ≥ n", "down(1) = 1"]
)
def test_what_is_not_computed_to_be_true_gets_no_certificate_by_evaluation(
    broker: Broker, claim: str
) -> None:
    refused(broker, made(broker, "evaluation"), claim=claim, goal=digest(claim))


def test_only_what_is_computed_needs_no_termination(broker: Broker) -> None:
    """`spin` never ends: a proof that asks about it is refused, and so is what nobody can compute."""
    program = "define spin(n : ℤ) : ℤ = if n = 7 then 0 else spin(n) + 1\n"
    spinning = Theory().include(parse_program(program))
    claim = "spin(7) = 0"
    verdict = Prover(spinning, broker=broker).verify(parse_expression(claim))
    assert (verdict.status, verdict.engine) == ("verified", "evaluation")
    certificate = build(broker, spinning, Question(claim), verdict)
    assert "spin is not known to terminate" in refused(broker, certificate, steps=(Step(Ask()),))
    for other in ("spin(0) = 1", "spin(0) = spin(0)", "∀(n : ℤ). spin(n) = 0"):
        refused(broker, certificate, claim=other, goal=digest(other, about=spinning))


@pytest.mark.parametrize(("part", "status"), [("Group", "consistent"), ("Clash", "inconsistent")])
def test_the_answer_about_a_part_has_a_certificate_that_nobody_can_bend(
    broker: Broker, part: str, status: str
) -> None:
    verdict = dict(Prover(theory(), broker=broker).consistent(part))[part]
    assert verdict.status == status
    certificate = build_part(broker, theory(), part, verdict)
    assert check(to_json(certificate), broker).ok
    other = "inconsistent" if status == "consistent" else "consistent"
    refused(broker, certificate, part="Order")
    refused(broker, certificate, part="")
    refused(broker, certificate, part="No such part")
    for wrong in (other, "verified", "disproved"):
        refused(broker, certificate, status=wrong)
    changed = certificate.theory.replace("a ≠ b", "a = a").replace("e • x = x", "e • x ≠ x")
    refused(broker, certificate, theory=changed)
    refused(broker, certificate, **({"witness": None} if status == "consistent" else {"steps": ()}))
    with pytest.raises(CertificateError):
        build_part(broker, theory(), "Order", msgspec.structs.replace(verdict, status="unknown"))
