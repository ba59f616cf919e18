"""What a question depends on beside its axioms: that recursions end, and that implementations are models.

See docs/reference/proving.md §2.7.  Each obligation is a question of its own, asked once for one theory.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from kleis.core import Term
from kleis.core.goal import Axiom, Goal, Obligation
from kleis.core.traversal import reach
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.verdict import Verdict

__all__ = ["Obligations"]


class Obligations:
    """The obligations of one theory and the verdicts on them.

    `search` answers a task, from a verdict with what is said of it anyway; `text` is a goal's claim as it is printed.
    """

    def __init__(
        self,
        elaborator: Elaborator,
        search: Callable[[Task, Verdict], Verdict],
        text: Callable[[Goal], str],
    ) -> None:
        self._elaborator = elaborator
        self._search = search
        self._text = text
        self._known: dict[Term, Verdict] = {}

    def undecidable(self, goal: Goal, base: Verdict) -> Verdict | None:
        """The verdict where no engine can decide: parts beyond the logic, recursion without termination argument."""
        if goal.unsettled:
            first = goal.unsettled[0]
            advice = "name what becomes smaller: @decreases(…)" if first.reason == "termination" else ""
            return msgspec.structs.replace(base, reason=first.reason, message=first.message, advice=advice)
        for obligation in goal.obligations:
            if obligation.kind != "termination":
                continue
            verdict = self.verdict(obligation)
            if verdict.status != "verified":
                message = (
                    f"termination of {obligation.subject} not shown: {obligation.name} is {verdict.status}"
                )
                return msgspec.structs.replace(
                    base, reason="termination", message=message, advice="give another @decreases(…)"
                )
        return None

    def no_model(self, goal: Goal, base: Verdict) -> Verdict | None:
        """An error if an implementation that the claim uses is no model: an axiom fails for what it gives."""
        for obligation in goal.obligations:
            if obligation.kind != "implements" or self.verdict(obligation).status != "disproved":
                continue
            verdict = self.verdict(obligation)
            return msgspec.structs.replace(
                base,
                status="error",
                message=f"{obligation.subject} is no model: {obligation.name.rpartition('::')[2]} fails",
                advice="mend what the implementation gives; the counterexample is in the evidence",
                evidence=verdict.evidence,
            )
        return None

    def verdict(self, obligation: Obligation) -> Verdict:
        """The verdict on an obligation, without axioms and terminations that depend on it."""
        if obligation.formula not in self._known:
            goal = self._elaborator.formula(obligation.formula, obligation.place)
            # An axiom that an implementation assumes is to be shown; an axiom that mentions the recursion depends on it.
            group = frozenset(self._group(obligation))
            kept = tuple(
                axiom
                for axiom in goal.axioms
                if axiom.standing != "assumed" and not group & self._reached(axiom)
            )
            needed = tuple(each for each in goal.obligations if each.kind == "termination")
            goal = msgspec.structs.replace(goal, axioms=kept, obligations=needed)
            if obligation.kind == "termination":
                goal = msgspec.structs.replace(goal, obligations=())
            base = Verdict(status="unknown", claim=self._text(goal))
            blocked = self.undecidable(goal, base)
            self._known[obligation.formula] = blocked or self._search(Task(goal), base)
        return self._known[obligation.formula]

    def _group(self, obligation: Obligation) -> tuple[str, ...]:
        """The recursive definitions whose termination an obligation is about."""
        if obligation.kind != "termination":
            return ()
        definition = self._elaborator.definitions.finished.get(obligation.subject)
        return definition.group if definition is not None else (obligation.subject,)

    def _reached(self, axiom: Axiom) -> frozenset[str]:
        """The definitions that an axiom mentions."""
        return frozenset(reach((axiom.formula,), self._elaborator.definitions.finished).definitions)

    def is_fact(self, axiom: Axiom) -> bool:
        """Whether an implementation's axiom was proved of what it gives."""
        obligation = Obligation("implements", axiom.name, axiom.name, axiom.formula, axiom.place)
        return self.verdict(obligation).status == "verified"
