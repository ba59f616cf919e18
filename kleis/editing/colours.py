"""A text of Kleis in pieces, each with what it is; the pieces together are the text, whatever it contains.

The parser decides: a word that is a keyword elsewhere and a name here is a name.  Where a text does not parse, the
lexer's first guess stands, so that half a line that is being typed is coloured too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from kleis.editing.words import VALUES, Words, words
from kleis.syntax.parser.lexer import GLUED, VOID, Tokens, is_word
from kleis.syntax.parser.parser import parse_with_tokens

__all__ = ["Colour", "Coloured", "coloured", "coloured_tokens"]

Colour: TypeAlias = Literal[
    "space", "comment", "keyword", "word operator", "operator", "punctuation", "annotation", "declared type",
    "declared", "type", "builtin", "call", "name", "value", "number", "string", "error",
]  # fmt: skip
"""What a piece is.  ``error`` is what no grammar accepts anywhere."""

_DECLARING: dict[str, Colour] = {
    "structure": "declared type",
    "data": "declared type",
    "type": "declared type",
    "implements": "declared type",
    "define": "declared",
    "operation": "declared",
    "element": "declared",
    "axiom": "declared",
    "lemma": "declared",
    "theorem": "declared",
    "promise": "declared",
}
"""What the name after a word is."""

_FIXED: dict[str, Colour] = {
    "NUMBER": "number",
    "STRING": "string",
    "SUPERSCRIPT": "number",
    "ANNOTATION_TEXT": "annotation",
    "!string": "string",
    "!comment": "comment",
    "!deep": "punctuation",
}
"""Kinds of tokens with one colour; a string or comment that is not closed yet is still one."""

_NAMES = ("NAME", "QUALIFIED", "ARGUMENT_NAME", "!glued")


class Coloured(NamedTuple):
    """A piece of a text, from the code point `start` on."""

    start: int
    text: str
    colour: Colour


def coloured(text: str) -> Iterator[Coloured]:
    """The pieces of any text at all, in order, without gaps."""
    _, tokens = parse_with_tokens(text)
    return coloured_tokens(tokens)


def coloured_tokens(tokens: Tokens) -> Iterator[Coloured]:
    """The pieces of a text that is parsed already."""
    text = tokens.text
    comments = iter(tokens.comments)
    comment = next(comments, None)
    place = 0
    known = words()
    for index in range(len(tokens)):
        start, end = tokens.starts[index], tokens.end(index)
        if start < place:
            continue
        while comment is not None and comment[0] < start:
            yield from _between(text, place, comment[0])
            yield Coloured(comment[0], text[slice(*comment)], "comment")
            place = comment[1]
            comment = next(comments, None)
        yield from _between(text, place, start)
        if end > start:
            yield Coloured(start, text[start:end], _colour(tokens, index, known))
        place = end
    yield from _between(text, place, len(text))


def _between(text: str, start: int, end: int) -> Iterator[Coloured]:
    """What stands between two tokens: space, and the mark of byte order."""
    if start < end:
        yield Coloured(start, text[start:end], "space")


def _colour(tokens: Tokens, index: int, known: Words) -> Colour:
    kind, text = tokens.kinds[index], tokens.texts[index]
    if kind in _FIXED:
        return _FIXED[kind]
    before = _word_before(tokens, index)
    if kind == "AT" or before == "@":
        return "annotation"
    if kind in _NAMES or (kind == VOID and is_word(text)):
        return "error" if kind == "!glued" else _name_colour(tokens, index, before, known)
    if kind.startswith("!"):
        return "error"
    if kind in GLUED:
        return "keyword"
    if text in known.keywords:
        return "keyword"
    if text in known.word_operators:
        return "word operator"
    return "operator" if text in known.operators else "punctuation"


def _name_colour(tokens: Tokens, index: int, before: str, known: Words) -> Colour:
    text = tokens.texts[index]
    if before in _DECLARING and tokens.kinds[index - 1] not in _NAMES:
        return _DECLARING[before]
    if text in VALUES:
        return "value"
    if text in known.types:
        return "type"
    if text in known.builtins:
        return "builtin"
    return "call" if tokens.kinds[index + 1 : index + 2] == ["_OPEN"] else "name"


def _word_before(tokens: Tokens, index: int) -> str:
    """The token before this one."""
    return tokens.texts[index - 1] if index else ""
