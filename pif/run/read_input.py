"""What `run` makes of the input it is given (docs/reference/pif.md §7), and plain data as values.

Clients send numbers, booleans and whole objects as strings, and objects that are data rather than operations; the
reading here takes them as they were meant. In `raw` input no strings are read again, `data` is not read at all. Where
the caller knows that the function takes text (`KeptStrings`), text stays text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from pif.language import primitives as table
from pif.language.budget import INTEGER_BITS, JSON_LEVELS, TERM_DEPTH, reserve_stack
from pif.language.decode import MANY, ONE, Decoder, describe, round_number
from pif.language.errors import Path, PifError, pointer
from pif.language.json_text import JsonError, TooDeep, load_json
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json, Term, make
from pif.language.values import Record, Value, list_of
from pif.language.warnings import Rounding

__all__ = ["KeptStrings", "is_operation", "is_read_again", "read_data", "read_input"]

KeptStrings: TypeAlias = "bool | list[KeptStrings] | dict[str, KeptStrings]"
"""Where strings of an input stay strings: everywhere here (True), nowhere (False), in the items of a list (one plan for
all), in fields of an object by name."""

_STACK = 4_000
_WORDS = {"true": True, "false": False, "null": None}
_FIRST = frozenset('{["-0123456789')


def read_input(
    data: Json,
    *,
    raw: bool = False,
    rounding: Rounding | None = None,
    kept: Callable[[], KeptStrings] | None = None,
) -> Term:
    """The term that an input stands for; `rounding` is told of numbers with fractions.

    `kept` says which strings are not read again; it is asked when there is one that would be. Raises `PifError` with a
    path into the input as received."""
    reserve_stack(_STACK)
    if kept is None or raw:
        return _InputDecoder(raw=raw, rounding=rounding, asks=False).term(data, None, 1, 0)
    rounding = rounding or Rounding()
    before = rounding.mark()
    try:
        return _InputDecoder(raw=False, rounding=rounding, asks=True).term(data, None, 1, 0)
    except _ReadAgain:
        rounding.back_to(before)
        return _InputDecoder(raw=False, rounding=rounding, asks=False).typed(data, kept(), None, 1)


class _ReadAgain(Exception):
    """A string was met that means other JSON, and whether it is to be read as that is not known yet."""


def _meant(text: str) -> tuple[bool, Json]:
    """Whether a string stands for other JSON, and for which."""
    stripped = text.strip(" \t\r\n")
    if not stripped:
        return False, None
    word = stripped.lower()
    if word in _WORDS:
        return True, _WORDS[word]
    if stripped[0] not in _FIRST:
        return False, None
    try:
        data = load_json(stripped, levels=JSON_LEVELS)
    except JsonError:
        return False, None
    if isinstance(data, float) and not math.isfinite(data):
        return False, None
    if type(data) is int and data.bit_length() > INTEGER_BITS:
        return False, None
    return True, data


def is_read_again(text: str) -> bool:
    """Whether a string of the input stands for other JSON, or nests too deep for that to be said."""
    try:
        return _meant(text)[0]
    except TooDeep:
        return True


class _InputDecoder(Decoder):
    """The decoder of terms, with strings read again (unless `raw`) and other objects taken as records. What is inside
    a `quote`, live unquotes as well, is left to the decoder of terms itself."""

    def __init__(self, *, raw: bool, rounding: Rounding | None, asks: bool) -> None:
        super().__init__("input", rounding=rounding)
        self.raw = raw
        self.asks = asks
        self.quoted = Decoder("input", rounding=self.rounding)

    def term(self, data: Json, path: Path, depth: int, level: int) -> Term:
        while type(data) is str and not self.raw:
            try:
                changed, meant = _meant(data)
            except TooDeep as error:
                return self.refuse(f"{error}", path, kind="term_too_deep")
            if not changed:
                break
            if self.asks:
                raise _ReadAgain
            data = meant
        if type(data) is dict and not is_operation(data):
            return self.too_deep(path) if depth > TERM_DEPTH else self.fields(data, path, depth, level)
        return super().term(data, path, depth, level)

    def typed(self, data: Json, kept: KeptStrings, path: Path, depth: int) -> Term:
        """The term of an input in which some strings stay strings."""
        if type(data) is str and isinstance(kept, list | dict):
            changed, meant = _meant(data)
            if changed:
                return self.typed(meant, kept, path, depth)
        match kept:
            case True if type(data) is str:
                return Term("literal", (), self.text(data, path))
            case [items] if type(data) is list and depth <= TERM_DEPTH:
                parts = [self.typed(part, items, (path, i), depth + 1) for i, part in enumerate(data)]
                return make("list", tuple(parts))
            case dict() if type(data) is dict and depth <= TERM_DEPTH and not is_operation(data):
                fields = {
                    self.text(name, path): self.typed(part, kept.get(name, False), (path, name), depth + 1)
                    for name, part in data.items()
                }
                names = tuple(sorted(fields))
                return make("record", tuple(fields[name] for name in names), names)
            case _:
                return self.term(data, path, depth, 0)

    def one(self, op: str, part: Json, path: Path, depth: int, level: int) -> Term:
        if op == "quote":
            return self.quoted.one(op, part, path, depth, level)
        return super().one(op, part, path, depth, level)

    def code_of(self, data: dict[str, Json], path: Path, depth: int, level: int) -> Term:
        name, here = data["code_of"], (path, "code_of")
        if type(name) is str:  # a name, not a string to be read again
            return make("code_of", (super().term(name, here, depth + 1, level),))
        return make("code_of", (self.term(name, here, depth + 1, level),))


def is_operation(data: dict[str, Json]) -> bool:
    """Whether the keys and the number of parts are exactly those of one operation."""
    if len(data) == 2:
        bindings = data.get("let")
        return ("lam" in data and "body" in data) or (
            "in" in data and type(bindings) is dict and len(bindings) > 0
        )
    if len(data) != 1:
        return False
    ((key, parts),) = data.items()
    if key in MANY:
        return type(parts) is list and len(parts) == MANY[key]
    if key in ONE:
        return True
    match key:
        case "app":
            return _has(parts, "func", "arg") or (type(parts) is list and len(parts) >= 2)
        case "cons":
            return _has(parts, "head", "tail") or (type(parts) is list and len(parts) == 2)
        case "if":
            return _has(parts, "cond", "then", "else")
        case "continue":
            return _has(parts, "input")
        case "record":
            return type(parts) is dict
        case "lam" | "let":
            return False
        case _:
            return key in PRIMITIVES


def _has(parts: Json, *keys: str) -> bool:
    return type(parts) is dict and parts.keys() == set(keys)


def read_data(data: Json, rounding: Rounding | None = None) -> tuple[Value, int]:
    """Plain data as a value: nothing decoded, nothing evaluated. Also its charge: 1 and what it retains."""
    reserve_stack(_STACK)
    reader = _DataReader(rounding or Rounding())
    return reader.value(data, None, 0), reader.charge


class _DataReader:
    def __init__(self, rounding: Rounding) -> None:
        self.rounding = rounding
        self.charge = 1

    def value(self, data: Json, path: Path, level: int) -> Value:
        if level > JSON_LEVELS:
            raise PifError(
                "term_too_deep", f"data nests deeper than {JSON_LEVELS} levels", path="/input" + pointer(path),
                place="input",
            )  # fmt: skip
        match data:
            case None | bool():
                return data
            case int():
                return self.integer(data, path)
            case str():
                return self.string(data, path)
            case float():
                return self.integer(round_number(data), path, data)
            case list():
                self.charge += table.charge_list(len(data))
                return list_of([self.value(item, (path, i), level + 1) for i, item in enumerate(data)])
            case dict():
                self.charge += table.charge_record(len(data))
                names = sorted(self.string(name, path) for name in data)
                return Record({name: self.value(data[name], (path, name), level + 1) for name in names})
            case _:
                raise self.refusal(path, f"{describe(data)} is not JSON")

    def refusal(self, path: Path, message: str, **more: Any) -> PifError:
        return PifError("parse_error", message, path="/input" + pointer(path), place="input", **more)

    def string(self, text: str, path: Path) -> str:
        self.charge += table.charge_text(len(text))
        return Decoder("input").text(text, path)

    def integer(self, number: int | None, path: Path, found: Json = None) -> int:
        if number is None:
            raise self.refusal(path, "a number must be within double range", found=describe(found))
        if type(found) is float and number != found:
            self.rounding.note(found, number, "/input" + pointer(path), "input")
        if number.bit_length() > INTEGER_BITS:
            message = f"an integer has at most {INTEGER_BITS} bits"
            raise PifError("value_too_large", message, path="/input" + pointer(path), place="input")
        return number
