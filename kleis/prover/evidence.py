"""Checks witnesses: what an engine claims of a model, before it is shown to anyone.

See docs/reference/proving.md §5.5.  Engines are trusted with nothing.  A witness is written as the data of a certificate
and checked by the rules of the checker (`kleis.prover.checker`), which share no code with the searches:

==================  ===========================================================================================
assignment          every assumed axiom is true and the claim is not, evaluated by the reference semantics
tables              the same over finite carriers, every value enumerated
interpretation      each axiom, and the negated claim, proved under it by queries of their own
rewriting           critical pairs join, axioms join, the claim's normal forms differ
==================  ===========================================================================================

So what is shown here has a certificate.  Only the leaves that a rule leaves to solvers are answered differently: here by
the engines' encoder, in the check of a certificate by the naive translation.

The checks run in a child process, as engines do: `check_witness` is the job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis.budget import deep
from kleis.core import Term
from kleis.errors import KleisError
from kleis.prover.checker.check_model import check_model
from kleis.prover.checker.format import Ask, Step
from kleis.prover.checker.read_terms import Vocabulary, operation_at
from kleis.prover.checker.rules.ask import ask
from kleis.prover.checker.rules.direct import shown_directly
from kleis.prover.checker.rules.interpretation import NEGATED
from kleis.prover.checker.rules.rational_roots import has_no_rational_root
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.checker.write_terms import UnwritableError
from kleis.prover.checker.write_witness import witness_data
from kleis.prover.counterexample_parts import with_parts
from kleis.prover.protocol.engine import Answer, Checked, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["check_evidence", "check_witness"]

_QUERY = 200_000
"""Z3's steps for a leaf."""


@deep()
def check_evidence(task: Task, answer: Answer) -> Evidence | None:
    """The evidence of an answer's witness; None if the check does not confirm it."""
    witness = answer.witness
    if isinstance(witness, Mapping) and "equations" in witness:
        from kleis.prover.engines.completion.check_proof import rewriting_evidence

        return rewriting_evidence(task, witness)
    try:
        shown = check_model(task.goal, witness_data(task.goal, witness), operation_at())
    except (CheckError, UnwritableError):
        return None
    if shown.leaves:
        from kleis.prover.engines.models.standard_models import is_proved

        for name, leaf in shown.leaves:
            if shown.proof and name == NEGATED:
                if not _leads_to(leaf, shown.proof):
                    return None
            elif not (has_no_rational_root(leaf) or is_proved(leaf, _QUERY)):
                return None
    return with_parts(shown.evidence, task.goal, witness)


def _leads_to(leaf: Sequent, steps: Sequence[Step]) -> bool:
    """Whether the checker's rules accept each of the steps to a leaf; none of them is an induction."""
    vocabulary = Vocabulary(leaf.goal, operation_at())
    known: list[tuple[str, Term]] = []
    for number, step in enumerate(steps, 1):
        is_last = number == len(steps)
        try:
            if (step.shows is None) is not is_last:
                return False
            formula = leaf.claim if is_last else vocabulary.closed_formula(step.shows)
            sequent = Sequent(leaf.goal, tuple(known), formula)
            if isinstance(step.proof, Ask):
                ask(sequent, step.proof, vocabulary, ("z3",))
            else:
                shown_directly(sequent, step.proof)
        except CheckError:
            return False
        known.append((f"step {number}", formula))
    return bool(steps)


# ── As a job ─────────────────────────────────────────────────────────────────────────────────────────────────


@deep()
def check_witness(checked: Checked, steps: int) -> Answer:
    """The job of a check.  Its answer's witness is the evidence."""
    del steps
    try:
        evidence = check_evidence(checked.task, checked.answer)
    except KleisError as error:
        return Answer(outcome="silent", reason="incomplete", detail=f"not evaluated: {error}")
    except RecursionError:
        return Answer(outcome="silent", reason="resource", detail="not evaluated: nested too deep")
    if evidence is None:
        return Answer(
            outcome="silent", reason="incomplete", detail="what it found does not stand exact evaluation"
        )
    return Answer(outcome=checked.answer.outcome, witness=evidence)
