"""Witnesses of engines checked in a child process, before anybody sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from kleis.core import Quantifier
from kleis.core.traversal import stripped, subterms
from kleis.prover.portfolio import PRELOAD, Confirm
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import CHECK_WITNESS, Answer, Checked, Task
from kleis.prover.protocol.verdict import Evidence

__all__ = ["in_child"]

_GUARDS: Final = Guards(cpu=60, wall=120.0)

_READING: Final = "kleis.elaborate.elaborator"
"""What a check needs to read the data of a witness, imported once and not by each child."""


def in_child(broker: Broker, task: Task) -> Confirm:
    """A check of witnesses for a task: what it finds wanting is silent."""

    def confirm(answer: Answer) -> Answer:
        pure = _asks_no_solver(task, answer.witness)
        preload = (_READING,) if pure else (_READING, *PRELOAD)
        _, future = broker.submit(
            CHECK_WITNESS, Checked(task, answer), 1, guards=_GUARDS, preload=preload, pure=pure
        )
        checked = future.result()
        if isinstance(checked.witness, Evidence):
            return msgspec.structs.replace(answer, witness=checked.witness)
        detail = checked.detail or "what it found does not stand exact evaluation"
        if answer.detail:
            detail += f" ({answer.detail})"
        return Answer(outcome="silent", reason="incomplete", detail=detail, steps=answer.steps)

    return confirm


def _asks_no_solver(task: Task, witness: object) -> bool:
    """Whether the check of a witness is enumeration, rewriting or computing: none of these has questions for a solver.

    Those of an assignment begin where a quantifier is left open.
    """
    if isinstance(witness, Mapping):
        return "tables" in witness or "equations" in witness
    goal = task.goal
    if goal.axioms or goal.claim is None or goal.terminations:
        return False
    _, premises, body = stripped(goal.claim)
    read = subterms(*premises, body, *(each.body for each in goal.definitions))
    return not any(isinstance(each, Quantifier) for each in read)
