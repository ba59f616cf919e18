"""First tries under small limits, for runs that end within a millisecond or two: they need no worker thread.

Purity makes a second run invisible, so whatever a first try could not do is done again under the real limits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pif.language.budget import Budget
from pif.language.host import Tool
from pif.language.terms import Json
from pif.run.evaluate import Answer, Request, run
from registry.errors import RegistryError
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["Admission", "BriefTools", "answer_briefly", "is_brief"]

_FUEL, _COMPILED_FUEL, _TIME = 2_000, 150_000, 0.002

_SIZE = 16_384
_PARTS = 400
_LIMITED = frozenset({"cancelled", "out_of_fuel", "value_too_large", "result_too_large"})


class _NeedsLonger(Exception):
    """Something has to be looked up that takes longer than a brief run may."""


class BriefTools(SnapshotTools):
    """The tools, but for large ones, which take long to decode, and the search through all names for a hint."""

    def tool(self, reference: str) -> Tool | None:
        record = self.find(reference)
        if record is not None and len(record.code) > _SIZE:
            raise _NeedsLonger
        return super().tool(reference)

    def nearest(self, name: str) -> str | None:
        raise _NeedsLonger


def answer_briefly(request: Request, fuel: int, tools: BriefTools) -> Answer | None:
    """The answer of a run with so much fuel where it can be had quickly, else None."""
    deadline = time.monotonic() + _TIME
    brief = Budget(fuel=min(fuel, _COMPILED_FUEL), string_length=_SIZE, result_bytes=_SIZE)
    try:
        answer = run(request, tools, brief, brief=_FUEL, cancelled=lambda: time.monotonic() > deadline)
    except _NeedsLonger:
        return None
    if answer["type"] == "error" and answer["error"]["kind"] in _LIMITED:
        return None
    return answer


def is_brief(*data: Json) -> bool:
    """Whether some JSON is small: decoding it must not hold the event loop."""
    stack = list(data)
    parts = 0
    while stack:
        item = stack.pop()
        parts += 1
        if parts > _PARTS:
            return False
        if isinstance(item, str):
            if len(item) > _SIZE:
                return False
        elif isinstance(item, dict):
            if len(item) > _PARTS:
                return False
            stack.extend(item.values())
        elif isinstance(item, list):
            if len(item) > _PARTS:
                return False
            stack.extend(item)
    return True


# How many runs may go on at once: as many as the memory that their fuel allows (docs/reference/serving.md §5.6).
#
# A unit of fuel keeps at most `pif.language.budget.RETAINED_BYTES` alive, so a run's fuel bounds its memory before it starts.


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
            raise _too_busy(amount, free, self.limit)
        try:
            yield
        finally:
            with self._lock:
                self._taken -= amount


def _too_busy(amount: int, free: int, limit: int) -> RegistryError:
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
