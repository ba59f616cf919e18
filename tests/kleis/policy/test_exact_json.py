"""JSON that two parsers may read differently is refused; what is accepted is exact."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.policy.exact_json import DEEPEST, ExactJsonError, json_value, read_exactly
from kleis.values import Data, render_value

REFUSED = [
    ('{"a": 1, "a": 1}', "duplicate-field"),
    ('{"x": [{"a": 1, "\\u0061": 2}]}', "duplicate-field"),
    ('"\\ud800"', "lone-surrogate"),
    ('{"\\udc00": 1}', "lone-surrogate"),
    ("NaN", "no-number"),
    ("-Infinity", "no-number"),
    ("1e400", "inexact-number"),
    ("1e-400", "inexact-number"),
    ("0.1000000000000000055511151231257827", "inexact-number"),
    ("9007199254740993", "inexact-integer"),
    ("-9007199254740993", "inexact-integer"),
    ("1e300", "inexact-integer"),
    ("9" * 401, "long-number"),
    ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "too-deep"),
    ("[" * 100_000, "too-deep"),
    ('["\\\\",' * (DEEPEST + 1) + "0" + "]" * (DEEPEST + 1), "too-deep"),
    ('["\\"",' + '{"a":' * DEEPEST + "0" + "}" * DEEPEST + "]", "too-deep"),
    ("[" * 60 + "]" * 70 + "[" * 60, "no-json"),
    ("{'a': 1}", "no-json"),
    ("[1,]", "no-json"),
    ('"a\nb"', "no-json"),
    ("", "no-json"),
    ("1 2", "no-json"),
]


@pytest.mark.parametrize(("text", "code"), REFUSED, ids=[f"{code} {text[:20]}" for text, code in REFUSED])
def test_what_two_parsers_may_read_differently_is_refused(text: str, code: str) -> None:
    with pytest.raises(ExactJsonError) as caught:
        read_exactly(text)
    assert caught.value.code == code


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    with pytest.raises(ExactJsonError) as caught:
        read_exactly(b'"\xff"')
    assert caught.value.code == "not-utf-8"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e2", 100),
        ("1.0", 1),
        ("-0.0", 0),
        ("0e999999999999", 0),
        ("9007199254740992", 2**53),
        ('"\\ud83d\\ude00"', "😀"),
        ('"[[[[{{{{\\""', '[[[[{{{{"'),
        ('{"b": 1, "a": 2}', {"b": 1, "a": 2}),
    ],
)
def test_what_is_read_is_exact(text: str, value: Any) -> None:
    assert read_exactly(text) == value


def test_large_integers_are_read_for_tools_that_read_them_exactly() -> None:
    assert read_exactly(str(2**64), exact_integers=True) == 2**64


@pytest.mark.parametrize(
    "text", ['["' + "[" * 100 + '\\\\"]', '["\\"' + "[" * 100 + '"]', "[" + "[]," * 100 + "[]]"]
)
def test_brackets_in_strings_and_beside_one_another_are_no_levels(text: str) -> None:
    assert read_exactly(text) == json.loads(text)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_plain_data_comes_back(data: Any) -> None:
    assert read_exactly(json.dumps(data)) == data
    assert read_exactly(json.dumps(data, ensure_ascii=False).encode()) == data


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_read_as_what_it_is_printed(number: float) -> None:
    text = json.dumps(number)
    try:
        assert float(read_exactly(text)) == number
    except ExactJsonError as error:
        assert error.code == "inexact-integer"
        assert abs(number) > 2**53


def test_objects_keep_the_order_of_their_fields() -> None:
    value = json_value(read_exactly('{"b": null, "a": [true, 0.5]}'))
    assert isinstance(value, Data)
    assert render_value(value) == (
        'JsonObject([JsonField("b", JsonNull), JsonField("a", JsonList([JsonBool(true), JsonNumber(1/2)]))])'
    )
