"""The files of a home, and what they tell where the database does not: that there were tools, that it is read-only.

A store whose database is gone is no new store. The lock file counts the writes of the home, and a log that is left
over holds some: where either is there and the database is not, opening is refused, or acknowledged tools would be
lost without a word.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

__all__ = ["FILE_NAME", "LOCK_NAME", "is_empty", "may_only_be_read", "size_of", "traces", "writes_counted"]

FILE_NAME: Final = "tools.sqlite"
LOCK_NAME: Final = "tools.lock"

_MADE: Final = 2
"""The count of writes once a store has been made; a process killed while it made one leaves 1."""


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 where there is none. Raises OSError where that cannot be told."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def is_empty(path: Path) -> bool:
    """Whether a database is missing or has no byte."""
    return size_of(path) == 0


def writes_counted(home: Path) -> int:
    """The count of writes in the lock file; 0 where there is none, or none to be read."""
    try:
        return int.from_bytes((home / LOCK_NAME).read_bytes()[:8], sys.byteorder)
    except OSError:
        return 0


def traces(home: Path, *, written: int) -> str:
    """What shows that there were tools in a home without a database, in words; empty if nothing does.

    `written` is the count of writes in the lock file.
    """
    found = []
    if written >= _MADE:
        found.append(f"{LOCK_NAME} counts {written // 2} writes")
    for ending in ("-wal", "-journal"):
        log = home / (FILE_NAME + ending)
        if size_of(log):
            found.append(f"{log.name} has {size_of(log)} bytes")
    exchange = home / "exchange"
    if exchange.is_dir() and any(exchange.iterdir()):
        found.append("exchange/ has exported tools, which `pif import` takes in")
    return "; ".join(found)


def may_only_be_read(path: Path) -> bool:
    """Whether a database is there and this process may read it, but may not write it or beside it."""
    readable = _may(path, os.R_OK) and _may(path.parent, os.R_OK | os.X_OK)
    files = [each for each in (path, path.with_name(LOCK_NAME)) if each.exists()] if readable else []
    writable = _may(path.parent, os.W_OK) and all(_may(each, os.W_OK) for each in files)
    return readable and path.is_file() and not writable


def _may(path: Path, what: int) -> bool:
    return os.access(path, what, effective_ids=os.access in os.supports_effective_ids)
