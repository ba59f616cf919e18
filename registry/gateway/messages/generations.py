"""The two generations of the protocol, as clients speak them: a handshake and a session, or requests that say it themselves."""

from __future__ import annotations

from registry.gateway.messages.replies import INVALID_PARAMS, Fault
from registry.gateway.messages.requests import Request
from registry.gateway.upstream.envelopes import MODERN_REVISION
from registry.gateway.upstream.raw_json import text_of

__all__ = ["LATEST_OLDER", "OLDER", "UNSUPPORTED", "check_modern", "is_modern"]

LATEST_OLDER = "2025-11-25"
OLDER = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST_OLDER)

UNSUPPORTED = -32022

_VERSION = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def is_modern(request: Request) -> bool:
    """Whether a request is of the newer generation: it says so itself."""
    return request.method != "initialize" and _VERSION in request.meta


def check_modern(request: Request) -> None:
    """Raise `Fault` where a request lacks what every request of the newer generation says."""
    version = request.meta.get(_VERSION, b"")
    if not version.startswith(b'"') or not request.meta.get(_CAPABILITIES, b"").startswith(b"{"):
        raise Fault(INVALID_PARAMS, f"params._meta must have `{_VERSION}` and `{_CAPABILITIES}`")
    asked = text_of(version)
    if asked != MODERN_REVISION:
        data = {"supported": [MODERN_REVISION], "requested": asked[:100]}
        raise Fault(UNSUPPORTED, "Unsupported protocol version", data)
