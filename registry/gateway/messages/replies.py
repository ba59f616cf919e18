"""Answers to clients: results in the form of either protocol generation, errors, denials.

A result keeps its bytes; only its outermost members are looked at: those that one generation has and the other has not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from registry.gateway.upstream.envelopes import SERVER_INFO
from registry.gateway.upstream.generations import result_for
from registry.gateway.upstream.raw_json import joined, members, written

__all__ = [
    "HEADER_MISMATCH",
    "INVALID_PARAMS",
    "METHOD_NOT_FOUND",
    "SERVER_ERROR",
    "Fault",
    "Form",
    "call_failure",
    "denial",
    "is_error",
    "notification",
]

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
HEADER_MISMATCH = -32020
SERVER_ERROR = -32000


class Fault(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None, *, raw: bytes = b"") -> None:
        """`raw`: the JSON of the error, where it is a server's."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.raw = raw

    def encoded(self) -> bytes:
        """The JSON of the error object."""
        if self.raw:
            return self.raw
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return msgspec.json.encode(error)


class Form:
    """How one gateway answers clients of one generation."""

    def __init__(self, info: Mapping[str, Any], *, is_modern: bool) -> None:
        self.is_modern = is_modern
        self._info = written(dict(info))

    def result(self, number: bytes, method: str, result: bytes) -> bytes:
        """The message with a result."""
        result = result_for("2026" if self.is_modern else "2025", method, result)
        if self.is_modern:
            found = members(result)
            meta = members(found["_meta"]) if found.get("_meta", b"").startswith(b"{") else {}
            found["_meta"] = joined({**meta, SERVER_INFO: self._info})
            result = joined(found)
        return b'{"jsonrpc":"2.0","id":' + number + b',"result":' + result + b"}"

    def error(self, number: bytes, fault: Fault) -> bytes:
        """The message with an error."""
        return b'{"jsonrpc":"2.0","id":' + number + b',"error":' + fault.encoded() + b"}"


def notification(method: str, params: Mapping[str, bytes]) -> bytes:
    """A notification to a client."""
    return b'{"jsonrpc":"2.0","method":' + written(method) + b',"params":' + joined(params) + b"}"


def denial(*, rule: str, reason: str, hint: str, decision: str = "deny", problem: str = "") -> bytes:
    """The result of a call that was not forwarded: what decided, why, and what the policy says to do instead."""
    fields = {"decision": decision, "rule": rule, "reason": reason}
    lines = [f"❌ {reason}", f"Rule: {rule}" if rule else "", f"Hint: {hint}" if hint else "", problem]
    if hint:
        fields["hint"] = hint
    if problem:
        fields["policy_problem"] = problem
    return _call_error("\n".join(filter(None, lines)), {"denied": True, **fields})


def call_failure(kind: str, message: str, hint: str = "") -> bytes:
    """The result of a call that was forwarded, or could have been, and has no answer."""
    text = f"❌ {message}" + (f"\nHint: {hint}" if hint else "")
    fields = {"kind": kind, "message": message} | ({"hint": hint} if hint else {})
    return _call_error(text, {"denied": False, "error": fields})


def _call_error(text: str, about: dict[str, Any]) -> bytes:
    """Not `structuredContent`: that has to fit the schema of the tool."""
    content = [{"type": "text", "text": text}]
    return msgspec.json.encode({"content": content, "isError": True, "_meta": {"pif/gateway": about}})


def is_error(result: bytes) -> bool:
    """Whether a result of a call says that it is an error."""
    return members(result).get("isError") == b"true"
