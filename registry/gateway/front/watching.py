"""The resources that one client watches, and watching them anew when a server has ended.

What a client asked to be told of lasts as long as the client, whatever becomes of the process: it is started again, and asked
again.  That is a request like the first, judged by the policy of now and logged; what is denied then is watched no more.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable

from registry.gateway.front.forwarding import Denied
from registry.gateway.messages.replies import Fault
from registry.gateway.upstream.protocol import UpstreamFailure

__all__ = ["PAUSE", "Watching"]

PAUSE = 1.0
"""Seconds before a server is asked again that did not start; twice as long each time."""

_LONGEST_PAUSE = 60.0

logger = logging.getLogger(__name__)


class Watching:
    """Resources by server and address there, each with the addresses by which the client asked for it."""

    def __init__(self, ask: Callable[[str, str], Awaitable[None]], tell: Callable[[str, str], None]) -> None:
        """`ask`: ask a server to tell of an address, which raises `Denied`, `Fault`, `UpstreamFailure`; `tell`: say that the
        resource at one may have changed."""
        self._ask = ask
        self._tell = tell
        self._watched: dict[tuple[str, str], Counter[str]] = {}
        self._renewing: dict[str, asyncio.Task[None]] = {}
        self._lost: set[str] = set()
        """Servers whose process has ended, and has not been asked anew."""

    def add(self, server: str, uri: str, shown: str) -> None:
        """The client has asked for it as `shown`."""
        self._watched.setdefault((server, uri), Counter())[shown] += 1

    def remove(self, shown: str) -> tuple[str, str] | None:
        """The client does not want it any more; the server and the address there, where nobody else does."""
        at = next((each for each, spellings in self._watched.items() if shown in spellings), None)
        if at is None:
            return None
        spellings = self._watched[at]
        spellings[shown] -= 1
        if not spellings[shown]:
            del spellings[shown]
        if spellings:
            return None
        del self._watched[at]
        return at

    def shown(self, server: str, uri: str) -> Iterable[str]:
        """The addresses by which the client asked for it; none where it did not."""
        return tuple(self._watched.get((server, uri), ()))

    def ended(self, server: str) -> None:
        """A server has ended: ask it again where it is watched."""
        if not self._of(server):
            return
        self._lost.add(server)
        if server not in self._renewing:
            self._renewing[server] = asyncio.get_running_loop().create_task(self._renew(server))

    def close(self) -> list[asyncio.Task[None]]:
        """Watch nothing more; what has yet to end."""
        self._watched.clear()
        tasks = list(self._renewing.values())
        for task in tasks:
            task.cancel()
        return tasks

    def _of(self, server: str) -> list[str]:
        return [uri for name, uri in self._watched if name == server]

    async def _renew(self, server: str) -> None:
        pause = PAUSE
        try:
            while server in self._lost:
                self._lost.discard(server)
                try:
                    for uri in self._of(server):
                        await self._again(server, uri)
                except UpstreamFailure as failure:
                    logger.info("the resources of %s are not watched for a while: %s", server, failure)
                    self._lost.add(server)
                    await asyncio.sleep(pause)
                    pause = min(_LONGEST_PAUSE, 2 * pause)
        finally:
            del self._renewing[server]

    async def _again(self, server: str, uri: str) -> None:
        """Ask for one anew. Raises `UpstreamFailure`."""
        if (server, uri) not in self._watched:
            return  # the client has let it go meanwhile
        try:
            await self._ask(server, uri)
        except (Denied, Fault) as error:
            logger.warning("a resource of %s is watched no more: %s", server, error)
            self._watched.pop((server, uri), None)
            return
        self._tell(server, uri)  # nobody knows what was missed
