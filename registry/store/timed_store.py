"""A store whose operations are timed, for those who watch a server from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

from registry.store.protocol import Store

__all__ = ["Timed", "timed"]

Timed = Callable[[str, float], None]
"""Is told of an operation that has ended, by its name and its seconds, from any thread; also of one that failed."""


def timed(store: Store, told: Timed) -> Store:
    """The same store, which tells of each operation."""
    return cast("Store", _TimedStore(store, told))


class _TimedStore:
    """Hands every operation on. What is no operation (a path, a flag) is that of the store itself."""

    def __init__(self, store: Store, told: Timed) -> None:
        self._store = store
        self._told = told

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        def operation(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return found(*arguments, **options)
            finally:
                self._told(name, time.perf_counter() - begun)

        self.__dict__[name] = operation  # found at once the next time
        return operation
