"""Results of one generation of the protocol for clients of the other. What both say alike is left byte by byte.

The 2026 generation says of each result that it is complete, and of lists and what is read how long they may be kept; the
older one knows neither.
"""

from __future__ import annotations

from registry.gateway.upstream.envelopes import SERVER_INFO
from registry.gateway.upstream.protocol import Generation
from registry.gateway.upstream.raw_json import UnsoundJson, joined, members

__all__ = ["is_complete", "result_for"]

_KEPT = frozenset(
    {
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "tools/list",
        "server/discover",
    }
)
"""Methods whose results say how long they may be kept."""

_NEW = ("resultType", "ttlMs", "cacheScope")


def result_for(generation: Generation, method: str, result: bytes) -> bytes:
    """The result of `method` as a client of a generation reads it, whichever generation it came from."""
    parts = members(result)
    if generation == "2026":
        added = {} if "resultType" in parts else {"resultType": b'"complete"'}
        if method in _KEPT:
            kept = {"ttlMs": b"0", "cacheScope": b'"private"'}
            added |= {name: value for name, value in kept.items() if name not in parts}
        return joined({**parts, **added}) if added else result
    fewer = {name: value for name, value in parts.items() if name not in _NEW}
    if "_meta" in fewer and SERVER_INFO in fewer["_meta"].decode():
        meta = {name: value for name, value in members(fewer["_meta"]).items() if name != SERVER_INFO}
        fewer["_meta"] = joined(meta)
        if not meta:
            del fewer["_meta"]
    return result if fewer == parts else joined(fewer)


def is_complete(result: bytes) -> bool:
    """Whether a result is one, and not a request for input or a task, which the gateway does not offer yet."""
    try:
        return members(result).get("resultType", b'"complete"') == b'"complete"'
    except UnsoundJson:
        return False
