"""The time that a command of `pif` gives to proofs, and what a terminal shows meanwhile (docs/reference/registry.md §7.8)."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from registry.cli.terminal.live_line import LiveLine
from registry.cli.terminal.plain_output import is_terminal

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Deadline

__all__ = ["proving"]


@contextmanager
def proving(seconds: float | None, about: str = "") -> Iterator[Deadline | None]:
    """The deadline of a question; None for no limit where nothing is shown.

    On a terminal a line says how long it has been and which law is decided, `about` before the first is.
    """
    if seconds is None and not is_terminal(sys.stderr):
        yield None
        return
    from kleis.prover.process.deadline import Deadline

    said = [about]

    def told(done: float, total: float | None, message: str) -> None:
        said[0] = (
            message
            if total is None or total <= 2
            else f"law {done // 2 + 1:.0f} of {total / 2:.0f}: {message}"
        )

    begun = time.monotonic()
    deadline = Deadline(math.inf if seconds is None else seconds, progress=told)
    with LiveLine(lambda: f"{time.monotonic() - begun:.0f} s  {said[0]}"):
        yield deadline
