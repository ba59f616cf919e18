"""The engine `remainders`: claims that depend on integers only by remainders, tried at all of these.

See docs/reference/proving.md §7.23.  The decision is the rule of the checker (`kleis.prover.checker.rules.remainders`).
"""

from __future__ import annotations

from kleis import core
from kleis.core.traversal import subterms
from kleis.prover.checker.rules.remainders import check_remainders
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["REMAINDERS"]


class Remainders:
    """The engine.  Its steps are those of the rule."""

    name = "remainders"

    def applies(self, task: Task) -> bool:
        """To universal claims that mention remainders."""
        claim = task.goal.claim
        if not isinstance(claim, core.Quantifier) or claim.kind != "forall":
            return False
        return any(
            isinstance(each, core.BuiltinCall) and each.operation.name == "mod" for each in subterms(claim)
        )

    def run(self, task: Task, steps: int) -> Answer:
        """Try all cases."""
        claim = task.goal.claim
        assert claim is not None
        try:
            used = check_remainders(Sequent(task.goal, (), claim), steps)
        except RejectedError as error:
            return Answer(outcome="silent", reason="incomplete", detail=str(error))
        return Answer(outcome="proved", steps=used, detail="true in all cases")


REMAINDERS = Remainders()
