"""Callers of one server over HTTP, each with a token of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from registry.access.principals import ALL_SCOPES, USUAL_SCOPES
from registry.access.tokens import TokenFile
from tests.support.servers.http_server import HEADERS, Served, call
from tests.support.servers.raw_client import MODERN

__all__ = ["Caller", "token"]


def token(home: Path, name: str, scopes: frozenset[str] = USUAL_SCOPES, expires: float | None = None) -> str:
    """The secret of a new token. `expires`: the moment, which may be past."""
    assert scopes <= ALL_SCOPES
    return TokenFile(home).create(name, scopes, lambda now: expires)[1]


class Caller:
    """Who calls with one token, on the 2026 protocol; with an empty one, without."""

    def __init__(self, server: Served, secret: str) -> None:
        self.server = server
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def post(self, method: str, params: dict[str, Any], name: str = "") -> tuple[int, dict[str, str], Any]:
        """A request; the status, the headers in small letters, the body."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        headers = {**HEADERS, **self.headers, "Mcp-Method": method}
        if name:
            headers["Mcp-Name"] = name
        else:
            del headers["Mcp-Name"]
        status, received, text = self.server.request("POST", "/mcp", json.dumps(body).encode(), **headers)
        return status, {key.lower(): value for key, value in received.items()}, msgspec.json.decode(text)

    def ask(self, method: str, params: dict[str, Any] | None = None, name: str = "") -> Any:
        """The result of a request, or its error."""
        _, _, answer = self.post(method, params or {}, name)
        return answer.get("result", answer.get("error"))

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The object that a call answers; that of an error too."""
        status, answer = self.server.post(
            call(tool, **arguments), **HEADERS | {"Mcp-Name": tool}, **self.headers
        )
        assert status == 200, answer
        found: dict[str, Any] = answer["result"]["structuredContent"]
        return found

    def status_of(self, tool: str, /, **arguments: Any) -> tuple[int, str]:
        """The status of a call, and its challenge."""
        body = call(tool, **arguments)
        status, headers, _ = self.server.request(
            "POST", "/mcp", body, **HEADERS | {"Mcp-Name": tool}, **self.headers
        )
        return status, headers.get("WWW-Authenticate", "")

    def tools(self) -> set[str]:
        """The names of the tools that are listed."""
        return {each["name"] for each in self.ask("tools/list")["tools"]}
