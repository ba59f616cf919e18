"""What the supervisor keeps of sessions of the older protocol, so that they outlive the process that holds them.

A session belongs to a worker's number. The process of that number answers for it; a new one makes it again from what is kept
here when a client comes back. What no client comes back for is forgotten after a while without a process.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from registry.server.workers.orders import SessionState

__all__ = ["IDLE_SECONDS", "MOST", "SessionTable"]

MOST: Final = 20_000
"""Sessions of all workers."""

LASTING: Final = 300
"""Requests with a lasting effect of one session: the addresses that one may watch, and some more."""

IDLE_SECONDS: Final = 1_800.0
"""After the end of the process that held a session: what is not asked for by then is forgotten, as it would be there."""


class SessionTable:
    """The sessions of all workers by their names."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: OrderedDict[str, SessionState] = OrderedDict()
        self._left: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._states)

    def opened(self, session: str, state: SessionState) -> None:
        """A session has begun; the oldest makes room."""
        while len(self._states) >= MOST:
            oldest, _ = self._states.popitem(last=False)
            self._left.pop(oldest, None)
        self._states[session] = state

    def kept(self, session: str, key: str, body: bytes | None) -> None:
        """A request has, or has no longer, a lasting effect on a session."""
        state = self._states.get(session)
        if state is None:
            return
        kept = {name: text for name, text in state.kept.items() if name != key}
        if body is not None and len(kept) < LASTING:
            kept[key] = body
        self._states[session] = msgspec.structs.replace(state, kept=kept)

    def ended(self, session: str) -> None:
        """A session has ended."""
        self._states.pop(session, None)
        self._left.pop(session, None)

    def find(self, session: str) -> SessionState | None:
        """What is kept of a session; its holder has it from now on."""
        self._left.pop(session, None)
        return self._states.get(session)

    def left(self, number: int) -> None:
        """The process that held the sessions of this number has ended."""
        now = self._clock()
        mine = f"{number}."
        for session in self._states:
            if session.startswith(mine):
                self._left.setdefault(session, now)

    def forget(self) -> None:
        """Drop what nobody came back for."""
        oldest = self._clock() - IDLE_SECONDS
        for session in [name for name, moment in self._left.items() if moment < oldest]:
            self.ended(session)
