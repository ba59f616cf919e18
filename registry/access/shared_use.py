"""What principals use, counted over processes: a table in a file that each maps into its memory.

A principal has a row: when its minute ends, the fuel and the seconds of provers used in it, and for each process what it has
set aside and how many calls it has under way. The places of a process that has ended are cleared by whoever sees its end. So
a process that is killed at any moment leaves at most a use of one call counted or not; the limits hold again within a minute.

A row is changed under a lock of the file and, for the threads of one process, one of its own; both for microseconds.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["ROWS", "SharedUse", "Use", "UseTable"]

ROWS: Final = 4_096
"""Principals that are counted; the next one takes the row whose minute ended longest ago."""

_NAME: Final = 32
_FIXED = struct.Struct("<dQd")
_COLUMN = struct.Struct("<QQ")


class Use:
    """What one principal uses, in one process.

    `ends` is when its minute ends, by a clock that all processes have; `fuel` and `seconds` are used in it; `reserved` fuel is
    set aside, and `calls` are under way.
    """

    def __init__(self) -> None:
        self.ends = 0.0
        self.fuel = 0
        self.seconds = 0.0
        self._reserved = 0
        self._calls = 0
        self._lock = threading.RLock()

    @property
    def reserved(self) -> int:
        """Fuel set aside, in all processes."""
        return self._reserved

    @property
    def calls(self) -> int:
        """Calls under way, in all processes."""
        return self._calls

    @contextmanager
    def changing(self) -> Iterator[Use]:
        """What is used, as of now; changes made in the block are seen by all."""
        with self._lock:
            yield self

    def begin(self, fuel: int) -> None:
        """A call begins here, with fuel set aside. In a `changing` block, as `end`."""
        self._reserved += fuel
        self._calls += 1

    def end(self, fuel: int) -> None:
        """A call has ended here that had set this fuel aside."""
        self._reserved = max(0, self._reserved - fuel)
        self._calls = max(0, self._calls - 1)


class UseTable:
    """The table in a file. `columns`: processes at one time; `column`: the place of this one."""

    def __init__(self, path: Path, columns: int, column: int = 0) -> None:
        """Raises OSError."""
        self.column = column
        self._columns = columns
        self._width = _NAME + _FIXED.size + columns * _COLUMN.size
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        size = ROWS * self._width
        if os.fstat(self._file).st_size < size:
            os.ftruncate(self._file, size)
        self._memory = mmap.mmap(self._file, size)
        self._lock = threading.RLock()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def of(self, principal: str) -> SharedUse:
        """What a principal uses."""
        return SharedUse(self, hashlib.sha256(principal.encode()).digest())

    @contextmanager
    def row(self, name: bytes, known: int = 0) -> Iterator[int]:
        """Where the row of a name begins, under the lock. `known`: where it began before."""
        with self._locked():
            yield known if self._memory[known : known + _NAME] == name else self._find(name)

    def _find(self, name: bytes) -> int:
        oldest, ended = 0, float("inf")
        for start in range(0, ROWS * self._width, self._width):
            there = self._memory[start : start + _NAME]
            if there == name:
                return start
            if not there.strip(b"\0"):
                break
            ends, _, _ = _FIXED.unpack_from(self._memory, start + _NAME)
            if ends < ended and not any(calls for _, calls in self.places(start)):
                oldest, ended = start, ends
        else:
            start = oldest
        self._memory[start : start + self._width] = name + bytes(self._width - _NAME)
        return start

    def places(self, start: int) -> list[tuple[int, int]]:
        """What each process has set aside and under way, in the row that begins there."""
        first = start + _NAME + _FIXED.size
        return [
            (reserved, calls)
            for reserved, calls in _COLUMN.iter_unpack(
                self._memory[first : first + self._columns * _COLUMN.size]
            )
        ]

    def read(self, start: int) -> tuple[float, int, float]:
        """The end of the minute, the fuel and the seconds in a row."""
        ends, fuel, seconds = _FIXED.unpack_from(self._memory, start + _NAME)
        return ends, fuel, seconds

    def write(self, start: int, ends: float, fuel: int, seconds: float) -> None:
        """Change them."""
        _FIXED.pack_into(self._memory, start + _NAME, ends, fuel, seconds)

    def place(self, start: int, reserved: int, calls: int) -> None:
        """Change what this process has set aside and under way."""
        at = start + _NAME + _FIXED.size + self.column * _COLUMN.size
        _COLUMN.pack_into(self._memory, at, reserved, calls)

    def clear(self, column: int) -> None:
        """The process of a place has ended: nothing of it is set aside or under way any more."""
        with self._locked():
            for start in range(0, ROWS * self._width, self._width):
                if not self._memory[start : start + _NAME].strip(b"\0"):
                    return
                at = start + _NAME + _FIXED.size + column * _COLUMN.size
                _COLUMN.pack_into(self._memory, at, 0, 0)

    def close(self) -> None:
        """Let go of the file."""
        self._memory.close()
        os.close(self._file)


class SharedUse(Use):
    """What one principal uses in all processes. The fields are those of the row while a `changing` block is open."""

    def __init__(self, table: UseTable, name: bytes) -> None:
        super().__init__()
        self._table = table
        self._name = name
        self._start = 0
        self._elsewhere = (0, 0)

    @property
    def reserved(self) -> int:
        return self._reserved + self._elsewhere[0]

    @property
    def calls(self) -> int:
        return self._calls + self._elsewhere[1]

    @contextmanager
    def changing(self) -> Iterator[Use]:
        with self._lock, self._table.row(self._name, self._start) as start:
            self._start = start
            self.ends, self.fuel, self.seconds = self._table.read(start)
            places = self._table.places(start)
            del places[self._table.column]
            self._elsewhere = (sum(each[0] for each in places), sum(each[1] for each in places))
            yield self
            self._table.write(start, self.ends, self.fuel, self.seconds)
            self._table.place(start, self._reserved, self._calls)
