"""Addresses in results, under the gateway's names; every other byte of a result stays.

Links and embedded resources of calls and prompts, and what `resources/read` says that it has read.  Texts that happen to
hold an address are left alone.
"""

from __future__ import annotations

from collections.abc import Callable

from registry.gateway.messages.names import address_of
from registry.gateway.upstream.raw_json import elements, joined, members, text_of, written

__all__ = ["with_addresses"]

_Rewrite = Callable[[bytes, str], bytes]


def with_addresses(method: str, result: bytes, part: str) -> bytes:
    """The result of a request to the server with that part in names."""
    if b'"uri"' not in result:
        return result
    match method:
        case "tools/call":
            return _each(result, "content", part, _block)
        case "prompts/get":
            return _each(result, "messages", part, _message)
        case "resources/read":
            return _each(result, "contents", part, _with_uri)
        case _:
            return result


def _each(value: bytes, name: str, part: str, rewrite: _Rewrite) -> bytes:
    """An object whose list `name` has each element rewritten."""
    found = members(value)
    listed = found.get(name, b"")
    if not listed.startswith(b"["):
        return value
    found[name] = b"[" + b",".join([rewrite(each, part) for each in elements(listed)]) + b"]"
    return joined(found)


def _message(value: bytes, part: str) -> bytes:
    return _within(value, "content", part, _block)


def _block(value: bytes, part: str) -> bytes:
    found = members(value) if value.startswith(b"{") else {}
    if found.get("type") == b'"resource_link"':
        return _with_uri(value, part)
    if found.get("type") == b'"resource"':
        return _within(value, "resource", part, _with_uri)
    return value


def _within(value: bytes, name: str, part: str, rewrite: _Rewrite) -> bytes:
    found = members(value) if value.startswith(b"{") else {}
    if not found.get(name, b"").startswith(b"{"):
        return value
    found[name] = rewrite(found[name], part)
    return joined(found)


def _with_uri(value: bytes, part: str) -> bytes:
    found = members(value) if value.startswith(b"{") else {}
    if not found.get("uri", b"").startswith(b'"'):
        return value
    found["uri"] = written(address_of(part, text_of(found["uri"])))
    return joined(found)
