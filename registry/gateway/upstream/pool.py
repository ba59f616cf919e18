"""The upstreams of a configuration: started when they are needed, restarted with back-off, closed when nobody uses them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from registry.gateway.upstream.protocol import (
    Generation,
    Receiver,
    UpstreamFailure,
    UpstreamSettings,
)
from registry.gateway.upstream.running import RunningUpstream

__all__ = ["MOST", "Pool"]

MOST = 200
"""Running upstreams of one name; the one longest unused makes room for another."""

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 60.0
_STEADY = 60.0
"""Seconds that an upstream has to run before its end is no failure to start."""

_KEYS = 10_000
"""Keys whose failures are remembered."""

logger = logging.getLogger(__name__)


@dataclass
class _Failures:
    """How often an upstream of a key failed in a row, and until when it is not tried again."""

    count: int = 0
    until: float = 0.0
    last: UpstreamFailure | None = None


class Pool:
    """One upstream for each name and key. `close` it at the end."""

    def __init__(self, settings: Iterable[UpstreamSettings]) -> None:
        self._settings = {each.name: each for each in settings if not each.disabled}
        self._starting: dict[tuple[str, str], asyncio.Task[RunningUpstream]] = {}
        self._running: dict[tuple[str, str], RunningUpstream] = {}
        self._begun: dict[tuple[str, str], float] = {}
        self._failures: dict[tuple[str, str], _Failures] = {}
        self._generations: dict[str, Generation] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def settings(self) -> Mapping[str, UpstreamSettings]:
        return self._settings

    async def get(
        self,
        name: str,
        key: str,
        on_notification: Receiver | None = None,
        on_end: Callable[[], None] | None = None,
    ) -> RunningUpstream:
        settings = self._settings[name]
        if self._closed:
            raise UpstreamFailure("closed", "the gateway is closing")
        at = (name, key)
        running = self._running.get(at)
        if running is not None and not running.is_open:
            self._drop(at, ended=True)
            running = None
        if running is None:
            running = await self._started(at, settings)
        running.used = time.monotonic()
        if on_notification is not None:
            running.receive(on_notification, on_end)
        return running

    async def _started(self, at: tuple[str, str], settings: UpstreamSettings) -> RunningUpstream:
        """The upstream, started once for all who wait. It goes on starting when one of them does not wait any more."""
        task = self._starting.get(at)
        if task is None:
            failures = self._failures.get(at)
            left = 0.0 if failures is None else failures.until - time.monotonic()
            if failures is not None and left > 0:
                why = failures.last.message if failures.last else "it ended again and again"
                raise UpstreamFailure(
                    "unavailable",
                    why,
                    hint=f"it failed {failures.count} times in a row and is tried again in {left:.1f} s",
                )
            task = asyncio.create_task(self._start(at, settings))
            self._starting[at] = task
            task.add_done_callback(partial(self._is_started, at))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise UpstreamFailure("closed", f"{at[0]} was closed while it was starting") from None
            raise

    def _is_started(self, at: tuple[str, str], task: asyncio.Task[RunningUpstream]) -> None:
        del self._starting[at]
        if not task.cancelled():
            task.exception()  # those who waited for it may all have gone

    async def _start(self, at: tuple[str, str], settings: UpstreamSettings) -> RunningUpstream:
        self._make_room(settings.name)
        upstream = RunningUpstream(settings)
        try:
            await upstream.start(self._generations.get(settings.name))
        except UpstreamFailure as failure:
            self._failed(at, failure)
            said = settings.without_secrets(upstream.said).strip()
            if said:
                logger.warning("%s said: %s", settings.name, said)
            self._generations.pop(settings.name, None)
            raise
        if self._closed:
            await upstream.close()
            raise UpstreamFailure("closed", "the gateway is closing")
        self._generations[settings.name] = upstream.generation
        self._running[at] = upstream
        self._begun[at] = time.monotonic()
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())
        return upstream

    def _failed(self, at: tuple[str, str], failure: UpstreamFailure | None) -> None:
        if len(self._failures) >= _KEYS:
            self._failures.pop(next(iter(self._failures)))
        failures = self._failures.setdefault(at, _Failures())
        failures.count += 1
        failures.last = failure
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(10, failures.count - 1))
        failures.until = time.monotonic() + pause
        logger.warning("%s failed %d times in a row; not tried for %.1f s", at[0], failures.count, pause)

    def _drop(self, at: tuple[str, str], *, ended: bool = False) -> None:
        """Forget a running upstream and close it. One that `ended` on its own soon after its start counts as a failure
        from the second time on: the first crash costs its calls, and no wait."""
        upstream = self._running.pop(at)
        begun = self._begun.pop(at)
        if not ended or time.monotonic() - begun >= _STEADY:
            self._failures.pop(at, None)
        elif at in self._failures:
            self._failed(at, None)
        else:
            self._failures[at] = _Failures()
        task = asyncio.create_task(upstream.close())
        self._closing.add(task)
        task.add_done_callback(self._is_closed)

    def _is_closed(self, task: asyncio.Task[None]) -> None:
        self._closing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.error("an upstream was not closed", exc_info=task.exception())

    def _make_room(self, name: str) -> None:
        of_name = [at for at in self._running if at[0] == name]
        if len(of_name) >= MOST:
            idle = [at for at in of_name if self._running[at].is_idle]
            if not idle:
                raise UpstreamFailure("overloaded", f"{MOST} of {name} are running, and all are busy")
            self._drop(min(idle, key=lambda at: self._running[at].used))

    async def _sweep(self) -> None:
        """Close what nobody has used for a while."""
        shortest = min(each.timeouts.idle for each in self._settings.values())
        while True:
            await asyncio.sleep(max(0.05, shortest / 4))
            now = time.monotonic()
            for at, upstream in list(self._running.items()):
                if not upstream.is_open:
                    self._drop(at, ended=True)
                elif upstream.is_idle and now - upstream.used > upstream.settings.timeouts.idle:
                    self._drop(at)

    async def release(self, key: str) -> None:
        for at, starting in list(self._starting.items()):
            if at[1] == key:
                starting.cancel()
        for at in [at for at in self._running if at[1] == key]:
            self._drop(at)
        for at in [at for at in self._failures if at[1] == key]:
            del self._failures[at]
        await self._settled()

    async def close(self) -> None:
        self._closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
        for starting in self._starting.values():
            starting.cancel()
        await asyncio.gather(*self._starting.values(), return_exceptions=True)
        for at in list(self._running):
            self._drop(at)
        await self._settled()

    async def _settled(self) -> None:
        await asyncio.gather(*self._closing, return_exceptions=True)
