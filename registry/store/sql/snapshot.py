"""The registry after one event (docs/reference/registry.md §2.2).

A snapshot is a number: the last event it sees. It holds no transaction and no connection. Looking a name up asks the log
for the name's last event up to that number, so the cost does not depend on how many tools there are, and writes of other
processes cannot show. What was looked up once is kept, within bounds, for as long as the snapshot lives.
"""

from __future__ import annotations

from typing import Final

from registry.records import ToolRecord, nearest_name, valid_name
from registry.store.failures import Place
from registry.store.protocol import Lineage
from registry.store.sql.queries import current_version, names_at, record_at, records_at
from registry.store.sql.rows import Reading, Rows

__all__ = ["SqlSnapshot"]

_KEPT: Final = 16_000_000
_NAMES_KEPT: Final = 200_000


class SqlSnapshot:
    """The registry after one event; see `registry.store.protocol.Snapshot`."""

    def __init__(self, reading: Reading, place: Place, sequence: int) -> None:
        self._reading = reading
        self._place = place
        self._sequence = sequence
        self._found: dict[tuple[str, int | None], ToolRecord | None] = {}
        self._weight = 0
        self._names: tuple[str, ...] | None = None

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
        record = self._reading(lambda reader: record_at(reader, self._place, self._sequence, name, version))
        if self._weight > _KEPT:
            self._found, self._weight = {}, 0
        self._found[key] = record
        self._weight += 500 + (len(record.code) if record else 0)
        return record

    def names(self) -> tuple[str, ...]:
        """All names that resolve, by code point."""
        names = self._names
        if names is None:
            names = self._reading(lambda reader: names_at(reader, self._sequence), together=True)
            if len(names) <= _NAMES_KEPT:
                self._names = names
        return names

    def lineage(self, name: str) -> Lineage | None:
        """The name's versions that resolve, or None where the name does not."""
        if not valid_name(name):
            return None

        def question(reader: Rows) -> Lineage | None:
            current = current_version(reader, name, self._sequence)
            if current is None:
                return None
            return Lineage(name, current, records_at(reader, self._place, self._sequence, name))

        return self._reading(question, together=True)

    def nearest(self, name: str) -> str | None:
        """The known name closest in spelling, for hints."""
        return nearest_name(name, self.names())
