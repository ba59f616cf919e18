"""The engine `evaluation`: proves closed and finitely quantified claims by evaluating them.

See docs/reference/proving.md §7.1.  What is computed, and when it counts, is the rule of the checker
(`kleis.prover.checker.rules.evaluation`): ``length([1, 2, 3]) = 3`` and ``∀(a b : Bool). ¬(a ∧ b) = (¬a ∨ ¬b)`` need no
solver.  The engine says which claims are worth the steps.

Invariants
    * No axiom is used.
    * The proof is the claim itself: `check_evaluation` computes it again from nothing but the task.
"""

from __future__ import annotations

import json

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.rules import evaluation as rule
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Witness
from kleis.semantics.bounded_quantifiers import guard_of, restricts
from kleis.semantics.enclosures import MOST_PRECISION, PRECISION
from kleis.semantics.truth import FALSE, TRUE

__all__ = ["EVALUATION", "check_evaluation", "precision_of"]


class Evaluation:
    """The engine."""

    name = "evaluation"

    def applies(self, task: Task) -> bool:
        """To claims of built-ins, data and definitions whose outermost quantifiers may mean finitely many values."""
        goal = task.goal
        return (
            goal.claim is not None and _is_finite(goal, goal.claim) and rule.is_computable(goal, goal.claim)
        )

    def run(self, task: Task, steps: int) -> Answer:
        """Compute the claim."""
        claim = task.goal.claim
        assert claim is not None
        used = 0
        for precision in _PRECISIONS:
            found = rule.computed(task.goal, claim, steps - used, precision)
            used += found.steps
            if found.truth.decided or found.exceeded or used >= steps or not found.account.imprecise:
                break
        bounds = found.account.enclosed
        detail = f"computed with bounds of {precision} binary digits" if bounds else "computed"
        if found.truth is TRUE:
            record = {"steps": used, "precision": precision} if bounds else {"steps": used}
            proof = (("evaluation", json.dumps(record)),)
            return Answer(outcome="proved", detail=detail, steps=used, proof=proof)
        if found.truth is FALSE and not (isinstance(claim, core.Quantifier) and claim.kind == "forall"):
            return Answer(outcome="refuted", witness=Witness(precision=precision), detail=detail, steps=used)
        if found.exceeded:
            return Answer(
                outcome="silent", reason="resource", detail="more to compute than steps", steps=used
            )
        if found.account.imprecise:
            detail = f"bounds of {precision} binary digits do not decide it"
        else:
            unknown = found.truth.may_be_true
            detail = "its value depends on what is not computed" if unknown else "it is not true"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=used)


EVALUATION = Evaluation()

_PRECISIONS = (PRECISION, 8 * PRECISION, MOST_PRECISION)
"""Tried in turn while a comparison stays open."""


def precision_of(answer: Answer) -> int:
    """The precision of the bounds that the engine's proof rests on; 0 where it rests on none."""
    precision = dict(json.loads(answer.proof[0][1])).get("precision", 0) if answer.proof else 0
    assert isinstance(precision, int)
    return precision


def check_evaluation(task: Task, steps: int) -> bool:
    """Whether the claim of a task is computed to be true."""
    if task.goal.claim is None:
        return False
    try:
        rule.check_evaluation(Sequent(task.goal, (), task.goal.claim), steps)
    except RejectedError:
        return False
    return True


# ── Syntax ───────────────────────────────────────────────────────────────────────────────────────────────────


def _is_finite(goal: Goal, claim: core.Term) -> bool:
    """Whether the outermost ∀ may mean finitely many values: their sorts are finite, or a guard bounds them."""
    if not isinstance(claim, core.Quantifier) or claim.kind != "forall":
        return True
    guard = guard_of(claim)

    def bounded(variable: core.Variable) -> bool:
        kinds = {bound.kind for each in guard.conjuncts for bound in restricts(each, variable)}
        return bool(kinds & {"equal", "member", "high"})

    return all(bounded(each) or _has_few_values(goal, each.sort) for each in guard.variables)


def _has_few_values(goal: Goal, sort: core.Sort, inside: frozenset[core.Sort] = frozenset()) -> bool:
    """Whether a sort certainly has finitely many values."""
    match sort:
        case core.BitVec():
            return True
        case core.SetOf(element=element):
            return _has_few_values(goal, element, inside)
        case core.TupleOf(items=items):
            return all(_has_few_values(goal, each, inside) for each in items)
        case core.RecordOf(fields=fields):
            return all(_has_few_values(goal, each, inside) for _, each in fields)
        case core.FunctionOf(domain=domain, codomain=codomain):
            return all(_has_few_values(goal, each, inside) for each in (*domain, codomain))
        case core.DataSort():
            if sort in inside:
                return False
            made = [field.sort for each in goal.constructors(sort) for field in each.fields]
            return all(_has_few_values(goal, each, inside | {sort}) for each in made)
        case _:
            return sort == core.BOOL
