"""Where the work of calls is done: on the event loop, in threads or in processes, each behind its lane.

One `Schedule` serves all clients of a server. `Call` (`contexts`) hands it the work of one call; a job that outlives
its call comes here too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from registry.server.calls.lanes import LANES, PATIENCE, Lanes, LaneSize
from registry.server.calls.searches import Searches, Spent, Told
from registry.server.calls.workers import Workers
from registry.server.contract.group import Answer, LaneName

__all__ = ["Schedule"]

T = TypeVar("T")


class Schedule:
    """The lanes of a server, their threads and processes. Use it from one event loop."""

    def __init__(self, sizes: dict[LaneName, LaneSize] = LANES) -> None:
        self.lanes = Lanes(sizes)
        self.searches = Searches()
        threaded = (name for name in sizes if name not in ("quick", "searches"))
        self._workers = {name: Workers(sizes[name].places) for name in threaded}

    async def quick(self, client: str, work: Callable[[], T]) -> T:
        """Do something that takes about a millisecond on the event loop, when it is the client's turn.

        Its place is free again at the next turn of the loop: so the quick calls of all clients take turns, and what
        has arrived meanwhile is read between them. Raises `Busy`, as all of these do.
        """
        lane = self.lanes["quick"]
        await lane.enter(client)
        try:
            return work()
        finally:
            asyncio.get_running_loop().call_soon(lane.leave, client)

    async def in_thread(
        self,
        name: LaneName,
        client: str,
        work: Callable[[], T],
        share: float = 0.0,
        *,
        patience: float = PATIENCE,
    ) -> T:
        """Do some work in a thread of a lane. The place is free when the work has ended, also where it was cancelled."""
        lane = self.lanes[name]
        await lane.enter(client, share, patience=patience)
        begun = time.monotonic()

        def ended() -> None:
            lane.leave(client, share, seconds=time.monotonic() - begun)

        return await self._workers[name].run(work, ended)

    async def in_process(
        self,
        client: str,
        job: str,
        given: tuple[object, ...],
        seconds: float,
        told: Told,
        spent: Spent,
        *,
        patience: float = PATIENCE,
    ) -> Answer:
        """The answer of a search in a process of its own, which has what is left of `seconds` after its turn has come.

        Cancelling kills the process. Raises `SearchFailed` too.
        """
        lane = self.lanes["searches"]
        arrived = time.monotonic()
        await lane.enter(client, patience=patience)
        begun = time.monotonic()
        try:
            left = max(seconds / 4, seconds - (begun - arrived))
            return await self.searches.run(job, given, left, told, spent)
        finally:
            lane.leave(client, seconds=time.monotonic() - begun)

    async def close(self) -> None:
        """Let idle threads end, kill searches, and wait for their ends."""
        for each in self._workers.values():
            each.close()
        await self.searches.close()
