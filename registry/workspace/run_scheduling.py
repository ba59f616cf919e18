"""How runs are scheduled: quick ones at once, and no more at a time than the memory allows.

- A run is first tried under small limits, on the caller's thread (`answer_briefly`). Runs are pure, so one that does not
  end within them is begun again elsewhere under its own limits, and nobody sees the first try.
- A run is admitted while the memory that its fuel allows is free (`Admission`, docs/reference/serving.md §5.6): a unit of
  fuel keeps at most `pif.language.budget.RETAINED_BYTES` alive.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from pif.language.budget import Budget
from pif.language.errors import HostError
from pif.language.host import Tool
from pif.language.terms import Json
from pif.run.evaluate import Answer, Request, run
from registry.errors import RegistryError
from registry.tools.snapshot_tools import SnapshotTools

__all__ = ["Admission", "BriefTools", "answer_briefly", "is_brief", "needs_words"]

_FUEL, _COMPILED_FUEL, _TIME = 2_000, 150_000, 0.002
"""Limits of a first try: fuel of the reference evaluator and of compiled code, and seconds."""

_SIZE = 16_384
_PARTS = 400
"""Characters of a string, and parts of a value, up to which code and input are small."""

_LIMITED = frozenset({"cancelled", "out_of_fuel", "value_too_large", "result_too_large"})


class _NeedsLonger(HostError):
    """A look-up would take longer than a first try may."""


class BriefTools(SnapshotTools):
    """The tools, but for large ones, which take long to decode, and the search through all names for a hint."""

    def tool(self, reference: str) -> Tool | None:
        record = self.find(reference)
        if record is not None and len(record.code) > _SIZE:
            raise _NeedsLonger
        return super().tool(reference)

    def nearest(self, name: str) -> str | None:
        raise _NeedsLonger


def answer_briefly(
    request: Request, fuel: int, tools: BriefTools, advice: Callable[[str], str | None] | None = None
) -> Answer | None:
    """The answer of a run if it ends within the limits of a first try, else None.

    What needs the type of a tool, to read the input or to say how a function is called, takes longer.
    """
    deadline = time.monotonic() + _TIME
    brief = Budget(fuel=min(fuel, _COMPILED_FUEL), string_length=_SIZE, result_bytes=_SIZE)
    try:
        answer = run(
            request,
            tools,
            brief,
            brief=_FUEL,
            cancelled=lambda: time.monotonic() > deadline,
            kept=_needs_longer,
            advice=advice,
        )
    except _NeedsLonger:
        return None
    if answer["type"] == "error" and (
        answer["error"]["kind"] in _LIMITED or _is_python(answer["error"], tools)
    ):
        return None
    return None if needs_words(request, answer) else answer


def needs_words(request: Request, answer: Answer) -> bool:
    """Whether an answer is probably not what was wanted, so that the workspace looks for the reason.

    It is that of a function, a `type_error`, or code that is its own value (`registry.tools.advice`)."""
    if answer["type"] == "error":
        return bool(answer["error"]["kind"] == "type_error")
    kind, code = answer.get("kind"), request.code
    if kind == "string":
        is_itself = isinstance(code, dict) and code.get("body") == answer["value"]
        return is_itself or (isinstance(code, str) and code.lstrip().startswith("{"))
    is_list = isinstance(code, list) or (isinstance(code, str) and code.lstrip().startswith("["))
    return kind == "function" or (kind == "list" and is_list)


def _is_python(error: dict[str, Any], tools: BriefTools) -> bool:
    """Whether an error is in a tool that was written in Python: to find the line takes longer."""
    record = tools.find(error["tool"]) if "tool" in error else None
    return record is not None and record.python is not None


def _needs_longer() -> NoReturn:
    raise _NeedsLonger


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


class Admission:
    """A bound on memory, shared by all runs of a process. Thread-safe; never waits."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._taken = 0

    @contextmanager
    def of(self, amount: int) -> Iterator[None]:
        """Reserve `amount` bytes for the length of a run. Raises `too_busy` where they are not free."""
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
