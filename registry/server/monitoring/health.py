"""Whether a server lives, and whether it is ready: what a supervisor or a load balancer asks.

A live server answers at all. A ready one can read its store and start its provers, and is not being stopped: a balancer sends
it no more calls once it is not, so that a stop refuses none. Findings are kept for a second, since anyone may ask.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

from registry.errors import RegistryError
from registry.server.monitoring.fellows import HEALTH, Fellows, together
from registry.server.streams.messages import encode_json

__all__ = ["KEPT_SECONDS", "PATIENCE", "Check", "Readiness"]

Check = Callable[[], None]
"""Raises OSError, RuntimeError or RegistryError where a part of the server cannot do its work. Called in a thread."""

KEPT_SECONDS = 1.0

PATIENCE = 5.0
"""Seconds after which a check that has not ended counts as failed."""

logger = logging.getLogger(__name__)


class Readiness:
    """The state of the parts of a server, by their names. Use it from one event loop."""

    def __init__(
        self, checks: Mapping[str, Check], is_stopping: Callable[[], bool], fellows: Fellows | None = None
    ) -> None:
        """`fellows`: the other workers, for all of which the answer speaks."""
        self._fellows = fellows
        self._checks = dict(checks)
        self._is_stopping = is_stopping
        self._found: dict[str, str] = {}
        self._until = 0.0
        self._asking = asyncio.Lock()

    async def answer(self) -> tuple[bool, bytes]:
        """Whether the server is ready, and the state of each part as JSON: ``{"ready": true, "store": "ok"}``.

        What is wrong is told in the log alone: an exception's text may name files.
        """
        if self._is_stopping():
            return False, encode_json({"ready": False, "server": "stopping"})
        found: Mapping[str, Any] = await self.states()
        if self._fellows is not None:
            found = together((found, *await self._fellows.ask_others(HEALTH)))
        ready = all(state == "ok" for state in found.values())
        if self._fellows is not None:
            found = {**found, "workers": self._fellows.workers, "serving": self._fellows.serving}
        return ready, encode_json({"ready": ready, **found})

    async def states(self) -> dict[str, str]:
        """The state of each part in this process."""
        async with self._asking:
            if time.monotonic() >= self._until:
                self._found = {name: await self._state(name, check) for name, check in self._checks.items()}
                self._until = time.monotonic() + KEPT_SECONDS
        return self._found

    async def _state(self, name: str, check: Check) -> str:
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.to_thread(check)
        except TimeoutError:
            logger.error("not ready: %s did not answer within %g s", name, PATIENCE)
            return "no answer"
        except (OSError, RuntimeError, RegistryError) as error:
            logger.error("not ready: %s: %s", name, error)
            return "failed"
        return "ok"
