"""Sorts as data. See docs/reference/proving.md §1.1."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

__all__ = [
    "BOOL",
    "COMPLEX",
    "INTEGER",
    "NATURAL",
    "RATIONAL",
    "REAL",
    "REGEX",
    "STRING",
    "UNIT",
    "Basic",
    "BitVec",
    "Carrier",
    "DataSort",
    "Dimension",
    "FunctionOf",
    "ListOf",
    "MatrixOf",
    "Monomial",
    "Numeric",
    "RecordOf",
    "SetOf",
    "Sort",
    "SortVariable",
    "TupleOf",
]


class CoreNode(msgspec.Struct, frozen=True, gc=False, tag=True, tag_field="core"):
    """The base of sorts and terms."""


# ── Sorts ────────────────────────────────────────────────────────────────────────────────────────────────────


class Basic(CoreNode, frozen=True):
    """``Bool``, ``String`` (sequences of code points) or ``Regex``."""

    name: Literal["Bool", "String", "Regex"]


class Numeric(CoreNode, frozen=True):
    """One of the five sets of numbers."""

    name: Literal["ℕ", "ℤ", "ℚ", "ℝ", "ℂ"]


class BitVec(CoreNode, frozen=True):
    """Bit-vectors of `width` ≥ 1 bits."""

    width: int


Monomial: TypeAlias = tuple[tuple[str, ...], int]


class Dimension(CoreNode, frozen=True):
    """A natural number in a type, as a polynomial in normal form: ``n + 1`` is ``((("n",), 1), ((), 1))``.

    An atom is the name of a `Nat` parameter, or the text of an operation that is no polynomial (``min(m, n)``).
    Equal dimensions are equal polynomials.  `terms` are sorted by their atoms, without zero coefficients.
    """

    terms: tuple[Monomial, ...]


class ListOf(CoreNode, frozen=True):
    """Finite lists."""

    element: Sort


class SetOf(CoreNode, frozen=True):
    """All subsets of a sort, infinite ones too."""

    element: Sort


class TupleOf(CoreNode, frozen=True):
    """``A × B × C``; ``TupleOf(())`` is Unit."""

    items: tuple[Sort, ...]


class RecordOf(CoreNode, frozen=True):
    """Records with exactly these fields, sorted by name."""

    fields: tuple[tuple[str, Sort], ...]


class MatrixOf(CoreNode, frozen=True):
    """Matrices of the given dimensions."""

    rows: Dimension
    columns: Dimension
    element: Sort


class FunctionOf(CoreNode, frozen=True):
    """All total functions.  Curried types are flat here: ``A → B → C`` has the domain (A, B)."""

    domain: tuple[Sort, ...]
    codomain: Sort


class DataSort(CoreNode, frozen=True):
    """A declared data type at its arguments: ``Option(ℤ)``.  Its constructors are in `Goal.data`."""

    name: str
    arguments: tuple[Sort | Dimension, ...] = ()


class SortVariable(CoreNode, frozen=True):
    """A sort that is not known yet: in the signatures of polymorphic built-ins, and while a proposition is being
    elaborated.  Never in a finished goal."""

    name: str


class Carrier(CoreNode, frozen=True):
    """Any non-empty set: a parameter of a structure (``Group::G``), an opaque type (``Widget``), or a family of
    them (``Vector(n)``, equal at equal arguments and otherwise unrelated)."""

    name: str
    arguments: tuple[Sort | Dimension, ...] = ()


Sort: TypeAlias = (
    Basic
    | Numeric
    | BitVec
    | ListOf
    | SetOf
    | TupleOf
    | RecordOf
    | MatrixOf
    | FunctionOf
    | DataSort
    | Carrier
    | SortVariable
)

BOOL = Basic("Bool")
STRING = Basic("String")
REGEX = Basic("Regex")
NATURAL = Numeric("ℕ")
INTEGER = Numeric("ℤ")
RATIONAL = Numeric("ℚ")
REAL = Numeric("ℝ")
COMPLEX = Numeric("ℂ")
UNIT = TupleOf(())
