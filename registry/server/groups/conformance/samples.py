"""The contents that the suite expects: texts, an image, a sound."""

from __future__ import annotations

import struct
import zlib
from typing import Final

__all__ = ["EMBEDDED_TEXT", "MIXED_JSON", "PIXEL", "SILENCE", "SIMPLE_TEXT", "STATIC_TEXT"]

SIMPLE_TEXT: Final = "This is a simple text response for testing."
STATIC_TEXT: Final = "This is the content of the static text resource."
EMBEDDED_TEXT: Final = "This is an embedded resource content."
MIXED_JSON: Final = '{"test":"data","value":123}'


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _red_pixel() -> bytes:
    """A PNG image of one red pixel, 8 bits a channel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    row = b"\x00\xff\x00\x00"  # no filter, then red, green, blue
    return (
        b"\x89PNG\r\n\x1a\n"
        + _png_chunk(b"IHDR", header)
        + _png_chunk(b"IDAT", zlib.compress(row))
        + _png_chunk(b"IEND", b"")
    )


def _silence(samples: int = 8, rate: int = 8_000) -> bytes:
    """A WAV sound of some silent samples, 8 bits each, one channel."""
    data = b"\x80" * samples
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


PIXEL: Final = _red_pixel()
SILENCE: Final = _silence()
