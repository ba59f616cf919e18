"""MCP Apps: a client that declares the extension gets views; another sees nothing of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from registry.server.contract.group import Answer, Group, ToolSpec
from registry.server.groups.pif.tool_specs import TOOLS
from registry.server.mcp.apps import MIME_TYPE, VIEW, Apps
from registry.server.streams.generations import VIEWS
from tests.support.servers.raw_client import RawClient, demo

TAKES_PART = {"extensions": {VIEWS: {"mimeTypes": [MIME_TYPE]}}}


@contextmanager
def serving(home: Path, capabilities: dict[str, Any]) -> Iterator[tuple[RawClient, dict[str, Any]]]:
    """A real server, and what it said of itself to a client of these capabilities."""
    command = [
        sys.executable,
        "-m",
        "registry.cli.pif",
        "serve",
        "--home",
        str(home),
        "--groups",
        "pif,theory",
        "--more",
    ]
    with demo(command=command) as client:
        said = ask(
            client, 0, "initialize", protocolVersion="2025-11-25", capabilities=capabilities,
            clientInfo={"name": "t", "version": "1"},
        )  # fmt: skip
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield client, said


def ask(client: RawClient, number: int, method: str, **params: Any) -> Any:
    client.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    answer = client.answer_to(number)
    return answer.get("result", answer.get("error"))


def test_a_client_that_shows_views_gets_them(tmp_path: Path) -> None:
    with serving(tmp_path, TAKES_PART) as (client, said):
        assert VIEWS in said["capabilities"]["extensions"]
        tools = {each["name"]: each for each in ask(client, 1, "tools/list")["tools"]}
        uri = tools["evaluate"]["_meta"]["ui"]["resourceUri"]
        assert "_meta" not in tools["export"]
        assert uri in [each["uri"] for each in ask(client, 2, "resources/list")["resources"]]
        (document,) = ask(client, 3, "resources/read", uri=uri)["contents"]
        assert document["mimeType"] == MIME_TYPE
        assert "default-src &#x27;none&#x27;" in document["text"]
        assert "ui/initialize" in document["text"]
        answer = ask(
            client, 4, "tools/call", name="evaluate", arguments={"expression": "∀(x : ℤ). x * x > x"}
        )
        assert answer["structuredContent"]["status"] == "disproved"
        assert "✗ disproved" in answer["_meta"][VIEW]
        run = ask(client, 5, "tools/call", name="run", arguments={"code": {"add": [1, 2]}})
        assert "<code>3</code>" in run["_meta"][VIEW]
        wrong = ask(client, 6, "tools/call", name="run", arguments={"code": "<script>alert(1)</script>"})
        assert "<script" not in wrong["_meta"][VIEW]


@pytest.mark.parametrize("capabilities", [{}, {"extensions": {VIEWS: {}}}], ids=["none", "no types"])
def test_another_client_sees_nothing_of_them(tmp_path: Path, capabilities: dict[str, Any]) -> None:
    with serving(tmp_path, capabilities) as (client, said):
        assert VIEWS not in (said["capabilities"].get("extensions") or {})
        assert not [each for each in ask(client, 1, "tools/list")["tools"] if "_meta" in each]
        assert not [
            each for each in ask(client, 2, "resources/list")["resources"] if each["uri"].startswith("ui:")
        ]
        assert ask(client, 3, "resources/read", uri="ui://pif/verdict")["code"] == -32602
        run = ask(client, 4, "tools/call", name="run", arguments={"code": {"add": [1, 2]}})
        assert "_meta" not in run


def test_an_answer_is_not_lost_because_it_cannot_be_drawn(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(answer: object) -> None:
        raise RuntimeError("no view")

    class Tools(Group):
        name = "pif"

        def tools(self) -> tuple[ToolSpec, ...]:
            return TOOLS

    monkeypatch.setattr("registry.views.run.run_view", fails)
    apps = Apps([Tools()])
    assert apps.shown("run", Answer({"type": "value", "value": 3}, "3")) == {}
    assert "the view of an answer of run failed" in caplog.text
    assert apps.shown("list", Answer({"type": "tools", "tools": []}, "none"))[VIEW]
    assert apps.shown("export", Answer({"type": "exported"}, "")) == {}
