"""The formatter of `kleis fmt`: layout and spelling of operators, nothing else.

See docs/reference/kleis.md §9.2.  It works on tokens, so comments, parentheses and the author's line breaks stay.  It

    * indents members, statements and cases by four columns a block, and moves continuation lines with the line
      they continue, keeping how far they stand out;
    * puts one space after commas, none before, none inside brackets, one where there were several;
    * keeps at most one blank line, and no white space at the end of lines;
    * spells operators in Unicode (``<=`` → ``≤``), or in ASCII on demand.

Invariant: the tree of the result is the tree of the text, and formatting twice is formatting once.  The first is
checked on every run: a text whose tree would change is returned unchanged.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from kleis.budget import deep
from kleis.syntax import tree
from kleis.syntax.parser.lexer import VOID, Tokens, is_word
from kleis.syntax.parser.parser import parse_source, parse_with_tokens
from kleis.syntax.tree.traversal import walk

__all__ = ["format_source"]

_UNICODE = {
    "->": "→", "==>": "⟹", "<->": "↔", "<=>": "⇔", "<=": "≤", ">=": "≥", "!=": "≠", "and": "∧", "&&": "∧",
    "or": "∨", "||": "∨", "not": "¬", "forall": "∀", "exists": "∃", "lambda": "λ",
}  # fmt: skip
_ASCII = {
    "→": "->", "⟹": "==>", "⇒": "==>", "↔": "<->", "⇔": "<=>", "⟺": "<=>", "≤": "<=", "≥": ">=", "≠": "!=",
    "∧": "and", "&&": "and", "∨": "or", "||": "or", "¬": "not", "∀": "forall", "∃": "exists", "λ": "lambda",
    "·": "*",
}  # fmt: skip
_RESPELLED = {"ARROW", "DOUBLE_ARROW", "IFF", "COMPARISON", "AND", "OR", "NOT", "FORALL", "EXISTS", "LAMBDA"}
_RESPELLED |= {"DOT_OPERATOR"}
_INDENT = 4
_TAB = 4


class _Piece(NamedTuple):
    """A token or a comment with its layout in the source."""

    text: str
    kind: str
    blank_lines: int
    """Before it; -1 if it stands on the line of the piece before it."""
    spaced: bool
    """Whether white space stands before it."""
    column: int
    """Its indentation, if it is the first of its line."""
    starts_unit: bool
    """Whether a member, statement, case or item starts here; for a comment, before what it precedes."""
    precedes: str
    """For a comment, the text of the next token; else empty."""

    @property
    def is_comment(self) -> bool:
        return self.kind == "comment"


@deep()
def format_source(text: str, *, ascii: bool = False, file: str = "<text>") -> str:
    """The text in the canonical layout; raises `ParseError` if it is no program."""
    result, tokens = parse_with_tokens(text, file=file)
    if result.errors:
        first = result.errors[0]
        first.others = result.errors[1:]
        raise first
    formatted = _lay_out(_pieces(tokens, result.program.items, ascii))
    again = parse_source(formatted, file=file)
    return formatted if again.ok and again.program == result.program else text


def _pieces(tokens: Tokens, items: tuple[tree.Declaration, ...], ascii: bool) -> list[_Piece]:
    units = _unit_starts(tokens, items)
    spans = [
        (tokens.starts[index], tokens.end(index), index)
        for index in range(len(tokens) - 1)
        if tokens.kinds[index] != VOID
    ]
    spans = sorted(spans + [(start, end, -1) for start, end in tokens.comments])
    pieces: list[_Piece] = []
    position = 0
    for start, end, index in spans:
        gap = tokens.text[position:start].replace("\ufeff", "")
        breaks = gap.count("\n") if position else 1
        line = tokens.text[tokens.text.rfind("\n", 0, start) + 1 : start]
        if index < 0:
            text, kind = tokens.text[start:end].rstrip(), "comment"
            index = bisect_left(tokens.starts, end)
        else:
            text, kind = _spelling(tokens, index, ascii), tokens.kinds[index]
        column = len(line.expandtabs(_TAB)) if breaks else 0
        precedes = tokens.texts[index] if kind == "comment" else ""
        pieces.append(_Piece(text, kind, min(breaks, 2) - 1, bool(gap), column, index in units, precedes))
        position = end
    return pieces


def _spelling(tokens: Tokens, index: int, ascii: bool) -> str:
    text, kind = tokens.texts[index], tokens.kinds[index]
    if kind in _RESPELLED:
        return (_ASCII if ascii else _UNICODE).get(text, text)
    return text


def _unit_starts(tokens: Tokens, items: tuple[tree.Declaration, ...]) -> set[int]:
    """The tokens with which an item, member, statement or case starts (or the bar before a case)."""
    starts: set[int] = set()
    for item in items:
        units = [item.span.start]
        for node in walk(item):
            match node:
                case tree.Structure() | tree.NestedStructure() | tree.Implements():
                    units += [member.span.start for member in node.members]
                case tree.Example():
                    units += [statement.span.start for statement in node.statements]
                case tree.Case():
                    units.append(node.span.start)
                case _:
                    continue
        for start in units:
            index = bisect_left(tokens.starts, start)
            starts.add(index)
            if index and tokens.kinds[index - 1] == "VBAR":
                starts.add(index - 1)
    return starts


class _Block(NamedTuple):
    """An open brace: the indentation of the line it stands on, and the line that continuations refer to."""

    indent: int
    unit_indent: int
    unit_column: int


def _lay_out(pieces: list[_Piece]) -> str:
    lines: list[str] = []
    blocks: list[_Block] = []
    current, unit = 0, _Block(0, 0, 0)
    outer: list[_Block] = []
    for number, piece in enumerate(pieces):
        if piece.blank_lines >= 0:
            current, unit = _indentation(piece, blocks, unit)
            if piece.blank_lines and lines and not lines[-1].endswith("{") and piece.text != "}":
                lines.append("")
            lines.append(" " * current + piece.text)
        else:
            lines[-1] += _separator(pieces[number - 1], piece) + piece.text
        if piece.is_comment:
            continue
        if piece.text.endswith("{") and piece.kind in ("LBRACE", "LSET", "INDEXED", "UPPER"):
            blocks.append(_Block(current, 0, 0))
            outer.append(unit)
        elif piece.text == "}" and blocks:
            blocks.pop()
            unit = outer.pop()
    return "\n".join(line.rstrip() for line in lines) + ("\n" if lines else "")


def _indentation(piece: _Piece, blocks: list[_Block], unit: _Block) -> tuple[int, _Block]:
    """The indentation of the line that starts with a piece, and the unit that its continuations belong to."""
    inner = blocks[-1].indent + _INDENT if blocks else 0
    if piece.is_comment:
        if piece.precedes in ("", "}") or piece.starts_unit:
            return inner, unit
        return _continued(piece, unit), unit
    if piece.text == "}" and blocks:
        return blocks[-1].indent, _Block(0, blocks[-1].indent, piece.column)
    if piece.starts_unit:
        return inner, _Block(0, inner, piece.column)
    return _continued(piece, unit), unit


def _continued(piece: _Piece, unit: _Block) -> int:
    least = 0 if piece.text in (")", "]") else _INDENT
    return unit.unit_indent + max(least, piece.column - unit.unit_column)


def _separator(before: _Piece, piece: _Piece) -> str:
    """What stands between two pieces of one line."""
    if piece.is_comment:
        return "  " if piece.text.startswith("//") else " "
    if before.is_comment:
        return " " if piece.spaced else ""
    if piece.kind == "SUPERSCRIPT" and not (piece.spaced and is_word(before.text)):
        return ""
    if piece.text in (",", ";") or before.text in ("(", "[") or piece.text in (")", "]"):
        return ""
    joined = is_word(before.text[-1:] + piece.text[:1]) or (
        before.text[-1:].isalnum() and piece.text[:1].isalnum()
    )
    if before.text == "," or joined or (is_word(before.text) and before.kind in _RESPELLED):
        return " "
    if is_word(piece.text) and piece.kind in _RESPELLED:
        return " "
    return " " if piece.spaced else ""
