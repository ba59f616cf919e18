"""What can be seen of calls from outside: one record of each, handed to observers once it is answered.

Observers count calls (`registry.server.monitoring.metrics`) and log them (`registry.server.monitoring.call_log`). A server
without observers makes no records. No record has the arguments unless the observer says that it wants them: they may be secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal, Protocol

import msgspec

__all__ = [
    "NO_REQUEST",
    "CallRecord",
    "Observer",
    "Outcome",
    "RequestOrigin",
    "request_origin",
    "within_request",
]

Outcome = Literal["ok", "error", "busy", "asked", "cancelled"]
"""How a call ended: with an answer, an error, `too_busy`, a question to its client, or not at all."""

TRACE_KEY = "traceparent"
"""In the `_meta` of a request: the trace that it belongs to (W3C Trace Context)."""

_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}")


class RequestOrigin(msgspec.Struct, frozen=True):
    """The request that a call came with: its identifier (the client's), and the trace that the client named, if it did."""

    id: str = ""
    traceparent: str = ""

    @property
    def trace_id(self) -> str:
        """The 32 hexadecimal digits of the trace, or nothing."""
        found = _TRACEPARENT.fullmatch(self.traceparent)
        return found[1] if found else ""


NO_REQUEST = RequestOrigin()

_REQUEST: ContextVar[RequestOrigin] = ContextVar("request", default=NO_REQUEST)


@contextmanager
def within_request(id: object, meta: Mapping[str, Any] | None) -> Iterator[None]:
    """The calls made in this block belong to a request. What its `_meta` says is kept only where it is well formed."""
    parent = meta.get(TRACE_KEY) if isinstance(meta, Mapping) else None
    well_formed = isinstance(parent, str) and _TRACEPARENT.fullmatch(parent) is not None
    shown = str(id)[:100] if isinstance(id, str | int) else ""
    token = _REQUEST.set(RequestOrigin(shown, str(parent) if well_formed else ""))
    try:
        yield
    finally:
        _REQUEST.reset(token)


def request_origin() -> RequestOrigin:
    """The request of the call that runs here."""
    return _REQUEST.get()


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A call that has ended.

    `tool` is the name as it was called, `group` is empty where there is no such tool; `kind` is that of the error; `seconds`
    are those of the clock from its arrival, waiting included; `begun` is the time of the system in seconds since 1970;
    `fuel` is what its runs used, as far as the answer says so; `whose` is the client as the server tells clients apart.
    """

    tool: str
    group: str
    outcome: Outcome
    kind: str
    begun: float
    seconds: float
    fuel: int
    whose: str
    request: RequestOrigin
    arguments: Any = None


class Observer(Protocol):
    """Is told of calls, on the event loop: it must not wait. `wants_arguments`: its records have the arguments."""

    @property
    def wants_arguments(self) -> bool: ...

    def ended(self, call: CallRecord) -> None:
        """A call has ended."""
        ...
