"""The jobs of a search, asked again until there are enough models or no more; what they find is confirmed.

A batch is a child process that searches and one that checks.  What earlier batches found is excluded by data, so a child
that a limit stops takes only its own batch with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from kleis.prover.model_search.assignments import ASSIGNMENTS, AssignmentSearch, Ended, FoundAssignments
from kleis.prover.model_search.confirm import CONFIRM, Unconfirmed
from kleis.prover.model_search.finite_tables import TABLES, FoundTables, TableSearch
from kleis.prover.portfolio import PRELOAD
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Evidence, Reason

__all__ = ["Enumeration", "Jobs", "assigned", "tabulated"]

_STEPS = 10_000_000
_TABLE_STEPS = 60_000_000
_SECONDS = 60
_BATCH = 64


class Enumeration(msgspec.Struct, frozen=True):
    """What a search found, in order.

    ended
        Why it ended; `no others` only where everything that was found stands exact evaluation.
    apart
        The names in which the models differ.
    """

    models: tuple[Evidence, ...]
    ended: Ended
    apart: tuple[str, ...] = ()
    reason: Reason | None = None
    detail: str = ""


class Jobs(msgspec.Struct, frozen=True):
    """Where jobs run, and how much they may search; `told` hears how many models there are after each batch."""

    broker: Broker
    effort: int = 1
    told: Callable[[int], None] = lambda count: None

    def run(self, job: str, task: Any, steps: int = _STEPS, seconds: int = _SECONDS) -> Answer:
        """The answer of one job, in a child process of its own."""
        limits = Guards(cpu=seconds * self.effort, wall=3.0 * seconds * self.effort)
        _, future = self.broker.submit(job, task, steps * self.effort, guards=limits, preload=PRELOAD)
        return future.result()

    def confirmed(self, task: Task, witnesses: Sequence[Any]) -> tuple[Evidence | None, ...] | Answer:
        """The evidence of each witness, None where it does not stand exact evaluation; the answer of a check that failed."""
        if not witnesses:
            return ()
        answer = self.run(CONFIRM, Unconfirmed(task, tuple(witnesses)))
        return answer.witness if isinstance(answer.witness, tuple) else answer


class _Batches(Protocol):
    """The batches of one search: each is asked for so many models, and knows what was found before."""

    def ask(self, count: int) -> Answer: ...


class _Assignments:
    def __init__(self, jobs: Jobs, task: Task, apart: tuple[str, ...]) -> None:
        self._jobs, self._task, self._apart = jobs, task, apart
        self._excluded: tuple[str, ...] = ()

    def ask(self, count: int) -> Answer:
        answer = self._jobs.run(ASSIGNMENTS, AssignmentSearch(self._task, count, self._apart, self._excluded))
        if isinstance(answer.witness, FoundAssignments):
            self._excluded += answer.witness.excluded
        return answer


class _Tables:
    def __init__(self, jobs: Jobs, task: Task, sizes: tuple[int, ...], points: tuple[str, ...]) -> None:
        self._jobs, self._task, self._sizes, self._points = jobs, task, sizes, points
        self._seen: tuple[Any, ...] = ()

    def ask(self, count: int) -> Answer:
        answer = self._jobs.run(
            TABLES, TableSearch(self._task, self._sizes, count, self._points, self._seen), steps=_TABLE_STEPS
        )
        if isinstance(answer.witness, FoundTables):
            self._seen += answer.witness.seen
        return answer


def assigned(jobs: Jobs, task: Task, count: int, apart: tuple[str, ...] = ()) -> Enumeration:
    """Models by their values, `count` of them, that differ in the names `apart`, or in all."""
    return _enumerated(jobs, task, _Assignments(jobs, task, apart), count)


def tabulated(
    jobs: Jobs, task: Task, sizes: tuple[int, ...], count: int, points: tuple[str, ...]
) -> Enumeration:
    """Models by their tables, each isomorphism class once."""
    return _enumerated(jobs, task, _Tables(jobs, task, sizes, points), count)


def _enumerated(jobs: Jobs, task: Task, batches: _Batches, count: int) -> Enumeration:
    """Batch after batch, until there are enough."""
    models: list[Evidence] = []
    apart: tuple[str, ...] = ()
    rejected = 0

    def stopped(answer: Answer) -> Enumeration:
        return Enumeration(tuple(models), "gave up", apart, answer.reason or "incomplete", answer.detail)

    while True:
        answer = batches.ask(min(_BATCH, count - len(models)))
        found = answer.witness
        if not isinstance(found, FoundAssignments | FoundTables):
            return stopped(answer)
        if isinstance(found, FoundAssignments):
            apart = found.apart
        checked = jobs.confirmed(task, found.witnesses)
        if isinstance(checked, Answer):
            return stopped(checked)
        models += [each for each in checked if each is not None]
        jobs.told(len(models))
        rejected += checked.count(None)
        if found.ended != "enough" or len(models) >= count or rejected > _MOST_REJECTED:
            break
    if len(models) >= count and found.ended == "enough":
        return Enumeration(tuple(models), "enough", apart)
    if rejected:
        detail = f"{rejected} that were found do not stand exact evaluation"
        return Enumeration(tuple(models), "gave up", apart, "incomplete", detail)
    reason: Reason | None = "resource" if found.ended == "gave up" else None
    return Enumeration(tuple(models), found.ended, apart, reason, found.detail)


_MOST_REJECTED = 20
"""So many that do not stand evaluation end a search: the next ones will not either."""
