"""Bytes → messages: newline-delimited JSON and `Content-Length` blocks, with a size cap (docs/reference/serving.md §2.2).

Pure: no input or output happens here. The framing is detected from the first thing that is not blank: `{` or `[`
starts newline framing, a line that looks like a header (`Name: …`) starts header framing, any other line is passed
through as a message (which the parser rejects) and decides nothing. Blank lines and a UTF-8 byte order mark are skipped.

Invariants
----------
- What comes out depends on the bytes alone (but for the `head` of a fault), never on how they were cut into pieces.
- At most `cap` bytes of one message, plus what one `feed` brought, are held.
- After a `Fault` the next sound message is found again: in newline framing at the next line; in header framing at the
  next `Content-Length` header that follows a line end or a closing bracket, which no JSON text can contain.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

__all__ = ["DEFAULT_CAP", "Fault", "Framing", "Message"]

DEFAULT_CAP = 32 * 1024 * 1024
"""Bytes of one message. A string of this many bytes takes up to four times as much memory once decoded (one astral
character widens it all), so twice the cap would exceed the 400 MB that the server promises to stay under."""

_HEADER_CAP = 8_192
_HEAD = 4_096
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_LEADING = re.compile(rb"(?:[ \t\r\n]|\xef\xbb\xbf)*")
_HEADER_LINE = re.compile(rb"[A-Za-z][A-Za-z0-9-]{0,63}[ \t]*:")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?", re.IGNORECASE)
_NEXT_HEADER = re.compile(rb"(?<=[\n}\]])content-length[ \t]*:[^\n]{0,256}\n", re.IGNORECASE)
_HEADER_REACH = 1_024
"""Bytes kept while searching for the next header: more than one such line is long."""

_Reason = Literal["too_large", "bad_header", "truncated"]


class Message(msgspec.Struct, frozen=True):
    """The text of one message."""

    text: bytes


class Fault(msgspec.Struct, frozen=True):
    """Bytes that are no message: why, and the beginning of them."""

    reason: _Reason
    head: bytes


class Framing:
    """Cuts a byte stream into messages. `feed` bytes, `end` the stream, and take from `next` until it gives None."""

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self._cap = cap
        self._buffer = bytearray()
        self._mode: Literal["lines", "headers"] | None = None
        self._has_length = False
        self._searched = 0
        self._skipping = False
        self._ended = False

    @property
    def with_headers(self) -> bool:
        """Whether answers are to be framed by headers."""
        return self._mode == "headers"

    @property
    def held(self) -> int:
        """How many bytes are waiting."""
        return len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take bytes from the stream."""
        self._buffer += data

    def end(self) -> None:
        """The stream has ended: an unfinished line is a message, an unfinished block a fault."""
        self._ended = True

    def next(self) -> Message | Fault | None:
        """The next message or fault; None when more bytes are needed (or, after `end`, when there is nothing left)."""
        while True:
            state = (len(self._buffer), self._mode, self._skipping)
            found: Message | Fault | None = None
            if (not self._skipping or self._skip()) and (self._mode is not None or self._detect()):
                found = self._next_block() if self._mode == "headers" else self._next_line()
            if found is not None:
                return found
            if state == (len(self._buffer), self._mode, self._skipping):
                return None

    def _detect(self) -> bool:
        """Decide the framing if that can be done; False when more bytes are needed."""
        buffer = self._buffer
        self._drop_leading()
        if not buffer or (len(buffer) < len(_BOM) and _BOM.startswith(buffer) and not self._ended):
            return False
        if buffer[0] in b"{[":
            self._mode = "lines"
        elif b"\n" in buffer[:_HEADER_CAP] or len(buffer) >= _HEADER_CAP or self._ended:
            if _HEADER_LINE.match(buffer):
                self._mode = "headers"
        else:
            return False
        return True

    def _drop_leading(self) -> None:
        leading = _LEADING.match(self._buffer)
        if leading is not None and leading.end():
            del self._buffer[: leading.end()]
            self._searched = 0

    def _take(self, size: int) -> bytes:
        with memoryview(self._buffer) as view:
            taken = bytes(view[:size])
        del self._buffer[:size]
        self._searched = 0
        return taken

    def _fault(self, reason: _Reason, position: int = 0) -> Fault:
        """A fault at `position`; what follows is skipped up to the next place where a message may begin."""
        fault = Fault(reason, bytes(self._buffer[position : position + _HEAD]))
        del self._buffer[: max(0, position - 1)]  # a line end stays: a header right behind it is found by it
        self._skipping = True
        return fault

    def _skip(self) -> bool:
        """Drop bytes up to where the next message may begin; False when that place has not come yet."""
        buffer = self._buffer
        if self._mode == "headers":
            found = _NEXT_HEADER.search(buffer)
            if found is None:
                del buffer[: max(0, len(buffer) - _HEADER_REACH)]
                if self._ended:
                    buffer.clear()
                return False
            del buffer[: found.start()]
        else:
            newline = buffer.find(b"\n")
            if newline < 0:
                buffer.clear()
                return False
            del buffer[: newline + 1]
        self._searched = 0
        self._skipping = False
        return True

    # newline framing

    def _next_line(self) -> Message | Fault | None:
        buffer = self._buffer
        newline = buffer.find(b"\n", self._searched)
        if newline < 0 and self._ended:
            newline = len(buffer)
        if newline > self._cap or (newline < 0 and len(buffer) > self._cap):
            return self._fault("too_large")
        if newline < 0:
            self._searched = len(buffer)
            return None
        line = self._take(newline)
        del buffer[:1]
        text = line.strip(_BLANK).removeprefix(_BOM)
        return Message(text) if text else None

    # header framing

    def _next_block(self) -> Message | Fault | None:
        buffer = self._buffer
        self._drop_leading()
        if not buffer:
            return None
        if buffer[0] in b"{[" and not self._has_length:
            self._mode = "lines"  # what looked like a header was noise before newline-framed messages
            return None
        position = 0
        lengths: list[int | None] = []
        while True:
            newline = buffer.find(b"\n", position, _HEADER_CAP)
            if newline < 0:
                if len(buffer) >= _HEADER_CAP:
                    return self._bad_header()
                return self._truncated() if self._ended else None
            line = bytes(buffer[position:newline])
            position = newline + 1
            if not line.strip(_BLANK):
                break
            if _HEADER_LINE.match(line) is None:
                return self._bad_header()
            if line[:14].lower() == b"content-length":
                self._has_length = True
                match = _LENGTH.fullmatch(line)
                lengths.append(int(match[1]) if match else None)
        length = lengths[0] if lengths else None
        if length is None or lengths.count(length) < len(lengths):
            return self._bad_header(position)
        return self._body(position, length)

    def _body(self, position: int, length: int) -> Message | Fault | None:
        buffer = self._buffer
        if length > self._cap:
            return self._fault("too_large", position)
        if len(buffer) - position < length:
            return self._truncated() if self._ended else None
        del buffer[:position]
        return Message(self._take(length).strip(_BLANK))

    def _bad_header(self, position: int = 0) -> Fault:
        """A fault for the block that ends at `position`, or the line at the front. Until a `Content-Length` was seen the
        framing is open again, line by line."""
        if not self._has_length:
            self._mode = None
            position = 0
        return self._fault("bad_header", position)

    def _truncated(self) -> Fault:
        fault = Fault("truncated", bytes(self._buffer[:_HEAD]))
        self._buffer.clear()
        return fault
