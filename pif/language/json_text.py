"""JSON text → data, safely: bounded nesting, exact integers, positions in errors.

No text reaches a recursive decoder before its nesting has been counted, so neither Python's recursion limit (which
the evaluator raises) nor the C stack can be exhausted by a text of brackets. Integers are exact; NaN, infinities and
numbers beyond double range decode to non-finite floats, which the term decoder refuses with their place.
"""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any

import msgspec

from pif.language.budget import JSON_LEVELS, reserve_stack
from pif.language.errors import PifError, Place

__all__ = ["JsonError", "TooDeep", "check_nesting", "load_json", "outside_strings", "parse_json"]

_STACK = 4_000
"""Python's limit also guards C decoders; 1,000 levels of JSON must fit with the caller's own frames."""

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_FLAT = bytes.maketrans(b"{}", b"[]")
_SHALLOW = 32
_CHUNK = 1 << 20
"""Bytes split at their quotes at once, so that a text of nothing but quotes does not cost its size many times."""

_STEP = [1 if byte in b"[{" else -1 for byte in range(256)]
_HUGE = 1 << 20_000
"""Stands for an integer of more than 4,300 digits, which CPython does not convert: over every limit here."""


class JsonError(ValueError):
    """The text is not JSON. `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{message} at line {line}, column {column}")
        self.line = line
        self.column = column


class TooDeep(ValueError):
    """The text nests more arrays and objects than allowed."""


def outside_strings(text: bytes) -> bytes:
    """A JSON text without its strings (an unterminated one runs to the end), in linear time and at C speed."""
    if b"\\" in text:  # pairs first: what is left of a run of backslashes escapes the quote behind it
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept: list[bytes] = []
    is_inside = 0
    for start in range(0, len(text), _CHUNK):
        parts = text[start : start + _CHUNK].split(b'"')
        kept.append(b"".join(parts[is_inside::2]))
        is_inside ^= (len(parts) - 1) & 1
    return b"".join(kept)


def check_nesting(text: bytes, limit: int) -> None:
    """Raise `TooDeep` where arrays and objects nest deeper than `limit`; linear, and quick for ordinary texts."""
    if text.count(b"[") + text.count(b"{") <= limit:
        return
    brackets = outside_strings(text).translate(_FLAT, _NOT_BRACKETS)
    passes = 0
    while passes < min(limit, _SHALLOW):  # each removes the innermost level of what is balanced, at C speed
        fewer = brackets.replace(b"[]", b"")
        if not fewer:
            return
        passes += 1
        is_deep_rather_than_wide = len(fewer) > len(brackets) // 16 * 15
        brackets = fewer
        if is_deep_rather_than_wide:
            break
    if any(depth > limit - passes for depth in accumulate(map(_STEP.__getitem__, brackets))):
        raise TooDeep(f"arrays and objects nest deeper than {limit} levels")


def load_json(text: str | bytes, *, levels: int) -> Any:
    """The data of a JSON text. Raises `JsonError` or `TooDeep`."""
    try:
        raw = text.encode() if isinstance(text, str) else text
        raw.decode()
    except UnicodeError:
        raise JsonError("the text is not valid Unicode", 1, 1) from None
    check_nesting(raw, levels)
    reserve_stack(_STACK)
    try:
        return msgspec.json.decode(raw)
    except msgspec.MsgspecError:
        return _load_slowly(raw.decode())


def _load_slowly(text: str) -> Any:
    """What msgspec refused: numbers out of its range, or a text that is not JSON (which gets a position)."""
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise JsonError(_in_our_words(error), error.lineno, error.colno) from None


_WORDS = {
    "Expecting property name": "a key in double quotes is expected",
    "Expecting value": "a value is expected",
    "Expecting ',' delimiter": "a comma or the closing bracket is expected",
    "Expecting ':' delimiter": "a colon is expected",
    "Extra data": "there is more after the end of the value",
    "Unterminated string": "a string is not closed",
    "Invalid control character": "a string holds a control character, which must be written as an escape",
    "Invalid \\": "a string holds an escape that JSON does not have",
    "Illegal trailing comma": "a comma stands before a closing bracket",
    "NaN is not JSON": "NaN is not JSON",
    "Infinity is not JSON": "Infinity is not JSON",
    "-Infinity is not JSON": "-Infinity is not JSON",
}


def _in_our_words(error: json.JSONDecodeError) -> str:
    """What is wrong with a text, whatever the library that noticed it calls it."""
    if error.doc[error.pos : error.pos + 1] == "'":
        return "strings and keys stand in double quotes, not in single ones"
    found = (words for start, words in _WORDS.items() if error.msg.startswith(start))
    return next(found, "this is not JSON")


def _integer(digits: str) -> int:
    if len(digits) <= 4_300:
        return int(digits)
    return -_HUGE if digits.startswith("-") else _HUGE


def _no_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not JSON", name, 0)


def parse_json(text: str | bytes, *, place: Place = "code") -> Any:
    """`load_json` with the limit of written terms, and refusals as `PifError`."""
    try:
        return load_json(text, levels=JSON_LEVELS)
    except TooDeep as error:
        raise PifError("term_too_deep", f"{error}", place=place) from None
    except JsonError as error:
        raise PifError(
            "parse_error", f"the text is not JSON: {error}", place=place, expected="a JSON text"
        ) from None
