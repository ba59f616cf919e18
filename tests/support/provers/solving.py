"""Z3 asked directly about the encoding of a closed formula, without engines or workers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import z3

from kleis.core import Term
from kleis.core.goal import Goal
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.script import Script, encode

__all__ = ["encoding", "holds", "verdict"]

STEPS = 3_000_000
FEW_STEPS = 200_000
"""For formulas that a generator makes: some are hard, and these say nothing."""


def encoding(claim: Term, meaning: Goal | None = None) -> Script:
    """The script of a claim; `Inexpressible` if it has none."""
    meaning = msgspec.structs.replace(meaning or Goal(claim=None), claim=claim)
    return encode(Task(meaning))


def _check(text: Sequence[str], steps: int) -> str:
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", steps)
    solver.from_string("\n".join(text))
    return str(solver.check())


def holds(script: Script) -> bool | None:
    """Whether a claim without variables or unknowns is true; None if z3 does not say."""
    answer = _check([script.text()], STEPS)
    return {"unsat": True, "sat": False}.get(answer)


def verdict(script: Script) -> str:
    """``true``, ``false``, ``undefined`` or ``open``: of ¬T and F, which have models."""
    not_true = _check([script.text()], FEW_STEPS)
    if not_true == "unsat":
        return "true"
    false = script.false or script.claim
    axioms = [f"(assert {formula})" for _, formula in script.axioms]
    answer = _check([*script.declarations, *axioms, f"(assert {false})"], FEW_STEPS)
    if answer == "sat":
        return "false"
    return "undefined" if answer == "unsat" and not_true == "sat" else "open"
