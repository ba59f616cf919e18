"""Texts to requests, notifications, replies and errors; answers to texts."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
import pytest

from registry.server.contract.group import Answer
from registry.server.streams.messages import (
    NESTING,
    TEXT_LIMIT,
    VALUES,
    Incoming,
    Rejection,
    Reply,
    Unencodable,
    encode_json,
    encode_message,
    oversized,
    read_message,
    tool_result,
)


def read(text: str | bytes) -> Any:
    return read_message(text.encode() if isinstance(text, str) else text)


def refused(text: str | bytes) -> dict[str, Any]:
    said = read(text)
    assert isinstance(said, Rejection), said
    return said.answer


def call(value: str, number: str = "7") -> str:
    return (
        '{"method":"tools/call","params":{"name":"echo","arguments":{"value":'
        + value
        + '}},"jsonrpc":"2.0","id":'
        + number
        + "}"
    )


def call_refused(value: str | bytes) -> dict[str, Any]:
    """The error object of a call that is refused by a tool result."""
    text = value if isinstance(value, bytes) else call(value)
    answer = refused(text)
    assert answer["id"] == 7
    assert answer["result"]["isError"] is True
    error = answer["result"]["structuredContent"]["error"]
    assert error["message"] in answer["result"]["content"][0]["text"]
    return dict(error)


def test_requests_and_notifications() -> None:
    text = '{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}'
    assert read(text) == Incoming("m", {"x": 1}, "a", len(text))
    assert read('{"jsonrpc":"2.0","method":"m"}').id is None


@pytest.mark.parametrize("number", ["0", "-1", '"x"', '""', "123456789012345678901234567890"])
def test_ids_are_kept(number: str) -> None:
    assert read('{"jsonrpc":"2.0","id":' + number + ',"method":"m"}').id == json.loads(number)


def test_replies() -> None:
    assert read('{"jsonrpc":"2.0","id":1,"result":{"a":1}}') == Reply(1, {"a": 1}, None)
    assert read('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}').error == {
        "code": 1,
        "message": "x",
    }
    for wrong in ('{"id":null,"result":{}}', '{"id":1,"result":5}', '{"id":true,"error":{}}', '{"error":1}'):
        assert read(wrong) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "{",
        '{"jsonrpc":"2.0","id":1,"method":"m"',
        '{"jsonrpc":"2.0","id":1,"method":"m"}}',
        "{'id':1}",
        '{"id":NaN}',
        '{"id":Infinity}',
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
        '{"jsonrpc":"2.0","id":1,"method":"m"}'.encode("utf-16"),
        '{"a":"\n"}',
        '{"a":01}',
        "nul",
    ],
)
def test_what_is_not_json(text: str | bytes) -> None:
    answer = refused(text)
    assert answer["error"]["code"] == -32700
    assert answer["id"] is None
    assert "line 1" in answer["error"]["message"] or "line 2" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("[]", None),
        ('[{"jsonrpc":"2.0","id":1,"method":"m"}]', None),
        ("5", None),
        ("null", None),
        ('"text"', None),
        ("{}", None),
        ('{"jsonrpc":"2.0","id":4}', 4),
        ('{"id":4,"method":"m"}', 4),
        ('{"jsonrpc":"1.0","id":"x","method":"m"}', "x"),
        ('{"jsonrpc":"2.0","id":4,"method":5}', 4),
        ('{"jsonrpc":"2.0","id":null,"method":"m"}', None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"m"}', 1.5),
        ('{"jsonrpc":"2.0","id":true,"method":"m"}', None),
        ('{"jsonrpc":"2.0","id":[1],"method":"m"}', None),
    ],
)
def test_what_is_no_request(text: str, number: Any) -> None:
    answer = refused(text)
    assert answer["error"]["code"] == -32600
    assert answer["id"] == number


def test_params_that_are_no_object() -> None:
    answer = refused('{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}')
    assert (answer["error"]["code"], answer["id"]) == (-32602, 1)
    assert read('{"jsonrpc":"2.0","method":"m","params":[1]}') is None


# nesting and size


def test_nesting_up_to_the_limit_is_read() -> None:
    inside = NESTING - 3
    said = read(call("[" * inside + "]" * inside))
    value = said.params["arguments"]["value"]
    for _ in range(inside - 1):
        (value,) = value
    assert value == []


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("levels", [NESTING - 2, 100_000])
def test_nesting_beyond_the_limit(opening: str, closing: str, levels: int) -> None:
    error = call_refused(opening * levels + "1" + closing * levels)
    assert error["kind"] == "term_too_deep"
    assert str(NESTING) in error["message"]


def test_nesting_is_refused_whatever_the_recursion_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000_000)
    try:
        assert call_refused("[" * 1_000_000 + "]" * 1_000_000)["kind"] == "term_too_deep"
    finally:
        sys.setrecursionlimit(before)


def test_the_id_of_what_is_too_deep() -> None:
    deep = "[" * 2_000 + "]" * 2_000
    first = '{"jsonrpc":"2.0","id":"q","method":"tools/list","params":{"x":' + deep + "}}"
    assert (refused(first)["id"], refused(first)["error"]["code"]) == ("q", -32600)
    decoy = '{"params":{"id":1,"x":' + deep + '},"note":",\\"id\\":2,","id":3,"method":"m","jsonrpc":"2.0"}'
    assert refused(decoy)["id"] == 3
    cut = '{"jsonrpc":"2.0","id":5,"method":"m","params":{"x":' + "[" * 2_000
    assert refused(cut)["id"] == 5
    assert refused("[" * 5_000)["id"] is None
    assert read('{"jsonrpc":"2.0","method":"m","params":{"x":' + deep + "}}") is None


def test_brackets_in_strings_do_not_nest() -> None:
    text = "[" * 5_000 + '\\"' + "{" * 5_000
    said = read(call('"' + text + '"'))
    assert said.params["arguments"]["value"] == json.loads('"' + text + '"')


def test_too_many_values() -> None:
    error = call_refused("[" + "0," * VALUES + "0]")
    assert error["kind"] == "value_too_large"
    assert read(call('"' + "," * (VALUES + 1) + '"')).id == 7


def test_oversized_messages_keep_their_id() -> None:
    assert (
        oversized(b'{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"x":"yyy', 10).answer["id"] == 12
    )
    assert oversized(b'{"method":"tools/call","params":{"id":3,"x":"yyy', 10).answer["id"] is None
    assert oversized(b"[[[[", 10).answer == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "the message is larger than 10 bytes"},
    }


# numbers and strings


@pytest.mark.parametrize(
    "value",
    [
        0,
        1,
        -1,
        2**63,
        -(2**63) - 1,
        2**64,
        10**30,
        2**8192 - 1,
        -(2**8192) + 1,
        10**4299,
        1.5,
        -0.0,
        5e-324,
        1e308,
    ],
)
def test_numbers_pass_exactly(value: int | float) -> None:
    said = read(call(json.dumps(value)))
    got = said.params["arguments"]["value"]
    assert (type(got), repr(got)) == (type(value), repr(value))
    assert json.loads(encode_json(got)) == value


def test_integers_beyond_what_python_converts_stay_larger_than_every_limit() -> None:
    for sign in ("", "-"):
        got = read(call(sign + "7" * 5_000)).params["arguments"]["value"]
        assert got.bit_length() > 20_000
        assert (got < 0) == (sign == "-")


@pytest.mark.parametrize("value", ["1e400", "-1e400", '[1,{"a":[0,1e999]}]'])
def test_numbers_beyond_double_range(value: str) -> None:
    error = call_refused(value)
    assert error["kind"] == "parse_error"
    assert error["path"] == ("/value" if value[0] != "[" else "/value/1/a/1")


def test_lone_surrogates() -> None:
    assert call_refused('"a\\ud800"')["path"] == "/value"
    assert call_refused('{"\\udfff":1}')["kind"] == "parse_error"
    assert read(call('"\\ud83d\\ude00"')).params["arguments"]["value"] == "\U0001f600"


def test_what_cannot_be_written() -> None:
    for value in (object(), 1 << 20_000, {1, object()}):
        with pytest.raises(Unencodable):
            encode_json({"value": value})
        assert json.loads(encode_message({"id": 3, "result": value})) == {
            "jsonrpc": "2.0",
            "id": 3,
            "error": {"code": -32603, "message": "the answer cannot be written as JSON"},
        }


def test_lone_surrogates_are_written_as_escapes() -> None:
    sealed = {"text": "\ud800", "sealed": msgspec.Raw(b'{"a":[1,"\\udfff"]}')}
    assert json.loads(encode_json(sealed)) == {"text": "\ud800", "sealed": {"a": [1, "\udfff"]}}


def test_deep_answers_are_written() -> None:
    value: list[Any] = []
    for _ in range(600):
        value = [value]
    assert encode_json(value) == b"[" * 601 + b"]" * 601


def test_long_text_is_cut_with_a_note() -> None:
    whole = "x" * TEXT_LIMIT
    assert tool_result(Answer({}, whole), {})["content"][0]["text"] == whole
    text = tool_result(Answer({}, whole + "y", rest="Ask for page 2."), {})["content"][0]["text"]
    assert len(text) == TEXT_LIMIT
    assert text.endswith("Ask for page 2.]")
    assert "20,001 characters" in text
