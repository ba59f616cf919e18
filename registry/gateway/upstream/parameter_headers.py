"""Arguments that a 2026 upstream wants repeated in headers: `x-mcp-header` in the schema of a tool.

They are made from the arguments that are sent, and from the schema that the upstream itself last listed; nothing that a
client sent as a header takes part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

from registry.gateway.upstream.http_session import header_value
from registry.gateway.upstream.protocol import UpstreamFailure

__all__ = ["ParameterHeaders"]

_KEYWORD = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")
_LEVELS = 20

Marks = tuple[tuple[tuple[str, ...], str], ...]


class _Lister(Protocol):
    async def list_all(self, method: str) -> list[bytes]: ...


class ParameterHeaders:
    """The headers that calls of one upstream need, by its list of tools."""

    def __init__(self) -> None:
        self._tools: dict[str, Marks] | None = None

    def forget(self) -> None:
        """The list has changed."""
        self._tools = None

    async def of_call(self, upstream: _Lister, tool: str, arguments: bytes) -> dict[str, str]:
        """The headers of a call. A list that cannot be had gives none: the upstream says what it misses."""
        if self._tools is None:
            try:
                self._tools = dict(map(_marks, await upstream.list_all("tools/list")))
            except UpstreamFailure:
                return {}
        marks = self._tools.get(tool, ())
        if not marks:
            return {}
        given = _decoded(arguments)
        found = ((token, _value(given, path)) for path, token in marks)
        return {f"mcp-param-{token}".lower(): value for token, value in found if value is not None}


def _marks(tool: bytes) -> tuple[str, Marks]:
    """The name of a listed tool, and the paths of its marked arguments."""
    data = _decoded(tool)
    name = data.get("name")
    marks = tuple(_marked(data.get("inputSchema"), ()))
    return (name if isinstance(name, str) else ""), marks


def _marked(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if not isinstance(schema, dict) or len(path) > _LEVELS:
        return
    token = schema.get(_KEYWORD)
    if path and isinstance(token, str) and _TOKEN.fullmatch(token):
        yield path, token
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, each in properties.items():
            yield from _marked(each, (*path, name))


def _value(given: Any, path: tuple[str, ...]) -> str | None:
    for name in path:
        given = given.get(name) if isinstance(given, Mapping) else None
    if isinstance(given, bool):
        return "true" if given else "false"
    return header_value(str(given)) if isinstance(given, str | int) else None


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        data = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
