"""What certificates of other machines show of the questions of a prover.

See docs/reference/proving.md §11.1.  A certificate is checked here before anything rests on it, and what a search would find of
the axioms is found here again: a proof from axioms that clash, or of which no model is known, is looked for anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.prover.axioms_alone import AxiomsAlone
from kleis.prover.facts import Fact
from kleis.prover.kept_certificates import Elsewhere
from kleis.prover.obligations import Obligations
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import Answer, Task, with_lemmas
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.verdict_of import disproved, verified
from kleis.theory.theory import Theory

__all__ = ["FromElsewhere"]


class FromElsewhere:
    """The verdicts that certificates of `source` show."""

    def __init__(
        self, source: Elsewhere, broker: Broker, axioms: AxiomsAlone, obligations: Obligations
    ) -> None:
        self._source = source
        self._broker = broker
        self._axioms = axioms
        self._obligations = obligations

    def shown(
        self, task: Task, base: Verdict, facts: Sequence[Fact], without: Sequence[Sequence[Fact]] = ()
    ) -> Verdict | None:
        """The verdict on a task whose lemmas are these facts; None where the search has to decide.

        What is shown with fewer facts counts too, those of `without`: facts follow from the axioms, so it holds with them.
        """
        fewer = {len(each): each for each in without if len(each) < len(facts)}
        tasks = ((with_lemmas(task.goal, [fact.goal for fact in each]), each) for each in fewer.values())
        found = self._shown(task, base, facts)
        return found or next(filter(None, (self._shown(each, base, its) for each, its in tasks)), None)

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Let the source make a certificate of what was decided here."""
        self._source.offer(theory, task, facts, verdict, answer)

    def _shown(self, task: Task, base: Verdict, facts: Sequence[Fact]) -> Verdict | None:
        goal = task.goal
        found = self._source.find(task, self._broker)
        if found is None:
            return None
        alone = self._axioms.alone(goal)
        if alone is not None and alone.answer is not None and alone.answer.outcome == "inconsistent":
            return None
        common = msgspec.structs.replace(base, engine=found.engine, attempts=found.attempts)
        if found.status == "disproved":
            return None if found.evidence is None else disproved(goal, found.evidence, common)
        answer = Answer(outcome="proved", core=found.core)
        verdict = verified(goal, answer, common, self._axioms, self._obligations)
        verdict = verdict.resting_on([each.verdict for each in facts])
        return verdict if verdict.consistency == "model" else None
