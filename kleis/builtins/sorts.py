"""The sorts of builtin parameters, and whether a value is of a sort.

`accepts` answers in three values: a symbolic value may be of any sort, so the answer for it is None.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from kleis.values import (
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Regex,
    SetValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    is_number,
)

__all__ = ["SORTS", "accepts"]

_TUPLES = ("Pair", "Tuple3", "Tuple4", "Tuple5")


def _integer(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: Value) -> bool | None:
    while isinstance(value, Data) and value.constructor == "Cons" and len(value.fields) == 2:
        value = value.fields[1]
    return None if isinstance(value, (Symbol, Stuck, Suspended)) else isinstance(value, ListValue)


def _pairs(value: Value) -> bool:
    return isinstance(value, Data) and value.constructor in _TUPLES


def _matrix(value: Value) -> bool:
    if isinstance(value, Data):
        return value.constructor == "Matrix" and len(value.fields) == 3
    return isinstance(value, ListValue) and len(value) > 0 and isinstance(value[0], ListValue)


_Test = Callable[[Value], "bool | None"]

SORTS: dict[str, _Test] = {
    "Any": lambda value: True,
    "Bool": lambda value: isinstance(value, bool),
    "ℤ": _integer,
    "ℕ": lambda value: _integer(value) and isinstance(value, int) and value >= 0,
    "ℚ": lambda value: _integer(value) or isinstance(value, Fraction),
    "ℝ": is_number,
    "ℂ": lambda value: is_number(value) or isinstance(value, Complex),
    "String": lambda value: isinstance(value, str),
    "Text": lambda value: isinstance(value, str) or is_number(value),
    "List": _is_list,
    "Set": lambda value: isinstance(value, SetValue),
    "BitVec": lambda value: isinstance(value, BitVector),
    "Regex": lambda value: isinstance(value, (Regex, str)),
    "Function": lambda value: isinstance(value, FunctionValue),
    "Matrix": _matrix,
    "Tuple": _pairs,
    "Record": lambda value: isinstance(value, Data) and value.constructor == "record",
}
"""The sorts by name.  ``Text`` is a string or a number, taken as its text (§4.8)."""


def accepts(sort: str, value: Value) -> bool | None:
    """Whether `value` is of `sort`, which may list alternatives: ``ℂ|Matrix``."""
    if sort == "Any":
        return True
    if isinstance(value, (Symbol, Stuck, Suspended)):
        return None
    verdicts = [SORTS[alternative](value) for alternative in sort.split("|")]
    return True if True in verdicts else None if None in verdicts else False
