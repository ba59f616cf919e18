"""JSON as the bytes that were sent: checked whole, taken apart one level deep, put together again.

What is handed on is never decoded and encoded: a number keeps its spelling, an object its order.  So that nobody reads
it otherwise than it was judged, `checked` refuses what two parsers may read differently: a name twice in one object, at
any depth, half a surrogate pair, NaN.  (Numbers are the reader's affair: `kleis.policy.exact_json` judges those of
arguments.)

Invariant: `joined(members(text))` is the same value as `text`, and every slice of a checked text is a checked text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import msgspec

from kleis.decoding import json_decoder
from kleis.errors import KleisError
from pif.language.json_text import TooDeep, check_nesting, outside_strings
from registry.gateway.upstream.protocol import Members

__all__ = ["UnsoundJson", "checked", "elements", "joined", "members", "on_one_line", "text_of", "written"]

VALUES = 1_000_000
"""Arrays, objects and separators of one text: checking one costs memory until the next."""

_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

_read_members = json_decoder(dict[str, msgspec.Raw]).decode
_read_elements = json_decoder(list[msgspec.Raw]).decode
_read_text = json_decoder(str).decode
_write = msgspec.json.Encoder().encode


class UnsoundJson(KleisError):
    """A text that is no JSON, that two parsers may read differently, or that is beyond a limit."""


def checked(text: bytes, *, depth: int, size: int) -> bytes:
    """The text, where it is one sound JSON value of at most `size` bytes and `depth` levels. Raises `UnsoundJson`."""
    if len(text) > size:
        _refuse("too-long", f"the text has {len(text):,} bytes; at most {size:,} are read")
    try:
        characters = text.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse("not-utf-8", f"byte {error.start} is not UTF-8")
    try:
        check_nesting(text, depth)
    except TooDeep:
        _refuse("too-deep", f"more than {depth} arrays and objects are nested")
    if _separators(text) > VALUES and _separators(outside_strings(text)) > VALUES:
        _refuse("too-many-values", f"the text holds more than {VALUES:,} values")
    try:
        _check_grammar(characters)
    except json.JSONDecodeError as error:
        _refuse("no-json", f"{error.msg} at character {error.pos}")
    except RecursionError:
        _refuse("too-deep", "too many arrays and objects are nested")
    if _HALF.search(text) and _HALF.search(_PAIR.sub(b"", text.replace(rb"\\", b"  "))):
        _refuse("lone-surrogate", "a string has half a surrogate pair")
    return text


def members(text: bytes) -> dict[str, bytes]:
    """The members of a checked object, their values as they are written. Raises `UnsoundJson` for another value."""
    try:
        return {name: bytes(value) for name, value in _read_members(text).items()}
    except msgspec.MsgspecError:
        _refuse("no-object", "an object is expected")


def elements(text: bytes) -> list[bytes]:
    """The elements of a checked array. Raises `UnsoundJson` for another value."""
    try:
        return [bytes(value) for value in _read_elements(text)]
    except msgspec.MsgspecError:
        _refuse("no-array", "an array is expected")


def text_of(text: bytes) -> str:
    """The value of a checked string. Raises `UnsoundJson` for another value."""
    try:
        return _read_text(text)
    except msgspec.MsgspecError:
        _refuse("no-string", "a string is expected")


def joined(parts: Members) -> bytes:
    """An object of checked values."""
    return b"{" + b",".join([_write(name) + b":" + value for name, value in parts.items()]) + b"}"


def written(value: Any) -> bytes:
    """A value of our own as JSON."""
    return _write(value)


def on_one_line(text: bytes) -> bytes:
    """A checked text without line ends, which stand between its values only: a line of it is no message of its own."""
    if b"\n" in text or b"\r" in text:
        return text.replace(b"\n", b" ").replace(b"\r", b" ")
    return text


def _separators(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _object(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len({name for name, _ in pairs}) != len(pairs):
        _refuse("duplicate-field", "a field stands twice in one object")


def _number(_: str) -> None:
    """Nothing: how large a number is does not matter here, and Python refuses to read one of 5,000 digits."""


def _constant(name: str) -> NoReturn:
    _refuse("no-number", f"{name} is no number of JSON")


_check_grammar = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_constant
).decode


def _refuse(code: str, message: str) -> NoReturn:
    raise UnsoundJson(message, code=code)
