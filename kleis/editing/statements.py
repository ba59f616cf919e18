"""A text that is typed in pieces, as at a prompt or in a cell: its statements, and whether it is all there.

A statement is a command (``:undo``), imports, declarations, an example block, or a question: a proposition or an
expression. Newlines mean nothing in Kleis, so a statement ends where a line begins that cannot go on what is complete so far.

Invariants
    * The texts of the statements are the text, but for the space and comments between them.
    * Declarations side by side are one statement, so that they may name each other.
    * No text is refused, and the work is bounded: after `MOST_LOOKS` lines that might begin something the rest is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

from kleis.errors import ParseError
from kleis.syntax import tree
from kleis.syntax.operators import CALLED_PREFIX, POSTFIX, PREFIX, SPELLINGS
from kleis.syntax.parser.lexer import Tokens, is_word, tokenize
from kleis.syntax.parser.parser import parse_expression, parse_source

__all__ = ["ASKING_COMMANDS", "Completeness", "Statement", "StatementKind", "completeness", "statements"]

Completeness: TypeAlias = Literal["empty", "complete", "incomplete", "invalid"]
"""``incomplete`` is what more text may complete: an open bracket, string or comment, or an end where something must follow."""

StatementKind: TypeAlias = Literal["command", "import", "declarations", "example", "question"]

MOST_LOOKS = 400

ASKING_COMMANDS = (":prove", ":explain", ":type", ":model")
"""The commands with a question of Kleis behind them, which may go on on the next line."""

_ITEM_WORDS = frozenset({
    "import", "structure", "implements", "data", "operation", "type", "define", "lemma", "theorem", "promise", "example", "axiom",
})  # fmt: skip
_CONTINUING_WORDS = frozenset({
    "then", "else", "in", "with", "over", "extends", "as", "using", "where", "and", "or", "mod", "ᵀ",
})  # fmt: skip
_CONTINUING = frozenset({
    ")", "]", "}", ",", ";", ".", ":", "::", "|", "{", "!", "⟩", "->", "=>", ":=",
    *(each for each in SPELLINGS if not is_word(each)), *(each.symbol for each in POSTFIX.values()),
})  # fmt: skip
_BEGINNING = frozenset({"¬", *CALLED_PREFIX, *(each.symbol for each in PREFIX.values())} - {"-"})
_COMMAND = re.compile(r":[a-z?!]+(?=\s|\Z)")


class Statement(msgspec.Struct, frozen=True):
    """A statement: its text without the space around it, and its line in the whole text, from 1."""

    kind: StatementKind
    text: str
    line: int


def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text, in order."""
    found: list[Statement] = []
    tokens = tokenize(text)
    for start, end in _pieces(text, tokens):
        for each in _separated(text[start:end], text.count("\n", 0, start) + 1):
            last = found[-1] if found else None
            if last is not None and each.kind == "declarations" == last.kind:
                gap = "\n" * max(1, each.line - last.line - last.text.count("\n"))
                found[-1] = Statement("declarations", f"{last.text}{gap}{each.text}", last.line)
            else:
                found.append(each)
    return tuple(found)


def completeness(text: str) -> Completeness:
    """Whether a text can be answered as it is."""
    tokens = tokenize(text)
    if tokens.kinds[-2:-1] in (["!string"], ["!comment"]) or _depths(tokens)[-1] > 0:
        return "incomplete"
    pieces = list(_pieces(text, tokens))
    if not pieces:
        return "empty"
    start, end = pieces[-1]
    return _parsed(text[start:end])


def _pieces(text: str, tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Where pieces of the text begin and end; what a piece holds is of one kind or wrong."""
    if len(tokens) == 1:
        return
    bounds = [_from_comment(tokens, 0)]
    depths = _depths(tokens)
    looks = 0
    for index in range(1, len(tokens) - 1):
        if depths[index] > 0 or not tokens.first_on_line(index) or looks >= MOST_LOOKS:
            continue
        if not _begins_item(tokens, index) and not _is_command(text, tokens, index):
            if not _may_begin(tokens, index):
                continue
            looks += 1
            if _parsed(text[bounds[-1] : tokens.starts[index]]) == "incomplete":
                continue
        bounds.append(_from_comment(tokens, index))
    yield from pairwise([*bounds, len(text)])


def _from_comment(tokens: Tokens, index: int) -> int:
    """Where a piece begins whose first token this is: with the comments before it."""
    start = tokens.starts[index]
    after = tokens.end(index - 1) if index else 0
    line_end = tokens.text.find("\n", after)
    for first, _ in tokens.comments:
        if first >= after and first < start and (index == 0 or 0 <= line_end < first):
            return first
    return start


def _separated(piece: str, line: int) -> Iterator[Statement]:
    """The statements of a piece: imports, examples and declarations apart."""
    stripped = piece.strip()
    line += piece[: len(piece) - len(piece.lstrip())].count("\n")
    if _COMMAND.match(stripped):
        yield Statement("command", stripped, line)
        return
    if not _is_program(stripped):
        yield Statement("question", stripped, line)
        return
    result = parse_source(stripped)
    items = result.program.items
    if result.errors or len(items) < 2:
        yield Statement(_kind_of(items[0]) if items else "declarations", stripped, line)
        return
    starts = [0, *(item.span.start for item in items[1:])]
    for item, (start, end) in zip(items, pairwise([*starts, len(stripped)]), strict=True):
        yield Statement(_kind_of(item), stripped[start:end].strip(), line + stripped[:start].count("\n"))


def _kind_of(item: tree.Declaration) -> StatementKind:
    match item:
        case tree.Import():
            return "import"
        case tree.Example():
            return "example"
        case _:
            return "declarations"


def _parsed(piece: str) -> Completeness:
    """Whether one piece is complete."""
    tokens = tokenize(piece)
    if len(tokens) == 1:
        return "empty"
    command = _COMMAND.match(piece.lstrip())
    if command is not None:
        asked = piece.lstrip()[command.end() :]
        is_open = command[0] in ASKING_COMMANDS and _parsed(asked) == "incomplete"
        return "incomplete" if is_open else "complete"
    errors: tuple[ParseError, ...] = ()
    if _is_program(piece):
        errors = parse_source(piece).errors
    else:
        try:
            parse_expression(piece)
        except ParseError as error:
            errors = (error,)
    if not errors:
        return "complete"
    at_end = (errors[0].line, errors[0].column) == (tokens.lines[-1], tokens.columns[-1])
    return "incomplete" if at_end or not errors[0].found else "invalid"


def _is_program(piece: str) -> bool:
    tokens = tokenize(piece)
    return _begins_item(tokens, 0)


def _begins_item(tokens: Tokens, index: int) -> bool:
    word, following = tokens.texts[index], tokens.texts[index + 1 : index + 2]
    if word == "@":
        return True
    if word not in _ITEM_WORDS or not following:
        return False
    return bool(following[0][:1] in ("(", '"') or is_word(following[0]) or not following[0])


def _is_command(text: str, tokens: Tokens, index: int) -> bool:
    return tokens.texts[index] == ":" and bool(_COMMAND.match(text, tokens.starts[index]))


def _may_begin(tokens: Tokens, index: int) -> bool:
    """Whether a line may begin a question with this token, rather than go on what stands before it."""
    word = tokens.texts[index]
    if word in _CONTINUING_WORDS:
        return False
    return word in _BEGINNING or word not in _CONTINUING


def _depths(tokens: Tokens) -> list[int]:
    """How many brackets are open before each token."""
    depths: list[int] = []
    depth = 0
    for kind, word in zip(tokens.kinds, tokens.texts, strict=True):
        depths.append(depth)
        if kind in ("STRING", "!string", "!comment"):
            continue
        if word[-1:] in ("(", "[", "{"):
            depth += 1
        elif word in (")", "]", "}"):
            depth = max(0, depth - 1)
    return depths
