"""Tokens of Lean text, as much as is needed to see names, brackets and commands (lean-and-corpus.md §3.7, §6.3).

Comments (nested), strings and character literals are recognised so that nothing in them counts.  Notation is not: every
other symbol is a token of one character, but for ``:=`` and ``=>``.

Invariant: reading ends for every text, in time linear in its length; an unclosed comment or string runs to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

__all__ = ["Token", "tokens"]

_PART = r"(?:«[^«»\n]*»|[^\W\d][\w'!?₀-₉ᵢ-ᵪ]*)"
_TOKEN = re.compile(
    rf"(?P<space>\s+)|(?P<line>--[^\n]*)|(?P<block>/-)|(?P<text>(?:\b[rs]!?)?\"(?:\\.|[^\"\\])*(?:\"|$))"
    rf"|(?P<character>'(?:\\(?:x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|.)|[^'\\\n])')"
    rf"|(?P<name>{_PART}(?:\.{_PART})*)|(?P<number>\d[\w.]*)|(?P<symbol>:=|=>|.)",
    re.DOTALL,
)
_EDGE = re.compile(r"/-|-/")


class Token(msgspec.Struct, frozen=True):
    """A token; `start` and `end` are offsets in the text, `line` is 1-based, `first` where it begins its line."""

    kind: Literal["name", "number", "text", "symbol"]
    value: str
    start: int
    end: int
    line: int
    first: bool


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, comments and space left out."""
    place, line, first = 0, 1, True
    while found := _TOKEN.match(text, place):
        kind, end = found.lastgroup, found.end()
        if kind == "block":
            end = _comment_end(text, end)
        if kind not in ("space", "line", "block"):
            shown: Literal["name", "number", "text", "symbol"] = (
                "name"
                if kind == "name"
                else "number"
                if kind == "number"
                else "symbol"
                if kind == "symbol"
                else "text"
            )
            yield Token(shown, text[place:end], place, end, line, first)
            first = False
        breaks = text.count("\n", place, end)
        line += breaks
        first = first or breaks > 0
        place = end


def _comment_end(text: str, place: int) -> int:
    """Where a block comment whose text begins at `place` ends; comments nest."""
    depth = 1
    while depth and (edge := _EDGE.search(text, place)):
        depth += 1 if edge[0] == "/-" else -1
        place = edge.end()
    return len(text) if depth else place
