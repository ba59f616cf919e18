"""What calls run on: worker threads, the context of one call, and the announcement of changed lists.

- `Workers`: daemon threads with large stacks, for work that would hold the event loop too long. Python's own executor
  joins its threads when the interpreter exits, so that a run that ignores cancellation would keep a closed server alive.
- `Call`: the `CallContext` of one call: cancellation, progress, worker threads.
- `Changes`: the `Announcer` of all groups: changes from any thread, announced once for all that come together.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from pif.run.stack_room import with_room
from registry.server.contract.questions import Client, SilentClient

__all__ = ["DEFAULT_WORKERS", "Call", "Changes", "ListName", "Report", "Workers"]

DEFAULT_WORKERS = 4
STACK_BYTES = 64 * 1024 * 1024

T = TypeVar("T")
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends progress: how much is done, of how much, and a message."""

ListName = Literal["tools", "resources", "prompts"]
"""A list that clients may keep, and are told of when it changes."""

_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]
logger = logging.getLogger(__name__)


class Workers:
    """A pool of at most `count` daemon threads. Use it from one event loop."""

    def __init__(self, count: int = DEFAULT_WORKERS, stack_bytes: int = STACK_BYTES) -> None:
        if count < 1:
            raise ValueError(f"a pool needs at least one worker, not {count}")
        self._count = count
        self._stack_bytes = stack_bytes
        self._started = 0
        self._busy = 0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in a thread. Cancelling drops work that has not begun; begun work ends by itself."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._busy >= self._started and self._started < self._count:
            self._start()
        self._busy += 1
        self._jobs.put((work, future))
        return await future

    def close(self) -> None:
        """Let idle threads end."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _start(self) -> None:
        previous = threading.stack_size(self._stack_bytes)
        try:
            threading.Thread(
                target=with_room, args=(self._serve,), name=f"worker-{self._started + 1}", daemon=True
            ).start()
        finally:
            threading.stack_size(previous)
        self._started += 1

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            result: Any = None
            failure: Exception | None = None
            if not future.cancelled():
                try:
                    result = work()
                except Exception as error:
                    logger.debug("work in a thread raised; the error goes to the caller", exc_info=True)
                    failure = error
            try:
                future.get_loop().call_soon_threadsafe(self._complete, future, result, failure)
            except RuntimeError:
                logger.debug("the event loop closed before a worker was done")
            del job, work, future, result, failure

    def _complete(self, future: asyncio.Future[Any], result: Any, failure: Exception | None) -> None:
        self._busy -= 1
        if future.cancelled():
            return
        if failure is None:
            future.set_result(result)
        elif isinstance(failure, StopIteration):  # which a future does not take
            future.set_exception(RuntimeError(f"work in a thread raised {failure!r}"))
        else:
            future.set_exception(failure)


class Changes:
    """Collects changes and tells them with one call of `tell(changed)` on the event loop: the lists that changed.

    While a telling is under way (a client may be slow to read), further changes wait for one more telling. What
    changes before `start` or after `close` needs no announcement: no client has seen a list.
    """

    def __init__(self, tell: Callable[[frozenset[ListName]], Awaitable[None]]) -> None:
        self._tell = tell
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed: set[ListName] = set()
        self._telling: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Announce on the running event loop from now on."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Announce nothing any more."""
        self._loop = None
        if self._telling is not None:
            self._telling.cancel()

    def tools_changed(self) -> None:
        """The list of tools is another one."""
        self._schedule("tools")

    def resources_changed(self) -> None:
        """The list of resources is another one."""
        self._schedule("resources")

    def prompts_changed(self) -> None:
        """The list of prompts is another one."""
        self._schedule("prompts")

    def _schedule(self, name: ListName) -> None:
        loop = self._loop
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(self._note, name)
        except RuntimeError:
            logger.debug("a change came after the event loop had closed")

    def _note(self, name: ListName) -> None:
        self._changed.add(name)
        if self._telling is None and self._loop is not None:
            self._telling = self._loop.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._changed:
                changed = frozenset(self._changed)
                self._changed.clear()
                await self._tell(changed)
        finally:
            self._telling = None


class Call:
    """One call while it runs. Made on the event loop; `progress` and `cancelled` may be used from any thread.

    Progress is merged: while one report is being sent, later ones replace each other. Reports that do not grow are
    dropped, as the protocol demands. The last report goes out before the answer (`finish`).
    """

    __slots__ = (
        "_latest", "_lock", "_loop", "_report", "_sending", "_sent", "_workers", "cancelled", "client"
    )  # fmt: skip

    def __init__(self, workers: Workers, report: Report | None, client: Client | None = None) -> None:
        self.cancelled = threading.Event()
        self.client: Client = client or SilentClient()
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
