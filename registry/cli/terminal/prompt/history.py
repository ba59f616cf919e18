"""What was typed at a prompt before: a file of the home that only its owner reads, one JSON string a line, bounded.

Invariants
    * The file and its directory are private (0600, 0700); no link is followed.
    * A line that is no JSON string is left out, never shown.
    * Several prompts may add to one file at the same time; each sees what was there when it began.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

from kleis.durable_files import FileLock, write_whole

__all__ = ["LONGEST", "MOST", "FileHistory"]

MOST = 1_000
"""Entries that are kept; the oldest go first."""

LONGEST = 20_000
"""Characters of an entry that is kept."""

_READ = 8 * 2**20
_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


class FileHistory(History):
    """The history in a file. What begins with a space is not kept. Where the file cannot be used nothing is kept."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """The entries, the last one first."""
        return reversed(self._entries())

    def store_string(self, string: str) -> None:
        """Add an entry, and drop the oldest where there are too many."""
        if string.startswith(" ") or len(string) > LONGEST or not string.strip():
            return
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self._path.with_suffix(".lock"))
            with lock:
                if not lock.acquire(1.0):
                    return
                entries = self._entries()
                if entries and entries[-1] == string:
                    return
                line = json.dumps(string).encode() + b"\n"
                if len(entries) < 2 * MOST:
                    self._append(line)
                else:
                    kept = (json.dumps(each).encode() + b"\n" for each in entries[1 - MOST :])
                    write_whole(self._path, b"".join((*kept, line)), durable=False)

    def _append(self, line: bytes) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _FLAGS, 0o600)
        with open(descriptor, "ab") as file:
            file.write(line)

    def _entries(self) -> list[str]:
        try:
            with open(os.open(self._path, os.O_RDONLY | _FLAGS), "rb") as file:
                lines = file.read(_READ).splitlines()
        except OSError:
            return []
        found: list[str] = []
        for line in lines:
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, str):
                    found.append(entry)
        return found
