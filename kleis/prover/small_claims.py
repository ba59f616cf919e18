"""Small closed claims about numbers, computed where they are asked: a process takes a hundred times longer to begin.

See docs/reference/proving.md §10.  The engine is the one that `portfolio.ORDER` begins with, and so are its answer and the
steps it counts: this only saves the process.

Invariants
    * Only a proof counts.  Whatever else comes out, or more than a few steps, is left to a child process.
    * What a claim may hold ends after its steps: arithmetic of exact numbers charges for its work before it does it.  Nothing
      recurses, ranges over values, calls a library or depends on the order of a set.
"""

from __future__ import annotations

from typing import Final

from kleis import core
from kleis.core.traversal import subterms
from kleis.prover.engines.computation.evaluation import EVALUATION
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["STEPS", "proved_at_once"]

STEPS: Final = 500
"""Steps of such a computation: some milliseconds."""

_MOST_TERMS = 200

_TERMS = (core.LiteralTerm, core.Equals, core.Connective, core.Coercion, core.Narrowing)

_OPERATIONS = frozenset(
    {
        "abs", "div", "divide", "geq", "greater_than", "leq", "less_than", "max", "min", "minus", "mod", "negate",
        "plus", "power", "times",
    }
)  # fmt: skip


def proved_at_once(task: Task) -> Answer | None:
    """The proof of a small claim by computing; None where it is not small, or is not proved within the steps."""
    if task.goal.claim is None or not _is_small(task.goal.claim) or not EVALUATION.applies(task):
        return None
    answer = EVALUATION.run(task, STEPS)
    return answer if answer.outcome == "proved" else None


def _is_small(claim: core.Term) -> bool:
    return all(
        number < _MOST_TERMS
        and (
            isinstance(term, _TERMS)
            or (isinstance(term, core.BuiltinCall) and term.operation.name in _OPERATIONS)
        )
        for number, term in enumerate(subterms(claim))
    )
