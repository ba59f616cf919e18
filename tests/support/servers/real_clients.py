"""The SDK's client on a `pif serve` of its own: standard input and output or HTTP, both protocol generations."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, PATIENCE

WAYS = [(transport, mode) for transport in ("stdio", "http") for mode in ("legacy", MODERN)]
"""Transports with generations."""

ROOT = str(Path(__file__).parents[3])


@asynccontextmanager
async def connected(home: Path, transport: str, mode: str, **options: Any) -> AsyncIterator[Client]:
    """A client; `options` beginning with a field of `Settings` are the server's, those in `client` the client's."""
    of_client = options.pop("client", {})
    program, *arguments = command(home, **{"groups": "pif,theory", "more": True, **options})
    environment = {**os.environ, "PYTHONPATH": ROOT}
    async with asyncio.timeout(2 * PATIENCE):
        if transport == "stdio":
            parameters = StdioServerParameters(command=program, args=arguments, env=environment)
            with Path(os.devnull).open("w") as log:
                async with Client(stdio_client(parameters, errlog=log), mode=mode, **of_client) as client:
                    yield client
            return
        program, *arguments = command(
            home, **{"groups": "pif,theory", "more": True, "http": "127.0.0.1:0", **options}
        )
        process = subprocess.Popen([program, *arguments], stderr=subprocess.PIPE, text=True, env=environment)
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found is not None
            async with Client(found[0], mode=mode, **of_client) as client:
                yield client
        finally:
            process.terminate()
            process.wait(PATIENCE)
            if process.stderr is not None:
                process.stderr.close()


def converse(
    home: Path, way: tuple[str, str], talk: Callable[[Client], Awaitable[None]], **options: Any
) -> None:
    """Talk to a new server."""

    async def run() -> None:
        async with connected(home, *way, **options) as client:
            await talk(client)

    asyncio.run(run())
