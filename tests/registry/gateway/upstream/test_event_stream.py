"""Streams of events: what comes out depends on the bytes, never on how they were cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.gateway.upstream.event_stream import Event, EventReader, TooLong

LINES = st.sampled_from(
    [
        b"data: {}", b"data:x", b"data", b"data:  two", b"id: 1", b"id", b"event: message", b"event: other",
        b"retry: 10", b"retry: x", b": comment", b"unknown: 1", b"", b"", "data: \u2028\u0085".encode(),
    ]
)  # fmt: skip
STREAMS = st.lists(st.tuples(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=12)


def _events(*chunks: bytes, cap: int = 1_000) -> list[Event]:
    reader = EventReader(cap)
    return [event for chunk in chunks for event in reader.feed(chunk)]


@given(STREAMS, st.lists(st.integers(0, 200), max_size=6), st.booleans())
def test_cuts_do_not_matter(lines: list[tuple[bytes, bytes]], cuts: list[int], mark: bool) -> None:
    text = (b"\xef\xbb\xbf" if mark else b"") + b"".join(line + end for line, end in lines) + b"\n"
    places = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    chunks = [text[start:end] for start, end in itertools.pairwise(places)]
    assert _events(*chunks) == _events(text) == _events(*(text[i : i + 1] for i in range(len(text))))


def test_fields_of_an_event() -> None:
    text = b":hi\n\nevent: a\ndata: 1\ndata:2\nid: 7\nretry: 30\n\ndata: last\n"
    assert _events(text) == [Event(b"a", b"1\n2", b"7", 30)]
    assert _events(text, b"\n")[1] == Event(b"message", b"last", None, None)


@pytest.mark.parametrize("text", [b"data: " + b"x" * 2_000, b"data: xxxxxxxxxx\n" * 200, b"x" * 2_000])
def test_what_is_too_long_is_refused(text: bytes) -> None:
    with pytest.raises(TooLong):
        _events(text)
