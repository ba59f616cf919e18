"""The outline of a text, and the propositions in it that a prover can be asked about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from kleis.editing.declared_names import Declaration, DeclaredKind
from kleis.editing.occurrences import Document
from kleis.syntax import tree
from kleis.syntax.parser.lexer import Tokens

__all__ = ["Entry", "EntryKind", "Proposition", "outline", "propositions"]

EntryKind: TypeAlias = DeclaredKind | Literal["implementation", "example"]


class Entry(msgspec.Struct, frozen=True):
    """One line of an outline: a range of code points, the range of the name in it, and what is inside."""

    name: str
    kind: EntryKind
    start: int
    end: int
    name_start: int
    name_end: int
    inside: tuple[Entry, ...] = ()


def outline(document: Document) -> list[Entry]:
    """The items of a text that could be read, with their members, in order."""
    members: dict[str, list[Declaration]] = {}
    for each in document.declarations:
        members.setdefault(each.owner, []).append(each)
    named = {id(each.node): each for each in members.get("", ())}
    found: list[Entry] = []
    for item in document.program.items:
        match item:
            case tree.Example():
                found.append(_whole(item, item.name, "example"))
            case tree.Implements():
                found.append(_whole(item, item.name, "implementation"))
            case _ if id(item) in named:
                found.append(_entry(named[id(item)], members, document))
            case _:
                pass
    return found


def _entry(each: Declaration, members: dict[str, list[Declaration]], document: Document) -> Entry:
    path = f"{each.owner}::{each.name}" if each.owner else each.name
    holds = each.kind in ("structure", "data type", "nested structure")
    inside = [
        _entry(member, members, document)
        for member in (members.get(path, ()) if holds else ())
        if each.span.start <= member.start < each.span.end and member is not each
    ]
    text = document.text[each.start : each.end]
    return Entry(text, each.kind, each.span.start, each.span.end, each.start, each.end, tuple(inside))


def _whole(item: tree.Example | tree.Implements, name: str, kind: EntryKind) -> Entry:
    return Entry(name, kind, item.span.start, item.span.end, item.span.start, item.span.end)


# ── Propositions ─────────────────────────────────────────────────────────────────────────────────────────────


class Proposition(msgspec.Struct, frozen=True):
    """A lemma, or an assertion of an example: what *check* asks about.

    item
        The place of its item among those of the program.
    place
        Of an assertion, its place among those of the example; -1 for a lemma.
    key
        Equal for two versions of a text that ask the same: layout, comments and other examples do not matter.  Imports
        are not part of it.
    """

    name: str
    start: int
    end: int
    item: int
    place: int
    key: str


def propositions(document: Document) -> list[Proposition]:
    """The propositions of a text, in order."""
    return list(_propositions(document))


def _propositions(document: Document) -> Iterator[Proposition]:
    items = document.program.items
    if not any(isinstance(each, tree.Lemma | tree.Example) for each in items):
        return
    digests = _digests(document.tokens, items)
    declared = _joined(
        digest for digest, item in zip(digests, items, strict=True) if not isinstance(item, tree.Example)
    )
    for index, item in enumerate(items):
        if isinstance(item, tree.Lemma):
            key = _joined([declared, digests[index], "lemma"])
            yield Proposition(item.name, item.span.start, item.span.end, index, -1, key)
        elif isinstance(item, tree.Example):
            # Lemmas before a block serve it, so its place among them counts.
            before = sum(isinstance(each, tree.Lemma) for each in items[:index])
            asserted = [each for each in item.statements if isinstance(each, tree.Assertion)]
            for place, each in enumerate(asserted):
                key = _joined([declared, digests[index], str(before), str(place)])
                yield Proposition(item.name, each.span.start, each.span.end, index, place, key)


def _digests(tokens: Tokens, items: tuple[tree.Declaration, ...]) -> list[str]:
    """For each item a digest of its tokens."""
    found: list[str] = []
    index = 0
    for item in items:
        while tokens.starts[index] < item.span.start:
            index += 1
        begin = index
        while index < len(tokens) - 1 and tokens.starts[index] < item.span.end:
            index += 1
        found.append(_joined(tokens.texts[begin:index]))
    return found


def _joined(parts: Iterable[str]) -> str:
    text = "\0".join(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
