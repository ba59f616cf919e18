"""Tasks from Kleis text, and the checks that every proof and witness must pass."""

from __future__ import annotations

from collections.abc import Sequence

from kleis.budget import Budget
from kleis.core import Connective
from kleis.core.traversal import stripped
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.engines.solvers.runs import run_text
from kleis.prover.evidence import check_evidence
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Evidence
from kleis.prover.protocol.witness import Witness
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import Truth
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.theory.theory import Theory

REPLAY = 20_000_000


def task(program: str, proposition: str | None, using: str | None = None) -> Task:
    """The task of a proposition in a program; without one, whether the structure has a model."""
    elaborator = Elaborator(Theory().include(parse_program(program)))
    if proposition is not None:
        used = parse_type(using) if using else None
        return Task(elaborator.proposition(parse_expression(proposition), using=used))
    return Task(elaborator.structure(using) if using else elaborator.components()[0])


def evidence_of(given: Task, witness: object) -> Evidence | None:
    """The evidence that a witness comes to, checked."""
    return check_evidence(
        given, Answer(outcome="model" if given.goal.claim is None else "refuted", witness=witness)
    )


def refuted_again(proof: Sequence[tuple[str, str]]) -> bool:
    """Whether plain Z3 refutes every obligation of a proof, from its text alone."""
    return bool(proof) and all(run_text(text, REPLAY).status == "unsat" for _, text in proof)


def claim_at(given: Task, answer: Answer) -> Truth:
    """What the claim is at the point of a witness, by the reference semantics."""
    witness, claim = answer.witness, given.goal.claim
    assert isinstance(witness, Witness)
    assert claim is not None
    _, hypotheses, rest = stripped(claim)
    for hypothesis in reversed(hypotheses):
        rest = Connective("implies", (hypothesis, rest))
    bounds = Bounds()
    account = Account(Budget(steps=1_000_000, depth=150, size=100_000))
    evaluator = evaluator_of(given.goal, Model({}, {}), bounds, "one-sided", account)
    return evaluator.truth(rest, witness.assignment)
