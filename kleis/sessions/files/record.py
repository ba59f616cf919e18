"""The text of a session's file: imports and items, each item with what was found about it.

The file is ordinary Kleis.  Lines that begin with ``//@`` are for this module (docs/reference/registry.md §12.2):

    //@ session {"version": 1, "imports": ["stdlib/prelude.kleis"], "basis": "sha256…"}
    import "stdlib/prelude.kleis"

    //@ item {"kind": "structure", "status": "consistent", "length": 58, "digest": "…", …}
    structure Magma(M) { … }

An item's line says how many characters follow, so what a client submits can never be taken for such a line.

Invariants
    * ``read(write(record)) == record``.
    * A file that a person has edited is read as what it says: its items are then `unchecked`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.decoding import json_decoder
from kleis.problems import AnswerWarning
from kleis.sessions.files.errors import SessionError
from kleis.syntax import tree
from kleis.syntax.printer.expressions import quote

__all__ = [
    "Item",
    "ItemKind",
    "ItemStatus",
    "Record",
    "heading",
    "item_of",
    "item_text",
    "plain_text",
    "read_record",
]

ItemKind: TypeAlias = Literal["structure", "define", "data", "lemma"]
ItemStatus: TypeAlias = Literal["consistent", "unknown", "unchecked"]

_SESSION = "//@ session "
_ITEM = "//@ item "
_VERSION = 1


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One accepted submission: its text, what it added, how it was found, and warnings that stay."""

    kind: ItemKind
    text: str
    status: ItemStatus
    structures: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    data_types: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    warnings: tuple[AnswerWarning, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """The content of a session's file.  `basis` is the digest of everything imported when it was checked."""

    imports: tuple[str, ...]
    basis: str
    items: tuple[Item, ...]


class _Heading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    imports: tuple[str, ...]
    basis: str


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: ItemKind
    status: ItemStatus
    length: int
    digest: str
    structures: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    data_types: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    warnings: tuple[AnswerWarning | str, ...] = ()
    """Records of before have the text alone."""


_HEADINGS = json_decoder(_Heading)
_LINES = json_decoder(_Line)


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────


def heading(imports: Iterable[str], basis: str) -> str:
    """The beginning of a session's file."""
    names = tuple(imports)
    lines = [f"import {quote(name)}\n" for name in names]
    return _SESSION + _json(_Heading(_VERSION, names, basis)) + "\n" + "".join(lines)


def item_text(item: Item) -> str:
    """What an item adds to the file."""
    line = _Line(
        kind=item.kind,
        status=item.status,
        length=len(item.text),
        digest=_digest(item.text),
        structures=item.structures,
        functions=item.functions,
        data_types=item.data_types,
        axioms=item.axioms,
        warnings=item.warnings,
    )
    return f"\n{_ITEM}{_json(line)}\n{item.text}\n"


def plain_text(imports: Iterable[str], items: Iterable[Item], *, title: str) -> str:
    """The session as a theory to keep: imports and declarations, without the lines of this module."""
    lines = "".join(f"import {quote(name)}\n" for name in imports)
    bodies = "".join(f"\n{item.text.strip()}\n" for item in items)
    return f"// {title}\n\n{lines}{bodies}"


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────


def read_record(text: str, *, file: str) -> Record:
    """The record of a file's text.  `SessionError` (`session-broken`) where it is no Kleis."""
    return _recorded(text) or _edited(text, file)


def _recorded(text: str) -> Record | None:
    """The record of a text that this module wrote; None if it was edited."""
    first, _, _ = text.partition("\n")
    if not first.startswith(_SESSION):
        return None
    try:
        head = _HEADINGS.decode(first[len(_SESSION) :])
    except msgspec.DecodeError:
        return None
    if head.version != _VERSION or not text.startswith(begun := heading(head.imports, head.basis)):
        return None
    items: list[Item] = []
    position = len(begun)
    while position < len(text):
        found = _item_at(text, position)
        if found is None:
            return None
        item, position = found
        items.append(item)
    return Record(head.imports, head.basis, tuple(items))


def _item_at(text: str, position: int) -> tuple[Item, int] | None:
    if not text.startswith("\n" + _ITEM, position):
        return None
    start = position + 1 + len(_ITEM)
    end = text.find("\n", start)
    if end < 0:
        return None
    try:
        line = _LINES.decode(text[start:end])
    except msgspec.DecodeError:
        return None
    body = text[end + 1 : end + 1 + line.length]
    after = end + 1 + line.length
    if (
        line.length < 0
        or len(body) != line.length
        or _digest(body) != line.digest
        or text[after : after + 1] != "\n"
    ):
        return None
    item = Item(
        kind=line.kind,
        text=body,
        status=line.status,
        structures=line.structures,
        functions=line.functions,
        data_types=line.data_types,
        axioms=line.axioms,
        warnings=tuple(
            AnswerWarning("recorded", each) if isinstance(each, str) else each for each in line.warnings
        ),
    )
    return item, after + 1


def _edited(text: str, file: str) -> Record:
    """The record of a file that a person wrote or edited: an item for each declaration."""
    from kleis.syntax.parser.parser import parse_source

    result = parse_source(text, file=file)
    if result.errors:
        error = result.errors[0]
        raise SessionError(
            f"the session's file was changed and cannot be read: {error.message}",
            code="session-broken",
            file=file,
            line=error.line,
            column=error.column,
            found=error.found,
            expected=error.expected,
            hint="mend the file, or begin anew with load_theory",
        )
    imports: list[str] = []
    items: list[Item] = []
    behind = 0
    for declaration in result.program.items:
        if isinstance(declaration, tree.Import):
            imports.append(declaration.path)
        elif isinstance(declaration, tree.Annotation):
            continue
        else:
            items.append(item_of((declaration,), _without_marks(text[behind : declaration.span.end])))
        behind = declaration.span.end
    return Record(tuple(imports), "", tuple(items))


def _without_marks(text: str) -> str:
    """A part of an edited file, comments before a declaration included, without the lines of this module."""
    return "\n".join(line for line in text.split("\n") if not line.startswith("//@")).strip()


def item_of(declarations: Iterable[tree.Declaration], text: str, **found: Any) -> Item:
    """The item of some declarations; `found` are further fields, `unchecked` if none is given."""
    nodes = tuple(declarations)
    structures = tuple(each.name for each in nodes if isinstance(each, tree.Structure))
    functions = tuple(each.name for each in nodes if isinstance(each, tree.FunctionDefinition))
    data_types = tuple(each.name for each in nodes if isinstance(each, tree.DataDefinition))
    kind: ItemKind = "structure"
    if functions and not structures:
        kind = "define"
    elif data_types and not structures:
        kind = "data"
    elif nodes and all(isinstance(each, tree.Lemma) for each in nodes):
        kind = "lemma"
    fields = {"kind": kind, "status": "unchecked", **found}
    return Item(text=text, structures=structures, functions=functions, data_types=data_types, **fields)


def _json(value: msgspec.Struct) -> str:
    return msgspec.json.encode(value).decode()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
