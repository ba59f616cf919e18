"""The server over streamable HTTP: `pif serve --http HOST:PORT` (docs/reference/serving.md §3).

The SDK has the protocol, uvicorn the parsing of HTTP.  What is here is what neither does: the socket, TLS, signals, and
the end, in which every call under way is answered. `http_requests` judges requests, `http_connection` watches sockets.

Invariants
----------
- Only this machine can call, unless there is a token, in `PIF_HTTP_TOKEN` or the home, or an authorization server: a server that
  others reach is not started without one of these, and never answers without a token.
- Small answers are not held back: `TCP_NODELAY` is set on every connection. asyncio sets it only where the protocol of
  the listening socket is known; with protocol 0 each answer on a kept connection takes 40 ms.
- A signal ends the process within `stopping.SECONDS` and a little, after it was drained where that is asked for: no new calls,
  those under way are answered, streams are closed, the exit status is 0. A second signal ends it at once.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import socket
import ssl
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from email.utils import formatdate
from functools import partial
from weakref import WeakSet

import msgspec
import uvicorn
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from pif.run.stack_room import with_room
from registry.access.principals import OWNER_NAME, Principal
from registry.access.tokens import TokenFile
from registry.access.verifier import Verifier
from registry.server.calls import stopping
from registry.server.calls.observation import Observer
from registry.server.contract.group import Group
from registry.server.mcp.among_workers import AmongWorkers, OfPrincipal
from registry.server.mcp.http_access import TOKEN, Access, is_local
from registry.server.mcp.http_connection import HEAD_BYTES, Connection, Limits
from registry.server.mcp.http_options import HttpOptions, Private
from registry.server.mcp.http_requests import METHODS, Requests
from registry.server.mcp.http_sessions import PATH
from registry.server.mcp.listening import Accepting, handed_over, listen
from registry.server.mcp.mcp_server import HTTP_SESSIONS, McpServer
from registry.server.mcp.oauth import ProtectedResource
from registry.server.mcp.principal_servers import MadeGroups, PrincipalServer, PrincipalServers
from registry.server.monitoring.health import Check
from registry.server.monitoring.monitoring import Monitoring
from registry.server.monitoring.tracing import Tracing
from registry.server.offers.offer import Offer
from registry.server.streams.tuning import tune
from registry.server.workers.kept_connections import KeptConnections
from registry.server.workers.links import Links
from registry.server.workers.member import Member

__all__ = [
    "CONNECTIONS",
    "Offered",
    "address_said",
    "open_listening",
    "serve_http",
    "serve_on",
]

CONNECTIONS = 2_000
"""Open at one time, where the system lets the process have as many descriptors."""

SPARE_DESCRIPTORS = 200
"""For files, pipes to provers, and the standard streams."""

DATE_SECONDS = 1.0

DRAINING = 60.0
"""Seconds in which such a process ends its calls: longer than any takes."""


LOOK_SECONDS = 0.5
"""Between two looks for tokens that were revoked or have expired while a request of theirs is open."""

LINGERING = LEAVING = 5.0
"""Seconds in which a kept connection of a server that is drained, and of a worker that makes way for another, may still bring a
request: one that is closed while a request is on its way loses it, so this is longer than a busy client waits between two."""

DRAIN_LOOK = 0.02

logger = logging.getLogger(__name__)


def serve_http(
    groups: Sequence[Group],
    options: HttpOptions,
    *,
    name: str,
    version: str,
    title: str = "",
    command: str = "pif serve",
    monitoring: Monitoring | None = None,
    checks: Mapping[str, Check] | None = None,
    observers: Sequence[Observer] = (),
    tokens: TokenFile | None = None,
    groups_of: Callable[[Principal], MadeGroups] | None = None,
    tracing: Tracing | None = None,
    private: Private | None = None,
) -> int:
    """Serve until a signal; returns the exit status. What goes wrong at the start is said on standard error, as
    `command`'s. `observers` are told of every call, and so are those of `monitoring`, which gives pages beside MCP;
    `tracing` makes a span for each request; `checks` say whether the server is ready. `groups` are the owner's; `groups_of`
    makes those of another principal, whom one of the `tokens` names. `private` is a server for one page alone."""
    listening = open_listening(options, tokens, command, private)
    if isinstance(listening, int):
        return listening
    offered = Offered(
        groups=groups, name=name, version=version, title=title, monitoring=monitoring, checks=checks or {}, observers=observers,
        groups_of=groups_of, tracing=tracing, private=private,
    )  # fmt: skip
    with listening:
        said = "" if private is not None else address_said(options, listening, command)
        return serve_on(listening, offered, options, tokens, said=said)


def open_listening(
    options: HttpOptions, tokens: TokenFile | None, command: str, private: Private | None = None
) -> socket.socket | int:
    """A listening socket; or the exit status where that is refused, which is said on standard error as `command`'s."""
    try:
        listening = handed_over() if private is None else None
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    host, port = options.address if listening is None else listening.getsockname()[:2]
    verifier = _verifier(options, tokens, host, private)
    if options.oauth is None and not verifier.has_callers and not is_local(host):
        sys.stderr.write(
            f"{command}: {host} can be reached by others, so callers need a token\n"
            "Make one with `pif token create NAME`, for callers to send as `Authorization: Bearer …`; "
            f"or set {TOKEN} to a long secret; or serve 127.0.0.1:{port}.\n"
        )
        return 2
    try:
        options.tls()
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    try:
        return listening or listen(host, port)
    except OSError as error:
        sys.stderr.write(f"{command}: cannot serve {host}:{port}: {error.strerror or error}\n")
        return 1


def address_said(options: HttpOptions, listening: socket.socket, command: str) -> str:
    """The line that says where the server is."""
    host = options.address[0]
    shown = f"[{host}]" if ":" in host else host
    scheme = "http" if options.certificate is None else "https"
    return f"{command}: {scheme}://{shown}:{listening.getsockname()[1]}{PATH}\n"


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """What a server over HTTP offers: the owner's groups, how those of another principal are made, who is told of calls."""

    groups: Sequence[Group]
    name: str
    version: str
    title: str = ""
    monitoring: Monitoring | None = None
    checks: Mapping[str, Check] = {}
    observers: Sequence[Observer] = ()
    groups_of: Callable[[Principal], MadeGroups] | None = None
    tracing: Tracing | None = None
    private: Private | None = None


def serve_on(
    listening: socket.socket,
    offered: Offered,
    options: HttpOptions,
    tokens: TokenFile | None,
    *,
    said: str = "",
    joined: Callable[[], Awaitable[Member]] | None = None,
    kept: KeptConnections | None = None,
) -> int:
    """Serve on a listening socket until a signal; the exit status. `said` is written to standard error when it begins. `joined`
    makes this process one worker among others, on the event loop, and connections are `kept` to outlive it. Raises ValueError where the certificate does not serve."""
    tune()
    tls = options.tls()

    async def run() -> int:
        among = None if joined is None else AmongWorkers(await joined())
        host = listening.getsockname()[0]
        verifier = _verifier(options, tokens, host, offered.private)
        return await _Serving(offered, options, verifier, tokens, tls, among, kept).run(listening, said)

    return with_room(lambda: asyncio.run(run()))


def _verifier(options: HttpOptions, tokens: TokenFile | None, host: str, private: Private | None) -> Verifier:
    secret = os.environ.get(TOKEN, "") if private is None else private.secret
    return Verifier(secret, tokens, is_closed=options.oauth is not None or not is_local(host))


class _Serving:
    """One server over HTTP, from its first connection to its last. Make it on the event loop."""

    def __init__(
        self,
        offered: Offered,
        options: HttpOptions,
        verifier: Verifier,
        tokens: TokenFile | None,
        tls: ssl.SSLContext | None,
        among: AmongWorkers | None,
        kept: KeptConnections | None,
    ) -> None:
        """`among`: the other workers, where it is one of many."""
        monitoring, observers, private = offered.monitoring, offered.observers, offered.private
        if monitoring is not None:
            observers = (*observers, *monitoring.observers)

        def shared(principal: str) -> OfPrincipal | None:
            return None if among is None else among.of(principal)

        named = partial(
            Offer, name=offered.name, version=offered.version, title=offered.title, observers=observers
        )
        of_owner = shared(OWNER_NAME)
        server = McpServer(named(offered.groups, shared=of_owner), offered.tracing)

        def build(principal: Principal, made: MadeGroups) -> McpServer:
            offer = named(made.groups, beside=server.offer, meter=made.meter, shared=shared(principal.name))
            return McpServer(offer, offered.tracing)

        self._private = private
        self._drain_seconds = options.drain_seconds
        self._among = among
        self._owner = PrincipalServer(server, HTTP_SESSIONS, of_owner)
        self._servers = PrincipalServers(self._owner, offered.groups_of, build, shared)
        self._tls = tls
        self._limits = Limits(_room_for_connections(), kept if tls is None else None)
        protected = None if options.oauth is None else ProtectedResource(options.oauth, tokens)
        access = Access(verifier, options.origins, protected, always_names=private is not None)
        pages = (
            ()
            if monitoring is None
            else monitoring.pages(offered.checks, server.lanes, server.stopping, among)
        )
        self._requests = Requests(
            self._servers, access, server.stopping, about=_about(offered), envelope=server.envelope(True),
            pages=pages if private is None else (*pages, *private.pages),
            body_seconds=self._limits.seconds["body"], among=among,
        )  # fmt: skip
        app: ASGIApp = self._requests
        if options.origins:
            app = CORSMiddleware(
                app,
                options.origins,
                METHODS,
                allow_headers=["*"],
                expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
            )
        self._config = uvicorn.Config(
            app, ws="none", lifespan="off", log_level="error", access_log=False, proxy_headers=False, server_header=False,
            h11_max_incomplete_event_size=HEAD_BYTES,
        )  # fmt: skip
        self._config.load()
        self._state = ServerState()
        self._made: WeakSet[Connection] = WeakSet()
        self._is_draining = False
        self._making: set[asyncio.Task[None]] = set()

    async def run(self, listening: socket.socket, said: str) -> int:
        """Serve until a signal comes, or until it has made way for another process; the exit status."""
        loop = asyncio.get_running_loop()
        stopped, draining = asyncio.Event(), asyncio.Event()
        stopping.end_on_signals(stopped.set)
        async with self._owner.running():
            links = await self._join(stopped, draining)
            if self._limits.kept is not None:
                self._limits.kept.open(self._take)
            accepting = Accepting(listening, self._take)
            sys.stderr.write(said)
            sys.stderr.flush()
            if self._private is not None:
                host, port = listening.getsockname()[:2]
                self._private.is_serving(f"http://{host}:{port}")
            gc.collect()
            gc.freeze()
            tasks = [loop.create_task(self._date()), loop.create_task(self._look())]
            if self._among is not None and links is not None:
                self._among.member.ready()
                tasks.append(loop.create_task(self._make_way(links, draining, accepting, stopped)))
            await stopped.wait()
            accepting.close()
            await self._drain()
            await self._end()
            if links is not None:
                links.close()
            for task in tasks:
                task.cancel()
        return 0

    async def _join(self, stopped: asyncio.Event, draining: asyncio.Event) -> Links | None:
        """Take the place among the other workers, if there are any."""
        among = self._among
        if among is None:
            return None
        links = Links(among.member.path, self._requests.passed, among.answer)
        await links.open()
        among.member.on_end = stopped.set
        among.member.on_drain = draining.set
        if among.member.has_ended:
            stopped.set()
        return links

    def _take(self, accepted: socket.socket, given: int | None = None) -> None:
        """Serve a connection: one that was accepted, or, with a number, that another worker has left."""
        accepted.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._connected(accepted, given))
        self._making.add(task)
        task.add_done_callback(self._making.discard)

    async def _connected(self, accepted: socket.socket, given: int | None) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                partial(self._connect, was_used=given is not None),
                accepted,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else self._limits.seconds["head"],
            )
        except (OSError, ssl.SSLError):  # ConnectionError and the end of the time for a handshake among them
            accepted.close()
        if given is not None and self._limits.kept is not None:
            self._limits.kept.taken(given)

    def _connect(self, *, was_used: bool) -> Connection:
        made = Connection(self._config, self._state, self._limits, was_used=was_used)
        self._made.add(made)
        return made

    @property
    def _is_awaited(self) -> bool:
        """Whether a connection was accepted that does not stand yet: the handshake of TLS takes a while."""
        return bool(self._making) or any(each.transport is None for each in tuple(self._made))

    async def _make_way(
        self, links: Links, draining: asyncio.Event, accepting: Accepting, stopped: asyncio.Event
    ) -> None:
        """Make way for another process: take no more connections, answer what was begun, then end.

        Connections are left to other workers as soon as nothing is under way on them. What cannot be left, because it is
        encrypted, is closed with its next answer, or after a while without a request: a request that is already on its way
        is answered. Streams are ended; their clients open them again, at another worker.
        """
        loop = asyncio.get_running_loop()
        await draining.wait()
        assert self._among is not None
        accepting.close()
        if self._limits.kept is None:
            self._close_after_answers()
        self._leave()
        until = loop.time() + LEAVING
        while loop.time() < until and self._has_waiting():
            await asyncio.sleep(DRAIN_LOOK)
            self._leave()
        self._servers.end_streams()
        until = loop.time() + DRAINING
        while self._servers.has_calls and loop.time() < until:
            await asyncio.sleep(DRAIN_LOOK)
            self._leave()
        await self._among.bequeath()
        links.refuse()
        self._leave()
        while loop.time() < until and (self._making or self._servers.has_calls or self._has_requests()):
            await asyncio.sleep(DRAIN_LOOK)
            self._leave()
        stopped.set()

    def _close_after_answers(self) -> None:
        """Let every answer that was not begun yet, to a request under way or to a later one, be the last of its connection."""
        self._is_draining = True
        self._state.default_headers = self._headers()
        for each in self._connections():
            each.close_after_answer()

    def _leave(self) -> None:
        """Leave connections on which nothing is under way to other workers."""
        for each in self._connections():
            each.release()

    def _connections(self) -> list[Connection]:
        """Those that are open: a copy, since what is done to them may close them."""
        return [each for each in self._state.connections if isinstance(each, Connection)]

    def _has_requests(self) -> bool:
        """Whether a connection may still bring a request, or waits for an answer: streams of events do neither."""
        return any(not each.is_streaming and not each.is_closing for each in self._connections())

    def _has_waiting(self) -> bool:
        """Whether a connection is open that waits for a request."""
        return any(each.is_waiting for each in self._connections())

    async def _date(self) -> None:
        """Keep the header `Date` true."""
        while True:
            self._state.default_headers = self._headers()
            await asyncio.sleep(DATE_SECONDS)

    def _headers(self) -> list[tuple[bytes, bytes]]:
        """Those of every answer."""
        closing = [(b"connection", b"close")] if self._is_draining else []
        return [(b"date", formatdate(usegmt=True).encode()), *closing]

    async def _drain(self) -> None:
        """Answer what comes on connections that are open, for a while: new ones are another process's to take.

        A connection is closed with its next answer, or where none is asked for soon. Streams that were asked for with GET are waited for
        by nobody.
        """
        if not self._drain_seconds:
            return
        self._owner.server.stopping.is_draining = True
        self._close_after_answers()
        self._servers.end_streams()
        loop = asyncio.get_running_loop()
        now = loop.time()
        until, lingering = now + self._drain_seconds, now + LINGERING
        while loop.time() < until:
            await asyncio.sleep(
                DRAIN_LOOK
            )  # first of all: what was accepted a moment ago is made in a task of its own
            is_early = loop.time() <= lingering
            if not self._state.connections and not (is_early and self._is_awaited):
                return
            kept = self._connections()
            if kept and all(each.is_stream for each in kept):
                return
            if not is_early:
                for each in kept:
                    if each.is_idle:
                        each.shutdown()

    async def _look(self) -> None:
        """Let nobody stay whose token is not valid any more."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._requests.end_revoked()
            except Exception:
                logger.exception("the end of revoked tokens' requests failed")

    async def _end(self) -> None:
        """Answer what is under way, close streams and connections."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + stopping.SECONDS
        self._servers.stop()
        for connection in tuple(self._state.connections):
            connection.shutdown()
        await self._servers.finish(stopping.SECONDS / 2)
        while self._state.connections and loop.time() < deadline:
            await asyncio.sleep(0.02)
        for connection in tuple(self._state.connections):
            connection.transport.abort()
        tasks = tuple(self._state.tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=stopping.SECONDS / 4)


def _about(offered: Offered) -> dict[str, object]:
    """What `GET /` says."""
    return {
        "name": offered.name,
        "title": offered.title,
        "what": "a server of the Model Context Protocol (MCP) over streamable HTTP",
        "endpoint": PATH,
        "protocol_versions": [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS],
    }


def _room_for_connections() -> int:
    """How many connections the descriptors of this process suffice for; the limit of these is raised where it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE_DESCRIPTORS
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        soft = allowed
    room = wanted if soft == resource.RLIM_INFINITY else soft
    return max(8, min(CONNECTIONS, room - SPARE_DESCRIPTORS))
