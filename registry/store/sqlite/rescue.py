"""What of a damaged store can still be read: its tools with their versions, and the names of what is lost.

A table is walked from both ends, so that a damaged page in the middle costs what stands on it and nothing else, and
each code that a walk missed is looked for by its hash. A code counts only with the hash it was stored under. Texts
without a hash (descriptions, examples, laws) are taken as they are read; who takes lineages in checks them again, as
those of any import.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from kleis.decoding import decode_json
from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import NO_EXAMPLES, NO_LAWS, ToolRecord, certificate_hash, content_hash
from registry.store.failures import store_errors
from registry.store.protocol import Lineage, check_record
from registry.store.sqlite.traces import FILE_NAME

__all__ = ["Rescued", "copy_files", "rescue"]

_MAGIC: Final = b"SQLite format 3\0"
_COLUMNS: Final = {
    "versions": ("name, version, hash, capabilities, created, forgotten, rounded, python", "name, version"),
    "events": ("sequence, name, kind, version, current, description", "sequence"),
    "heads": ("name, current, latest", "rowid"),
    "content": ("hash, code", "rowid"),
    "examples": ("name, version, since, examples", "name, version, since"),
    "laws": ("name, version, since, laws", "name, version, since"),
    "certificates": ("hash, certificate", "rowid"),
}

_Row = tuple[Any, ...]


class Rescued(msgspec.Struct, frozen=True):
    """The tools that were read, whole; `lost` names each version that is not among them, with the reason."""

    lineages: tuple[Lineage, ...]
    certificates: dict[str, str]
    lost: tuple[str, ...]
    problems: tuple[str, ...]


def copy_files(home: Path, target: Path) -> None:
    """Copy the database and its logs, as they are, to a directory."""
    for ending in ("", "-wal", "-journal"):
        source = home / (FILE_NAME + ending)
        if source.exists():
            shutil.copyfile(source, target / source.name)


def rescue(copy: Path) -> Rescued:
    """Read a copy of a store; the copy may be changed (its log is taken in).

    Raises `RegistryError` where nothing can be read at all.
    """
    with store_errors(copy):
        with open(copy, "r+b") as file:  # the one part of the header that says nothing of its own
            if file.read(len(_MAGIC)) != _MAGIC:
                file.seek(0)
                file.write(_MAGIC)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.text_factory = lambda text: text.decode(errors="replace")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return _Reading(connection).rescued()


class _Reading:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._problems: list[str] = []
        self._lost: list[str] = []

    def rescued(self) -> Rescued:
        tables = {table: list(self._rows(table)) for table in _COLUMNS}
        codes = {hash_: code for hash_, code in tables["content"] if _is_code(hash_, code)}
        certificates = {
            hash_: text
            for hash_, text in tables["certificates"]
            if isinstance(text, str) and certificate_hash(text) == hash_
        }
        found: dict[str, list[ToolRecord]] = defaultdict(list)
        known: set[tuple[str, int]] = set()
        for name, version, hash_, capabilities, created, forgotten, rounded, python in sorted(
            tables["versions"], key=lambda row: (str(row[0]), str(row[1]).zfill(20))
        ):
            known.add((name, version))
            if forgotten is not None or hash_ is None:
                continue
            code = codes.get(hash_) or self._code(hash_)
            record = self._record(tables, name, version, hash_, capabilities, created, rounded, python, code)
            if record is not None:
                found[name].append(record)
        self._missing(tables, known)
        lineages = tuple(
            Lineage(name, self._current(tables, name, versions), tuple(versions))
            for name, versions in sorted(found.items())
        )
        return Rescued(lineages, certificates, tuple(sorted(set(self._lost))), tuple(self._problems))

    def _rows(self, table: str) -> Iterator[_Row]:
        """The rows of a table that can be reached from either end."""
        columns, key = _COLUMNS[table]
        known = {row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")}
        columns = ", ".join(each if each in (*known, "rowid") else "NULL" for each in columns.split(", "))
        if not known:  # an older store, or a schema that is damaged here
            return
        seen: set[_Row] = set()
        for direction in ("ASC", "DESC"):
            order = ", ".join(f"{each.strip()} {direction}" for each in key.split(","))
            try:
                for row in self._connection.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):
                    if row not in seen:
                        seen.add(row)
                        yield row
                return
            except sqlite3.DatabaseError as error:
                problem = f"the table {table} cannot be read whole: {error}"
                if problem not in self._problems:
                    self._problems.append(problem)

    def _code(self, hash_: Any) -> str | None:
        """A code by its hash, through the index."""
        try:
            row = self._connection.execute("SELECT code FROM content WHERE hash = ?", (hash_,)).fetchone()
        except sqlite3.DatabaseError:
            return None
        return row[0] if row is not None and _is_code(hash_, row[0]) else None

    def _record(
        self,
        tables: dict[str, list[_Row]],
        name: Any,
        version: Any,
        hash_: Any,
        capabilities: Any,
        created: Any,
        rounded: Any,
        python: Any,
        code: str | None,
    ) -> ToolRecord | None:
        if code is None:
            self._lost.append(f"{name}@{version}: its code cannot be read")
            return None
        described = [
            row[5] for row in sorted(tables["events"]) if row[1] == name and row[3] == version and row[5]
        ]
        if not described:
            self._problems.append(f"{name}@{version}: its description cannot be read")
        try:
            record = ToolRecord(
                name,
                version,
                described[-1] if described else "",
                code,
                hash_,
                decode_json(capabilities, tuple[str, ...]),
                created,
                _latest(tables["examples"], name, version) or NO_EXAMPLES,
                _latest(tables["laws"], name, version) or NO_LAWS,
                None if rounded is None else decode_json(rounded, RoundedNumbers),
                python if isinstance(python, str) else None,
            )
            check_record(record)
        except (RegistryError, msgspec.MsgspecError, TypeError) as error:
            self._lost.append(f"{name}@{version}: {error}")
            return None
        return record

    def _missing(self, tables: dict[str, list[_Row]], known: set[tuple[str, int]]) -> None:
        """Versions that other tables speak of, and that are nowhere."""
        told = {(row[1], row[3]) for row in tables["events"] if row[2] in ("evolve", "import")}
        for name, _, latest in tables["heads"]:
            if isinstance(latest, int) and latest < 1_000_000:
                told |= {(name, number) for number in range(1, latest + 1)}
        for name, version in told - known:
            if version is not None:
                self._lost.append(f"{name}@{version}: only its name and number can be read")

    def _current(self, tables: dict[str, list[_Row]], name: str, versions: list[ToolRecord]) -> int:
        """The version that the name stood for, if it was read; else the newest that was."""
        numbers = [each.version for each in versions]
        for row in tables["heads"]:
            if row[0] == name and row[1] in numbers:
                return int(row[1])
        return numbers[-1]


def _is_code(hash_: Any, code: Any) -> bool:
    return isinstance(code, str) and content_hash(code) == hash_


def _latest(rows: list[_Row], name: Any, version: Any) -> str | None:
    """The last JSON text of a version in `examples` or `laws`, if it is still JSON."""
    found = [row for row in rows if row[:2] == (name, version) and isinstance(row[2], int)]
    for row in sorted(found, key=lambda each: -each[2]):
        try:
            msgspec.json.decode(row[3])
        except (msgspec.MsgspecError, TypeError):
            continue
        return str(row[3])
    return None
