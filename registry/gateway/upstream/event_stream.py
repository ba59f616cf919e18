"""Bytes of `text/event-stream` to events, as the HTML standard says, but for what is too long and what is not needed.

Lines are cut at the bytes of CR, LF and CRLF only: a reader of text would cut a JSON string at U+2028.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Event", "EventReader", "TooLong"]

_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\n|\r(?!\Z))")
_BOM = b"\xef\xbb\xbf"
_LINES = 100_000
"""Lines of one event."""
_NAMES = 1_024
"""Bytes of an event's id that are kept."""


class TooLong(ValueError):
    """An event, or a line of one, is beyond the limit."""


@dataclass(frozen=True)
class Event:
    """One event. `id` and `retry` (milliseconds) are those of this event alone; `data` may be empty."""

    name: bytes
    data: bytes
    id: bytes | None
    retry: int | None


class EventReader:
    """Takes bytes by `feed`, which gives the events that are whole. Holds at most `cap` bytes and what one call brought."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._rest: list[bytes] = []
        self._held = 0
        self._begun = False
        self._clear()

    def _clear(self) -> None:
        self._name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._id: bytes | None = None
        self._retry: int | None = None

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that end in these bytes. Raises `TooLong`."""
        self._rest.append(data)
        self._held += len(data)
        if b"\n" not in data and b"\r" not in data and not self._after_return():
            self._check()
            return
        text = b"".join(self._rest)
        if not self._begun:
            text = text.removeprefix(_BOM)
            self._begun = True
        end = 0
        for found in _LINE.finditer(text):
            if found.start() != end:
                break
            end = found.end()
            event = self._line(found[1])
            if event is not None:
                yield event
        self._rest = [text[end:]]
        self._held = len(self._rest[0])
        self._check()

    def _after_return(self) -> bool:
        """Whether what was held ended with a CR, of which it was not known yet whether an LF follows."""
        return len(self._rest) > 1 and self._rest[-2].endswith(b"\r")

    def _check(self) -> None:
        if self._held > self._cap:
            raise TooLong

    def _line(self, line: bytes) -> Event | None:
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._size += len(value) + 1
            if self._size > self._cap or len(self._data) >= _LINES:
                raise TooLong
            self._data.append(value)
        elif field == b"event":
            self._name = value[:_NAMES]
        elif field == b"id" and b"\0" not in value and len(value) <= _NAMES:
            self._id = value
        elif field == b"retry" and value.isdigit() and len(value) < 10:
            self._retry = int(value)
        return None

    def _dispatch(self) -> Event | None:
        event = Event(self._name or b"message", b"\n".join(self._data), self._id, self._retry)
        is_one = bool(self._data) or self._id is not None or self._retry is not None
        self._clear()
        return event if is_one else None
