"""What a transport is to a connection: whole messages out, whole messages and endings in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from registry.gateway.upstream.protocol import UpstreamFailure

__all__ = ["Allowance", "Outgoing", "Transport", "TransportEvents"]


@dataclass(frozen=True)
class Outgoing:
    """A message to an upstream, and what HTTP's headers say of it. `id` is None for what is no request."""

    text: bytes
    id: int | None = None
    method: str | None = None
    name: str | None = None
    revision: str | None = None
    """The revision that was agreed on; None while it is not."""
    modern: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


class TransportEvents(Protocol):
    """Receiver of what a transport brings. Called on the event loop."""

    def received(self, text: bytes, request: int | None) -> None:
        """One message. `request`: the only request that it may answer, where the transport knows that."""

    def awaits(self, request: int) -> bool:
        """Whether a request has no answer yet."""

    def unsound(self, reason: str) -> None:
        """Bytes that are no message were skipped."""

    def failed(self, failure: UpstreamFailure, request: int | None) -> None:
        """A request gets no answer; None: no request does any more."""


class Transport(Protocol):
    """One process or one HTTP session."""

    async def open(self, events: TransportEvents) -> None:
        """Raises `UpstreamFailure`."""

    def send(self, message: Outgoing) -> None:
        """Raises `UpstreamFailure` where it cannot be sent; never waits."""

    def abandon(self, request: int) -> bool:
        """Nobody waits for this request's answer any more. Whether that tells the upstream to stop."""

    def agreed(self) -> None:
        """The handshake is over: what the upstream says of itself may come now."""

    async def close(self) -> None: ...


class Allowance:
    """So many of something at once, refilled at a steady rate: what an upstream may send before it is read more slowly."""

    def __init__(self, at_once: float, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._left = at_once
        self._since = time.monotonic()

    def take(self, amount: float = 1) -> float:
        """Take some, and say for how many seconds no more should be taken: 0 where there was enough."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._since) * self._per_second)
        self._since = now
        self._left -= amount
        return max(0.0, -self._left / self._per_second)
