"""Messages of clients: taken apart without a byte changed, or refused with the id they have."""

from __future__ import annotations

import json

import pytest

from registry.gateway.messages.requests import Refusal, Request, key_of, read_request, unexpected


def test_parts_are_the_bytes_that_were_sent() -> None:
    text = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a__b","arguments":{"n": 1.0e+2 ,"m":[]}}}'
    found = read_request(text)
    assert isinstance(found, Request)
    assert found.params == {"name": b'"a__b"', "arguments": b'{"n": 1.0e+2 ,"m":[]}'}
    assert (found.id, found.method, found.size) == (b"7", "tools/call", len(text))


def test_meta_stands_apart() -> None:
    found = read_request(b'{"jsonrpc":"2.0","id":"x","method":"ping","params":{"_meta":{"progressToken":5}}}')
    assert isinstance(found, Request)
    assert (found.params, found.meta) == ({}, {"progressToken": b"5"})


@pytest.mark.parametrize(
    "text",
    [
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","method":"ping"}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":1,"a":2}}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":{"b":1,"\\u0062":2}}}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\\ud800"}}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","more":1}',
        b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}',
        b'{"jsonrpc":"2.0","id":3,"method":5}',
        b'{"id":3,"method":"ping"}',
    ],
)
def test_what_is_unclear_is_refused_with_its_id(text: bytes) -> None:
    found = read_request(text)
    assert isinstance(found, Refusal)
    answer = json.loads(found.answer)
    assert answer["id"] == 3
    assert answer["error"]["code"] in (-32600, -32602)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":3,"method":"ping"}]', -32600),
        (b"3", -32600),
        (b"{", -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
    ],
)
def test_what_is_no_request_is_answered_without_one(text: bytes, code: int) -> None:
    found = read_request(text)
    assert isinstance(found, Refusal)
    answer = json.loads(found.answer)
    assert (answer["id"], answer["error"]["code"]) == (None, code)


def test_a_call_that_cannot_be_read_gets_a_result() -> None:
    text = b'{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"a","arguments":{"x":1,"x":2}}}'
    found = read_request(text)
    assert isinstance(found, Refusal)
    assert (found.answer, found.id) == (b"", b'"q"')
    assert "twice" in found.reason


@pytest.mark.parametrize(
    "text", [b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","method":"x","params":3}']
)
def test_answers_and_broken_notifications_call_for_nothing(text: bytes) -> None:
    assert read_request(text) is None


def test_deep_and_long_messages_are_refused() -> None:
    deep = b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":' + b"[" * 100 + b"]" * 100 + b"}}"
    found = read_request(deep)
    assert isinstance(found, Refusal)
    assert "nested" in json.loads(found.answer)["error"]["message"]
    long = b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"' + b"x" * 5_000_000 + b'"}}'
    assert isinstance(read_request(long), Refusal)


def test_ids_are_compared_by_their_values() -> None:
    assert key_of(b'"a"') == key_of(b'"\\u0061"')
    assert key_of(b"1") != key_of(b'"1"')


def test_unexpected_names_the_first_member_that_is_not_known() -> None:
    assert unexpected({"a": b"", "b": b""}, ("a",)) == "'b'"
    assert unexpected({"a": b""}, ("a",)) == ""
