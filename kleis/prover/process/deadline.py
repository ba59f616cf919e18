"""How long a caller waits for an answer, whether it still does, and how many processors there are.  Loads no prover."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

__all__ = ["Deadline", "processors"]


class Deadline:
    """How long a question may take, and whether its caller still waits.

    `progress` is told how far the work is: done, total, what is being done.
    """

    def __init__(
        self,
        seconds: float,
        *,
        left: Callable[[], bool] | None = None,
        progress: Callable[[float, float | None, str], None] | None = None,
    ) -> None:
        self.until = time.monotonic() + seconds
        self.seconds = seconds
        self._left = left
        self._progress = progress

    @property
    def over(self) -> bool:
        """Whether the time is up or the caller has left."""
        return time.monotonic() >= self.until or self.abandoned

    @property
    def abandoned(self) -> bool:
        """Whether the caller has left."""
        return self._left is not None and self._left()

    def report(self, done: float, total: float | None, message: str) -> None:
        """Tell the caller how far the work is."""
        if self._progress is not None:
            self._progress(done, total, message)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
