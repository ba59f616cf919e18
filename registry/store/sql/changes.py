"""The changes a store can go through, each as rows of one open transaction.

A `Change` is used inside a transaction that its caller commits or rolls back; it keeps `heads` in step with the log.
See docs/reference/registry.md §2.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from kleis.decoding import decode_json
from registry.errors import RegistryError
from registry.records import NO_EXAMPLES, NO_LAWS, VERSION_LIMIT, ToolRecord, read_laws
from registry.store.failures import Place
from registry.store.protocol import Adopted, EventKind, Evolved, Forgotten, Lineage, Outcome
from registry.store.sql.queries import (
    ERASABLE,
    last_sequence,
    read_head,
    record_at,
    unknown_tool,
    versions_at,
)
from registry.store.sql.rows import Rows

__all__ = ["Change", "folded", "propose"]

_ERASED_AT_ONCE: Final = 64
"""Versions that one write erases at most, so that no write pays for a great clean-up."""

_CONFLICTS_SHOWN: Final = 5


def folded(name: str, description: str) -> str:
    """The text in which `page` looks for words."""
    return f"{name}\n{description}".casefold()


def propose(
    connection: Rows,
    place: Place,
    wanted: ToolRecord,
    expect_version: int | None,
    *,
    keep_laws: bool = True,
) -> Evolved:
    """What evolving `wanted` (whose version does not count) will come to; raises its errors. Changes nothing.

    With `keep_laws`, code that is current keeps the laws that it has."""
    head = read_head(connection, wanted.name)
    _expect(wanted.name, head.current, expect_version)
    outcome: Outcome = "created"
    if head.current is not None:
        outcome = "new_version"
        current = record_at(connection, place, last_sequence(connection), wanted.name, None)
        if current is not None and current.hash == wanted.hash:
            promised = _promised(current.examples, wanted.examples)
            laws = current.laws if keep_laws else wanted.laws
            described = msgspec.structs.replace(
                current, description=wanted.description, examples=promised, laws=laws
            )
            return Evolved(described, _change(current, described))
    if head.latest >= VERSION_LIMIT:
        raise RegistryError(
            "store_error",
            f"{wanted.name!r} has used up its version numbers",
            tool=wanted.name,
            hint="take another name",
        )
    return Evolved(msgspec.structs.replace(wanted, version=head.latest + 1), outcome)


def _change(before: ToolRecord, after: ToolRecord) -> Outcome:
    """What has changed of a version whose code is the same."""
    if before.description != after.description:
        return "description"
    if before.examples != after.examples:
        return "examples"
    return "unchanged" if before.laws == after.laws else "laws"


def _promised(before: str, more: str) -> str:
    """The examples of a version that is evolved again: those it had, and those that are new."""
    known = decode_json(before, list[msgspec.Raw])
    texts = {bytes(example) for example in known}
    added = [one for one in decode_json(more, list[msgspec.Raw]) if bytes(one) not in texts]
    return msgspec.json.encode([*known, *added]).decode() if added else before


def _expect(name: str, current: int | None, expected: int | None) -> None:
    if expected is None or expected == (current or 0):
        return
    now = f"version {current} is current" if current else "the name is free"
    wanted = f"version {expected} to be current" if expected else "the name to be free"
    raise RegistryError(
        "version_conflict",
        f"{name!r} is not as expected: {now}",
        place="expect_version",
        tool=f"{name}@{current}" if current else name,
        found=now,
        expected=wanted,
        hint=f"read {name}@{current}, then try again with expect_version: {current}"
        if current
        else "leave expect_version out, or pass 0",
    )


class Change:
    """One transaction's worth of changes, all at the same moment. The caller keeps other writers out from before it is
    made: the numbers of its events go on from the last one there is."""

    def __init__(self, connection: Rows, place: Place, moment: str) -> None:
        self.principal: str | None = None
        """Who makes the changes, where that is to be told."""
        self._connection = connection
        self._place = place
        self._moment = moment
        self._sequence = last_sequence(connection)

    def evolve(self, wanted: ToolRecord, expect_version: int | None, *, keep_laws: bool = True) -> Evolved:
        """Carry out what `propose` says."""
        evolved = propose(self._connection, self._place, wanted, expect_version, keep_laws=keep_laws)
        record = evolved.record
        match evolved.outcome:
            case "unchanged":
                return evolved
            case "description" | "examples" | "laws":
                sequence = self._event(
                    record.name, "describe", record.version, record.version, record.description
                )
                self._examples(record, sequence)
                self._laws(record, sequence)
                self._head(record.name, record.version, sequence)
            case "created" | "new_version":
                self._head(record.name, record.version, self._version(record, "evolve"))
        return evolved

    def keep_laws(self, before: ToolRecord, laws: str) -> bool:
        """Replace the laws of a version; False where they are not those of `before` any more, or it is gone."""
        name, version = before.name, before.version
        record = record_at(self._connection, self._place, self._sequence, name, version)
        if record is None or (record.hash, record.laws) != (before.hash, before.laws):
            return False
        if record.laws != laws:
            current = read_head(self._connection, name).current
            sequence = self._event(name, "describe", version, current, record.description)
            self._laws(msgspec.structs.replace(record, laws=laws), sequence)
            self._head(name, current, sequence)
        return True

    def rollback(self, name: str, version: int, expect_version: int | None) -> ToolRecord:
        """Make `version` current; no event where it is."""
        head = read_head(self._connection, name)
        if head.current is None:
            raise unknown_tool(self._connection, name)
        _expect(name, head.current, expect_version)
        record = record_at(self._connection, self._place, self._sequence, name, version)
        if record is None:
            raise unknown_tool(self._connection, name, version)
        if version != head.current:
            self._head(name, version, self._event(name, "rollback", version, version))
        return record

    def forget(self, name: str, version: int | None) -> Forgotten:
        """Stop resolving a version or the whole name."""
        head = read_head(self._connection, name)
        versions = versions_at(self._connection, self._sequence, name)
        if not versions:
            raise unknown_tool(self._connection, name)
        if version is not None and version not in versions:
            raise unknown_tool(self._connection, name, version)
        gone = versions if version is None else (version,)
        left = [other for other in versions if other not in gone]
        current = head.current if head.current in left else max(left, default=None)
        sequence = self._event(name, "forget", version, current)
        self._connection.executemany(
            "UPDATE versions SET forgotten = ? WHERE name = ? AND version = ?",
            [(sequence, name, number) for number in gone],
        )
        self._head(name, current, sequence)
        return Forgotten(name, gone, current)

    def expect_current(self, expected: Mapping[str, int | None]) -> None:
        """Refuse unless each name stands for that version now, None for nothing."""
        for name, version in expected.items():
            current = read_head(self._connection, name).current
            if current != version:
                raise RegistryError(
                    "version_conflict", f"{name!r} was changed meanwhile; nothing was taken in", place="name", tool=name,
                    found="nothing" if current is None else f"version {current}",
                    expected="nothing" if version is None else f"version {version}", hint="repeat the command",
                )  # fmt: skip

    def adopt(self, lineages: Iterable[Lineage], *, renumber: bool) -> tuple[Adopted, ...]:
        """Take in lineages; the error lists every version that conflicts."""
        conflicts: list[str] = []
        adopted = tuple(self._adopt_one(lineage, renumber, conflicts) for lineage in lineages)
        if conflicts:
            shown = ", ".join(conflicts[:_CONFLICTS_SHOWN])
            rest = len(conflicts) - _CONFLICTS_SHOWN
            raise RegistryError(
                "version_conflict",
                "these version numbers are taken here by other code, or were given up; nothing was imported: "
                + shown
                + (f" and {rest} more" if rest > 0 else ""),
                found=shown,
                expected="the same code under the same number, or a number not used yet",
                hint="import with renumber to give such versions new numbers",
            )
        return adopted

    def _adopt_one(self, lineage: Lineage, renumber: bool, conflicts: list[str]) -> Adopted:
        name = lineage.name
        head = read_head(self._connection, name)
        latest = head.latest
        here = self._hashes(name)
        numbers: dict[int, int] = {}
        added: list[int] = []
        diverged = False
        for record in lineage.versions:
            number = record.version
            if here.get(number) == record.hash:
                numbers[number] = number
                continue
            if diverged or number <= latest:
                if not renumber:
                    conflicts.append(record.reference)
                    continue
                diverged = True
                same = [other for other, hash_ in here.items() if hash_ == record.hash]
                if same:
                    numbers[number] = max(same)
                    continue
                number = latest + 1
            self._version(msgspec.structs.replace(record, version=number), "import")
            numbers[record.version], here[number], latest = number, record.hash, number
            added.append(number)
        current = head.current or 0
        if added and lineage.current in numbers:
            current = numbers[lineage.current]
            sequence = self._sequence
            if current != added[-1]:
                sequence = self._event(name, "rollback", current, current)
            self._head(name, current, sequence, latest=latest)
        return Adopted(name, numbers, tuple(added), current)

    def erase(self, before: str) -> None:
        """Erase code and description of versions that were forgotten before that moment, some at a time."""
        rows = self._connection.execute(
            f"SELECT versions.name, versions.version, versions.hash {ERASABLE} ORDER BY versions.forgotten LIMIT ?",
            (before, _ERASED_AT_ONCE),
        ).fetchall()
        for name, version, hash_ in rows:
            self._connection.execute(
                "UPDATE versions SET hash = NULL, capabilities = '[]', rounded = NULL, python = NULL"
                " WHERE name = ? AND version = ?",
                (name, version),
            )
            self._connection.execute(
                "UPDATE events SET description = NULL"
                " WHERE name = ? AND version = ? AND description IS NOT NULL",
                (name, version),
            )
            self._connection.execute("DELETE FROM examples WHERE name = ? AND version = ?", (name, version))
            self._erase_laws(name, version)
            self._connection.execute(
                "DELETE FROM content WHERE hash = ? AND NOT EXISTS (SELECT 1 FROM versions WHERE hash = ?)",
                (hash_, hash_),
            )

    def _erase_laws(self, name: str, version: int) -> None:
        """Erase a version's laws, and certificates that no law refers to."""
        of_it = ("SELECT laws FROM laws WHERE name = ? AND version = ?", (name, version))
        texts = [text for (text,) in self._connection.execute(*of_it)]
        self._connection.execute("DELETE FROM laws WHERE name = ? AND version = ?", (name, version))
        for hash_ in {law.certificate for text in texts for law in read_laws(text) if law.certificate}:
            self._connection.execute(
                "DELETE FROM certificates WHERE hash = ?"
                " AND NOT EXISTS (SELECT 1 FROM laws WHERE instr(laws.laws, ?) > 0)",
                (hash_, hash_),
            )

    def _hashes(self, name: str) -> dict[int, str]:
        rows: Sequence[tuple[int, str]] = self._connection.execute(
            "SELECT version, hash FROM versions WHERE name = ? AND forgotten IS NULL", (name,)
        ).fetchall()
        return dict(rows)

    def _version(self, record: ToolRecord, kind: EventKind) -> int:
        """Store a version that is new here; answers its event's number."""
        sequence = self._event(record.name, kind, record.version, record.version, record.description)
        self._connection.execute(
            "INSERT INTO content (hash, code) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
            (record.hash, record.code),
        )
        self._connection.execute(
            "INSERT INTO versions (name, version, hash, capabilities, created, evolved, rounded, python)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                record.name,
                record.version,
                record.hash,
                msgspec.json.encode(record.capabilities).decode(),
                record.created,
                sequence,
                None if record.rounded is None else msgspec.json.encode(record.rounded).decode(),
                record.python,
            ),
        )
        self._examples(record, sequence)
        if record.laws != NO_LAWS:
            self._laws(record, sequence)
        return sequence

    @property
    def sequence(self) -> int:
        """The number of the last event, those of this change included."""
        return self._sequence

    def certificates(self, texts: Mapping[str, str]) -> None:
        """Keep certificates, by their hashes."""
        self._connection.executemany(
            "INSERT INTO certificates (hash, certificate) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
            list(texts.items()),
        )

    def _laws(self, record: ToolRecord, sequence: int) -> None:
        """Keep a version's laws from event `sequence` on."""
        self._connection.execute(
            "INSERT INTO laws (name, version, since, laws) VALUES (?, ?, ?, ?)",
            (record.name, record.version, sequence, record.laws),
        )

    def _examples(self, record: ToolRecord, sequence: int) -> None:
        """Keep a version's examples from event `sequence` on."""
        if record.examples != NO_EXAMPLES:
            self._connection.execute(
                "INSERT INTO examples (name, version, since, examples) VALUES (?, ?, ?, ?)",
                (record.name, record.version, sequence, record.examples),
            )

    def _event(
        self,
        name: str,
        kind: EventKind,
        version: int | None,
        current: int | None,
        description: str | None = None,
    ) -> int:
        self._sequence += 1
        self._connection.execute(
            "INSERT INTO events (sequence, name, kind, version, current, description, moment, principal)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (self._sequence, name, kind, version, current, description, self._moment, self.principal),
        )
        return self._sequence

    def _head(self, name: str, current: int | None, sequence: int, *, latest: int | None = None) -> None:
        """Bring the name's head up to date with event `sequence`."""
        text = ""
        if current is not None:
            row = self._connection.execute(
                "SELECT description FROM events WHERE name = ? AND version = ? AND description IS NOT NULL"
                " ORDER BY sequence DESC LIMIT 1",
                (name, current),
            ).fetchone()
            text = folded(name, row[0])
        self._connection.execute(
            "INSERT INTO heads (name, current, latest, changed, folded) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET current = excluded.current, changed = excluded.changed,"
            " folded = excluded.folded, latest ="
            " CASE WHEN heads.latest > excluded.latest THEN heads.latest ELSE excluded.latest END",
            (name, current, latest or current or 0, sequence, text),
        )
