"""The checker's naive translation, asked of Z3 directly."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from kleis.core import Connective, Term
from kleis.core.goal import Goal
from kleis.core.traversal import reach
from kleis.prover.checker.sequent import Sequent
from kleis.prover.checker.translation.script import Script, assembled, translate
from kleis.prover.checker.translation.sorts import check_rationals
from kleis.prover.checker.translation.terms import Restart, Terms
from kleis.prover.checker.translation.text import both, negation

__all__ = ["answer", "holds", "of_goal", "refuted", "verdict"]

STEPS = 3_000_000
FEW_STEPS = 200_000

NOTHING = Goal(claim=None)


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


def refuted(facts: Sequence[tuple[Term, bool]], goal: Goal = NOTHING) -> str:
    """What Z3 says where one of the facts is denied: ``unsat`` if all of them hold.

    A fact is a closed formula, and whether T of it holds.
    """
    definitions = {each.key: each for each in goal.definitions}
    reached = reach([each for each, _ in facts], definitions).definitions.values()
    check_rationals(goal, *(each for each, _ in facts), *(each.body for each in reached))
    partial: set[object] = set()
    while True:
        try:
            return _refuted(facts, goal, partial)
        except Restart:
            continue


def _refuted(facts: Sequence[tuple[Term, bool]], goal: Goal, partial: set[object]) -> str:
    terms = Terms(goal, partial)
    texts = []
    for formula, expected in facts:
        true = terms.meaning(formula, {}, frozenset()).text
        texts.append(true if expected else negation(true))
    return answer(assembled(terms, [negation(both(*texts))]))
