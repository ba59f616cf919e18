"""How the signatures of rows are written: at which sorts an operation is one of the core.

The signatures of a row are computed by a *rule* from the arguments of a call.  Most rules are `fixed`: a list of
signatures of which those with the right number of parameters count.  Rules for bit-vectors, matrices, records and tuples
compute a signature from the sorts of the arguments, because sort variables cannot stand for widths, sizes and fields;
they are beside their rows, those of matrices in kleis/builtins/matrix_shapes.py.

Invariants
    * The sorts of a signature are never smaller than what the row computes: for arguments of the parameter sorts where
      the condition is true the row gives a value of the result sort (tests/kleis/builtins/test_signatures.py).
    * The signatures of one row at one number of arguments have different parameters.
"""

from __future__ import annotations

from typing import TypeAlias

from kleis import core
from kleis.builtins.row import Argument, Builtin, Rule, Signature
from kleis.core.sort_operations import rank

__all__ = [
    "FIELDS",
    "NUMBERS",
    "ORDERED",
    "SIGNED",
    "Shape",
    "alike",
    "common_number",
    "fixed",
    "is_open",
    "larger",
    "shape",
]

NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL, core.COMPLEX)
SIGNED = NUMBERS[1:]
ORDERED = NUMBERS[:-1]
FIELDS = (core.RATIONAL, core.REAL, core.COMPLEX)

Shape: TypeAlias = tuple[tuple[core.Sort, ...], core.Sort]


def shape(*sorts: core.Sort) -> Shape:
    """Parameters, then the result."""
    return sorts[:-1], sorts[-1]


def alike(sorts: tuple[core.Numeric, ...], count: int) -> tuple[Shape, ...]:
    """An operation on `count` numbers of one sort that stays within it."""
    return tuple(((each,) * count, each) for each in sorts)


def fixed(*shapes: Shape, incomplete: bool = False, total: bool = False) -> Rule:
    """The same signatures for every call; under the row's condition, unless it is `total` at these sorts."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
        return tuple(
            Signature(
                row=row,
                parameters=parameters,
                result=result,
                incomplete=incomplete,
                condition=None if total else row.condition,
            )
            for parameters, result in shapes
            if len(parameters) == len(arguments)
        )

    return rule


def is_open(sort: core.Sort | None) -> bool:
    """Whether nothing is known of a sort."""
    return sort is None or isinstance(sort, core.SortVariable)


def larger(a: core.Sort, b: core.Sort) -> core.Sort | None:
    """The larger of two sorts of numbers, or the sort if there is but one; else None."""
    if isinstance(a, core.Numeric) and isinstance(b, core.Numeric):
        return max(a, b, key=rank)
    return a if a == b else None


def common_number(*sorts: core.Sort | None, least: core.Numeric) -> core.Numeric | None:
    """The least sort of numbers, from `least` up, that all these are coerced to; those not known do not count."""
    joined: core.Sort = least
    for sort in sorts:
        if is_open(sort):
            continue
        assert sort is not None
        if not isinstance(sort, core.Numeric):
            return None
        joined = larger(joined, sort) or joined
    return joined if isinstance(joined, core.Numeric) else None
