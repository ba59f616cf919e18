"""A span for each request, by the SDK's middleware: the one place that requests of both protocols and all transports pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import CallToolResult

from kleis.decoding import converted, decode_json
from registry.server.calls.observation import request_origin, within_request
from registry.server.mcp.callers import principal_of
from registry.server.monitoring.tracing import Tracing, fail

__all__ = ["TracedRequests"]

_LONGEST = 200


class TracedRequests:
    """The middleware. It stands before all others."""

    def __init__(self, tracing: Tracing) -> None:
        self._tracing = tracing

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params or {}
        name, meta = params.get("name"), params.get("_meta")
        tool = name[:_LONGEST] if ctx.method == "tools/call" and isinstance(name, str) else ""
        principal = principal_of(ctx)
        attributes = {"mcp.protocol.version": str(ctx.protocol_version)}
        if principal is not None:
            attributes["enduser.id"] = principal.name
        state = meta.get("tracestate") if isinstance(meta, Mapping) else None
        with (
            within_request(ctx.request_id, meta),
            self._tracing.request(ctx.method[:_LONGEST], tool, request_origin(), state, attributes) as span,
        ):
            result = await call_next(ctx)
            if tool and (kind := _failure(result)):
                fail(span, kind)
            return result


class _Error(msgspec.Struct):
    kind: str = "error"


class _Failed(msgspec.Struct):
    error: _Error = msgspec.field(default_factory=_Error)


def _failure(result: HandlerResult) -> str:
    """The kind of the error that a call answered; empty for an answer."""
    if isinstance(result, CallToolResult):
        result = result.model_dump(by_alias=True)
    if not isinstance(result, dict) or result.get("isError") is not True:
        return ""
    said = result.get("structuredContent")
    try:
        if isinstance(said, msgspec.Raw):
            return decode_json(said, _Failed).error.kind
        return converted(said, _Failed).error.kind
    except msgspec.MsgspecError:
        return _Error().kind
