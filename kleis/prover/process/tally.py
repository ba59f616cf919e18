"""What the provers of this process have done since it began, for those who watch it from outside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kleis.prover.protocol.engine import Answer

__all__ = ["TALLY", "Counts", "Tally", "Watcher"]

Watcher = Callable[[str], "Callable[[Answer], None] | None"]
"""Is told of an attempt where it begins, by its job ``module:attribute``; what it gives back is told of the answer, from any thread."""


class Counts(msgspec.Struct, frozen=True):
    """Attempts that have ended, the engines' own steps in them, and how many of them were killed: by a limit, or because
    nobody waited for their answer any more."""

    attempts: int = 0
    steps: int = 0
    killed: int = 0


class Tally:
    """Counts the attempts of all brokers of a process. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counts()
        self._watchers: tuple[Watcher, ...] = ()

    def watch(self, watcher: Watcher) -> None:
        """Tell of each attempt from now on. It must not wait or raise."""
        self._watchers = (*self._watchers, watcher)

    def unwatch(self, watcher: Watcher) -> None:
        """Tell no more."""
        self._watchers = tuple(each for each in self._watchers if each is not watcher)

    def begin(self, job: str, attempt: Future[Answer]) -> None:
        """An attempt begins: it is counted when it ends."""
        attempt.add_done_callback(self.count)
        for watcher in self._watchers:
            ended = watcher(job)
            if ended is not None:
                attempt.add_done_callback(partial(_tell, ended))

    def add(self, job: str, answer: Answer) -> None:
        """An attempt that needed no process, with its answer."""
        for watcher in self._watchers:
            ended = watcher(job)
            if ended is not None:
                ended(answer)
        self._count(answer)

    def count(self, attempt: Future[Answer]) -> None:
        """Count an attempt that has ended."""
        self._count(attempt.result())

    def _count(self, answer: Answer) -> None:
        steps = answer.steps if isinstance(answer.steps, int) else 0  # the child may have said anything
        with self._lock:
            old = self._counts
            self._counts = Counts(
                old.attempts + 1, old.steps + steps, old.killed + (answer.reason == "killed")
            )

    @property
    def counts(self) -> Counts:
        """The counts as they are now."""
        return self._counts


def _tell(ended: Callable[[Answer], None], done: Future[Answer]) -> None:
    ended(done.result())


TALLY = Tally()
