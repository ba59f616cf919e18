"""Runs of Z3 on scripts: a fresh context and a budget of Z3's own steps for each, and cores by axiom name.

A run that only has to decide reads the script as text, untracked: tracking literals keep Z3 from eliminating what it
could.  A core is asked for afterwards, in a tracked run, and where that fails by leaving out one axiom after the other.

Invariants
    * Nothing is decided by time: every run has a number of Z3's own steps (``rlimit``).
    * The negated claim is tracked like an axiom; a core without it says that the axioms clash.
    * What `Proof` holds was refuted by Z3 from its text alone, with the options the text begins with.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from kleis.prover.protocol.engine import Answer, Inexpressible
from kleis.prover.protocol.verdict import Reason
from kleis.prover.smt.script import Script

__all__ = [
    "DEFAULT",
    "Options",
    "Proof",
    "Run",
    "gave_up",
    "library",
    "proof_of",
    "run_solver",
    "run_text",
    "script_text",
    "unwritable",
    "warm_up",
]

_NEGATED = "negated claim"
"""The tracking name of the negated claim; no axiom's name has a blank in its last part."""


class Options(msgspec.Struct, frozen=True):
    """How Z3 is run.

    seed
        Of its random choices.
    patterns_only
        Quantifiers are instantiated by patterns only, without model-based instantiation.
    relevancy
        Z3's level of relevancy filtering; None for its default.
    """

    seed: int = 0
    patterns_only: bool = False
    relevancy: int | None = None

    def header(self) -> str:
        """The options as the first lines of a script, so that anyone can repeat the run."""
        lines = []
        if self.patterns_only or self.relevancy is not None:
            lines.append("(set-option :auto_config false)")
        if self.patterns_only:
            lines.append("(set-option :smt.mbqi false)")
        if self.relevancy is not None:
            lines.append(f"(set-option :smt.relevancy {self.relevancy})")
        if self.seed:
            lines.append(f"(set-option :smt.random_seed {self.seed})")
        return "".join(f"{line}\n" for line in lines)


DEFAULT = Options()


class Run(msgspec.Struct, frozen=True):
    """The outcome of a run.  `model` is Z3's, of a satisfiable script; `used` are steps."""

    status: Literal["sat", "unsat", "unknown"]
    used: int
    reason: Reason | None = None
    detail: str = ""
    model: Any = None
    core: tuple[str, ...] = ()


class Proof(msgspec.Struct, frozen=True):
    """Axioms that suffice, the script that shows it, and whether the negated claim was needed."""

    core: tuple[str, ...]
    text: str
    used: int
    needs_claim: bool
    minimal: bool


def library() -> Any:
    """Z3, loaded when it is first needed."""
    return importlib.import_module("z3")


def unwritable(error: Inexpressible) -> Answer:
    """The answer of an engine whose task has no script."""
    return Answer(outcome="silent", reason=_as_reason(error.reason), detail=error.detail)


def _as_reason(reason: str) -> Reason:
    known: dict[str, Reason] = {"higher-order": "higher-order", "termination": "termination"}
    return known.get(reason, "incomplete")


def script_text(script: Script, negated: str, axioms: Sequence[str] | None = None) -> str:
    """A script with these axioms only, in this order, and `negated`, if it is not empty."""
    formulas = dict(script.axioms)
    names = [name for name, _ in script.axioms] if axioms is None else axioms
    asserted = [f"(assert {formulas[name]})" for name in names]
    if negated:
        asserted.append(f"(assert {negated})")
    return "\n".join([*script.declarations, *asserted, "(check-sat)", ""])


def run_text(text: str, steps: int) -> Run:
    """Decide whether a script has a model, under the options that its first lines set."""
    z3 = library()
    solver = z3.Solver(ctx=z3.Context())
    try:
        solver.from_string(_configured(solver, text))
    except z3.Z3Exception as error:
        return Run("unknown", 0, "incomplete", f"Z3 refuses the script: {error}")
    return run_solver(solver, steps)


def warm_up() -> None:
    """Solve something small: most of what a first run costs is the first use of Z3's memory in a process."""
    run_text("(declare-const x Int)\n(assert (> x 41))\n(check-sat)\n", 1000)


def _configured(solver: Any, text: str) -> str:
    """The script without the options it begins with, which are set on this solver alone.

    Z3 itself would set them for the whole process, and for every later run in it.
    """
    while text.startswith(_OPTION):
        line, _, text = text.partition("\n")
        name, value = line.removeprefix(_OPTION).removesuffix(")").split()
        known: Any = int(value) if value.isdigit() else value == "true"
        solver.set(name.removeprefix("smt."), known)
    return text


_OPTION = "(set-option :"


def run_solver(solver: Any, steps: int) -> Run:
    """Check the assertions of a solver, within a number of steps."""
    z3 = library()
    solver.set("rlimit", max(1, min(steps, _MOST_STEPS)))
    before = _steps_used(solver)
    try:
        result = solver.check()
    except z3.Z3Exception as error:
        return Run("unknown", steps, *gave_up(str(error)))
    used = max(0, _steps_used(solver) - before)
    if result == z3.sat:
        return Run("sat", used, model=solver.model())
    if result == z3.unsat:
        return Run("unsat", used)
    return Run("unknown", used, *gave_up(solver.reason_unknown()))


_MOST_STEPS = 2**32 - 1
"""Z3's own limit is an unsigned number of 32 bits."""


def gave_up(text: str) -> tuple[Reason, str]:
    """Why a solver gave up, by what it says itself, and the same in words."""
    if "memory" in text.lower():
        return "memory", "more memory than it may have"
    if "incomplete" in text.lower():
        return "incomplete", "its methods are not complete for such claims"
    return "resource", "no answer within its steps"


def _steps_used(solver: Any) -> int:
    statistics = solver.statistics()
    counted = list(statistics.keys())
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in counted else 0


# ── Cores ────────────────────────────────────────────────────────────────────────────────────────────────────


def proof_of(script: Script, negated: str, first: Run, steps: int, options: Options = DEFAULT) -> Proof:
    """The axioms that a refutation needs, after the run `first` has refuted the script with the negated claim.

    Each further run is limited to a few times the steps of the first one, and to `steps`.
    """
    limit = min(steps, 20_000 + 4 * first.used)
    names = tuple(name for name, _ in script.axioms)
    used = 0
    core, needs_claim = names, True
    if names:
        tracked_run = tracked(script, negated, limit, options)
        used += tracked_run.used
        if tracked_run.status == "unsat":
            needs_claim = _NEGATED in tracked_run.core
            core = tuple(name for name in names if name in tracked_run.core)
        elif negated:
            alone = run_text(options.header() + script_text(script, ""), limit)
            used += alone.used
            needs_claim = alone.status != "unsat"
    kept = negated if needs_claim else ""
    known = core == names and kept == negated
    core, minimal, more = _shrunk(script, kept, core, names, limit, options, known=known)
    text = options.header() + script_text(script, kept, core)
    return Proof(core, text, used + more, needs_claim or not names, minimal)


def _shrunk(
    script: Script,
    negated: str,
    core: tuple[str, ...],
    names: tuple[str, ...],
    limit: int,
    options: Options,
    *,
    known: bool,
) -> tuple[tuple[str, ...], bool, int]:
    """The core without superfluous axioms; whether none is left that could be dropped; the steps taken.

    `known` says that the first run has refuted just these axioms with `negated`.
    """

    def refuted(axioms: tuple[str, ...]) -> Run:
        return run_text(options.header() + script_text(script, negated, axioms), limit)

    used, minimal = 0, True
    if not known:
        whole = refuted(core)
        used = whole.used
        if whole.status != "unsat":
            # The tracked run found what the untracked one does not: all axioms, which the first run refuted.
            core = names
    for name in core:
        without = tuple(each for each in core if each != name)
        run = refuted(without)
        used += run.used
        if run.status == "unsat":
            core = without
        else:
            minimal = minimal and run.status == "sat"
    return core, minimal, used


def tracked(script: Script, negated: str, steps: int, options: Options = DEFAULT) -> Run:
    """A run in which every axiom and the negated claim has its tracking literal: its core names the axioms used."""
    z3 = library()
    context = z3.Context()
    parsed = z3.parse_smt2_string(script_text(script, negated), ctx=context)
    named = [name for name, _ in script.axioms] + ([_NEGATED] if negated else [])
    free = sum(each.startswith("(assert ") for each in script.declarations)
    if len(parsed) != free + len(named):
        return Run("unknown", 0, "incomplete", "Z3 read another number of assertions than were written")
    solver = z3.Solver(ctx=context)
    _configured(solver, options.header())
    for place, formula in enumerate(parsed):
        if place < free:
            solver.add(formula)
        else:
            solver.assert_and_track(formula, z3.Bool(f"@{named[place - free]}", context))
    run = run_solver(solver, steps)
    if run.status != "unsat":
        return run
    core = tuple(each.decl().name()[1:] for each in solver.unsat_core())
    return msgspec.structs.replace(run, core=core)
