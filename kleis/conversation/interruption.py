"""A question that an interrupt stops, and not the session.

The first Ctrl-C ends the provers, which then answer what is known; what reads, elaborates or evaluates in this process is
interrupted a moment later. A second Ctrl-C interrupts at once.
"""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kleis.prover.process.deadline import Deadline

__all__ = ["Interrupted", "interruptible"]

_GRACE = 0.4
"""Seconds in which stopped provers may still become an answer."""

Progress = Callable[[float, float | None, str], None]


class Interrupted(BaseException):
    """Whoever asked has given up; nothing was kept of the question."""


@contextmanager
def interruptible(seconds: float | None = None, *, progress: Progress | None = None) -> Iterator[Deadline]:
    """The deadline of one question, which SIGINT ends too.

    Raises `Interrupted` in the block after an interrupt, unless the block ends by itself before; then the deadline is
    `abandoned`. Outside of the main thread there are no interrupts.
    """
    asked = threading.Event()
    deadline = Deadline(math.inf if seconds is None else seconds, left=asked.is_set, progress=progress)
    if threading.current_thread() is not threading.main_thread():
        yield deadline
        return
    over = False

    def raise_interrupted(number: int, frame: object) -> None:
        if not over:
            raise Interrupted

    def on_interrupt(number: int, frame: object) -> None:
        if asked.is_set():
            raise_interrupted(number, frame)
        asked.set()
        signal.setitimer(signal.ITIMER_REAL, _GRACE, _GRACE)

    earlier = signal.signal(signal.SIGALRM, raise_interrupted)
    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield deadline
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, previous)
        signal.signal(signal.SIGALRM, earlier)
