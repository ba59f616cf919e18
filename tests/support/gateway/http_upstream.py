"""An HTTP upstream whose every byte a test decides: it is given the requests, and writes what it likes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from registry.gateway.upstream.pool import Pool
from registry.gateway.upstream.protocol import Limits, Notification, Timeouts, UpstreamSettings
from registry.gateway.upstream.running import RunningUpstream

__all__ = ["Asked", "Handler", "answered", "by_http", "event", "head", "initialized", "serving"]

TIMEOUTS = Timeouts(start=20, call=20, close=5)


@dataclass(frozen=True)
class Asked:
    """One request, and where to write what it gets."""

    method: str
    headers: dict[str, str]
    body: Any
    writer: asyncio.StreamWriter

    @property
    def id(self) -> int:
        number: int = self.body["id"]
        return number

    @property
    def rpc(self) -> str | None:
        """The method of the message."""
        return self.body.get("method") if isinstance(self.body, dict) else None

    def write(self, data: bytes) -> None:
        self.writer.write(data)


Handler = Callable[[Asked], Awaitable[None]]


def head(status: int, **headers: str) -> bytes:
    """A status line and headers; the connection ends with the answer."""
    lines = [f"HTTP/1.1 {status} Said", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def answered(asked: Asked, result: Any, status: int = 200, **headers: str) -> bytes:
    """A whole answer in JSON."""
    body = json.dumps({"jsonrpc": "2.0", "id": asked.id, "result": result}).encode()
    return head(status, content_type="application/json", content_length=str(len(body)), **headers) + body


def event(message: Any, **fields: str) -> bytes:
    lines = [f"{name}: {value}" for name, value in fields.items()]
    return "\n".join([*lines, f"data: {json.dumps(message)}", "", ""]).encode()


def initialized(asked: Asked, session: str = "s-1") -> bytes | None:
    """The answers of an older server to the handshake, and to what it has not; None for everything else."""
    if asked.method == "GET":
        return head(405, content_length="0")
    if asked.method == "DELETE" or asked.rpc == "notifications/initialized":
        return head(202, content_length="0")
    if asked.rpc == "server/discover":
        return head(400, content_length="0")
    if asked.rpc == "initialize":
        said = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "h"}}
        return answered(asked, said, mcp_session_id=session)
    return None


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """The address of a server that hands its requests to a handler."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(each.lower().split(": ", 1) for each in lines[1:] if each)
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            asked = Asked(lines[0].split(" ")[0], headers, json.loads(body) if body else None, writer)
            await handler(asked)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the gateway went
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
    finally:
        server.close()


@asynccontextmanager
async def by_http(
    handler: Handler, on_notification: Callable[[Notification], None] | None = None, **changes: Any
) -> AsyncIterator[tuple[Pool, RunningUpstream]]:
    """A pool with a server in front of a handler, and its upstream of the key `k`."""
    async with serving(handler) as url:
        settings = UpstreamSettings(
            "web", url=url, **{"timeouts": TIMEOUTS, "limits": Limits(message=100_000), **changes}
        )
        pool = Pool([settings])
        try:
            yield pool, await pool.get("web", "k", on_notification)
        finally:
            await pool.close()
