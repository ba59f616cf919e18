"""What a signature of a built-in is, and how the tables of signatures are written.


A *rule* gives the signatures of one row for the arguments of a call.  Most rules are `fixed`: a list of signatures of
which those with the right number of parameters count.  Rules for words, matrices, records and tuples compute a
signature from the sorts of the arguments, because sort variables cannot stand for widths, dimensions and fields.

Invariants
    * The sorts of a signature are never smaller than what the row computes: for arguments of the parameter sorts where
      the condition is true the row gives a value of the result sort (tests/meaning/test_signatures.py).
    * The signatures of one row at one number of arguments have different parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.builtins.row import Builtin

__all__ = [
    "NUMBERS",
    "Argument",
    "Matrix",
    "Rule",
    "Shape",
    "Signature",
    "Waiting",
    "common_number",
    "constant",
    "fixed",
    "is_open",
    "larger",
    "matrix_of",
    "number_of",
    "plus_sizes",
    "shape",
    "size_text",
]

NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL, core.COMPLEX)


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A built-in at given sorts.

    parameters, result
        They may hold sort variables: the built-in then has the signature at every instance.
    incomplete
        Solvers only approximate it: no model counts before exact evaluation confirms it.
    condition
        The Kleis text of the condition of definedness *at these sorts*, over `names`; None where there always is a
        value.  It is not always the row's text: what the sorts or literals show already is left out (``0 ≤ n`` of a
        natural number), and sizes that are known are written as numerals.
    """

    row: Builtin
    parameters: tuple[core.Sort, ...]
    result: core.Sort
    incomplete: bool = False
    condition: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters; a repeated one is numbered: ``parts_1, parts_2``."""
        written = [each.name for each in self.row.parameters]
        if not self.row.variadic:
            return tuple(written[: len(self.parameters)])
        *single, repeated = written
        count = len(self.parameters) - len(single)
        return (*single, *(f"{repeated}_{place}" for place in range(1, count + 1)))


class Argument(msgspec.Struct, frozen=True):
    """What is known of an argument.

    sort
        None or a `SortVariable` if it is not known yet.
    literal
        Its value if it is a literal.
    shape
        The lengths of a list literal from the outermost in, as far as they are equal everywhere: ``(2,)`` for
        ``[x, y]``, ``(1, 2)`` for ``[[x, y]]``.  Without it a list is no matrix, because its sizes are not known.
    """

    sort: core.Sort | None
    literal: int | str | None = None
    shape: tuple[int, ...] | None = None


class Waiting(msgspec.Struct, frozen=True):
    """The answer depends on `unknown`, which is not known yet."""

    unknown: str


Rule: TypeAlias = Callable[[Builtin, tuple[Argument, ...]], "tuple[Signature, ...] | Waiting"]

Shape: TypeAlias = tuple[tuple[core.Sort, ...], core.Sort]


def shape(*sorts: core.Sort) -> Shape:
    """Parameters, then the result."""
    return sorts[:-1], sorts[-1]


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
        return max(a, b, key=NUMBERS.index)
    return a if a == b else None


# Arguments read as matrices: their sizes, and sizes computed from sizes.
#
# A matrix is a value of a sort `MatrixOf`, or a list literal of list literals of one length.  Any other list of lists is
# none: its sizes are not known.  Two sizes agree if they are equal polynomials, so ``n`` and ``m`` do not.


class Matrix(msgspec.Struct, frozen=True):
    """An argument as a matrix; `written` says that it is a list literal."""

    rows: core.Dimension
    columns: core.Dimension
    element: core.Sort
    written: bool = False

    def parameter(self, element: core.Sort) -> core.Sort:
        """The sort of a parameter for this argument, with other elements."""
        return (
            core.ListOf(core.ListOf(element))
            if self.written
            else core.MatrixOf(self.rows, self.columns, element)
        )


def matrix_of(argument: Argument) -> Matrix | None:
    """The argument as a matrix; None if it is none, or not known to be one."""
    match argument:
        case Argument(sort=core.MatrixOf(rows=rows, columns=columns, element=element)):
            return Matrix(rows, columns, element)
        case Argument(
            sort=core.ListOf(element=core.ListOf(element=element)), shape=(int(rows), int(columns))
        ) if rows:
            return Matrix(constant(rows), constant(columns), element, written=True)
        case _:
            return None


def constant(size: int) -> core.Dimension:
    """A size that is a number."""
    return core.Dimension((((), size),) if size else ())


def number_of(size: core.Dimension) -> int | None:
    """The number that a size is; None if it has names in it."""
    match size.terms:
        case ():
            return 0
        case (((), number),):
            return number
        case _:
            return None


def plus_sizes(a: core.Dimension, b: core.Dimension) -> core.Dimension:
    """The sum of two sizes; the number comes last, as in ``n + 1``."""
    total: dict[tuple[str, ...], int] = {}
    for atoms, coefficient in (*a.terms, *b.terms):
        total[atoms] = total.get(atoms, 0) + coefficient
    kept = [(atoms, coefficient) for atoms, coefficient in total.items() if coefficient]
    return core.Dimension(tuple(sorted(kept, key=lambda monomial: (not monomial[0], monomial[0]))))


def size_text(size: core.Dimension, otherwise: str) -> str:
    """A size in a condition: its number, else the operation that gives it."""
    number = number_of(size)
    return otherwise if number is None else str(number)


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
