"""Attacks on a gateway by its clients: nothing reaches a server that was not judged, and as it was judged."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.policy.policy import load_policy
from kleis.policy.policy_file import Served
from kleis.theory.import_search import packaged_library
from registry.gateway.front.judging import Unjudgeable, arguments_of
from registry.gateway.messages.requests import Refusal, Request, read_request
from tests.support.gateway.fake_servers import FakeServer, Gate, request, tool, until

BELOW = """
define root = below("/srv/project")
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("files", "read", arguments, _, _) =>
        if is_text_of(get(arguments, "path"), root) then Allow else Deny("root", "read below /srv/project")
  | _ => Deny("default", "")
}
"""
ALLOWED = '"/srv/project/a"'
USUAL = '{"name":"files__read","arguments":{"path":"/srv/project/a"}}'


def files() -> FakeServer:
    return FakeServer("files", tools=[tool("read"), tool("write")])


async def sent_of(gate: Gate, text: bytes) -> list[Any]:
    """What reaches the servers because of a message, as any client's connection handles it."""
    said = read_request(text)
    if isinstance(said, Request) and said.id is not None:
        await gate.client.answer(said, gate.hears)
    return [each for server in gate.servers.values() for each in server.sent]


def calls(params: str) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params.encode()


@pytest.mark.parametrize(
    "params",
    [
        # one parser takes the first of two, another the last
        '{"name":"files__read","arguments":{"path":%s,"path":"/etc/passwd"}}',
        '{"name":"files__read","arguments":{"path":"/etc/passwd","path":%s}}',
        '{"name":"files__read","arguments":{"path":%s,"p\\u0061th":"/etc/passwd"}}',
        '{"name":"files__read","arguments":{"path":%s},"arguments":{"path":"/etc/passwd"}}',
        '{"name":"files__read","arguments":{"path":"/etc/passwd"},"argument\\u0073":{"path":%s}}',
        '{"name":"files__read","name":"files__write","arguments":{"path":%s}}',
        '{"name":"files__write","n\\u0061me":"files__read","arguments":{"path":%s}}',
        '{"name":"files__read","arguments":{"path":%s,"more":{"a":[{"b":1,"b":2}]}}}',
        # texts that are not what they seem
        '{"name":"files__read","arguments":{"path":"/srv/project/\\ud800"}}',
        '{"name":"files__read","arguments":{"path":%s,"x":"\\udc00\\ud800"}}',
        # numbers that parsers read differently
        '{"name":"files__read","arguments":{"path":%s,"n":NaN}}',
        '{"name":"files__read","arguments":{"path":%s,"n":-Infinity}}',
        '{"name":"files__read","arguments":{"path":%s,"n":1e400}}',
        '{"name":"files__read","arguments":{"path":%s,"n":0.10000000000000000555}}',
        '{"name":"files__read","arguments":{"path":%s,"n":[{"m":9007199254740993}]}}',
        '{"name":"files__read","arguments":{"path":%s,"n":01}}',
        # fields that nobody judges
        '{"name":"files__read","arguments":{"path":%s},"tool":"files__write"}',
        '{"name":"files__read","arguments":{"path":%s},"task":{}}',
        '{"name":"files__read","arguments":{"path":%s},"requestState":"x"}',
        # names that look like another, or hide one
        '{"name":"files__re\\u0430d","arguments":{"path":%s}}',
        '{"name":"files__read\\u200b","arguments":{"path":%s}}',
        '{"name":"FILES__read","arguments":{"path":%s}}',
        '{"name":"files__READ","arguments":{"path":%s}}',
        '{"name":"files__read\\u0000","arguments":{"path":%s}}',
        '{"name":" files__read","arguments":{"path":%s}}',
        '{"name":"read","arguments":{"path":%s}}',
        '{"name":["files__read"],"arguments":{"path":%s}}',
        # another kind of arguments
        '{"name":"files__read","arguments":[{"path":%s}]}',
        '{"name":"files__read","arguments":"{\\"path\\":\\"/srv/project/a\\"}"}',
        '[{"name":"files__read","arguments":{"path":%s}}]',
    ],
)  # fmt: skip
def test_what_two_readers_take_differently_reaches_nobody(params: str) -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=BELOW)
        assert await sent_of(gate, calls(params.replace("%s", ALLOWED))) == []
        assert len(await sent_of(gate, calls(USUAL))) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "message",
    [
        '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}]',
        '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"params":{"name":"files__read","arguments":{"path":%s}}}',
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}},"result":{}}',
        '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}',
        '{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}',
        '{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"files__read","arguments":{"path":%s}}}',
        '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__read","arguments":{"path":%s}}}',
    ],
)  # fmt: skip
def test_envelopes_that_are_none_carry_nothing(message: str) -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=BELOW)
        assert await sent_of(gate, message.replace("%s", ALLOWED).encode()) == []

    asyncio.run(scenario())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80)
@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_arguments_reach_a_server_as_they_were_judged_or_not_at_all(
    data: dict[str, Any], is_ascii: bool, indent: int | None
) -> None:
    raw = json.dumps(data, ensure_ascii=is_ascii, indent=indent).encode("utf-8", "surrogatepass")
    gate = Gate(files())
    found = read_request(calls('{"name":"files__read","arguments":%s}').replace(b"%s", raw))

    async def scenario() -> None:
        assert isinstance(found, Request)
        await gate.client.answer(found, gate.hears)

    if isinstance(found, Refusal):
        return
    asyncio.run(scenario())
    try:
        judged = arguments_of(raw, exact=False)
    except Unjudgeable:
        assert gate.server.sent == []
        return
    [(_, params)] = gate.server.sent
    assert params["arguments"] == raw
    assert judged == json.loads(raw, parse_float=lambda written: Fraction(Decimal(written)))


@pytest.mark.parametrize(
    "path",
    [
        "/srv/project/../secret", "/srv/project/..", "/srv/project/a/../../b", "/SRV/project/a", "/srv/project2/a",
        "/srv/project/%2e%2e/a", "/srv/project/..%2fa", "/srv/project/a\\..\\b", "/srv/project/./a", "/srv/project//a",
        "/srv/project/\u2025/a", "/srv/project/a\u0000", "/srv/project/a\n", " /srv/project/a", "srv/project/a", "~/a",
        "/srv/project/\uff0e\uff0e/a", "file:///srv/project/a", "/srv/project/a/", "//srv/project/a",
    ],
)  # fmt: skip
def test_paths_are_judged_by_their_letters(path: str) -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=BELOW)
        params = json.dumps({"name": "files__read", "arguments": {"path": path}})
        assert await sent_of(gate, calls(params)) == []

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t; DELETE FROM t", "SELECT a FROM t -- x", "SELECT a /* x */ FROM t", "SELECT load_extension('x')",
        "INSERT INTO t VALUES (1)", "SELECT a INTO OUTFILE 'x' FROM t", "PRAGMA writable_schema=1", "SELECT a FROM \"t\"",
        "SELECT a FROM t FOR UPDATE", "WITH x AS (DELETE FROM t) SELECT 1", "SELECT 'a\\'; DROP TABLE t; '", "seleCT 1;;",
    ],
)  # fmt: skip
def test_sql_that_is_not_one_query_is_no_reading(query: str) -> None:
    async def scenario() -> None:
        gate = Gate(FakeServer("sqlite", tools=[tool("read_query")]))
        gate.policies.now = _read_only()
        params = json.dumps({"name": "sqlite__read_query", "arguments": {"query": query}})
        assert await sent_of(gate, calls(params)) == []
        fine = json.dumps(
            {"name": "sqlite__read_query", "arguments": {"query": "SELECT a FROM t WHERE b = 'c'"}}
        )
        assert len(await sent_of(gate, calls(fine))) == 1

    asyncio.run(scenario())


@lru_cache
def _read_only() -> Served:
    library = packaged_library()
    assert library is not None
    return Served(load_policy(Path(library) / "policies" / "gateway_read_only.kleis"))


@pytest.mark.parametrize("hanging", ["start", "tools/list", "tools/call"])
def test_a_server_that_hangs_holds_no_other(hanging: str) -> None:
    async def scenario() -> None:
        slow = FakeServer("slow", tools=[tool("read")])
        slow.hangs.add(hanging)
        gate = Gate(files(), slow)
        held = asyncio.ensure_future(
            gate.client.answer(
                request("tools/call", b'{"name":"slow__read","arguments":{}}', number=b"9"), gate.hears
            )
        )
        await until(lambda: bool(slow.sent) or hanging != "tools/call")
        for _ in range(20):
            assert "isError" not in await gate.call("files__read")
        assert not held.done()
        await gate.client.close()

    asyncio.run(scenario())


def test_two_servers_cannot_take_each_others_names() -> None:
    async def scenario() -> None:
        first, second = (
            FakeServer("a", tools=[tool("b_c"), tool("_x")]),
            FakeServer("a-b", tools=[tool("c"), tool("a__b_c")]),
        )
        gate = Gate(first, second)
        names = [each.name for each in await gate.client.catalogue.all("tools")]
        assert len(set(names)) == 4
        for name in names:
            await gate.call(name)
        assert [json.loads(params["name"]) for _, params in first.sent] == ["b_c", "_x"]
        assert [json.loads(params["name"]) for _, params in second.sent] == ["c", "a__b_c"]

    asyncio.run(scenario())


def test_a_server_that_lists_one_name_twice_is_not_called_by_it() -> None:
    async def scenario() -> None:
        gate = Gate(
            FakeServer(
                "files", tools=[tool("read", annotations={"readOnlyHint": True}), tool("read"), tool("x")]
            )
        )
        assert (await gate.call("files__read"))["isError"] is True
        assert "isError" not in await gate.call("files__x")
        assert [json.loads(params["name"]) for _, params in gate.server.sent] == ["x"]

    asyncio.run(scenario())
