"""Text that Typst shows as it is written, and prose that keeps a little of Typst's notation.

`literal` escapes everything that Typst would read.  `prose` keeps emphasis (``*strong*``, ``_emphasis_``) that is closed
where it was opened, mathematics between dollars, references (``@label``) and list items; all else is escaped: ``#``, a
backslash, brackets, raw text, labels, comments, headings.  Inside mathematics ``#``, comments and raw text are escaped, and
the name ``std``, by which mathematics could reach every function of Typst, is text.
"""

from __future__ import annotations

import re
from collections.abc import Container

__all__ = ["formula", "literal", "prose", "quoted"]

_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\#$*_`<>@[]~=+-/"})
_IN_PROSE = str.maketrans({character: f"\\{character}" for character in "\\#$*_`<>@[]~"})

_ITEM = re.compile(r"([ \t]*(?:[-+]|\d{1,6}\.)[ \t]+)(.*)", re.DOTALL)
_REFERENCE = re.compile(r"@[A-Za-z][A-Za-z0-9_]*(?:[-:.][A-Za-z0-9_]+)*")
_HEADING = re.compile(r"([ \t]*)([=/])")


def literal(text: str) -> str:
    """Text that is shown as it is written."""
    return text.translate(_SPECIAL)


def quoted(text: str) -> str:
    """A string of Typst's code and mathematics."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def prose(text: str, labels: Container[str] | None = None) -> str:
    """Prose with emphasis, mathematics, references and lists, and nothing else of Typst's notation.

    `labels` are those that there are: a reference to another one is text; None keeps every reference.
    """
    blocks = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n\n".join(_block(block, labels) for block in blocks)


def _block(block: str, labels: Container[str] | None) -> str:
    """A paragraph, or the items of a list: emphasis ends where the paragraph or the line of an item does."""
    lines = block.split("\n")
    if not any(_ITEM.match(line) for line in lines):
        return "\n".join(_line_start(line) for line in _inline(block, labels).split("\n"))
    written: list[str] = []
    for line in lines:
        item = _ITEM.match(line)
        written.append(item[1] + _inline(item[2], labels) if item else _line_start(_inline(line, labels)))
    return "\n".join(written)


def _line_start(line: str) -> str:
    """A line that begins no heading and no term of a list."""
    return _HEADING.sub(r"\1\\\2", line, count=1) if _HEADING.match(line) else line


def _inline(text: str, labels: Container[str] | None) -> str:
    """A piece in which emphasis must be closed."""
    pieces: list[str] = []
    opened: list[tuple[str, int]] = []
    place = 0
    while place < len(text):
        character = text[place]
        if character == "$" and (end := _end_of_formula(text, place + 1)) is not None:
            pieces.append(f"${formula(text[place + 1 : end])}$")
            place = end + 1
            continue
        if character in "*_" and not _inside_word(text, place):
            _mark(character, pieces, opened)
        elif character == "@" and (found := _reference(text, place, labels)):
            pieces.append(found)
            place += len(found)
            continue
        elif character == "/" and (
            text[place + 1 : place + 2] in ("/", "*") or text[:place].endswith(("/", "*"))
        ):
            pieces.append("\\/")
        else:
            pieces.append(character.translate(_IN_PROSE))
        place += 1
    for mark, where in opened:
        pieces[where] = f"\\{mark}"
    return "".join(pieces)


def _reference(text: str, place: int, labels: Container[str] | None) -> str:
    """The reference that begins here: at the beginning, behind a space or bracket; empty if there is none."""
    found = _REFERENCE.match(text, place)
    if found is None or not (place == 0 or text[place - 1].isspace() or text[place - 1] in "([-"):
        return ""
    return found[0] if labels is None or found[0][1:] in labels else ""


def _mark(mark: str, pieces: list[str], opened: list[tuple[str, int]]) -> None:
    """A mark of emphasis: it opens, closes what was opened last, or is shown."""
    if opened and opened[-1][0] == mark:
        opened.pop()
        pieces.append(mark)
    elif any(each == mark for each, _ in opened):
        pieces.append(f"\\{mark}")
    else:
        opened.append((mark, len(pieces)))
        pieces.append(mark)


def _word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isalnum()


def _inside_word(text: str, place: int) -> bool:
    return _word(text, place - 1) and _word(text, place + 1)


def _end_of_formula(text: str, start: int) -> int | None:
    """Where the dollar stands that ends a formula: not between double quotes, and not right at its beginning."""
    place = start
    while place < len(text):
        if text[place] == "$":
            return place if text[start:place].strip() else None
        if text[place] == '"':
            closing = text.find('"', place + 1)
            if closing < 0:
                return None
            place = closing
        place += 1
    return None


_STRINGS = re.compile(r'("[^"]*")')
_STD = re.compile(r"(?<![A-Za-z0-9])std(?![A-Za-z0-9])")


def formula(text: str) -> str:
    """What stands between two dollars: mathematics that names no code, no comment, no raw text."""
    parts = _STRINGS.split(text)
    return "".join(
        part.replace("\\", "\\\\") if place % 2 else _symbols(part) for place, part in enumerate(parts)
    )


def _symbols(text: str) -> str:
    escaped = re.sub(r"\\(?!\s)", r"\\\\", text)
    for sign in '#$`"':
        escaped = escaped.replace(sign, f"\\{sign}")
    escaped = re.sub(r"/(?=[/*])", "/ ", escaped)
    return _STD.sub('"std"', escaped)
