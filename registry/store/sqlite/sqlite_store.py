"""The tool store on SQLite: one file in the home, shared by any number of processes.

Every write is one IMMEDIATE transaction under the home's lock and is synchronised to disk before it is acknowledged
(write-ahead log, `synchronous = FULL`). Reads take a reader from a pool and ask for a fixed sequence number, so they
wait for no writer. The files are readable by their owner only.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from registry.errors import RegistryError
from registry.store.failures import closed, empty_beside_traces, store_errors, unwritable_home
from registry.store.sql.changes import Change
from registry.store.sql.queries import last_sequence
from registry.store.sql.rows import Rows
from registry.store.sql.snapshot import SqlSnapshot
from registry.store.sql.sql_store import GRACE, PATIENCE, SqlStore
from registry.store.sqlite.connections import Readers, answered, connect_writer, make_private
from registry.store.sqlite.maintenance import copy_whole, problems
from registry.store.sqlite.tables import prepare
from registry.store.sqlite.traces import FILE_NAME, LOCK_NAME, is_empty, may_only_be_read, traces
from registry.store.sqlite.version_counter import VersionCounter
from registry.store.sqlite.watching import Following, follow

__all__ = ["FILE_NAME", "GRACE", "PATIENCE", "SqliteStore"]

T = TypeVar("T")

_RECHECK: Final = 1.0
"""Seconds after which a snapshot asks the database even where the counter says that nothing was written; without this
a process would miss all writes from the moment the lock file is replaced."""


class _Seen(msgspec.Struct, frozen=True):
    """The last snapshot that was given, the count of writes before it was taken, and when."""

    snapshot: SqlSnapshot
    count: int
    checked: float


class SqliteStore(SqlStore):
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
        self._place = self._path = home / FILE_NAME
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

    def snapshot(self) -> SqlSnapshot:
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
            snapshot = SqlSnapshot(self._readers.ask, self._path, sequence)
        self._seen = _Seen(snapshot, count, now)
        return snapshot

    def _writes(self) -> int:
        """The count of writes; even where none is under way."""
        return self._counter.value()

    def follow(self, told: Callable[[], None]) -> Following | None:
        """Have `told` called soon after each change, whoever makes it; look by the clock besides."""
        return follow(self._counter, told)

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

    def size(self) -> int:
        """Bytes of the pages in use."""
        statement = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        return int(self._read(lambda reader: reader.execute(statement).fetchone())[0])

    def close(self) -> None:
        """Let go of all files."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._readers.close()
            self._writer.close()
            self._counter.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with store_errors(self._path), self._readers.one() as reader:
            yield reader

    def _read(self, question: Callable[[Rows], T], *, together: bool = False) -> T:
        with self._reading() as reader:
            return answered(reader, question, together=together)

    def _write(self, act: Callable[[Change], T], moment: str | None = None) -> T:
        with self._change(moment) as change:
            return act(change)

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
