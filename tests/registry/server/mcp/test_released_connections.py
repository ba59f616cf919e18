"""A connection that is left to another process: its answers have been sent, and the next process waits as for any kept one."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from registry.server.mcp.http_connection import Connection, Limits

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Kept:
    """What keeps connections: it says which were released."""

    def __init__(self) -> None:
        self.released: list[int] = []

    def add(self, connection: socket.socket) -> int:
        return 0

    def note(self, slot: int, state: str) -> None: ...

    def asked(self, slot: int, number: bytes = b"") -> None: ...

    def remove(self, slot: int) -> None: ...

    def release(self, slot: int) -> None:
        self.released.append(slot)


def test_a_connection_is_left_only_when_its_answer_is_sent() -> None:
    async def run() -> None:
        state, kept = ServerState(), Kept()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"6")]})
            await send({"type": "http.response.body", "body": b"answer"})
            for each in tuple(state.connections):  # in the turn in which the answer was written
                each.release()  # type: ignore[union-attr]

        config = uvicorn.Config(app, ws="none", lifespan="off", log_level="error", access_log=False)
        config.load()
        client, server = socket.socketpair()
        client.setblocking(False)
        server.setblocking(False)
        loop = asyncio.get_running_loop()
        limits = Limits(10, kept)  # type: ignore[arg-type]
        with client:
            _, made = await loop.connect_accepted_socket(lambda: Connection(config, state, limits), server)
            await loop.sock_sendall(client, REQUEST)
            said = b""
            async with asyncio.timeout(10):
                while b"answer" not in said:
                    part = await loop.sock_recv(client, 65_536)
                    assert part, f"the connection ended after {said!r}"
                    said += part
            assert not kept.released
            made.release()
            assert kept.released == [0]

    asyncio.run(run())


@pytest.mark.parametrize("given", [False, True])
def test_a_connection_from_another_process_is_a_kept_one(given: bool) -> None:
    async def run() -> None:
        async def app(scope: Any, receive: Any, send: Any) -> None: ...

        config = uvicorn.Config(app, ws="none", lifespan="off", log_level="error", access_log=False)
        config.load()
        client, server = socket.socketpair()
        server.setblocking(False)
        loop = asyncio.get_running_loop()
        with client:
            _, made = await loop.connect_accepted_socket(
                lambda: Connection(config, ServerState(), Limits(10), was_used=given), server
            )
            assert made.is_idle is given
            made.drop()

    asyncio.run(run())
