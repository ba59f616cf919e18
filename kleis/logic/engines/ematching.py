"""Z3 with instantiation by patterns only.

Specification: proving.md §3 ("e-matching only"), provers.md §3.

Without model-based instantiation Z3 ends soon where quantifiers have good patterns, and says `unknown` where it found
nothing: it never claims a model of quantified axioms.  Recursive definitions are equations with the call as pattern.
"""

from __future__ import annotations

from kleis.logic.engines.direct import proved
from kleis.prover.engines.solvers.runs import Options, run_text, script_text, unwritable
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import encode

__all__ = ["EMATCHING"]

_OPTIONS = Options(patterns_only=True)


class Ematching:
    """The engine.  Its steps are Z3's."""

    name = "z3 patterns"

    def applies(self, task: Task) -> bool:
        """To what has axioms or recursive definitions: elsewhere nothing is quantified."""
        meaning = task.meaning
        return not meaning.unsettled and bool(meaning.axioms or task.lemmas or meaning.terminations)

    def run(self, task: Task, steps: int) -> Answer:
        """One run; a model of it is none of the task."""
        try:
            script = encode(task, equations=True)
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(_OPTIONS.header() + script_text(script, script.claim), steps)
        if run.status == "unsat":
            return proved(script, script.claim, run, steps, options=_OPTIONS)
        return Answer(outcome="silent", reason=run.reason or "incomplete", detail=run.detail, steps=run.used)


EMATCHING = Ematching()
