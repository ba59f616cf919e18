"""What the provers of this process have done since it began, for those who watch it from outside."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import msgspec

from kleis.prover.protocol.engine import Answer

__all__ = ["TALLY", "Counts", "Tally"]


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

    def count(self, attempt: Future[Answer]) -> None:
        """Count an attempt that has ended."""
        answer = attempt.result()
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


TALLY = Tally()
