"""Hostile operands: the values that make an operation work hardest for its fuel.

`primitives.PRIMITIVES` declares for each operation which of them it is tried on (`Primitive.hostile`); here they are
made. The names are free variables of the declared terms. Operands that come in twos (`text`, `other_text`) are equal
and share nothing, so that no comparison is cut short by identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pif.language.decode import decode_term
from pif.language.reification import reify
from pif.language.terms import Json, Term
from pif.language.values import NIL, Quoted, Record, Value, list_of

__all__ = ["CODES", "OPERANDS", "operand"]

BITS = 8_190
LENGTH = 2**20
"""As large as integers and strings get."""

MANY = 5_500
"""Items, fields, nested values or nodes of what may be long: a little more than 2^13 · 2 / 3, where dictionaries have grown."""

NESTED = 380
"""Nested terms of what may be deep: written terms nest at most 400 deep, and what is wrapped around needs room."""

NAMES, NAME_LENGTH = 100, 8_000
WIDE = "\U0001f600"


def _text(length: int, end: str = "") -> str:
    """A string that shares nothing with another one."""
    return "k" * (length - len(end)) + end


def _record(names: Iterable[str]) -> Record:
    return Record(dict.fromkeys(sorted(names), 1))


def _nested(wrap: Callable[[Value], Value], innermost: Value, times: int) -> Value:
    for _ in range(times):
        innermost = wrap(innermost)
    return innermost


def _nested_term(wrap: Callable[[int, Json], Json], innermost: Json = 1, times: int = NESTED) -> Json:
    for level in range(times):
        innermost = wrap(level, innermost)
    return innermost


def _lambdas() -> Json:
    inner = [{"var": f"x{level}"} for level in range(NESTED)]
    return _nested_term(lambda level, body: {"lam": f"x{level}", "body": body}, inner)


def _lets() -> Json:
    """Each name is one more than the one before it."""
    chain = _nested_term(
        lambda level, body: {
            "let": {f"x{NESTED - level}": {"add": [1, {"var": f"x{NESTED - level - 1}"}]}},
            "in": body,
        },
        {"var": f"x{NESTED}"},
    )
    return {"let": {"x0": 1}, "in": chain}


def _names() -> Json:
    """Free names with a long beginning in common."""
    return _nested_term(
        lambda level, body: {"let": {_text(NAME_LENGTH, f"{level:04}"): 1}, "in": body},
        [{"var": _text(NAME_LENGTH, f"{i:04}")} for i in range(NAMES)],
        NAMES,
    )


def _quotes() -> Json:
    return _nested_term(lambda level, body: {"quote": [1, {"unquote": body}]}, times=NESTED // 3)


CODES: dict[str, Callable[[], Json]] = {
    "small": lambda: {"var": "x"},
    "flat": lambda: [1] * MANY,
    "lambdas": _lambdas,
    "lets": _lets,
    "sums": lambda: _nested_term(lambda level, body: {"add": [{"var": "x"}, body]}),
    "calls": lambda: _nested_term(
        lambda level, body: {"app": [{"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}, body]}
    ),
    "conses": lambda: _nested_term(lambda level, body: {"cons": [level, body]}, [1] * MANY),
    "record": lambda: {"record": {f"f{i:05}": 1 for i in range(MANY)}},
    "names": _names,
    "keys": lambda: {"record": {_text(NAME_LENGTH, f"{i:04}"): 1 for i in range(NAMES)}},
    "texts": lambda: [_text(NAME_LENGTH, f"{i:04}") for i in range(NAMES)],
    "quotes": _quotes,
    "tools": lambda: [{"app": [_text(NAME_LENGTH, f"{i:04}"), 1]} for i in range(NAMES)],
    "nots": lambda: _nested_term(lambda level, body: {"not": body}, {"var": "x"}),
    "tails": lambda: _nested_term(lambda level, body: {"tail": body}, [1] * MANY),
    "matched": lambda: _nested_term(
        lambda level, body: {"and": [{"fst": {"pair": [body, 1]}}, True]}, {"var": "x"}, NESTED // 3
    ),
    "evals": lambda: _nested_term(
        lambda level, body: {"let": {f"x{level}": {"eval": {"quote": 1}}}, "in": body}
    ),
}
"""Code, each as JSON: `code_NAME` is it quoted, `data_NAME` its records (`reify`)."""


OPERANDS: dict[str, Callable[[], Value]] = {
    "truth": lambda: True,
    "unit": lambda: None,
    "zero": lambda: 0,
    "thousands": lambda: 5_000,
    "big": lambda: 2**BITS + 1,
    "next_big": lambda: 2**BITS + 300,
    "half": lambda: 2 ** (BITS // 2) + 3,
    "other_half": lambda: 2 ** (BITS // 2) + 5,
    "empty": lambda: "",
    "text": lambda: _text(LENGTH),
    "wide_text": lambda: _text(LENGTH, WIDE),
    "line": lambda: _text(MANY),
    "wide_line": lambda: _text(MANY, WIDE),
    "half_text": lambda: _text(LENGTH // 2),
    "wide_half": lambda: _text(LENGTH // 2, WIDE),
    "key": lambda: _text(LENGTH, "1"),
    "new_key": lambda: _text(LENGTH, "5"),
    "field": lambda: "f00007",
    "new_field": lambda: "f00007a",
    "name": lambda: "hostile@1",
    "long": lambda: list_of(range(MANY)),
    "texts": lambda: list_of([_text(64, WIDE) for _ in range(MANY // 20)]),
    "wide_texts": lambda: list_of([_text(LENGTH // 4, WIDE)]),
    "empties": lambda: list_of([""] * MANY),
    "characters": lambda: list_of([*_text(MANY)]),
    "strings": lambda: list_of([f"{i:x}" for i in range(MANY)]),
    "deep": lambda: _nested(lambda inner: (inner, NIL, 1), 1, MANY),
    "pairs": lambda: _nested(lambda inner: (1, inner), 1, MANY),
    "left_pairs": lambda: _nested(lambda inner: (inner, 1), 1, MANY),
    "small_records": lambda: _nested(lambda inner: Record({"a": inner, "b": 1}), 1, MANY),
    "names": lambda: _record(f"g{i:05}" for i in range(MANY)),
    "records": lambda: _nested(lambda inner: Record({"a": inner}), 1, MANY),
    "shared": lambda: _nested(lambda inner: (inner, inner), 1, 13),
    "wide": lambda: _record(f"f{i:05}" for i in range(MANY)),
    "long_keys": lambda: _record(_text(LENGTH, f"{i}") for i in range(4)),
    "many_keys": lambda: _record(_text(NAME_LENGTH, f"{i:04}") for i in range(NAMES)),
}


def _code(name: str) -> Term:
    return decode_term({"quote": CODES[name]()}).parts[0]


def operand(name: str) -> Value:
    """A fresh operand; `other_NAME` is NAME made again."""
    name = name.removeprefix("other_")
    maker = OPERANDS.get(name)
    if maker is not None:
        return maker()
    kind, _, code = name.partition("_")
    return reify(_code(code)) if kind == "data" else Quoted(_code(code))
