"""Arguments that headers repeat: `x-mcp-header` in the schema of a tool.

For a 2026 upstream they are made from the arguments that are sent, and from the schema that the upstream itself last listed.
Those of a client are only ever compared with the arguments of its call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

from registry.gateway.upstream.http_session import header_value
from registry.gateway.upstream.protocol import UpstreamFailure

__all__ = ["PREFIX", "ParameterHeaders", "contradiction"]

PREFIX = "mcp-param-"

_KEYWORD = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")
_LEVELS = 20
_INTEGER = re.compile(r"(-?[0-9]+)(?:\.0+)?")

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
        given = _arguments(arguments)
        found = ((token, _value(given, path)) for path, token in marks)
        return {PREFIX + token.lower(): header_value(value) for token, value in found if value is not None}


def contradiction(tool: bytes, arguments: bytes, headers: Mapping[str, str | None]) -> str:
    """What headers of a call say otherwise than its arguments, in words; empty where they agree.

    `tool`: as it is listed; `headers`: values by lower-case name, None for one that cannot be read.  Each argument that the
    schema marks has to be there twice, or not at all.
    """
    given = _arguments(arguments)
    for path, token in _marks(tool)[1]:
        name = PREFIX + token.lower()
        value = _value(given, path)
        if name in headers and not _agrees(headers[name], value):
            return f"the header {name} does not match the argument {'.'.join(path)}"
        if name not in headers and value is not None:
            return f"the header {name} is missing, and the argument {'.'.join(path)} is there"
    return ""


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
    return given if isinstance(given, str) else None


def _agrees(header: str | None, value: str | None) -> bool:
    return header is not None and (_spelled(header) if isinstance(value, _Spelled) else header) == value


def _arguments(text: bytes) -> Any:
    """Arguments whose numbers are as they are written: an integer, or `1.0` where one is meant."""
    try:
        return json.loads(text, parse_int=_Spelled, parse_float=_spelled)
    except (ValueError, RecursionError):
        return None


class _Spelled(str):
    """A number, as the header has it."""


def _spelled(text: str) -> str | None:
    """An integer, which may be written with a fraction of zeros; None for another number, which no header repeats."""
    found = _INTEGER.fullmatch(text)
    return None if found is None else _Spelled(found[1])


def _decoded(text: bytes) -> dict[str, Any]:
    try:
        data = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
