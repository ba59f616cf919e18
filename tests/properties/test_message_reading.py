"""Reading a message never raises, and what is read is what was written."""

from __future__ import annotations

import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pif.language.budget import reserve_stack
from registry.server.streams.messages import NESTING, Incoming, Rejection, Reply, encode_json, read_message

reserve_stack(4 * NESTING)  # as the server does; done within a test, Hypothesis would object

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**8192), 2**8192)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | VALUES,
        "id": st.integers() | st.text() | VALUES,
        "method": st.sampled_from(["tools/call", "ping", "notifications/cancelled"]) | VALUES,
        "params": st.dictionaries(st.text(), VALUES) | VALUES,
        "result": VALUES,
        "error": VALUES,
    },
)


@given(MEMBERS)
def test_any_object(members: dict[str, object]) -> None:
    said = read_message(json.dumps(members).encode())
    if isinstance(said, Rejection):
        answer = json.loads(encode_json(said.answer))
        assert answer["id"] is None or answer["id"] == members["id"]
    elif isinstance(said, Incoming):
        assert (said.method, said.params, said.id) == tuple(
            members.get(key) for key in ("method", "params", "id")
        )
    elif isinstance(said, Reply):
        assert said.id == members["id"]


@given(st.binary(max_size=200) | st.text(alphabet='[]{}",:\\0a1e.-ntu \n', max_size=200).map(str.encode))
def test_any_bytes(text: bytes) -> None:
    said = read_message(text)
    if isinstance(said, Rejection):
        assert json.loads(encode_json(said.answer))["error"]["code"] in (-32700, -32600)


@given(VALUES)
def test_arguments_pass_exactly(value: object) -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"value": value}})
    said = read_message(text.encode())
    assert isinstance(said, Incoming)
    assert said.params is not None
    assert repr(said.params["value"]) == repr(value)
    assert repr(json.loads(encode_json(said.params["value"]))) == repr(value)
    assert msgspec.json.decode(encode_json(said.params)) == {"value": value}


PLAIN = st.dictionaries(st.text(), LEAVES, min_size=1, max_size=5)


@given(PLAIN, st.data())
def test_plain_arguments_name_each_once(arguments: dict[str, object], data: st.DataObject) -> None:
    again = data.draw(st.sampled_from(sorted(arguments)))
    inner = json.dumps(arguments)
    message = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": %s}}'
    said = read_message((message % inner).encode())
    assert isinstance(said, Incoming)
    twice = f"{inner[:-1]}, {json.dumps(again)}: {data.draw(LEAVES.map(json.dumps))}}}"
    refused = read_message((message % twice).encode())
    assert isinstance(refused, Rejection)
    assert refused.answer["result"]["isError"]
