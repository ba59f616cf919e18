"""Attempts of a broker that can be stopped together, and that say whether a guard cut one of them.

A prover owns neither clock nor broker. What a run asks of it must end when the run is cancelled, and an answer that
rests on an engine killed by its guard must not pass for one that the theory gave (proving.md §2): both are seen here,
where the attempts go through.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["Attempts"]

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
        self, engine: str, task: Task | Any, steps: int, *, guards: Guards | None = None
    ) -> tuple[int, Future[Answer]]:
        """As `Broker.submit`; once stopped, an attempt is killed before it begins."""
        if self.stopped:
            future: Future[Answer] = Future()
            future.set_result(Answer(outcome="silent", reason="killed", detail="stopped"))
            self.cut = True
            return 0, future
        number, future = self._behind.submit(engine, task, steps, guards=guards)
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
