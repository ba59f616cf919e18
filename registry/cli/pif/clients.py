"""The MCP clients whose settings `pif install-client` knows: where each keeps its servers, and how it writes one.

Paths and shapes are those of the clients' own documentation; a client that moves them is one row here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

__all__ = ["CLIENTS", "Client", "Entry", "client_named"]

Entry = dict[str, Any]

Form = Literal["json", "toml"]


class Client(msgspec.Struct, frozen=True):
    """A client.

    user
        The file with the settings of a user.
    key
        Under which name there the servers are.
    local
        The entry for a server that the client starts, from a command and its arguments.
    remote
        The entry for a server at an address; None where the client's file takes none.
    project
        The file inside a project's folder; empty where the client reads none.
    """

    name: str
    title: str
    user: Path
    key: str
    local: Callable[[str, Sequence[str]], Entry]
    remote: Callable[[str], Entry] | None
    project: str = ""
    form: Form = "json"


def _started(command: str, arguments: Sequence[str]) -> Entry:
    return {"command": command, "args": list(arguments)}


def _typed(command: str, arguments: Sequence[str]) -> Entry:
    return {"type": "stdio", **_started(command, arguments)}


def _opencode(command: str, arguments: Sequence[str]) -> Entry:
    return {"type": "local", "command": [command, *arguments], "enabled": True}


def _at(field: str, **others: Any) -> Callable[[str], Entry]:
    return lambda address: {**others, field: address}


def _application_data() -> Path:
    """Where programs with windows keep what is a user's."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return _configuration()


def _configuration() -> Path:
    """Where command-line programs keep their settings."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return Path(given) if os.path.isabs(given) else Path.home() / ".config"


def _clients() -> tuple[Client, ...]:
    home = Path.home()
    return (
        Client(
            "claude-code", "Claude Code", home / ".claude.json", "mcpServers",
            _typed, _at("url", type="http"), ".mcp.json",
        ),
        Client(
            "claude-desktop", "Claude Desktop", _application_data() / "Claude" / "claude_desktop_config.json",
            "mcpServers", _started, None,
        ),
        Client(
            "codex", "Codex", home / ".codex" / "config.toml", "mcp_servers",
            _started, _at("url"), ".codex/config.toml", "toml",
        ),
        Client(
            "cursor", "Cursor", home / ".cursor" / "mcp.json", "mcpServers",
            _started, _at("url"), ".cursor/mcp.json",
        ),
        Client(
            "gemini-cli", "Gemini CLI", home / ".gemini" / "settings.json", "mcpServers",
            _started, _at("httpUrl"), ".gemini/settings.json",
        ),
        Client(
            "lm-studio", "LM Studio", home / ".lmstudio" / "mcp.json", "mcpServers", _started, _at("url"),
        ),
        Client(
            "opencode", "opencode", _configuration() / "opencode" / "opencode.json", "mcp",
            _opencode, _at("url", type="remote", enabled=True), "opencode.json",
        ),
        Client(
            "vscode", "Visual Studio Code", _application_data() / "Code" / "User" / "mcp.json", "servers",
            _typed, _at("url", type="http"), ".vscode/mcp.json",
        ),
        Client(
            "windsurf", "Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json", "mcpServers",
            _started, _at("serverUrl"),
        ),
    )  # fmt: skip


CLIENTS: Mapping[str, Client] = {each.name: each for each in _clients()}


def client_named(name: str) -> Client | None:
    """The client of that name, as this process's environment places its files."""
    return next((each for each in _clients() if each.name == name), None)
