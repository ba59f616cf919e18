"""The two generations of the protocol: a handshake and a session, or requests that say themselves what they speak.

What a server of ours says of them stands here once; tests compare it with the SDK's tables.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = [
    "CAPABILITIES_KEY",
    "KEPT",
    "LATEST_OLDER",
    "MODERN",
    "OLDER",
    "SERVER_INFO_KEY",
    "VERSION_KEY",
    "VIEWS",
]

LATEST_OLDER: Final = "2025-11-25"
OLDER: Final = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST_OLDER)
"""Versions that a handshake agrees on."""

MODERN: Final = "2026-07-28"
"""The version of requests that stand alone."""

_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY: Final = _PREFIX + "protocolVersion"
CAPABILITIES_KEY: Final = _PREFIX + "clientCapabilities"
SERVER_INFO_KEY: Final = _PREFIX + "serverInfo"

VIEWS: Final = _PREFIX + "ui"
"""The extension of clients that show views (MCP Apps)."""

KEPT: Final[dict[str, Any]] = {"cacheScope": "private", "ttlMs": 0}
"""What results of the newer generation say that may be kept: lists, what is read, what a server is."""
