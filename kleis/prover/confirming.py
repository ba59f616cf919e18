"""Witnesses of engines checked in a child process, before anybody sees them."""

from __future__ import annotations

from typing import Final

import msgspec

from kleis.prover.portfolio import Confirm
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import CHECK_WITNESS, Answer, Checked, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["in_child"]

_GUARDS: Final = Guards(cpu=60, wall=120.0)


def in_child(broker: Broker, task: Task) -> Confirm:
    """A check of witnesses for a task: what it finds wanting is silent."""

    def confirm(answer: Answer) -> Answer:
        _, future = broker.submit(CHECK_WITNESS, Checked(task, answer), 1, guards=_GUARDS)
        checked = future.result()
        if isinstance(checked.witness, Evidence):
            return msgspec.structs.replace(answer, witness=checked.witness)
        detail = checked.detail or "what it found does not stand exact evaluation"
        if answer.detail:
            detail += f" ({answer.detail})"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=answer.steps)

    return confirm
