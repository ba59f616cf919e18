"""A snapshot is a number: the last event it sees (pif-language.md §4, "the event horizon").

It holds no transaction and no connection. Looking a name up asks the log for the name's last event up to that
number, so the cost does not depend on how many tools there are, and writes of other processes cannot show. What was
looked up once is kept, within bounds, for as long as the snapshot lives.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from registry.records import ToolRecord, nearest_name, valid_name
from registry.store.failures import refusals
from registry.store.protocol import Lineage
from registry.store.sqlite.connections import Readers
from registry.store.sqlite.queries import current_version, names_at, record_at, records_at, together

__all__ = ["SqliteSnapshot"]

_KEPT: Final = 16_000_000
"""Characters of code a snapshot keeps before it starts afresh; an entry counts 500 besides its code."""


class SqliteSnapshot:
    """The registry after one event; see `registry.store.protocol.Snapshot`."""

    def __init__(self, readers: Readers, path: Path, sequence: int) -> None:
        self._readers = readers
        self._path = path
        self._sequence = sequence
        self._found: dict[tuple[str, int | None], ToolRecord | None] = {}
        self._weight = 0

    @property
    def sequence(self) -> int:
        """The number of the last event that this snapshot sees."""
        return self._sequence

    def record(self, name: str, version: int | None = None) -> ToolRecord | None:
        """The tool of that name (and version; the current one if None), or None where there is none."""
        key = (name, version)
        if key in (found := self._found):
            return found[key]
        if not valid_name(name):
            return None
        with refusals(self._path), self._readers.one() as reader:
            record = record_at(reader, self._path, self._sequence, name, version)
        if self._weight > _KEPT:
            self._found, self._weight = {}, 0
        self._found[key] = record
        self._weight += 500 + (len(record.code) if record else 0)
        return record

    def names(self) -> tuple[str, ...]:
        """All names that resolve, by code point."""
        with refusals(self._path), self._readers.one() as reader:
            return names_at(reader, self._sequence)

    def lineage(self, name: str) -> Lineage | None:
        """The name's versions that resolve, or None where the name does not."""
        if not valid_name(name):
            return None
        with refusals(self._path), self._readers.one() as reader, together(reader):
            current = current_version(reader, name, self._sequence)
            if current is None:
                return None
            return Lineage(name, current, records_at(reader, self._path, self._sequence, name))

    def nearest(self, name: str) -> str | None:
        """The known name closest in spelling, for hints."""
        return nearest_name(name, self.names())
