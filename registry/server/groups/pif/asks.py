"""Questions to the store of one principal, off the event loop where a database answers them.

A database may take seconds, or until its connection is found dead. Those who wait for it are of its principal: each has threads of
its own, so that no other principal waits for a place among them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from registry.server.calls.workers import Workers

__all__ = ["ASKING", "Asks"]

T = TypeVar("T")

ASKING = 4
"""Threads in which the questions of one principal wait for its database."""


class Asks:
    """`in_threads`: whether the store is a database. One in files is asked at once, which takes some microseconds."""

    def __init__(self, *, in_threads: bool) -> None:
        self.in_threads = in_threads
        self._threads = Workers(ASKING, "questions to the store", stack_bytes=0) if in_threads else None

    async def put(self, question: Callable[[], T]) -> T:
        """The answer to a question; what it raises."""
        if self._threads is None:
            return question()
        return await self._threads.run(question)

    def close(self) -> None:
        """Answer no more. Does not wait for a database."""
        if self._threads is not None:
            self._threads.close()
