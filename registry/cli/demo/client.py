"""A client for our own server, on the SDK's real one: what `pif demo` and tests talk to `pif serve` with.

This is the only part of the product that is a client, and it is small: start the server as a process, call tools,
see their answers as plain data. Nothing of the SDK's types leaves this module.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TextIO

import msgspec
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

__all__ = ["Connection", "Reply", "connected"]

PATIENCE = 60.0
"""Seconds to wait for one answer; the server itself answers before 50."""


class Reply(msgspec.Struct, frozen=True):
    """The answer of a call: the object, the text, and whether it is an error result."""

    structured: dict[str, Any]
    text: str
    is_error: bool


class Connection:
    """A session with a running server."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def server(self) -> str:
        """The server's name and version."""
        info = self._client.server_info
        return f"{info.name} {info.version}" if info is not None else "a server without a name"

    @property
    def protocol(self) -> str:
        """The protocol's version."""
        return str(self._client.protocol_version)

    async def tools(self) -> list[str]:
        """The names of the tools that are listed now."""
        listed = await self._client.list_tools(cache_mode="refresh")
        return [tool.name for tool in listed.tools]

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, listener: Callable[[str], None] | None = None
    ) -> Reply:
        """Call a tool; `listener` is told the message of each report."""

        async def report(progress: float, total: float | None, message: str | None) -> None:
            if listener is not None:
                listener(message or f"{progress:g}")

        try:
            result = await self._client.call_tool(
                name, dict(arguments), progress_callback=report if listener else None,
                read_timeout_seconds=PATIENCE,
            )  # fmt: skip
        except MCPError as error:
            raise ConnectionError(f"the server did not answer the call of {name}: {error.message}") from error
        text = "".join(block.text for block in result.content if block.type == "text")
        return Reply(result.structured_content or {}, text, bool(result.is_error))


@asynccontextmanager
async def connected(
    command: Sequence[str], *, environment: Mapping[str, str], diagnostics: TextIO
) -> AsyncIterator[Connection]:
    """Start a server and connect to it; what it writes to standard error goes to `diagnostics`.

    Raises ConnectionError where it cannot be started or does not answer.
    """
    program, *arguments = command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(environment))
    async with AsyncExitStack() as stack:
        try:
            client = await stack.enter_async_context(Client(stdio_client(parameters, errlog=diagnostics)))
        except (MCPError, OSError, ExceptionGroup) as error:
            raise ConnectionError(f"{program} did not become a server: {_reason(error)}") from error
        yield Connection(client)


def _reason(error: Exception) -> str:
    """The first cause as text; the SDK's task groups wrap it several times."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error.message if isinstance(error, MCPError) else str(error)
