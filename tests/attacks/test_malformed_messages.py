"""Malformed JSON-RPC, over standard input and over HTTP: texts that are no JSON, no message, or no message of MCP.

After each the server answers a good request. `PIF_EXAMPLES=10000` tries as many of each.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.servers.http_server import answer_of, call, hasty, posted
from tests.support.servers.raw_client import RawClient, initialize, modern, ready
from tests.support.servers.raw_client import call as older_call

MEMORY = 250_000_000
"""Of a server, at its most."""

PROPER = {200, 202, 400, 404}

# ── what is sent ─────────────────────────────────────────────────────────────────────────────────────────────

GOOD: list[dict[str, Any]] = [
    older_call(1, "echo", {"value": [1, {"a": "b"}]}),
    modern(older_call(2, "echo", {"value": 5, "fuel": 3, "style": "loud"})),
    {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
    modern({"jsonrpc": "2.0", "id": "four", "method": "resources/read", "params": {"uri": "demo://tools"}}),
    {"jsonrpc": "2.0", "id": 5, "method": "ping"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
    initialize(6),
]

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10),
    st.sampled_from([10**400, "\ud800", "2.0", "tools/call", "echo", "__proto__", 1e308, -0.0, "\x00"]),
)  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=8,
)
keys = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "name",
        "arguments",
        "_meta",
        "uri",
        "cursor",
        "requestId",
    ]
)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """A good message with members changed, taken away or put in."""
    message = json.loads(json.dumps(draw(st.sampled_from(GOOD))))
    for _ in range(draw(st.integers(1, 3))):
        inside = [message, *(each for each in message.values() if isinstance(each, dict))]
        place = draw(st.sampled_from(inside))
        key = draw(st.one_of(keys, st.sampled_from([*place, "x"])))
        if draw(st.booleans()):
            place.pop(key, None)
        else:
            place[key] = draw(values)
    return json.dumps(message).encode()


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """The text of a good message with bytes changed, taken away or put in."""
    text = json.dumps(draw(st.sampled_from(GOOD))).encode()
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(text)))
        put = draw(st.one_of(st.binary(max_size=5), st.sampled_from(PIECES)))
        text = text[:place] + put + text[place + draw(st.integers(0, 10)) :]
    return text


PIECES = [b"[" * 300, b"{" * 300, b"]", b"}", b'"', b"\\", b"\\ud800", b"NaN", b"1e999", b"-", b"\xff", b"\xed\xa0\x80", b"\x00",
          b"9" * 5_000, b",", b":", b"//", b"\xef\xbb\xbf", b"[[" * 600, b'"id":1,', b'"method":"ping",']  # fmt: skip

malformed = st.one_of(
    messages(), texts(), values.map(lambda value: json.dumps(value).encode()), st.binary(max_size=200),
    st.lists(st.sampled_from(GOOD), max_size=3).map(lambda batch: json.dumps(batch).encode()),
)  # fmt: skip


def is_answer(message: Any) -> bool:
    """Whether that is an answer or a notification of JSON-RPC, without a trace of the server's inside."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "Traceback" in json.dumps(message):
        return False
    return "method" in message or ("result" in message) != ("error" in message)


# ── standard input ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def lines() -> Iterator[RawClient]:
    with ready() as client:
        yield client
        assert client.is_alive()
        assert client.memory() < MEMORY
        client.end_input()
        assert client.wait() == 0
        assert b"Traceback" not in client.errors


@given(text=malformed)
@example(text=b"")
@example(text=b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
@example(text=b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"fail"}}')
def test_standard_input(lines: RawClient, text: bytes) -> None:
    lines.write(text.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
    lines.send(older_call("good", "echo", {"value": "here"}))
    while True:
        message = json.loads(lines.line())  # which may repeat half of a surrogate pair
        assert is_answer(message), message
        if message.get("id") == "good":
            assert message["result"]["structuredContent"]["value"] == "here"
            return


# ── HTTP ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def requests() -> Iterator[Any]:
    with hasty() as server, server.connect() as connection:
        status, headers, _ = server.request("POST", "/mcp", json.dumps(initialize(1)).encode())
        assert status == 200
        yield connection, headers["Mcp-Session-Id"]
        assert server.memory() < MEMORY
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")  # and nothing was logged


@given(text=malformed, is_modern=st.booleans())
@example(text=b"", is_modern=True)
@example(text=b"[]", is_modern=False)
def test_http(requests: Any, text: bytes, is_modern: bool) -> None:
    connection, session = requests
    headers = {} if is_modern else {"MCP_Protocol_Version": "2025-11-25", "Mcp_Session_Id": session}
    connection.sendall(posted(text, **headers) + posted(call("echo", value="here")))
    status, fields, body = answer_of(connection)
    assert status in PROPER, body
    if fields.get("transfer-encoding") == "chunked":
        chunk = b""
        while not chunk.endswith(b"0\r\n\r\n"):
            chunk += connection.recv(1)
        body = chunk.partition(b"data: ")[2].partition(b"\r\n")[0]
    if body:
        assert is_answer(json.loads(body)), body
    status, _, body = answer_of(connection)
    assert status == 200
    assert msgspec.json.decode(body)["result"]["structuredContent"]["value"] == "here"
