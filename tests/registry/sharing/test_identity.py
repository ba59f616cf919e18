"""Equal identity is equal meaning: of code, of all that its names stand for, of circles."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import pytest

from pif.language.decode import decode_term
from pif.language.terms import term_text
from registry.errors import RegistryError
from registry.records import ToolRecord, content_hash
from registry.sharing.identity import Identities
from tests.support.files.publications import calling

ONE = {"lam": "x", "body": 1}
TWO = {"lam": "x", "body": 2}


def record(reference: str, code: Any) -> ToolRecord:
    name, _, version = reference.partition("@")
    text = term_text(decode_term(code))
    return ToolRecord(name, int(version or 1), "", text, content_hash(text), (), "")


def identity(tools: dict[str, Any], name: str) -> str:
    records = {each: record(each, code) for each, code in tools.items()}
    return Identities(records.get).of(records[name])


def test_the_bytes_are_those_of_the_reference() -> None:
    tool = record("one", ONE)
    alone = "share1:" + hashlib.sha256(f'["pif-share1","{tool.hash}",[]]'.encode()).hexdigest()
    assert Identities(lambda name: None).of(tool) == alone

    user = record("user", calling("one"))
    rows = f'[["one","{alone}"]]'
    expected = "share1:" + hashlib.sha256(f'["pif-share1","{user.hash}",{rows}]'.encode()).hexdigest()
    assert identity({"one": ONE, "user": calling("one")}, "user") == expected

    missing = f'["pif-share1","{user.hash}",[["one",null]]]'
    assert (
        identity({"user": calling("one")}, "user") == "share1:" + hashlib.sha256(missing.encode()).hexdigest()
    )

    itself = record("one", calling("one"))
    inside: object = 0
    for _ in range(3):
        text = msgspec.json.encode(["pif-share1-round", itself.hash, [["one", inside]]])
        inside = "share1:" + hashlib.sha256(text).hexdigest()
    assert identity({"one": calling("one")}, "one") == inside


def test_what_is_named_far_away_is_a_part_of_it() -> None:
    chain = {"a": calling("b"), "b": calling("c"), "c": ONE}

    assert identity(chain, "a") != identity({**chain, "c": TWO}, "a")
    assert identity(chain, "a") != identity({**chain, "c": calling("d")}, "a")


def test_the_name_that_a_tool_has_is_no_part_of_it() -> None:
    assert identity({"a": ONE}, "a") == identity({"b": ONE}, "b")


def test_circles_are_told_apart_by_any_member_and_by_what_they_name() -> None:
    circle = {"even": calling("odd"), "odd": calling("even", 1)}
    also = {"even": calling("odd"), "odd": calling("even", 2)}
    beside = {"even": calling("odd"), "odd": calling("even", {"app": ["one", 1]}), "one": ONE}

    assert identity(circle, "even") != identity(circle, "odd")
    assert identity(circle, "even") != identity(also, "even")
    assert identity(beside, "even") != identity({**beside, "one": TWO}, "even")
    assert identity(circle, "even") == identity({**circle, "other": TWO}, "even")


def test_a_circle_does_not_depend_on_which_member_is_asked_first() -> None:
    tools = {"a": calling("b"), "b": calling("c"), "c": calling("a", 3)}
    records = {each: record(each, code) for each, code in tools.items()}
    forward, backward = Identities(records.get), Identities(records.get)
    found = {each: forward.of(records[each]) for each in "abc"}

    assert found == {each: backward.of(records[each]) for each in "cab"}
    assert len(set(found.values())) == 3


def test_too_long_a_chain_and_too_large_a_circle_are_refused() -> None:
    chain = {f"t{number}": calling(f"t{number + 1}") for number in range(2_100)}
    circle = {f"t{number}": calling(f"t{(number + 1) % 150}") for number in range(150)}

    for tools in (chain, circle):
        with pytest.raises(RegistryError, match="too many"):
            identity(tools, "t0")
