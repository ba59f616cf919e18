"""The checker's naive translation, asked of Z3 directly."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from kleis.core import Connective, Term
from kleis.core.goal import Goal
from kleis.core.traversal import reach
from kleis.prover.checker.sequent import NotExpressible, Sequent
from kleis.prover.checker.translation.script import Script, assembled, translate
from kleis.prover.checker.translation.sorts import check_rationals
from kleis.prover.checker.translation.terms import Restart, Terms
from kleis.prover.checker.translation.text import both, negation

__all__ = ["Fact", "Together", "answer", "holds", "of_goal", "refuted", "verdict"]

STEPS = 3_000_000
FEW_STEPS = 200_000

NOTHING = Goal(claim=None)

Fact = tuple[Term, bool]
"""A closed formula, and whether T of it holds."""


def of_goal(goal: Goal, claim: Term | None = None) -> Script:
    """The script of a goal with all its axioms as premises."""
    wanted = goal.claim if claim is None else claim
    assert wanted is not None
    return translate(Sequent(goal, tuple((each.name, each.formula) for each in goal.axioms), wanted))


def answer(script: Script, steps: int = STEPS) -> str:
    """What Z3 says of a script, asked once."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", steps)
    solver.from_string(script.text())
    return str(solver.check())


def holds(claim: Term, goal: Goal = NOTHING) -> bool | None:
    """Whether a claim is true; None if Z3 does not say."""
    return {"unsat": True, "sat": False}.get(answer(of_goal(goal, claim)))


def verdict(goal: Goal) -> str:
    """``true``, ``false``, ``undefined`` or ``open``, of a claim without unknowns."""
    assert goal.claim is not None
    true = answer(of_goal(goal), FEW_STEPS)
    if true == "unsat":
        return "true"
    opposite = answer(of_goal(goal, Connective("not", (goal.claim,))), FEW_STEPS)
    if opposite == "unsat":
        return "false"
    return "undefined" if true == opposite == "sat" else "open"


def refuted(facts: Sequence[Fact], goal: Goal = NOTHING) -> str:
    """What Z3 says where one of the facts is denied: ``unsat`` if all of them hold."""
    together = Together(goal)
    together.add(facts)
    return together.answer()


class Together:
    """Facts that are asked about in one script, in which the meaning of definitions is written once."""

    def __init__(self, goal: Goal = NOTHING) -> None:
        self._goal = goal
        self._definitions = {each.key: each for each in goal.definitions}
        self._facts: list[Fact] = []
        self._partial: set[object] = set()
        self._terms = Terms(goal, self._partial)
        self._texts: list[str] = []

    def add(self, facts: Sequence[Fact]) -> None:
        """Ask about these too. Raises `NotExpressible`, and then asks about what it did before."""
        reached = reach([each for each, _ in facts], self._definitions).definitions.values()
        check_rationals(self._goal, *(each for each, _ in facts), *(each.body for each in reached))
        new = list(facts)
        while True:
            try:
                texts = [self._text(each) for each in new]
            except Restart:  # a function has no value somewhere: what was written of it before is void
                self._terms, self._texts = Terms(self._goal, self._partial), []
                new = [*self._facts, *facts]
                continue
            if self._terms.approximate:  # a model with any function for a built-in says nothing of it
                self._terms.approximate = False
                raise NotExpressible("a built-in that the script knows nothing of")
            self._texts += texts
            self._facts += facts
            return

    def answer(self) -> str:
        """What Z3 says where one of the facts is denied."""
        return answer(assembled(self._terms, [negation(both(*self._texts))]))

    def _text(self, fact: Fact) -> str:
        true = self._terms.meaning(fact[0], {}, frozenset()).text
        return true if fact[1] else negation(true)
