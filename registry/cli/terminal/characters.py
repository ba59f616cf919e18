"""Text that others wrote, made safe to show: it cannot control a terminal, and its columns can be counted."""

from __future__ import annotations

import unicodedata

__all__ = ["cells", "counted", "shortened", "visible"]

_ALLOWED = frozenset("\n\t")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

_LONGEST_PATH = 120


def visible(text: str) -> str:
    """`text` with control, format and separator characters escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in _ALLOWED or unicodedata.category(character) not in _HIDDEN
        else f"\\u{ord(character):04x}"
        for character in text
    )


def counted(number: int, noun: str) -> str:
    """A number of things: "1 tool", "2 tools"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(path: str) -> str:
    """A JSON pointer that a line has room for: of a long one the first and the last steps."""
    if len(path) <= _LONGEST_PATH:
        return path
    half = _LONGEST_PATH // 2
    head, tail = path[:half], path[1 - half :]
    if "/" in head[1:] and "/" in tail:  # whole steps only, where steps are short enough
        head, tail = head[: head.rindex("/") + 1], tail[tail.index("/") :]
    return f"{head}…{tail}"
