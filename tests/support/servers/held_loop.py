"""An event loop that asks no database: a question put on it is an error, in every server that tests start over one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from registry.store.postgres.connections import Connections

__all__ = ["hold_event_loop"]


def hold_event_loop() -> None:
    """Let this process raise where its event loop would wait for a database."""
    plain = Connections.one

    @contextmanager
    def one(self: Connections, timeout: float | None = None) -> Iterator[Any]:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            with plain(self, timeout) as connection:
                yield connection
            return
        raise AssertionError("the event loop asked a database, and everybody would have waited for it")

    Connections.one = one  # type: ignore[method-assign]
