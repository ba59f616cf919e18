"""Results under the gateway's names, in the form of a client's generation; instructions of many servers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.gateway.messages.instructions import LONGEST, merged
from registry.gateway.messages.replies import Form, denial
from registry.gateway.messages.rewriting import with_addresses

INFO = {"name": "g", "version": "1"}


@pytest.mark.parametrize(
    ("method", "result", "expected"),
    [
        (
            "tools/call",
            b'{"content":[{"type":"resource_link","uri":"a:b","n":1.0},{"type":"text","text":"\\"uri\\": a:b"}],"x":1e2}',
            b'{"content":[{"type":"resource_link","uri":"s+a:b","n":1.0},{"type":"text","text":"\\"uri\\": a:b"}],"x":1e2}',
        ),
        (
            "tools/call",
            b'{"content":[{"type":"resource","resource":{"uri":"ui://v","text":""}}],"structuredContent":{"uri":"a:b"}}',
            b'{"content":[{"type":"resource","resource":{"uri":"ui://s+v","text":""}}],"structuredContent":{"uri":"a:b"}}',
        ),
        (
            "resources/read",
            b'{"contents":[{"uri":"a:b","blob":"AA=="}]}',
            b'{"contents":[{"uri":"s+a:b","blob":"AA=="}]}',
        ),
        (
            "prompts/get",
            b'{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"a:b"}}}]}',
            b'{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"s+a:b"}}}]}',
        ),
        ("completion/complete", b'{"uri":"a:b"}', b'{"uri":"a:b"}'),
        ("tools/call", b'{"content":"no list","uri":3}', b'{"content":"no list","uri":3}'),
    ],
)
def test_addresses_change_and_nothing_else(method: str, result: bytes, expected: bytes) -> None:
    assert with_addresses(method, result, "s") == expected


def test_a_result_has_the_form_of_its_clients_generation() -> None:
    of_2026 = b'{"content":[],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"x"},"a":1}}'
    older = json.loads(Form(INFO, is_modern=False).result(b"1", "tools/call", of_2026))["result"]
    assert older == {"content": [], "_meta": {"a": 1}}
    newer = json.loads(Form(INFO, is_modern=True).result(b"1", "resources/read", b'{"contents":[]}'))[
        "result"
    ]
    assert (newer["resultType"], newer["ttlMs"], newer["cacheScope"]) == ("complete", 0, "private")
    assert newer["_meta"]["io.modelcontextprotocol/serverInfo"] == INFO
    again = json.loads(Form(INFO, is_modern=True).result(b"1", "tools/call", of_2026))["result"]
    assert again["_meta"] == {"io.modelcontextprotocol/serverInfo": INFO, "a": 1}


def test_a_denial_says_rule_reason_and_hint_and_fits_any_output_schema() -> None:
    found = json.loads(
        denial(rule="root", reason="DENIED by root", hint="read below /srv", problem="the file is broken")
    )
    assert found["isError"] is True
    assert "structuredContent" not in found
    assert found["content"][0]["text"].split("\n") == [
        "❌ DENIED by root", "Rule: root", "Hint: read below /srv", "the file is broken",
    ]  # fmt: skip
    about = found["_meta"]["pif/gateway"]
    assert (about["denied"], about["decision"], about["rule"]) == (True, "deny", "root")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=8), st.text(max_size=4_000), max_size=12))
def test_instructions_stay_within_what_clients_read(servers: dict[str, str]) -> None:
    assert len(merged(servers)) <= LONGEST


def test_short_instructions_are_whole_and_long_ones_share_the_rest() -> None:
    text = merged({"a": "short one", "b": "y" * 5_000, "c": ""})
    assert "[a]\nshort one" in text
    assert "Servers: a, b, c" in text
    assert "[c]" not in text
    assert text.endswith("y…")
    assert len(text) == LONGEST
