"""Places of a text as editors count them: lines from 0, and code units in a line.

Lines end at ``\\n``, ``\\r\\n`` or ``\\r``, as the protocol says; the places of Kleis count ``\\n`` only.  Both are turned
into code points from the beginning of the text.

Invariant: every position has a place, also one beyond the end of its line or inside of a surrogate pair.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Lines", "Position", "Units"]

Units: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
"""What a character of a position is; the editor and the server agree on it."""

_END = re.compile(r"\r\n|\n|\r")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Position(NamedTuple):
    """A line, from 0, and units from its beginning."""

    line: int
    character: int


class Lines:
    """The lines of one text."""

    def __init__(self, text: str, units: Units = "utf-16") -> None:
        self.text = text
        self.units = units
        self._starts = [0]
        self._ends: list[int] = []
        for found in _END.finditer(text):
            self._ends.append(found.start())
            self._starts.append(found.end())
        self._ends.append(len(text))

    @cached_property
    def _astral(self) -> list[int]:
        return [found.start() for found in _ASTRAL.finditer(self.text)]

    @cached_property
    def _newlines(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def __len__(self) -> int:
        return len(self._starts)

    def offset(self, line: int, character: int) -> int:
        """The code point at a position; the nearest one where there is none."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[line], self._ends[line]
        places = range(start, end + 1)
        return start + max(
            0, bisect_right(places, character, key=lambda place: self._width(start, place)) - 1
        )

    def position(self, offset: int) -> Position:
        """The position of a code point."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, self._width(self._starts[line], min(offset, self._ends[line])))

    def place(self, line: int, column: int) -> int:
        """The code point of a place of Kleis: both from 1, lines that end at ``\\n``."""
        if line < 1:
            return 0
        if line > len(self._newlines):
            return len(self.text)
        return min(self._newlines[line - 1] + max(column, 1) - 1, len(self.text))

    def _width(self, start: int, end: int) -> int:
        """The units from one code point of a line to another."""
        match self.units:
            case "utf-32":
                return end - start
            case "utf-8":
                return len(self.text[start:end].encode("utf-8", "surrogatepass"))
            case _:
                return end - start + bisect_left(self._astral, end) - bisect_left(self._astral, start)
