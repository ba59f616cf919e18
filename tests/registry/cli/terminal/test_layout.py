"""JSON laid out for people: still JSON, within the width, with the right part marked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.cli.terminal.layout import excerpt_of, lay_out, place_of

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
DATA = st.recursive(
    SCALARS,
    lambda parts: st.lists(parts, max_size=5) | st.dictionaries(st.text(max_size=6), parts, max_size=4),
    max_leaves=30,
)
WIDTHS = st.integers(20, 100)


def places(data: Any) -> list[tuple[Any, ...]]:
    """The steps to every part."""
    found: list[tuple[Any, ...]] = [()]
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, part in entries:
        found += [(key, *below) for below in places(part)]
    return found


def part_at(data: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        data = data[step]
    return data


@given(DATA, WIDTHS)
def test_text_is_the_same_json(data: Any, width: int) -> None:
    """parse(text of lay_out(data)) == data, key order included."""
    text = "\n".join(lay_out(data, width=width).texts())

    assert json.dumps(json.loads(text)) == json.dumps(data)


@given(DATA, WIDTHS, st.data())
def test_mark_is_where_the_part_begins(data: Any, width: int, choice: st.DataObject) -> None:
    """Decoding JSON from the mark on gives the marked part."""
    place = choice.draw(st.sampled_from(places(data)))
    layout = lay_out(data, width=width, mark=place)

    assert layout.mark is not None
    lines = layout.texts()
    rest = "\n".join([lines[layout.mark.line][layout.mark.start :], *lines[layout.mark.line + 1 :]])
    assert json.JSONDecoder().raw_decode(rest)[0] == part_at(data, place)
    assert layout.mark.end <= len(lines[layout.mark.line])


@given(DATA, WIDTHS, st.data())
def test_excerpt_marks_the_same_part(data: Any, width: int, choice: st.DataObject) -> None:
    """An excerpt's mark stands on the marked part, whole or shortened."""
    place = choice.draw(st.sampled_from(places(data)))
    layout = excerpt_of(data, place, width=width)

    assert layout.mark is not None
    shown = layout.texts()[layout.mark.line][layout.mark.start : layout.mark.end]
    part = part_at(data, place)
    opening = {dict: "{", list: "[", str: '"'}.get(type(part))
    assert shown.startswith(opening) if opening else shown == json.dumps(part)


@given(st.recursive(st.integers(0, 9), lambda part: st.lists(part, max_size=4), max_leaves=60))
def test_short_parts_keep_to_the_width(data: Any) -> None:
    """Lists of digits can always be broken, so no line is longer than asked, beyond its indentation and one part."""
    for line in lay_out(data, width=40).texts():
        assert len(line) <= 40 or len(line.strip()) <= 4


def test_operations_are_written_tightly() -> None:
    term = {"lam": "n", "body": {"if": {"cond": {"lte": [{"var": "n"}, 1]}, "then": 1, "else": {"var": "n"}}}}

    assert lay_out(term, width=60).texts() == [
        '{"lam": "n", "body": {"if": {',
        '  "cond": {"lte": [{"var": "n"}, 1]},',
        '  "then": 1,',
        '  "else": {"var": "n"}',
        "}}}",
    ]


def test_excerpt_of_a_huge_term_is_short() -> None:
    long, many = "x" * 1_000_000, list(range(5_000))
    data = [{"add": [many, long]} for _ in range(1_000)]

    layout = excerpt_of(data, place_of(data, "/500/add/0/2500"))

    assert layout.mark is not None
    assert layout.texts()[layout.mark.line][layout.mark.start : layout.mark.end] == "2500"
    assert sum(map(len, layout.texts())) < 2_000


def test_deep_data_is_no_trouble() -> None:
    data: Any = 1
    for _ in range(899):
        data = [data]

    assert len(lay_out(data).texts()) > 800
    assert excerpt_of(data, (0,) * 899).mark is not None


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", ()),
        ("/a~1b/1", ("a/b", 1)),
        ("/a~1b/7", ("a/b",)),
        ("/a~1b/-1", ("a/b",)),
        ("/nowhere/0", ()),
        ("/m~0n/deeper/still", ("m~n",)),
        ("/a~1b/²", ("a/b",)),
    ],
)
def test_pointers_lead_as_far_as_they_can(pointer: str, place: tuple[Any, ...]) -> None:
    assert place_of({"a/b": [10, 20], "m~n": "text"}, pointer) == place


def test_numbers_beyond_printing_are_described() -> None:
    assert lay_out([1 << 20_000, float("inf")]).texts() == [
        "[<integer of 20001 bits>, <number beyond range>]"
    ]
