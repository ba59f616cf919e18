"""Places of a text and positions of the protocol are the same places, in every unit, for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.cli.kleis.language_server.text_positions import Lines, Units

_WIDTHS: dict[Units, tuple[str, int]] = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}

texts = st.lists(
    st.sampled_from(["a", "é", "e\u0301", "𝔹", "😀", "\n", "\r\n", "\r", "\u2028", "\x0c", "\ud800", "\t"]),
    max_size=20,
).map("".join)


def width(text: str, units: Units) -> int:
    encoding, size = _WIDTHS[units]
    return len(text.encode(encoding, "surrogatepass")) // size


@given(texts, st.sampled_from(sorted(_WIDTHS)))
def test_positions_are_those_of_the_protocol(text: str, units: Units) -> None:
    lines = Lines(text, units)
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
    assert len(lines) == len(starts)
    for place in range(len(text) + 1):
        line, character = lines.position(place)
        start = max(each for each in starts if each <= place)
        assert line == starts.index(start)
        # Within the end of a line the position is that of its last character.
        shown = text[start:place].rstrip("\r\n") if place not in starts else text[start:place]
        assert character == width(shown, units)
        assert lines.offset(line, character) == start + len(shown)


@given(texts, st.integers(-2, 30), st.integers(-2, 90))
def test_every_position_has_a_place(text: str, line: int, character: int) -> None:
    assert 0 <= Lines(text).offset(line, character) <= len(text)


@given(texts)
def test_places_of_kleis_count_code_points_and_line_feeds(text: str) -> None:
    lines = Lines(text)
    for place in range(len(text)):
        line = text.count("\n", 0, place) + 1
        column = place - (text.rfind("\n", 0, place) + 1) + 1
        assert lines.place(line, column) == place
    assert lines.place(10_000, 1) == len(text)
    assert lines.place(0, 0) == 0


def test_the_middle_of_a_pair_is_its_beginning() -> None:
    assert Lines("𝔹x").offset(0, 1) == 0
    assert Lines("𝔹x").offset(0, 2) == 1


@pytest.mark.parametrize("units", sorted(_WIDTHS))
def test_a_long_line_is_no_quadratic_work(units: Units) -> None:
    lines = Lines("x𝔹" * 20_000, units)
    for place in range(0, 40_000, 100 if units == "utf-8" else 1):
        lines.position(place)
