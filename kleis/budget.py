"""Limits of evaluation: a `Budget`, the `Meter` that one run counts with, and room for recursion.

See docs/reference/kleis.md §6.10.  Every run needs a budget; there is no unlimited one.  Counting is deterministic:
the same program under the same budget stops at the same place on every machine, because nothing here reads a clock.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import msgspec

from kleis.errors import BudgetError

__all__ = ["LONGEST_LIST", "STANDARD_BUDGET", "Budget", "Meter", "deep", "deep_thread", "make_room"]


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one call.  All are positive.

    steps
        Evaluated nodes, plus the elements, characters and machine words that builtins read or make.
    depth
        Unfinished evaluations that wait for another one (a call in tail position waits for nothing).
    size
        The greatest value: elements of a list, characters of a string, bits of an integer.
    """

    steps: int = 10_000_000
    depth: int = 200_000
    size: int = 1_000_000

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                raise ValueError(f"a budget's {name} must be at least 1, not {getattr(self, name)}")


STANDARD_BUDGET = Budget()


class Meter:
    """The counter of one run: passed to everything that runs in it, never reset.

    `approximate` is set when a comparison rests on a floating-point number.  `mixed` names two kinds of values that
    were compared though no value is of both, "an integer with a string" say.  Such values always differ, so the
    comparison is probably a mistake.
    """

    __slots__ = ("approximate", "budget", "mixed", "remaining")

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.remaining = budget.steps
        self.approximate = False
        self.mixed = ""

    @property
    def used(self) -> int:
        """The steps taken so far."""
        return self.budget.steps - self.remaining

    def charge(self, steps: int) -> None:
        """Take `steps` from the budget, or stop the run."""
        self.remaining -= steps
        if self.remaining < 0:
            self.stop_at_steps()

    def admit(self, size: int, what: str) -> None:
        """Pay for a value of `size` that is about to be made, or stop the run if the budget admits none so large."""
        if size > self.budget.size:
            raise BudgetError(
                f"{what} would have size {size}; the budget allows {self.budget.size}",
                code="budget_size",
                hint="make the value in smaller pieces",
            )
        self.charge(size)

    def admit_bits(self, bits: int) -> None:
        """Pay for an integer of so many bits, one step for 1,024, or stop the run if the budget admits none so large."""
        if bits > self.budget.size:
            self.admit(bits, "an integer (in bits)")
        self.charge(bits >> 10)

    def stop_at_steps(self) -> NoReturn:
        """Stop the run because its steps are used up."""
        raise BudgetError(
            f"the evaluation did not finish within {self.budget.steps} steps",
            code="budget_steps",
            hint="look for a recursion that does not end, or compute a smaller case",
        )

    def stop_at_depth(self) -> NoReturn:
        """Stop the run because too many evaluations are unfinished."""
        raise BudgetError(
            f"more than {self.budget.depth} evaluations wait for one another",
            code="budget_depth",
            hint="look for a recursion that does not end, make the recursive call the last thing the "
            "function does, or compute a smaller case",
        )


LONGEST_LIST = 2_000
"""The most elements of a list literal in a proposition."""

# A source is at most 1,280 levels high (`kleis.syntax.tree.MAXIMUM_HEIGHT`) and a list in it has at most `LONGEST_LIST`
# elements; one level takes several Python frames.  Python's default limit of 1,000 frames is too low for that and
# protects little, because frames live on the heap.  What recurses on the C stack counts too, decoders of hostile JSON
# among it: 20,000 of their levels fit into the 8 MB of a thread, three times as many do not.
_FRAMES = 20_000

_STACK = 64 * 2**20
"""Bytes of a thread that follows the deepest terms."""


class _Room:
    """How many parts of the program need room, in all threads, and the limit that was there before the first."""

    lock = threading.Lock()
    users = 0
    before = 0


@contextmanager
def deep() -> Iterator[None]:
    """Raise Python's recursion limit to what the deepest source needs, until the last who needs it has left.

    The limit is one for all threads, so only the last may restore it.  A limit that was raised meanwhile stays.
    """
    with _Room.lock:
        if _Room.users == 0:
            _Room.before = sys.getrecursionlimit()
        _Room.users += 1
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
    try:
        yield
    finally:
        with _Room.lock:
            _Room.users -= 1
            if _Room.users == 0 and sys.getrecursionlimit() == _FRAMES:
                sys.setrecursionlimit(_Room.before)


def deep_thread(work: Callable[[], None], name: str) -> threading.Thread:
    """A thread that is at work and has room for deep terms: others have the system's default."""
    previous = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
    finally:
        threading.stack_size(previous)
    return thread


def make_room() -> None:
    """Raise the limit for good: there is a tree that cannot even be compared with another within the usual one."""
    with _Room.lock:
        _Room.before = max(_Room.before, _FRAMES)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
