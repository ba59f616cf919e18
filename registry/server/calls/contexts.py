"""The context of one call, and the announcement of changed lists.

- `Call`: the `CallContext` of one call: cancellation, progress, and where its work is done.
- `Changes`: the `Announcer` of all groups: changes from any thread, announced once for all that come together.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from registry.server.calls.lanes import JOB_PATIENCE, PATIENCE
from registry.server.calls.schedule import Schedule
from registry.server.contract.group import Answer, ClientJobs, LaneName
from registry.server.contract.questions import Client, SilentClient
from registry.server.contract.settings import Settings

__all__ = ["BEAT", "Beat", "Call", "Changes", "ListName", "Report"]

BEAT = 1.0
"""Seconds without progress after which a search is said to go on."""

T = TypeVar("T")
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends progress: how much is done, of how much, and a message."""

ListName = Literal["tools", "resources", "prompts"]
"""A list that clients may keep, and are told of when it changes."""

logger = logging.getLogger(__name__)


def _with_nobody(topic: str, text: str) -> None:
    """There is one process."""


def _nothing() -> None:
    """Nobody looks."""


class Changes:
    """Collects changes and tells them with one call of `tell(changed)` on the event loop: the lists that changed.

    While a telling is under way (a client may be slow to read), further changes wait for one more telling. What
    changes before `start` or after `close` needs no announcement: no client has seen a list.
    """

    def __init__(
        self,
        tell: Callable[[frozenset[ListName]], Awaitable[None]],
        look: Callable[[], None] = _nothing,
        share: Callable[[str, str], None] = _with_nobody,
    ) -> None:
        """`look` is called on the event loop where something else may stand at addresses that clients watch; `share` tells the
        server's other processes something, also there."""
        self._tell = tell
        self._look = look
        self._share = share
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

    def look(self) -> None:
        """Something else may stand at addresses that clients watch."""
        self._soon(self._look)

    def share(self, topic: str, text: str) -> None:
        """Tell the same group in the server's other processes."""
        self._soon(self._share, topic, text)

    def _schedule(self, name: ListName) -> None:
        self._soon(self._note, name)

    def _soon(self, work: Callable[..., None], *about: str) -> None:
        loop = self._loop
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(work, *about)
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
        "_latest", "_lock", "_loop", "_proved", "_report", "_schedule", "_sending", "_sent", "cancelled", "client", "is_job",
        "jobs", "whose",
    )  # fmt: skip

    def __init__(
        self,
        schedule: Schedule,
        report: Report | None,
        jobs: ClientJobs,
        whose: str = "",
        *,
        client: Client | None = None,
        is_job: bool = False,
        proved: Callable[[float], None] | None = None,
    ) -> None:
        """`proved` is told the seconds of work that may ask provers, when it has ended."""
        self._proved = proved
        self.cancelled = threading.Event()
        self.client: Client = client or SilentClient()
        self.jobs = jobs
        self.is_job = is_job
        self.whose = whose
        self._schedule = schedule
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._latest: tuple[float, float | None, str | None] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._sent = float("-inf")

    @property
    def _patience(self) -> float:
        return JOB_PATIENCE if self.is_job else PATIENCE

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

    async def quick(self, work: Callable[[], T]) -> T:
        """Do something that takes about a millisecond on the event loop, when it is this client's turn."""
        return await self._schedule.quick(self.whose, work)

    async def run_in_worker(
        self, work: Callable[[], T], *, lane: LaneName = "runs", share: float = 0.0, proves: bool = False
    ) -> T:
        """Run `work` in a worker thread of a lane."""
        if (proves or lane == "proofs") and self._proved is not None:
            work = _timed(work, self._proved)
        return await self._schedule.in_thread(lane, self.whose, work, share, patience=self._patience)

    async def search(self, job: str, settings: Settings, arguments: object, seconds: float) -> Answer:
        """The answer of a search in a process of its own. Without progress of its own it is said to go on."""
        beat = Beat(self)
        beating = self._loop.create_task(beat.go()) if self._report is not None else None
        begun = self._loop.time()
        elsewhere = 0.0

        def spent(seconds: float) -> None:
            nonlocal elsewhere
            elsewhere = seconds

        try:
            given = (settings, arguments)
            return await self._schedule.in_process(
                self.whose, job, given, seconds, beat.told, spent, patience=self._patience
            )
        finally:
            if beating is not None:
                beating.cancel()
            if self._proved is not None:
                self._proved(self._loop.time() - begun + elsewhere)

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


def _timed(work: Callable[[], T], told: Callable[[float], None]) -> Callable[[], T]:
    """The same work, which tells how many seconds it took, whatever becomes of it."""

    def timed() -> T:
        begun = time.monotonic()
        try:
            return work()
        finally:
            told(time.monotonic() - begun)

    return timed


class Beat:
    """Progress of a search: what it tells, and between two such reports, that it still goes on."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._last: tuple[float, float | None, str | None] = (0.0, None, None)
        self._reports = 0

    def told(self, done: float, total: float | None, message: str | None) -> None:
        """The search has said how far it is."""
        if done > self._last[0]:
            self._reports = 0
        self._last = (done, total, message)
        self._progress(message)

    async def go(self) -> None:
        """Report every `BEAT` seconds. What is done grows, but stays below what the search tells next."""
        begun = self._call._loop.time()
        while True:
            await asyncio.sleep(BEAT)
            message = self._last[2]
            since = f"working since {self._call._loop.time() - begun:.0f} s"
            self._progress(f"{message} · {since}" if message else since)

    def _progress(self, message: str | None) -> None:
        """Report what is done, a little more each time that it is the same: a client is told of what has grown only."""
        done, total, _ = self._last
        self._call.progress(done + self._reports / (self._reports + 1), total, message)
        self._reports += 1
