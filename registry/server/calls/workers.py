"""Daemon threads with large stacks, for work that would hold the event loop too long.

Python's own executor joins its threads when the interpreter exits, so that a run that ignores cancellation would keep a
closed server alive.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from pif.run.stack_room import with_room

__all__ = ["Workers"]

STACK_BYTES = 64 * 1024 * 1024

T = TypeVar("T")

_Job = tuple[Callable[[], Any], "asyncio.Future[Any]", Callable[[], None]]
logger = logging.getLogger(__name__)


def _nothing() -> None:
    """Nobody wants to know."""


class Workers:
    """A pool of at most `count` daemon threads. Use it from one event loop.

    `stack_bytes`: of each thread; 0 is what the platform gives to any.
    """

    def __init__(self, count: int, name: str = "worker", *, stack_bytes: int = STACK_BYTES) -> None:
        if count < 1:
            raise ValueError(f"a pool needs at least one worker, not {count}")
        self._count = count
        self._name = name
        self._is_open = True
        self._stack_bytes = stack_bytes
        self._started = 0
        self._busy = 0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()

    async def run(self, work: Callable[[], T], ended: Callable[[], None] = _nothing) -> T:
        """Run `work` in a thread, in the context of the caller. Cancelling drops work that has not begun; begun work ends by itself.

        `ended` is called on the event loop when no thread has the work any more. Raises RuntimeError after `close`.
        """
        if not self._is_open:
            raise RuntimeError(f"the threads called {self._name} have been let go")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._busy >= self._started and self._started < self._count:
            self._start()
        self._busy += 1
        self._jobs.put((partial(copy_context().run, work), future, ended))
        return await future

    def close(self) -> None:
        """Let idle threads end, and the others after what they have begun and what waits for them."""
        self._is_open = False
        for _ in range(self._started):
            self._jobs.put(None)

    def _start(self) -> None:
        previous = threading.stack_size(self._stack_bytes)
        try:
            threading.Thread(
                target=with_room, args=(self._serve,), name=f"{self._name}-{self._started + 1}", daemon=True
            ).start()
        finally:
            threading.stack_size(previous)
        self._started += 1

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future, ended = job
            result: Any = None
            failure: Exception | None = None
            if not future.cancelled():
                try:
                    result = work()
                except Exception as error:
                    logger.debug("work in a thread raised; the error goes to the caller", exc_info=True)
                    failure = error
            try:
                future.get_loop().call_soon_threadsafe(self._complete, future, result, failure, ended)
            except RuntimeError:
                logger.debug("the event loop closed before a worker was done")
            del job, work, future, result, failure, ended

    def _complete(
        self, future: asyncio.Future[Any], result: Any, failure: Exception | None, ended: Callable[[], None]
    ) -> None:
        self._busy -= 1
        ended()
        if future.cancelled():
            return
        if failure is None:
            future.set_result(result)
        elif isinstance(failure, StopIteration):  # which a future does not take
            future.set_exception(RuntimeError(f"work in a thread raised {failure!r}"))
        else:
            future.set_exception(failure)
