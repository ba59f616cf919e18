"""Short runs of Z3 with shuffled axioms and other seeds.

Specification: proving.md §3; provers.md §3 ("Short shuffled restarts beat one long run").

Z3 is chaotic on quantified algebra: what one order of the axioms does not find in a minute, another finds at once.
The orders and seeds are fixed, so the same task gives the same answer.  Every fourth attempt instantiates by patterns
only and without relevancy filtering.
"""

from __future__ import annotations

from random import Random

import msgspec

from kleis.logic.engines.direct import decided
from kleis.prover.engines.solvers.runs import Options, run_text, script_text, unwritable
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import Script, encode

__all__ = ["RESTARTS"]

_ATTEMPT = 150_000
"""Steps of one attempt."""


class Restarts:
    """The engine.  Its steps are Z3's, over all attempts."""

    name = "z3 restarts"

    def applies(self, task: Task) -> bool:
        """To what has more than one axiom: elsewhere there is nothing to shuffle."""
        return not task.meaning.unsettled and len(task.meaning.axioms) + len(task.lemmas) > 1

    def run(self, task: Task, steps: int) -> Answer:
        """One attempt after the other, until one decides."""
        try:
            script = encode(task)
        except Inexpressible as error:
            return unwritable(error)
        used, attempts = 0, 0
        while used + _ATTEMPT <= steps:
            attempts += 1
            shuffled, options = _variant(script, attempts)
            text = options.header() + script_text(shuffled, script.claim)
            run = run_text(text, _ATTEMPT)
            # An attempt counts for the whole of its budget: how much of it Z3 used is no measure of its time.
            used += _ATTEMPT
            if run.status != "unknown":
                return decided(task, shuffled, script.claim, run, steps, options=options, spent=used)
        return Answer(outcome="silent", reason="resource", detail=f"{attempts} attempts", steps=used)


RESTARTS = Restarts()


def _variant(script: Script, attempt: int) -> tuple[Script, Options]:
    axioms = list(script.axioms)
    Random(attempt).shuffle(axioms)
    fourth = attempt % 4 == 0
    options = Options(seed=attempt, patterns_only=fourth, relevancy=0 if fourth else None)
    return msgspec.structs.replace(script, axioms=tuple(axioms)), options
