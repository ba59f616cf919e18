"""What comes out of a byte stream does not depend on how it was cut into pieces, and noise never stops it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from registry.server.streams.framing import Framing, Message

PARTS = st.sampled_from(
    [
        b'{"id":1}',
        b'{"id":1}\n',
        b"\n",
        b"\r\n",
        b" ",
        b"\xef\xbb\xbf",
        b"\xef",
        b"hello\n",
        b"hello: world\r\n",
        b"Content-Length: 8\r\n\r\n",
        b"Content-Length: 8\r\n\r\n" + b'{"id":2}',
        b"content-length: -1\n\n",
        b"Content-Length: 99999999\r\n\r\n",
        b"Content-Type: x\r\n",
        b"[" * 300,
        b"x" * 9_000,
        b"A" * 70 + b": x\n",
        b"}",
    ]
)


def outcome(pieces: list[bytes]) -> tuple[list[bytes | str], bool]:
    framing = Framing(200)
    found: list[bytes | str] = []

    def take() -> None:
        while (frame := framing.next()) is not None:
            found.append(frame.text if isinstance(frame, Message) else frame.reason)

    for piece in pieces:
        framing.feed(piece)
        take()
    framing.end()
    take()
    assert framing.next() is None
    assert framing.held == 0
    return found, framing.with_headers


@settings(deadline=None)
@given(st.lists(PARTS, max_size=12), st.data())
def test_cutting_changes_nothing(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert outcome(pieces) == outcome([whole])
    if len(whole) < 1_000:
        assert outcome([bytes([byte]) for byte in whole]) == outcome([whole])


@given(st.binary(max_size=400), st.data())
def test_any_bytes(noise: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(noise)))
    assert outcome([noise[:cut], noise[cut:]]) == outcome([noise])


@given(st.lists(PARTS, max_size=6))
def test_after_a_settled_framing_a_sound_message_is_found(parts: list[bytes]) -> None:
    noise = b"".join(parts)
    lines = Framing(200)
    lines.feed(b'{"id":0}\n' + noise + b'\n{"id":9}\n')
    texts = []
    while (frame := lines.next()) is not None:
        texts.append(frame)
    assert texts[-1] == Message(b'{"id":9}')
