"""The stop of a server: calls under way get an answer at once, and no new ones begin (docs/reference/serving.md §1.4).

A call runs inside `Stopping.answer`. `stop` ends what it waits for, as a cancellation by the client does, and answers
in its place. What the call asked for may have been done by then: the answer says so and never claims otherwise.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any

from registry.server.contract.group import Answer

__all__ = ["SECONDS", "Stopping", "end_on_signals"]

SECONDS = 2.0
"""In which a server that was told to stop has answered every call and closed every stream."""


class Stopping:
    """Whether the server is being stopped, and the calls under way. Use it from one event loop. `is_draining`: it will be, and answers
    until then what still reaches it."""

    def __init__(self) -> None:
        self.has_begun = False
        self.is_draining = False
        self._under_way: set[asyncio.Timeout] = set()

    def stop(self) -> None:
        """Answer every call under way, and each later one, with an error of kind `cancelled`."""
        if self.has_begun:
            return
        self.has_begun = True
        for scope in self._under_way:
            scope.reschedule(asyncio.get_running_loop().time())

    async def answer(self, answering: Coroutine[Any, Any, Answer]) -> Answer:
        """The answer of a call, or that the server is being stopped."""
        if self.has_begun:
            answering.close()
            return _stopped("the server is being stopped; the call was not begun")
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._under_way.add(scope)
                return await answering
        except TimeoutError:
            if not scope.expired():
                raise
            return _stopped("the server is being stopped; the call was cancelled")
        finally:
            self._under_way.discard(scope)


def _stopped(message: str) -> Answer:
    hint = "Call again when the server is back; where the call changes something, look first whether it was done."
    return Answer.error("cancelled", message, hint=hint)


def end_on_signals(stop: Callable[[], None]) -> None:
    """Call `stop` on the event loop when SIGINT or SIGTERM comes. The second signal ends the process at once."""
    loop = asyncio.get_running_loop()

    def first() -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, first)
