"""JSON for people: compact, on several lines where one is too narrow, and with the place of one part known.

A `Layout` is lines of pieces; each piece has a role, which a terminal shows as a colour. The text of all pieces is
JSON again, except in an excerpt, where `…` stands for what was left out.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import msgspec

from pif.language.budget import reserve_stack

__all__ = ["Layout", "Mark", "Piece", "Role", "excerpt_of", "lay_out", "place_of"]

Json = Any
Step = str | int

Role = Literal["plain", "operation", "key", "string", "number", "word", "faint", "good", "bad", "strong"]

WIDTH = 100
"""Columns unless a terminal says otherwise."""

_STACK = 6_000
_NEAR = 3
"""How many neighbours of the marked part an excerpt shows in a long array or object, on each side."""

_BESIDE = 72
"""Columns that a part beside the marked one may take in an excerpt."""

_LONGEST_STRING = 60
_LARGEST_SHOWN = 14_000
"""Bits of an integer that is printed; CPython refuses to print more than 4,300 digits."""


class Piece(NamedTuple):
    """Some text with its role."""

    text: str
    role: Role = "plain"


class Mark(NamedTuple):
    """Where the marked part begins, and where it ends on that line (characters from 0)."""

    line: int
    start: int
    end: int


class Layout(NamedTuple):
    """Lines of pieces, and the place of the part that was asked for."""

    lines: list[list[Piece]]
    mark: Mark | None

    def texts(self) -> list[str]:
        """The lines without their roles."""
        return ["".join(piece.text for piece in line) for line in self.lines]


class _Elided:
    """A placeholder for data that an excerpt leaves out."""


_ELIDED = _Elided()


def lay_out(data: Json, *, width: int = WIDTH, mark: tuple[Step, ...] | None = None) -> Layout:
    """`data` as lines of at most `width` columns where that can be had; `mark` leads to the part to be placed."""
    reserve_stack(_STACK)
    writer = _Writer(width)
    writer.value(data, 0, 0, mark)
    return Layout(writer.lines, writer.mark)


def excerpt_of(data: Json, mark: tuple[Step, ...], *, width: int = WIDTH) -> Layout:
    """The part that `mark` leads to, with what is around it; the rest is left out."""
    reserve_stack(_STACK)
    pruned, moved = _pruned(data, mark)
    return lay_out(pruned, width=width, mark=moved)


def place_of(data: Json, pointer: str) -> tuple[Step, ...]:
    """The steps of a JSON pointer into `data`, as far as they lead to something."""
    steps: list[Step] = []
    for key in pointer.split("/")[1:]:
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(data, dict) and name in data:
            data = data[name]
            steps.append(name)
        elif isinstance(data, list) and name.isdecimal() and int(name) < len(data):
            data = data[int(name)]
            steps.append(int(name))
        else:
            break
    return tuple(steps)


def scalar(data: Json) -> Piece:
    """A leaf, or an empty array or object, as a piece."""
    match data:
        case None | bool():
            return Piece({None: "null", True: "true", False: "false"}[data], "word")
        case int():
            large = data.bit_length() > _LARGEST_SHOWN
            return Piece(f"<integer of {data.bit_length()} bits>" if large else str(data), "number")
        case float():
            return Piece(str(data) if math.isfinite(data) else "<number beyond range>", "number")
        case str():
            return Piece(quoted(data), "string")
        case list():
            return Piece("[]")
        case dict():
            return Piece("{}")
        case _:
            return Piece("…", "faint")


def quoted(text: str) -> str:
    """A JSON string; lone surrogates, which UTF-8 cannot carry, are escaped."""
    return msgspec.json.encode(text.encode("utf-8", "backslashreplace").decode()).decode()


class _Writer:
    """Lines under construction. `tail` is how many characters must still fit behind a value on its last line."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[list[Piece]] = [[]]
        self.column = 0
        self.mark: Mark | None = None

    def put(self, piece: Piece) -> None:
        self.lines[-1].append(piece)
        self.column += len(piece.text)

    def newline(self, indent: int) -> None:
        self.lines.append([Piece(" " * indent)] if indent else [])
        self.column = indent

    def value(self, data: Json, indent: int, tail: int, mark: tuple[Step, ...] | None) -> None:
        line, start = len(self.lines) - 1, self.column
        if not (isinstance(data, list | dict) and data):
            self.put(scalar(data))
        elif _fits(data, self.width - self.column - tail):
            self.flat(data, mark)
        elif isinstance(data, dict) and _is_hugged(data):
            self.hugged(data, indent, tail, mark)
        else:
            self.broken(data, indent, mark)
        if mark == ():
            end = self.column if line == len(self.lines) - 1 else _length(self.lines[line])
            self.mark = Mark(line, start, max(end, start + 1))

    def flat(self, data: Json, mark: tuple[Step, ...] | None) -> None:
        opening, closing = ("[", "]") if isinstance(data, list) else ("{", "}")
        self.put(Piece(opening))
        for number, (key, part) in enumerate(_entries(data)):
            if number:
                self.put(Piece(", "))
            self.key(data, key)
            self.flat_part(part, _below(mark, key))
        self.put(Piece(closing))

    def flat_part(self, data: Json, mark: tuple[Step, ...] | None) -> None:
        line, start = len(self.lines) - 1, self.column
        if isinstance(data, list | dict) and data:
            self.flat(data, mark)
        else:
            self.put(scalar(data))
        if mark == ():
            self.mark = Mark(line, start, self.column)

    def hugged(self, data: dict[str, Json], indent: int, tail: int, mark: tuple[Step, ...] | None) -> None:
        """One operation on the line where it begins, its last part going on below: `{"lam": "x", "body": {"if": {`."""
        self.put(Piece("{"))
        for number, (key, part) in enumerate(data.items()):
            if number:
                self.put(Piece(", "))
            self.key(data, key)
            self.value(part, indent, tail + 1, _below(mark, key))
        self.put(Piece("}"))

    def broken(self, data: Json, indent: int, mark: tuple[Step, ...] | None) -> None:
        opening, closing = ("[", "]") if isinstance(data, list) else ("{", "}")
        self.put(Piece(opening))
        last = len(data) - 1
        for number, (key, part) in enumerate(_entries(data)):
            self.newline(indent + 2)
            self.key(data, key)
            self.value(part, indent + 2, 1, _below(mark, key))
            if number < last:
                self.put(Piece(","))
        self.newline(indent)
        self.put(Piece(closing))

    def key(self, data: Json, key: Step) -> None:
        if isinstance(key, str) and isinstance(data, dict):
            self.put(Piece(quoted(key), "operation" if len(data) == 1 or key in ("lam", "let") else "key"))
            self.put(Piece(": "))


def _entries(data: Json) -> list[tuple[Step, Json]]:
    return list(data.items()) if isinstance(data, dict) else list(enumerate(data))


def _below(mark: tuple[Step, ...] | None, key: Step) -> tuple[Step, ...] | None:
    """What is left of a mark one step further down, or None where it leads elsewhere."""
    return mark[1:] if mark and mark[0] == key else None


def _is_hugged(data: dict[str, Json]) -> bool:
    *firsts, _ = data.values()
    return len(firsts) <= 1 and not any(isinstance(part, list | dict) and part for part in firsts)


def _length(line: list[Piece]) -> int:
    return sum(len(piece.text) for piece in line)


def _fits(data: Json, room: int) -> bool:
    """Whether the one-line form takes at most `room` columns; looks at no more than that much data."""
    stack = [data]
    while stack:
        part = stack.pop()
        if isinstance(part, dict) and part:
            room -= 2 * len(part)
            if room < 0:
                return False
            room -= sum(len(key) + 4 for key in part)
            stack.extend(part.values())
        elif isinstance(part, list) and part:
            room -= 2 * len(part)
            if room < 0:
                return False
            stack.extend(part)
        elif isinstance(part, str):
            room -= len(part) + 2 if len(part) > room else len(quoted(part))
        else:
            room -= len(scalar(part).text)
        if room < 0:
            return False
    return True


def _pruned(data: Json, mark: tuple[Step, ...]) -> tuple[Json, tuple[Step, ...]]:
    """`data` with only what lies near the marked part, and the mark in the result."""
    if not mark:
        return _beside(data, 4 * _BESIDE), ()
    step, *_ = mark
    part, below = _pruned(data[step], mark[1:])
    entries = _entries(data)
    at = step if isinstance(step, int) else list(data).index(step)
    first, last = max(0, at - _NEAR), min(len(entries), at + _NEAR + 1)
    kept = [
        (key, part if number == at else _beside(value, _BESIDE))
        for number, (key, value) in enumerate(entries[first:last], first)
    ]
    if isinstance(data, dict):
        fields = {str(key): value for key, value in kept}
        if len(kept) < len(entries):
            fields["…"] = _ELIDED
        return fields, (step, *below)
    items = [value for _, value in kept]
    before = [_ELIDED] if first else []
    after = [_ELIDED] if last < len(entries) else []
    return [*before, *items, *after], (at - first + len(before), *below)


def _beside(data: Json, room: int) -> Json:
    """A part that is shown for orientation: whole if it is small, else only how it begins."""
    if isinstance(data, str) and len(data) > _LONGEST_STRING:
        return data[: _LONGEST_STRING - 1] + "…"
    if not (isinstance(data, list | dict) and data) or _fits(data, room):
        return data
    if isinstance(data, list):
        return [_beside(data[0], room // 2), _ELIDED]
    first = next(iter(data))
    shown: dict[str, Json] = {first[:_LONGEST_STRING]: _beside(data[first], room // 2)}
    return shown if len(data) == 1 else {**shown, "…": _ELIDED}
