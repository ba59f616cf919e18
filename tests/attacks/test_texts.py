"""Texts that try to break the decoding: deep, wide, long, or not JSON at all, as arguments of a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.servers.pif_server import PifClient, pif_server

MEMORY = 400 * 2**20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    home: Path = tmp_path_factory.mktemp("home")
    with pif_server(home) as client:
        yield client
        assert client.memory() < MEMORY


def kind(found: dict[str, Any]) -> str:
    assert found["type"] == "error", str(found)[:500]
    error_kind = found["error"]["kind"]
    assert isinstance(error_kind, str)
    return error_kind


@pytest.mark.parametrize("parameter", ["code", "input"])
@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, '{"not":' * 1_000_000, "[" * 1_000_000 + "]" * 1_000_000, '{"head":[' * 500_000],
    ids=["open arrays", "open objects", "closed arrays", "mixed"],
)
def test_a_million_levels(server: PifClient, parameter: str, text: str) -> None:
    arguments: dict[str, Any] = {"code": {"lam": "x", "body": {"var": "x"}}, parameter: text}
    assert kind(server.ask("run", **arguments)) in ("parse_error", "term_too_deep")
    assert server.lives()


def test_a_message_nested_a_million_deep(server: PifClient) -> None:
    deep = b"[" * 1_000_000 + b"]" * 1_000_000
    head = b'{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"run","arguments":{"code":'
    writing = server.write_aside(head + deep + b"}}}\n")
    refused = server.answer_to("deep")["result"]
    writing.join()
    assert refused["isError"]
    assert kind(refused["structuredContent"]) == "term_too_deep"
    assert server.lives()


def left_deep(nodes: int) -> str:
    return '{"add":[' * nodes + "1" + ",1]}" * nodes


def test_a_left_deep_term_of_100000_nodes(server: PifClient) -> None:
    assert kind(server.ask("run", code=left_deep(100_000))) == "term_too_deep"
    assert kind(server.ask("evolve", name="deep", description="", code=left_deep(100_000))) == "term_too_deep"
    assert kind(server.ask("analyze", code=left_deep(100_000))) == "term_too_deep"
    assert server.lives()


def test_the_deepest_term_allowed_runs_and_one_more_is_refused(server: PifClient) -> None:
    assert server.ask("run", code=left_deep(399))["value"] == 400
    assert kind(server.ask("run", code=left_deep(400))) == "term_too_deep"
    many = {"let": {f"x{i}": i for i in range(401)}, "in": 1}
    assert kind(server.ask("run", code=many)) == "term_too_deep"
    assert kind(server.ask("run", code={"app": [{"lam": "x", "body": 1}, *[1] * 401]})) == "term_too_deep"


def test_strings_of_ten_megabytes(server: PifClient) -> None:
    text = "x" * 10_000_000
    identity = {"lam": "x", "body": {"length": {"var": "x"}}}
    assert kind(server.ask("run", code=identity, input=text)) == "value_too_large"
    assert kind(server.ask("run", code=identity, input=text, data=True)) == "value_too_large"
    assert kind(server.ask("run", code=[text])) == "value_too_large"
    assert kind(server.ask("run", code=text)) == "parse_error"
    assert kind(server.ask("evolve", name="t", description=text, code=1)) == "invalid_argument"
    assert server.lives()


def test_the_longest_string_allowed(server: PifClient) -> None:
    identity = {"lam": "x", "body": {"length": {"var": "x"}}}
    assert server.ask("run", code=identity, input="x" * 1_048_576, fuel=100_000)["value"] == 1_048_576
    assert kind(server.ask("run", code=identity, input="x" * 1_048_577, fuel=100_000)) == "value_too_large"


def test_strings_in_strings_in_strings(server: PifClient) -> None:
    text = "7"
    for _ in range(16):
        text = msgspec.json.encode(text).decode()
    assert server.ask("run", code={"lam": "x", "body": {"var": "x"}}, input=text)["value"] == 7


@pytest.mark.parametrize("digits", [2_467, 4_299, 4_301, 100_000])
def test_integers_of_many_digits(server: PifClient, digits: int) -> None:
    number = "9" * digits
    identity = {"lam": "x", "body": {"var": "x"}}
    assert kind(server.ask("run", code=f"[{number}]")) == "value_too_large"
    assert kind(server.ask("run", code=identity, input=f"[{number}]")) == "value_too_large"
    assert server.ask("run", code=identity, input=number, fuel=100_000)["value"] == number
    assert server.lives()


def test_an_object_with_a_hundred_thousand_keys(server: PifClient) -> None:
    wide = {f"k{i}": i for i in range(100_000)}
    assert kind(server.ask("run", code=wide)) == "parse_error"
    assert kind(server.ask("run", code={"lam": "x", "body": 1}, input=wide)) == "out_of_fuel"
    found = server.ask(
        "run", code={"lam": "x", "body": {"length": {"keys": {"var": "x"}}}}, input=wide, fuel=5_000_000
    )
    assert found["value"] == 100_000
