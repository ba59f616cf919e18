"""A job: models that were found, evaluated exactly, as the evidence that people see.

It runs in a child process, as engines do, and shares no code with the searches: see `kleis.prover.evidence`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis.errors import KleisError
from kleis.prover.evidence import check_evidence
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["CONFIRM", "Unconfirmed", "confirm"]

CONFIRM = "kleis.prover.model_search.confirm:confirm"


class Unconfirmed(msgspec.Struct, frozen=True):
    """What was found for one task: witnesses, not yet checked."""

    task: Task
    witnesses: tuple[Any, ...]


def confirm(found: Unconfirmed, steps: int) -> Answer:
    """The job.  Its answer's witness has for each one its evidence, or None where it does not stand."""
    del steps
    checked = tuple(_evidence(found.task, each) for each in found.witnesses)
    return Answer(outcome="model", witness=checked)


def _evidence(task: Task, witness: Any) -> Evidence | None:
    outcome = Answer(outcome="refuted" if task.goal.claim is not None else "model", witness=witness)
    try:
        evidence = check_evidence(task, outcome)
    except (KleisError, RecursionError):
        return None
    return evidence if evidence is not None and not evidence.undefined else None
