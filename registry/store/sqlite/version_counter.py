"""The lock that writers of one home share, and the counter by which readers see that something was written.

Both live in one small file. Writers hold its lock (`flock`, released by the system when a process dies) around the
whole of a write, for two reasons: waiting is fair and bounded, and no connection ever checkpoints while another one
writes, which SQLite before 3.51.3 does not survive in every case (the "WAL-reset" race).

The first eight bytes count writes: odd while one is under way, even between. Reading them is a memory access, while
any SQLite call releases Python's global lock and may wait tens of milliseconds behind busy threads to get it back.
The counter is a hint, never the truth: a writer killed half-way leaves it odd, and an odd count means "ask the
database".

Invariant: a count that is even and the same at two moments means that no write began or ended between them.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from registry.errors import RegistryError
from registry.store.failures import store_errors

__all__ = ["VersionCounter"]

_SIZE: Final = 8
_FIRST_WAIT: Final = 0.0005
_LONGEST_WAIT: Final = 0.02


class VersionCounter:
    """The lock and the counter of one home. One object is used by one writer at a time."""

    def __init__(self, path: Path, *, patience: float) -> None:
        """`patience`: seconds to wait for other processes before a write fails."""
        self._path = path
        self._patience = patience
        with store_errors(path):
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if os.fstat(self._file).st_size < _SIZE:
                    os.ftruncate(self._file, _SIZE)
                self._memory = mmap.mmap(self._file, _SIZE)
            except (OSError, ValueError):
                os.close(self._file)
                raise

    def value(self) -> int:
        """The count as it is now."""
        return int.from_bytes(self._memory[:_SIZE], sys.byteorder)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep all other writers out, without counting a write."""
        self._wait()
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Keep all other writers out and count one write, whether it succeeds or not."""
        with self.held(), self.counted():
            yield

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count one write, whether it succeeds or not. The caller keeps other writers out."""
        before = self.value()
        under_way = before + 1 + before % 2
        self._put(under_way)
        try:
            yield
        finally:
            self._put(under_way + 1)

    def close(self) -> None:
        """Let go of the file. The mapping goes with this object: another thread may be reading it just now."""
        os.close(self._file)

    def _put(self, value: int) -> None:
        self._memory[:_SIZE] = value.to_bytes(_SIZE, sys.byteorder)

    def _wait(self) -> None:
        deadline = time.monotonic() + self._patience
        pause = _FIRST_WAIT
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise RegistryError(
                        "store_error",
                        f"another process has been writing to the store for {self._patience:g} seconds",
                        file=str(self._path),
                        hint="try again; see which other servers use this home",
                    ) from None
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_WAIT)
