"""Composition, the library and graphs through MCP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.servers.pif_server import PifClient, pif_server

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PifClient]:
    with pif_server(tmp_path / "home", groups="pif") as client:
        yield client


def tool_names(server: PifClient) -> set[str]:
    server.send({"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": {}})
    return {tool["name"] for tool in server.answer_to("tools")["result"]["tools"]}


def error(result: dict[str, Any]) -> dict[str, Any]:
    assert result["isError"], result
    found: dict[str, Any] = result["structuredContent"]["error"]
    return found


def test_compose_derive_and_replace(server: PifClient) -> None:
    server.ask("evolve", name="square", description="", code=SQUARE)
    server.ask(
        "evolve", name="fourth", description="", compose=["square", "square"],
        examples=[{"input": 2, "output": 16}],
    )  # fmt: skip
    assert server.ask("run", code="fourth", input=3)["value"] == 81
    by = {"tool": "square", "by": "differentiate"}
    assert server.ask("evolve", name="slope", description="", transform=by)["derived_from"] == "square@1"
    refused = error(server.call("a", "evolve", name="square", description="", code={"var": "x"}))
    assert (refused["kind"], refused["tool"]) == ("example_failed", "fourth@1")
    forced = server.ask("evolve", name="square", description="", code={"var": "x"}, force=True)
    assert forced["users"][0]["broken"][0]["found"] == "2"
    assert server.ask("analyze", code="square", aspects=["users"])["users"][0]["name"] == "fourth"


def test_wrong_ways_to_make_a_tool(server: PifClient) -> None:
    assert error(server.call("a", "evolve", name="x", description=""))["kind"] == "invalid_argument"
    both = error(server.call("b", "evolve", name="x", description="", code=1, compose=["map"]))
    assert both["kind"] == "invalid_argument"
    assert error(server.call("c", "evolve", name="x", description="", compose="map"))["path"] == "/compose"
    assert (
        "by"
        in error(server.call("d", "evolve", name="x", description="", transform={"tool": "map"}))["message"]
    )


def test_the_library_is_called_and_found_but_not_listed(server: PifClient) -> None:
    assert server.ask("run", code="gcd", input=4)["kind"] == "function"
    assert server.ask("run", code={"app": ["gcd", 12, 18]})["value"] == 6
    found = server.ask("list", query="greatest common divisor")
    assert found["tools"] == []
    assert "std.gcd" in {tool["name"] for tool in found["library"]}
    assert server.ask("list", library=True, limit=5)["total"] > 200
    assert not {name for name in tool_names(server) if "gcd" in name or name.startswith("std.")}


def test_the_graph_is_a_resource(server: PifClient) -> None:
    server.ask("evolve", name="square", description="", code=SQUARE)
    server.send({"jsonrpc": "2.0", "id": "g", "method": "resources/read", "params": {"uri": "pif://graph"}})
    (content,) = server.answer_to("g")["result"]["contents"]
    assert content["mimeType"] == "image/svg+xml"
    assert ">square<" in content["text"]
    assert msgspec.json.encode(content)
