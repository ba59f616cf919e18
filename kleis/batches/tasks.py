"""Questions cut into tasks of a size that a scheduler can bear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis.batches.engines_here import version_here
from kleis.batches.questions import Asked, BatchTask

__all__ = ["tasks_of"]

SMALLEST = 50
"""Questions of a task: a task costs the scheduler some milliseconds, whatever is in it."""

LARGEST = 200
"""Questions of a task: what is lost with a worker, and how seldom something arrives."""


def tasks_of(
    questions: Sequence[Asked], effort: int = 1, *, smallest: int = 0, seconds: float = 0.0
) -> list[BatchTask]:
    """Questions as tasks for workers of this version, in order; of at least `smallest` where there are so many.  A worker
    has `seconds` for each of them, 0 for no limit."""
    return [
        BatchTask(tuple(part), version_here(), effort, seconds)
        for part in _parts(questions, smallest or SMALLEST)
    ]


def _parts(questions: Sequence[Asked], smallest: int = SMALLEST) -> Iterator[Sequence[Asked]]:
    """Questions in tasks of at least `smallest`, where there are so many, and of `LARGEST` where there are many."""
    size = min(LARGEST, max(smallest, len(questions) // 32))
    whole = max(1, len(questions) // size)
    for number in range(whole):
        begin = number * size
        end = len(questions) if number == whole - 1 else begin + size
        if begin < end:
            yield questions[begin:end]
