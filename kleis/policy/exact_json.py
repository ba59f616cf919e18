"""JSON that every parser reads alike, as values of `Json` (`stdlib/kleis/policies/gateway.kleis`).

See docs/reference/policy.md §10.2.  A policy judges what a server will read, and the server has a parser of its own.  So
what two parsers may read differently is refused: a field twice in one object, half a surrogate pair, NaN and infinities,
a number that a double cannot hold as it is written.  An integer beyond 2^53 is refused unless the tool is known to read
integers exactly.

Invariant: of what is accepted, the strings are those that any parser makes, and every number is one that a double of
the nearest value prints again.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate
from typing import Any, NoReturn

from kleis.errors import KleisError
from kleis.values import Data, Value, exact, list_of

__all__ = ["DEEPEST", "LONGEST", "ExactJsonError", "json_value", "read_exactly"]

LONGEST = 4_000_000
"""Bytes of one text."""

DEEPEST = 64
"""Arrays and objects inside one another."""

_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""A level down and a level up, as signed bytes."""
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_GREATEST_EXACT = 2**53
_LONGEST_NUMBER = 400


class ExactJsonError(KleisError):
    """A text that is no JSON, or that two parsers may read differently."""


def read_exactly(text: str | bytes, *, exact_integers: bool = False) -> Any:
    """A JSON text as plain data: objects as dicts in the order of the text, fractions and exponents as `Fraction`.

    `exact_integers`: integers of any size up to 400 digits.  Raises `ExactJsonError`.
    """
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if len(raw) > LONGEST:
        _refuse("too-long", f"the text has {len(raw):,} bytes; at most {LONGEST:,} are read")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            _refuse("not-utf-8", f"byte {error.start} is not UTF-8")
    _check_depth(raw)

    def integer(digits: str) -> int:
        _check_length(digits)
        value = int(digits)
        if not exact_integers and abs(value) > _GREATEST_EXACT:
            _refuse("inexact-integer", f"{_shown(digits)} is beyond 2^53: a double does not hold it")
        return value

    def fraction(written: str) -> int | Fraction:
        return _fraction(written)

    try:
        data = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=integer,
            parse_float=fraction,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        _refuse("no-json", f"{error.msg} at character {error.pos}")
    except RecursionError:
        _refuse("too-deep", f"more than {DEEPEST} arrays and objects are nested")
    if not text.isascii() or "\\u" in text:
        _check_surrogates(data)
    return data


def json_value(data: Any) -> Value:
    """Data as `read_exactly` makes it, as a value of `Json`."""
    match data:
        case None:
            return _NULL
        case bool():
            return Data("JsonBool", (data,))
        case int() | Fraction():
            return Data("JsonNumber", (data,))
        case str():
            return Data("JsonText", (data,))
        case list() | tuple():
            return Data("JsonList", (list_of(map(json_value, data)),))
        case dict():
            fields = (Data("JsonField", (name, json_value(value))) for name, value in data.items())
            return Data("JsonObject", (list_of(fields),))
        case _:
            raise AssertionError(type(data))


_NULL = Data("JsonNull")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        _refuse("duplicate-field", f"the field {_shown(twice)!r} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    _refuse("no-number", f"{name} is no number of JSON")


def _check_length(written: str) -> None:
    if len(written) > _LONGEST_NUMBER:
        _refuse("long-number", f"a number has {len(written)} characters; at most {_LONGEST_NUMBER} are read")


def _fraction(written: str) -> int | Fraction:
    """A number with a fraction or an exponent; refused where the nearest double is printed as another number."""
    _check_length(written)
    nearest = float(written)
    try:
        same = math.isfinite(nearest) and Decimal(repr(nearest)) == Decimal(written)
    except InvalidOperation:
        same = False
    if not same:
        _refuse("inexact-number", f"{_shown(written)} is not what the nearest double is printed as")
    if nearest == 0:
        return 0  # before its exponent, which may be of any size, becomes a power of ten
    value = exact(Fraction(written))
    if isinstance(value, int) and abs(value) > _GREATEST_EXACT:
        _refuse("inexact-integer", f"{_shown(written)} is beyond 2^53: a double does not hold it")
    return value


def _check_depth(text: bytes) -> None:
    """Refuse what is nested too deeply, before anything recurs: in linear time, whatever the text is."""
    if text.count(b"[") + text.count(b"{") <= DEEPEST:
        return
    unescaped = text.replace(b"\\\\", b"").replace(
        b'\\"', b""
    )  # pairs first: then every quote begins or ends a string
    brackets = b"".join(unescaped.split(b'"')[::2]).translate(_STEPS, _NOT_BRACKETS)
    if max(accumulate(memoryview(brackets).cast("b")), default=0) > DEEPEST:
        _refuse("too-deep", f"more than {DEEPEST} arrays and objects are nested")


def _check_surrogates(data: Any) -> None:
    waiting = [data]
    while waiting:
        match waiting.pop():
            case str() as text:
                if any("\ud800" <= each <= "\udfff" for each in text):
                    _refuse("lone-surrogate", "a string has half a surrogate pair")
            case list() as items:
                waiting.extend(items)
            case dict() as fields:
                waiting.extend(fields)
                waiting.extend(fields.values())
            case _:
                pass


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"


def _refuse(code: str, message: str) -> NoReturn:
    raise ExactJsonError(message, code=code)
