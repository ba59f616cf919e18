"""Where to go on after an error: at the next top-level item.

An item starts with its keyword (or ``@``) at the start of a line.  Members of structures start with some of the
same keywords, so braces decide where they balance in the whole text, and indentation where they do not.
"""

from __future__ import annotations

from kleis.lexing import Tokens

__all__ = ["ITEM_WORDS", "next_item"]

ITEM_WORDS = frozenset(
    {"import", "structure", "implements", "data", "operation", "type", "define", "example", "@"}
)
"""What a top-level item starts with."""


def next_item(tokens: Tokens, start: int, at: int) -> int | None:
    """The first token of the item after the one that starts at token `start` and fails at token `at`."""
    depths = _depths(tokens)
    balanced = depths[-1] == 0 and min(depths) == 0
    indentation = tokens.columns[start] if tokens.texts[start] in ITEM_WORDS else 1
    for index in range(max(at, start + 1), len(tokens)):
        if tokens.texts[index] not in ITEM_WORDS or not tokens.first_on_line(index):
            continue
        if depths[index] == 0 if balanced else tokens.columns[index] <= indentation:
            return index
    return None


def _depths(tokens: Tokens) -> list[int]:
    """How many braces are open before each token."""
    depths: list[int] = []
    depth = 0
    for text in tokens.texts:
        depths.append(depth)
        if text == "{":
            depth += 1
        elif text == "}":
            depth -= 1
    return depths
