"""The last change of a team's tools: told by a database, else looked for by the clock. One for a store, whoever uses it.

Those who keep a list up to date ask for it again and again, and a database is asked for each look.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from registry.store.protocol import Store

__all__ = ["LOOK", "LastChange"]

LOOK: Final = 1.0
"""Seconds between two looks for what other processes have changed, where that is not told of."""

SELDOM: Final = 30.0
"""The same where it is: a connection may be dead and not know it yet."""


class LastChange:
    """The number of a store's last event. Safe in threads."""

    def __init__(self, store: Store, told: Callable[[], None] = lambda: None) -> None:
        """`told` is called after each change, where the store tells of them."""
        self._store = store
        self._told = told
        self._changes = 0
        self._looked: tuple[int, float, int] | None = None
        self._following = store.follow(self._changed)

    def _changed(self) -> None:
        self.forget()
        self._told()

    def forget(self) -> None:
        """There may be another: the next question looks."""
        self._changes += 1

    @property
    def is_told(self) -> bool:
        """Whether changes are told of now."""
        return self._following is not None and self._following.is_live

    def number(self) -> int:
        """That of the last event: as of the last change that was told of, and at most `LOOK` seconds old where none is."""
        changes, looked, now = self._changes, self._looked, time.monotonic()
        if looked is None or looked[2] != changes or now - looked[1] >= (SELDOM if self.is_told else LOOK):
            looked = self._looked = self._store.snapshot().sequence, now, changes
        return looked[0]

    def close(self) -> None:
        """Be told no more."""
        if self._following is not None:
            self._following.close()
