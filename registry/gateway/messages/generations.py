"""The two generations of the protocol, as clients speak them: a handshake and a session, or requests that say it themselves."""

from __future__ import annotations

from registry.gateway.messages.replies import INVALID_PARAMS, Fault
from registry.gateway.messages.requests import Request
from registry.gateway.upstream.raw_json import text_of
from registry.server.streams.generations import CAPABILITIES_KEY, MODERN, VERSION_KEY

__all__ = ["UNSUPPORTED", "check_modern", "is_modern"]

UNSUPPORTED = -32022


def is_modern(request: Request) -> bool:
    """Whether a request is of the newer generation: it says so itself."""
    return request.method != "initialize" and VERSION_KEY in request.meta


def check_modern(request: Request) -> None:
    """Raise `Fault` where a request lacks what every request of the newer generation says."""
    version = request.meta.get(VERSION_KEY, b"")
    if not version.startswith(b'"') or not request.meta.get(CAPABILITIES_KEY, b"").startswith(b"{"):
        raise Fault(INVALID_PARAMS, f"params._meta must have `{VERSION_KEY}` and `{CAPABILITIES_KEY}`")
    asked = text_of(version)
    if asked != MODERN:
        data = {"supported": [MODERN], "requested": asked[:100]}
        raise Fault(UNSUPPORTED, "Unsupported protocol version", data)
