"""The engines that run Z3 on the script of a task: `z3`, `z3 opaque`, `z3 patterns`, `z3 restarts`, `z3 with equations`.

See docs/reference/proving.md §7.7, §7.14, §7.15, §7.16, §7.17.

They differ in how they run the script, not in what they do with the outcome (`decided`).

    z3                 default options, outer ∀ stripped.  Where the claim is partial, F of it is tried first: a false
                       assignment is preferred to an undefined one.
    z3 patterns        instantiation by patterns only.  Ends soon where quantifiers have good patterns, and never claims a
                       model of quantified axioms.  Recursive definitions are equations with the call as pattern.
    z3 opaque          without what recursive definitions compute.  Where that does not matter (a common divisor that is
                       divided by, whatever it is) their unfolding only hides the proof.
    z3 restarts        short runs with shuffled axioms and other seeds: what one order of the axioms does not find in a
                       minute, another finds at once.  Orders and seeds are fixed, so the same task gives the same answer.
    z3 with equations  the axioms with equations that completion derived from them: completion is fast on unit equations,
                       and Z3 does conditions, disjunctions and other theories.  The proof has an obligation for each.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from kleis.core import Term
from kleis.core.goal import Axiom
from kleis.problems import Place
from kleis.prover.engines.solvers.read_models import read_witness
from kleis.prover.engines.solvers.runs import (
    DEFAULT,
    Options,
    Run,
    library,
    proof_of,
    run_solver,
    run_text,
    script_text,
    unwritable,
)
from kleis.prover.protocol.engine import Answer, Engine, Inexpressible, Outcome, Task
from kleis.prover.smt.script import Script, encode

__all__ = [
    "DIRECT",
    "EMATCHING",
    "OPAQUE",
    "PROOFS",
    "RESTARTS",
    "WITH_EQUATIONS",
    "WithEquations",
    "decided",
    "proved",
    "with_rational_values",
]


class Direct:
    """The engine.  Its steps are Z3's.  With `proofs_only` it gives no countermodels.

    Other engines find counterexamples that are easier to read; before them only a proof may count.
    """

    name = "z3"

    def __init__(self, *, proofs_only: bool = False) -> None:
        self._proofs_only = proofs_only

    def applies(self, task: Task) -> bool:
        """To every task without undecided parts."""
        return not task.goal.unsettled

    def run(self, task: Task, steps: int) -> Answer:
        """One run with F of the claim, if that is another formula, then one with ¬T."""
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


# ── Patterns only ───────────────────────────────────────────────────────────────────────────────────────────

_PATTERNS = Options(patterns_only=True)


class Ematching:
    """The engine.  Its steps are Z3's."""

    name = "z3 patterns"

    def applies(self, task: Task) -> bool:
        """To what has axioms or recursive definitions: elsewhere nothing is quantified."""
        goal = task.goal
        return not goal.unsettled and bool(goal.axioms or task.lemmas or goal.terminations)

    def run(self, task: Task, steps: int) -> Answer:
        """One run, of which only a proof counts."""
        try:
            script = encode(task, recursion="equations")
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(_PATTERNS.header() + script_text(script, script.claim), steps)
        if run.status == "unsat":
            return proved(script, script.claim, run, steps, options=_PATTERNS)
        return Answer(outcome="silent", reason=run.reason or "incomplete", detail=run.detail, steps=run.used)


EMATCHING = Ematching()


# ── Recursive definitions left out ──────────────────────────────────────────────────────────────────────────


class Opaque:
    """The engine.  Its steps are Z3's."""

    name = "z3 opaque"

    def applies(self, task: Task) -> bool:
        """To a claim that is about recursive definitions: elsewhere nothing is left out."""
        goal = task.goal
        return goal.claim is not None and not goal.unsettled and bool(goal.terminations)

    def run(self, task: Task, steps: int) -> Answer:
        """One run, of which only a proof counts."""
        try:
            script = encode(task, recursion="opaque")
        except Inexpressible as error:
            return unwritable(error)
        run = run_text(_PATTERNS.header() + script_text(script, script.claim), steps)
        if run.status == "unsat":
            return proved(script, script.claim, run, steps, options=_PATTERNS)
        return Answer(outcome="silent", reason="incomplete", detail="no proof", steps=run.used)


OPAQUE = Opaque()


# ── Restarts ────────────────────────────────────────────────────────────────────────────────────────────────

_ATTEMPT = 150_000


class Restarts:
    """The engine.  Its steps are Z3's, over all attempts."""

    name = "z3 restarts"

    def applies(self, task: Task) -> bool:
        """To what has more than one axiom: elsewhere there is nothing to shuffle."""
        return not task.goal.unsettled and len(task.goal.axioms) + len(task.lemmas) > 1

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


# ── Derived equations ───────────────────────────────────────────────────────────────────────────────────────

_COMPLETION = "kleis.prover.engines.completion.engine"
_EQUATIONS = 40

_PATIENCE = 5

_PREFIX = "derived "
_HERE = Place(file="<derived>", line=1, column=1)


class WithEquations:
    """The engine.  Its steps are Z3's; completion has `completion_steps` of its own, and runs first."""

    name = "z3 with equations"

    def __init__(self, completion: Engine | None = None, completion_steps: int = 4_000) -> None:
        self._completion = completion
        self._completion_steps = completion_steps

    def applies(self, task: Task) -> bool:
        """To what completion can read."""
        return not task.goal.unsettled and self._engine().applies(task)

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
        """The proof, with a chain of completion for every equation it uses."""
        completion = self._engine()
        core = {name: None for name in answer.core if not name.startswith(_PREFIX)}
        proof: list[tuple[str, str]] = []
        for place, equation in enumerate(equations, 1):
            name = f"{_PREFIX}{place}"
            if name not in answer.core:
                continue
            alone = Task(msgspec.structs.replace(task.goal, claim=equation), task.lemmas)
            shown = completion.run(alone, _PATIENCE * self._completion_steps)
            if shown.outcome not in ("proved", "inconsistent"):
                detail = "an equation that completion derived on the way to the claim was not derived alone"
                return Answer(outcome="silent", reason="resource", detail=detail, steps=answer.steps)
            core.update(dict.fromkeys(shown.core))
            proof += [(f"{name}, {step}", text) for step, text in shown.proof]
        return msgspec.structs.replace(
            answer,
            core=tuple(core),
            proof=(*proof, *answer.proof),
            derived=tuple(equations),
            detail=f"{len(equations)} equations",
        )


WITH_EQUATIONS = WithEquations()


def _with_axioms(task: Task, equations: Sequence[Term]) -> Task:
    derived = tuple(
        Axiom(f"{_PREFIX}{place}", formula, "fact", _HERE) for place, formula in enumerate(equations, 1)
    )
    return Task(msgspec.structs.replace(task.goal, axioms=(*task.goal.axioms, *derived)), task.lemmas)


# ── What a run comes to ─────────────────────────────────────────────────────────────────────────────────────


def decided(
    task: Task,
    script: Script,
    negated: str,
    run: Run,
    steps: int,
    *,
    options: Options = DEFAULT,
    spent: int = 0,
) -> Answer:
    """The answer of a run."""
    used = spent + run.used
    if run.status == "unsat":
        return proved(script, negated, run, steps, options=options, spent=spent)
    if run.status == "unknown":
        return Answer(outcome="silent", reason=run.reason, detail=run.detail, steps=used)
    undefined = bool(script.false) and negated == script.claim
    model = with_rational_values(script, negated, run.model, steps)
    witness = read_witness(task.goal, script, model, undefined=undefined)
    detail = "" if script.exact else f"approximated: {', '.join(script.approximated)}"
    outcome: Outcome = "refuted" if task.goal.claim is not None else "model"
    return Answer(outcome=outcome, witness=witness, steps=used, detail=detail)


def proved(
    script: Script, negated: str, run: Run, steps: int, *, options: Options = DEFAULT, spent: int = 0
) -> Answer:
    """The answer after a script was refuted: by its axioms and the negated claim, or by its axioms alone."""
    proof = proof_of(script, negated, run, steps, options)
    needs_claim = bool(negated) and proof.needs_claim
    return Answer(
        outcome="proved" if needs_claim else "inconsistent",
        core=proof.core,
        detail="minimal" if proof.minimal else "",
        steps=spent + run.used + proof.used,
        proof=(("claim" if needs_claim else "axioms", proof.text),),
    )


# ── Rational values in place of algebraic ones ──────────────────────────────────────────────────────────────

_DIGITS = (1, 4, 10)


def with_rational_values(script: Script, negated: str, model: Any, steps: int) -> Any:
    """A model whose values of real variables are rational, if there is one near the given model."""
    z3 = library()
    names = {each.name.strip("|") for each in script.constants}
    values = {
        each.name(): model[each] for each in model.decls() if each.name() in names and each.arity() == 0
    }
    irrational = {name: value for name, value in values.items() if z3.is_algebraic_value(value)}
    if not irrational:
        return model
    for digits in _DIGITS:
        solver = z3.Solver(ctx=z3.Context())
        solver.from_string(script_text(script, negated))
        for name, value in irrational.items():
            near = round(value.approx(digits + 2).as_fraction(), digits)
            solver.add(z3.Real(name, solver.ctx) == z3.RealVal(str(near), solver.ctx))
        run = run_solver(solver, steps)
        if run.status == "sat":
            return run.model
    return model
