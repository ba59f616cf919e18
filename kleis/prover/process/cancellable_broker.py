"""Provers for questions that somebody waits for: each with a time limit, and stopped when nobody waits any more.

Specification: servers.md ("answers before 50 s", "can be cancelled"); proving.md §2 (`killed`: what a guard cut is
never kept).

Invariants
    * All questions share one broker and its worker.  A question that ends early leaves nothing running for it.
    * A prover answers one question at a time.  One whose question was stopped is not used again: what it remembers of
      its axioms may be cut short.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kleis.prover.process.broker import Broker, Guards
from kleis.prover.process.deadline import Watch
from kleis.prover.protocol.engine import Answer, Task

if TYPE_CHECKING:
    from kleis.prover.prover import Prover
    from kleis.prover.verdict_cache import VerdictCache
    from kleis.theory.name_dependencies import Texts
    from kleis.theory.theory import Theory

__all__ = ["BoundedBroker", "Provers", "Watch", "bounded_by"]

_LOOK = 0.05
"""Seconds between looks at whether the caller has left."""

_KEPT = 16
"""Theories whose provers are kept."""


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
        self, engine: str, task: Task | Any, steps: int, *, guards: Guards | None = None
    ) -> tuple[int, Future[Answer]]:
        """Begin an attempt, unless the question is over."""
        if self._stopped:
            return 0, _nothing()
        try:
            number, future = self._shared.submit(engine, task, steps, guards=guards)
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


class Provers:
    """Provers by theory, made when needed and kept while they are idle.  Safe to use from several threads."""

    def __init__(self, broker: Broker, verdicts: VerdictCache | None) -> None:
        self.broker = broker
        self.verdicts = verdicts
        self._lock = threading.Lock()
        self._texts: Texts = {}
        self._idle: OrderedDict[int, tuple[Theory, list[tuple[Prover, BoundedBroker]]]] = OrderedDict()

    @contextmanager
    def prover(self, theory: Theory, watch: Watch) -> Iterator[Prover]:
        """A prover for one question about a theory, stopped when the watch is over."""
        prover, bounded = self._take(theory)
        try:
            with bounded_by(bounded, watch):
                yield prover
        finally:
            if not bounded.stopped:
                self._give_back(theory, (prover, bounded))

    def _take(self, theory: Theory) -> tuple[Prover, BoundedBroker]:
        from kleis.elaborate.elaborator import Elaborator
        from kleis.prover.prover import Prover

        with self._lock:
            kept = self._idle.get(id(theory))
            if kept is not None and kept[1]:
                return kept[1].pop()
        bounded = BoundedBroker(self.broker)
        elaborator = Elaborator(theory, texts=self._texts)
        return Prover(theory, broker=bounded, cache=self.verdicts, elaborator=elaborator), bounded

    def _give_back(self, theory: Theory, prover: tuple[Prover, BoundedBroker]) -> None:
        with self._lock:
            self._idle.setdefault(id(theory), (theory, []))[1].append(prover)
            self._idle.move_to_end(id(theory))
            while len(self._idle) > _KEPT:
                self._idle.popitem(last=False)


@contextmanager
def bounded_by(bounded: BoundedBroker, watch: Watch) -> Iterator[BoundedBroker]:
    """A broker that is stopped when the watch is over, while this lasts."""
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(bounded, watch, ended), name="kleis-watch", daemon=True)
    watcher.start()
    try:
        yield bounded
    finally:
        ended.set()
        watcher.join()


def _watch(bounded: BoundedBroker, watch: Watch, ended: threading.Event) -> None:
    """Stop a question when its time is up or nobody waits for it."""
    while not ended.wait(min(_LOOK, max(0.0, watch.until - time.monotonic()))):
        if watch.over:
            bounded.stop()
            return
