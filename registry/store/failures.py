"""Errors of SQLite and of the operating system as `store_error`, with what to do about them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from registry.errors import RegistryError

__all__ = [
    "Place",
    "changed_meanwhile",
    "closed",
    "damaged",
    "empty_beside_traces",
    "not_a_store",
    "read_only",
    "store_errors",
    "unwritable_home",
]

Place: TypeAlias = Path | str
"""Where a store is, as errors name it: a file, or the URL of a database without its password."""

_ADVICE: Final[dict[int, tuple[str, str]]] = {
    sqlite3.SQLITE_BUSY: (
        "another process holds the store",
        "try again; see which other servers use this home",
    ),
    sqlite3.SQLITE_LOCKED: (
        "another process holds the store",
        "try again; see which other servers use this home",
    ),
    sqlite3.SQLITE_READONLY: (
        "the store cannot be written",
        "make the home and its files writable, or choose another with --home",
    ),
    sqlite3.SQLITE_PERM: (
        "the store cannot be accessed",
        "check who owns the home, or choose another with --home",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "the store cannot be opened",
        "check that the home is a directory you may write, or choose another with --home",
    ),
    sqlite3.SQLITE_FULL: (
        "the disk is full; nothing was changed",
        "free some space, then try again",
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk did not do what it was told; whether the last change was kept is not known",
        "check the disk, then read the tool back before you try again",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "the store is damaged",
        "stop all servers that use it, then `pif doctor --repair` saves what is readable and keeps the damaged file;"
        " or put a backup in its place",
    ),
    sqlite3.SQLITE_NOTADB: (
        "the file is not a tool store",
        "put a backup in its place, or try `pif doctor --repair`; to begin anew, move it away together with tools.lock",
    ),
    sqlite3.SQLITE_NOMEM: ("memory ran out; nothing was changed", "try again with fewer runs at a time"),
    sqlite3.SQLITE_TOOBIG: (
        "the text is too large for the store; nothing was changed",
        "store a smaller tool",
    ),
}


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into `RegistryError`; `path` is the file they are about."""
    try:
        yield
    except sqlite3.Error as error:
        raise _from_sqlite(error, path) from error
    except OSError as error:
        raise _from_system(error, path) from error


def _from_sqlite(error: sqlite3.Error, path: Path) -> RegistryError:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None and "decode to UTF-8" in str(error):  # Python's own refusal to hand out damaged text
        code, error.sqlite_errorname = sqlite3.SQLITE_CORRUPT, "SQLITE_CORRUPT"
    if code is None or code & 0xFF not in _ADVICE:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        return RegistryError(
            "internal",
            f"the tool store failed in a way it should not: {error}",
            file=str(path),
            found=name,
            hint="report this; `pif doctor` checks the store",
        )
    message, hint = _ADVICE[code & 0xFF]
    return RegistryError(
        "store_error", message, file=str(path), found=f"{error.sqlite_errorname}: {error}", hint=hint
    )


def _from_system(error: OSError, path: Path) -> RegistryError:
    reason = os.strerror(error.errno) if error.errno is not None else str(error)
    return RegistryError(
        "store_error",
        f"the file or directory cannot be used: {reason}",
        file=str(error.filename) if os.path.isabs(str(error.filename)) else str(path),
        found=reason,
        hint="check that it exists, who owns it and what space is left, or choose another place",
    )


def closed(place: Place) -> RegistryError:
    """The store was used after `close`."""
    return RegistryError("store_error", "the store has been closed", file=str(place), hint="open it again")


def damaged(place: Place, tool: str, what: str) -> RegistryError:
    """What is stored contradicts itself."""
    message, hint = _ADVICE[sqlite3.SQLITE_CORRUPT]
    if isinstance(place, str):
        hint = "`pif doctor` lists what is wrong; restore the database from a backup"
    return RegistryError("store_error", f"{message}: {what}", file=str(place), tool=tool, hint=hint)


def not_a_store(path: Path) -> RegistryError:
    """The file is something else altogether."""
    message, hint = _ADVICE[sqlite3.SQLITE_NOTADB]
    return RegistryError("store_error", message, file=str(path), hint=hint)


def empty_beside_traces(path: Path, traces: str) -> RegistryError:
    """The database is missing or empty, and there were tools."""
    return RegistryError(
        "store_error",
        "the database of the tools is "
        + ("empty" if path.exists() else "missing")
        + ", but this home had tools",
        file=str(path),
        found=traces,
        expected="the database that belongs to them",
        hint="put a backup there, as tools.sqlite; to begin anew, use an empty directory or move these traces away",
    )


def read_only(place: Place) -> RegistryError:
    """A write was asked of a store that is open for reading."""
    return RegistryError(
        "store_error",
        "the home is served read-only; nothing was changed",
        file=str(place),
        hint="tools can be run, listed and checked; to change them, serve a writable home without --read-only",
    )


def unwritable_home(path: Path, found: str | None) -> RegistryError:
    """The home may be read and not be written."""
    return RegistryError(
        "store_error",
        "the home can be read, but not written",
        file=str(path),
        found=found,
        hint="serve it as it is with `pif serve --read-only`, or make the home and its files writable",
    )


def changed_meanwhile(path: Path) -> RegistryError:
    """The file was changed while it was read as one that nobody changes."""
    return RegistryError(
        "store_error",
        "the store was changed while it was read; the answer was thrown away",
        file=str(path),
        hint="try again; another process writes to this home",
    )
