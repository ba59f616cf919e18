"""The server over streamable HTTP: `pif serve --http HOST:PORT` (docs/reference/serving.md §3).

The SDK has the protocol, uvicorn the sockets.  What is here is what neither does: every body is read by our own reader
before the SDK sees it, so that numbers, nesting and size are rejected as on standard input; whoever may call is checked;
and the process ends as a command does.

Invariants
----------
- Only this machine can call, unless there is a token in `PIF_HTTP_TOKEN`: a server that others reach is not started
  without one. With a token every request needs it, from this machine too.
- Without a token a request must name this machine in `Host` and `Origin`, so that no web page can reach the server.
- A body is at most `BODY` bytes, and at most `NESTING` levels deep: the SDK's own limit, told in words.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pif.run.stack_room import with_room
from registry.server.contract.group import Group
from registry.server.mcp.mcp_server import McpServer
from registry.server.mcp.stdio_server import tune
from registry.server.streams.messages import (
    INVALID_REQUEST,
    Rejection,
    check_body,
    encode_message,
    protocol_error,
)

__all__ = ["BODY", "NESTING", "PATH", "TOKEN", "Address", "parse_address", "serve_http"]

PATH = "/mcp"

TOKEN = "PIF_HTTP_TOKEN"
"""The environment variable with the secret that callers send as ``Authorization: Bearer …``."""

BODY = 4 * 1024 * 1024
"""Bytes of one request."""

NESTING = 180
"""Levels of JSON in a request; the SDK gives up silently a little above. A term that is deeper goes as its text."""

GRACE = 5
"""Seconds that calls under way have to end when the server is stopped."""

Address = tuple[str, int]


def parse_address(text: str) -> Address:
    """``8000``, ``HOST:PORT``, ``:PORT`` or ``[IPv6]:PORT`` as host and port. Raises ValueError in words."""
    found = re.fullmatch(r"(?:(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]*)):)?(?P<port>\d{1,5})", text.strip())
    if found is None or int(found["port"]) > 65_535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, such as 127.0.0.1:8000")
    return found["six"] or found["host"] or "127.0.0.1", int(found["port"])


def serve_http(groups: Sequence[Group], address: Address, *, name: str, version: str, title: str = "") -> int:
    """Serve until interrupted; returns the exit status. What goes wrong at the start is said on standard error."""
    host, port = address
    token = os.environ.get(TOKEN, "")
    if not token and not _is_local(host):
        sys.stderr.write(
            f"pif serve: {host} can be reached by others, so callers need a token\n"
            f"Set {TOKEN} to a long secret that they send as `Authorization: Bearer …`, or serve 127.0.0.1:{port}.\n"
        )
        return 2
    try:
        listening = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=128
        )
    except OSError as error:
        sys.stderr.write(f"pif serve: cannot serve {host}:{port}: {error.strerror or error}\n")
        return 1
    tune()
    server = McpServer(groups, name=name, version=version, title=title)
    with listening:
        return with_room(lambda: asyncio.run(_serve(server, listening, host, token)))


async def _serve(answering: McpServer, listening: socket.socket, host: str, token: str) -> int:
    app = _Door(answering.http_app(PATH, BODY, guarded=not token), token)
    config = uvicorn.Config(
        app, log_level="warning", lifespan="on", timeout_graceful_shutdown=GRACE, server_header=False
    )
    server = _Server(config)
    status = 0

    def stop(number: int) -> None:
        nonlocal status
        status = 128 + number
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"pif serve: http://{shown}:{listening.getsockname()[1]}{PATH}\n")
    sys.stderr.flush()
    async with answering.open():
        await server.serve(sockets=[listening])
    return status


class _Server(uvicorn.Server):
    """Signals are `_serve`'s: uvicorn's own handling would end the process before the groups are closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Door:
    """What every request passes: the token, and our own reading of the body."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode() if token else b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._expected and not self._is_known(scope):
            said = protocol_error(None, INVALID_REQUEST, f"this server needs the token of its {TOKEN}")
            await _answer(send, 401, said, (b"www-authenticate", b"Bearer"))
            return
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            return  # the caller has gone
        rejected = (
            Rejection(protocol_error(None, INVALID_REQUEST, f"a request has at most {BODY:,} bytes"))
            if len(body) > BODY
            else check_body(body, NESTING)
        )
        if rejected is not None:
            status = 413 if len(body) > BODY else 200 if "result" in rejected.answer else 400
            await _answer(send, status, rejected.answer)
            return
        await self._app(scope, _again(body, receive), send)

    def _is_known(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)


async def _body(receive: Receive) -> bytes | None:
    """The body, or its first bytes where it is too long; None if the caller went away before it was whole."""
    parts: list[bytes] = []
    size = 0
    while size <= BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """The same body once more, then what comes after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


async def _answer(send: Send, status: int, said: dict[str, object], *headers: tuple[bytes, bytes]) -> None:
    body = encode_message(said)
    fixed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})
