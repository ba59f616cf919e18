"""Worker threads for what takes longer than the event loop may be held (evaluator.md §5: 64 MB of stack each).

Python's own executor joins its threads when the interpreter exits, so that one run that does not look at its flag
would keep a closed server alive; these are daemons. Threads are started when first needed, up to a fixed number;
further work waits its turn.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["DEFAULT_WORKERS", "Workers"]

DEFAULT_WORKERS = 4
STACK_BYTES = 64 * 1024 * 1024

T = TypeVar("T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]
logger = logging.getLogger(__name__)


class Workers:
    """A pool of at most `count` daemon threads. Use it from one event loop."""

    def __init__(self, count: int = DEFAULT_WORKERS, stack_bytes: int = STACK_BYTES) -> None:
        if count < 1:
            raise ValueError(f"a pool needs at least one worker, not {count}")
        self._count = count
        self._stack_bytes = stack_bytes
        self._started = 0
        self._busy = 0
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()

    async def run(self, work: Callable[[], T]) -> T:
        """Run `work` in a thread. Cancelling drops work that has not begun; begun work ends by itself."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._busy >= self._started and self._started < self._count:
            self._start()
        self._busy += 1
        self._jobs.put((work, future))
        return await future

    def close(self) -> None:
        """Let idle threads end."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _start(self) -> None:
        previous = threading.stack_size(self._stack_bytes)
        try:
            threading.Thread(target=self._serve, name=f"worker-{self._started + 1}", daemon=True).start()
        finally:
            threading.stack_size(previous)
        self._started += 1

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            work, future = job
            result: Any = None
            failure: Exception | None = None
            if not future.cancelled():
                try:
                    result = work()
                except Exception as error:
                    logger.debug("work in a thread raised; the error goes to the caller", exc_info=True)
                    failure = error
            try:
                future.get_loop().call_soon_threadsafe(self._settle, future, result, failure)
            except RuntimeError:
                logger.debug("the event loop closed before a worker was done")
            del job, work, future, result, failure

    def _settle(self, future: asyncio.Future[Any], result: Any, failure: Exception | None) -> None:
        self._busy -= 1
        if future.cancelled():
            return
        if failure is None:
            future.set_result(result)
        elif isinstance(failure, StopIteration):  # which a future does not take
            future.set_exception(RuntimeError(f"work in a thread raised {failure!r}"))
        else:
            future.set_exception(failure)
