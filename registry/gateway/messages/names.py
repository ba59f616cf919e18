"""Names at the gateway: `server__tool` for tools and prompts, `server+uri` for resources; each is read back to one thing.

A name has at most 48 characters of `A-Z a-z 0-9 _ -`, which every client takes.  A server's name that is long or odd is
replaced by its beginning and a digest; so is a tool's, whose name the tool's server is then asked for.

Invariants
    * The part before the first `__` names one server: parts hold no `__`, and neither begin nor end with `_`.
    * What follows is the tool's own name, or ends in a digest of it, which no name that stands for itself does.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping

from kleis.errors import KleisError

__all__ = [
    "LONGEST",
    "Address",
    "address_of",
    "name_of",
    "names_of_servers",
    "parts_of",
    "split_address",
    "tool_part",
]

LONGEST = 48
"""Characters of a name."""

_LONGEST_SERVER = 20
_DIGEST = 16
"""Characters of a digest: 80 bits."""

_PLAIN_SERVER = re.compile(r"[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*")
_PLAIN_TOOL = re.compile(r"[A-Za-z0-9_-]+")
_MARKED = re.compile(r"(?:^|.*[_-])[a-z2-7]{16}")
_ADDRESS_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9.-]*")

Address = tuple[str, str]
"""A server's part and the address that the server knows."""


def names_of_servers(servers: Iterable[str]) -> dict[str, str]:
    """The part that stands for each server.  Raises `KleisError` where two servers would have the same."""
    found: dict[str, str] = {}
    for server in servers:
        part = _server_part(server)
        other = next((each for each, taken in found.items() if taken.lower() == part.lower()), None)
        if other is not None:
            raise KleisError(
                f"the servers {other!r} and {server!r} have one name",
                code="same-name",
                hint="rename one of them",
            )
        found[server] = part
    return found


def _server_part(server: str) -> str:
    if _PLAIN_SERVER.fullmatch(server) and len(server) <= _LONGEST_SERVER and not _MARKED.fullmatch(server):
        return server
    kept = re.sub(r"[^A-Za-z0-9]+", "-", server)[:3].strip("-")
    return f"{kept}-{_digest(server)}" if kept else _digest(server)


def tool_part(part: str, tool: str) -> str:
    """What stands for a tool, or a prompt, of the server with that part: its name where it is plain and short enough."""
    room = LONGEST - len(part) - 2
    if len(tool) <= room and _PLAIN_TOOL.fullmatch(tool) and not _MARKED.fullmatch(tool):
        return tool
    kept = re.sub(r"[^A-Za-z0-9-]+", "_", tool)[: room - _DIGEST - 1].strip("_-")
    return f"{kept}_{_digest(tool)}" if kept else _digest(tool)


def name_of(part: str, tool: str) -> str:
    """The name at the gateway."""
    return f"{part}__{tool_part(part, tool)}"


def parts_of(name: str) -> tuple[str, str]:
    """The server's part and the tool's; the latter is empty where the name has none."""
    server, _, tool = name.partition("__")
    return server, tool


def _digest(name: str) -> str:
    return (
        base64.b32encode(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())[:_DIGEST]
        .decode()
        .lower()
    )


# ── Resources ───────────────────────────────────────────────────────────────────────────────────────────────

_VIEW = "ui://"
"""Addresses of views keep their beginning, by which hosts know them."""


def address_of(part: str, uri: str) -> str:
    """The address at the gateway of a server's resource or template."""
    part = _address_part(part)
    return f"{_VIEW}{part}+{uri[len(_VIEW) :]}" if uri.startswith(_VIEW) else f"{part}+{uri}"


def split_address(uri: str, servers: Mapping[str, str]) -> Address | None:
    """The server and its own address of an address at the gateway; None for one without a server."""
    is_view = uri.startswith(_VIEW)
    part, plus, rest = uri.removeprefix(_VIEW).partition("+") if is_view else uri.partition("+")
    if not plus:
        return None
    server = next((each for each, own in servers.items() if _address_part(own) == part), None)
    return None if server is None else (server, f"{_VIEW}{rest}" if is_view else rest)


def _address_part(part: str) -> str:
    """A server's part as the beginning of an address has it: a letter first, and no `_`."""
    part = part.replace("_", ".")
    return part if part[0].isalpha() else f"s.{part}"
