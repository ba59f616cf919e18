"""Bytes to messages: both framings, their detection, the size limit, and recovery after noise."""

from __future__ import annotations

import pytest

from registry.server.streams.framing import Fault, Framing, Message

ONE = b'{"id":1}'
TWO = b'{"id":2}'


def frames(data: bytes, cap: int = 1_000, *, end: bool = True) -> list[bytes | str]:
    """What comes out of some bytes: texts of messages and reasons of faults."""
    framing = Framing(cap)
    framing.feed(data)
    if end:
        framing.end()
    found: list[bytes | str] = []
    while (frame := framing.next()) is not None:
        found.append(frame.text if isinstance(frame, Message) else frame.reason)
    return found


def block(body: bytes, *more: bytes) -> bytes:
    headers = (b"Content-Length: %d" % len(body), *more)
    return b"".join(header + b"\r\n" for header in headers) + b"\r\n" + body


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ONE + b"\n" + TWO + b"\n", [ONE, TWO]),
        (ONE + b"\r\n\r\n  \n" + TWO + b"\r\n", [ONE, TWO]),
        (b"\xef\xbb\xbf" + ONE + b"\n\xef\xbb\xbf" + TWO + b"\n", [ONE, TWO]),
        (b" \n\t" + ONE + b"\n", [ONE]),
        (b"[1]\n" + TWO + b"\n", [b"[1]", TWO]),
        (ONE, [ONE]),
        (b"", []),
        (b"\n\n", []),
    ],
)
def test_lines(data: bytes, expected: list[bytes]) -> None:
    assert frames(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        block(ONE) + block(TWO),
        block(ONE, b"Content-Type: application/vscode-jsonrpc; charset=utf-8") + block(TWO),
        b"X-Note: hello\r\n" + block(ONE) + block(TWO),
        b"content-LENGTH:8\n\n" + ONE + b"\r\n" + b"Content-Length :  8 \r\n\r\n" + TWO,
    ],
)
def test_header_blocks(data: bytes) -> None:
    framing = Framing()
    framing.feed(data)
    assert [framing.next(), framing.next(), framing.next()] == [Message(ONE), Message(TWO), None]
    assert framing.with_headers


def test_unfinished_messages_wait() -> None:
    assert frames(ONE, end=False) == []
    assert frames(block(ONE)[:-1], end=False) == []
    assert frames(b"Content-Le", end=False) == []


@pytest.mark.parametrize("noise", [b"hello\n", b"hello: world\n", b"\x00\xff\n", b"Warning: no cache\r\n"])
def test_noise_before_the_first_message_settles_nothing(noise: bytes) -> None:
    assert frames(noise + ONE + b"\n" + TWO + b"\n")[-2:] == [ONE, TWO]
    assert frames(noise + block(ONE) + block(TWO))[-1] == TWO


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 1e3\r\n\r\n",
        b"Content-Length: 8\r\nContent-Length: 9\r\n\r\n",
        b"Content-Length: " + b"9" * 30 + b"\r\n\r\n",
        b"Content-Type: text\r\n\r\n",
        b"no header at all\r\n\r\n",
        b"X: " + b"y" * 20_000 + b"\r\n\r\n",
    ],
)
def test_a_bad_block_costs_no_other_message(header: bytes) -> None:
    found = frames(block(ONE) + header + b'{"id":3}\n' + block(TWO))
    assert found[:2] == [ONE, "bad_header"]
    assert found[-1] == TWO


def test_a_giant_length_costs_no_other_message() -> None:
    for rest in (b"", b'{"id":3}', b'{"id":3}\r\n'):
        data = block(ONE) + b"Content-Length: 999999999999\r\n\r\n" + rest + block(TWO)
        assert frames(data) == [ONE, "too_large", TWO]


def test_a_long_line_costs_no_other_message() -> None:
    long = b'{"id":9,"x":"' + b"y" * 2_000 + b'"}\n'
    framing = Framing(1_000)
    framing.feed(ONE + b"\n" + long + TWO + b"\n")
    assert framing.next() == Message(ONE)
    fault = framing.next()
    assert isinstance(fault, Fault)
    assert fault.reason == "too_large"
    assert fault.head.startswith(b'{"id":9,')
    assert framing.next() == Message(TWO)


def test_the_cap_is_inclusive() -> None:
    body = b'{"x":"' + b"y" * 92 + b'"}'
    assert len(body) == 100
    assert frames(body + b"\n", 100) == [body]
    assert frames(body + b"\n", 99) == ["too_large"]
    assert frames(block(body), 100) == [body]
    assert frames(block(body), 99) == ["too_large"]


def test_little_is_held_while_skipping() -> None:
    for start in (ONE + b"\n", block(ONE)):
        framing = Framing(1_000)
        framing.feed(start)
        assert framing.next() == Message(ONE)
        framing.feed(b"Content-Length: 999999999\r\n\r\n" if framing.with_headers else b"[")
        for _ in range(50):
            framing.feed(b"x" * 1_000)
            framing.next()
            assert framing.held < 3_000


def test_a_block_that_breaks_off() -> None:
    assert frames(block(ONE) + b"Content-Length: 100\r\n\r\n{") == [ONE, "truncated"]
    assert frames(block(ONE) + b"Content-Len") == [ONE, "truncated"]
