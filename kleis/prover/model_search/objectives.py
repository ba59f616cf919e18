"""A job: a good value of a number that is to be small or large, by Z3's optimiser.

It is a guess to begin with: that no value is better is shown elsewhere, by a query of its own.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis.prover.engines.solvers.read_models import read_witness
from kleis.prover.engines.solvers.runs import library, script_text
from kleis.prover.engines.solvers.script_engines import with_rational_values
from kleis.prover.model_search.assignments import counted, true_constraints
from kleis.prover.protocol.engine import Answer, Inexpressible, Task
from kleis.prover.smt.script import encode

__all__ = ["OBJECTIVES", "ObjectiveSearch", "objectives"]

OBJECTIVES = "kleis.prover.model_search.objectives:objectives"


class ObjectiveSearch(msgspec.Struct, frozen=True):
    """What is searched: a model of a task with a small value of `name`, or a large one."""

    task: Task
    name: str
    greatest: bool


def objectives(asked: ObjectiveSearch, steps: int) -> Answer:
    """The job.  Its answer's witness is a `Witness`, or None; its steps are Z3's."""
    try:
        script = encode(asked.task)
    except Inexpressible as error:
        return Answer(outcome="silent", reason="incomplete", detail=error.detail)
    named = dict(counted(script, (asked.name,)))
    if asked.name not in named:
        return Answer(outcome="silent", reason="incomplete", detail="the objective is no number")
    negated, written = true_constraints(script), named[asked.name]
    z3 = library()
    context = z3.Context()
    text = script_text(script, negated).removesuffix("(check-sat)\n")
    try:
        *constraints, probe = z3.parse_smt2_string(f"{text}(assert (= {written} {written}))\n", ctx=context)
        optimiser = z3.Optimize(ctx=context)
        optimiser.set("rlimit", min(steps, 2**32 - 1))
        for each in constraints:
            optimiser.add(each)
        (optimiser.maximize if asked.greatest else optimiser.minimize)(probe.arg(0))
        outcome = optimiser.check()
    except z3.Z3Exception as error:
        return Answer(outcome="silent", reason="incomplete", detail=f"Z3 refuses the script: {error}")
    if outcome != z3.sat:
        return Answer(outcome="silent", reason="resource", detail="the optimiser gave up")
    model: Any = with_rational_values(script, negated, optimiser.model(), steps)
    return Answer(outcome="model", witness=read_witness(asked.task.goal, script, model, undefined=False))
