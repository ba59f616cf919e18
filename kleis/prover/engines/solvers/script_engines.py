"""Z3 with equations that completion derived.

Specification: proving.md §3 ("derived equations also feed Z3"), provers.md §3 (kb_z3).

Completion finds in milliseconds what follows from unit equations, and Z3 does what completion cannot: conditions,
disjunctions, other theories.  The derived equations follow from the axioms, so they add no assumption; they stand in
the proof as obligations of their own.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import msgspec

from kleis.core import Term
from kleis.core.goal import Axiom
from kleis.logic.engines.direct import proved
from kleis.problems import Place
from kleis.prover.engines.solvers.runs import run_text, script_text, unwritable
from kleis.prover.protocol.engine import Answer, Engine, Task
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import encode

__all__ = ["WITH_EQUATIONS", "WithEquations"]

_COMPLETION = "kleis.prover.engines.completion.engine"
_EQUATIONS = 40
"""So many derived equations are used, the first ones."""

_PATIENCE = 5
"""An equation alone gets so many times the steps: the claim no longer leads completion to it."""

_PREFIX = "derived "
_HERE = Place(file="<derived>", line=1, column=1)


class WithEquations:
    """The engine.  Its steps are Z3's; completion gets `completion_steps` of its own before."""

    name = "z3 with equations"

    def __init__(self, completion: Engine | None = None, completion_steps: int = 4_000) -> None:
        self._completion = completion
        self._completion_steps = completion_steps

    def applies(self, task: Task) -> bool:
        """To what completion can read."""
        return not task.meaning.unsettled and self._engine().applies(task)

    def _engine(self) -> Engine:
        if self._completion is not None:
            return self._completion
        engine: Engine = importlib.import_module(_COMPLETION).Completion()
        return engine

    def run(self, task: Task, steps: int) -> Answer:
        """Complete, then run Z3 on axioms and equations together."""
        completion = self._engine()
        found = completion.run(task, self._completion_steps)
        if found.outcome != "silent":
            return found
        equations = found.derived[:_EQUATIONS]
        if not equations:
            return Answer(outcome="silent", reason="incomplete", detail="no equation was derived")
        try:
            script = encode(_with_axioms(task, equations))
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(script_text(script, script.claim), steps)
        if run.status != "unsat":
            detail = f"with {len(equations)} equations: {run.detail}"
            return Answer(outcome="silent", reason=run.reason or "incomplete", detail=detail, steps=run.used)
        return self._shown(task, equations, proved(script, script.claim, run, steps))

    def _shown(self, task: Task, equations: Sequence[Term], answer: Answer) -> Answer:
        """The proof with those of the equations it uses, each by completion."""
        completion = self._engine()
        core = {name: None for name in answer.core if not name.startswith(_PREFIX)}
        proof: list[tuple[str, str]] = []
        for place, equation in enumerate(equations, 1):
            name = f"{_PREFIX}{place}"
            if name not in answer.core:
                continue
            alone = Task(msgspec.structs.replace(task.meaning, claim=equation), task.lemmas)
            shown = completion.run(alone, _PATIENCE * self._completion_steps)
            if shown.outcome not in ("proved", "inconsistent"):
                detail = "an equation that completion derived on the way to the claim was not derived alone"
                return Answer(outcome="silent", reason="resource", detail=detail, steps=answer.steps)
            core.update(dict.fromkeys(shown.core))
            proof += [(f"{name}, {step}", text) for step, text in shown.proof]
        return msgspec.structs.replace(
            answer, core=tuple(core), proof=(*proof, *answer.proof), detail=f"{len(equations)} equations"
        )


WITH_EQUATIONS = WithEquations()


def _with_axioms(task: Task, equations: Sequence[Term]) -> Task:
    derived = tuple(
        Axiom(f"{_PREFIX}{place}", formula, "fact", _HERE) for place, formula in enumerate(equations, 1)
    )
    return Task(msgspec.structs.replace(task.meaning, axioms=(*task.meaning.axioms, *derived)), task.lemmas)
