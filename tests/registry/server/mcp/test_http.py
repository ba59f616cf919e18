"""`pif serve --http` as a process: the SDK's client in both protocol generations, and raw requests.

See docs/reference/serving.md §3.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from registry.server.mcp.http_access import TOKEN
from registry.server.mcp.http_options import HttpOptions, parse_address
from registry.server.mcp.http_requests import BODY, NESTING
from tests.support.servers.http_server import HEADERS, Served, call, serving, started
from tests.support.servers.raw_client import MODERN, PATIENCE

MODES = ("legacy", MODERN)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("http")) as server:
        yield server


def converse(server: Served, mode: str, talk: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(server.url, mode=mode, **options) as client:
            await talk(client)

    asyncio.run(run())


# ── conversations ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", MODES)
def test_tools_are_listed_made_and_run(served: Served, mode: str) -> None:
    changes = asyncio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changes.set()

    async def talk(client: Client) -> None:
        assert {"evolve", "run"} <= {each.name for each in (await client.list_tools()).tools}
        name = f"twice_{mode.replace('-', '_')}"
        code = {"lam": "x", "body": {"mul": [2, {"var": "x"}]}}
        made = await client.call_tool("evolve", {"name": name, "description": "Twice", "code": code})
        assert made.structured_content is not None
        assert made.structured_content["version"] == 1
        ran = await client.call_tool(name, {"input": 2**8191 - 1})
        assert ran.structured_content is not None
        assert ran.structured_content["value"] == 2**8192 - 2
        refused = await client.call_tool("runn", {})
        assert refused.is_error
        if mode == "legacy":
            await asyncio.wait_for(changes.wait(), PATIENCE)
        assert name in {each.name for each in (await client.list_tools(cache_mode="refresh")).tools}

    converse(served, mode, talk, message_handler=note)


@pytest.mark.parametrize("mode", MODES)
def test_progress(served: Served, mode: str) -> None:
    seen: list[float] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        assert total == 500
        seen.append(done)

    async def talk(client: Client) -> None:
        n = {"var": "n"}
        code = {
            "if": {"cond": {"eq": [n, 0]}, "then": "done", "else": {"continue": {"input": {"sub": [n, 1]}}}}
        }
        await client.call_tool("evolve", {"name": "down", "description": "To zero", "code": code})
        asked = {"tool": "down", "input": 200, "drive": 500}
        answer = await client.call_tool("run", asked, progress_callback=note)
        assert answer.structured_content is not None
        assert answer.structured_content["value"] == "done"

    converse(served, mode, talk)
    assert seen
    assert seen == sorted(set(seen))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_too_deep_for_the_wire_is_whole_in_the_text(served: Served, mode: str) -> None:
    async def talk(client: Client) -> None:
        nested = "[" * 240 + "0" + "]" * 240
        answer = await client.call_tool("analyze", {"code": nested})
        found = answer.structured_content
        assert found is not None
        assert found["valid"] is True
        assert found["too_deep"]
        assert all(found[name] is None for name in found["too_deep"])
        block = answer.content[0]
        assert isinstance(block, types.TextContent)
        assert nested in block.text

    converse(served, mode, talk)


def test_clients_at_the_same_time(served: Served) -> None:
    async def one(number: int) -> Any:
        async with Client(served.url, mode=MODES[number % 2]) as client:
            answer = await client.call_tool("run", {"code": {"add": [number, 1]}})
            assert answer.structured_content is not None
            return answer.structured_content["value"]

    async def all_of_them() -> list[Any]:
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*map(one, range(20)))

    assert asyncio.run(all_of_them()) == list(range(1, 21))


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_request_is_answered(served: Served) -> None:
    status, answer = served.post(call("run", code={"add": [40, 2]}), **HEADERS)
    assert (status, answer["result"]["structuredContent"]["value"]) == (200, 42)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b'{"jsonrpc":', 400, "not JSON"),
        (b"\xff\xfe{}", 400, "not JSON"),
        (b"[]", 400, ""),
        (
            b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"n": 1e999}}',
            400,
            "range of a double",
        ),
        (b" " * (BODY + 1), 413, "at most"),
    ],
)
def test_bodies_that_are_no_request(served: Served, body: bytes, status: int, said: str) -> None:
    found, answer = served.post(body, **HEADERS)
    assert found == status
    assert said in answer["error"]["message"]


def test_calls_that_standard_input_refuses_too(served: Served) -> None:
    torn = call("run", code="SURROGATE").replace(b"SURROGATE", rb"\ud800")
    status, answer = served.post(torn, **HEADERS)
    assert status == 200
    assert answer["result"]["structuredContent"]["error"]["kind"] == "parse_error"
    nested: Any = 0
    for _ in range(NESTING):
        nested = [nested]
    status, answer = served.post(call("run", code=nested), **HEADERS)
    assert status == 200
    error = answer["result"]["structuredContent"]["error"]
    assert error["kind"] == "term_too_deep"
    assert "as its text" in error["message"]


def test_web_pages_cannot_reach_it(served: Served) -> None:
    body = call("run", code=1)
    assert served.post(body, **HEADERS, Host="evil.example")[0] == 421
    assert served.post(body, **HEADERS, Origin="http://evil.example")[0] == 403
    assert served.post(body, **HEADERS, Origin=f"http://localhost:{served.port}")[0] == 200


def test_a_token_is_asked_of_everybody(tmp_path: Path) -> None:
    body = call("run", code=7)
    with serving(tmp_path, token="a secret é") as server:
        for wrong, said in (
            ({}, TOKEN),
            ({"Authorization": "Bearer a secret"}, "not valid"),
            ({"Authorization": "Bearer "}, TOKEN),
        ):
            status, answer = server.post(body, **HEADERS, **wrong)
            assert status == 401
            assert said in answer["error"]["message"]
        right = "Bearer a secret é".encode().decode("latin-1")
        status, answer = server.post(body, **HEADERS, Authorization=right)
        assert (status, answer["result"]["structuredContent"]["value"]) == (200, 7)


def test_the_sdk_client_with_a_token(tmp_path: Path) -> None:
    async def talk(url: str) -> Any:
        headers = {"Authorization": "Bearer secret"}
        async with (
            asyncio.timeout(PATIENCE),
            httpx2.AsyncClient(headers=headers) as carrier,
            Client(streamable_http_client(url, http_client=carrier)) as client,
        ):
            answer = await client.call_tool("run", {"code": {"add": [1, 1]}})
            assert answer.structured_content is not None
            return answer.structured_content["value"]

    with serving(tmp_path, token="secret") as server:
        assert asyncio.run(talk(server.url)) == 2


# ── starting and ending ──────────────────────────────────────────────────────────────────────────────────────


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def test_others_are_not_served_without_a_token(tmp_path: Path) -> None:
    status, said = ended(started(tmp_path, "0.0.0.0:0"))
    assert status == 2
    assert TOKEN in said


def test_an_address_in_use_and_none_at_all(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, said = ended(started(tmp_path, str(taken.getsockname()[1])))
    assert status == 1
    assert "in use" in said
    status, said = ended(started(tmp_path, "localhost:http"))
    assert status == 2
    assert "write HOST:PORT" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as server:
        assert server.post(call("run", code=1), **HEADERS)[0] == 200
        server.process.send_signal(number)
        assert server.ended() == (0, "")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8000", ("127.0.0.1", 8000)),
        (":8000", ("127.0.0.1", 8000)),
        ("localhost:80", ("localhost", 80)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),
        ("[::1]:9", ("::1", 9)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "host", "host:", "1.2.3.4:70000", "::1:80", "a:b:1", "http://a:1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="is no address"):
        parse_address(text)


@pytest.mark.parametrize("origin", ["https://example.org", "http://localhost:3000", "https://[::1]:8"])
def test_origins(origin: str) -> None:
    HttpOptions(("", 0), (origin,)).check()


@pytest.mark.parametrize(
    "origin", ["*", "example.org", "https://a/", "https://a/b", "null", "https://u@a", "HTTPS://a"]
)
def test_what_is_no_origin(origin: str) -> None:
    with pytest.raises(ValueError, match="write the scheme, the host"):
        HttpOptions(("", 0), (origin,)).check()
