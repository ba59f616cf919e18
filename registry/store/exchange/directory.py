"""Files of an export, read and written without ever leaving its directory.

Every file is opened relative to an open directory and never through a symbolic link; what is not an ordinary file of
at most `FILE_LIMIT` bytes is an error. A file is written under a temporary name, synchronised, and renamed.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from registry.errors import RegistryError
from registry.store.failures import store_errors

__all__ = ["FILE_LIMIT", "ExchangeDirectory"]

FILE_LIMIT: Final = 32 * 1024 * 1024
"""Bytes one file may have."""

_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE: Final = os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL


class ExchangeDirectory:
    """An open directory; names given to it are plain names of its own entries, checked by the caller."""

    def __init__(self, path: Path, *, inside: ExchangeDirectory | None = None, create: bool = False) -> None:
        """Open `path`; with `inside`, the entry of that name there, which must not be a symbolic link."""
        self.path: Path = path if inside is None else inside.path / path
        parent: int | None = None if inside is None else inside._number
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if inside is None else os.O_NOFOLLOW)
        with store_errors(self.path):
            if create and inside is None:
                path.mkdir(parents=True, exist_ok=True)
            elif create and not _mode(parent, path):
                os.mkdir(path, dir_fd=parent)
            try:
                self._number: int = os.open(path, flags, dir_fd=parent)
            except (FileNotFoundError, NotADirectoryError) as error:
                raise RegistryError(
                    "invalid_argument",
                    "there is no such directory",
                    file=str(self.path),
                    found=str(error.strerror),
                    expected="a directory that `export` or `publish` wrote",
                    hint="check the path",
                ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._number)

    def entries(self) -> tuple[str, ...]:
        """The names of what is in it, sorted."""
        with store_errors(self.path):
            return tuple(sorted(os.listdir(self._number)))

    def read(self, name: str) -> bytes | None:
        """The content of an ordinary file, or None where there is nothing of that name."""
        place = self.path / name
        with store_errors(place):
            try:
                number = os.open(name, _READ, dir_fd=self._number)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                raise _unreadable(place, "it is a symbolic link", "a link") from error
            with open(number, "rb") as file:
                found = os.fstat(number)
                if not stat.S_ISREG(found.st_mode):
                    raise _unreadable(place, "it is no ordinary file", stat.filemode(found.st_mode))
                content = file.read(FILE_LIMIT + 1)
        if len(content) > FILE_LIMIT:
            raise _unreadable(place, f"it has more than {FILE_LIMIT} bytes", f"{found.st_size} bytes")
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write a file, whole; one of the same content is left as it is."""
        with store_errors(self.path / name):
            if stat.S_ISREG(_mode(self._number, name)) and self.read(name) == content:
                return
            partial = f".{name}.{os.getpid()}.partial"
            self.remove(partial)
            number = os.open(partial, _WRITE, 0o644, dir_fd=self._number)
            try:
                with open(number, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(number)
                os.replace(partial, name, src_dir_fd=self._number, dst_dir_fd=self._number)
            except BaseException:
                self.remove(partial)
                raise

    def remove(self, name: str) -> None:
        """Remove an entry, if it is there."""
        with store_errors(self.path / name):
            try:
                os.unlink(name, dir_fd=self._number)
            except FileNotFoundError:
                return

    def synchronise(self) -> None:
        """Bring the directory itself to disk: afterwards names are as durable as contents."""
        with store_errors(self.path):
            os.fsync(self._number)


def _mode(directory: int | None, name: str | Path) -> int:
    """What kind of entry that is (a link is a link); 0 where there is none."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def _unreadable(place: Path, reason: str, found: str) -> RegistryError:
    return RegistryError(
        "invalid_argument",
        f"the file cannot be imported: {reason}",
        file=str(place),
        found=found,
        expected="an ordinary file that `export` wrote",
        hint="export again, and import what that wrote",
    )
