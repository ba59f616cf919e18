"""Values as JSON text (docs/reference/pif.md §6): within limits, in time proportional to the text, whatever they share.

A result prints functions as "<function>" and records and quoted terms bare; `as_term` prints the literal term that evaluates to
the value. What a list holds of one plain kind is printed many items at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NotRequired, TypedDict

import msgspec

from pif.language.primitives import SHOWN_NODE
from pif.language.terms import Json, Term, code_text, print_term
from pif.language.values import Quoted, Record, Value

__all__ = [
    "EXACT_INTEGER",
    "PLAIN_DEPTH",
    "FunctionInData",
    "Printed",
    "PrintedFields",
    "print_value",
    "show_value",
]

EXACT_INTEGER = 2**53

PLAIN_DEPTH = 150


class FunctionInData(Exception):
    """A function stands where only data has a meaning."""


class PrintedFields(TypedDict):
    """The fields of an answer that hold a value: `value_text` beside or, where it nests too deep, instead of `value`."""

    value: NotRequired[Json]
    value_text: NotRequired[str]


class Printed(msgspec.Struct, frozen=True):
    """A value as JSON text: the text, how deep it nests, and whether it holds an integer beyond ±2^53."""

    text: str
    depth: int
    large_integer: bool

    def fields(self) -> PrintedFields:
        """`value` and, where JSON readers differ, `value_text` (instead of `value` where it nests too deep)."""
        if self.depth > PLAIN_DEPTH:
            return {"value_text": self.text}
        fields: PrintedFields = {"value": msgspec.json.decode(self.text)}
        if self.large_integer:
            fields["value_text"] = self.text
        return fields


def print_value(value: Value, limit: int, *, as_term: bool = False) -> Printed | None:
    """The JSON text of a value, or None where it has more than `limit` bytes of UTF-8.

    A result prints functions as "<function>" and records and quoted terms bare. With `as_term` the text is that of
    the literal term that evaluates to the value; a function in it then raises `FunctionInData`.
    """
    printer = _Printer(limit, as_term)
    return Printed(printer.text(), printer.depth, printer.large) if printer.run(value) else None


def show_value(value: Value, length: int, visit: Callable[[int], None]) -> str | None:
    """The text of a value's literal term, or None where it has more than `length` characters.

    `visit` is told what printing costs: 1 for each value inside this one, and for quoted code `SHOWN_NODE` a node. It
    may raise to stop the work; it has been told everything before `FunctionInData` is raised or None is the answer.
    """
    printer = _Printer(4 * length, True, visit)  # a code point has at most 4 bytes
    whole = printer.run(value)
    visit(printer.due)
    text = printer.text() if whole else ""
    return text if whole and len(text) <= length else None


_VALUE, _REST, _FIELD, _FIELDS, _STRING, _TEXT, _CLOSE = range(7)
_CLOSES = {text: (_CLOSE, text) for text in ("]", "]}", "}", "}}")}
_TOGETHER = 256
"""Items of a list that are printed in one go, if they are alike."""
_FEW = 8
"""Fields of a record that wait one by one: what is left of a walk through many takes more room than a field pays for."""


def _levels(data: Json) -> int:
    """How deep a printed term nests; at most two levels a term."""
    if isinstance(data, dict):
        return 1 + max(map(_levels, data.values()), default=0)
    if isinstance(data, list):
        return 1 + max(map(_levels, data), default=0)
    return 0


def _has_large_integer(term: Term) -> bool:
    value = term.value
    if term.op == "literal" and type(value) is int and not -EXACT_INTEGER <= value <= EXACT_INTEGER:
        return True
    return any(map(_has_large_integer, term.parts))


_RECORDS, _INTEGERS = {Record}, {int}


class _Printer:
    """An explicit stack in place of recursion: values nest without limit, and shared ones unfold. `due` is what `visit`
    has not been told of."""

    def __init__(self, limit: int, as_term: bool, visit: Callable[[int], None] | None = None) -> None:
        self.limit = limit
        self.as_term = as_term
        self.visit = visit
        self.due = -1
        self.finished: list[str] = []
        self.pieces: list[str] = []
        self.size = 0
        self.level = 0
        self.depth = 0
        self.apart = 0
        self.large = False
        self.stack: list[tuple[int, Any]] = []

    def run(self, value: Value) -> bool:
        """Whether the text fits."""
        stack = self.stack
        stack.append((_VALUE, value))
        piece: str | None
        while stack:
            what, item = stack.pop()
            if what == _VALUE:
                self.due += 1
                piece = self.piece(item)
            elif what == _REST:
                if not item:
                    continue
                if self.apart:
                    self.apart -= 1
                    piece = None
                else:
                    piece = self.together(item)
                if piece is None:
                    stack += ((_REST, item[1]), (_VALUE, item[0]))
                    piece = ","
            elif what == _FIELD:
                self.field(item)
                piece = ","
            elif what == _FIELDS:
                field = next(item, None)
                if field is None:
                    continue
                stack.append((_FIELDS, item))
                self.field(field)
                piece = ","
            elif what == _STRING:
                piece = next(item, None)
                if piece is None:
                    continue
                stack.append((_STRING, item))
            else:
                piece = item
                if what == _CLOSE:
                    self.level -= len(item)
            self.size += len(piece) if piece.isascii() else len(piece.encode())
            if self.size > self.limit:
                return False
            self.pieces.append(piece)
            if len(self.pieces) > _PIECES:
                self.rest()
        return True

    def rest(self) -> None:
        """Now and then: many small strings become one, and the work is paid for."""
        self.finished.append("".join(self.pieces))
        self.pieces.clear()
        self.pay()

    def pay(self) -> None:
        if self.visit is not None:
            due, self.due = self.due, 0
            self.visit(due)

    def text(self) -> str:
        return "".join([*self.finished, *self.pieces])

    def enter(self, levels: int) -> None:
        self.level += levels
        self.depth = max(self.depth, self.level)

    def piece(self, value: Value) -> str:
        """The text up to the first part that is not printed yet; the rest goes on the stack."""
        kind = type(value)
        if kind is int:
            self.large = self.large or not -EXACT_INTEGER <= value <= EXACT_INTEGER
            return str(value)
        if kind is bool:
            return "true" if value else "false"
        if kind is str:
            return self.string(value)
        if value is None:
            return "null"
        if kind is tuple:
            return self.cells(value)
        if kind is Record:
            return self.record(value)
        if kind is Quoted:
            return self.quoted(value)
        if self.as_term:
            self.pay()
            raise FunctionInData
        return '"<function>"'

    def cells(self, value: Value) -> str:
        if len(value) == 2:
            self.enter(2)
            self.stack += (_CLOSES["]}"], (_VALUE, value[1]), (_TEXT, ","), (_VALUE, value[0]))
            return '{"pair":['
        if not value:
            self.depth = max(self.depth, self.level + 1)
            return "[]"
        self.enter(1)
        head, tail, _ = value
        self.stack.append(_CLOSES["]"])
        if tail:
            self.stack.append((_REST, tail))
        self.stack.append((_VALUE, head))
        return "["

    def together(self, cell: Value) -> str | None:
        """The text of the next items of a list, printed in one go; None where they are not of one plain kind, or too
        long. The rest of the list goes on the stack."""
        items: list[Value] = []
        take = items.append
        for _ in range(min(_TOGETHER, cell[2])):
            item, cell, _ = cell
            take(item)
        self.apart = len(items)  # if it is in vain, it is not tried again before these are printed
        data: list[Any] = items
        values = len(items)
        types = {*map(type, items)}
        if types == _INTEGERS:
            if min(items) < -EXACT_INTEGER or max(items) > EXACT_INTEGER:
                return None
        elif types == _RECORDS and not self.as_term:
            data = [item.fields for item in items]
            for fields in data:
                if len(fields) > _FEW or not (_all_small(fields) and _all_small(fields.values())):
                    return None
                values += len(fields)
        elif len(types) > 1 or not _all_small(items):
            return None
        text = msgspec.json.encode(data)
        if self.size + len(text) - 1 > self.limit:
            return None
        if types == _RECORDS:
            self.depth = max(self.depth, self.level + 1)
        self.apart = 0
        self.due += values
        self.pay()
        self.stack.append((_REST, cell))
        return "," + text[1:-1].decode()

    def record(self, value: Record) -> str:
        opening, closing = ('{"record":{', "}}") if self.as_term else ("{", "}")
        self.enter(len(closing))
        self.stack.append(_CLOSES[closing])
        fields = iter(value.fields.items())
        first = next(fields, None)
        if first is not None:
            if len(value.fields) > _FEW:
                self.stack.append((_FIELDS, fields))
            else:
                self.stack += [(_FIELD, field) for field in fields][::-1]
            self.field(first)
        return opening

    def field(self, field: tuple[str, Value]) -> None:
        self.stack += ((_VALUE, field[1]), (_TEXT, ":"))
        self.stack.append((_TEXT, self.string(field[0])))

    def string(self, text: str) -> str:
        """A string or the name of a field; a long one in pieces."""
        if len(text) > 15:
            self.due += len(text) >> 4
            if len(text) > _PIECE:
                if self.size + len(text) > self.limit:
                    return text  # a long string must not be copied only to be refused
                self.stack += ((_TEXT, '"'), (_STRING, _pieces(text)))
                return '"'
        return msgspec.json.encode(text).decode()

    def quoted(self, value: Quoted) -> str:
        term = value.term
        if self.visit is not None:
            self.due += SHOWN_NODE * term.nodes
            self.pay()
        if self.size + term.nodes > self.limit:  # every node prints at least one character
            return " " * (self.limit + 1)
        data = print_term(term)
        text = code_text({"quote": data}) if self.as_term else msgspec.json.encode(data).decode()
        if self.visit is None:
            self.depth = max(self.depth, self.level + _levels(data) + self.as_term)
            self.large = self.large or _has_large_integer(term)
        return text


def _all_small(values: Collection[Value]) -> bool:
    """Whether these are scalars that print as they are: no long strings, which are charged, and no large integers."""
    for value in values:
        kind = type(value)
        if kind is int:
            if not -EXACT_INTEGER <= value <= EXACT_INTEGER:
                return False
        elif kind is str:
            if len(value) > 15:
                return False
        elif kind is not bool and value is not None:
            return False
    return True


def _pieces(text: str) -> Iterator[str]:
    """A long string as JSON, without its quotation marks."""
    return (msgspec.json.encode(text[at : at + _PIECE]).decode()[1:-1] for at in range(0, len(text), _PIECE))


_PIECE = 4_096

_PIECES = 1_024
"""Pieces of text that are kept apart: a short string takes 50 bytes."""
