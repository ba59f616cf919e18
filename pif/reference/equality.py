"""`eq`: structural equality of data, charged for every value it visits (pif-language.md §2, §3).

Both sides are walked together in pre-order. After the first difference the walk goes on, because a function anywhere
inside either side is a `type_error` whatever stands before it.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, Protocol

from pif.language import primitives as table
from pif.language.terms import Term, same_term
from pif.language.values import Closure, Quoted, Record, Value
from pif.reference.machine import Node

__all__ = ["equal"]

_ABSENT: Any = object()
"""Stands on the side that has no value to set against the other's."""

_FUNCTIONS = (Closure, FunctionType)
"""Function values of this evaluator, and of compiled code."""

_VALUES, _CELLS = range(2)


class Meter(Protocol):
    """What is charged: a machine, or compiled code's runtime."""

    def charge(self, amount: int, node: Any) -> None: ...


def equal(left: Value, right: Value, run: Meter, node: Any) -> bool:
    """Whether two values are equal. `node` is the `Eq` that asks: it is charged, and its operands bear the errors."""
    same = True
    stack: list[tuple[int, Value, Value]] = [(_VALUES, left, right)]
    while stack:
        what, a, b = stack.pop()
        if what == _CELLS:
            if a or b:
                head_a, tail_a = (a[0], a[1]) if a else (_ABSENT, a)
                head_b, tail_b = (b[0], b[1]) if b else (_ABSENT, b)
                stack += ((_CELLS, tail_a, tail_b), (_VALUES, head_a, head_b))
            continue
        run.charge(1, node)
        kind = type(a)
        other = type(b)
        if kind in _FUNCTIONS or other in _FUNCTIONS:
            _refuse_function(node.left if kind in _FUNCTIONS else node.right)
        if kind is not other or (kind is tuple and (len(a) == 2) != (len(b) == 2)):
            same = False
            stack += _parts(b, on_right=True)
            stack += _parts(a, on_right=False)
            run.charge(_own_charge(a) + _own_charge(b), node)
        elif kind is tuple:
            if len(a) == 2:
                stack += ((_VALUES, a[1], b[1]), (_VALUES, a[0], b[0]))
            else:
                same = same and bool(a) == bool(b) and (not a or a[2] == b[2])
                stack.append((_CELLS, a, b))
        elif kind is Record:
            same = same and list(a.fields) == list(b.fields)
            run.charge(max(len(a.fields), len(b.fields)), node)
            stack += _fields(a, b)
        else:
            run.charge(_leaf_charge(a, b), node)
            same = same and (same_term(a.term, b.term) if kind is Quoted else a == b)
    return same


def _parts(value: Value, *, on_right: bool) -> list[tuple[int, Value, Value]]:
    """What is left to walk of a value that has no counterpart."""
    if type(value) is tuple:
        if len(value) == 2:
            found = [(_VALUES, value[1]), (_VALUES, value[0])]
        else:
            return [(_CELLS, (), value) if on_right else (_CELLS, value, ())]
    elif type(value) is Record:
        found = [(_VALUES, field) for field in reversed(value.fields.values())]
    else:
        return []
    return [(what, _ABSENT, part) if on_right else (what, part, _ABSENT) for what, part in found]


def _fields(a: Record, b: Record) -> list[tuple[int, Value, Value]]:
    """The fields of both records, those of one name together, last name first (for the stack)."""
    names = sorted({*a.fields, *b.fields}, reverse=True)
    return [(_VALUES, a.fields.get(name, _ABSENT), b.fields.get(name, _ABSENT)) for name in names]


def _own_charge(value: Value) -> int:
    match value:
        case bool():
            return 0
        case int():
            return table.limbs(value) >> 2
        case str():
            return table.charge_text(len(value))
        case Quoted():
            return _weight(value.term)
        case Record():
            return len(value.fields)
        case _:
            return 0


def _leaf_charge(a: Value, b: Value) -> int:
    """Two leaves of one kind: the larger one's size."""
    return max(_own_charge(a), _own_charge(b))


def _weight(term: Term) -> int:
    """What walking a term costs: 1 a node, and the strings in it."""
    own = 1 + (table.charge_text(len(term.value)) if type(term.value) is str else 0)
    return own + sum(map(_weight, term.parts))


def _refuse_function(operand: Node) -> None:
    operand.fail(
        "type_error", "`eq` compares data; a function cannot be compared", found="function", expected="data",
        hint="Compare sources instead: `eq` of two `code_of`.",
    )  # fmt: skip
