"""The input of a run as the evaluators take it: a value made straight from literals, or a term to evaluate.

Most inputs are literal data. Their value, what evaluating them is charged, how deep they nest and of what kind they
are come out of one walk over the term, the same figures as the reference evaluator's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from pif.analysis.facts import live_parts
from pif.language import primitives as table
from pif.language.host import holds_bignum
from pif.language.terms import Term
from pif.language.values import NIL, Closure, Quoted, Record, Value, items_of, kind_of_value, list_of

__all__ = [
    "RunInput",
    "following_value",
    "given_data",
    "given_result",
    "given_term",
    "given_value",
    "shallow",
]

_BIGNUM = 2**62


class RunInput(msgspec.Struct, frozen=True):
    """An input: a term (or what makes it when it is asked for), or (`term` is None) data.

    Where `is_known`, evaluating it gives `value`, costs `charge` and takes `height` levels below its first node.
    `items`: those of a list that nobody may ever want linked, else `made` is the value. `kind` is what the compiled back end may rely on (`compiled.scope`); `is_bignum`: an integer in it is beyond ±2^62.
    """

    made: Value = None
    charge: int = 0
    height: int = 0
    kind: Any = "any"
    is_bignum: bool = False
    written: Term | Callable[[], Term] | None = None
    is_known: bool = True
    items: list[Value] | None = None

    @property
    def value(self) -> Value:
        return self.made if self.items is None else list_of(self.items)

    @property
    def unlinked(self) -> int:
        """How many items of a list are still to be linked, a unit's work each."""
        return 0 if self.items is None else len(self.items)

    @property
    def listed(self) -> list[Value]:
        """The items of a list."""
        return [*items_of(self.made)] if self.items is None else self.items

    @property
    def term(self) -> Term | None:
        written = self.written
        return written if written is None or isinstance(written, Term) else written()


class _NotLiteral(Exception):
    """The input has to be evaluated."""


def given_term(term: Term) -> RunInput:
    """An input that was written as a term."""
    walk = _Walk()
    try:
        value, kind = walk.literal(term, 0)
    except _NotLiteral:
        return RunInput(written=term, is_known=False)
    return RunInput(value, walk.charge, walk.height, kind, walk.is_bignum, term, items=walk.outermost)


def given_data(value: Value, charge: int) -> RunInput:
    """An input that was read as plain data, with its charge."""
    return RunInput(value, charge, 0, "any", holds_bignum(value, _BIGNUM))


def given_value(value: Value, bytes_: int) -> RunInput | None:
    """The input of a step that a `continue` asks for, as if its literal term were evaluated; None where that needs
    a closer look: functions and quoted code in it, a text that may exceed `bytes_`, deep nesting."""
    walk = _ValueWalk(bytes_)
    try:
        kind = walk.value(value, 0)
    except _NotLiteral:
        return None
    return RunInput(value, walk.charge, walk.height, kind, walk.is_bignum)


def following_value(value: Value, before: RunInput, bytes_: int) -> RunInput | None:
    """As `given_value`; quicker where a pair of small integers follows another."""
    if (
        before.kind == _INTEGER_PAIR
        and type(value) is tuple
        and len(value) == 2
        and type(value[0]) is int
        and type(value[1]) is int
        and -_BIGNUM < value[0] < _BIGNUM
        and -_BIGNUM < value[1] < _BIGNUM
    ):
        return RunInput(value, before.charge, 1, _INTEGER_PAIR)
    return given_value(value, bytes_)


_INTEGER_PAIR = ("pair", "int", "int")


def given_result(value: Value, charge: int, given: RunInput) -> RunInput:
    """An input that has been evaluated, for so much fuel; as it was where its value holds functions, or more parts
    than are worth a look."""
    stack = [value]
    is_bignum = False
    for _ in range(_PARTS):
        if not stack:
            return RunInput(value, charge, 0, kind_of_value(value), is_bignum, given.written)
        part = stack.pop()
        kind = type(part)
        if kind is int:
            is_bignum = is_bignum or not -_BIGNUM < part < _BIGNUM
        elif kind is tuple:
            stack += part[:2]
        elif kind is Record:
            stack += part.fields.values()
        elif kind is Closure:
            break
    return given


_PARTS = 10_000


class _ValueWalk:
    """Charges a value what its literal term would be charged, and bounds the length of that term's text."""

    def __init__(self, bytes_: int) -> None:
        self.charge = 0
        self.height = 0
        self.is_bignum = False
        self.bytes = bytes_

    def value(self, value: Value, level: int) -> Any:
        if level > self.height:
            self.height = level
        self.charge += 1
        kind = type(value)
        if kind is int:
            if not -_BIGNUM < value < _BIGNUM:
                self.is_bignum = True
                self.spend(value.bit_length())
            self.spend(24)
            return "int"
        if kind is bool:
            self.spend(8)
            return "bool"
        if kind is str:
            self.charge += table.charge_text(len(value))
            self.spend(6 * len(value) + 4)
            return "str"
        if value is None:
            self.spend(8)
            return "unit"
        if level > _LEVELS:
            raise _NotLiteral
        if kind is tuple:
            return self.cells(value, level + 1)
        if kind is not Record:
            raise _NotLiteral
        self.charge += table.charge_record(len(value.fields))
        self.spend(20)
        for name, field in value.fields.items():
            self.spend(6 * len(name) + 6)
            self.value(field, level + 1)
        return "record"

    def cells(self, value: Value, level: int) -> Any:
        if len(value) == 2:
            self.charge += table.PAIR
            self.spend(16)
            first = self.value(value[0], level)
            return ("pair", shallow(first), shallow(self.value(value[1], level)))
        self.charge += table.charge_list(value[2] if value else 0)
        self.spend(4)
        kinds = set()
        while value:
            self.spend(2)
            kinds.add(shallow(self.value(value[0], level)))
            value = value[1]
        return ("list", kinds.pop() if len(kinds) == 1 else "any" if kinds else "never")

    def spend(self, bytes_: int) -> None:
        self.bytes -= bytes_
        if self.bytes < 0:
            raise _NotLiteral


_LEVELS = 300
"""Levels of nesting beyond which a step's input is built as a term, whose nesting is limited."""


class _Walk:
    def __init__(self) -> None:
        self.charge = 0
        self.height = 0
        self.is_bignum = False
        self.outermost: list[Value] | None = None

    def literal(self, term: Term, level: int) -> tuple[Value, Any]:
        """The value of a literal term and its kind."""
        if level > self.height:
            self.height = level
        self.charge += 1
        match term.op:
            case "literal":
                return term.value, self.scalar(term.value)
            case "nil":
                return NIL, ("list", "never")
            case "list":
                return self.items(term, level)
            case "pair":
                self.charge += table.PAIR
                first, kind = self.literal(term.parts[0], level + 1)
                second, other = self.literal(term.parts[1], level + 1)
                return (first, second), ("pair", shallow(kind), shallow(other))
            case "record":
                self.charge += table.charge_record(len(term.parts))
                fields = [self.literal(part, level + 1)[0] for part in term.parts]
                return Record(dict(zip(term.value, fields, strict=True))), "record"
            case "quote" if next(live_parts(term.parts[0]), None) is None:
                return Quoted(term.parts[0]), "quoted"
            case _:
                raise _NotLiteral

    def scalar(self, value: Value) -> str:
        if type(value) is int:
            if not -_BIGNUM < value < _BIGNUM:
                self.is_bignum = True
            return "int"
        if type(value) is str:
            self.charge += table.charge_text(len(value))
            return "str"
        return "unit" if value is None else "bool"

    def items(self, term: Term, level: int) -> tuple[Value, Any]:
        parts = term.parts
        self.charge += table.charge_list(len(parts))
        values = [part.value for part in parts if part.op == "literal"]
        if len(values) == len(parts) and {*map(type, values)} == {int}:
            self.charge += len(parts)
            self.height = max(self.height, level + 1)
            if not (min(values) > -_BIGNUM and max(values) < _BIGNUM):
                self.is_bignum = True
            return self.listed(values, level), ("list", "int")
        values, kinds = [], set()
        for part in parts:
            value, kind = self.literal(part, level + 1)
            values.append(value)
            kinds.add(shallow(kind))
        item = kinds.pop() if len(kinds) == 1 else "any" if kinds else "never"
        return self.listed(values, level), ("list", item)

    def listed(self, values: list[Value], level: int) -> Value:
        """A list; the outermost is not linked before that is wanted."""
        if level == 0:
            self.outermost = values
            return None
        return list_of(values)


def shallow(kind: Any) -> Any:
    """A kind with at most one level of its parts."""
    if not isinstance(kind, tuple):
        return kind
    return (kind[0], *["any" if isinstance(part, tuple) else part for part in kind[1:]])
