"""The source at an address: a directory, a web server that has its files, or a running server of ours.

An address whose path ends in `/mcp` is that of a server, which is spoken to over MCP.
"""

from __future__ import annotations

from pathlib import Path

from registry.errors import RegistryError
from registry.sharing.server_source import ServerSource
from registry.sharing.sources import DirectorySource, Source, WebSource
from registry.sharing.wire import EACH, SERVER_PATH, Wire

__all__ = ["opened", "server_at"]


def opened(where: str, token: str = "") -> Source:
    """The source at an address: `https://…`, `http://…`, or a directory. Raises `invalid_argument` for others."""
    scheme, divided, _ = where.partition("://")
    if not divided:
        return DirectorySource(Path(where).expanduser())
    if scheme not in ("http", "https"):
        raise RegistryError(
            "invalid_argument", "tools are not pulled from there", place="from", found=ascii(where[:80]),
            expected="an address with https:// or http://, or the path of a directory", hint="write a path without file://",
        )  # fmt: skip
    if is_server(where):
        return ServerSource(Wire(where, token))
    if token:
        raise RegistryError(
            "invalid_argument", "a token is for a server, and that is the address of files", place="from",
            found=ascii(where[:80]), expected=f"an address that ends in {SERVER_PATH}", hint="leave the token out",
        )  # fmt: skip
    return WebSource(where)


def server_at(where: str, token: str = "", seconds: float = EACH) -> Wire:
    """The server at an address; `seconds` is what one call may take. Raises `invalid_argument` for the address of something else."""
    if where.partition("://")[0] not in ("http", "https") or not is_server(where):
        raise RegistryError(
            "invalid_argument", "that is no address of a server", place="address", found=ascii(where[:80]),
            expected=f"https://HOST{SERVER_PATH}", hint="`pif publish DIR` writes tools for a web server of files",
        )  # fmt: skip
    return Wire(where, token, seconds=seconds)


def is_server(where: str) -> bool:
    """Whether an address is that of a server, by its end."""
    return where.rstrip("/").endswith(SERVER_PATH)
