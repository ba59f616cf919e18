"""Answers of engines as they were given, kept for whoever would ask the same engines the same again.

See docs/reference/certificates.md §6.  Engines are deterministic: the same engine, task and steps give the same answer.  So a
certificate made from a recorded answer has the bytes of one for which the engine runs once more.

Invariant: an answer that a time or memory limit, or a cancellation, had a part in is not kept.
"""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from kleis.core.canonical_bytes import digest_of
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["Recorded", "RecordedAnswers"]

_MOST = 256
"""Answers that are kept; a question asks some fifty engines at most, and a model of its axioms is looked for by ten."""


class Recorded(msgspec.Struct, frozen=True, eq=False):
    """The answer of an engine, ``module:attribute``, to a task within a number of steps; its witness is not checked yet."""

    engine: str
    task: Task
    steps: int
    answer: Answer


class RecordedAnswers:
    """The answers to the latest questions.  Not for several threads at once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, int], Recorded] = OrderedDict()

    def add(self, *found: Recorded) -> None:
        """Keep answers, in place of the oldest."""
        for each in found:
            if each.answer.reason in ("killed", "memory"):
                continue
            self._kept[each.engine, each.steps, id(each.task)] = each
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep none."""
        self._kept.clear()

    def find(self, engine: str, task: Task, steps: int) -> Answer | None:
        """The answer that an engine gave to an equal task within as many steps; None where none is kept."""
        asked = [each for each in self._kept.values() if each.engine == engine and each.steps == steps]
        if not asked:
            return None
        digest = digest_of(task.goal, task.lemmas)
        return next((each.answer for each in asked if _digest(each.task) == digest), None)


def _digest(task: Task) -> str:
    return digest_of(task.goal, task.lemmas)
