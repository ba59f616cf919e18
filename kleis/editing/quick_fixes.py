"""What mends a problem: the import that declares a name, or the name that was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from kleis.editing.occurrences import Document
from kleis.editing.rename import Replacement
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.printer.expressions import quote
from kleis.theory.library_index import declaring_files

__all__ = ["UNDECLARED", "Fix", "fixes", "import_edit"]

UNDECLARED = frozenset({
    "unknown-name", "unknown-function", "unknown-operator", "unknown-constructor", "unknown-structure",
    "unknown-type", "free-name",
})  # fmt: skip
"""The codes of problems about a name that nothing declares."""


class Fix(msgspec.Struct, frozen=True):
    """A change of a text and what it does, in words."""

    title: str
    change: Replacement


def fixes(
    document: Document,
    name: str,
    start: int,
    *,
    known: Callable[[], Iterable[str]],
    elsewhere: Callable[[str], Iterable[str]] = lambda name: (),
) -> Iterator[Fix]:
    """What mends a name at `start` that nothing declares.

    `known` are the names that it may have been meant to be, `elsewhere` the files of the project that declare a name, as
    an import names them.  Files of the library come after those.
    """
    imported = {item.path for item in document.program.items if isinstance(item, tree.Import)}
    for file in dict.fromkeys((*elsewhere(name), *declaring_files(name))):
        if file not in imported:
            yield Fix(f"import {quote(file)}", import_edit(document, file))
    if document.text.startswith(name, start):
        for each in nearest(name, known()):
            yield Fix(f"write {each}", Replacement(start, start + len(name), each))


def import_edit(document: Document, file: str) -> Replacement:
    """The line that imports a file: after the last import, else before the first item and the comment above it."""
    line = f"import {quote(file)}\n"
    text = document.text
    imports = [item for item in document.program.items if isinstance(item, tree.Import)]
    if imports:
        end = text.find("\n", imports[-1].span.end)
        if end < 0:
            return Replacement(len(text), len(text), "\n" + line)
        return Replacement(end + 1, end + 1, line)
    first = document.tokens.starts[0] if len(document.tokens) else 0
    comments = [each for each in document.tokens.comments if each[1] <= first]
    place = 1 if text.startswith("\ufeff") else 0
    for start, end in comments:
        # A comment that a blank line follows is about the file; one that stands on an item is about that.
        gap = text[end : _next_start(comments, end, first)]
        if gap.count("\n") > 1 and start >= place:
            place = end + gap.index("\n") + 1
            place = text.index("\n", place) + 1
    return Replacement(place, place, line + ("" if text[place : place + 1] in ("\n", "") else "\n"))


def _next_start(comments: list[tuple[int, int]], end: int, first: int) -> int:
    return min((start for start, _ in comments if start >= end), default=first)
