"""Lanes: how many calls of a kind run at a time, whose turn is next, and when the answer is `too_busy`.

Every kind of work has a lane of its own, so that the slow calls of one kind hold up no other kind. Before each lane
stands a queue for each client (docs/reference/serving.md §5.5).

Invariants
----------
- Turns go round the clients that wait; the calls of one client keep their order.
- While another client waits, a client gets at most half of a lane; and it never gets the last place, so that the first
  call of another client need not wait for the end of a long one.
- What waits is bounded, for each client and in all, and so is how long it waits. Beyond that the answer is `Busy`,
  which says when to ask again.
- A place is given back when its work has ended, not when its call was cancelled: work in a thread cannot be stopped.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque

import msgspec

from registry.server.contract.group import LaneName

__all__ = ["JOB_PATIENCE", "LANES", "PATIENCE", "Busy", "Lane", "LaneSize", "Lanes", "divided"]

PATIENCE = 30.0
"""Seconds that a call waits for its turn: with the time of the work itself the answer comes before clients give up."""

JOB_PATIENCE = 600.0
"""The same for a job, for which nobody waits."""

_FULL = 1.0 + 1e-12
_SHORTEST, _LONGEST = 100, 60_000
"""Milliseconds between which `retry_after_ms` lies."""

_WEIGHT_OF_LAST = 0.2
"""How much the last call counts in the usual length of a call."""


class LaneSize(msgspec.Struct, frozen=True):
    """`places`: calls at a time. `waiting`: calls that may wait, in all; those of one client at most half of it."""

    places: int
    waiting: int = 512


LANES: dict[LaneName, LaneSize] = {
    "quick": LaneSize(5),
    "runs": LaneSize(5),
    "writes": LaneSize(5),
    "proofs": LaneSize(5),
    "searches": LaneSize(5, 32),
}
"""Quick runs: places for one turn of the event loop. Long runs; what reads or writes the store and sessions; proofs:
threads. Searches: processes of their own."""


DIVIDED: tuple[LaneName, ...] = ("proofs", "searches")
"""Lanes whose work is processes of their own: a machine has so many, however many processes serve it."""


def divided(sizes: dict[LaneName, LaneSize], workers: int) -> dict[LaneName, LaneSize]:
    """The lanes of each of so many processes of one server."""
    return {
        name: LaneSize(max(1, size.places // workers), size.waiting) if name in DIVIDED else size
        for name, size in sizes.items()
    }


class Busy(Exception):
    """There is no place, and none to wait in. `retry_after_ms` is when to ask again."""

    def __init__(self, lane: LaneName, message: str, retry_after_ms: int) -> None:
        super().__init__(message)
        self.lane = lane
        self.message = message
        self.retry_after_ms = retry_after_ms


class _Waiting(msgspec.Struct, frozen=True, eq=False):
    turn: asyncio.Future[None]
    share: float


class Lane:
    """One lane. Use it from one event loop: `enter`, then `leave` with the same arguments when the work has ended.

    `share` is the part of the memory of runs that the work may use, 0 to 1: what runs together has at most 1.
    """

    def __init__(self, name: LaneName, size: LaneSize) -> None:
        if size.places < 1 or size.waiting < 2:
            raise ValueError(f"the lane {name} needs places and room to wait")
        self.name = name
        self._size = size
        self._running: dict[str, int] = {}
        self._taken = 0
        self._used = 0.0
        self._queues: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self._waiting = 0
        self._usual = 0.1

    @property
    def running(self) -> int:
        """The calls under way."""
        return self._taken

    @property
    def places(self) -> int:
        """The calls that may be under way."""
        return self._size.places

    @property
    def waiting(self) -> int:
        """The calls that wait."""
        return self._waiting

    async def enter(self, client: str, share: float = 0.0, *, patience: float = PATIENCE) -> None:
        """Take a place, after waiting for it if need be. Raises `Busy` where there is no room to wait, or no turn came."""
        if not self._waiting and self._may_start(client, share):
            self._start(client, share)
            return
        queue = self._queues.get(client)
        if self._waiting >= self._size.waiting or (queue and len(queue) >= self._size.waiting // 2):
            raise self._busy(f"{self._waiting} calls of its kind are waiting")
        each = _Waiting(asyncio.get_running_loop().create_future(), share)
        self._queues.setdefault(client, deque()).append(each)
        self._waiting += 1
        self._hand_out()
        try:
            async with asyncio.timeout(patience):
                await each.turn
        except TimeoutError:
            self._give_up(client, each)
            raise self._busy(f"its turn did not come within {patience:g} s") from None
        except asyncio.CancelledError:
            self._give_up(client, each)
            raise

    def leave(self, client: str, share: float = 0.0, *, seconds: float | None = None) -> None:
        """Give a place back. `seconds` is how long the work took, for the estimate of `retry_after_ms`."""
        self._taken -= 1
        self._used = self._used - share if self._taken else 0.0
        left = self._running[client] - 1
        if left:
            self._running[client] = left
        else:
            del self._running[client]
        if seconds is not None:
            self._usual += _WEIGHT_OF_LAST * (seconds - self._usual)
        self._hand_out()

    def _give_up(self, client: str, each: _Waiting) -> None:
        """Leave the queue; or give back a place that came in the same moment."""
        queue = self._queues.get(client)
        if queue is not None and each in queue:
            queue.remove(each)
            self._waiting -= 1
            if not queue:
                del self._queues[client]
            self._hand_out()  # it may have kept a smaller one from its turn
        elif each.turn.done() and not each.turn.cancelled():
            self.leave(client, each.share)

    def _may_start(self, client: str, share: float) -> bool:
        return (
            self._taken < self._size.places
            and self._running.get(client, 0) < self._most(client)
            and self._used + share <= _FULL
        )

    def _most(self, client: str) -> int:
        """The places that a client may have now."""
        places = self._size.places
        others_wait = len(self._queues) > (client in self._queues)
        return max(1, places // 2 if others_wait else places - 1)

    def _hand_out(self) -> None:
        """Give free places to those who wait, one client after another.

        A call whose memory is not free holds back all that come after it; otherwise small ones could pass it for ever.
        """
        passed = 0
        while passed < len(self._queues) and self._taken < self._size.places:
            client = next(iter(self._queues))
            queue = self._queues[client]
            first = queue[0]
            if self._running.get(client, 0) >= self._most(client):
                self._queues.move_to_end(client)
                passed += 1
                continue
            if self._used + first.share > _FULL:
                return
            queue.popleft()
            self._waiting -= 1
            if queue:
                self._queues.move_to_end(client)
            else:
                del self._queues[client]
            passed = 0
            self._start(client, first.share)
            first.turn.set_result(None)

    def _start(self, client: str, share: float) -> None:
        self._taken += 1
        self._used += share
        self._running[client] = self._running.get(client, 0) + 1

    def _busy(self, why: str) -> Busy:
        milliseconds = round(1_000 * self._usual * (1 + self._waiting / self._size.places))
        return Busy(self.name, why, max(_SHORTEST, min(_LONGEST, milliseconds)))


class Lanes:
    """The lanes of one server."""

    def __init__(self, sizes: dict[LaneName, LaneSize] = LANES) -> None:
        self._lanes = {name: Lane(name, size) for name, size in sizes.items()}

    def __getitem__(self, name: LaneName) -> Lane:
        return self._lanes[name]
