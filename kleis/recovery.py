"""Where to go on after an error: at the next top-level item.

An item starts with its keyword (or ``@``) at the start of a line.  Members of structures start with some of the
same keywords, so braces decide where they balance in the whole text, and indentation where they do not.
Statement words at the very start of a line count as items where braces balance.
"""

from __future__ import annotations

from kleis.syntax.parser.lexer import Tokens

__all__ = ["ITEM_WORDS", "Recovery"]

ITEM_WORDS = frozenset(
    {"import", "structure", "implements", "data", "operation", "type", "define", "example", "@"}
)
"""What a top-level item starts with."""

_MISPLACED_WORDS = frozenset({"let", "assert", "axiom", "element", "theorem", "lemma", "verify"})
"""What people write at top level although it belongs into an item; each such line is an error of its own."""


class Recovery:
    """Finds items in the tokens of one text; the braces are counted once."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._depths: list[int] = []
        depth = 0
        for text in tokens.texts:
            self._depths.append(depth)
            depth += (text == "{") - (text == "}")
        self._balanced = depth == 0 and min(self._depths) == 0

    def next_item(self, start: int, at: int) -> int | None:
        """The first token of the item after the one that starts at token `start` and fails at token `at`."""
        tokens = self._tokens
        indentation = tokens.columns[start] if tokens.texts[start] in ITEM_WORDS else 1
        for index in range(max(at, start + 1), len(tokens)):
            if not tokens.first_on_line(index):
                continue
            outside = self._balanced and self._depths[index] == 0 and tokens.columns[index] == 1
            if outside and tokens.texts[index] in _MISPLACED_WORDS:
                return index
            if tokens.texts[index] not in ITEM_WORDS:
                continue
            if self._depths[index] == 0 if self._balanced else tokens.columns[index] <= indentation:
                return index
        return None
