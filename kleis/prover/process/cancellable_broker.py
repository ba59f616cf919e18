"""Provers for questions that somebody waits for: each with a time limit, and stopped when nobody waits any more.

Invariants
    * All questions share one broker and its worker.  A question that ends early leaves nothing running for it.
    * A prover answers one question at a time.  One whose question was stopped is not used again: what it remembers of
      its axioms may be cut short.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["Attempts", "BoundedBroker", "Deadline", "bounded_by"]

_LOOK = 0.05


class BoundedBroker(Broker):
    """The shared broker as one question sees it."""

    def __init__(self, broker: Broker) -> None:
        super().__init__()
        self._shared = broker
        self._mutex = threading.Lock()
        self._running: set[int] = set()
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether the question was cut."""
        return self._stopped

    def submit(
        self,
        engine: str,
        task: Task | Any,
        steps: int,
        *,
        guards: Guards | None = None,
        preload: tuple[str, ...] = (),
    ) -> tuple[int, Future[Answer]]:
        """Begin an attempt, unless the question is over."""
        if self._stopped:
            return 0, _nothing()
        try:
            number, future = self._shared.submit(engine, task, steps, guards=guards, preload=preload)
        except RuntimeError:  # the shared broker was closed meanwhile: the server is ending
            return 0, _nothing()
        with self._mutex:
            self._running.add(number)
            late = self._stopped
        future.add_done_callback(lambda done: self._forget(number))
        if late:
            self._shared.cancel(number)
        return number, future

    def cancel(self, number: int) -> None:
        """Stop one attempt."""
        self._shared.cancel(number)

    def stop(self) -> None:
        """Stop the question: what runs for it ends, and nothing more begins."""
        with self._mutex:
            self._stopped = True
            running = tuple(self._running)
        for number in running:
            self._shared.cancel(number)

    def close(self) -> None:
        """End what this question runs; the shared broker stays."""
        self.stop()

    def _forget(self, number: int) -> None:
        with self._mutex:
            self._running.discard(number)


def _nothing() -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(Answer(outcome="silent", reason="killed", detail="the time is up"))
    return future


@contextmanager
def bounded_by(bounded: BoundedBroker, watch: Deadline) -> Iterator[BoundedBroker]:
    """A broker that is stopped when the watch is over, while this lasts."""
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(bounded, watch, ended), name="kleis-watch", daemon=True)
    watcher.start()
    try:
        yield bounded
    finally:
        ended.set()
        watcher.join()


def _watch(bounded: BoundedBroker, watch: Deadline, ended: threading.Event) -> None:
    """Stop a question when its time is up or nobody waits for it."""
    while not ended.wait(min(_LOOK, max(0.0, watch.until - time.monotonic()))):
        if watch.over:
            bounded.stop()
            return


# ── Attempts ────────────────────────────────────────────────────────────────────────────────────────────────

_CUT = ("killed", "memory")


class Attempts(Broker):
    """A broker in front of another one. `cut` is set when a guard, and not the prover itself, ended an attempt;
    `stopped` when all were given up."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(guards=broker.guards)
        self._behind = broker
        self._mutex = threading.Lock()
        self._open: dict[int, Future[Answer]] = {}
        self._given_up: set[int] = set()
        self.stopped = False
        self.cut = False

    def submit(
        self,
        engine: str,
        task: Task | Any,
        steps: int,
        *,
        guards: Guards | None = None,
        preload: tuple[str, ...] = (),
    ) -> tuple[int, Future[Answer]]:
        """As `Broker.submit`; once stopped, an attempt is killed before it begins."""
        if self.stopped:
            future: Future[Answer] = Future()
            future.set_result(Answer(outcome="silent", reason="killed", detail="stopped"))
            self.cut = True
            return 0, future
        number, future = self._behind.submit(engine, task, steps, guards=guards, preload=preload)
        with self._mutex:
            self._open[number] = future
        future.add_done_callback(lambda done: self._done(number, done))
        return number, future

    def _done(self, number: int, future: Future[Answer]) -> None:
        with self._mutex:
            self._open.pop(number, None)
            wanted = number not in self._given_up
            self._given_up.discard(number)
        if wanted and (future.cancelled() or future.result().reason in _CUT):
            self.cut = True

    def cancel(self, number: int) -> None:
        """Give up one attempt: its end says nothing about guards."""
        with self._mutex:
            if number not in self._open:
                return
            self._given_up.add(number)
        self._behind.cancel(number)

    def stop(self) -> None:
        """Kill what is running and whatever is still submitted."""
        self.stopped = True
        with self._mutex:
            running = list(self._open)
        for number in running:
            self._behind.cancel(number)

    def close(self) -> None:
        """Stop these attempts; the broker behind stays."""
        self.stop()
