"""Solvers asked by the checker: a fresh context for every script, and budgets in the solver's own steps, never in time.

See docs/reference/certificates.md §3.2.  What is asked, how often and with how many steps is fixed here; nothing of a
certificate has a say in it.

Z3 is tried in all `WAYS` with few steps, then with more, until one refutes the script or finds a model; cvc5 with the script as it is
(``rlimit`` of its own).  Both are imported by name when they are first asked.
"""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import version
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.prover.checker.translation.script import Script

__all__ = ["SHUFFLED", "SOLVERS", "WAYS", "Answer", "Solver", "Way", "installed", "run", "solver_version"]

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
    """A way to ask Z3.

    patterns
        Quantifiers are instantiated by patterns only.
    seed
        Of Z3's choices, and of the order of the assertions; 0 leaves both as they are.
    """

    name: str
    patterns: bool = False
    seed: int = 0


WAYS: tuple[Way, ...] = (
    Way("by patterns", patterns=True),
    Way("by patterns and models"),
)
"""The ways to ask Z3, each with few steps first, then with more: what one way does not find in a minute, another finds
at once."""

SHUFFLED: tuple[Way, ...] = tuple(
    Way(f"by patterns, shuffled {seed}", patterns=True, seed=seed) for seed in (1, 2, 3)
)
"""Tried last."""

_SHARES = (0.02, 0.15, 1.0)
"""The steps of one round of all ways, of the budget for the longest."""


def installed(solver: Solver) -> bool:
    """Whether a solver can be asked here."""
    return importlib.util.find_spec(solver) is not None


def solver_version(solver: Solver) -> str:
    """The version of a solver that is installed."""
    return version("z3-solver" if solver == "z3" else solver)


def run(script: Script, solver: Solver, steps: int) -> Answer:
    """Ask a solver, with so many steps for its longest way; `ModuleNotFoundError` if it is not installed."""
    if solver == "cvc5":
        return _cvc5(script, steps)
    taken = 0
    details: list[str] = []
    rounds = [(way, share) for share in _SHARES for way in WAYS]
    rounds += [(way, _SHARES[1]) for way in SHUFFLED]
    for way, share in rounds:
        answer = _z3(script, way, max(1, int(steps * share)))
        taken += answer.steps
        if answer.status != "unknown":
            return msgspec.structs.replace(answer, steps=taken)
        if answer.detail not in details:
            details.append(answer.detail)
    return Answer("unknown", "z3", "all", taken, "; ".join(details))


def _z3(script: Script, way: Way, steps: int) -> Answer:
    z3: Any = importlib.import_module("z3")
    solver = z3.Solver(ctx=z3.Context())
    if way.patterns:
        solver.set("auto_config", False)
        solver.set("mbqi", False)
    if way.seed:
        solver.set("random_seed", way.seed)
    try:
        solver.from_string(script.text(shuffled=way.seed))
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


def _cvc5(script: Script, steps: int) -> Answer:
    cvc5: Any = importlib.import_module("cvc5")
    solver = cvc5.Solver()
    solver.setLogic("ALL")
    solver.setOption("rlimit", str(steps))
    solver.setOption("strings-exp", "true")
    way = "as written"
    try:
        parser = cvc5.InputParser(solver)
        declared = script.text().removesuffix("(check-sat)\n")
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, declared, "script")
        symbols = parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            rejected = str(command.invoke(solver, symbols)).strip()
            if rejected and rejected != "success":
                return Answer("unknown", "cvc5", way, 0, f"cvc5 refuses the script: {rejected}")
        result = solver.checkSat()
    except RuntimeError as error:
        return Answer("unknown", "cvc5", way, 0, f"cvc5 refuses the script: {error}")
    if result.isUnsat() or result.isSat():
        return Answer("unsat" if result.isUnsat() else "sat", "cvc5", way, steps)
    return Answer("unknown", "cvc5", way, steps, str(result.getUnknownExplanation()))
