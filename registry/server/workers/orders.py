"""What the supervisor and its workers say to each other: records in MessagePack, each after its length.

A worker is a process of its own and may be of a newer version than the supervisor that starts it (after an upgrade, when it is
renewed). So records are read by the names of their fields: one that is not known is passed over, one that is missing has its default.
"""

from __future__ import annotations

import asyncio
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from kleis.decoding import decode_msgpack, msgpack_decoder
from kleis.prover.process.pipe_messages import HEADER, message_of

__all__ = [
    "Channel",
    "Drain",
    "Ended",
    "Find",
    "Found",
    "Kept",
    "Opened",
    "Orders",
    "Ping",
    "Pong",
    "Ready",
    "RecentNotes",
    "Relayed",
    "SessionState",
    "Station",
    "Stations",
    "read_orders",
]

LARGEST = 64 * 1024 * 1024
"""Bytes of one record."""


class Orders(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The first that a worker is told. `settings` are those of the server as JSON, `groups` the chosen ones, `command` as whose
    its errors are said. `number` counts workers from 0, `generation` the processes that have had this number. `column` is its place
    in tables that all workers share; `directory` is private to them; `secret` signs the names of sessions. `host`: where the socket
    listens. `is_first`: it says the warnings of the groups."""

    settings: bytes
    groups: str
    command: str
    number: int
    generation: int
    column: int
    workers: int
    directory: str
    secret: bytes
    host: str = ""
    is_first: bool = False


class Station(msgspec.Struct, frozen=True):
    """Where a process is asked by the others: `path` of its socket. `is_leaving`: another has its number, and it ends what it has begun."""

    number: int
    generation: int
    path: str
    is_leaving: bool = False


class Stations(msgspec.Struct, frozen=True, tag=True):
    """To a worker: all processes, as of now."""

    all: tuple[Station, ...] = ()


class Drain(msgspec.Struct, frozen=True, tag=True):
    """To a worker: take no more connections, end what was begun, then end."""


class Ping(msgspec.Struct, frozen=True, tag=True):
    """To a worker: say that you are there."""


class Pong(msgspec.Struct, frozen=True, tag=True):
    """From a worker: it is there."""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a worker: it takes connections."""


class SessionState(msgspec.Struct, frozen=True):
    """What makes a session of the older protocol again: whose it is, and the bodies of its requests that have a lasting effect.

    `scopes` and `credential` are those of who opened it, `opener` is its `initialize`, `kept` what it watches and its level of logging.
    """

    principal: str
    scopes: tuple[str, ...] = ()
    credential: str = ""
    opener: bytes = b""
    kept: dict[str, bytes] = {}


class Opened(msgspec.Struct, frozen=True, tag=True):
    """From a worker: a session of this name has begun."""

    session: str
    state: SessionState


class Kept(msgspec.Struct, frozen=True, tag=True):
    """From a worker: a request of a session with a lasting effect; without a body it has none any more."""

    session: str
    key: str
    body: bytes | None = None


class Ended(msgspec.Struct, frozen=True, tag=True):
    """From a worker: a session has ended."""

    session: str


class Find(msgspec.Struct, frozen=True, tag=True):
    """From a worker: what is known of a session that it does not know?"""

    session: str


class Found(msgspec.Struct, frozen=True, tag=True):
    """To a worker: what is known of a session; None where there is none."""

    session: str
    state: SessionState | None = None


class Relayed(msgspec.Struct, frozen=True, tag=True):
    """From a worker, and to all others: something that concerns the servers of one principal."""

    principal: str
    topic: str
    text: str


class RecentNotes:
    """What was relayed last, for processes and servers that begin later: of each principal so many different notes."""

    def __init__(self, principals: int = 4_096, notes: int = 64) -> None:
        self._most = principals
        self._of_each = notes
        self._notes: OrderedDict[str, OrderedDict[tuple[str, str], None]] = OrderedDict()

    def note(self, said: Relayed) -> None:
        """Keep what was said."""
        of_principal = self._notes.setdefault(said.principal, OrderedDict())
        self._notes.move_to_end(said.principal)
        of_principal[said.topic, said.text] = None
        of_principal.move_to_end((said.topic, said.text))
        if len(of_principal) > self._of_each:
            of_principal.popitem(last=False)
        if len(self._notes) > self._most:
            self._notes.popitem(last=False)

    def of(self, principal: str) -> list[Relayed]:
        """What concerns a principal, the oldest first."""
        return [Relayed(principal, topic, text) for topic, text in self._notes.get(principal, ())]

    def all(self) -> list[Relayed]:
        """What concerns anybody, that of each principal in its order."""
        return [said for principal in self._notes for said in self.of(principal)]


Record = (
    Orders | Stations | Drain | Ping | Pong | Ready | Opened | Kept | Ended | Find | Found | Relayed
)  # fmt: skip

_DECODER = msgpack_decoder(Record)
_ENCODER = msgspec.msgpack.Encoder()


def read_orders(body: bytes) -> Orders:
    """The first record that a worker gets. Raises ValueError (of msgspec) where it is none."""
    return decode_msgpack(body, Orders)


class Channel:
    """Records in both directions over a socket. Use it from one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, connected: socket.socket) -> Channel:
        """A channel over a connected socket, which is closed with it."""
        return cls(*await asyncio.open_connection(sock=connected))

    def tell(self, record: Any) -> None:
        """Send a record without waiting; nothing once the other end has gone."""
        if not self._writer.is_closing():
            self._writer.write(message_of(_ENCODER.encode(record)))

    async def records(self) -> AsyncIterator[Any]:
        """What comes, until the other end has gone. What cannot be read is passed over: it is of another version."""
        while True:
            try:
                (length,) = HEADER.unpack(await self._reader.readexactly(HEADER.size))
                if length > LARGEST:
                    return
                body = await self._reader.readexactly(length)
            except (asyncio.IncompleteReadError, OSError):
                return
            try:
                yield _DECODER.decode(body)
            except msgspec.MsgspecError:
                continue

    def close(self) -> None:
        """Close this end."""
        self._writer.close()
