"""Backup and integrity of a store.

`copy_whole` makes a complete copy in one file, while others go on reading and writing; `verify_backup` reads one whole;
`problems` checks the file, its
codes and their hashes, and its heads against its log.

The copy is taken at one moment (SQLite's backup interface, inside one read transaction), tested, synchronised to
disk under a temporary name beside the target, and only then given its name. So the target is whole or not there.
To restore, put the file as `tools.sqlite` into an empty directory and use that as the home.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from kleis import durable_files
from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.failures import store_errors
from registry.store.sqlite.changes import folded
from registry.store.sqlite.connections import connect_reader
from registry.store.sqlite.queries import together
from registry.store.sqlite.tables import check_tables

__all__ = ["copy_whole", "problems", "verify_backup"]


def copy_whole(source: sqlite3.Connection, source_path: Path, target: Path, *, overwrite: bool) -> None:
    """Copy what `source` sees now to `target`."""
    with store_errors(target):
        target = target.absolute()
        _reject_bad_target(source_path, target, overwrite=overwrite)
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".partial", dir=target.parent)
        partial = Path(name)
        os.close(number)
        try:
            _fill(source, partial)
            durable_files.synchronise(partial)
            _give_name(partial, target, overwrite=overwrite)
        finally:
            partial.unlink(missing_ok=True)
        durable_files.synchronise(target.parent)


def _fill(source: sqlite3.Connection, partial: Path) -> None:
    with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
        source.backup(copy)
        # One file without a log beside it; opening it as a store turns the write-ahead log on again.
        copy.execute("PRAGMA journal_mode = DELETE")
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise RegistryError(
            "store_error",
            "the store is damaged; no backup was made",
            found=str(found),
            hint="`pif doctor` says what is wrong; keep your older backups",
        )


def _reject_bad_target(source: Path, target: Path, *, overwrite: bool) -> None:
    reason, hint = "", "choose another path"
    if target.is_dir():
        reason = "it is a directory"
        hint = "give the path of a file in it"
    elif any(target.exists() and other.exists() and target.samefile(other) for other in _files_of(source)):
        reason = "it is the store itself"
    elif target.parent.resolve() == source.parent.resolve() and target.name.startswith(source.name):
        reason = "files of that name belong to the store itself"
    elif os.path.lexists(target) and not overwrite:
        reason = "there is a file already"
        hint = "choose another path, or allow overwriting"
    elif any(other != target and other.exists() for other in _files_of(target)):
        reason = (
            "beside it lies the log of another database of that name, which would be taken for the copy's"
        )
        hint = "close what uses that database, or choose another path"
    if reason:
        raise RegistryError(
            "invalid_argument",
            f"the backup cannot go there: {reason}",
            file=str(target),
            found=str(target),
            hint=hint,
        )


def _files_of(database: Path) -> tuple[Path, ...]:
    return tuple(database.with_name(database.name + ending) for ending in ("", "-wal", "-shm", "-journal"))


def _give_name(partial: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        os.replace(partial, target)
        return
    try:
        os.link(partial, target)  # unlike a rename it fails where another process was quicker
    except FileExistsError:
        raise RegistryError(
            "invalid_argument",
            "the backup cannot go there: there is a file already",
            file=str(target),
            found=str(target),
            hint="choose another path, or allow overwriting",
        ) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        os.replace(partial, target)  # a file system without hard links


def verify_backup(path: Path) -> tuple[int, int, tuple[str, ...]]:
    """Read a backup whole, without changing it: its tools, their versions, and everything that is wrong with it.

    Raises `RegistryError` where there is no such file, or none of ours.
    """
    with store_errors(path):
        if not path.is_file():
            raise RegistryError(
                "invalid_argument",
                "there is no such backup",
                file=str(path),
                hint="name the file of a backup",
            )
        if any(other.exists() and other.stat().st_size for other in _files_of(path)[1:]):
            raise RegistryError(
                "store_error",
                "beside the file lies a log: it is a store in use, or the copy of one, and no backup",
                file=str(path),
                hint="`pif doctor` checks a store; `pif backup FILE` makes a backup of it",
            )
        with closing(connect_reader(path, patience=1.0, options="mode=ro&immutable=1")) as backup:
            check_tables(backup, path)
            try:
                wrong = tuple(problems(backup))
                tools, versions = (
                    backup.execute(question).fetchone()[0]
                    for question in (
                        "SELECT count(*) FROM heads WHERE current IS NOT NULL",
                        "SELECT count(*) FROM versions WHERE forgotten IS NULL",
                    )
                )
            except sqlite3.DatabaseError as error:
                return 0, 0, (f"the file is damaged: {error}",)
            return int(tools), int(versions), wrong


# ── Integrity ────────────────────────────────────────────────────────────────────────────────────────────────


def problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Everything that is wrong, as texts. Reads all of the file."""
    with together(connection):
        for (found,) in connection.execute("PRAGMA integrity_check(20)"):
            if found != "ok":
                yield f"the file is damaged: {found}"
        for table, *_ in connection.execute("PRAGMA foreign_key_check"):
            yield f"the table {table} refers to something that is not there"
        yield from _codes(connection)
        yield from _heads(connection)


def _codes(connection: sqlite3.Connection) -> Iterator[str]:
    for hash_, code in connection.execute("SELECT hash, code FROM content"):
        if content_hash(code) != hash_:
            yield f"the code stored as {hash_} has another hash"
    unused = connection.execute(
        "SELECT hash FROM content WHERE hash NOT IN (SELECT hash FROM versions WHERE hash IS NOT NULL)"
    )
    for (hash_,) in unused:
        yield f"the code {hash_} belongs to no version"


def _heads(connection: sqlite3.Connection) -> Iterator[str]:
    """`heads` must be what `changes.Change` would make of the log."""
    heads = {
        row[0]: row[1:]
        for row in connection.execute("SELECT name, current, latest, changed, folded FROM heads")
    }
    log = connection.execute(
        "SELECT last.name, last.current, (SELECT max(version) FROM versions WHERE name = last.name), last.sequence,"
        "       (SELECT description FROM events WHERE name = last.name AND version = last.current"
        "           AND description IS NOT NULL ORDER BY sequence DESC LIMIT 1)"
        "  FROM events AS last"
        " WHERE last.sequence IN (SELECT max(sequence) FROM events GROUP BY name)"
    ).fetchall()
    for name, current, latest, changed, description in log:
        text = "" if current is None else folded(name, description or "")
        if heads.pop(name, None) != (current, latest, changed, text):
            yield f"the head of {name!r} does not agree with its history"
    for name in heads:
        yield f"{name!r} has a head and no history"
    dangling = connection.execute(
        "SELECT heads.name FROM heads LEFT JOIN versions"
        "  ON versions.name = heads.name AND versions.version = heads.current AND versions.forgotten IS NULL"
        " WHERE heads.current IS NOT NULL AND versions.name IS NULL"
    )
    for (name,) in dangling:
        yield f"the current version of {name!r} was forgotten"
