"""What a running server offers of its tools, kept up to date by what has changed (docs/reference/registry.md §3.1).

The first look reads all tools. Each later one reads the names that something happened to since, and those whose code names them,
directly or through others: their identities may be others now. Objects are not kept: a version's is made from its record when it is asked
for, and sent only if it has that hash still.

Left out is what cannot mean elsewhere what it means here: tools that call a team's tool or are too large, and all that call these.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, TEAM_PREFIX, ToolRecord
from registry.sharing.identity import Identities, named_in
from registry.sharing.keys import KeyFile
from registry.sharing.manifest import Offered, Row, object_hash, shard_of
from registry.sharing.publication import rooted, row_of, shard_text, with_users
from registry.sharing.questions import QuestionCatalogue
from registry.sharing.theory_catalogue import TheoryCatalogue
from registry.store.exchange.file_format import record_text
from registry.store.protocol import Store
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["PAGE_BYTES", "Catalogue"]

PAGE_BYTES: Final = 1024 * 1024
"""Bytes of the objects of one page, but that one object is sent however long it is."""


class _Entry(msgspec.Struct, frozen=True):
    """A tool of the home: its rows, None where it cannot be offered, and the plain names that its codes have."""

    offered: Offered | None
    named: tuple[str, ...]


class Catalogue:
    """The tools of one home, for those who pull from its server. Safe in threads."""

    def __init__(
        self,
        home: Path,
        namespace: str,
        theories: TheoryCatalogue | None = None,
        questions: QuestionCatalogue | None = None,
    ) -> None:
        self._questions = questions
        self._home = home
        self._namespace = namespace
        self._theories = theories
        self._lock = threading.Lock()
        self._sequence = -1
        self._entries: dict[str, _Entry] = {}
        self._users: dict[str, set[str]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._left_out: set[str] = set()
        self._troubled: set[str] = set()
        self._members: dict[str, set[str]] = {}
        self._shards: dict[str, tuple[str, bytes]] = {}
        self._places: dict[str, str] = {}
        self.looked_at = 0
        """Tools that were computed anew, in all."""

    def root(self, tools: SnapshotTools, store: Store) -> bytes:
        """The root of what is offered now. The key of the home is made where there is none. Raises `store_error`, `invalid_argument`."""
        with self._lock:
            self._bring_up_to_date(tools, store)
            keys = KeyFile(self._home)
            if not keys.path.exists():
                keys.create()
            shards = {shard: hash_ for shard, (hash_, _) in sorted(self._shards.items())}
            theories = "" if self._theories is None else self._theories.bring_up_to_date()
            questions = "" if self._questions is None else self._questions.bring_up_to_date()
            return rooted(
                shards, self._home, self._namespace, stream="server", theories=theories, questions=questions
            )[1]

    def objects(self, hashes: Iterable[str], tools: SnapshotTools, store: Store) -> dict[str, str]:
        """Of the objects asked for those that there are, as many as a page takes."""
        with self._lock:
            self._bring_up_to_date(tools, store)
            texts = dict(self._shards.values())
            places = self._places
            hashes = [*hashes]
            for others in (self._theories, self._questions):
                found = ((each, None if others is None else others.object(each)) for each in hashes)
                texts |= {hash_: content for hash_, content in found if content is not None}
        page: dict[str, str] = {}
        size = 0
        for hash_ in hashes:
            content = texts.get(hash_) or _made(hash_, places.get(hash_), tools, store)
            if content is None:
                continue
            if page and size + len(content) > PAGE_BYTES:
                break
            page[hash_] = content.decode()
            size += len(content)
        return page

    def _bring_up_to_date(self, tools: SnapshotTools, store: Store) -> None:
        sequence = tools.snapshot.sequence
        if sequence == self._sequence:
            return
        begun = tools.snapshot.names() if self._sequence < 0 else store.changed_since(self._sequence)
        affected = with_users(begun, self._users)
        identities = Identities(tools.find, self._named, self._known_but(affected))
        shards = set()
        for name in affected:
            self._renew(name, tools, store, identities)
            shards.add(shard_of(name))
        left_out = with_users(self._troubled, self._users)
        shards |= {shard_of(name) for name in left_out ^ self._left_out}
        self._left_out = left_out
        self._renew_shards(shards)
        self._sequence = sequence
        self.looked_at += len(affected)

    def _known_but(self, affected: set[str]) -> dict[str, str]:
        """The identities of all versions but those of these names."""
        return {
            f"{name}@{version}": row.identity
            for name, entry in self._entries.items()
            if entry.offered is not None and name not in affected
            for version, row in entry.offered.versions.items()
        }

    def _renew(self, name: str, tools: SnapshotTools, store: Store, identities: Identities) -> None:
        before = self._entries.pop(name, None)
        self._troubled.discard(name)
        members = self._members.setdefault(shard_of(name), set())
        members.discard(name)
        if before is not None:
            for each in before.named:
                self._users[each].discard(name)
            for row in before.offered.versions.values() if before.offered is not None else ():
                self._places.pop(row.object, None)
        lineage = tools.lineage(name)
        if lineage is None:
            return
        rows: dict[str, Row] = {}
        named: set[str] = set()
        trouble = False
        for record in lineage.versions:
            written = self._named(record)
            named |= {each.partition("@")[0] for each in written}
            trouble = trouble or any(each.startswith(TEAM_PREFIX) for each in written)
        if not trouble:
            try:
                for record in lineage.versions:
                    rows[str(record.version)] = self._row(record, store, identities)
            except RegistryError as error:
                if error.kind == "store_error":
                    raise
                trouble = True
        for each in named:
            self._users.setdefault(each, set()).add(name)
        offered = None if trouble else Offered(lineage.current, rows)
        self._entries[name] = _Entry(offered, tuple(named))
        members.add(name)
        if trouble:
            self._troubled.add(name)

    def _row(self, record: ToolRecord, store: Store, identities: Identities) -> Row:
        objects: dict[str, bytes] = {}
        row = row_of(record, identities.named(record), identities, store, objects)
        self._places |= dict.fromkeys(row.certificates, "")
        self._places[row.object] = record.reference
        return row

    def _renew_shards(self, shards: set[str]) -> None:
        for shard in shards:
            tools = {
                name: offered
                for name in sorted(self._members.get(shard, ()))
                if name not in self._left_out and (offered := self._entries[name].offered) is not None
            }
            if tools:
                content = shard_text(tools)
                self._shards[shard] = (object_hash(content), content)
            else:
                self._shards.pop(shard, None)

    def _named(self, record: ToolRecord) -> tuple[str, ...]:
        if record.hash not in self._names:
            self._names[record.hash] = named_in(record.code)
        return self._names[record.hash]


def _made(hash_: str, place: str | None, tools: SnapshotTools, store: Store) -> bytes | None:
    """An object anew: the text of a version, or that of a certificate; None where it is not what it was."""
    if place is None:
        return None
    if not place:
        text = store.certificate(hash_)
        return None if text is None else text.encode()
    record = tools.find(place)
    if record is None or record.name.startswith(LIBRARY_PREFIX):
        return None
    content = record_text(record)
    return content if object_hash(content) == hash_ else None
