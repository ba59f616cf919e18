"""The tables of the tool store, and how a file comes to have them.

`events` is the log and only grows: an event's sequence number is the moment a snapshot names. `versions` says which
code a version has and between which events it resolves; `content` holds each code once. A version that was forgotten
and erased keeps its row without a hash, so that its number is never given out again. `heads` is what the log amounts
to now, one row a name, for searching and for counting versions; `SqliteStore.check` compares it with the log.

`examples` holds what a version was promised to give, as JSON text, from an event on: what it was before stays readable
to older snapshots. `laws` holds what was found to hold of it in the same way, `certificates` each certificate once.

`versions.rounded` is JSON too: the numbers that lost their fractions when the code was read, null where none did.
`versions.python` is the text that the code was translated from, null where it was written as a term.
`events.principal` is who did it, in the store of a team; null in that of one principal.

A file is marked by its application id, and its user version counts the migrations it has been through.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from registry.errors import RegistryError

__all__ = ["APPLICATION_ID", "MIGRATIONS", "check_tables", "prepare"]

APPLICATION_ID: Final = 0x50494654
"""ASCII "PIFT"; file(1) and other tools read it from the header."""

_FIRST: Final = (
    """CREATE TABLE events (
        sequence INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('evolve', 'describe', 'rollback', 'forget', 'import')),
        version INTEGER,
        current INTEGER,
        description TEXT,
        moment TEXT NOT NULL
    )""",
    "CREATE INDEX events_by_name ON events (name, sequence)",
    "CREATE INDEX events_describing ON events (name, version, sequence) WHERE description IS NOT NULL",
    """CREATE TABLE content (
        hash TEXT PRIMARY KEY NOT NULL,
        code TEXT NOT NULL
    )""",
    """CREATE TABLE versions (
        name TEXT NOT NULL,
        version INTEGER NOT NULL CHECK (version > 0),
        hash TEXT REFERENCES content (hash),
        capabilities TEXT NOT NULL,
        created TEXT NOT NULL,
        evolved INTEGER NOT NULL REFERENCES events (sequence),
        forgotten INTEGER REFERENCES events (sequence),
        PRIMARY KEY (name, version),
        CHECK (hash IS NOT NULL OR forgotten IS NOT NULL)
    ) WITHOUT ROWID""",
    "CREATE INDEX versions_by_hash ON versions (hash)",
    "CREATE INDEX versions_to_erase ON versions (forgotten) WHERE forgotten IS NOT NULL AND hash IS NOT NULL",
    """CREATE TABLE heads (
        name TEXT PRIMARY KEY NOT NULL,
        current INTEGER,
        latest INTEGER NOT NULL,
        changed INTEGER NOT NULL REFERENCES events (sequence),
        folded TEXT NOT NULL
    )""",
    "CREATE INDEX heads_by_change ON heads (changed) WHERE current IS NOT NULL",
)

_EXAMPLES: Final = (
    """CREATE TABLE examples (
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        since INTEGER NOT NULL REFERENCES events (sequence),
        examples TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    ) WITHOUT ROWID""",
)

_LAWS: Final = (
    """CREATE TABLE laws (
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        since INTEGER NOT NULL REFERENCES events (sequence),
        laws TEXT NOT NULL,
        PRIMARY KEY (name, version, since),
        FOREIGN KEY (name, version) REFERENCES versions (name, version)
    ) WITHOUT ROWID""",
    """CREATE TABLE certificates (
        hash TEXT PRIMARY KEY NOT NULL,
        certificate TEXT NOT NULL
    )""",
)

_ROUNDED: Final = ("ALTER TABLE versions ADD COLUMN rounded TEXT",)

_PYTHON: Final = ("ALTER TABLE versions ADD COLUMN python TEXT",)

_PRINCIPAL: Final = ("ALTER TABLE events ADD COLUMN principal TEXT",)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, _EXAMPLES, _LAWS, _ROUNDED, _PYTHON, _PRINCIPAL)
"""The statements of each step; step n leads from user version n to n + 1. Released steps are never edited."""


def prepare(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Bring a new or older file up to date, in one transaction; files of other programs and newer ones are errors.

    The caller keeps other writers out.
    """
    version = _version(connection, path, migrations)
    if version == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in migrations[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that a reader cannot read as it is: that of another program, a newer one, one to be migrated."""
    version = _version(connection, path, MIGRATIONS)
    if version < len(MIGRATIONS):
        raise RegistryError(
            "store_error",
            "the store was written by an older version of this program, and reading it does not change it",
            file=str(path),
            found=f"schema {version}",
            expected=f"schema {len(MIGRATIONS)}",
            hint="open it once without --read-only, or copy it to a place where that is possible",
        )


def _version(connection: sqlite3.Connection, path: Path, migrations: Sequence[Sequence[str]]) -> int:
    """How many migrations a file has been through; files of other programs and newer ones are errors."""
    application, version = _number(connection, "application_id"), _number(connection, "user_version")
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if application != APPLICATION_ID and (application, version, tables) != (0, 0, 0):
        raise RegistryError(
            "store_error",
            "the file is a database of some other program",
            file=str(path),
            found=f"application id {application:#x}, {tables} tables and indexes",
            expected=f"application id {APPLICATION_ID:#x}",
            hint="move it away, or choose another home with --home",
        )
    if version > len(migrations):
        raise RegistryError(
            "store_error",
            "the store was written by a newer version of this program",
            file=str(path),
            found=f"schema {version}",
            expected=f"schema {len(migrations)} or older",
            hint="update this program, or choose another home with --home",
        )
    return version


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
