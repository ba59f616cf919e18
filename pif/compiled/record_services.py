"""What the runtime does with records, and with searches in lists, for generated code; a base of `runtime.Runtime`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence

from pif.compiled.scope import SHORT
from pif.compiled.text_services import Stopped, Texts
from pif.language import primitives as table
from pif.language.values import Record, Value, list_of

__all__ = ["Records"]


class Records(Texts):
    """Operations on records: each tests what it is given and charges as the reference does."""

    @abstractmethod
    def keep(self, made: Value) -> Value:
        """A value that was made, known to the run where it is long."""

    @abstractmethod
    def eq(self, left: Value, right: Value) -> bool:
        """Whether two values are equal, charged."""

    def record(self, names: tuple[str, ...], fields: tuple[Value, ...]) -> Record:
        return Record(dict(zip(names, fields)))  # noqa: B905 - as many, and asking takes a third of the time

    def get(self, record: Value, key: Value) -> Value:
        if type(record) is not Record or type(key) is not str:
            raise Stopped
        if len(key) > 15:
            self.charge(table.charge_text(len(key)))
        return record.fields[key]

    def with_(self, record: Record, key: Value, value: Value, is_own: bool = False) -> Record:
        """The caller has charged what a narrow record and a short name are charged. `is_own`: no one else has the record,
        so that it may be changed where it is."""
        if type(key) is not str:
            raise Stopped
        places = record.places
        if places and key in places:
            if is_own:
                record.fields[key] = value
                return record
            changed = record.fields.copy()
            changed[key] = value
            return Record(changed, places)
        width = len(record.fields)
        self.charge(table.charge_with(width, key) - table.WITH - width)
        if is_own and key in record.fields:
            record.fields[key] = value
            return record
        return record.changed(key, value)

    def place(self, record: Record, wanted: Value) -> int:
        """How many names of a record stand before one, all of them where it is none; charged as comparing it with each
        of these and, where it is there, with itself."""
        places = record.places
        if places and type(wanted) is str:
            if wanted in places:
                return places[wanted]
            if len(wanted) <= SHORT:
                return len(places)
        elif places is None:
            record.places = {}
        elif not places:
            record.places = _places(record.fields)
        return self.passed(record.fields, wanted)

    def seek(self, items: Sequence[Value], wanted: Value) -> int:
        """The same for a list of integers or short strings, or for the characters of a text."""
        kind, is_text = type(wanted), type(items) is str
        if (kind is int and not is_text) or (
            kind is str and (len(wanted) == 1 if is_text else len(wanted) <= SHORT)
        ):
            return items.index(wanted) if wanted in items else len(items)
        return self.passed(items, wanted)

    def passed(self, items: Collection[Value], wanted: Value) -> int:
        """The same, asked of one item after the other."""
        for place, item in enumerate(items):
            if self.eq(wanted, item):
                return place
        return len(items)

    def keys(self, record: Value) -> Value:
        return self.keep(list_of(self.names(record)))

    def names(self, record: Value) -> Sequence[str]:
        """The names of a record that only a loop walks."""
        if type(record) is not Record:
            raise Stopped
        self.charge(table.CHARS_ELEMENT * len(record.fields))
        return [*record.fields]


def _places(names: Collection[str]) -> dict[str, int]:
    """The place of each name, where they are few and short; asked for from the second search on."""
    if len(names) >= table.WIDE or max(map(len, names), default=0) > SHORT:
        return {}
    return {name: place for place, name in enumerate(names)}
