"""Induction schemes: which obligations show a claim for all values of one of its variables.

See docs/reference/proving.md §7.10.  What a scheme leaves to show is the checker's rule, `kleis.prover.checker.rules.induction`;
here is which schemes are worth trying.

The claim of a part is for all values of the other variables.  A hypothesis is an axiom of its obligation, so it is
assumed to be *true*, not merely not false; the parts are new constants.

Invariants
    * No scheme is over a carrier, ℚ, ℝ, ℂ, sets or functions.
    * The goal, the variable and the scheme determine the obligations: they can be written again from these.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.goal import Axiom, Goal
from kleis.problems import Place
from kleis.prover.checker.format import Case, Induction
from kleis.prover.checker.rules import induction as rule
from kleis.prover.checker.rules.open_claims import HYPOTHESIS, opened
from kleis.prover.checker.sequent import Sequent
from kleis.prover.protocol.engine import Task

__all__ = ["HYPOTHESIS", "InductionGoal", "Scheme", "goal_of", "obligations", "schemes"]

_HERE = Place(file="<induction>", line=1, column=1)


class InductionGoal(msgspec.Struct, frozen=True):
    """A claim in parts: for all variables the body, under the hypotheses of inductions around it."""

    variables: tuple[core.Variable, ...]
    body: core.Term
    parts: tuple[core.Symbol, ...] = ()
    hypotheses: tuple[core.Term, ...] = ()

    def closed(self) -> core.Term:
        """The claim as one formula."""
        return core.Quantifier("forall", self.variables, self.body) if self.variables else self.body

    def task(self, task: Task) -> Task:
        """The goal as a task of its own, in the theory of another."""
        named = tuple(
            Axiom(f"{HYPOTHESIS}{place}", formula, "axiom", _HERE)
            for place, formula in enumerate(self.hypotheses, 1)
        )
        context = task.goal
        return Task(
            msgspec.structs.replace(
                context,
                claim=self.closed(),
                free=(),
                axioms=(*context.axioms, *named),
                symbols=(*context.symbols, *self.parts),
            ),
            task.lemmas,
        )


class Scheme(msgspec.Struct, frozen=True):
    """An induction on the variable of this name.

    `start` and `steps` are those of an integer scheme (b and k + 1); a structural one has 0 steps, and may be `deep`.
    """

    variable: str
    start: int = 0
    steps: int = 0
    deep: bool = False

    def step(self, cases: tuple[Case, ...] = ()) -> Induction:
        """The scheme as a step of a certificate."""
        return Induction(self.variable, cases, self.start, self.steps, self.deep)

    def text(self) -> str:
        """The scheme as proofs name it."""
        if not self.steps:
            return f"induction on {self.variable}" + (" and parts of parts" if self.deep else "")
        return f"induction on {self.variable} from {self.start} by {self.steps}"


def goal_of(claim: core.Term) -> InductionGoal:
    """A claim with all its outermost ∀ in front."""
    return InductionGoal(*opened(claim))


def schemes(goal: InductionGoal, starts: Sequence[int]) -> tuple[Scheme, ...]:
    """The inductions that a goal allows."""
    found: list[Scheme] = []
    for variable in goal.variables:
        if isinstance(variable.sort, core.DataSort | core.ListOf):
            found += [Scheme(variable.name), Scheme(variable.name, deep=True)]
        elif variable.sort == core.NATURAL:
            found += [Scheme(variable.name, 0, 1), Scheme(variable.name, 0, 2)]
        elif variable.sort == core.INTEGER:
            found += [Scheme(variable.name, start, steps) for steps in (1, 2) for start in starts]
    return tuple(found)


def obligations(context: Goal, goal: InductionGoal, scheme: Scheme) -> tuple[tuple[str, InductionGoal], ...]:
    """The goals that a scheme leaves to show, each with its name: those of the checker's rule."""
    given = tuple((f"{HYPOTHESIS}{place}", each) for place, each in enumerate(goal.hypotheses, 1))
    left = rule.obligations(Sequent(context, given, goal.closed(), goal.parts), scheme.step())
    return tuple((name, _goal_of_sequent(each)) for name, each in left)


def _goal_of_sequent(sequent: Sequent) -> InductionGoal:
    variables, body = opened(sequent.claim)
    return InductionGoal(variables, body, sequent.constants, tuple(each for _, each in sequent.premises))
