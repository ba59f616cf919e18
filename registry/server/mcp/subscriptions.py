"""What clients watch: resources by address, lists of tools and resources; and how they are told of changes.

A client of the older protocol subscribes to addresses one by one and is notified on its connection; one of the newer
opens streams (`subscriptions/listen`), each with a filter. The groups say what stands at an address (`Group.state`);
addresses that someone watches are looked at when a group says so (`Announcer.look`), and every second where not all do,
whoever changed them: this server or another process.

Invariants
----------
- A connection or stream that ends leaves nothing behind: no session, no address, no task.
- Of one client at most `ADDRESSES` addresses and `STREAMS` streams; of all, `WATCHED` addresses.
- A client that does not read delays no other.
- What stands at an address is asked in a thread: a database that does not answer delays nobody, and is no change.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from kleis.errors import KleisError
from registry.errors import RegistryError
from registry.server.calls.contexts import ListName
from registry.server.calls.waking import Waking
from registry.server.contract.group import Group

__all__ = ["ADDRESSES", "LONGEST", "STREAMS", "WATCHED", "Subscriptions"]

ADDRESSES = 256
"""Addresses that one client, or one stream, may watch."""

STREAMS = 64
"""Streams of one client: of a connection, or over HTTP of an address of the network."""

WATCHED = 4_096
"""Different addresses that are watched at one time."""

LONGEST = 2_048
"""Characters of an address."""

LOOK = 1.0
"""Seconds between two looks at what is watched, where changes are not told of."""

SELDOM = 30.0
"""The same where they are: a connection may be dead and not know it yet."""

TELLING = 2.0
"""Seconds that one notification may take."""

_CHANGED: dict[ListName, Callable[[], ServerEvent]] = {
    "tools": ToolsListChanged,
    "resources": ResourcesListChanged,
    "prompts": PromptsListChanged,
}
"""What the streams of the newer protocol are told."""

_UNKNOWN = object()
"""What stands at an address whose store does not answer."""

Context = ServerRequestContext[Any, Any]
logger = logging.getLogger(__name__)


class _Client:
    """A connection of the older protocol and what it watches."""

    def __init__(self, session: ServerSession) -> None:
        self.session = session
        self.watched: set[str] = set()


class Subscriptions:
    """The watchers of one server. Use it from one event loop."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = tuple(groups)
        self._clients: dict[Connection, _Client] = {}
        self._streams: Counter[object] = Counter()
        self._watchers: Counter[str] = Counter()
        self._states: dict[str, object] = {}
        self._looking: asyncio.Task[None] | None = None
        self._waking = Waking()
        self._asking = asyncio.Lock()
        self._trouble = ""
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)

    @property
    def watched(self) -> dict[str, int]:
        """The addresses that are watched, and by how many."""
        return dict(self._watchers)

    @property
    def clients(self) -> int:
        """Connections of the older protocol."""
        return len(self._clients)

    def stop(self) -> None:
        """End the streams of the newer protocol."""
        self._listen.close()

    def close(self) -> None:
        """Forget everything and stop looking."""
        self._listen.close()
        self._clients.clear()
        self._watchers.clear()
        self._states.clear()
        self._look_while_watched()

    # The older protocol.

    def remember(self, session: ServerSession) -> None:
        """A connection has begun: it is told of changed lists until it ends."""
        connection = _connection(session)
        if connection not in self._clients:
            self._clients[connection] = _Client(session)
            connection.exit_stack.callback(self._forget, connection)

    def _forget(self, connection: Connection) -> None:
        client = self._clients.pop(connection, None)
        if client is not None:
            self._unwatch(client.watched)

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Watch one more address."""
        client, uri = self._client(context), str(params.uri)
        if uri not in client.watched:
            self._check(len(client.watched) + 1, [uri])
            client.watched.add(uri)
            await self._watch([uri])
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Watch an address no longer; one that was not watched changes nothing."""
        client, uri = self._client(context), str(params.uri)
        if uri in client.watched:
            client.watched.remove(uri)
            self._unwatch([uri])
        return types.EmptyResult()

    def _client(self, context: Context) -> _Client:
        self.remember(context.session)
        return self._clients[_connection(context.session)]

    # The newer protocol.

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream until the client ends it."""
        uris = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
        self._check(len(uris), uris)
        client = _caller(context)
        if self._streams[client] >= STREAMS:
            raise MCPError(
                types.INVALID_PARAMS, f"a client has at most {STREAMS} streams; end one of them first"
            )
        self._streams[client] += 1
        try:
            await self._watch(uris)
            return await self._listen(context, params)
        finally:
            self._unwatch(uris)
            self._streams[client] -= 1
            if not self._streams[client]:
                del self._streams[client]

    # Looking.

    def _check(self, count: int, uris: Sequence[str]) -> None:
        """Raise an error of the protocol where more is watched than may be."""
        if any(len(uri) > LONGEST for uri in uris):
            raise MCPError(types.INVALID_PARAMS, f"an address has at most {LONGEST:,} characters")
        if count > ADDRESSES:
            hint = "watch kleis://sessions/NAME or pif://tools instead of what is below"
            raise MCPError(types.INVALID_PARAMS, f"a client watches at most {ADDRESSES} addresses; {hint}")
        if len(self._watchers) + sum(uri not in self._watchers for uri in uris) > WATCHED:
            raise MCPError(
                types.INVALID_PARAMS, f"this server watches {WATCHED:,} addresses at most; try later"
            )

    async def _watch(self, uris: Sequence[str]) -> None:
        new = [uri for uri in uris if uri not in self._watchers]
        for uri in uris:  # counted first: whoever ends meanwhile takes back what was counted
            self._watchers[uri] += 1
        if new:
            for uri, state in (await self._in_thread(new)).items():
                if uri in self._watchers:
                    self._states.setdefault(uri, state)
        self._look_while_watched()

    def _unwatch(self, uris: Iterable[str]) -> None:
        for uri in uris:
            self._watchers[uri] -= 1
            if self._watchers[uri] <= 0:
                del self._watchers[uri]
                self._states.pop(uri, None)
        self._look_while_watched()

    def _look_while_watched(self) -> None:
        if self._watchers and self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look())
        elif not self._watchers and self._looking is not None:
            self._looking.cancel()
            self._looking = None

    async def _in_thread(self, uris: Sequence[str]) -> dict[str, object]:
        """What stands at some addresses; one look at a time."""
        async with self._asking:
            return await asyncio.to_thread(lambda: {uri: self._state(uri) for uri in uris})

    def _state(self, uri: str) -> object:
        """What stands at an address; what no group knows never changes."""
        for group in self._groups:
            try:
                state = group.state(uri)
            except (RegistryError, KleisError) as error:
                if str(error) != self._trouble:
                    logger.warning("what clients watch cannot be looked at: %s", error)
                self._trouble = str(error)
                return _UNKNOWN
            except Exception:
                logger.exception("the state of a resource of group %s failed", group.name)
                continue
            if state is not None:
                return state
        return None

    async def _look(self) -> None:
        while True:
            is_told = all(group.is_told for group in self._groups)
            await self._waking.within(SELDOM if is_told else LOOK)
            await self.look()

    def look_soon(self) -> None:
        """Look at once: something may have changed."""
        self._waking.wake()

    async def look(self) -> None:
        """Tell of every watched address at which something else stands than at the last look."""
        changed: list[str] = []
        states = await self._in_thread(list(self._states))
        for uri, now in states.items():
            if now is _UNKNOWN or uri not in self._states or now == self._states[uri]:
                continue
            if self._states[uri] is not _UNKNOWN:
                changed.append(uri)
            self._states[uri] = now
        if states and _UNKNOWN not in states.values():
            self._trouble = ""
        if changed:
            await asyncio.gather(
                *(_tell_updated(each, changed) for each in tuple(self._clients.values())),
                *(self._bus.publish(ResourceUpdated(uri=uri)) for uri in changed),
            )

    # Lists.

    async def tell(self, changed: frozenset[ListName]) -> None:
        """Announce changed lists to every client, each in the way of its generation."""
        await asyncio.gather(*(_tell_lists(each.session, changed) for each in tuple(self._clients.values())))
        for name, event in _CHANGED.items():
            if name in changed:
                await self._bus.publish(event())


def _connection(session: ServerSession) -> Connection:
    """The connection behind a session, which the SDK makes anew for each request and shows nowhere else: what is kept
    for a client must end with its connection."""
    return session._connection


def _caller(context: Context) -> object:
    """Whose streams are counted together: over HTTP the caller's address, else the connection."""
    client = getattr(context.request, "client", None)
    return client.host if client is not None else "this connection"


async def _tell_updated(client: _Client, changed: Sequence[str]) -> None:
    with anyio.move_on_after(TELLING):
        for uri in changed:
            if uri in client.watched:
                await client.session.send_resource_updated(uri)


async def _tell_lists(session: ServerSession, changed: frozenset[ListName]) -> None:
    with anyio.move_on_after(TELLING):
        if "tools" in changed:
            await session.send_tool_list_changed()
        if "resources" in changed:
            await session.send_resource_list_changed()
        if "prompts" in changed:
            await session.send_prompt_list_changed()
