"""Runs jobs in killable processes, for callers that must stay alive.

See docs/reference/proving.md §10.  No query runs in the calling process: a worker (`worker`) forks a child for each.  If
the worker itself dies, its attempts are answered with `killed` and the next attempt starts another worker.

Invariants
    * Every attempt gets exactly one answer, whatever happens to the processes.
    * `close` (or the end of the calling process) leaves no process behind.
    * Safe to use from several threads.
    * What only running jobs needs is imported with the first job: many a question is answered from a cache.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.prover.process.deadline import processors
from kleis.prover.process.tally import TALLY

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kleis.prover.process.connection import Connection
    from kleis.prover.protocol.engine import Answer

__all__ = ["Broker", "Guards"]


class Guards(msgspec.Struct, frozen=True):
    """Limits of an attempt, several times what its steps need: seconds, seconds, megabytes."""

    cpu: int = 30
    wall: float = 60.0
    memory: int = 2048


class Broker:
    """Submits jobs to the worker, which it starts when it is first needed.

    slots
        How many attempts run at a time; twice the processors of this process if 0.
    niceness
        By how much provers give way to this process: a server whose event loop must not starve.
    """

    def __init__(self, *, guards: Guards | None = None, slots: int = 0, niceness: int = 0) -> None:
        self.guards = guards or Guards()
        self._niceness = niceness
        self._slots = slots or 2 * processors()
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._count = 0
        self._closed = False

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
        """Begin an attempt at the job ``module:attribute``; its number, and a future of its answer.

        `preload` names what the worker loads before it forks, `pure` says that the job may follow others in a process: see
        `Request`.
        """
        from concurrent.futures import Future

        from kleis.prover.process.connection import gone
        from kleis.prover.process.pipe_messages import pack
        from kleis.prover.process.request import Request

        limits = guards or self.guards
        future: Future[Answer] = Future()
        future.set_running_or_notify_cancel()  # only `cancel` below cancels
        TALLY.begin(job, future)
        with self._lock:
            self._count += 1
            number = self._count
        body = pack(task)
        request = Request(number, job, body, steps, limits.cpu, limits.wall, limits.memory, preload, pure)
        for _ in range(2):
            # A worker may have died since its last answer.  If a second one dies too, the attempt is answered with `killed`.
            try:
                connection = self._connected()
            except OSError as error:
                future.set_result(gone(f"no worker: {error}"))
                break
            if connection.submit(request, future):
                break
        else:
            future.set_result(gone("the worker ended"))
        return number, future

    def cancel(self, number: int) -> None:
        """Stop an attempt; its future gets a `killed` answer unless it had one already."""
        with self._lock:
            connection = self._connection
        if connection is not None:
            connection.cancel(number)

    def start(self) -> None:
        """Start the worker if none runs.  Raises OSError where that cannot be."""
        self._connected()

    def close(self) -> None:
        """Stop everything.  Nothing can be submitted afterwards."""
        with self._lock:
            self._closed = True
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connected(self) -> Connection:
        """The connection to the worker; to a new one where the last has ended."""
        from kleis.prover.process.connection import Connection

        with self._lock:
            if self._closed:
                raise RuntimeError("the broker is closed")
            if self._connection is None or not self._connection.open:
                self._connection = Connection(self._slots, self._niceness)
            return self._connection
