"""A store that is read and never written: a home on a read-only disk, a replica, a home that another process keeps.

How the file is opened depends on what is there:

==================  ===========================================================================================
``live``            its log has an index (`-shm`) that may be read: what its writer commits is seen, as in any reader
``still``           there is no log: the file is taken as unchanging (`immutable=1`), and each answer is checked by
                    comparing the files before and after; one during which they changed is thrown away, and the next
                    opens them anew
``copied``          there is a log and no index of it, which could not be made here: file and log are copied to a
                    temporary directory when the store is opened; what is written later is not seen
==================  ===========================================================================================

Invariant: nothing in the home is created or changed, not even the lock file or the index of the log.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TypeVar

from registry.errors import RegistryError
from registry.store.failures import (
    changed_meanwhile,
    closed,
    empty_beside_traces,
    read_only,
    store_errors,
)
from registry.store.sql.changes import Change
from registry.store.sql.rows import Rows
from registry.store.sqlite.connections import Readers, connect_reader
from registry.store.sqlite.sqlite_store import PATIENCE, SqliteStore
from registry.store.sqlite.tables import check_tables
from registry.store.sqlite.traces import FILE_NAME, is_empty, size_of, traces, writes_counted

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

__all__ = ["ReadOnlyStore"]

_ATTEMPTS = 5
"""How often a copy is begun again because the files changed under it."""

T = TypeVar("T")

_Signature = tuple[tuple[int, int, int] | None, ...]


class ReadOnlyStore(SqliteStore):
    """See `registry.store.protocol.Store`. Every write raises `RegistryError` of kind `store_error`."""

    def __init__(self, home: Path, *, patience: float = PATIENCE) -> None:
        """Open what is there. Raises RegistryError where there is no database that can be read as it is."""
        self._place = self._path = home / FILE_NAME
        self._clock = time.time
        self._grace = 0.0
        self._patience = patience
        self._lock = threading.Lock()
        self._closed = False
        self._seen = None
        self._copy: TemporaryDirectory[str] | None = None
        with store_errors(self._path):
            if is_empty(self._path):
                found = traces(home, written=writes_counted(home)) if home.is_dir() else ""
                raise empty_beside_traces(self._path, found) if found else _nothing_there(self._path)
            self._connect_for_reading()

    @property
    def mode(self) -> Literal["live", "still", "copied"]:
        """How the file is read."""
        return self._mode

    def ask(self, question: Callable[[Rows], T]) -> T:
        """The answer to questions that must all see the same moment."""
        return self._read(question, together=True)

    def follow(self, told: Callable[[], None]) -> None:
        """None: the lock file may not be there, and is not made."""

    def tidy(self) -> bool:
        """False: nothing is erased here."""
        return False

    def close(self) -> None:
        """Let go of all files, and of the copy."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._readers.close()
                self._drop_copy()

    # ── Opening ──────────────────────────────────────────────────────────────────────────────────────────────

    def _connect_for_reading(self) -> None:
        """Choose the way to read, and try it."""
        self._signature = _signature(self._path)
        if self._log.exists() and self._path.with_name(FILE_NAME + "-shm").exists():
            try:
                self._use("live", self._path, "mode=ro&readonly_shm=1")
            except sqlite3.OperationalError:  # an index that cannot be used: locked out, or of another system
                self._use_copy()
        elif size_of(self._log) or size_of(self._path.with_name(FILE_NAME + "-journal")):
            self._use_copy()
        else:
            self._use("still", self._path, "mode=ro&immutable=1")

    @property
    def _log(self) -> Path:
        return self._path.with_name(FILE_NAME + "-wal")

    def _use(self, mode: Literal["live", "still", "copied"], path: Path, options: str) -> None:
        with closing(connect_reader(path, patience=self._patience, options=options)) as reader:
            check_tables(reader, self._path)
        self._mode = mode
        self._readers = Readers(path, patience=self._patience, options=options)

    def _use_copy(self) -> None:
        import shutil  # neither is needed where no copy is made
        from tempfile import TemporaryDirectory

        for _ in range(_ATTEMPTS):
            before = _signature(self._path)
            copy = TemporaryDirectory(prefix="pif-read-only-")
            try:
                for ending in ("", "-wal", "-journal"):
                    source = self._path.with_name(FILE_NAME + ending)
                    if source.exists():
                        shutil.copyfile(source, Path(copy.name) / source.name)
                if _signature(self._path) == before:
                    self._use("copied", Path(copy.name) / FILE_NAME, "mode=rw")
                    self._copy, self._signature = copy, before
                    return
            except BaseException:
                copy.cleanup()
                raise
            copy.cleanup()
        raise changed_meanwhile(self._path)

    def _drop_copy(self) -> None:
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    # ── Reading, and refusing to write ───────────────────────────────────────────────────────────────────────

    def _writes(self) -> int:
        return 0  # no counter is mapped: a snapshot asks the database as soon as a second has passed

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if self._closed:
            raise closed(self._path)
        with store_errors(self._path):
            if self._mode == "still" and _signature(self._path) != self._signature:
                self._reopen()
            readers, mode, before = self._readers, self._mode, self._signature
            try:
                with readers.one() as reader:
                    yield reader
            except sqlite3.DatabaseError as error:
                if mode == "still" and _signature(self._path) != before:
                    raise changed_meanwhile(self._path) from error
                raise
            if mode == "still" and _signature(self._path) != before:
                raise changed_meanwhile(self._path)

    def _reopen(self) -> None:
        with self._lock:
            if _signature(self._path) != self._signature:
                self._readers.close()
                self._connect_for_reading()
                self._seen = None

    @contextmanager
    def _change(self, moment: str | None = None) -> Iterator[Change]:
        self._refuse()
        yield

    def _refuse(self) -> NoReturn:
        raise closed(self._path) if self._closed else read_only(self._path)


def _signature(path: Path) -> _Signature:
    """What tells two states of a database and its logs apart without reading them."""
    found: list[tuple[int, int, int] | None] = []
    for ending in ("", "-wal", "-journal"):
        try:
            status = path.with_name(path.name + ending).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(found)


def _nothing_there(path: Path) -> RegistryError:
    return RegistryError(
        "store_error",
        "there is no store to read",
        file=str(path),
        expected="a home in which tools were made",
        hint="name another home with --home, or leave out --read-only to make a store there",
    )
