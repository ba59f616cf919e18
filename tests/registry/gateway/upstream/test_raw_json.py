"""JSON as bytes: what is accepted every parser reads alike, and is handed on as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.gateway.upstream.generations import result_for
from registry.gateway.upstream.raw_json import (
    UnsoundJson,
    checked,
    elements,
    joined,
    members,
    on_one_line,
    text_of,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)

UNSOUND = {
    b'{"a":1,"a":2}': "duplicate-field",
    b'[{"x":{"a":1,"\\u0061":2}}]': "duplicate-field",
    b'{"a":"\\ud800"}': "lone-surrogate",
    b'{"\\udc00":1}': "lone-surrogate",
    b'"\\ud800\\ud800\\udc00"': "lone-surrogate",
    b'"\\ud800\\\\\\udc00"': "lone-surrogate",
    b'"\\udc00\\ud800"': "lone-surrogate",
    b'"\xed\xa0\x80"': "not-utf-8",
    b'"\xff"': "not-utf-8",
    b"\xef\xbb\xbf{}": "no-json",
    b"NaN": "no-number",
    b'{"a":-Infinity}': "no-number",
    b"[1,]": "no-json",
    b"{'a':1}": "no-json",
    b"01": "no-json",
    b"+1": "no-json",
    b".5": "no-json",
    b'"a\nb"': "no-json",
    b'"\\x"': "no-json",
    b"{} {}": "no-json",
    b"\x0c1": "no-json",
    "\u00a01".encode(): "no-json",
    b"": "no-json",
    b"[" * 65 + b"]" * 65: "too-deep",
    b"[" * 100_000: "too-deep",
    b'{"a":' * 65 + b"1" + b"}" * 65: "too-deep",
    b"[" + b"1," * 1_100_000 + b"1]": "too-many-values",
    b'"' + b"x" * 4_000_000 + b'"': "too-long",
}


@pytest.mark.parametrize("text", UNSOUND, ids=lambda text: repr(text[:30]))
def test_what_two_parsers_may_read_differently_is_refused(text: bytes) -> None:
    with pytest.raises(UnsoundJson) as caught:
        checked(text, depth=64, size=4_000_000)
    assert caught.value.code == UNSOUND[text]


@pytest.mark.parametrize(
    "text",
    [
        b'"\\ud83d\\ude00\\\\ud800"',
        b'"\\\\ud800"',
        b" [1.0E+2 ,-0.0, 1e999]\n",
        b"9" * 6_000,
        b"[" * 64 + b"]" * 64,
        b'"' + b"[" * 100 + b'"',
    ],
)
def test_what_all_read_alike_is_accepted(text: bytes) -> None:
    assert checked(text, depth=64, size=10_000) is text


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_an_object_taken_apart_and_joined_is_the_same(
    data: dict[str, Any], indent: int | None, ascii_only: bool
) -> None:
    text = checked(json.dumps(data, indent=indent, ensure_ascii=ascii_only).encode(), depth=64, size=10**6)
    parts = members(text)
    assert list(parts) == list(data)
    assert all(value in text for value in parts.values())
    assert json.loads(joined(parts)) == data == json.loads(on_one_line(text))
    assert b"\n" not in on_one_line(text)


@given(st.lists(VALUES, max_size=5))
def test_an_array_taken_apart(data: list[Any]) -> None:
    assert [json.loads(each) for each in elements(json.dumps(data, indent=1).encode())] == data


@given(st.binary(max_size=60) | st.text(alphabet='{}[]",:\\ud8c0an1eE+-. \n', max_size=40).map(str.encode))
def test_what_is_accepted_another_parser_reads(text: bytes) -> None:
    try:
        checked(text, depth=64, size=1_000)
    except UnsoundJson:
        return
    again = json.dumps(json.loads(text, parse_float=str, parse_int=str), ensure_ascii=False)
    again.encode()  # no half of a pair is left


@pytest.mark.parametrize("read", [members, elements, text_of])
def test_another_kind_of_value_is_refused(read: Any) -> None:
    with pytest.raises(UnsoundJson):
        read(b"1")


def test_a_result_of_the_older_generation_for_clients_of_the_newer() -> None:
    older = b'{"content": [ ],"n":1.0}'
    assert result_for("2025", "tools/call", older) is older
    newer = result_for("2026", "tools/call", older)
    assert newer == b'{"content":[ ],"n":1.0,"resultType":"complete"}'
    listed = json.loads(result_for("2026", "tools/list", b'{"tools":[],"ttlMs":5}'))
    assert listed == {"tools": [], "ttlMs": 5, "resultType": "complete", "cacheScope": "private"}


def test_a_result_of_the_newer_generation_for_clients_of_the_older() -> None:
    newer = (
        b'{"resultType":"complete","tools":[{"n":1.0}],"ttlMs":5,"cacheScope":"private",'
        b'"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"},"a/b":1.0}}'
    )
    assert result_for("2025", "tools/list", newer) == b'{"tools":[{"n":1.0}],"_meta":{"a/b":1.0}}'
    assert result_for("2026", "tools/list", newer) is newer
