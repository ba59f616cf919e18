"""Numerical results as data: shape, names of axes and numbers, and a summary of what is long.

    {"kind": "vector",     "shape": [3],    "axes": ["entry"],         "values": [...]}
    {"kind": "matrix",     "shape": [2, 3], "axes": ["row", "column"], "values": [[...], [...]]}
    {"kind": "array",      "shape": [...],  "axes": ["axis 0", ...],   "values": [row by row]}
    {"kind": "trajectory", "shape": [r, n + 1], "axes": ["row", "column"], "columns": ["t", "y1", ...], "values": [[...], ...]}

A number is a JSON number; an exact one that is none, or is beyond 2⁵³, is text (``"1/3"``); a complex one is ``{"re", "im"}``.  Kleis has
no units of measurement, so axes and columns have names only.  See docs/reference/numerics.md §7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from kleis.values import Complex, Data, ListValue, Value, is_number, number_text

__all__ = ["MOST_SHOWN", "data_fields", "numbers_in", "summarised"]

MOST_SHOWN = 256
"""Numbers that an answer holds; of more it has a summary."""

_ENDS = 8
_EXACT_IN_JSON = 1 << 53

Fields = dict[str, Any]


def data_fields(value: Value) -> Fields | None:
    """The value as data; None where it is no vector, matrix, array or trajectory of numbers."""
    if isinstance(value, Data):
        return _of_data(value)
    if not isinstance(value, ListValue) or not len(value):
        return None
    flat = _numbers(value)
    if flat is not None:
        return {"kind": "vector", "shape": [len(flat)], "axes": ["entry"], "values": flat}
    rows = [_numbers(line) if isinstance(line, ListValue) else None for line in value]
    if all(row is not None and len(row) == len(rows[0] or ()) for row in rows):
        return _matrix(rows)
    return _trajectory(value)


def _matrix(rows: Sequence[Any]) -> Fields:
    shape = [len(rows), len(rows[0])]
    return {"kind": "matrix", "shape": shape, "axes": ["row", "column"], "values": list(rows)}


def _of_data(value: Data) -> Fields | None:
    if value.constructor == "Matrix" and len(value.fields) == 3:
        rows, columns, entries = value.fields
        flat = _numbers(entries)
        if flat and isinstance(rows, int) and isinstance(columns, int) and len(flat) == rows * columns:
            return _matrix([flat[place : place + columns] for place in range(0, len(flat), columns)])
    if value.constructor == "NDArray" and len(value.fields) == 2:
        sizes, flat = _numbers(value.fields[0]), _numbers(value.fields[1])
        if sizes and flat:
            axes = [f"axis {place}" for place in range(len(sizes))]
            return {"kind": "array", "shape": sizes, "axes": axes, "values": flat}
    return None


def _trajectory(value: ListValue) -> Fields | None:
    rows: list[list[Any]] = []
    for line in value:
        if not isinstance(line, ListValue) or len(line) != 2 or not is_number(line[0]):
            return None
        state = _numbers(line[1])
        if state is None or (rows and len(state) + 1 != len(rows[0])):
            return None
        rows.append([_number(line[0]), *state])
    columns = ["t", *(f"y{place}" for place in range(1, len(rows[0])))]
    shape = [len(rows), len(columns)]
    return {
        "kind": "trajectory",
        "shape": shape,
        "axes": ["row", "column"],
        "columns": columns,
        "values": rows,
    }


def _numbers(value: Value) -> list[Any] | None:
    if not isinstance(value, ListValue):
        return None
    items = value.items()
    if not all(is_number(each) or isinstance(each, Complex) for each in items):
        return None
    return [_number(each) for each in items]


def _number(value: Value) -> Any:
    if isinstance(value, Complex):
        return {"re": _number(value.real), "im": _number(value.imaginary)}
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= _EXACT_IN_JSON):
        return value
    assert is_number(value)
    return number_text(value)


def numbers_in(data: Fields) -> int:
    """How many numbers there are."""
    count = 1
    for size in data["shape"]:
        count *= size
    return count


def summarised(data: Fields) -> tuple[Fields, str, str]:
    """Long data without its values but with a summary; the whole as JSON text; and its identity."""
    whole = msgspec.json.encode(data).decode()
    identity = hashlib.sha256(whole.encode()).hexdigest()[:16]
    values = data["values"]
    flat = [each for row in values for each in row] if isinstance(values[0], list) else values
    real = [each for each in flat if isinstance(each, int | float)]
    summary: Fields = {"count": len(flat), "first": values[:_ENDS], "last": values[-_ENDS:]}
    if len(real) == len(flat):
        summary |= {"least": min(real), "greatest": max(real)}
    short = {name: each for name, each in data.items() if name != "values"}
    return {**short, "summary": summary, "resource": f"kleis://values/{identity}"}, whole, identity
