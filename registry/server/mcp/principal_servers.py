"""A server for each principal: what isolates them is that they share nothing (ADR 026).

Each has groups over a directory of its own, and with them its own tools, theory sessions, jobs, resources, subscriptions, sessions of the
protocol and table of request ids. No name, id or address of one is looked up in anything of another's; there is no filter to forget.
Shared are the lanes of work, so that principals take turns, the processes of provers, and the standard library.

A server is made for the first request of its principal, in a thread, and kept. At most `MOST` are open: the one that has
been idle for longest makes room.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import msgspec

from registry.access.principals import Principal
from registry.access.quotas import Meter
from registry.errors import RegistryError
from registry.server.contract.group import Group
from registry.server.mcp.http_access import Refused
from registry.server.mcp.http_bodies import BODY
from registry.server.mcp.http_sessions import RETRY_SECONDS, SERVER_ERROR, Door
from registry.server.mcp.mcp_server import McpServer

__all__ = ["IDLE_SECONDS", "MOST", "SESSIONS", "MadeGroups", "PrincipalServer", "PrincipalServers"]

MOST = 64
"""Servers of principals, the owner's not counted, at one time."""

SESSIONS = 64
"""Sessions of the older protocol of one principal that is not the owner."""

IDLE_SECONDS = 30.0
"""Without a request, after which a server may make room for another."""

logger = logging.getLogger(__name__)


class MadeGroups(msgspec.Struct, frozen=True):
    """The groups of one principal, how to let go of what they stand on, and what counts its use. `close` may block."""

    groups: Sequence[Group]
    close: Callable[[], None]
    meter: Meter | None = None


class PrincipalServer:
    """One principal's server, and the door to it."""

    def __init__(self, server: McpServer, sessions: int) -> None:
        """`sessions`: of the older protocol, at one time."""
        self.server = server
        self.ended = asyncio.Event()
        self.used = 0.0
        self._sdk = server.http_sessions(BODY, sessions)
        self.door = Door(self._sdk.handle_request, sessions)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While this is open, requests are answered."""
        async with self.server.open(), self._sdk.run():
            yield

    def is_idle(self, now: float) -> bool:
        """Whether nothing of it is under way, and has not been for some time."""
        return self.door.is_idle and not self.server.has_jobs and now - self.used > IDLE_SECONDS


class PrincipalServers:
    """The servers of all principals of one process. Use it from one event loop.

    `owner` serves the home itself and runs elsewhere. `make` makes the groups of another principal: it is called in a thread and
    may raise RegistryError; None where there is the owner alone. `build` puts a server over groups.
    """

    def __init__(
        self,
        owner: PrincipalServer,
        make: Callable[[Principal], MadeGroups] | None,
        build: Callable[[MadeGroups], McpServer],
    ) -> None:
        self._owner = owner
        self._make = make
        self._build = build
        self._open: OrderedDict[str, PrincipalServer] = OrderedDict()
        self._opening: dict[str, asyncio.Future[PrincipalServer]] = {}
        self._lives: set[asyncio.Task[None]] = set()

    async def of(self, principal: Principal) -> PrincipalServer:
        """The server of a principal, made if there is none. Raises `Refused` where there is no room, or it cannot be made."""
        if principal.is_owner:
            return self._owner
        if self._make is None:
            raise Refused(403, "this server has one principal: the owner of its home")
        loop = asyncio.get_running_loop()
        known = self._open.get(principal.name)
        if known is None:
            opening = self._opening.get(principal.name)
            if opening is None:
                self._make_room(loop.time())
                opening = self._opening[principal.name] = loop.create_future()
                life = loop.create_task(self._live(principal, self._make, opening))
                self._lives.add(life)
                life.add_done_callback(self._lives.discard)
            known = await asyncio.shield(opening)
        else:
            self._open.move_to_end(principal.name)
        known.used = loop.time()
        return known

    def _make_room(self, now: float) -> None:
        """End the server that was used longest ago, if there are too many."""
        if len(self._open) + len(self._opening) < MOST:
            return
        idle = next((name for name, each in self._open.items() if each.is_idle(now)), None)
        if idle is None:
            retry = (b"retry-after", str(RETRY_SECONDS).encode())
            raise Refused(503, "too many principals are served at this moment", retry, code=SERVER_ERROR)
        self._open.pop(idle).ended.set()

    async def _live(
        self,
        principal: Principal,
        make: Callable[[Principal], MadeGroups],
        opening: asyncio.Future[PrincipalServer],
    ) -> None:
        """The life of one server, in one task: the SDK ends what it began in the task that began it."""
        made: MadeGroups | None = None
        server: PrincipalServer | None = None
        try:
            made = await asyncio.to_thread(make, principal)
            server = PrincipalServer(self._build(made), SESSIONS)
            async with server.running():
                server.used = asyncio.get_running_loop().time()
                self._open[principal.name] = server
                del self._opening[principal.name]
                opening.set_result(server)
                await server.ended.wait()
        except (RegistryError, OSError, ValueError) as error:
            logger.error("the tools of principal %s cannot be opened: %s", principal.name, error)
            if not opening.done():
                said = "what belongs to you cannot be opened; the log of the server says why"
                opening.set_exception(Refused(503, said, code=SERVER_ERROR))
        finally:
            if self._opening.get(principal.name) is opening:
                del self._opening[principal.name]
            if server is not None and self._open.get(principal.name) is server:
                del self._open[principal.name]
            if not opening.done():
                opening.cancel()
            if made is not None:
                await asyncio.to_thread(made.close)

    async def end_sessions_of(self, principal: Principal) -> None:
        """End the sessions that were opened with a token which is not valid any more."""
        server = self._owner if principal.is_owner else self._open.get(principal.name)
        if server is not None:
            await server.door.end_sessions_of(principal.credential)

    def end_streams(self) -> None:
        """End the subscriptions of the newer protocol: their clients open them again, at another process."""
        for each in (self._owner, *self._open.values()):
            each.server.subscriptions.stop()

    def stop(self) -> None:
        """Begin nothing more, in any of them."""
        for each in (self._owner, *self._open.values()):
            each.server.stop()

    async def finish(self, seconds: float) -> None:
        """Wait until every call is answered, for so many seconds at most; then end them all but the owner's."""
        servers = (self._owner, *self._open.values())
        await asyncio.gather(*(each.door.finish(seconds) for each in servers))
        for each in servers:
            each.ended.set()
        if self._lives:
            await asyncio.wait(tuple(self._lives), timeout=seconds)
