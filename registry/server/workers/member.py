"""One worker among others, from within: who the others are, what the supervisor keeps, and how all are asked.

What a worker tells the supervisor it tells without waiting; what it asks, it waits for. When the supervisor goes, the worker ends.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from registry.server.workers.links import Gone, ask
from registry.server.workers.orders import (
    Channel,
    Drain,
    Ended,
    Find,
    Found,
    Kept,
    Opened,
    Orders,
    Ping,
    Pong,
    Ready,
    RecentNotes,
    Relayed,
    SessionState,
    Station,
    Stations,
)
from registry.server.workers.session_names import SessionNames

__all__ = ["KEPT_FILE", "METRICS_DIRECTORY", "USE_FILE", "Member"]

METRICS_DIRECTORY: Final = "metrics"
USE_FILE: Final = "use"
KEPT_FILE: Final = "connections"
"""Below the directory that the workers share: the counters of `/metrics`, what principals use, and the connections of each."""

FINDING: Final = 5.0
"""Seconds in which the supervisor says what it knows of a session."""

logger = logging.getLogger(__name__)


class Member:
    """A worker's place among the workers. Use it from one event loop.

    `is_leaving`: another process has its number, and it only ends what it has begun. `has_ended`: the supervisor
    has gone. `on_drain` and `on_end` are called when it is to leave, and when the supervisor has gone; `on_relayed` for what another worker
    said to all, which is kept in `notes` for servers of principals that are made later.
    """

    def __init__(self, orders: Orders, channel: Channel) -> None:
        self.orders = orders
        self.names = SessionNames(orders.secret)
        self.path = str(Path(orders.directory) / f"{orders.number}-{orders.generation}")
        self.on_drain: Callable[[], None] = _nothing
        self.on_end: Callable[[], None] = _nothing
        self.on_relayed: Callable[[Relayed], None] = _nothing_of
        self.notes = RecentNotes()
        self._channel = channel
        self._stations: tuple[Station, ...] = ()
        self.is_leaving = False
        self.has_ended = False
        self._has_changed = asyncio.Event()
        self._finding: dict[str, asyncio.Future[SessionState | None]] = {}

    @property
    def number(self) -> int:
        """Which worker this is, from 0."""
        return self.orders.number

    @property
    def directory(self) -> Path:
        """What the workers share, and nobody else may enter."""
        return Path(self.orders.directory)

    # the supervisor

    def ready(self) -> None:
        """Say that connections are taken."""
        self._channel.tell(Ready())

    async def follow(self) -> None:
        """Do what the supervisor says, until it has gone."""
        async for record in self._channel.records():
            match record:
                case Stations(all=stations):
                    self._stations = stations
                    self.is_leaving = any(each.is_leaving for each in stations if each.path == self.path)
                    self._has_changed.set()
                    self._has_changed = asyncio.Event()
                case Ping():
                    self._channel.tell(Pong())
                case Drain():
                    self.on_drain()
                case Relayed():
                    self.notes.note(record)
                    self.on_relayed(record)
                case Found(session=session, state=state):
                    found = self._finding.pop(session, None)
                    if found is not None and not found.done():
                        found.set_result(state)
                case _:
                    logger.warning("the supervisor said something that is not for workers")
        self.has_ended = True
        self.on_end()

    def relay(self, principal: str, topic: str, text: str) -> None:
        """Say something to the servers of a principal at all other workers."""
        said = Relayed(principal, topic, text)
        self.notes.note(said)
        self._channel.tell(said)

    # sessions

    def opened(self, session: str, state: SessionState) -> None:
        """A session has begun here."""
        self._channel.tell(Opened(session, state))

    def kept(self, session: str, key: str, body: bytes | None) -> None:
        """A request of a session has a lasting effect, or undoes that of an earlier one."""
        self._channel.tell(Kept(session, key, body))

    def ended(self, session: str) -> None:
        """A session has ended: its name is that of none, also here after a restart."""
        self._channel.tell(Ended(session))

    async def find(self, session: str) -> SessionState | None:
        """What makes a session again that an earlier process of this number held; None where there is none."""
        waiting = self._finding.get(session)
        if waiting is None:
            waiting = self._finding[session] = asyncio.get_running_loop().create_future()
            self._channel.tell(Find(session))
        try:
            async with asyncio.timeout(FINDING):
                return await asyncio.shield(waiting)
        except TimeoutError:
            self._finding.pop(session, None)
            return None

    # the others

    def station(self, number: int) -> str | None:
        """Where the worker of a number is asked; None while there is none. This worker's own is where it is that."""
        return next(
            (each.path for each in self._stations if each.number == number and not each.is_leaving), None
        )

    async def changed(self, seconds: float) -> None:
        """Wait until workers have come or gone, for so many seconds at most."""
        try:
            async with asyncio.timeout(seconds):
                await self._has_changed.wait()
        except TimeoutError:
            return

    def predecessors(self) -> list[str]:
        """Where processes are asked that had this worker's number and are still ending what they began."""
        return [
            each.path
            for each in self._stations
            if each.number == self.number and each.is_leaving and each.path != self.path
        ]

    @property
    def others(self) -> list[Station]:
        """The other processes, leaving ones too."""
        return [each for each in self._stations if each.path != self.path]

    @property
    def serving(self) -> int:
        """How many workers take connections."""
        return sum(not each.is_leaving for each in self._stations)

    async def ask_all(self, what: str, about: Any = None) -> list[tuple[Station, Any]]:
        """What each of the other processes answers; one that does not is left out."""
        others = self.others
        answers = await asyncio.gather(
            *(ask(each.path, what, about) for each in others), return_exceptions=True
        )
        found: list[tuple[Station, Any]] = []
        for station, answer in zip(others, answers, strict=True):
            if isinstance(answer, Gone):
                continue
            if isinstance(answer, BaseException):
                raise answer
            found.append((station, answer))
        return found


def _nothing() -> None:
    """Nobody wants to know yet."""


def _nothing_of(said: Relayed) -> None:
    """Nobody wants to know yet."""
