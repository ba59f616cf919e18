"""Messages on the pipes between the broker, the worker and its children: a length, then a pickle."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from collections.abc import Callable
from typing import Any

__all__ = [
    "HEADER",
    "RECURSION",
    "first_message",
    "message_of",
    "pack",
    "read_message",
    "write_message",
    "write_whole",
]

HEADER = struct.Struct(">I")
"""The length of what follows, in bytes."""

RECURSION = 10_000
"""Terms are nested deeper than Python's usual limit allows pickling."""


def pack(value: object) -> bytes:
    """A value as bytes."""
    if sys.getrecursionlimit() < RECURSION:
        sys.setrecursionlimit(RECURSION)
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def message_of(body: bytes) -> bytes:
    """The message with a body: its length, then the body."""
    return HEADER.pack(len(body)) + body


def first_message(received: bytearray) -> bytes | None:
    """The body of the first whole message received, which is removed; None while there is none."""
    if len(received) < HEADER.size:
        return None
    end = HEADER.size + HEADER.unpack(received[: HEADER.size])[0]
    if len(received) < end:
        return None
    body = bytes(received[HEADER.size : end])
    del received[:end]
    return body


def write_message(stream: int, data: object) -> None:
    """Write a value as a message."""
    write_whole(stream, message_of(pickle.dumps(data, pickle.HIGHEST_PROTOCOL)))


def read_message(read: Callable[[int], bytes]) -> Any:
    """Read the value of a message; None at the end of the stream, also within a message."""
    head = read(HEADER.size)
    if len(head) < HEADER.size:
        return None
    (length,) = HEADER.unpack(head)
    body = read(length)
    return pickle.loads(body) if len(body) == length else None


def write_whole(stream: int, body: bytes) -> None:
    """Write all bytes."""
    pending = memoryview(body)
    while pending:
        pending = pending[os.write(stream, pending) :]
