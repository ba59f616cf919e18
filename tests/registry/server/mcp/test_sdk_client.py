"""The SDK's real client, in both protocol generations, against the server as a process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.servers.raw_client import DEMO, MODERN, PATIENCE

MODES = ("legacy", MODERN)


def converse(mode: str, talk: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    root = str(Path(__file__).parents[4])
    parameters = StdioServerParameters(
        command=sys.executable, args=[str(DEMO)], env={**os.environ, "PYTHONPATH": root}
    )

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(parameters, mode=mode, **options) as client:
            await talk(client)

    asyncio.run(run())


@pytest.mark.parametrize("mode", MODES)
def test_tools(mode: str) -> None:
    async def talk(client: Client) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools][:2] == ["echo", "wait_for_cancel"]
        answer = await client.call_tool("echo", {"value": {"n": 2**8192 - 1, "s": "é"}})
        assert answer.structured_content == {
            "value": {"n": 2**8192 - 1, "s": "é"},
            "fuel": 10,
            "style": "plain",
        }
        assert not answer.is_error
        refused = await client.call_tool("ecko", {})
        assert refused.is_error
        assert isinstance(refused.content[0], types.TextContent)
        assert "did you mean `echo`" in refused.content[0].text.lower()

    converse(mode, talk)


@pytest.mark.parametrize("mode", MODES)
def test_progress(mode: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total))

    async def talk(client: Client) -> None:
        answer = await client.call_tool("count", {"steps": 30}, progress_callback=note)
        assert answer.structured_content == {"done": 30}

    converse(mode, talk)
    assert seen[-1] == (30, 30)


@pytest.mark.parametrize("mode", MODES)
def test_giving_up_cancels_the_work(mode: str) -> None:
    async def talk(client: Client) -> None:
        begun = asyncio.Event()

        async def note(done: float, total: float | None, message: str | None) -> None:
            begun.set()

        task = asyncio.create_task(client.call_tool("wait_for_cancel", {}, progress_callback=note))
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        while True:
            status = await client.call_tool("status", {})
            assert status.structured_content is not None
            if status.structured_content["cancelled"] == 1:
                return

    converse(mode, talk)


def test_list_changed_on_the_older_protocol() -> None:
    told = asyncio.Event()

    async def listen(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async def talk(client: Client) -> None:
        await client.call_tool("add_tool", {"name": "extra"})
        await told.wait()
        assert (await client.list_tools()).tools[-1].name == "extra"

    converse("legacy", talk, message_handler=listen)


def test_list_changed_on_the_newer_protocol() -> None:
    async def talk(client: Client) -> None:
        async with client.listen(tools_list_changed=True) as changes:
            await client.call_tool("add_tool", {"name": "extra"})
            async for _ in changes:
                break
        assert (await client.list_tools()).tools[-1].name == "extra"

    converse(MODERN, talk)


@pytest.mark.parametrize("mode", MODES)
def test_resources(mode: str) -> None:
    async def talk(client: Client) -> None:
        assert [resource.uri for resource in (await client.list_resources()).resources] == ["demo://tools"]
        read = await client.read_resource("demo://tools/count")
        assert isinstance(read.contents[0], types.TextResourceContents)
        assert read.contents[0].text == "count"
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("demo://nothing")

    converse(mode, talk)
