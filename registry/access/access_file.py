"""A file about who may do what, below ``access`` in the home: replaced whole, and read again when it changes.

Invariants
----------
- The file is replaced whole under a lock, and is on disk when a change returns. It is readable by its owner alone.
- A change is seen by the file's identity, size and time: one `stat` for each reading, and no message between processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from registry.errors import RegistryError

__all__ = ["AccessFile"]

T = TypeVar("T")

_PATIENCE = 10.0


class AccessFile(Generic[T]):
    """One such file. Reading it makes nothing; its directory is made with the first change."""

    def __init__(
        self, path: Path, what: str, decode: Callable[[bytes], T], empty: T, *, unreadable: str, restore: str
    ) -> None:
        """`what` it holds, as errors say it. `decode` may raise ValueError or an error of msgspec; `empty` is what a file says
        that is not there; `unreadable` and `restore` are what is said where it cannot be read, and what to do then."""
        self.path = path
        self._what = what
        self._decode = decode
        self._empty = empty
        self._unreadable = unreadable
        self._restore = restore
        self._state: tuple[int, ...] | None = None
        self._value = empty

    def read(self) -> T:
        """What the file says now; the same object until it changes. Raises `store_error` where it cannot be read."""
        try:
            status = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            self._state, self._value = None, self._empty
            return self._value
        except OSError as error:
            raise self._error(error.strerror or str(error)) from error
        state = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if state != self._state:
            try:
                value = self._decode(self.path.read_bytes())
            except OSError as error:
                raise self._error(error.strerror or str(error)) from error
            except (msgspec.MsgspecError, ValueError) as error:
                raise self._error(str(error)[:200]) from error
            self._value, self._state = value, state
        return self._value

    @contextmanager
    def changing(self) -> Iterator[Callable[[Any], None]]:
        """A function that replaces what the file says by what is encoded, in a block in which nobody else changes it.

        What is read in the block is what stands there now. Raises `too_busy` and `store_error`.
        """
        from kleis.durable_files import FileLock, synchronise, write_whole

        def replace(value: Any) -> None:
            write_whole(self.path, msgspec.json.format(msgspec.json.encode(value)))
            self._state = None

        try:
            folder = self.path.parent
            for missing in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
                missing.mkdir(mode=0o700, exist_ok=True)
                synchronise(missing.parent)
            with FileLock(folder / "lock") as lock:
                if not lock.acquire(_PATIENCE):
                    raise RegistryError(
                        "too_busy",
                        f"another command changes {self._what}",
                        file=str(self.path),
                        hint="try again",
                    )
                self._state = None
                yield replace
        except OSError as error:
            raise RegistryError(
                "store_error", f"{self._what} cannot be written: {error.strerror or error}", file=str(self.path),
                hint="Nothing was changed. The home must be writable, and have room.",
            ) from error  # fmt: skip

    def _error(self, why: str) -> RegistryError:
        return RegistryError(
            "store_error", self._unreadable, file=str(self.path), found=why, hint=self._restore
        )
