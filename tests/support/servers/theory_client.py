"""The SDK's real client on a real server with the group theory, for tests that are not asynchronous."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from registry.cli.demo.client import Connection, Reply, connected
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import PATIENCE

__all__ = ["TheoryClient", "theory_client"]


class TheoryClient:
    """A connection that lives in a thread of its own."""

    def __init__(self, home: Path, environment: Mapping[str, str], options: dict[str, Any]) -> None:
        self.home = home
        self._command = command(home, **{"groups": "theory", **options})
        self._environment = {**os.environ, **environment}
        self._ready: Future[Connection] = Future()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._live(),), daemon=True
        )
        self._thread.start()
        self.connection = self._ready.result(PATIENCE)

    async def _live(self) -> None:
        try:
            async with connected(
                self._command, environment=self._environment, diagnostics=sys.stderr
            ) as connection:
                self._ready.set_result(connection)
                await self._ended.wait()
        except ConnectionError as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    def reply(self, tool: str, /, **arguments: Any) -> Reply:
        """Call a tool."""
        call = self.connection.call(tool, arguments)
        return asyncio.run_coroutine_threadsafe(call, self._loop).result(2 * PATIENCE)

    def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its structured answer."""
        return self.reply(tool, **arguments).structured

    def tools(self) -> list[str]:
        """The names of the tools."""
        return asyncio.run_coroutine_threadsafe(self.connection.tools(), self._loop).result(PATIENCE)

    def close(self) -> None:
        """End the connection, and with it the server."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(PATIENCE)
        self._loop.close()


@contextmanager
def theory_client(
    home: Path, environment: Mapping[str, str] | None = None, **options: Any
) -> Iterator[TheoryClient]:
    """A client of a new server; `options` are fields of `Settings`."""
    client = TheoryClient(home, environment or {}, options)
    try:
        yield client
    finally:
        client.close()
