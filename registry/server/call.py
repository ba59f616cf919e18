"""What a running call gets from the server: cancellation, progress, worker threads (the `CallContext` of a group)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from registry.server.calls.contexts import Workers

__all__ = ["Call", "Report"]

T = TypeVar("T")
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one progress notification."""


class Call:
    """One call while it runs. Made on the event loop; `progress` and `cancelled` may be used from any thread.

    Progress is merged: while one report is being sent, later ones replace each other. Reports that do not grow are
    dropped, as the protocol demands. The last report goes out before the answer (`finish`).
    """

    __slots__ = ("_latest", "_lock", "_loop", "_report", "_sending", "_sent", "_workers", "cancelled")

    def __init__(self, workers: Workers, report: Report | None) -> None:
        self.cancelled = threading.Event()
        self._workers = workers
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._latest: tuple[float, float | None, str | None] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._sent = float("-inf")

    @property
    def wants_progress(self) -> bool:
        """Whether the client asked for progress."""
        return self._report is not None

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress without waiting."""
        if self._report is None or self.cancelled.is_set():
            return
        with self._lock:
            idle = self._latest is None
            self._latest = (done, total, message)
        if idle:
            self._loop.call_soon_threadsafe(self._begin)

    async def run_in_worker(self, work: Callable[[], T]) -> T:
        """Run `work` in a worker thread."""
        return await self._workers.run(work)

    def _begin(self) -> None:
        if self._sending is None and not self.cancelled.is_set():
            self._sending = self._loop.create_task(self._send())

    async def _send(self) -> None:
        report = self._report
        while report is not None and (latest := self._take()) is not None:
            if latest[0] > self._sent:
                self._sent = latest[0]
                await report(*latest)
        self._sending = None

    def _take(self) -> tuple[float, float | None, str | None] | None:
        with self._lock:
            latest, self._latest = self._latest, None
        return latest

    async def finish(self) -> None:
        """Let the last report go out."""
        if self._report is None:
            return
        await asyncio.sleep(0)  # a report from a thread that has just ended is still on its way to `_begin`
        if self._latest is not None:
            self._begin()
        if self._sending is not None:
            await self._sending

    def cancel(self) -> None:
        """The client has cancelled or is gone: tell the work, drop what is not sent."""
        self.cancelled.set()
        if self._sending is not None:
            self._sending.cancel()
