"""Kleis on a terminal, in colour: the Pygments lexer of the product, in the roles that `screen` shows.

Elsewhere a text goes as it is: colours are asked for where a terminal is, so that Pygments is loaded nowhere else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.plain_output import say
from registry.cli.terminal.screen import Screen

if TYPE_CHECKING:
    from pygments.token import _TokenType

__all__ = ["coloured_line", "say_kleis"]

LONGEST = 100_000
"""Characters that are coloured; a longer text is shown plain."""


def coloured_line(text: str) -> list[Piece]:
    """A text of Kleis in pieces, which together are the text."""
    if len(text) > LONGEST:
        return [Piece(text)]
    from kleis.editing.pygments_lexer import KleisLexer

    lexer = KleisLexer()
    return [Piece(piece, _role(kind)) for _, kind, piece in lexer.get_tokens_unprocessed(text)]


def say_kleis(text: str) -> None:
    """Write a text of Kleis to standard output, on lines of its own."""
    screen = Screen()
    if screen.out_terminal:
        screen.write(coloured_line(text))
    else:
        say(text)


@cache
def _role(kind: _TokenType) -> Role:
    from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String

    roles: dict[_TokenType, Role] = {
        Comment: "faint",
        Keyword: "key",
        Keyword.Type: "word",
        Keyword.Constant: "number",
        Operator.Word: "key",
        Name.Class: "strong",
        Name.Function: "strong",
        Name.Decorator: "faint",
        Number: "number",
        String: "string",
        Error: "bad",
    }
    found: _TokenType | None = kind
    while found is not None and found not in roles:
        found = found.parent
    return roles[found] if found is not None else "plain"
