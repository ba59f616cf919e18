"""Attempts in killable processes, for callers that must stay alive.

Specification: proving.md §4.  No query runs in the calling process: a worker (kleis/logic/worker.py) forks a child
for each.  If the worker itself dies, what it was doing is `killed` and the next attempt starts another.

Invariants
    * Every attempt gets exactly one answer, whatever happens to the processes.
    * `close` (or the end of the calling process) leaves no process behind.
    * Safe to use from several threads.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import Any

from kleis.logic.engine import Answer, Task
from kleis.logic.worker import Request, read_frame, write_frame

__all__ = ["Broker", "Guards"]

import msgspec


class Guards(msgspec.Struct, frozen=True):
    """Limits that only guard: several times what the budget takes.  Seconds, seconds, megabytes."""

    cpu: int = 30
    wall: float = 60.0
    memory: int = 2048


class Broker:
    """The way to the worker; starts it when it is first needed."""

    def __init__(self, *, guards: Guards | None = None) -> None:
        self.guards = guards or Guards()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: dict[int, Future[Answer]] = {}
        self._count = 0
        self._closed = False

    def submit(
        self, engine: str, task: Task | Any, steps: int, *, guards: Guards | None = None
    ) -> tuple[int, Future[Answer]]:
        """Begin an attempt by the engine ``module:attribute``; its number, and a future of its answer."""
        limits = guards or self.guards
        with self._lock:
            if self._closed:
                raise RuntimeError("the broker is closed")
            self._count += 1
            number = self._count
            future: Future[Answer] = Future()
            self._waiting[number] = future
            request = Request(number, engine, task, steps, limits.cpu, limits.wall, limits.memory)
            try:
                self._send(request)
            except OSError:
                # The worker died between two requests: one new worker, and then the failure is this attempt's.
                self._process = None
                try:
                    self._send(request)
                except OSError as error:
                    del self._waiting[number]
                    future.set_result(_gone(f"no worker: {error}"))
        return number, future

    def cancel(self, number: int) -> None:
        """Stop an attempt; its future gets a `killed` answer unless it had one already."""
        with self._lock:
            if number in self._waiting and self._process is not None:
                try:
                    self._send(number)
                except OSError:
                    self._process = None

    def close(self) -> None:
        """Stop everything."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self) -> Broker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, message: Request | int) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(
                [sys.executable, "-m", "kleis.logic.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        assert process.stdin is not None
        write_frame(process.stdin.fileno(), message)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Hand out answers until the worker ends, then tell those who still wait."""
        stream = process.stdout
        assert stream is not None
        mine: set[int] = set()
        while (received := read_frame(stream.read)) is not None:
            number, answer = received
            with self._lock:
                future = self._waiting.pop(number, None)
            if future is not None:
                future.set_result(answer)
        stream.close()
        process.wait()
        with self._lock:
            if self._process is process or self._process is None:
                mine = set(self._waiting)
            left = [self._waiting.pop(number) for number in mine]
        for future in left:
            future.set_result(_gone("the worker ended"))


def _gone(detail: str) -> Answer:
    return Answer(outcome="silent", reason="killed", detail=detail)
