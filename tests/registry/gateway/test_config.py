"""The servers of a file: what clients write is read, what is misspelt is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.gateway.config import ConfigError, read_config, read_config_file
from registry.gateway.upstream.protocol import Timeouts, UpstreamSettings


def _read(servers: Any, **environment: str) -> dict[str, UpstreamSettings]:
    return read_config(json.dumps({"mcpServers": servers}).encode(), environment, file="f.json")


def test_what_clients_write() -> None:
    found = _read(
        {
            "files": {
                "command": "npx",
                "args": ["-y", "server", "${HOME}/x"],
                "env": {"TOKEN": "${env:TOKEN}", "LEVEL": "${LEVEL:-low}"},
                "type": "stdio",
                "autoApprove": [],
            },
            "web-site": {"url": "https://h.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
            "off": {"command": "x", "disabled": True},
        },
        HOME="/home/u",
        TOKEN="s3cret",
    )
    files, web = found["files"], found["web-site"]
    assert files.args == ("-y", "server", "/home/u/x")
    assert files.env == {"TOKEN": "s3cret", "LEVEL": "low"}
    assert web.headers == {"Authorization": "Bearer s3cret"}
    assert found["off"].disabled
    assert "s3cret" not in repr(found)
    assert files.without_secrets("it is s3cret in /home/u") == "it is … in …"
    assert web.without_secrets("Bearer s3cret, s3cret") == "…, …"


def test_what_only_the_gateway_knows() -> None:
    own = {"exact": ["count"], "generation": "2026", "timeouts": {"call": 1.5, "idle": 60}}
    found = _read({"a": {"command": "x", "gateway": own}})["a"]
    assert (found.exact, found.generation) == (frozenset({"count"}), "2026")
    assert found.timeouts == Timeouts(call=1.5, idle=60.0)


WRONG: list[tuple[Any, str, str]] = [
    ({"a": {"comand": "x"}}, "mcpServers.a.comand: is no member", "did you mean command?"),
    ({"a": {}}, "mcpServers.a: has neither `command` nor `url`", "process"),
    ({"a": {"command": "x", "url": "http://h/"}}, "mcpServers.a: has both", "process"),
    ({"a": {"command": ""}}, "mcpServers.a.command: is empty", ""),
    ({"a": {"command": ["x"]}}, "mcpServers.a.command: a text", ""),
    ({"a": {"command": "x", "args": "y"}}, "mcpServers.a.args: a list", ""),
    ({"a": {"command": "x", "args": ["y", 1]}}, "mcpServers.a.args.1: a text", ""),
    ({"a": {"command": "x", "env": {"A": 1}}}, "mcpServers.a.env.A: a text", ""),
    ({"a": {"command": "x", "env": {"A": "${TOKE}"}}}, "mcpServers.a.env.A: the environment has no TOKE", "TOKEN"),
    ({"a": {"command": "x\0"}}, "mcpServers.a.command: holds a zero byte", ""),
    ({"a": {"command": "x", "headers": {}}}, "mcpServers.a.headers: means nothing", ""),
    ({"a": {"command": "x", "type": "http"}}, "mcpServers.a.type: http does not go with", ""),
    ({"a": {"command": "x", "disabled": 1}}, "mcpServers.a.disabled: true or false", ""),
    ({"a": {"url": "http://h/", "type": "sse"}}, "mcpServers.a.type: the transport of 2024", "streamable"),
    ({"a": {"url": "http://h/", "type": "htpp"}}, "mcpServers.a.type: is no kind", "did you mean http?"),
    ({"a": {"url": "ftp://h/"}}, "mcpServers.a.url: is no http:// or https://", ""),
    ({"a": {"url": "http://h:x/"}}, "mcpServers.a.url: is no http:// or https://", ""),
    ({"a": {"url": "http://h/\r\nX: 1"}}, "mcpServers.a.url: is no http:// or https://", ""),
    ({"a": {"url": "http://u:p@h/"}}, "mcpServers.a.url: holds a name or a password", "headers"),
    ({"a": {"url": "http://h/", "headers": {"A:": "1"}}}, "mcpServers.a.headers.A:: is no name", ""),
    ({"a": {"url": "http://h/", "headers": {"A": "1\r\nB: 2"}}}, "mcpServers.a.headers.A: its value", ""),
    ({"a": {"url": "http://h/", "headers": {"Mcp-Session-Id": "1"}}}, "mcpServers.a.headers.Mcp-Session-Id", ""),
    ({"a__b": {"command": "x"}}, "mcpServers.a__b: is no name", "single `_`"),
    ({"a_": {"command": "x"}}, "mcpServers.a_: is no name", ""),
    ({"": {"command": "x"}}, "mcpServers.: is no name", ""),
    ({"a" * 33: {"command": "x"}}, "is no name", "at most 32"),
    ({"a": {"command": "x"}, "A": {"command": "x"}}, "mcpServers.A: differs from a in the case", ""),
    ({"a": {"command": "x", "gateway": {"exat": []}}}, "mcpServers.a.gateway.exat", "did you mean exact?"),
    ({"a": {"command": "x", "gateway": {"generation": 2026}}}, "mcpServers.a.gateway.generation", ""),
    ({"a": {"command": "x", "gateway": {"timeouts": {"cal": 1}}}}, "mcpServers.a.gateway.timeouts.cal", "call"),
    ({"a": {"command": "x", "gateway": {"timeouts": {"call": 0}}}}, "mcpServers.a.gateway.timeouts.call", ""),
    ([], "mcpServers: an object", ""),
]  # fmt: skip


@pytest.mark.parametrize(("servers", "message", "hint"), WRONG, ids=[each[1][:60] for each in WRONG])
def test_what_is_wrong_is_refused_with_its_place(servers: Any, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _read(servers, TOKEN="s3cret")
    assert message in caught.value.message
    assert caught.value.message.startswith("f.json: ")
    assert hint in caught.value.hint
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "no-json"),
        (b'{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', "no-json"),
        (b"[]", "bad-config"),
        (b'{"mcpServer":{}}', "bad-config"),
    ],
)
def test_texts_that_are_none(text: bytes, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(text, {})
    assert caught.value.code == said


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    with pytest.raises(ConfigError, match=r"servers\.json cannot be read: No such file"):
        read_config_file(path)
    path.write_text('{"other": 1, "mcpServers": {"a": {"command": "x"}}}')
    assert list(read_config_file(path)) == ["a"]
