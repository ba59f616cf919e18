"""A shared broker as one caller sees it: what runs for the caller can be stopped, and limits that were met are seen.

A prover owns neither clock nor broker.  What it runs must end when its question is cancelled, and an answer that rests
on an attempt stopped by a time or memory limit must not pass for one that the theory gave.  Both are handled here, where
the attempts pass through.

Invariant: the shared broker and its worker stay; a caller that is stopped leaves nothing running for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer, load_job

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["CancellableBroker"]

_POLL = 0.05
"""Seconds between two checks of a deadline."""

_LIMITS = ("killed", "memory")


class CancellableBroker(Broker):
    """Passes jobs on to `broker` until it is stopped.

    near
        The job that runs in the calling process instead: one that is pure, ends after its steps, and mostly takes less
        time than a process does to begin.  Where it gives up as incomplete it may be nested too deeply for this
        process, and runs again in a child, which has more room.
    cut
        Whether a limit or `stop`, and not the caller's `cancel`, ended an attempt.
    stopped
        Whether `stop` was called.
    """

    def __init__(self, broker: Broker, *, near: str = "") -> None:
        super().__init__(guards=broker.guards)
        self.cut = False
        self.stopped = False
        self._shared = broker
        self._near = near
        self._mutex = threading.Lock()
        self._running: dict[int, tuple[str, float]] = {}
        self._cancelled: set[int] = set()

    def submit(
        self,
        job: str,
        task: Any,
        steps: int,
        *,
        guards: Guards | None = None,
        preload: tuple[str, ...] = (),
        pure: bool = False,
    ) -> tuple[int, Future[Answer]]:
        """As `Broker.submit`; once stopped, every answer is `killed`."""
        if self.stopped:
            return self._not_begun()
        if job == self._near:
            answer = load_job(job)(task, steps)
            if answer.outcome != "silent" or answer.reason != "incomplete":
                return _answered(answer)
        try:
            number, future = self._shared.submit(job, task, steps, guards=guards, preload=preload, pure=pure)
        except RuntimeError:  # the shared broker was closed meanwhile: the process is ending
            return self._not_begun()
        with self._mutex:
            self._running[number] = job, time.monotonic()
            late = self.stopped
        future.add_done_callback(lambda done: self._ended(number, done))
        if late:
            self._shared.cancel(number)
        return number, future

    def cancel(self, number: int) -> None:
        """Stop one attempt; its end says nothing about limits."""
        with self._mutex:
            if number not in self._running:
                return
            self._cancelled.add(number)
        self._shared.cancel(number)

    def stop(self) -> None:
        """End what is running; nothing more begins."""
        with self._mutex:
            self.stopped = True
            running = tuple(self._running)
        for number in running:
            self._shared.cancel(number)

    def under_way(self) -> tuple[tuple[str, float], ...]:
        """The jobs that run now, as ``module:attribute``, each with the seconds since it began."""
        now = time.monotonic()
        with self._mutex:
            return tuple((job, now - begun) for job, begun in self._running.values())

    def close(self) -> None:
        """Stop; the shared broker stays."""
        self.stop()

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[Self]:
        """This broker, stopped if the deadline is over before the block ends."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(min(_POLL, max(0.0, deadline.until - time.monotonic()))):
                if deadline.over:
                    self.stop()
                    return

        watcher = threading.Thread(target=watch, name="kleis-deadline", daemon=True)
        watcher.start()
        try:
            yield self
        finally:
            ended.set()
            watcher.join()

    def _not_begun(self) -> tuple[int, Future[Answer]]:
        self.cut = True
        return _answered(Answer(outcome="silent", reason="killed", detail="the time is up"))

    def _ended(self, number: int, future: Future[Answer]) -> None:
        with self._mutex:
            self._running.pop(number, None)
            wanted = number not in self._cancelled
            self._cancelled.discard(number)
        if wanted and (future.cancelled() or future.result().reason in _LIMITS):
            self.cut = True


def _answered(answer: Answer) -> tuple[int, Future[Answer]]:
    """The answer of an attempt that needs no process."""
    from concurrent.futures import Future

    future: Future[Answer] = Future()
    future.set_result(answer)
    return 0, future
