"""The text of a client's message to a request whose parts are the bytes that were sent.

The envelope is read here once, strictly: what two parsers may read differently is refused at every depth, so that the
name which is judged is the name that is forwarded.  Numbers of arguments are judged with the call (`judging`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from registry.gateway.upstream.raw_json import UnsoundJson, checked, members, text_of
from registry.server.streams.messages import (
    INVALID_REQUEST,
    Incoming,
    Rejection,
    encode_message,
    protocol_error,
    read_message,
)

__all__ = ["DEPTH", "SIZE", "Refusal", "Request", "key_of", "read_request", "unexpected"]

SIZE = 4 * 1024 * 1024
"""Bytes of a message."""

DEPTH = 68
"""Levels of JSON: those of arguments, and the request around them."""

_ID = re.compile(rb"-?\d{1,40}")


class Request(msgspec.Struct, frozen=True):
    """A request, or a notification, which has no `id`.  All values are JSON as it was sent; `params` is without `_meta`.

    `headers`: what `Mcp-Param-*` headers repeat of the arguments, where the request came with headers of the newer generation.
    """

    method: str
    params: dict[str, bytes]
    meta: dict[str, bytes]
    id: bytes | None
    size: int
    headers: Mapping[str, str | None] | None = None


class Refusal(msgspec.Struct, frozen=True):
    """A message that is answered without being looked at further.  Where `answer` is empty it was a call, which
    is answered with a result that says the `reason`."""

    answer: bytes
    id: bytes | None = None
    reason: str = ""


def read_request(text: bytes) -> Request | Refusal | None:
    """A client's message.  None where there is nothing to do: answers, and notifications that are none."""
    try:
        found = members(checked(text, depth=DEPTH, size=SIZE))
        return _request(found, len(text))
    except UnsoundJson as error:
        return _unsound(text, error)


def _request(found: dict[str, bytes], size: int) -> Request | Refusal | None:
    number = found.get("id")
    if "method" not in found and ("result" in found or "error" in found):
        return None
    if number is not None and not (number.startswith(b'"') or _ID.fullmatch(number)):
        return _refused(None, "`id` must be a string or an integer")
    if found.get("jsonrpc") != b'"2.0"':
        return _refused(number, '`jsonrpc` must be "2.0"')
    if not found.get("method", b"").startswith(b'"'):
        return _refused(number, "`method` must be a string")
    strange = unexpected(found, ("jsonrpc", "id", "method", "params"))
    if strange:
        return _refused(number, f"a request has no member {strange}")
    params: dict[str, bytes] = {}
    meta: dict[str, bytes] = {}
    try:
        params = members(found.get("params", b"{}"))
        meta = members(params.pop("_meta", b"{}"))
    except UnsoundJson:
        return (
            None if number is None else _refused(number, "`params` and `_meta` must be objects", code=-32602)
        )
    return Request(text_of(found["method"]), params, meta, number, size)


def unexpected(found: Mapping[str, bytes], known: tuple[str, ...]) -> str:
    """The first member that is not among the known ones, for messages; empty where there is none."""
    return next((ascii(name[:60]) for name in found if name not in known), "")


def key_of(number: bytes) -> tuple[str, str]:
    """An id as it is compared: of two spellings of one string they are the same."""
    return ("text", text_of(number)) if number.startswith(b'"') else ("number", number.decode())


def _refused(number: bytes | None, said: str, *, code: int = INVALID_REQUEST) -> Refusal:
    shown: Any = None if number is None else msgspec.Raw(number)
    return Refusal(encode_message(protocol_error(shown, code, said)), number, said)


def _unsound(text: bytes, error: UnsoundJson) -> Refusal | None:
    """The answer to what is not read.  To a call it is a result, which models get to see."""
    if error.code == "no-object":
        return _refused(None, "the message is a batch or no object; send one message at a time")
    found = read_message(text) if len(text) <= SIZE else None
    if isinstance(found, Rejection):
        is_call = "result" in found.answer
        number = msgspec.json.encode(found.answer["id"]) if is_call else None
        return (
            Refusal(b"", number, error.message)
            if is_call
            else Refusal(encode_message(found.answer), None, error.message)
        )
    if not isinstance(found, Incoming):
        return None if len(text) <= SIZE else _refused(None, error.message)
    if found.id is None:
        return None
    number = msgspec.json.encode(found.id)
    if found.method == "tools/call":
        return Refusal(b"", number, error.message)
    return _refused(number, error.message)
