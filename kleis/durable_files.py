"""Files that are written whole or not at all, and locks between processes.

`write_whole` writes a temporary file in the folder of the target and moves it there; `FileLock` is an advisory lock on a
file (flock).  Both raise OSError only; what that means to a user is for the caller to say.

Invariants
    * A reader sees a file as it was before a write or as it is after it, also where the writer is killed or the disk is
      full.  A failed write leaves no temporary file; a killed writer leaves at most one: ``.NAME.``, eight hexadecimal
      digits and the suffix that was asked for.
    * No link is followed: a link in the place of a target is replaced, one in the place of a lock is an error.
    * The system releases a lock when the process that holds it ends.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

__all__ = ["FileLock", "plain_user_folder", "synchronise", "user_cache_folder", "write_whole"]

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_LOCK = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_FIRST_WAIT = 0.0005
_LONGEST_WAIT = 0.02


def user_cache_folder() -> Path | None:
    """The user's folder for what can be made anew; None where the process has no home: it runs under a number that no user has, as in
    containers, and its environment names none."""
    plain = plain_user_folder("XDG_CACHE_HOME", ".cache")
    if plain is not None:
        return plain / "pif-kleis"
    import platformdirs

    try:
        return Path(platformdirs.user_cache_dir("pif-kleis"))
    except RuntimeError:
        return None


def plain_user_folder(variable: str, below: str) -> Path | None:
    """The user's folder of a kind where its environment names it: `variable` does, or it is `below` the home. None where
    `platformdirs` has to be asked, which takes longer to import than a cache to read."""
    if sys.platform == "linux":
        for name, rest in ((variable, ""), ("HOME", below)):
            given = os.environ.get(name, "")
            if os.path.isabs(given):
                return Path(given, rest)
    return None


def write_whole(
    path: Path,
    content: bytes,
    *,
    mode: int | None = 0o600,
    durable: bool = True,
    replace: bool = True,
    suffix: str = "",
) -> os.stat_result:
    """Make `content` the content of a file; the status of the file that was written.

    mode
        The permissions of the file; None for those that the umask gives a new file.
    durable
        Whether content and name are synchronised to disk before the call returns.
    replace
        Whether a file that is there is replaced.  If not, FileExistsError is raised where there is one.
    suffix
        The end of the temporary file's name.

    Raises OSError where the system does not take it; the file is then as it was, unless only the synchronisation of its
    name failed.
    """
    partial = path.with_name(f".{path.name}.{os.urandom(4).hex()}{suffix}")
    descriptor = os.open(partial, _CREATE, 0o666 if mode is None else 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if mode not in (None, 0o600):
                os.fchmod(descriptor, mode)
            if durable:
                os.fsync(descriptor)
            status = os.fstat(descriptor)
        if replace:
            os.replace(partial, path)
        else:
            os.link(partial, path)
            os.unlink(partial)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise
    if durable:
        synchronise(path.parent)
    return status


def synchronise(path: Path) -> None:
    """Bring a file's content, or the names in a directory, to disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class FileLock:
    """An exclusive lock on a file, which is created where it is missing and never removed.

    A context manager: leaving it releases the lock.  Two objects exclude each other in one process too.
    """

    def __init__(self, path: Path, *, mode: int = 0o600) -> None:
        """Open the file, without taking the lock.  `mode`: the permissions of a file that is created."""
        self._descriptor = os.open(path, _OPEN_LOCK, mode)

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def acquire(self, patience: float | None) -> bool:
        """Take the lock; False where another holder keeps it for `patience` seconds.  None waits without end."""
        if patience is None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            return True
        until = time.monotonic() + patience
        pause = _FIRST_WAIT
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if time.monotonic() >= until:
                    return False
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_WAIT)
