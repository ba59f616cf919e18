"""Z3 as it comes, on the script of a task: outer ∀ stripped, default options.

Specification: proving.md §3 ("Z3: default options first, short"), provers.md §3.

A false point is preferred to an undefined one: where the claim is partial, F of it is tried first.

The other engines on Z3 differ in how they run the script, not in what they do with the outcome: `decided` is theirs too.
"""

from __future__ import annotations

from kleis.logic.engines.rational_points import with_rational_points
from kleis.prover.engines.solvers.read_models import read_witness
from kleis.prover.engines.solvers.runs import (
    DEFAULT,
    Options,
    Run,
    proof_of,
    run_text,
    script_text,
    unwritable,
)
from kleis.prover.protocol.engine import Answer, Outcome, Task
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import Script, encode

__all__ = ["DIRECT", "PROOFS", "decided", "proved"]


class Direct:
    """The engine.  Its steps are Z3's.  With `proofs_only` it says nothing of claims that have a countermodel.

    Other engines find points that are easier to read; before them only a proof may count.
    """

    name = "z3"

    def __init__(self, *, proofs_only: bool = False) -> None:
        self._proofs_only = proofs_only

    def applies(self, task: Task) -> bool:
        """To everything that is settled."""
        return not task.meaning.unsettled

    def run(self, task: Task, steps: int) -> Answer:
        """One run for each formula that a model is looked for of."""
        try:
            script = encode(task)
        except Inexpressible as error:
            return unwritable(error)
        if self._proofs_only:
            run = run_text(script_text(script, script.claim), steps)
            if run.status == "sat":
                return Answer(outcome="silent", reason="incomplete", detail="no proof", steps=run.used)
            return decided(task, script, script.claim, run, steps)
        used = 0
        if script.false:
            false = run_text(script_text(script, script.false), steps // 3)
            used += false.used
            if false.status == "sat":
                return decided(task, script, script.false, false, steps)
        run = run_text(script_text(script, script.claim), steps - used)
        return decided(task, script, script.claim, run, steps, spent=used)


DIRECT = Direct()

PROOFS = Direct(proofs_only=True)


def decided(
    task: Task,
    script: Script,
    goal: str,
    run: Run,
    steps: int,
    *,
    options: Options = DEFAULT,
    spent: int = 0,
) -> Answer:
    """The answer that a run comes to."""
    used = spent + run.used
    if run.status == "unsat":
        return proved(script, goal, run, steps, options=options, spent=spent)
    if run.status == "unknown":
        return Answer(outcome="silent", reason=run.reason, detail=run.detail, steps=used)
    undefined = bool(script.false) and goal == script.claim
    model = with_rational_points(script, goal, run.model, steps)
    witness = read_witness(task.meaning, script, model, undefined=undefined)
    detail = "" if script.exact else f"approximated: {', '.join(script.approximated)}"
    outcome: Outcome = "refuted" if task.meaning.claim is not None else "model"
    return Answer(outcome=outcome, witness=witness, steps=used, detail=detail)


def proved(
    script: Script, goal: str, run: Run, steps: int, *, options: Options = DEFAULT, spent: int = 0
) -> Answer:
    """The answer after a script was refuted: by its axioms and the negated claim, or by its axioms alone."""
    proof = proof_of(script, goal, run, steps, options)
    needs_claim = bool(goal) and proof.needs_claim
    return Answer(
        outcome="proved" if needs_claim else "inconsistent",
        core=proof.core,
        detail="minimal" if proof.minimal else "",
        steps=spent + run.used + proof.used,
        proof=(("claim" if needs_claim else "axioms", proof.text),),
    )
