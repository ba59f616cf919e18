"""The engine `evaluation`: proves closed and finitely quantified claims by evaluating them.

See docs/reference/proving.md §7.1.  ``length([1, 2, 3]) = 3`` and ``∀(a b : Bool). ¬(a ∧ b) = (¬a ∨ ¬b)`` need no
solver: what the reference semantics decides in the one-sided mode holds without bounds, and with the real meaning of
built-ins.  A recursive definition without a termination argument is computed too, where its calls come to an end: their
values are what they are.

Invariants
    * No axiom is used.  A symbol stands for every function, so a claim whose value depends on one is left undecided; a
      claim that mentions a carrier is left to other engines.
    * What is undefined, rests on a float or needs more steps than the budget is never true.
    * The proof is the claim itself: `check_evaluation` computes it again from nothing but the task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.traversal import sorts_of
from kleis.errors import BudgetError
from kleis.prover.engines.computation.bounded_quantifiers import bounded_evaluator, guard_of, restricts
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Witness
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth

__all__ = ["EVALUATION", "check_evaluation"]

_DEPTH = 1_000
"""Nesting of terms: what Python's stack can hold in a child process."""

_SIZE = 100_000


class Evaluation:
    """The engine."""

    name = "evaluation"

    def applies(self, task: Task) -> bool:
        """To claims of built-ins, data and definitions whose outermost quantifiers may mean finitely many values."""
        goal = task.goal
        if goal.claim is None or any(each.reason != "termination" for each in goal.unsettled):
            return False
        return _is_finite(goal, goal.claim) and not any(map(_speaks_of_carriers, _reached(goal)))

    def run(self, task: Task, steps: int) -> Answer:
        """Compute the claim."""
        truth, used, exceeded = _computed(task, steps)
        if truth is TRUE:
            proof = (("evaluation", json.dumps({"steps": used})),)
            return Answer(outcome="proved", detail="computed", steps=used, proof=proof)
        claim = task.goal.claim
        if truth is FALSE and not (isinstance(claim, core.Quantifier) and claim.kind == "forall"):
            return Answer(outcome="refuted", witness=Witness(), detail="computed", steps=used)
        if exceeded:
            return Answer(
                outcome="silent", reason="resource", detail="more to compute than steps", steps=used
            )
        detail = "its value depends on what is not computed" if truth.may_be_true else "it is not true"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=used)


EVALUATION = Evaluation()


def check_evaluation(task: Task, steps: int) -> bool:
    """Whether the claim of a task is computed to be true."""
    return EVALUATION.applies(task) and _computed(task, steps)[0] is TRUE


def _computed(task: Task, steps: int) -> tuple[Truth, int, bool]:
    """The value of the claim, the steps taken, and whether they ran out."""
    account = Account(Budget(steps=steps, depth=_DEPTH, size=_SIZE))
    bounds = Bounds(values=1 << 16, points=1 << 16, budget=account.budget)
    claim = task.goal.claim
    assert claim is not None
    try:
        truth = bounded_evaluator(task.goal, bounds, account).truth(claim)
    except (BudgetError, RecursionError):
        return OPEN, min(account.used, steps), True
    return truth, min(account.used, steps), account.exceeded


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


def _reached(goal: Goal) -> Iterator[core.Term]:
    """The claim and the bodies of all definitions."""
    if goal.claim is not None:
        yield goal.claim
    for each in goal.definitions:
        yield each.body


def _speaks_of_carriers(term: core.Term) -> bool:
    return any(_holds_carrier(sort) for sort in sorts_of(term))


def _holds_carrier(sort: core.Sort) -> bool:
    match sort:
        case core.Carrier():
            return True
        case core.FunctionOf(domain=domain, codomain=codomain):
            return any(map(_holds_carrier, (*domain, codomain)))
        case core.TupleOf(items=items):
            return any(map(_holds_carrier, items))
        case core.RecordOf(fields=fields):
            return any(_holds_carrier(each) for _, each in fields)
        case core.DataSort(arguments=arguments):
            return any(_holds_carrier(each) for each in arguments if isinstance(each, core.Sort))
        case _:
            element = getattr(sort, "element", None)
            return element is not None and _holds_carrier(element)
