"""Backup and integrity of a store.

`copy_whole` makes a complete copy in one file, while others go on reading and writing; `verify_backup` reads one whole;
`problems` checks the file and what is in it.

The copy is taken at one moment (SQLite's backup interface, inside one read transaction), tested, synchronised to
disk under a temporary name beside the target, and only then given its name. So the target is whole or not there.
To restore, put the file as `tools.sqlite` into an empty directory and use that as the home.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from kleis import durable_files
from registry.errors import RegistryError
from registry.store.failures import store_errors
from registry.store.sql.integrity import contradictions
from registry.store.sqlite.connections import at_one_moment, connect_reader
from registry.store.sqlite.tables import check_tables, prepare

__all__ = ["copy_whole", "problems", "verify_backup", "write_new_store"]


def write_new_store(target: Path, fill: Callable[[sqlite3.Connection], object], *, overwrite: bool) -> None:
    """Make a store in one file out of what `fill` writes into its empty tables, in one transaction."""

    def make(partial: Path) -> None:
        with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
            prepare(copy, partial)
            copy.execute("BEGIN IMMEDIATE")
            fill(copy)
            copy.execute("COMMIT")

    _write_whole(target, make, overwrite=overwrite)


def copy_whole(source: sqlite3.Connection, source_path: Path, target: Path, *, overwrite: bool) -> None:
    """Copy what `source` sees now to `target`."""
    with store_errors(target):
        _reject_the_source(source_path, target.absolute())
        _write_whole(target, lambda partial: _fill(source, partial), overwrite=overwrite)


def _write_whole(target: Path, make: Callable[[Path], None], *, overwrite: bool) -> None:
    """Give a file its name once `make` has filled it under another one."""
    with store_errors(target):
        target = target.absolute()
        _reject_bad_target(target, overwrite=overwrite)
        from tempfile import mkstemp  # not needed to run a tool

        number, name = mkstemp(prefix=f".{target.name[:100]}.", suffix=".partial", dir=target.parent)
        partial = Path(name)
        os.close(number)
        try:
            make(partial)
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


def _reject_the_source(source: Path, target: Path) -> None:
    if any(target.exists() and other.exists() and target.samefile(other) for other in _files_of(source)):
        raise _bad_target(target, "it is the store itself")
    if target.parent.resolve() == source.parent.resolve() and target.name.startswith(source.name):
        raise _bad_target(target, "files of that name belong to the store itself")


def _reject_bad_target(target: Path, *, overwrite: bool) -> None:
    reason, hint = "", "choose another path"
    if target.is_dir():
        reason = "it is a directory"
        hint = "give the path of a file in it"
    elif os.path.lexists(target) and not overwrite:
        reason = "there is a file already"
        hint = "choose another path, or allow overwriting"
    elif any(other != target and other.exists() for other in _files_of(target)):
        reason = (
            "beside it lies the log of another database of that name, which would be taken for the copy's"
        )
        hint = "close what uses that database, or choose another path"
    if reason:
        raise _bad_target(target, reason, hint)


def _bad_target(target: Path, reason: str, hint: str = "choose another path") -> RegistryError:
    return RegistryError(
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
        raise _bad_target(
            target, "there is a file already", "choose another path, or allow overwriting"
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
    with at_one_moment(connection):
        for (found,) in connection.execute("PRAGMA integrity_check(20)"):
            if found != "ok":
                yield f"the file is damaged: {found}"
        for table, *_ in connection.execute("PRAGMA foreign_key_check"):
            yield f"the table {table} refers to something that is not there"
        yield from contradictions(connection)
