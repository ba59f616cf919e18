"""What stands at a place of a text, for people: the declaration of a name, where it comes from, what is said about it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from kleis.builtins.rows.table import find_builtin
from kleis.editing.definitions import DeclaredAt
from kleis.editing.local_scopes import LocalScope
from kleis.editing.occurrences import Document, Occurrence
from kleis.syntax import tree
from kleis.syntax.printer.program import print_type

__all__ = ["Description", "describe"]

_LONGEST = 1_200
"""A longer declaration is shown up to here."""


class Description(msgspec.Struct, frozen=True):
    """`code` is Kleis; `lines` are about it."""

    code: str
    lines: tuple[str, ...] = ()


def describe(document: Document, occurrence: Occurrence, declared: Sequence[DeclaredAt]) -> list[Description]:
    """What a name is; empty where that is not known."""
    if occurrence.local >= 0:
        local = document.local_at(occurrence)
        return [] if local is None else [_local(local)]
    if declared:
        return [_declared(each) for each in declared]
    row = find_builtin(occurrence.name) if occurrence.space == "term" else None
    if row is None:
        return []
    examples = tuple(f"`{left}` is `{right}`" for left, right in row.examples[:2])
    condition = (f"defined where `{row.condition}`",) if row.condition else ()
    return [Description(row.usage, ("built in", row.doc, *condition, *examples))]


def _local(scope: LocalScope) -> Description:
    node = scope.node
    written: tree.TypeExpression | None = None
    word = "variable"
    match node:
        case tree.Binder(type=written):
            word = "bound variable"
        case tree.Parameter(type=written):
            word = "parameter"
        case tree.TypeParameter(kind=written):
            word = "type parameter"
        case tree.LetStatement(type=written):
            word = "let of the example"
        case _:
            pass
    code = f"{scope.name} : {print_type(written)}" if written is not None else scope.name
    return Description(code, (word,))


def _declared(each: DeclaredAt) -> Description:
    document, declaration = each
    span = declaration.span
    text = document.text[span.start : span.end]
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rpartition("\n")[0] + "\n…"
    owner = f" of {declaration.owner}" if declaration.owner else ""
    lines = [f"{declaration.kind}{owner}, {document.file}:{span.line}"]
    said = _comment_above(document, span.start)
    if said:
        lines.append(said)
    return Description(_without_indentation(text), tuple(lines))


def _without_indentation(text: str) -> str:
    """The lines of a declaration as they would stand at the margin."""
    first, *more = text.split("\n")
    depth = min((len(line) - len(line.lstrip()) for line in more if line.strip()), default=0)
    last = more[-1] if more else ""
    if last.strip() in ("}", ")"):
        depth = len(last) - len(last.lstrip())
    return "\n".join([first, *(line[depth:] if not line[:depth].strip() else line for line in more)])


def _comment_above(document: Document, start: int) -> str:
    """The comments that end on the line above a declaration, without their marks."""
    text, comments = document.text, document.tokens.comments
    index = bisect_right(comments, start, key=lambda each: each[0]) - 1
    found: list[str] = []
    while index >= 0:
        begin, end = comments[index]
        gap = text[end:start]
        alone = not text[text.rfind("\n", 0, begin) + 1 : begin].strip()
        if gap.strip() or gap.count("\n") > 1 or not alone:
            break
        found.insert(0, _plain(text[begin:end]))
        start = begin
        index -= 1
    return "\n".join(found).strip()


def _plain(comment: str) -> str:
    if comment.startswith("//"):
        return comment[2:].strip().strip("─-=").strip()
    return "\n".join(line.strip().strip("*").strip() for line in comment[2:-2].splitlines()).strip()
