"""Files of sessions: whole writes, the lock that writers share, names that are no paths.

Invariants
    * A reader sees a file as it was before a write or as it is after it.  A writer that dies leaves at most a
      ``.part`` file, which the next writer removes.
    * The lock is the system's (flock): it is free when the process that held it is gone.
    * A name never leads out of its directory, and no link is followed or replaced.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from kleis import durable_files
from kleis.sessions.files.errors import SessionError

__all__ = [
    "LONGEST_NAME",
    "MAXIMUM_SIZE",
    "Signature",
    "locked",
    "make_directory",
    "plain_name",
    "read_whole",
    "signature_of",
    "write_whole",
]

LONGEST_NAME = 64
MAXIMUM_SIZE = 64 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_UNFINISHED = ".part"
_PATIENCE = 10.0


class Signature(msgspec.Struct, frozen=True):
    """Identifies the content of a file: every write makes a new one."""

    inode: int
    size: int
    modified: int


def plain_name(name: str, *, what: str, code: str) -> str:
    """The name, if it is a plain one.  `SessionError` otherwise."""
    if _NAME.fullmatch(name) and len(name) <= LONGEST_NAME and ".." not in name and not name.endswith("."):
        return name
    raise SessionError(
        f"{what} is a plain name, not a path",
        code=code,
        found=name[:80],
        expected=("letters, digits, _ . -", f"at most {LONGEST_NAME} characters", "no .. and no leading dot"),
        hint="choose a name such as groups or my-theory_2",
    )


def signature_of(path: Path) -> Signature | None:
    """The signature of a file; None if there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def read_whole(path: Path) -> tuple[bytes, Signature] | None:
    """A file's bytes with the signature they belong to; None if there is no file.  `SessionError` for a link."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error.strerror or "it is no file of ours") from error
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable(path, "it is no regular file")
        body = file.read(MAXIMUM_SIZE + 1)
    if len(body) > MAXIMUM_SIZE:
        raise _unreadable(path, f"it is longer than {MAXIMUM_SIZE} bytes")
    return body, Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def write_whole(path: Path, body: bytes) -> Signature:
    """Make `body` the content of a file.  Only the holder of the directory's lock may write.

    Raises `SessionError` (`session-unwritable`) where the write fails, or nothing so long is read: the file is then as it was.
    """
    if len(body) > MAXIMUM_SIZE:
        raise SessionError(
            f"{path.name} cannot be written: it is longer than {MAXIMUM_SIZE} bytes; nothing was kept",
            code="session-unwritable",
            file=str(path),
            hint="save_theory keeps what there is, for a new session to import",
        )
    try:
        _remove_unfinished(path)
        status = durable_files.write_whole(path, body, suffix=_UNFINISHED)
    except OSError as error:
        raise SessionError(
            f"{path.name} cannot be written: {error.strerror or error}; nothing was kept",
            code="session-unwritable",
            file=str(path),
            hint="see that there is room on the disk and that the directory may be written, then try again",
        ) from error
    return Signature(status.st_ino, status.st_size, status.st_mtime_ns)


def _remove_unfinished(path: Path) -> None:
    """Remove the unfinished files that dead writers left."""
    start = f".{path.name}."
    with suppress(OSError):
        for name in os.listdir(path.parent):
            if name.startswith(start) and name.endswith(_UNFINISHED):
                with suppress(OSError):
                    os.unlink(path.parent / name)


def make_directory(directory: Path) -> None:
    """Make a directory; `SessionError` if a link or a file is in its place."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.lstat(directory)
    except OSError as error:
        raise _unreadable(directory, error.strerror or "it cannot be made") from error
    if not stat.S_ISDIR(status.st_mode):
        raise _unreadable(directory, "it is a link, not a directory")


@contextmanager
def locked(directory: Path, *, patience: float = _PATIENCE) -> Iterator[None]:
    """Keep other writers of a directory out.  `SessionError` (`session-busy`) after `patience` seconds."""
    try:
        lock = durable_files.FileLock(directory / ".lock")
    except OSError as error:
        raise _unreadable(directory, error.strerror or "it cannot be written") from error
    with lock:
        if not lock.acquire(patience):
            raise SessionError(
                f"another process has been writing to {directory.name} for {patience:g} seconds",
                code="session-busy",
                found=str(directory),
                hint="try again",
            )
        yield


def _unreadable(path: Path, why: str) -> SessionError:
    return SessionError(
        f"{path} cannot be used: {why}",
        code="session-unreadable",
        file=str(path),
        hint="look at the workspace directory",
    )
