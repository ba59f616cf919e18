"""How many runs may go on at once: as many as the memory that their fuel allows (pif-language.md §3).

A unit of fuel keeps at most `pif.language.budget.RETAINED_BYTES` alive, so a run's fuel bounds its memory before it starts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from registry.errors import RegistryError

__all__ = ["Admission"]


class Admission:
    """A bound on memory, shared by all runs of a process. Safe in threads; nobody waits, the answer is yes or no."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken = 0

    @contextmanager
    def of(self, amount: int) -> Iterator[None]:
        """Hold `amount` bytes for the length of a run; `too_busy` where they are not to be had now."""
        with self._lock:
            free = self.limit - self._taken
            if amount <= free:
                self._taken += amount
        if amount > free:
            raise _refusal(amount, free, self.limit)
        try:
            yield
        finally:
            with self._lock:
                self._taken -= amount


def _refusal(amount: int, free: int, limit: int) -> RegistryError:
    most = max(0, free)
    hint = "Ask again when other runs have ended, or pass less fuel."
    if amount > limit:
        hint = "Pass less fuel, or start the server with more `--memory`."
    return RegistryError(
        "too_busy",
        f"this run may use {amount >> 20} MB, and {most >> 20} of {limit >> 20} MB are free",
        found=f"{amount >> 20} MB",
        expected=f"at most {most >> 20} MB now",
        hint=hint,
    )
