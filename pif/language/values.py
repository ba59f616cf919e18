"""Values: what terms evaluate to (docs/reference/pif.md §1.4).  How they are printed: `value_text`.

| kind | Python value |
|---|---|
| integer, boolean, string, unit | `int`, `bool`, `str`, `None` |
| list | `()` when empty, else `(head, tail, length)` |
| pair | `(first, second)` |
| record | `Record` |
| quoted | `Quoted` |
| function | `Closure`; in compiled code a Python function |

Lists and pairs are plain tuples because a tuple is the cheapest cell CPython has and long chains of them are freed
safely; their lengths (0 or 3, 2) tell them apart. Values are immutable, may share parts, and nest without limit: no
code may recurse over them, compare them with `==` or hash them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Reversible
from itertools import chain, islice
from sys import getrefcount
from typing import Any

import msgspec

from pif.language.terms import Term

__all__ = [
    "ANY",
    "LONG",
    "NEVER",
    "NIL",
    "Closure",
    "Continuation",
    "Kind",
    "Quoted",
    "Record",
    "Value",
    "dismantle",
    "element",
    "is_list",
    "is_pair",
    "items_of",
    "join",
    "kind_of",
    "kind_of_value",
    "list_of",
    "listing",
    "pairing",
    "part",
]

Value = Any
NIL: Value = ()


class Record(msgspec.Struct, eq=False):
    """Named fields in code-point order of their names; never changed once anyone can see it. (A compiled loop changes a
    record of its own making until it is over: `pif.compiled.owned_records`.)

    `places`: where each name stands, for compiled code that looks for one among them again and again; records that
    differ in a value alone share it. A struct, because making one takes a third of the time of a class's.
    """

    fields: dict[str, Value]
    places: dict[str, int] | None = None

    def changed(self, name: str, value: Value) -> Record:
        """The record with a field set or replaced. A new name is compared with a few others only."""
        fields = self.fields
        if name in fields:
            changed = fields.copy()
            changed[name] = value
            return Record(changed, self.places)
        at = bisect_left(list(fields), name)
        items = fields.items()
        return Record(dict(chain(islice(items, at), ((name, value),), islice(items, at, None))))


class Quoted:
    """A term as data. `owner` is the tool whose unmodified source it is, or None for code made in place."""

    __slots__ = ("owner", "term")

    def __init__(self, term: Term, owner: Any = None) -> None:
        self.term = term
        self.owner = owner


class Closure:
    """A function: a body as its evaluator resolved it, and the environment it was made in."""

    __slots__ = ("body", "env")

    def __init__(self, body: Any, env: Any) -> None:
        self.body = body
        self.env = env


class Continuation:
    """The marker that `continue` ends a run with: the next input, and the node that asked."""

    __slots__ = ("node", "value")

    def __init__(self, value: Value, node: Any) -> None:
        self.value = value
        self.node = node


def is_list(value: Value) -> bool:
    return type(value) is tuple and len(value) != 2


def is_pair(value: Value) -> bool:
    return type(value) is tuple and len(value) == 2


def list_of(items: Reversible[Value]) -> Value:
    """A list value of these items (a list, a range, a string, the keys of a dictionary)."""
    cell: Value = NIL
    for length, item in enumerate(reversed(items), 1):
        cell = (item, cell, length)
    return cell


LONG = 4_096

_UNSHARED = 2
"""References to a cell that only one name holds, as `getrefcount` counts them."""


def dismantle(lists: list[Value]) -> None:
    """Free long lists whose last references these are, cell by cell; of Python's lists so many items at a time.

    CPython frees a chain of tuples in one go, some 50 ns a cell, and lets no other thread run meanwhile: a million
    cells would hold up a server for longer than its clients are promised.
    """
    while lists:
        cell = lists.pop()
        if type(cell) is list:
            while cell and getrefcount(cell) == _UNSHARED:
                del cell[-LONG:]
            continue
        while cell and getrefcount(cell) == _UNSHARED:  # what another list shares is that one's to free
            cell = cell[1]


def items_of(cell: Value) -> Iterator[Value]:
    """The items of a list value."""
    while cell:
        yield cell[0]
        cell = cell[1]


def kind_of(value: Value) -> str:
    """The kind of a value, as results and messages name it."""
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case str():
            return "string"
        case None:
            return "unit"
        case tuple():
            return "pair" if len(value) == 2 else "list"
        case Record():
            return "record"
        case Quoted():
            return "quoted"
        case Continuation():
            return "continue"
        case _:
            return "function"


Kind = Any

ANY = "any"
NEVER = "never"
_LEVELS = 3


def _cut(kind: Kind, levels: int) -> Kind:
    if not isinstance(kind, tuple):
        return kind
    if levels == 0:
        return ANY
    if len(kind) == 3:
        return (kind[0], _cut(kind[1], levels - 1), _cut(kind[2], levels - 1))
    return (kind[0], _cut(kind[1], levels - 1))


def listing(item: Kind) -> Kind:
    return _cut(("list", item), _LEVELS) if isinstance(item, tuple) else ("list", item)


def pairing(first: Kind, second: Kind) -> Kind:
    kind = ("pair", first, second)
    return _cut(kind, _LEVELS) if isinstance(first, tuple) or isinstance(second, tuple) else kind


def join(a: Kind, b: Kind) -> Kind:
    """The narrowest kind that holds both."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0]:
        return (a[0], *[join(x, y) for x, y in zip(a[1:], b[1:], strict=True)])
    return ANY


def element(kind: Kind) -> Kind:
    """The kind of a list's items."""
    if kind == NEVER:
        return NEVER
    return kind[1] if isinstance(kind, tuple) and kind[0] == "list" else ANY


def part(kind: Kind, index: int) -> Kind:
    """The kind of a pair's first (0) or second (1) part."""
    if kind == NEVER:
        return NEVER
    return kind[1 + index] if isinstance(kind, tuple) and kind[0] == "pair" else ANY


_NAMES = {int: "int", bool: "bool", str: "str", type(None): "unit", Record: "record", Quoted: "quoted"}


def kind_of_value(value: Value) -> Kind:
    """The kind of a value by its outermost shape alone."""
    if type(value) is tuple:
        return ("pair", ANY, ANY) if len(value) == 2 else ("list", ANY if value else NEVER)
    return _NAMES.get(type(value), ANY)
