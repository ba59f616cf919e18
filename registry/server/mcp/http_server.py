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
import re
import resource
import socket
import ssl
import sys
from collections.abc import Callable, Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import uvicorn
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from pif.run.stack_room import with_room
from registry.access.principals import Principal
from registry.access.tokens import TokenFile
from registry.access.verifier import Verifier
from registry.server.calls import stopping
from registry.server.calls.observation import Observer
from registry.server.contract.group import Group
from registry.server.contract.page import Page
from registry.server.mcp.http_access import TOKEN, Access, is_local
from registry.server.mcp.http_connection import HEAD_BYTES, Connection, Limits
from registry.server.mcp.http_requests import METHODS, Requests
from registry.server.mcp.http_sessions import PATH
from registry.server.mcp.listening import handed_over, listen
from registry.server.mcp.mcp_server import HTTP_SESSIONS, McpServer
from registry.server.mcp.oauth import OAuthOptions, ProtectedResource
from registry.server.mcp.principal_servers import MadeGroups, PrincipalServer, PrincipalServers
from registry.server.mcp.stdio_server import end_on_signals, tune
from registry.server.monitoring.health import Check
from registry.server.monitoring.monitoring import Monitoring
from registry.server.monitoring.tracing import Tracing

__all__ = ["CONNECTIONS", "Address", "HttpOptions", "Private", "parse_address", "serve_http"]

CONNECTIONS = 2_000
"""Open at one time, where the system lets the process have as many descriptors."""

SPARE_DESCRIPTORS = 200
"""For files, pipes to provers, and the standard streams."""

DATE_SECONDS = 1.0

LOOK_SECONDS = 0.5
"""Between two looks for tokens that were revoked or have expired while a request of theirs is open."""

LINGERING = 1.0
"""Seconds in which a kept connection of a server that is drained may still bring a request."""

DRAIN_LOOK = 0.02

Address = tuple[str, int]
logger = logging.getLogger(__name__)


class HttpOptions(msgspec.Struct, frozen=True):
    """How to serve over HTTP. `origins`: web pages that may call, such as ``https://example.org``; none by default.
    `certificate` and `key`: PEM files for TLS; the key may stand in the file of the certificate. `oauth`: the authorization
    server whose tokens are taken beside those of the home. `drain_seconds`: for calls under way, once a signal has come."""

    address: Address
    origins: tuple[str, ...] = ()
    certificate: Path | None = None
    key: Path | None = None
    oauth: OAuthOptions | None = None
    drain_seconds: float = 0.0

    def check(self) -> None:
        """Raises ValueError in words for what cannot be."""
        if self.key is not None and self.certificate is None:
            raise ValueError("--keyfile FILE belongs to a certificate: add --certfile FILE")
        if self.oauth is not None:
            self.oauth.check()
        for origin in self.origins:
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or not parts.hostname or origin != _plain(origin):
                raise ValueError(
                    f"--allow-origin {origin}: write the scheme, the host and the port if there is one, "
                    "such as https://example.org"
                )

    def tls(self) -> ssl.SSLContext | None:
        """What to encrypt with. Raises ValueError in words where the files do not serve."""
        if self.certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password="")
        except ssl.SSLError as error:
            what = (
                "the key is not that of the certificate"
                if "MISMATCH" in str(error)
                else "no certificate and key in PEM"
            )
            raise ValueError(f"--certfile {self.certificate}: {what}") from error
        except OSError as error:
            file = self.key if self.key is not None and self.certificate.is_file() else self.certificate
            raise ValueError(f"{file} cannot be read: {error.strerror or error}") from error
        return context


class Private(msgspec.Struct, frozen=True):
    """A server that is there for its own page: the `secret` that callers must send, whom `Host` and `Origin` must name besides, its
    `pages`, and who is told the address once it answers."""

    secret: str
    pages: tuple[Page, ...]
    is_serving: Callable[[str], None]


def _plain(origin: str) -> str:
    parts = urlsplit(origin)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def parse_address(text: str) -> Address:
    """``8000``, ``HOST:PORT``, ``:PORT`` or ``[IPv6]:PORT`` as host and port. Raises ValueError in words."""
    found = re.fullmatch(r"(?:(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]*)):)?(?P<port>\d{1,5})", text.strip())
    if found is None or int(found["port"]) > 65_535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, such as 127.0.0.1:8000")
    return found["six"] or found["host"] or "127.0.0.1", int(found["port"])


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
    try:
        listening = handed_over() if private is None else None
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    host, port = options.address if listening is None else listening.getsockname()[:2]
    resource = None if options.oauth is None else ProtectedResource(options.oauth, tokens)
    secret = os.environ.get(TOKEN, "") if private is None else private.secret
    verifier = Verifier(secret, tokens, is_closed=resource is not None or not is_local(host))
    if resource is None and not verifier.has_callers and not is_local(host):
        sys.stderr.write(
            f"{command}: {host} can be reached by others, so callers need a token\n"
            "Make one with `pif token create NAME`, for callers to send as `Authorization: Bearer …`; "
            f"or set {TOKEN} to a long secret; or serve 127.0.0.1:{port}.\n"
        )
        return 2
    try:
        context = options.tls()
    except ValueError as error:
        sys.stderr.write(f"{command}: {error}\n")
        return 2
    try:
        listening = listening or listen(host, port)
    except OSError as error:
        sys.stderr.write(f"{command}: cannot serve {host}:{port}: {error.strerror or error}\n")
        return 1
    tune()
    if monitoring is not None:
        observers = (*observers, *monitoring.observers)

    server = McpServer(groups, name=name, version=version, title=title, observers=observers, tracing=tracing)

    def build(made: MadeGroups) -> McpServer:
        return McpServer(
            made.groups, name=name, version=version, title=title, observers=observers, beside=server, meter=made.meter,
            tracing=tracing,
        )  # fmt: skip

    pages = () if monitoring is None else monitoring.pages(checks or {}, server.lanes, server.stopping)
    if private is not None:
        pages = (*pages, *private.pages)
    access = Access(verifier, options.origins, resource, always_names=private is not None)
    about: dict[str, object] = {
        "name": name,
        "title": title,
        "what": "a server of the Model Context Protocol (MCP) over streamable HTTP",
        "endpoint": PATH,
        "protocol_versions": [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS],
    }
    owner = PrincipalServer(server, HTTP_SESSIONS)
    servers = PrincipalServers(owner, groups_of, build)
    serving = _Serving(owner, servers, access, about, pages, context, options.drain_seconds, private)
    with listening:
        return with_room(lambda: asyncio.run(serving.run(listening, host, command)))


class _Serving:
    """One server over HTTP, from its first connection to its last."""

    def __init__(
        self,
        owner: PrincipalServer,
        servers: PrincipalServers,
        access: Access,
        about: dict[str, object],
        pages: Sequence[Page],
        tls: ssl.SSLContext | None,
        drain_seconds: float,
        private: Private | None = None,
    ) -> None:
        self._private = private
        self._drain_seconds = drain_seconds
        self._is_draining = False
        self._owner = owner
        self._servers = servers
        self._tls = tls
        self._limits = Limits(_room_for_connections())
        self._requests = Requests(
            servers, access, owner.server.stopping, about=about, pages=pages, envelope=owner.server.envelope(True),
            body_seconds=self._limits.seconds["body"],
        )  # fmt: skip
        app: ASGIApp = self._requests
        if access.origins:
            app = CORSMiddleware(
                app,
                access.origins,
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

    async def run(self, listening: socket.socket, host: str, command: str) -> int:
        """Serve until a signal comes; the exit status."""
        stopped = asyncio.Event()
        end_on_signals(stopped.set)
        async with self._owner.running():
            loop = asyncio.get_running_loop()
            accepting = await loop.create_server(
                self._connect,
                sock=listening,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else self._limits.seconds["head"],
            )
            shown = f"[{host}]" if ":" in host else host
            scheme = "http" if self._tls is None else "https"
            address = f"{scheme}://{shown}:{listening.getsockname()[1]}"
            if self._private is None:
                sys.stderr.write(f"{command}: {address}{PATH}\n")
                sys.stderr.flush()
            else:
                self._private.is_serving(address)
            gc.collect()
            gc.freeze()
            dating, looking = loop.create_task(self._date()), loop.create_task(self._look())
            await stopped.wait()
            accepting.close()
            await self._drain()
            await self._end()
            dating.cancel()
            looking.cancel()
        return 0

    def _connect(self) -> Connection:
        return Connection(self._config, self._state, self._limits)

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

        A connection is closed with its next answer, or where none is asked for soon. Streams are ended at the end, since they have none of
        their own.
        """
        if not self._drain_seconds:
            return
        self._is_draining = True
        self._owner.server.stopping.is_draining = True
        self._state.default_headers = self._headers()
        self._servers.end_streams()
        loop = asyncio.get_running_loop()
        now = loop.time()
        until, lingering = now + self._drain_seconds, now + LINGERING
        while self._state.connections and loop.time() < until:
            kept = [each for each in tuple(self._state.connections) if isinstance(each, Connection)]
            if all(each.is_stream for each in kept):
                return
            if loop.time() > lingering:
                for each in kept:
                    if each.is_idle:
                        each.shutdown()
            await asyncio.sleep(DRAIN_LOOK)

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
