"""What others have written to the files of stores, told soon after: one thread of a process looks at the counts of writes.

A count is memory that all processes of a home share (`version_counter`), so a look is no question to SQLite and no call of the system: it
stands for `PRAGMA data_version`, which would be a question on a connection for each store. Who is told looks at the store.

The count is a hint, never the truth: a writer that is killed after its commit leaves it as it was while it wrote, and a lock file that
was replaced counts elsewhere. So those who are told go on looking by the clock, seldom enough to cost nothing: `is_live` is false.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from registry.store.sqlite.version_counter import VersionCounter

__all__ = ["LOOK", "Following", "follow"]

LOOK: Final = 0.1
"""Seconds between two looks."""


class Following:
    """One who is told of the changes of a store, until it is closed."""

    is_live: Final = False

    def __init__(self, watcher: _Watcher, counter: VersionCounter, told: Callable[[], None]) -> None:
        self._watcher = watcher
        self._counter = counter
        self._told = told
        self._seen = counter.value()

    def look(self) -> None:
        """Tell where something was written, or is being written, since the last look."""
        now = self._counter.value()
        if now != self._seen:
            self._seen = now
            self._told()

    def close(self) -> None:
        """Be told no more. Closing again does nothing."""
        self._watcher.leave(self)


class _Watcher:
    """A thread, as long as somebody follows."""

    def __init__(self) -> None:
        self.followers: set[Following] = set()
        self._stopping = threading.Event()

    def begin(self) -> None:
        threading.Thread(target=self._run, name="changes in the home", daemon=True).start()

    def leave(self, following: Following) -> None:
        global _watcher
        with _lock:
            self.followers.discard(following)
            if self.followers or _watcher is not self:
                return
            _watcher = None
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(LOOK):
            with _lock:
                followers = tuple(self.followers)
            for each in followers:
                try:
                    each.look()
                except Exception:  # a defect of one must not end what all are told by
                    import logging  # only for this: a store that is opened for one run imports none

                    logger = logging.getLogger(__name__)
                    logger.exception("telling of a change in the home failed")


_lock = threading.Lock()
_watcher: _Watcher | None = None
"""That of this process: principals and teams have one thread together."""


def follow(counter: VersionCounter, told: Callable[[], None]) -> Following:
    """Have `told` called, from some thread and quickly, soon after each change of a counter."""
    global _watcher
    with _lock:
        watcher = _watcher
        is_new = watcher is None
        if watcher is None:
            watcher = _watcher = _Watcher()
        following = Following(watcher, counter, told)
        watcher.followers.add(following)
        if is_new:
            watcher.begin()
    return following
