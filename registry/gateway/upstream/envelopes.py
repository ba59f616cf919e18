"""JSON-RPC messages to an upstream and from it: the envelope is written anew, what is inside is copied.

What comes is one of `Response`, `ServerRequest` and `Notification`; anything else raises `UnsoundJson`, and costs nobody
anything.  Nothing here waits or keeps state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from registry.gateway.upstream.protocol import Answer, Limits, Members, Notification
from registry.gateway.upstream.raw_json import (
    UnsoundJson,
    checked,
    joined,
    members,
    on_one_line,
    text_of,
    written,
)

__all__ = [
    "CLIENT_INFO",
    "LOG_LEVEL",
    "OWN_META",
    "SERVER_INFO",
    "Received",
    "Response",
    "ServerRequest",
    "answer_to",
    "notification",
    "read_envelope",
    "request",
    "request_meta",
]

_PREFIX = "io.modelcontextprotocol/"
LOG_LEVEL = _PREFIX + "logLevel"
SERVER_INFO = _PREFIX + "serverInfo"
SUBSCRIPTION = _PREFIX + "subscriptionId"

OWN_META = frozenset(
    {
        "progressToken",
        _PREFIX + "protocolVersion",
        _PREFIX + "clientInfo",
        _PREFIX + "clientCapabilities",
        _PREFIX + "related-task",
        SUBSCRIPTION,
    }
)
"""Members of a request's `_meta` that belong to one connection: those of the client's are not handed on."""


def _version() -> str:
    try:
        return version("pif-kleis")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0"


CLIENT_INFO = written({"name": "pif-gateway", "version": _version()})

_ID = re.compile(rb"[0-9]{1,15}")
_TOKEN = re.compile(rb"[0-9]{1,15}")
_SERVERS_ID = re.compile(rb'"[^\x00-\x1f]{0,200}"|-?[0-9]{1,30}')


@dataclass(frozen=True)
class Response:
    """An answer, to the request of this number."""

    id: int
    answer: Answer


@dataclass(frozen=True)
class ServerRequest:
    """A request of an upstream; `id` is raw."""

    id: bytes
    method: str


@dataclass(frozen=True)
class Received:
    """A notification, and the request whose progress it tells of (if any)."""

    notification: Notification
    progress_of: int | None = None


def request(number: int, method: str, params: Members, meta: Members) -> bytes:
    """The text of a request, on one line."""
    parts = {"jsonrpc": b'"2.0"', "id": b"%d" % number, "method": written(method)}
    if params or meta:
        inside = dict(params)
        inside.pop("_meta", None)
        if meta:
            inside["_meta"] = joined(meta)
        parts["params"] = joined(inside)
    return on_one_line(joined(parts))


def request_meta(asked: Members | None, *, revision: str | None, progress: int | None) -> dict[str, bytes]:
    """The `_meta` of a request: what the client's says, without what belongs to its own connection, and ours.

    `revision` is that of a 2026 upstream, which is told with every request who is asking.
    """
    meta = {name: value for name, value in (asked or {}).items() if name not in OWN_META}
    if revision is None:
        meta.pop(LOG_LEVEL, None)
    else:
        meta[_PREFIX + "protocolVersion"] = written(revision)
        meta[_PREFIX + "clientInfo"] = CLIENT_INFO
        meta[_PREFIX + "clientCapabilities"] = b"{}"
    if progress is not None:
        meta["progressToken"] = b"%d" % progress
    return meta


def notification(method: str, params: Members) -> bytes:
    """The text of a notification, on one line."""
    parts = {"jsonrpc": b'"2.0"', "method": written(method)}
    if params:
        parts["params"] = joined(params)
    return on_one_line(joined(parts))


def answer_to(asked: ServerRequest) -> bytes:
    """The answer to a request of an upstream: a ping is answered, nothing else is offered through the gateway yet."""
    parts = {"jsonrpc": b'"2.0"', "id": asked.id}
    if asked.method == "ping":
        parts["result"] = b"{}"
    else:
        said = "the gateway in between offers servers no requests to the client (sampling, elicitation, roots, tasks)"
        parts["error"] = written({"code": -32601, "message": said})
    return joined(parts)


def read_envelope(text: bytes, limits: Limits) -> Response | ServerRequest | Received:
    """A message of an upstream. Raises `UnsoundJson` for what is none."""
    parts = members(checked(text, depth=limits.depth, size=limits.message))
    if parts.get("jsonrpc") != b'"2.0"':
        raise UnsoundJson('`jsonrpc` is not "2.0"', code="no-message")
    if "method" in parts:
        if "result" in parts or "error" in parts:
            raise UnsoundJson("a message is a request and an answer at once", code="no-message")
        method = text_of(parts["method"])
        if "id" in parts:
            return ServerRequest(_servers_id(parts["id"]), method)
        return _received(method, members(parts["params"]) if "params" in parts else {})
    found = _ID.fullmatch(parts.get("id", b""))
    if found is None:
        raise UnsoundJson("an answer to no request of the gateway's", code="no-message")
    return Response(int(found[0]), _answer(parts))


def _answer(parts: Members) -> Answer:
    if ("result" in parts) == ("error" in parts):
        raise UnsoundJson("an answer has neither a result nor an error, or both", code="no-message")
    name = "result" if "result" in parts else "error"
    if not parts[name].startswith(b"{"):
        raise UnsoundJson(f"`{name}` is no object", code="no-message")
    return Answer(result=parts.get("result"), error=parts.get("error"))


def _servers_id(raw: bytes) -> bytes:
    if _SERVERS_ID.fullmatch(raw) is None:
        raise UnsoundJson(
            "the `id` of a request is no string and no integer, or it is long", code="no-message"
        )
    return raw


def _received(method: str, params: dict[str, bytes]) -> Received:
    """A notification, without the tokens of this connection."""
    progress_of = None
    if method == "notifications/progress":
        token = params.pop("progressToken", b"")
        progress_of = int(token) if _TOKEN.fullmatch(token) else -1
    if "_meta" in params:
        meta = members(params["_meta"])
        if SUBSCRIPTION in meta:
            del meta[SUBSCRIPTION]
            params["_meta"] = joined(meta)
            if not meta:
                del params["_meta"]
    return Received(Notification(method, params), progress_of)
