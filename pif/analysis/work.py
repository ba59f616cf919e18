"""How much an analysis may do: a budget of steps, and a stop flag that is looked at while it goes on.

    work = Work(stop=cancelled)
    typing_of(term, tools, work)

A step is about what one node takes: some microseconds. An analysis counts its steps as it goes (or, before a part that
it cannot interrupt, the steps of that part), and what it cannot finish it says: `Unfinished` is caught by the doors of
each analysis, where there is an answer that can say so, and passed on by `normalize`.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["NOT_FINISHED", "STEPS", "STOPPED", "Unfinished", "Work"]

STEPS = 200_000
"""Steps of one analysis: some tenths of a second, at most about two."""

NOT_FINISHED = "not finished within the budget"
STOPPED = "stopped before it was finished"

_SLICE = 2_000
"""Steps between two looks at the stop flag: a few milliseconds."""


class Unfinished(Exception):
    """An analysis ended before it had an answer. `reason` is `NOT_FINISHED` or `STOPPED`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Work:
    """Steps that are left. `used` counts those that were taken."""

    __slots__ = ("_look", "_stop", "steps", "used")

    def __init__(self, steps: int = STEPS, stop: Callable[[], bool] | None = None) -> None:
        self.steps = steps
        self.used = 0
        self._stop = stop
        self._look = 0

    def done(self, steps: int = 1) -> None:
        """Take steps. Raises `Unfinished` where there are not as many left, or the caller has stopped the work."""
        self.used += steps
        if self.used > self.steps:
            raise Unfinished(NOT_FINISHED)
        if self.used >= self._look:
            self._look = self.used + _SLICE
            self.look()

    def look(self) -> None:
        """Look at the stop flag, where time passes and no step is counted. Raises `Unfinished`."""
        if self._stop is not None and self._stop():
            raise Unfinished(STOPPED)
