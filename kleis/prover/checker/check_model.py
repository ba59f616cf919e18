"""Checks a witness of any kind: what it shows to people, and the leaves on which that rests.

See docs/reference/certificates.md §5.
"""

from __future__ import annotations

import msgspec

from kleis.core.goal import Goal
from kleis.prover.checker.format import Assignment, Interpretation, RewriteSystem, Step, Tables, Witness
from kleis.prover.checker.read_terms import OperationAt
from kleis.prover.checker.rules.assignment import check_assignment
from kleis.prover.checker.rules.convergence import convergent, convergent_evidence
from kleis.prover.checker.rules.interpretation import check_interpretation
from kleis.prover.checker.rules.interpreted_goals import Leaves
from kleis.prover.checker.rules.tables import check_tables
from kleis.prover.checker.sequent import FALSITY, RejectedError, Sequent
from kleis.prover.checker.show_models import assignment_evidence, interpretation_evidence, tables_evidence
from kleis.prover.protocol.verdict import Evidence

__all__ = ["ShownModel", "check_model"]


class ShownModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model of all axioms of a goal in which its claim, if it has one, is not true: once the leaves are shown.

    proof
        The steps to the leaf of the negated claim, unchecked; none where solvers are asked.
    computed
        Terminating computations alone show that the claim is false: definitions need no termination argument.
    """

    evidence: Evidence
    leaves: Leaves = ()
    proof: tuple[Step, ...] = ()
    computed: bool = False
    steps: int = 0


def check_model(goal: Goal, witness: Witness, operation_at: OperationAt) -> ShownModel:
    """What a witness shows of a goal; `RejectedError` where it is none, `NotExpressible` where its leaves have no words."""
    shown = _shown(goal, witness, operation_at)
    for each in goal.unsettled:
        if each.reason != "termination" or not shown.computed:
            raise RejectedError(each.message)
    return shown


def _shown(goal: Goal, witness: Witness, operation_at: OperationAt) -> ShownModel:
    match witness:
        case Tables():
            finite = check_tables(goal, witness)
            return ShownModel(evidence=tables_evidence(finite), steps=finite.steps)
        case Assignment():
            found = check_assignment(goal, witness)
            evidence = assignment_evidence(found)
            computed = evidence.kind == "assignment" and not evidence.undefined and goal.claim is not None
            return ShownModel(evidence=evidence, leaves=found.leaves, computed=computed, steps=found.steps)
        case Interpretation():
            model = check_interpretation(goal, witness, operation_at)
            return ShownModel(
                evidence=interpretation_evidence(model), leaves=model.leaves, proof=witness.proof
            )
        case RewriteSystem():
            axioms = tuple((each.name, each.formula) for each in goal.axioms)
            convergent(Sequent(goal, axioms, FALSITY if goal.claim is None else goal.claim), witness)
            return ShownModel(evidence=convergent_evidence(witness))
