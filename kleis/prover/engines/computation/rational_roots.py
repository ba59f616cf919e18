"""The engine `rational roots`: equations without a rational solution.

See docs/reference/proving.md §7.24.  The decision is the rule of the checker
(`kleis.prover.checker.rules.rational_roots`); a claim that there is a solution is refuted by it.
"""

from __future__ import annotations

from kleis import core
from kleis.core.traversal import subterms
from kleis.prover.checker.rules.rational_roots import check_rational_roots
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.witness import Witness

__all__ = ["RATIONAL_ROOTS"]

_EXACT = (core.NATURAL, core.INTEGER, core.RATIONAL)


class RationalRoots:
    """The engine.  Its steps are those of the rule."""

    name = "rational roots"

    def applies(self, task: Task) -> bool:
        """To claims that there is, or is not, a solution of an equation among rational numbers or integers."""
        claim = task.goal.claim
        if claim is None or task.goal.unsettled:
            return False
        bound = [each.variables for each in subterms(claim) if isinstance(each, core.Quantifier)]
        variables = [each for variables in bound for each in variables]
        equations = sum(isinstance(each, core.Equals) for each in subterms(claim))
        return 0 < len(variables) <= 2 and equations > 0 and all(each.sort in _EXACT for each in variables)

    def run(self, task: Task, steps: int) -> Answer:
        """Try the numbers that may be solutions."""
        claim = task.goal.claim
        assert claim is not None
        exists = isinstance(claim, core.Quantifier) and claim.kind == "exists"
        denied = core.Connective("not", (claim,)) if exists else claim
        try:
            used = check_rational_roots(Sequent(task.goal, (), denied), steps)
        except RejectedError as error:
            return Answer(outcome="silent", reason="incomplete", detail=str(error))
        if exists and (task.goal.axioms or task.goal.carriers):
            return Answer(outcome="silent", reason="incomplete", detail="axioms may be false", steps=used)
        detail = "no rational number is a solution"
        if exists:
            return Answer(outcome="refuted", witness=Witness(), detail=detail, steps=used)
        return Answer(outcome="proved", detail=detail, steps=used)


RATIONAL_ROOTS = RationalRoots()
