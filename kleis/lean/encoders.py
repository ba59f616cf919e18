"""What the readings of built-ins in Lean are made of.

An encoder gets an operation, the Lean terms of its arguments and the types at hand; its answer is right wherever the
operation is defined, and of an operation that gives a truth value a formula.  None says that there is no reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from kleis.core import Operation, Sort
from kleis.lean.export.terms.lean_types import Sorts, call
from kleis.lean.language.lean_tree import LeanTerm, Name

__all__ = ["Encoder", "named", "sort_of"]

Encoder: TypeAlias = Callable[[Operation, Sequence[LeanTerm], Sorts], "LeanTerm | None"]


def sort_of(operation: Operation) -> Sort:
    """The sort that an operation is about: its first argument's, or its result's."""
    return operation.parameters[0].sort if operation.parameters else operation.result


def named(name: str) -> Encoder:
    """A function of the same arguments."""
    return lambda _, given, __: call(Name(name), *given)
