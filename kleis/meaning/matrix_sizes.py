"""Arguments read as matrices: their sizes, and sizes computed from sizes.

Specification: proving.md §1; kleis-language.md §4.8 (both spellings of a matrix).

A matrix is a value of a sort `MatrixOf`, or a list literal of list literals of one length.  Any other list of lists is
none: its sizes are not known.  Two sizes agree if they are equal polynomials, so ``n`` and ``m`` do not.
"""

from __future__ import annotations

import msgspec

from kleis.builtins.signatures.shapes import Argument, is_open, larger
from kleis.core import Dimension, ListOf, MatrixOf, Numeric, Sort

__all__ = ["Matrix", "common_number", "constant", "matrix_of", "number_of", "plus_sizes", "size_text"]


class Matrix(msgspec.Struct, frozen=True):
    """An argument as a matrix; `written` says that it is a list literal."""

    rows: Dimension
    columns: Dimension
    element: Sort
    written: bool = False

    def parameter(self, element: Sort) -> Sort:
        """The sort of a parameter for this argument, with other elements."""
        return ListOf(ListOf(element)) if self.written else MatrixOf(self.rows, self.columns, element)


def matrix_of(argument: Argument) -> Matrix | None:
    """The argument as a matrix; None if it is none, or not known to be one."""
    match argument:
        case Argument(sort=MatrixOf(rows=rows, columns=columns, element=element)):
            return Matrix(rows, columns, element)
        case Argument(sort=ListOf(element=ListOf(element=element)), shape=(int(rows), int(columns))) if rows:
            return Matrix(constant(rows), constant(columns), element, written=True)
        case _:
            return None


def constant(size: int) -> Dimension:
    """A size that is a number."""
    return Dimension((((), size),) if size else ())


def number_of(size: Dimension) -> int | None:
    """The number that a size is; None if it has names in it."""
    match size.terms:
        case ():
            return 0
        case (((), number),):
            return number
        case _:
            return None


def plus_sizes(a: Dimension, b: Dimension) -> Dimension:
    """The sum of two sizes; the number comes last, as in ``n + 1``."""
    total: dict[tuple[str, ...], int] = {}
    for atoms, coefficient in (*a.terms, *b.terms):
        total[atoms] = total.get(atoms, 0) + coefficient
    kept = [(atoms, coefficient) for atoms, coefficient in total.items() if coefficient]
    return Dimension(tuple(sorted(kept, key=lambda monomial: (not monomial[0], monomial[0]))))


def size_text(size: Dimension, otherwise: str) -> str:
    """A size in a condition: its number, else the operation that gives it."""
    number = number_of(size)
    return otherwise if number is None else str(number)


def common_number(*sorts: Sort | None, least: Numeric) -> Numeric | None:
    """The least sort of numbers, from `least` up, that all these are coerced to; those not known do not count."""
    joined: Sort = least
    for sort in sorts:
        if is_open(sort):
            continue
        assert sort is not None
        if not isinstance(sort, Numeric):
            return None
        joined = larger(joined, sort) or joined
    return joined if isinstance(joined, Numeric) else None
