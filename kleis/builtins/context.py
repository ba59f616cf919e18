"""What a builtin may use while it runs, and how it says that it has no value.

A builtin is pure but for three things, all here: it pays the meter, it may print (`out`), and `readFile` may read
below a granted directory.
"""

from __future__ import annotations

from pathlib import Path

from kleis.budget import Budget, Meter
from kleis.errors import EvaluationError

__all__ = ["RECOVERABLE", "Context", "Undecided", "undefined", "wrong_sort"]

RECOVERABLE = frozenset({"undefined", "no_matching_case"})
"""The codes of errors that mean "undefined here": ∧ and ∨ may have a value in spite of them (proving.md §1)."""


class Undecided(Exception):
    """Raised by a builtin whose value depends on what an unbound name stands for; never leaves the evaluator."""


class Context(Meter):
    """The meter of a run with its output and its capabilities.

    `deferred` is set when an operation that may turn out undefined was left symbolic.  Calls, `let` and lists are
    strict, so the whole is then undefined where that operation is, even if its value is used nowhere:
    ``length([1/x]) = 1`` is not true at x = 0.
    """

    __slots__ = ("deferred", "granted_root", "output", "printed")

    def __init__(self, budget: Budget, granted_root: Path | None = None) -> None:
        super().__init__(budget)
        self.deferred = False
        self.granted_root = granted_root
        self.output: list[str] = []
        self.printed = 0

    def emit(self, text: str) -> None:
        """Print a text."""
        self.printed += len(text)
        if self.printed > self.budget.size:
            self.admit(self.printed, "the output")
        self.charge(len(text))
        self.output.append(text)


def undefined(message: str, hint: str = "") -> EvaluationError:
    """The error of a partial operation outside its domain."""
    return EvaluationError(message, code="undefined", hint=hint)


def wrong_sort(message: str, *, found: str, expected: str, hint: str = "") -> EvaluationError:
    """The error of an operation on a value of a kind it does not take."""
    return EvaluationError(message, code="sort", found=found, expected=(expected,), hint=hint)
