"""Kleis for Pygments, and so for Sphinx, MkDocs, LaTeX's minted, rich and IPython: registered by entry point.

It is the only module here that imports Pygments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
    _TokenType,
)

from kleis.editing.colours import Colour, coloured

__all__ = ["TOKENS", "KleisLexer"]

TOKENS: dict[Colour, _TokenType] = {
    "space": Whitespace,
    "comment": Comment,
    "keyword": Keyword,
    "word operator": Operator.Word,
    "operator": Operator,
    "punctuation": Punctuation,
    "annotation": Name.Decorator,
    "declared type": Name.Class,
    "declared": Name.Function,
    "type": Keyword.Type,
    "builtin": Name.Builtin,
    "call": Name,
    "name": Name,
    "value": Keyword.Constant,
    "number": Number,
    "string": String,
    "error": Error,
}
"""What Pygments calls each colour.  A call is a plain name there: its styles show functions where they are declared."""


class KleisLexer(Lexer):
    """The lexer; it keeps blank lines at both ends, so that places in the text stay what they are."""

    name = "Kleis"
    url = "https://pypi.org/project/pif-kleis/"
    aliases: ClassVar[list[str]] = ["kleis"]
    filenames: ClassVar[list[str]] = ["*.kleis"]
    mimetypes: ClassVar[list[str]] = ["text/x-kleis"]

    def __init__(self, **options: object) -> None:
        super().__init__(**{"stripnl": False, **options})

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Every piece of the text, by place."""
        for piece in coloured(text):
            yield piece.start, TOKENS[piece.colour], piece.text
