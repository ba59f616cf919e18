"""The text of a message → a JSON-RPC request, notification or response, or the rejection to send back.

JSON-RPC 2.0 as MCP narrows it: no batches, ids are strings or integers, params are objects. No MCP library.
Nesting and the number of values are bounded before a text is decoded, so no input
overflows the C stack, and neither time nor memory depends on Python's recursion limit. Specification: docs/reference/serving.md §2.3.

Invariants
----------
- Every text gives exactly one of: something to dispatch, a rejection, or nothing (a response is never answered).
- A rejection carries the id wherever it can be read; a text that is not JSON at all is -32700 with id null.
- A `tools/call` that is JSON but holds what is not accepted (nesting, numbers, lone surrogates) is answered by a tool
  result with `isError`, which the model gets to see, and not by a protocol error, which it does not.
- In a call whose arguments are plain values each name occurs once: of `"force": true, "force": false` two readers may
  take different ones, and a policy would decide about one while the other is carried out.
- Text and numbers go both ways exactly; what cannot be encoded raises `Unencodable`, never a changed value.
"""

from __future__ import annotations

import json
import logging
import math
import re
from typing import Any

import msgspec

from kleis.decoding import json_decoder
from pif.language.json_text import JsonError, TooDeep, check_nesting, load_json, outside_strings
from registry.server.contract.content import block
from registry.server.contract.group import Answer

__all__ = [
    "INTERNAL_ERROR",
    "INVALID_REQUEST",
    "NESTING",
    "PARSE_ERROR",
    "VALUES",
    "Incoming",
    "Rejection",
    "Reply",
    "Unencodable",
    "check_body",
    "encode_json",
    "encode_message",
    "oversized",
    "plain_result",
    "protocol_error",
    "read_message",
    "tool_result",
    "unframed",
]

NESTING = 1_000
"""Levels of arrays and objects in a message: those of the longest written term (900) and the request around it."""

VALUES = 1_000_000
"""Arrays, objects and separators in a message. Each may cost some 250 bytes once decoded."""

TEXT_LIMIT = 20_000
"""Characters of text in one answer (docs/reference/serving.md §5.2)."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

_HEAD = 65_536
_TAIL = 4_096
"""Bytes of a rejected message that are looked through for its id, at either end: clients write it before the
parameters or after them."""

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_PIECE = re.compile(rb"[^\"\[\]{}]++|" + _STRING + rb"|[\[{]++|[\]}]++", re.DOTALL)
_MEMBER = rb',\s*+"[^"\\]*+"\s*+:\s*+(?:"[^"\\]*+"|-?\d++|true|false|null)\s*+'
_LAST_MEMBERS = re.compile(rb"((?:" + _MEMBER + rb")++)\}\s*$")

logger = logging.getLogger(__name__)
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class Incoming(msgspec.Struct, frozen=True):
    """A request (with an id) or a notification (without); `size` is the bytes of its text."""

    method: str
    params: dict[str, Any] | None
    id: int | str | None
    size: int


class Reply(msgspec.Struct, frozen=True):
    """The client's answer to a request of ours."""

    id: int | str
    result: dict[str, Any] | None
    error: dict[str, Any] | None


class Rejection(msgspec.Struct, frozen=True):
    """The JSON-RPC answer to something that cannot be dispatched."""

    answer: dict[str, Any]

    def with_envelope(self, envelope: dict[str, Any]) -> dict[str, Any]:
        """The answer, a result with what the client's generation of the protocol adds to it."""
        result = self.answer.get("result")
        return self.answer if result is None else {**self.answer, "result": {**result, **envelope}}


class Unencodable(ValueError):
    """An answer holds something that JSON text cannot say exactly."""


def read_message(text: bytes) -> Incoming | Reply | Rejection | None:
    """A message read. None: nothing to do (a response that answers no request)."""
    try:
        check_nesting(text, NESTING)
    except TooDeep:
        return _rejection(
            _outline(text), "term_too_deep", f"the message nests deeper than {NESTING} levels of JSON"
        )
    if text.count(b",") + text.count(b"[") + text.count(b"{") > VALUES and _count_values(text) > VALUES:
        return _rejection(_outline(text), "value_too_large", f"the message holds more than {VALUES:,} values")
    try:
        data = _decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(text)
    return _classify_call(text, data)


def check_body(text: bytes, levels: int) -> Rejection | None:
    """The rejection of a message for a reader that takes `levels` levels of nesting; None where it may be read."""
    try:
        check_nesting(text, levels)
    except TooDeep:
        said = f"over HTTP a message nests at most {levels} levels of JSON; a deeper term can be given as its text"
        return _rejection(_outline(text), "term_too_deep", said) or Rejection(
            protocol_error(None, INVALID_REQUEST, said)
        )
    found = read_message(text)
    return found if isinstance(found, Rejection) else None


def _read_slowly(text: bytes) -> Incoming | Reply | Rejection | None:
    """What the fast decoder rejects: large numbers, lone surrogates, or a text that is not JSON."""
    try:
        data = load_json(text, levels=NESTING)
    except JsonError as error:
        return Rejection(
            protocol_error(None, PARSE_ERROR, f"the message is not JSON in UTF-8: {_place(error)}")
        )
    unsound = _unsound(data)
    if unsound is None:
        return _classify_call(text, data)
    path, what = unsound
    return _rejection(data if isinstance(data, dict) else {}, "parse_error", what, path=path)


def _place(error: JsonError) -> str:
    return f"line {error.line}, column {error.column}"


def _unsound(data: Any) -> tuple[str, str] | None:
    """The place and description of a number beyond double range or a lone surrogate, if there is one."""
    pending: list[tuple[str, Any]] = [("", data)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return (
                path,
                "a number is beyond the range of a double; integers must be written without an exponent",
            )
        if isinstance(value, str) and _is_torn(value):
            return path, "a string holds a lone surrogate, which no UTF-8 text can say"
        if isinstance(value, list):
            pending.extend((f"{path}/{index}", item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            for key, item in value.items():
                if _is_torn(key):
                    return path, "a key holds a lone surrogate, which no UTF-8 text can say"
                pending.append((f"{path}/{key.replace('~', '~0').replace('/', '~1')}", item))
    return None


def _is_torn(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _classify_call(text: bytes, data: Any) -> Incoming | Reply | Rejection | None:
    """A decoded message classified; rejected where a name that must be unique occurs twice."""
    if _has_plain_arguments(data) and _has_more_names(text, _members(data)):
        said = "a name stands twice in one object: which of its values is meant is unclear"
        return _rejection(data, "parse_error", said)
    return _classify(data, len(text))


def _has_more_names(text: bytes, members: int) -> bool:
    """Whether a text has more names than members came of it. Most have too few colons, those in strings counted."""
    return text.count(b":") > members and outside_strings(text).count(b":") > members


def _has_plain_arguments(data: Any) -> bool:
    """Whether a message is a call whose arguments are texts, numbers and truth values: then it has few members."""
    params = data.get("params") if isinstance(data, dict) and data.get("method") == "tools/call" else None
    arguments = params.get("arguments") if isinstance(params, dict) else None
    return isinstance(arguments, dict) and not any(
        isinstance(each, dict | list) for each in arguments.values()
    )


def _members(data: Any) -> int:
    """The members of all objects in a decoded message."""
    count = 0
    pending = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            count += len(value)
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return count


def _classify(data: Any, size: int) -> Incoming | Reply | Rejection | None:
    if not isinstance(data, dict):
        what = "a batch; send one message at a time" if isinstance(data, list) else "no object"
        return Rejection(protocol_error(None, INVALID_REQUEST, f"the message is {what}"))
    method = data.get("method")
    if method is None and ("result" in data or "error" in data):
        return _reply(data)
    fault = _fault(data)
    if fault is not None:
        return Rejection(protocol_error(_readable_id(data), INVALID_REQUEST, fault))
    params = data.get("params")
    if params is not None and not isinstance(params, dict):
        if "id" not in data:
            return None
        return Rejection(protocol_error(data["id"], INVALID_PARAMS, "`params` must be an object"))
    assert isinstance(method, str)
    return Incoming(method, params, data.get("id"), size)


def _fault(data: dict[str, Any]) -> str | None:
    """Why an object is no request and no notification."""
    if data.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0"'
    if not isinstance(data.get("method"), str):
        return "`method` must be a string"
    if "id" in data and not _is_id(data["id"]):
        return "`id` must be a string or an integer"
    return None


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _readable_id(data: dict[str, Any]) -> Any:
    """The id to answer with: as it was sent if it is a string or a number, else null."""
    value = data.get("id")
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _reply(data: dict[str, Any]) -> Reply | None:
    number, result, error = data.get("id"), data.get("result"), data.get("error")
    if not isinstance(number, str | int) or isinstance(number, bool):
        return None
    if isinstance(result, dict):
        return Reply(number, result, None)
    return Reply(number, None, error) if isinstance(error, dict) else None


def _rejection(data: dict[str, Any], kind: str, message: str, *, path: str = "") -> Rejection | None:
    """The answer to JSON that is sound as text but not accepted."""
    number = _readable_id(data)
    if data.get("method") == "tools/call" and _is_id(number):
        place = path.removeprefix("/params").removeprefix("/arguments")
        answer = Answer.error(kind, message, path=place or None, hint="Nothing was done.")
        return Rejection({"jsonrpc": "2.0", "id": number, "result": tool_result(answer, {})})
    if number is None and "method" in data and "id" not in data:
        return None
    return Rejection(protocol_error(number, INVALID_REQUEST, message))


def _count_values(text: bytes) -> int:
    bare = outside_strings(text)
    return bare.count(b",") + bare.count(b"[") + bare.count(b"{")


def _outline(text: bytes) -> dict[str, Any]:
    """Members of a message's outermost object, read without decoding it: those near its beginning and its end."""
    found = _LAST_MEMBERS.search(text[-_TAIL:])
    last = _decoded(b"{" + found[1].lstrip(b",") + b"}") if found else {}
    return {**last, **_first_members(text[:_HEAD])}


def _first_members(text: bytes) -> dict[str, Any]:
    """The members of the object that a text begins with, what nests in them left out; where the text breaks off,
    those before the last comma."""
    kept: list[bytes] = []
    whole: list[bytes] = []
    depth = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece[0] in b"[{":
            if depth == 0:
                kept.append(piece[:1])
            if depth == 1 or (depth == 0 and len(piece) > 1):
                kept.append(b"0")
            depth += len(piece)
        elif piece[0] in b"]}":
            depth -= len(piece)
            if depth <= 0:
                kept.append(piece[-1:])
                break
        elif depth == 1:
            if piece[0] != ord('"') and b"," in piece:
                whole = [*kept, piece[: piece.rfind(b",")]]
            kept.append(piece)
    is_whole = bool(kept) and depth <= 0
    return _decoded(b"".join(kept if is_whole else [*whole, b"}"]))


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        data = _decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return data if isinstance(data, dict) else {}


def oversized(head: bytes, cap: int) -> Rejection:
    """The answer to a message beyond the cap, of which only the beginning was kept."""
    number = _readable_id(_first_members(head))
    return Rejection(protocol_error(number, INVALID_REQUEST, f"the message is larger than {cap:,} bytes"))


def unframed(reason: str) -> Rejection:
    """The answer to bytes that are no message."""
    return Rejection(protocol_error(None, PARSE_ERROR, reason))


def protocol_error(number: Any, code: int, message: str) -> dict[str, Any]:
    """A JSON-RPC error answer."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}


def tool_result(answer: Answer, envelope: dict[str, Any]) -> dict[str, Any]:
    """The result object of a call, as it goes over the wire; `envelope` holds what the protocol version adds."""
    return {
        "content": [block(_cut(answer)), *map(block, answer.content)],
        "structuredContent": answer.structured,
        "isError": answer.is_error,
        **envelope,
    }


def plain_result(sealed: dict[str, Any], levels: int) -> dict[str, Any]:
    """A result for a writer of JSON that takes so many levels: a field that is deeper is null and named in `too_deep`.

    The text has all of it in any case.
    """
    fields: dict[str, Any] = {}
    too_deep = []
    for name, raw in _FIELDS.decode(bytes(sealed["structuredContent"])).items():
        try:
            check_nesting(bytes(raw), levels)
        except TooDeep:
            fields[name] = None
            too_deep.append(name)
        else:
            fields[name] = json.loads(bytes(raw))
    return {**sealed, "structuredContent": {**fields, "too_deep": too_deep} if too_deep else fields}


_FIELDS = json_decoder(dict[str, msgspec.Raw])


def _cut(answer: Answer) -> str:
    text = answer.text
    if len(text) <= TEXT_LIMIT:
        return text
    note = f"\n[cut: {TEXT_LIMIT:,} of {len(text):,} characters; all of it is in structuredContent. {answer.rest}".rstrip()
    return text[: TEXT_LIMIT - len(note) - 1] + note + "]"


def encode_json(value: Any) -> bytes:
    """Compact JSON text, exact. Raises `Unencodable`."""
    try:
        return _encode(value)
    except UnicodeEncodeError:  # a lone surrogate: JSON's own escapes can say it
        return _encode_ascii(value)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise Unencodable(f"{type(error).__name__} while encoding") from error


def _encode_ascii(value: Any) -> bytes:
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_unsealed).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Unencodable(f"{type(error).__name__} while encoding") from error


def _unsealed(value: Any) -> Any:
    if isinstance(value, msgspec.Raw):
        return json.loads(bytes(value))
    raise TypeError(f"{type(value).__name__} is not JSON")


def encode_message(message: dict[str, Any]) -> bytes:
    """The text of a JSON-RPC message. One that cannot be written becomes an error answer: silence would leave the
    client waiting."""
    try:
        return encode_json(message)
    except Unencodable:
        logger.exception("an outgoing message cannot be written as JSON")
        return _encode(
            protocol_error(message.get("id"), INTERNAL_ERROR, "the answer cannot be written as JSON")
        )
