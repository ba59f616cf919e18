"""Who makes a request, as the SDK's context of it says: the principal, whose turn it is, and how progress reaches the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.context import ServerRequestContext

from registry.access.principals import Principal
from registry.server.calls.contexts import Report

__all__ = ["principal_of", "reporter", "whose_call"]

Context = ServerRequestContext[Any, Any]


def principal_of(context: Context) -> Principal | None:
    """Who asks; None for the owner, who may do everything: on standard input, and where no token is needed."""
    scope: Mapping[str, Any] = getattr(context.request, "scope", {})
    found = (scope.get("state") or {}).get("principal")
    return found if isinstance(found, Principal) else None


def whose_call(context: Context) -> str:
    """Whose call it is, over HTTP: of the principal; without one of the session (older protocol), else of the connection.

    Empty on standard input, which has one client.
    """
    principal = principal_of(context)
    if principal is not None:
        return f"principal {principal.name}"
    scope: Mapping[str, Any] = getattr(context.request, "scope", {})
    shared = (scope.get("state") or {}).get("session")
    if isinstance(shared, bytes):  # the name that all processes of the server know
        return f"session {shared.decode('latin-1')}"
    session = next((value for name, value in scope.get("headers", ()) if name == b"mcp-session-id"), None)
    if session is not None:
        return f"session {session.decode('latin-1')}"
    peer = scope.get("client")
    return f"connection {peer[0]}:{peer[1]}" if peer else ""


def reporter(context: Context) -> Report | None:
    """How to send progress for this request, or None where the client did not ask for it."""
    meta = (context.params or {}).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if not isinstance(token, str | int) or isinstance(token, bool):
        return None
    report: Callable[[float, float | None, str | None], Awaitable[None]] = context.session.report_progress
    return report
