"""The tool store on SQLite: one file in the home, shared by any number of processes.

Every write is one IMMEDIATE transaction under the home's lock and is synchronised to disk before it is acknowledged
(write-ahead log, `synchronous = FULL`). Reads take a reader from a pool and ask for a fixed sequence number, so they
wait for no writer. The files are readable by their owner only.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError
from registry.records import NAME_RULE, NO_EXAMPLES, NO_LAWS, ToolRecord
from registry.store.failures import closed, empty_beside_traces, store_errors, unwritable_home
from registry.store.protocol import (
    PAGE_LIMIT,
    Adopted,
    Event,
    Evolved,
    Forgotten,
    Lineage,
    check_record,
    check_spelling,
    out_of_range,
    search_words,
)
from registry.store.sqlite.changes import Change, propose
from registry.store.sqlite.connections import Readers, connect_writer, make_private
from registry.store.sqlite.maintenance import copy_whole, problems
from registry.store.sqlite.queries import SqliteSnapshot, last_sequence, record_at, together, unknown_tool
from registry.store.sqlite.tables import prepare
from registry.store.sqlite.traces import FILE_NAME, LOCK_NAME, is_empty, may_only_be_read, traces
from registry.store.sqlite.version_counter import VersionCounter

__all__ = ["FILE_NAME", "GRACE", "PATIENCE", "SqliteStore"]

PATIENCE: Final = 10.0
"""Seconds a write waits for other processes."""

GRACE: Final = 3_600.0
"""Seconds between `forget` and erasing; longer than any run, whose snapshot may still need the code."""

_RECHECK: Final = 1.0
"""Seconds after which a snapshot asks the database even where the counter says that nothing was written; without this
a process would miss all writes from the moment the lock file is replaced."""

_CODES: Final = (
    "FROM heads JOIN versions ON versions.name = heads.name AND versions.version = heads.current"
    " JOIN content ON content.hash = versions.hash"
)
"""The current tools with their code."""

_NAMED: Final = re.compile(rf'"({NAME_RULE})(?:@[0-9]+)?"')
"""A string in code that could be a tool's name, with or without a version."""

_AT_ONCE: Final = 500
"""Codes that `namings` looks at between two calls of `visit`: some milliseconds."""


class _Seen(msgspec.Struct, frozen=True):
    """The last snapshot that was given, the count of writes before it was taken, and when."""

    snapshot: SqliteSnapshot
    count: int
    checked: float


class SqliteStore:
    """See `registry.store.protocol.Store`."""

    def __init__(
        self,
        home: Path,
        *,
        patience: float = PATIENCE,
        grace: float = GRACE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the store in directory `home`, making both where they are not there."""
        self._path = home / FILE_NAME
        self._grace = grace
        self._clock = clock
        self._lock = threading.Lock()
        self._closed = False
        self._seen: _Seen | None = None
        try:
            with store_errors(self._path), ExitStack() as undo:
                home.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._counter = VersionCounter(home / LOCK_NAME, patience=patience)
                undo.callback(self._counter.close)
                with self._counter.held():
                    self._open(home, patience, undo)
                undo.pop_all()
        except RegistryError as error:
            if may_only_be_read(self._path):
                raise unwritable_home(self._path, error.found) from error
            raise

    def _open(self, home: Path, patience: float, undo: ExitStack) -> None:
        if is_empty(self._path):
            found = traces(home, written=self._counter.value())
            if found:
                raise empty_beside_traces(self._path, found)
            with self._counter.counted():
                make_private(self._path)
                self._connect(patience, undo)
        else:
            make_private(self._path)
            self._connect(patience, undo)

    def _connect(self, patience: float, undo: ExitStack) -> None:
        self._writer = connect_writer(self._path, patience=patience)
        undo.callback(self._writer.close)
        prepare(self._writer, self._path)
        self._readers = Readers(self._path, patience=patience)

    def snapshot(self) -> SqliteSnapshot:
        """The registry as it is now; the same object as long as nothing was written."""
        if self._closed:
            raise closed(self._path)
        count, now, seen = self._writes(), time.monotonic(), self._seen
        if seen is not None and seen.count == count and not count % 2 and now - seen.checked < _RECHECK:
            return seen.snapshot
        with self._reading() as reader:
            sequence = last_sequence(reader)
        if seen is not None and seen.snapshot.sequence == sequence:
            snapshot = seen.snapshot
        else:
            snapshot = SqliteSnapshot(self._readers, self._path, sequence)
        self._seen = _Seen(snapshot, count, now)
        return snapshot

    def _writes(self) -> int:
        """The count of writes; even where none is under way."""
        return self._counter.value()

    def evolve(
        self,
        name: str,
        *,
        code: str,
        hash: str,
        description: str,
        capabilities: Sequence[str],
        examples: str = NO_EXAMPLES,
        laws: str | None = None,
        certificates: Mapping[str, str] | None = None,
        rounded: RoundedNumbers | None = None,
        python: str | None = None,
        expect_version: int | None = None,
        dry_run: bool = False,
    ) -> Evolved:
        """Make `code` the current version of `name`; see `registry.store.protocol.Store.evolve`."""
        moment = self._moment()
        wanted = ToolRecord(
            name,
            0,
            description,
            code,
            hash,
            tuple(sorted(capabilities)),
            moment,
            examples,
            laws or NO_LAWS,
            rounded,
            python,
        )
        check_record(wanted)
        keep_laws = laws is None
        if dry_run:
            with self._reading() as reader, together(reader):
                return propose(reader, self._path, wanted, expect_version, keep_laws=keep_laws)
        with self._change(moment) as change:
            change.certificates(certificates or {})
            return change.evolve(wanted, expect_version, keep_laws=keep_laws)

    def keep_laws(self, record: ToolRecord, laws: str, certificates: Mapping[str, str] | None = None) -> bool:
        """Replace the laws of a version, if they are still those of `record`; see `registry.store.protocol.Store`."""
        check_spelling(record.name)
        with self._change() as change:
            if not change.keep_laws(record, laws):
                return False
            change.certificates(certificates or {})
            return True

    def rollback(self, name: str, version: int, *, expect_version: int | None = None) -> ToolRecord:
        """Make a version that the name already has its current one."""
        check_spelling(name)
        with self._change() as change:
            return change.rollback(name, version, expect_version)

    def forget(self, name: str, version: int | None = None) -> Forgotten:
        """Stop resolving one version, or all of them; the name moves to its newest remaining version."""
        check_spelling(name)
        with self._change() as change:
            return change.forget(name, version)

    def certificate(self, hash: str) -> str | None:
        """The text of a certificate, or None where there is none of that hash."""
        with self._reading() as reader:
            row = reader.execute("SELECT certificate FROM certificates WHERE hash = ?", (hash,)).fetchone()
        return None if row is None else str(row[0])

    def adopt(
        self,
        lineages: Sequence[Lineage],
        *,
        renumber: bool = False,
        certificates: Mapping[str, str] | None = None,
    ) -> tuple[Adopted, ...]:
        """Take in lineages from another store, all of them or none."""
        for lineage in lineages:
            for record in lineage.versions:
                check_record(record)
        with self._change() as change:
            change.certificates(certificates or {})
            return change.adopt(lineages, renumber=renumber)

    def history(self, name: str) -> tuple[Event, ...]:
        """Everything that happened to the name, oldest first; also of a name that was forgotten."""
        check_spelling(name)
        with self._reading() as reader, together(reader):
            rows = reader.execute(
                "SELECT events.sequence, events.name, events.kind, events.version, events.current,"
                "       events.description, versions.hash, events.moment"
                "  FROM events LEFT JOIN versions"
                "    ON versions.name = events.name AND versions.version = events.version"
                " WHERE events.name = ? ORDER BY events.sequence",
                (name,),
            ).fetchall()
            if not rows:
                raise unknown_tool(reader, name)
        return tuple(Event(*row) for row in rows)

    def page(self, query: str = "", offset: int = 0, limit: int = 50) -> tuple[int, tuple[ToolRecord, ...]]:
        """How many current tools match, and the `limit` of them after `offset`."""
        words = search_words(query)
        if not 0 <= offset < 2**63:
            raise out_of_range("offset", offset, "0 or more")
        if not 1 <= limit <= PAGE_LIMIT:
            raise out_of_range("limit", limit, f"1 to {PAGE_LIMIT}")
        matching = "FROM heads WHERE current IS NOT NULL" + " AND instr(folded, ?) > 0" * len(words)
        with self._reading() as reader, together(reader):
            # One walk through the heads, ranked here: quicker than counting and sorting in SQL.
            names = [name for (name,) in reader.execute(f"SELECT name {matching} ORDER BY name", words)]
            if words:
                names.sort(key=partial(_rank, " ".join(words)))
            chosen = names[offset : offset + limit]
            return len(names), self._records(reader, last_sequence(reader), chosen)

    def naming(self, name: str) -> tuple[str, ...]:
        """The current tools in whose code that name stands as a string; what the code says by it is not looked at."""
        check_spelling(name)
        return self._holding(f'"{name}"', f'"{name}@')

    def naming_by_run(self) -> tuple[str, ...]:
        """The current tools whose code has a `code_of` of a term: of a name it is printed as a string."""
        return self._holding('"code_of":{', '"code_of":[')

    def _holding(self, *texts: str) -> tuple[str, ...]:
        """The current tools in whose code one of two texts stands."""
        with self._reading() as reader:
            rows = reader.execute(
                f"SELECT heads.name {_CODES} WHERE instr(content.code, ?) > 0 OR instr(content.code, ?) > 0"
                " ORDER BY heads.name",
                texts,
            ).fetchall()
        return tuple(found for (found,) in rows)

    def namings(self, visit: Callable[[int], None]) -> dict[str, list[str]]:
        """`naming` of every current tool, in one walk; see `registry.store.protocol.Store`."""
        found: dict[str, list[str]] = {}
        with self._reading() as reader, together(reader):
            names = {name for (name,) in reader.execute("SELECT name FROM heads WHERE current IS NOT NULL")}
            rows = reader.execute(f"SELECT heads.name, content.code {_CODES} ORDER BY heads.name")
            while some := rows.fetchmany(_AT_ONCE):
                visit(len(some))
                for namer, code in some:
                    for named in names.intersection(_NAMED.findall(code)):
                        found.setdefault(named, []).append(namer)
        return found

    def recent(self, limit: int) -> tuple[ToolRecord, ...]:
        """The tools last evolved, described, rolled back or imported, latest first."""
        if not 0 <= limit <= PAGE_LIMIT:
            raise out_of_range("limit", limit, f"0 to {PAGE_LIMIT}")
        with self._reading() as reader, together(reader):
            latest = "SELECT name FROM heads WHERE current IS NOT NULL ORDER BY changed DESC LIMIT ?"
            names = [name for (name,) in reader.execute(latest, (limit,))]
            return self._records(reader, last_sequence(reader), names)

    def backup(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a complete copy to one file, while others go on reading and writing."""
        with self._reading() as reader:
            copy_whole(reader, self._path, path, overwrite=overwrite)

    def check(self) -> tuple[str, ...]:
        """Everything that is wrong with what is stored, as texts; empty where all is well."""
        try:
            with self._reading() as reader:
                return tuple(problems(reader))
        except RegistryError as error:
            if error.kind != "store_error" or self._closed:
                raise
            return (f"{error.message} ({error.found})",)

    def close(self) -> None:
        """Let go of all files."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._readers.close()
            self._writer.close()
            self._counter.close()

    def _records(
        self, reader: sqlite3.Connection, sequence: int, names: Sequence[str]
    ) -> tuple[ToolRecord, ...]:
        records = (record_at(reader, self._path, sequence, name, None) for name in names)
        return tuple(record for record in records if record is not None)

    def _moment(self, ago: float = 0.0) -> str:
        """The time as the store writes it; such texts sort as the moments they stand for."""
        then = datetime.fromtimestamp(self._clock() - ago, UTC)
        return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with store_errors(self._path), self._readers.one() as reader:
            yield reader

    @contextmanager
    def _change(self, moment: str | None = None) -> Iterator[Change]:
        """One transaction: committed and on disk when the `with` ends, or undone."""
        with self._lock:
            if self._closed:
                raise closed(self._path)
            with store_errors(self._path), self._counter.writing():
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    change = Change(self._writer, self._path, moment or self._moment())
                    yield change
                    change.erase(self._moment(self._grace))
                    self._writer.execute("COMMIT")
                except BaseException:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise


def _rank(start: str, name: str) -> tuple[int, str]:
    """Where a match stands in a page: the name itself, names that start so, that hold it, the rest."""
    folded = name.lower()
    if folded == start:
        return 0, name
    if folded.startswith(start):
        return 1, name
    return (2 if start in folded else 3), name
