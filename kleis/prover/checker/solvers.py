"""Solvers asked by the checker: a fresh context for every script, and budgets in the solver's own steps, never in time.

See docs/reference/certificates.md §3.2.  What is asked, how often and with how many steps is fixed here; nothing of a
certificate has a say in it.

A solver is asked in several ways, with few steps before many, until one refutes the script or finds a model.  Both are
imported by name when they are first asked.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.prover.checker.translation.script import Script

__all__ = ["SOLVERS", "Answer", "Solver", "Way", "installed", "run", "solver_version"]

Solver: TypeAlias = Literal["z3", "cvc5"]

SOLVERS: tuple[Solver, ...] = ("z3", "cvc5")


class Answer(msgspec.Struct, frozen=True):
    """What a solver says of a script: that it has no model, that it has one, or neither.

    `way` says how it was asked, `steps` are all that were taken, and `detail` says why there is no answer.
    """

    status: Literal["unsat", "sat", "unknown"]
    solver: Solver
    way: str
    steps: int
    detail: str = ""


class Way(msgspec.Struct, frozen=True):
    """A way to ask a solver.

    patterns
        Quantifiers are instantiated by patterns only; else also by models (Z3), or by terms that are enumerated (cvc5).
    opaque
        What recursive functions compute is left out. Then the script asserts less, so that a refutation of it is one of
        the whole script; a model of it is none.
    shallow
        What comes of instances is hardly instantiated again: a recursion without constructors is unfolded few times.
    """

    name: str
    patterns: bool = False
    opaque: bool = False
    shallow: bool = False


_PATTERNS = Way("by patterns", patterns=True)

_MODELS = Way("by patterns and models")
_OPAQUE = Way("by patterns, recursion left out", patterns=True, opaque=True)

_SHALLOW = Way("by patterns, instances of instances left out", patterns=True, shallow=True)

_ROUNDS = (
    (_PATTERNS, 0.02),
    (_MODELS, 0.02),
    (_OPAQUE, 0.25),
    (_SHALLOW, 0.1),
    (_PATTERNS, 0.15),
    (_MODELS, 0.15),
    (_OPAQUE, 1.0),
    (_PATTERNS, 1.0),
    (_MODELS, 1.0),
)
"""The ways to ask Z3, with the share of the steps of each: what one way does not find in a minute, another finds at
once."""

_FEW_INSTANCES = 2.0
"""Z3's cost of an instance, above which it is left out: one for each instance that its terms come from."""

_ROUNDS_OF_CVC5 = ((_PATTERNS, 0.25), (_OPAQUE, 0.25), (Way("by enumeration"), 0.1))
"""The ways to ask cvc5, whose steps take longer."""


def installed(solver: Solver) -> bool:
    """Whether a solver can be asked here."""
    return importlib.util.find_spec(solver) is not None


def solver_version(solver: Solver) -> str:
    """The version of a solver that is installed."""
    from importlib.metadata import version  # takes longer to import than most checks to run

    return version("z3-solver" if solver == "z3" else solver)


def run(script: Script, solver: Solver, steps: int) -> Answer:
    """Ask a solver, with so many steps for its longest way; `ModuleNotFoundError` if it is not installed."""
    ask, rounds = (_z3, _ROUNDS) if solver == "z3" else (_cvc5, _ROUNDS_OF_CVC5)
    taken = 0
    details: list[str] = []
    for way, share in rounds:
        if (way.opaque or way.shallow) and not script.recursion:
            continue
        answer = ask(script, way, max(1, int(steps * share)))
        taken += answer.steps
        if answer.status == "sat" and script.approximate and not way.opaque:
            return Answer("unknown", solver, way.name, taken, "it lets built-ins be any functions")
        if answer.status == "unsat" or (answer.status == "sat" and not way.opaque):
            return msgspec.structs.replace(answer, steps=taken)
        if answer.detail and answer.detail not in details:
            details.append(answer.detail)
    return Answer("unknown", solver, "all", taken, "; ".join(details))


def _z3(script: Script, way: Way, steps: int) -> Answer:
    z3: Any = importlib.import_module("z3")
    solver = z3.Solver(ctx=z3.Context())
    if way.patterns:
        solver.set("auto_config", False)
        solver.set("mbqi", False)
    if way.shallow:
        solver.set("qi.eager_threshold", _FEW_INSTANCES)
        solver.set("qi.lazy_threshold", _FEW_INSTANCES)
    try:
        solver.from_string(script.text(opaque=way.opaque))
        solver.set("rlimit", min(steps, 2**32 - 1))
        before = _steps(solver)
        status = str(solver.check())
    except z3.Z3Exception as error:
        return Answer("unknown", "z3", way.name, 0, f"Z3 refuses the script: {error}")
    taken = max(0, _steps(solver) - before)
    if status == "unsat":
        return Answer("unsat", "z3", way.name, taken)
    if status == "sat":
        return Answer("sat", "z3", way.name, taken)
    return Answer("unknown", "z3", way.name, taken, str(solver.reason_unknown()))


def _steps(solver: Any) -> int:
    statistics = solver.statistics()
    counted = list(statistics.keys())
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in counted else 0


def _cvc5(script: Script, way: Way, steps: int) -> Answer:
    cvc5: Any = importlib.import_module("cvc5")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setLogic("ALL")
    solver.setOption("rlimit", str(steps))
    solver.setOption("strings-exp", "true")
    solver.setOption("enum-inst", "false" if way.patterns else "true")
    try:
        parser = cvc5.InputParser(solver)
        declared = script.text(opaque=way.opaque).removesuffix("(check-sat)\n")
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, declared, "script")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            rejected = str(command.invoke(solver, symbols)).strip()
            if rejected and rejected != "success":
                return Answer("unknown", "cvc5", way.name, 0, f"cvc5 refuses the script: {rejected}")
        result = solver.checkSat()
    except RuntimeError as error:
        return Answer("unknown", "cvc5", way.name, 0, f"cvc5 refuses the script: {error}")
    if result.isUnsat() or result.isSat():
        return Answer("unsat" if result.isUnsat() else "sat", "cvc5", way.name, _resources(solver))
    explanation = result.getUnknownExplanation().name.lower().replace("_", " ")
    return Answer("unknown", "cvc5", way.name, _resources(solver), explanation)


def _resources(solver: Any) -> int:
    """The resource units that cvc5 has used."""
    return next(
        int(found["value"]) for name, found in solver.getStatistics() if name == "resource::resourceUnitsUsed"
    )
