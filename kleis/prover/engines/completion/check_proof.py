"""Whether completion's answers are checked: made into data of the checker, and looked at by its rules alone.

See docs/reference/proving.md §7.5.  No code of the search takes part in the check.
"""

from __future__ import annotations

from typing import Any

from kleis.prover.checker.rules.convergence import convergent, convergent_evidence
from kleis.prover.checker.rules.rewriting import rewriting
from kleis.prover.checker.sequent import CheckError
from kleis.prover.engines.completion.certified import (
    Unconvertible,
    rewrite_system,
    rewriting_proof,
    sequent_of,
)
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["check_chain", "check_rewriting", "rewriting_evidence"]


def check_chain(task: Task, answer: Answer) -> bool:
    """Whether the proof of a `proved` or `inconsistent` answer is valid, from the axioms of its core."""
    try:
        step = rewriting_proof(task, answer)
        rewriting(sequent_of(task, axioms_clash=answer.outcome == "inconsistent"), step)
    except (Unconvertible, CheckError):
        return False
    return True


def check_rewriting(task: Task, witness: Any) -> bool:
    """Whether the witness of a `refuted` or `model` answer is a convergent system that shows it."""
    return rewriting_evidence(task, witness) is not None


def rewriting_evidence(task: Task, witness: Any) -> Evidence | None:
    """The evidence of a witness that is checked; None if it is none."""
    try:
        system = rewrite_system(task, witness)
        convergent(sequent_of(task), system)
    except (Unconvertible, CheckError):
        return None
    return convergent_evidence(system)
