"""A session of the SDK's client with a real `pif serve` that has the group `lean`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.servers.pif_server import command

PATIENCE = 60

MOCK = {"ARISTOTLE_MOCK": "true"}


class Said(msgspec.Struct, frozen=True):
    """An answer: the object, the text, whether it is an error."""

    data: dict[str, Any]
    text: str
    is_error: bool

    @property
    def status(self) -> str:
        return str(self.data["status"])

    @property
    def kind(self) -> str:
        return str(self.data["error"]["kind"])


class Talk:
    """A conversation."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, /, **arguments: Any) -> Said:
        result = await self.client.call_tool(tool, arguments)
        text = "".join(block.text for block in result.content if block.type == "text")
        data = result.structured_content or {}
        assert data["message"]
        assert None not in data.values()
        return Said(data, text, bool(result.is_error))


Conversing = Callable[[Callable[[Talk], Awaitable[None]]], None]


@asynccontextmanager
async def talking(
    home: Path,
    environment: Mapping[str, str],
    errors: Path | None = None,
    patience: int = PATIENCE,
    **options: Any,
) -> AsyncIterator[Talk]:
    program, *arguments = command(home, groups="lean", **options)
    own = {name: value for name, value in os.environ.items() if not name.startswith("ARISTOTLE")}
    whole = {**own, "PYTHONPATH": str(Path(__file__).parents[3]) + os.pathsep + own.get("PYTHONPATH", "")}
    parameters = StdioServerParameters(command=program, args=arguments, env={**whole, **environment})
    with (errors or Path(os.devnull)).open("a") as log:
        async with asyncio.timeout(patience), Client(stdio_client(parameters, errlog=log)) as client:
            yield Talk(client)


@contextmanager
def kept(home: Path, environment: Mapping[str, str], **options: Any) -> Iterator[Conversing]:
    """One server for many tests: what is yielded has a conversation with it."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(talking(home, environment, patience=600, **options)) as session,
    ):
        yield lambda talk: portal.call(talk, session)


def converse(
    home: Path, environment: Mapping[str, str], talk: Callable[[Talk], Awaitable[None]], **options: Any
) -> None:
    async def run() -> None:
        async with talking(home, environment, **options) as session:
            await talk(session)

    asyncio.run(run())
