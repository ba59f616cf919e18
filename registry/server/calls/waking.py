"""Sleep that ends when something has changed, or after a time: what is told of need not be polled for."""

from __future__ import annotations

import asyncio
from contextlib import suppress

__all__ = ["Waking"]


class Waking:
    """One sleeper of an event loop. `wake` may be called from any thread, also while nobody sleeps: the next sleep ends at once."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def wake(self) -> None:
        """End the sleep."""
        if self._loop is None:
            self._event.set()
            return
        with suppress(RuntimeError):  # the loop has closed: nobody sleeps
            self._loop.call_soon_threadsafe(self._event.set)

    async def within(self, seconds: float) -> None:
        """Sleep for so long at most. What wakes from now on is another change."""
        self._loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), seconds)
        self._event.clear()
