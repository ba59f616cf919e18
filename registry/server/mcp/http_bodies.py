"""The bodies of requests while they are held: together they have a budget (docs/reference/serving.md §3.2).

Where the budget is not enough, the longest of the bodies that are still coming gives way, so that a client that sends half of
a body keeps nobody out.
"""

from __future__ import annotations

import asyncio

__all__ = ["BODIES", "BODY", "SMALL_BODY", "Bodies", "HeldBody"]

BODY = 4 * 1024 * 1024
"""Bytes of one request."""

BODIES = 32 * 1024 * 1024
"""Bytes of the requests under way together, but for those of at most `SMALL_BODY` bytes."""

SMALL_BODY = 64 * 1024


class HeldBody:
    """A body while it is held: its bytes, and how to end its reading."""

    def __init__(self, scope: asyncio.Timeout) -> None:
        self.scope = scope
        self.size = 0
        self.is_whole = False
        self.gave_way = False

    @property
    def counts(self) -> int:
        return self.size if self.size > SMALL_BODY else 0


class Bodies:
    """The bodies of all requests under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: set[HeldBody] = set()

    def hold(self, body: HeldBody) -> None:
        self._held.add(body)

    def release(self, body: HeldBody) -> None:
        self._held.discard(body)

    def grown(self, body: HeldBody) -> None:
        """A body has grown. Where all are too many, the longest unfinished one gives way."""
        if not body.counts or sum(each.counts for each in self._held) <= self._most:
            return
        coming = (each for each in self._held if not each.is_whole and not each.scope.expired())
        longest = max(coming, key=lambda each: each.size, default=None)
        if longest is not None:
            longest.gave_way = True
            longest.size = 0
            longest.scope.reschedule(asyncio.get_running_loop().time())
