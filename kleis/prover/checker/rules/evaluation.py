"""The rule `evaluation`: the claim, computed by the reference semantics, is true.

See docs/reference/certificates.md §3.6.  ``length([1, 2, 3]) = 3`` and ``∀(a b : Bool). ¬(a ∧ b) = (¬a ∨ ¬b)`` need no
solver: what the reference semantics decides in the one-sided mode holds without bounds, and with the real meaning of
built-ins.  A recursive definition without a termination argument may be computed too: where its calls come to an end,
their values are what they are.

Invariants
    * No premise is used.  A symbol, a constant of a rule above included, stands for every function: a claim whose value
      depends on one is not computed.  A claim that mentions a carrier is none to compute.
    * What is undefined, rests on a float or needs more steps than the budget is never true.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.sort_operations import sort_parts
from kleis.core.traversal import sorts_of
from kleis.errors import BudgetError
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.semantics.bounded_quantifiers import bounded_evaluator
from kleis.semantics.enclosures import PRECISION
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.semantics.truth import OPEN, TRUE, Truth

__all__ = ["STEPS", "Computed", "check_evaluation", "computed", "is_computable"]

STEPS = 12_000_000
"""Steps of a check: four times what the search has."""

_DEPTH = 1_000
"""Nesting of terms: what Python's stack can hold in a child process."""

_SIZE = 100_000


class Computed:
    """What came out: the truth of a claim, and the account: steps taken, whether they ran out, what enclosures decided."""

    __slots__ = ("account", "exceeded", "steps", "truth")

    def __init__(self, truth: Truth, account: Account, *, exceeded: bool) -> None:
        self.truth = truth
        self.account = account
        self.steps = min(account.used, account.budget.steps)
        self.exceeded = exceeded


def check_evaluation(sequent: Sequent, steps: int = STEPS, precision: int = PRECISION) -> int:
    """The steps after which the claim was found to be true; `RejectedError` if it was not."""
    if not is_computable(sequent.goal, sequent.claim):
        raise RejectedError("the claim is about carriers, or beyond the logic: it is not computed")
    found = computed(sequent.goal, sequent.claim, steps, precision)
    if found.truth is not TRUE:
        why = "its steps are used up" if found.exceeded else "it is not found to be true"
        raise RejectedError(f"computed again, the claim does not hold: {why}")
    return found.steps


def is_computable(goal: Goal, claim: core.Term) -> bool:
    """Whether a claim and all definitions are within the logic and mention no carrier."""
    if any(each.reason != "termination" for each in goal.unsettled):
        return False
    return not any(_holds_carrier(sort) for sort in _sorts(goal, claim))


def computed(goal: Goal, claim: core.Term, steps: int, precision: int = PRECISION) -> Computed:
    """A claim evaluated within a number of steps, irrational numbers compared with a precision."""
    account = Account(Budget(steps=steps, depth=_DEPTH, size=_SIZE), precision)
    bounds = Bounds(values=1 << 16, points=1 << 16, budget=account.budget)
    try:
        truth = bounded_evaluator(goal, bounds, account).truth(claim)
    except (BudgetError, RecursionError):
        return Computed(OPEN, account, exceeded=True)
    return Computed(truth, account, exceeded=account.exceeded)


def _sorts(goal: Goal, claim: core.Term) -> Iterator[core.Sort]:
    """The sorts of a claim, of all definitions and of the fields of all data types."""
    for term in (claim, *(each.body for each in goal.definitions)):
        yield from sorts_of(term)
    for group in goal.data:
        for each in group:
            yield from (field.sort for made in each.constructors for field in made.fields)


def _holds_carrier(sort: core.Sort) -> bool:
    return isinstance(sort, core.Carrier) or any(map(_holds_carrier, sort_parts(sort)))
