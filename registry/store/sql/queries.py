"""Questions to the tables: what a name stood for after a given event, and what it stands for now.

Each function asks with a single statement (or inside a transaction of its caller), so no answer mixes two moments.
The cost of each is logarithmic in what is stored, except where a list is asked for.
"""

from __future__ import annotations

from typing import Final

import msgspec

from kleis.decoding import decode_json
from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import (
    NO_EXAMPLES,
    NO_LAWS,
    VERSION_LIMIT,
    ToolRecord,
    content_hash,
    nearest_name,
)
from registry.store.failures import Place, damaged
from registry.store.sql.rows import Rows

__all__ = [
    "ERASABLE",
    "Head",
    "current_version",
    "has_erasable",
    "last_sequence",
    "names_at",
    "read_head",
    "record_at",
    "records_at",
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


def last_sequence(connection: Rows) -> int:
    """The number of the last event; 0 before the first."""
    return int(connection.execute("SELECT coalesce(max(sequence), 0) FROM events").fetchone()[0])


def read_head(connection: Rows, name: str) -> Head:
    """The name as it is now; a name never used is free and has given out no number."""
    row = connection.execute("SELECT current, latest FROM heads WHERE name = ?", (name,)).fetchone()
    return Head(None, 0) if row is None else Head(*row)


def current_version(connection: Rows, name: str, sequence: int) -> int | None:
    """The version that the name stood for after event `sequence`."""
    row = connection.execute(_CURRENT, {"name": name, "sequence": sequence}).fetchone()
    return None if row is None else row[0]


def record_at(
    connection: Rows, place: Place, sequence: int, name: str, version: int | None
) -> ToolRecord | None:
    """The record that the name (and version) stood for after event `sequence`."""
    if version is not None and not 0 < version <= VERSION_LIMIT:
        return None
    statement = _RECORD_CURRENT if version is None else _RECORD_VERSION
    row = connection.execute(statement, {"name": name, "version": version, "sequence": sequence}).fetchone()
    return None if row is None else _record(place, row)


def records_at(connection: Rows, place: Place, sequence: int, name: str) -> tuple[ToolRecord, ...]:
    """All versions of the name that resolved after event `sequence`, ascending."""
    rows = connection.execute(_RECORDS, {"name": name, "sequence": sequence}).fetchall()
    return tuple(_record(place, row) for row in rows)


def versions_at(connection: Rows, sequence: int, name: str) -> tuple[int, ...]:
    """The numbers of those versions."""
    rows = connection.execute(
        "SELECT version FROM versions WHERE name = ? AND evolved <= ? AND (forgotten IS NULL OR forgotten > ?)"
        " ORDER BY version",
        (name, sequence, sequence),
    ).fetchall()
    return tuple(row[0] for row in rows)


def names_at(connection: Rows, sequence: int) -> tuple[str, ...]:
    """All names that resolved after event `sequence`, by code point. All its questions must see the same moment."""
    if last_sequence(connection) == sequence:  # then the heads answer, without a walk through the log
        rows = connection.execute("SELECT name FROM heads WHERE current IS NOT NULL ORDER BY name").fetchall()
    else:
        rows = connection.execute(_NAMES, {"sequence": sequence}).fetchall()
    return tuple(row[0] for row in rows)


def unknown_tool(connection: Rows, name: str, version: int | None = None) -> RegistryError:
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


ERASABLE: Final = (
    "FROM versions JOIN events ON events.sequence = versions.forgotten"
    " WHERE versions.forgotten IS NOT NULL AND versions.hash IS NOT NULL AND events.moment < ?"
)
"""The versions that were forgotten before a moment and are not erased yet."""


def has_erasable(rows: Rows, before: str) -> bool:
    """Whether there is a version that was forgotten before that moment and is not erased yet."""
    return rows.execute(f"SELECT 1 {ERASABLE} LIMIT 1", (before,)).fetchone() is not None


_Row = tuple[
    str, int, str | None, str, str, str | None, str | None, str | None, str | None, str | None, str | None
]


def _record(place: Place, row: _Row) -> ToolRecord:
    name, version, hash_, capabilities, created, code, description, examples, laws, rounded, python = row
    if hash_ is None:
        raise RegistryError(
            "store_error",
            f"{name}@{version} was forgotten while this run was using it, and has been erased",
            file=str(place),
            tool=f"{name}@{version}",
            hint="run it again: a new run sees the tools that are left",
        )
    if code is None or content_hash(code) != hash_ or description is None:
        raise damaged(
            place, f"{name}@{version}", f"the code of {name}@{version} does not have the hash {hash_}"
        )
    try:
        return ToolRecord(
            name=name,
            version=version,
            description=description,
            code=code,
            hash=hash_,
            capabilities=decode_json(capabilities, tuple[str, ...]),
            created=created,
            examples=_promised(examples) or NO_EXAMPLES,
            laws=_promised(laws) or NO_LAWS,
            rounded=None if rounded is None else decode_json(rounded, RoundedNumbers),
            python=python,
        )
    except (msgspec.MsgspecError, TypeError, UnicodeError):
        what = f"what is stored beside the code of {name}@{version} is no JSON"
        raise damaged(place, f"{name}@{version}", what) from None


def _promised(text: str | None) -> str | None:
    """The JSON text of examples or laws, if it is one: a list of objects."""
    if text is not None and text not in (NO_EXAMPLES, NO_LAWS):
        decode_json(text, list[dict[str, msgspec.Raw]])
    return text
