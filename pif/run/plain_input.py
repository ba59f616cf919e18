"""Input that is plain data, as a value without a term between (docs/reference/pif.md §7).

Most input is lists and records of numbers and texts. Its value, what evaluating it is charged, its height and its kind
are found here column by column: what a list holds is looked at together, at the speed of C where it is of one type.
Everything else, and everything that is to be reported, is left to `read_input`: operations, strings that are read
again, fractions, what breaks a limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

from pif.language import primitives as table
from pif.language.budget import STRING_LENGTH
from pif.language.terms import Json, Term
from pif.language.values import NIL, Kind, Record, Value, list_of
from pif.reference.run_input import RunInput, shallow
from pif.run.read_input import is_operation, is_read_again

__all__ = ["plain_input"]

_SMALL = 2**62
_LEVELS = 100
"""Levels that are read here; terms nest four times as deep."""

_OPERANDS = 2
"""The most keys that an operation has."""

_READ_AS_IT_IS = "abcdeghijklmopqrsuvwxyzABCDEGHIJKLMOPQRSUVWXYZ_/.#@"
"""First characters of strings that are certainly not read again: not those of JSON or of its words."""

_MAY_BE_READ_AGAIN = re.compile(f"\0[^{_READ_AS_IT_IS}]")
"""Searched for in all strings at once, each behind a null."""


def plain_input(data: Json, term: Callable[[], Term], *, raw: bool) -> RunInput | None:
    """What `given_term(read_input(data))` is, or None where that has to be asked. `term` makes the input's term."""
    reader = _Reader(raw)
    try:
        (value,), kind = reader.column([data], 0)
    except _NotPlain:
        return None
    return RunInput(value, reader.charge, reader.height, kind, False, term, items=reader.outermost)


class _NotPlain(Exception):
    """It is not for this module."""


class _Reader:
    def __init__(self, raw: bool) -> None:
        self.raw = raw
        self.charge = 0
        self.height = 0
        self.outermost: list[Value] | None = None

    def column(self, data: list[Json], level: int) -> tuple[list[Value], Kind]:
        """The values of what stands at one place of every item of a list, and their common kind."""
        if level > _LEVELS:
            raise _NotPlain
        self.height = max(self.height, level)
        types = {*map(type, data)}
        if len(types) != 1:
            return self.one_by_one(self.column, data, level)
        self.charge += len(data)
        (kind,) = types
        if kind is int:
            if min(data) <= -_SMALL or max(data) >= _SMALL:
                raise _NotPlain
            return data, "int"
        if kind is str:
            self.texts(data)
            return data, "str"
        if kind is dict:
            return self.records(data, level), "record"
        if kind is list:
            return self.lists(data, level)
        if kind is bool or kind is type(None):
            return data, "bool" if kind is bool else "unit"
        raise _NotPlain

    def texts(self, texts: list[str]) -> None:
        longest = max(map(len, texts))
        together = "\0".join(["", *texts])
        if longest > STRING_LENGTH or not together.isascii():
            raise _NotPlain
        if longest >= 16:
            self.charge += sum([table.charge_text(len(text)) for text in texts])
        if self.raw or not _MAY_BE_READ_AGAIN.search(together):
            return
        if any(is_read_again(text) for text in texts if text[:1] not in _READ_AS_IT_IS):
            raise _NotPlain

    def records(self, data: list[dict[str, Json]], level: int) -> list[Value]:
        """Records; those of one shape field by field."""
        if [*chain.from_iterable(data)] != [*data[0]] * len(
            data
        ):  # a name stands in a record once, so all have all
            return [value for item in data for value in self.records([item], level)]
        names = sorted(data[0])
        if len(names) <= _OPERANDS and any(map(is_operation, data)):
            raise _NotPlain
        self.charge += len(data) * table.charge_record(len(names))
        if not names:
            return [Record({}) for _ in data]
        if not "".join(names).isascii() or max(map(len, names)) > STRING_LENGTH:
            raise _NotPlain
        fields = dict(zip(data[0], zip(*map(dict.values, data), strict=True), strict=True))
        columns = [self.column([*fields[name]], level + 1)[0] for name in names]
        return [*map(Record, map(dict, map(zip, repeat(names), zip(*columns, strict=True))))]

    def lists(self, data: list[list[Json]], level: int) -> tuple[list[Value], Kind]:
        """Lists; many of items of one type all at once."""
        items = [*chain.from_iterable(data)]
        if len(data) == 1:
            self.charge += table.charge_list(len(items))
            if not items:
                return [NIL], ("list", "never")
            values, kind = self.column(items, level + 1)
            if level == 0:  # not linked before that is wanted
                self.outermost = values
                return [None], ("list", shallow(kind))
            return [list_of(values)], ("list", shallow(kind))
        types = {*map(type, items)}
        if len(types) > 1 or list in types:
            return self.one_by_one(self.lists, data, level)
        self.charge += sum([table.charge_list(len(item)) for item in data])
        values, kind = self.column(items, level + 1) if items else ([], "never")
        lists, end = [], 0
        for item in data:
            start, end = end, end + len(item)
            lists.append(list_of(values[start:end]))
        return lists, ("list", kind) if all(data) or not items else "any"

    def one_by_one(
        self, read: Callable[..., tuple[list[Value], Kind]], data: list[Any], level: int
    ) -> tuple[list[Value], Kind]:
        values, kinds = [], set()
        for item in data:
            found, kind = read([item], level)
            values += found
            kinds.add(shallow(kind))
        return values, kinds.pop() if len(kinds) == 1 else "any"
