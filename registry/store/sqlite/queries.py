"""Questions to the tables: what a name stood for after a given event, and what it stands for now.

Each function asks with a single statement (or inside a transaction of its caller), so no answer mixes two moments.
The cost of each is logarithmic in what is stored, except where a list is asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import (
    NO_EXAMPLES,
    NO_LAWS,
    VERSION_LIMIT,
    ToolRecord,
    content_hash,
    nearest_name,
    valid_name,
)
from registry.store.failures import damaged, store_errors
from registry.store.protocol import Lineage
from registry.store.sqlite.connections import Readers

__all__ = [
    "Head",
    "SqliteSnapshot",
    "current_version",
    "last_sequence",
    "names_at",
    "read_head",
    "record_at",
    "records_at",
    "together",
    "unknown_tool",
    "versions_at",
]

_RECORD: Final = """
    SELECT versions.name, versions.version, versions.hash, versions.capabilities, versions.created, content.code,
           (SELECT described.description FROM events AS described
             WHERE described.name = versions.name AND described.version = versions.version
               AND described.description IS NOT NULL AND described.sequence <= :sequence
             ORDER BY described.sequence DESC LIMIT 1),
           (SELECT promised.examples FROM examples AS promised
             WHERE promised.name = versions.name AND promised.version = versions.version
               AND promised.since <= :sequence
             ORDER BY promised.since DESC LIMIT 1),
           (SELECT found.laws FROM laws AS found
             WHERE found.name = versions.name AND found.version = versions.version AND found.since <= :sequence
             ORDER BY found.since DESC LIMIT 1),
           versions.rounded, versions.python
      FROM versions LEFT JOIN content ON content.hash = versions.hash
     WHERE versions.name = :name AND versions.evolved <= :sequence
       AND (versions.forgotten IS NULL OR versions.forgotten > :sequence)
"""
_CURRENT: Final = """
    SELECT events.current FROM events WHERE events.name = :name AND events.sequence <= :sequence
     ORDER BY events.sequence DESC LIMIT 1
"""
_RECORD_CURRENT: Final = f"{_RECORD} AND versions.version = ({_CURRENT})"
_RECORD_VERSION: Final = f"{_RECORD} AND versions.version = :version"
_RECORDS: Final = f"{_RECORD} ORDER BY versions.version"
_NAMES: Final = """
    SELECT name FROM events
     WHERE current IS NOT NULL
       AND sequence IN (SELECT max(sequence) FROM events WHERE sequence <= :sequence GROUP BY name)
     ORDER BY name
"""


class Head(msgspec.Struct, frozen=True):
    """What a name stands for now: its current version (None: free) and the last number ever given out."""

    current: int | None
    latest: int


@contextmanager
def together(connection: sqlite3.Connection) -> Iterator[None]:
    """Let several questions see the same moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def last_sequence(connection: sqlite3.Connection) -> int:
    """The number of the last event; 0 before the first."""
    return int(connection.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()[0])


def read_head(connection: sqlite3.Connection, name: str) -> Head:
    """The name as it is now; a name never used is free and has given out no number."""
    row = connection.execute("SELECT current, latest FROM heads WHERE name = ?", (name,)).fetchone()
    return Head(None, 0) if row is None else Head(*row)


def current_version(connection: sqlite3.Connection, name: str, sequence: int) -> int | None:
    """The version that the name stood for after event `sequence`."""
    row = connection.execute(_CURRENT, {"name": name, "sequence": sequence}).fetchone()
    return None if row is None else row[0]


def record_at(
    connection: sqlite3.Connection, path: Path, sequence: int, name: str, version: int | None
) -> ToolRecord | None:
    """The record that the name (and version) stood for after event `sequence`."""
    if version is not None and not 0 < version <= VERSION_LIMIT:
        return None
    statement = _RECORD_CURRENT if version is None else _RECORD_VERSION
    row = connection.execute(statement, {"name": name, "version": version, "sequence": sequence}).fetchone()
    return None if row is None else _record(path, row)


def records_at(
    connection: sqlite3.Connection, path: Path, sequence: int, name: str
) -> tuple[ToolRecord, ...]:
    """All versions of the name that resolved after event `sequence`, ascending."""
    rows = connection.execute(_RECORDS, {"name": name, "sequence": sequence}).fetchall()
    return tuple(_record(path, row) for row in rows)


def versions_at(connection: sqlite3.Connection, sequence: int, name: str) -> tuple[int, ...]:
    """The numbers of those versions."""
    rows = connection.execute(
        "SELECT version FROM versions WHERE name = ? AND evolved <= ? AND (forgotten IS NULL OR forgotten > ?)"
        " ORDER BY version",
        (name, sequence, sequence),
    ).fetchall()
    return tuple(row[0] for row in rows)


def names_at(connection: sqlite3.Connection, sequence: int) -> tuple[str, ...]:
    """All names that resolved after event `sequence`, by code point."""
    with together(connection):
        if last_sequence(connection) == sequence:  # then the heads answer, without a walk through the log
            rows = connection.execute(
                "SELECT name FROM heads WHERE current IS NOT NULL ORDER BY name"
            ).fetchall()
        else:
            rows = connection.execute(_NAMES, {"sequence": sequence}).fetchall()
    return tuple(row[0] for row in rows)


def unknown_tool(connection: sqlite3.Connection, name: str, version: int | None = None) -> RegistryError:
    """The error for a name, or a version of it, that does not resolve now."""
    sequence = last_sequence(connection)
    versions = versions_at(connection, sequence, name)
    if version is None or not versions:
        rows = connection.execute("SELECT name FROM heads WHERE current IS NOT NULL").fetchall()
        near = nearest_name(name, (row[0] for row in rows))
        return RegistryError(
            "unknown_tool",
            f"there is no tool named {name!r}",
            place="name",
            tool=name,
            found=name,
            expected="the name of a registered tool",
            hint=f"did you mean {near!r}?" if near else "`list` shows the tools there are",
        )
    given_out = version <= read_head(connection, name).latest and version > 0
    listed = ", ".join(map(str, versions[-10:]))
    return RegistryError(
        "unknown_tool",
        f"version {version} of {name!r} was forgotten" if given_out else f"{name!r} has no version {version}",
        place="version",
        tool=name,
        found=str(version),
        expected=f"one of its versions: {'…, ' if len(versions) > 10 else ''}{listed}",
        hint=f"`history` shows what became of {name!r}",
    )


_Row = tuple[
    str, int, str | None, str, str, str | None, str | None, str | None, str | None, str | None, str | None
]


def _record(path: Path, row: _Row) -> ToolRecord:
    name, version, hash_, capabilities, created, code, description, examples, laws, rounded, python = row
    if hash_ is None:
        raise RegistryError(
            "store_error",
            f"{name}@{version} was forgotten while this run was using it, and has been erased",
            file=str(path),
            tool=f"{name}@{version}",
            hint="run it again: a new run sees the tools that are left",
        )
    if code is None or content_hash(code) != hash_ or description is None:
        raise damaged(
            path, f"{name}@{version}", f"the code of {name}@{version} does not have the hash {hash_}"
        )
    try:
        return ToolRecord(
            name=name,
            version=version,
            description=description,
            code=code,
            hash=hash_,
            capabilities=msgspec.json.decode(capabilities, type=tuple[str, ...]),
            created=created,
            examples=_promised(examples) or NO_EXAMPLES,
            laws=_promised(laws) or NO_LAWS,
            rounded=None if rounded is None else msgspec.json.decode(rounded, type=RoundedNumbers),
            python=python,
        )
    except (msgspec.MsgspecError, TypeError, UnicodeError):
        what = f"what is stored beside the code of {name}@{version} is no JSON"
        raise damaged(path, f"{name}@{version}", what) from None


def _promised(text: str | None) -> str | None:
    """The JSON text of examples or laws, if it is one: a list of objects."""
    if text is not None and text not in (NO_EXAMPLES, NO_LAWS):
        msgspec.json.decode(text, type=list[dict[str, msgspec.Raw]])
    return text


# ── Snapshots ────────────────────────────────────────────────────────────────────────────────────────────────
#
# A snapshot is a number: the last event it sees (docs/reference/registry.md §2.2).
#
# It holds no transaction and no connection. Looking a name up asks the log for the name's last event up to that
# number, so the cost does not depend on how many tools there are, and writes of other processes cannot show. What was
# looked up once is kept, within bounds, for as long as the snapshot lives.

_KEPT: Final = 16_000_000
_NAMES_KEPT: Final = 200_000


class SqliteSnapshot:
    """The registry after one event; see `registry.store.protocol.Snapshot`."""

    def __init__(self, readers: Readers, path: Path, sequence: int) -> None:
        self._readers = readers
        self._path = path
        self._sequence = sequence
        self._found: dict[tuple[str, int | None], ToolRecord | None] = {}
        self._weight = 0
        self._names: tuple[str, ...] | None = None

    @property
    def sequence(self) -> int:
        """The number of the last event that this snapshot sees."""
        return self._sequence

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        """The tool of that name (and version; the current one if None), or None where there is none."""
        key = (name, version)
        if key in (found := self._found):
            return found[key]
        if not valid_name(name):
            return None
        with store_errors(self._path), self._readers.one() as reader:
            record = record_at(reader, self._path, self._sequence, name, version)
        if self._weight > _KEPT:
            self._found, self._weight = {}, 0
        self._found[key] = record
        self._weight += 500 + (len(record.code) if record else 0)
        return record

    def names(self) -> tuple[str, ...]:
        """All names that resolve, by code point."""
        names = self._names
        if names is None:
            with store_errors(self._path), self._readers.one() as reader:
                names = names_at(reader, self._sequence)
            if len(names) <= _NAMES_KEPT:
                self._names = names
        return names

    def lineage(self, name: str) -> Lineage | None:
        """The name's versions that resolve, or None where the name does not."""
        if not valid_name(name):
            return None
        with store_errors(self._path), self._readers.one() as reader, together(reader):
            current = current_version(reader, name, self._sequence)
            if current is None:
                return None
            return Lineage(name, current, records_at(reader, self._path, self._sequence, name))

    def nearest(self, name: str) -> str | None:
        """The known name closest in spelling, for hints."""
        return nearest_name(name, self.names())
