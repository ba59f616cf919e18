"""How long a command waits for the prover, how much it may search, and what a terminal shows meanwhile.

Specification: docs/reference/serving.md §9.4. A limit of time bounds the whole answer: at its end the engines are
stopped, and what reads or elaborates is interrupted a moment later. The answer is then `unknown`, with the reason.

Invariant: however a command ends, also by an interrupt, no process of the prover is left.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Protocol

import msgspec

from registry.cli.terminal.live_line import LiveLine

if TYPE_CHECKING:
    from kleis.prover.process.cancellable_broker import CancellableBroker
    from kleis.prover.process.deadline import Deadline

__all__ = ["PATIENT", "Patience", "TimeIsUp", "UnderWay", "Waiting", "tried"]

_GRACE = 0.5
"""Seconds in which stopped engines may still become an answer."""


class Patience(msgspec.Struct, frozen=True):
    """`timeout` in seconds (None: no limit); `effort` multiplies every budget of steps."""

    timeout: float | None = None
    effort: int = 1

    @contextmanager
    def waiting(self, *, live: bool = True, slots: int = 0, interrupting: bool = True) -> Iterator[Waiting]:
        """A broker for one answer, and the deadline of that.

        `live`: show on a terminal what is being tried.  `interrupting`: raise `TimeIsUp` in the block where this alone
        ends it; otherwise the block looks at the deadline before it begins anything.
        """
        from kleis.prover.process.broker import Broker
        from kleis.prover.process.cancellable_broker import CancellableBroker
        from kleis.prover.process.deadline import Deadline

        deadline = Deadline(math.inf if self.timeout is None else self.timeout)
        with Broker(slots=slots) as shared:
            broker = CancellableBroker(shared)
            begun = time.monotonic()
            line = LiveLine(lambda: tried(broker, time.monotonic() - begun), wanted=live)
            waiting = Waiting(broker, deadline, line)
            with ExitStack() as around:
                if self.timeout is not None and interrupting:
                    around.enter_context(_alarm(self.timeout + _GRACE))
                if self.timeout is not None:
                    around.enter_context(broker.until(deadline))
                around.enter_context(line)
                yield waiting


PATIENT = Patience()
"""No limit of time, and the budgets as published."""


class Waiting(msgspec.Struct, frozen=True):
    """What a command has while it waits."""

    broker: CancellableBroker
    deadline: Deadline
    line: LiveLine


class TimeIsUp(BaseException):
    """The limit of time is over, and no engine was at work that could have been stopped."""


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """`TimeIsUp` in the main thread after so many seconds, unless the block ends before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeIsUp

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


class UnderWay(Protocol):
    """What knows the jobs that run now, each with its seconds."""

    def under_way(self) -> Sequence[tuple[str, float]]: ...


def tried(broker: UnderWay, seconds: float) -> str:
    """What the line says: how long it has been, and the engines at work, each with its seconds."""
    engines = [f"{_name(job)} ({since:.0f} s)" for job, since in broker.under_way()]
    return f"{seconds:.0f} s  trying {', '.join(engines)}" if engines else f"{seconds:.0f} s  reading"


def _name(job: str) -> str:
    from kleis.prover.protocol.engine import load_engine

    name: str = getattr(load_engine(job), "name", "a check of what was found")
    return name
