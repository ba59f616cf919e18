"""Which generation of the protocol an upstream speaks, and what it says of itself.

Over stdio the older handshake is tried first: every server of that generation and every one of both answers it at once,
while an unknown request before it leaves some without an answer.  A server of the 2026 generation alone refuses it, and is
asked for what it supports.  Over HTTP it is the other way round: there a refusal is quick, and the newer needs no session.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.gateway.upstream import envelopes
from registry.gateway.upstream.connection import Connection
from registry.gateway.upstream.protocol import Answer, Generation, UpstreamFailure
from registry.gateway.upstream.raw_json import UnsoundJson, elements, members, text_of, written
from registry.server.streams.generations import MODERN

__all__ = ["LATEST_OLDER_REVISION", "Agreement", "agree"]

LATEST_OLDER_REVISION = "2025-11-25"
_OLDER_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", LATEST_OLDER_REVISION)

_INSTRUCTIONS = 65_536
"""Characters of instructions that are kept."""


@dataclass(frozen=True)
class Agreement:
    """What the two sides speak, and what the upstream offers."""

    generation: Generation
    revision: str
    capabilities: dict[str, bytes]
    instructions: str
    server_info: bytes


async def agree(connection: Connection, generation: Generation | None) -> Agreement:
    """Agree on a generation; `generation` where it is known. Raises `UpstreamFailure`."""
    order: tuple[Callable[[Connection, float], Awaitable[Agreement]], ...]
    if generation == "2025":
        order = (_initialize,)
    elif generation == "2026":
        order = (_discover,)
    elif connection.settings.url is None:
        order = (_initialize, _discover)
    else:
        order = (_discover, _initialize)
    refusal: UpstreamFailure | None = None
    for attempt in order:
        is_probe = attempt is _discover and len(order) > 1
        seconds = connection.settings.timeouts.start
        try:
            return await attempt(connection, seconds / 3 if is_probe else seconds)
        except UpstreamFailure as failure:
            if not connection.is_open or (failure.kind == "timed_out" and not is_probe):
                raise
            refusal = refusal or failure
    assert refusal is not None
    raise refusal


async def _initialize(connection: Connection, seconds: float) -> Agreement:
    connection.agree(None, modern=False)
    params = {
        "protocolVersion": written(LATEST_OLDER_REVISION),
        "capabilities": b"{}",
        "clientInfo": envelopes.CLIENT_INFO,
    }
    answer = await connection.request("initialize", params, timeout=seconds)
    said = _result(connection, answer)
    try:
        revision = text_of(said.get("protocolVersion", b'""'))
        if revision not in _OLDER_REVISIONS:
            raise _refused(connection, "it names a revision of the protocol that the gateway does not speak")
        found = Agreement(
            "2025",
            revision,
            members(said.get("capabilities", b"{}")),
            _instructions(said),
            said.get("serverInfo", b"{}"),
        )
    except UnsoundJson:
        raise _refused(connection, "its answer to `initialize` has another form") from None
    connection.agree(revision, modern=False)
    connection.notify("notifications/initialized", {})
    connection.agreed()
    return found


async def _discover(connection: Connection, seconds: float) -> Agreement:
    connection.agree(MODERN, modern=True)
    said = _result(connection, await connection.request("server/discover", {}, timeout=seconds))
    try:
        revisions = [text_of(each) for each in elements(said.get("supportedVersions", b"[]"))]
        if MODERN not in revisions:
            raise _refused(connection, "it supports no revision of the protocol that the gateway speaks")
        meta = members(said.get("_meta", b"{}"))
        found = Agreement(
            "2026",
            MODERN,
            members(said.get("capabilities", b"{}")),
            _instructions(said),
            meta.get(envelopes.SERVER_INFO, b"{}"),
        )
    except UnsoundJson:
        raise _refused(connection, "its answer to `server/discover` has another form") from None
    connection.agreed()
    return found


def _result(connection: Connection, answer: Answer) -> dict[str, bytes]:
    if answer.result is None:
        raise _refused(connection, "it refused the handshake")
    return members(answer.result)


def _instructions(said: dict[str, bytes]) -> str:
    return (
        text_of(said["instructions"])[:_INSTRUCTIONS] if said.get("instructions", b"null") != b"null" else ""
    )


def _refused(connection: Connection, what: str) -> UpstreamFailure:
    return UpstreamFailure("unavailable", f"{connection.settings.name}: {what}")
