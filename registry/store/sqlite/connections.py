"""Connections to the file of a store: how each is set up, and the readers that threads take turns with.

A reader is taken from the pool for one question and put back. Compared with one connection behind a lock, no thread
waits for another that holds a lock while it waits for the interpreter; compared with one connection a thread, none is
left behind by a thread that ended.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final, TypeVar

from kleis import durable_files
from registry.errors import RegistryError
from registry.store.failures import closed, not_a_store, store_errors
from registry.store.sql.rows import Rows

__all__ = ["Readers", "answered", "at_one_moment", "connect_reader", "connect_writer", "make_private"]

T = TypeVar("T")

_SETTINGS: Final = (
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS: plain fsync leaves data in the drive's cache
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what was forgotten is overwritten, not only unlinked
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
_SMALLEST: Final = 512
_IDLE: Final = 16
"""Readers kept for later; more are closed when they come back."""


def make_private(path: Path) -> None:
    """Create the file for its owner only, and its directory entry for certain, unless it is there.

    SQLite takes a file of less than its smallest page for an empty database and overwrites it; a text file of that
    name is an error here. With a rollback journal beside it, it is the first page of a store that was cut short.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        if 0 < path.stat().st_size < _SMALLEST and not path.with_name(path.name + "-journal").exists():
            raise not_a_store(path) from None
        return
    os.close(file)
    durable_files.synchronise(path.parent)


def connect_writer(path: Path, *, patience: float) -> sqlite3.Connection:
    """The connection for writing; the caller keeps other writers out while this runs."""
    connection = _connect(path, patience=patience)
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise RegistryError(
                "store_error",
                "the file system of the home does not carry a write-ahead log",
                file=str(path),
                found=f"journal mode {mode}",
                expected="journal mode wal",
                hint="choose a home on a local disk with --home",
            )
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, *, patience: float, options: str = "mode=rw") -> sqlite3.Connection:
    """A connection that changes nothing and never checkpoints. `options` are those of SQLite's file names.

    With `mode=rw` it may still make the index of the log, which every reader of a log needs.
    """
    connection = _connect(path, patience=patience, options=options)
    try:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, *, patience: float, options: str = "mode=rw") -> sqlite3.Connection:
    # mode=rw, or ro: a store whose file has been moved away is an error, never a new empty one.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for setting in _SETTINGS:
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def at_one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Let several questions see the same moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


def answered(connection: sqlite3.Connection, question: Callable[[Rows], T], *, together: bool) -> T:
    """What a connection answers to a question."""
    with at_one_moment(connection) if together else nullcontext():
        return question(connection)


class Readers:
    """Readers of one store, for any number of threads."""

    def __init__(self, path: Path, *, patience: float, options: str = "mode=rw") -> None:
        self._path = path
        self._patience = patience
        self._options = options
        self._idle: deque[sqlite3.Connection] = deque()  # its append and pop are atomic
        self._open = True

    @contextmanager
    def one(self) -> Iterator[sqlite3.Connection]:
        """A reader for the length of a `with`, used by no other thread meanwhile."""
        if not self._open:
            raise closed(self._path)
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect_reader(self._path, patience=self._patience, options=self._options)
        try:
            yield connection
        finally:
            self._give_back(connection)

    def ask(self, question: Callable[[Rows], T], *, together: bool = False) -> T:
        """The answer to a question; see `registry.store.sql.rows.Reading`."""
        with store_errors(self._path), self.one() as reader:
            return answered(reader, question, together=together)

    def close(self) -> None:
        """Close those that are idle now, and each of the others when it comes back."""
        self._open = False
        while self._idle:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction or len(self._idle) >= _IDLE:
            connection.close()
            return
        self._idle.append(connection)
        if not self._open:
            self.close()
