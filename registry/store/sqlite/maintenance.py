"""A complete copy of a store in one file, made while others go on reading and writing.

The copy is taken at one moment (SQLite's backup interface, inside one read transaction), tested, synchronised to
disk under a temporary name beside the target, and only then given its name. So the target is whole or not there.
To restore, put the file as `tools.sqlite` into an empty directory and use that as the home.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from registry.errors import RegistryError
from registry.store.failures import refusals

__all__ = ["copy_whole"]


def copy_whole(source: sqlite3.Connection, source_path: Path, target: Path, *, overwrite: bool) -> None:
    """Copy what `source` sees now to `target`."""
    with refusals(target):
        target = target.absolute()
        _refuse_bad_target(source_path, target, overwrite=overwrite)
        number, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".partial", dir=target.parent)
        partial = Path(name)
        os.close(number)
        try:
            _fill(source, partial)
            _synchronise(partial)
            _give_name(partial, target, overwrite=overwrite)
        finally:
            partial.unlink(missing_ok=True)
        _synchronise(target.parent)


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


def _refuse_bad_target(source: Path, target: Path, *, overwrite: bool) -> None:
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
            place="path",
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
        os.link(partial, target)  # unlike a rename it fails where somebody else was quicker
    except FileExistsError:
        raise RegistryError(
            "invalid_argument",
            "the backup cannot go there: there is a file already",
            place="path",
            found=str(target),
            hint="choose another path, or allow overwriting",
        ) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        os.replace(partial, target)  # a file system without hard links


def _synchronise(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
