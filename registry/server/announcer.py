"""Changes of the lists, from any thread, announced once for all that come together (the `Announcer` of a group)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

__all__ = ["Changes"]

logger = logging.getLogger(__name__)


class Changes:
    """Collects changes and tells them with one call of `tell(tools, resources)` on the event loop.

    While a telling is under way (a client may be slow to read), further changes wait for one more telling. What
    changes before `start` or after `close` needs no announcement: no client has seen a list.
    """

    def __init__(self, tell: Callable[[bool, bool], Awaitable[None]]) -> None:
        self._tell = tell
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tools = False
        self._resources = False
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
        self._schedule(self._note_tools)

    def resources_changed(self) -> None:
        """The list of resources is another one."""
        self._schedule(self._note_resources)

    def _schedule(self, note: Callable[[], None]) -> None:
        loop = self._loop
        if loop is None:
            return
        try:
            loop.call_soon_threadsafe(note)
        except RuntimeError:
            logger.debug("a change came after the event loop had closed")

    def _note_tools(self) -> None:
        self._tools = True
        self._begin()

    def _note_resources(self) -> None:
        self._resources = True
        self._begin()

    def _begin(self) -> None:
        if self._telling is None and self._loop is not None:
            self._telling = self._loop.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._tools or self._resources:
                tools, resources = self._tools, self._resources
                self._tools = self._resources = False
                await self._tell(tools, resources)
        finally:
            self._telling = None
