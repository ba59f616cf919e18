"""What members are told of their teams: changed lists and watched tools, at once for who changed something and soon for the others."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

from registry.access.teams import TeamFile
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token
from tests.support.servers.raw_client import PATIENCE

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
ADDRESS = "pif://tools/team/ops/square"


def test_members_are_told_and_nobody_else(tmp_path: Path) -> None:
    teams = TeamFile(tmp_path)
    teams.create("ops")
    teams.add("ops", "alice", "write")
    teams.add("ops", "bob", "read")
    with serving(tmp_path, groups="pif", more=True) as server:
        alice, bob, mallory = (Caller(server, token(tmp_path, name)) for name in ("alice", "bob", "mallory"))

        async def watched(caller: Caller, wanted: set[type], begun: asyncio.Event, told: list[Any]) -> None:
            async with (
                httpx2.AsyncClient(headers=caller.headers) as http,
                Client(streamable_http_client(server.url, http_client=http)) as client,
                client.listen(tools_list_changed=True, resource_subscriptions=[ADDRESS]) as stream,
            ):
                begun.set()
                async for event in stream:
                    told.append(event)
                    wanted.discard(type(event))
                    if not wanted:
                        return

        async def talk() -> None:
            begun = [asyncio.Event(), asyncio.Event()]
            bobs: list[Any] = []
            mallorys: list[Any] = []
            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
                wanted: set[type] = {ToolsListChanged, ResourceUpdated}
                bobs_task = group.create_task(watched(bob, wanted, begun[0], bobs))
                mallorys_task = group.create_task(watched(mallory, {types.Tool}, begun[1], mallorys))
                for each in begun:
                    await each.wait()
                made = await asyncio.to_thread(
                    alice.call, "evolve", name="team/ops/square", description="x", code=SQUARE
                )
                assert made["type"] == "tool"
                assert "team__ops__square" in await asyncio.to_thread(alice.tools)
                await bobs_task
                assert "team__ops__square" in await asyncio.to_thread(bob.tools)
                assert "team__ops__square" not in await asyncio.to_thread(mallory.tools)
                mallorys_task.cancel()
            assert mallorys == []

        asyncio.run(talk())
        shown = bob.ask("resources/read", {"uri": ADDRESS}, ADDRESS)
        assert '"team/ops/square"' in shown["contents"][0]["text"]
        templates = {each["uriTemplate"] for each in bob.ask("resources/templates/list")["resourceTemplates"]}
        assert {"pif://tools/team/{team}", "pif://tools/team/{team}/{name}"} <= templates

        def completed(caller: Caller, uri: str, argument: str, typed: str, **given: str) -> list[str]:
            asked = {
                "ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": argument, "value": typed},
                "context": {"arguments": given},
            }  # fmt: skip
            found: list[str] = caller.ask("completion/complete", asked)["completion"]["values"]
            return found

        of_team = "pif://tools/team/{team}/{name}"
        assert completed(bob, of_team, "team", "o") == ["ops"]
        assert completed(bob, of_team, "name", "sq", team="ops") == ["square"]
        assert completed(bob, "pif://tools/{name}", "name", "team/o") == ["team/ops/square"]
        assert (
            completed(mallory, of_team, "team", "o")
            == completed(mallory, of_team, "name", "sq", team="ops")
            == []
        )
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")
