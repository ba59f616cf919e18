"""What has changed in what a server says, line by line, with characters that nobody sees made visible."""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Iterator
from typing import Any

__all__ = ["difference", "visible"]

_INVISIBLE = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_BLANKS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters that are drawn as nothing."""


def visible(text: str) -> str:
    """A text in which every character shows: ``⟨U+200B⟩`` for what is not drawn, or steers a terminal or the direction."""
    return "".join(each if _is_seen(each) else f"⟨U+{ord(each):04X}⟩" for each in text)


def _is_seen(each: str) -> bool:
    if " " <= each <= "~":
        return True
    code = ord(each)
    category = unicodedata.category(each)
    hidden = category in _INVISIBLE or category == "Zs" or each in _BLANKS
    return not hidden and not any(code in span for span in _SELECTORS)


def difference(before: Any, after: Any) -> Iterator[str]:
    """Lines that begin with ``-``, ``+`` or a blank. `before` is None for what is new."""
    old = [] if before is None else _lines(before)
    yield from list(difflib.unified_diff(old, _lines(after), n=2, lineterm=""))[2:]


def _lines(said: Any) -> list[str]:
    """What is said, each line of a text on its own, so that a change in a long description is a line."""
    lines: list[str] = []
    for line in json.dumps(said, ensure_ascii=False, sort_keys=True, indent=1).split("\n"):
        first, *rest = line.split("\\n")
        lines += [first, *(f"    {each}" for each in rest)]
    return [visible(each) for each in lines]
