"""The gateway's process over HTTP: socket, TLS, access, signals, the end.

Who may call is what decides for `pif serve --http`: the tokens of the home, the secret of the environment, an authorization
server; heads and bodies pass the same checks (`registry.server.mcp.http_requests`).
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable, Mapping
from email.utils import formatdate
from functools import partial
from typing import Any

import uvicorn
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from kleis.policy.calls import Principal
from registry.access.principals import Principal as Caller
from registry.access.tokens import TokenFile
from registry.access.verifier import Verifier
from registry.gateway.front.gateway import Gateway
from registry.gateway.serving.http_clients import HttpClients
from registry.gateway.upstream.envelopes import SERVER_INFO
from registry.server.calls.stopping import SECONDS, Stopping, end_on_signals
from registry.server.mcp.http_access import TOKEN, Access, is_local
from registry.server.mcp.http_connection import HEAD_BYTES, Connection, Limits
from registry.server.mcp.http_options import HttpOptions
from registry.server.mcp.http_requests import METHODS, Requests
from registry.server.mcp.http_server import CONNECTIONS
from registry.server.mcp.http_sessions import PATH
from registry.server.mcp.listening import Accepting
from registry.server.mcp.oauth import ProtectedResource
from registry.server.streams.generations import MODERN, OLDER

__all__ = ["HttpServing", "Identities"]

LOOK = 0.5
"""Seconds between two looks for tokens that are not valid any more."""

Identities = Callable[[Caller, bool], Principal]
"""Who a caller is to the policy; the second is whether the server is open: whoever reaches it is let in."""

logger = logging.getLogger(__name__)


class _Door:
    """What answers one caller."""

    def __init__(self, clients: HttpClients, who: Principal) -> None:
        self._clients = clients
        self._who = who

    @property
    def server(self) -> _Door:
        return self

    @property
    def door(self) -> _Door:
        return self

    def required_scope(self, method: str, params: Any) -> str | None:
        """None: what a scope allows is the policy's to say."""
        return None

    async def answer(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        credential: str = "",
        /,
    ) -> None:
        await self._clients.answer(scope, headers, receive, send, self._who, credential)


class _Doors:
    """What answers all callers. After `stop`, none."""

    def __init__(self, clients: HttpClients, identities: Identities, verifier: Verifier) -> None:
        self._clients = clients
        self._identities = identities
        self._verifier = verifier

    async def of(self, principal: Caller) -> _Door:
        is_open = not principal.credential and self._verifier.is_open
        return _Door(self._clients, self._identities(principal, is_open))

    async def end_sessions_of(self, principal: Caller) -> None:
        await self._clients.end_sessions_of(principal.credential)


class HttpServing:
    """One gateway over HTTP, from its first connection to its last. Make it on the event loop."""

    def __init__(
        self, gateway: Gateway, options: HttpOptions, tokens: TokenFile, identities: Identities, host: str
    ) -> None:
        """`host`: what the listening socket is bound to. Raises ValueError where the certificate does not serve."""
        self._clients = HttpClients(
            lambda key, who, is_modern: gateway.client(key, who, is_modern=is_modern),
            gateway.info,
            gateway.forwarding.refused,
        )
        secret = os.environ.get(TOKEN, "")
        verifier = Verifier(secret, tokens, is_closed=options.oauth is not None or not is_local(host))
        protected = None if options.oauth is None else ProtectedResource(options.oauth, tokens)
        self._stopping = Stopping()
        self._limits = Limits(CONNECTIONS)
        self._tls: ssl.SSLContext | None = options.tls()
        self._requests = Requests(
            _Doors(self._clients, identities, verifier),
            Access(verifier, options.origins, protected),
            self._stopping,
            about=_about(gateway.info),
            envelope={"resultType": "complete", "_meta": {SERVER_INFO: dict(gateway.info)}},
            body_seconds=self._limits.seconds["body"],
        )
        app: ASGIApp = self._requests
        if options.origins:
            shown = ["Mcp-Session-Id", "WWW-Authenticate"]
            app = CORSMiddleware(app, options.origins, METHODS, allow_headers=["*"], expose_headers=shown)
        self._config = uvicorn.Config(
            app, ws="none", lifespan="off", log_level="error", access_log=False, proxy_headers=False,
            server_header=False, h11_max_incomplete_event_size=HEAD_BYTES,
        )  # fmt: skip
        self._config.load()
        self._state = ServerState()
        self._making: set[asyncio.Task[None]] = set()

    async def run(self, listening: socket.socket, said: str) -> None:
        """Serve until a signal comes; `said` is written to standard error when it begins."""
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        end_on_signals(stopped.set)
        self._state.default_headers = _headers()
        accepting = Accepting(listening, self._take)
        sys.stderr.write(said)
        sys.stderr.flush()
        gc.collect()
        gc.freeze()
        looking = loop.create_task(self._look())
        await stopped.wait()
        accepting.close()
        await self._end()
        looking.cancel()

    def _take(self, accepted: socket.socket) -> None:
        accepted.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._connected(accepted))
        self._making.add(task)
        task.add_done_callback(self._making.discard)

    async def _connected(self, accepted: socket.socket) -> None:
        made = partial(Connection, self._config, self._state, self._limits)
        seconds = None if self._tls is None else self._limits.seconds["head"]
        try:
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(made, accepted, ssl=self._tls, ssl_handshake_timeout=seconds)
        except (OSError, ssl.SSLError):
            accepted.close()

    async def _look(self) -> None:
        """Let nobody stay whose token is not valid any more, and keep the header `Date` true."""
        while True:
            await asyncio.sleep(LOOK)
            self._state.default_headers = _headers()
            try:
                await self._requests.end_revoked()
            except Exception:
                logger.exception("the end of revoked tokens' requests failed")

    async def _end(self) -> None:
        """Answer what is under way, close streams and connections."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + SECONDS
        self._stopping.stop()
        self._clients.end_streams()
        for connection in tuple(self._state.connections):
            connection.shutdown()
        while (self._state.connections or self._clients.has_calls) and loop.time() < deadline:
            await asyncio.sleep(0.02)
        await self._clients.close()
        for connection in tuple(self._state.connections):
            connection.transport.abort()
        tasks = tuple(self._state.tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=SECONDS / 4)


def _headers() -> list[tuple[bytes, bytes]]:
    return [(b"date", formatdate(usegmt=True).encode())]


def _about(info: Mapping[str, Any]) -> dict[str, object]:
    """What `GET /` says."""
    return {
        "name": info["name"],
        "title": info["title"],
        "what": "a gateway to servers of the Model Context Protocol (MCP) over streamable HTTP",
        "endpoint": PATH,
        "protocol_versions": [*OLDER, MODERN],
    }
