"""Sorts and dimensions as types of Kleis, and numbers as numerals.

Invariants
    * A type printed here elaborates to the same sort in the scope the sort comes from, where `writable` says so:
      records and functions of tuples (``A × B → C`` has two arguments) have no written type, nor has a sort that
      is not known yet.
    * A carrier is called what the scope accepts: the name of its parameter, which the caller may qualify.
    * Numerals are exact and never negative.  Every literal of a source has one; results of arithmetic, as 1/3, may
      have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.syntax import tree
from kleis.values.text import decimal_places, decimal_text, integer_text

__all__ = ["dimension_type", "has_numeral", "numeral", "type_of", "writable"]


def type_of(
    sort: core.Sort | core.Dimension, carriers: Mapping[str, str] | None = None
) -> tree.TypeExpression:
    """A sort as a type; `carriers` has the spelling of carriers that are not written by their own name.

    Sorts without a type are still shown: a record as ``record(a : ℤ)``, an unknown sort as ``_``.
    """
    match sort:
        case core.Basic(name=name) | core.Numeric(name=name):
            return tree.NamedType(name)
        case core.BitVec(width=width):
            return tree.AppliedType("BitVec", (tree.NumberType(width),))
        case core.ListOf(element=element):
            return tree.AppliedType("List", (type_of(element, carriers),))
        case core.SetOf(element=element):
            return tree.AppliedType("Set", (type_of(element, carriers),))
        case core.TupleOf(items=()):
            return tree.NamedType("Unit")
        case core.TupleOf(items=items):
            return tree.ProductType(tuple(type_of(item, carriers) for item in items))
        case core.MatrixOf(rows=rows, columns=columns, element=element):
            parts = (
                dimension_type(rows, carriers),
                dimension_type(columns, carriers),
                type_of(element, carriers),
            )
            return tree.AppliedType("Matrix", parts)
        case core.FunctionOf(domain=domain, codomain=codomain):
            written = type_of(codomain, carriers)
            if not domain:
                return tree.FunctionType(tree.NamedType("Unit"), written)
            for argument in reversed(domain):
                written = tree.FunctionType(type_of(argument, carriers), written)
            return written
        case core.Carrier(name=name, arguments=arguments):
            return _applied((carriers or {}).get(name, name), arguments, carriers)
        case core.DataSort(name=name, arguments=arguments):
            return _applied(name, arguments, carriers)
        case core.Dimension():
            return dimension_type(sort, carriers)
        case core.RecordOf() | core.SortVariable():
            return tree.NamedType(sort_text(sort))
        case _:
            assert_never(sort)


def writable(sort: core.Sort | core.Dimension) -> bool:
    """Whether there is a type of this sort."""
    match sort:
        case core.RecordOf() | core.SortVariable():
            return False
        case core.ListOf(element=element) | core.SetOf(element=element) | core.MatrixOf(element=element):
            return writable(element)
        case core.TupleOf(items=items):
            return len(items) != 1 and all(map(writable, items))
        case core.FunctionOf(domain=domain, codomain=codomain):
            return not isinstance(codomain, core.FunctionOf) and all(
                writable(each) and not isinstance(each, core.TupleOf) for each in (*domain, codomain)
            )
        case core.DataSort(arguments=arguments) | core.Carrier(arguments=arguments):
            return all(map(writable, arguments))
        case _:
            return True


def _applied(
    name: str, arguments: tuple[core.Sort | core.Dimension, ...], carriers: Mapping[str, str] | None
) -> tree.TypeExpression:
    if not arguments:
        return tree.NamedType(name)
    return tree.AppliedType(name, tuple(type_of(argument, carriers) for argument in arguments))


def dimension_type(dimension: core.Dimension, names: Mapping[str, str] | None = None) -> tree.TypeExpression:
    """A dimension as it is written: ``n + 1``, ``2 * n * m - 3``; `names` has the spellings of its atoms."""
    shown: tree.TypeExpression | None = None
    for atoms, coefficient in sorted(dimension.terms, key=lambda term: (term[1] < 0, not term[0], term[0])):
        size = abs(coefficient)
        factors: list[tree.TypeExpression] = [tree.NumberType(size)] if size != 1 or not atoms else []
        factors += [_atom((names or {}).get(atom, atom)) for atom in atoms]
        product = factors[0]
        for factor in factors[1:]:
            product = tree.DimensionOperation("*", (product, factor))
        if shown is None:
            shown = (
                product if coefficient > 0 else tree.DimensionOperation("-", (tree.NumberType(0), product))
            )
        else:
            shown = tree.DimensionOperation("+" if coefficient > 0 else "-", (shown, product))
    return shown if shown is not None else tree.NumberType(0)


def _atom(atom: str) -> tree.TypeExpression:
    """An atom as a type: a name, or an operation that is not a polynomial (``min(m, n)``)."""
    if "(" not in atom:
        return tree.NamedType(atom)
    from kleis.syntax.parser.parser import parse_type

    wrapped = parse_type(f"D({atom})")
    return wrapped.arguments[0] if isinstance(wrapped, tree.AppliedType) else tree.NamedType(atom)


# ── Numerals ─────────────────────────────────────────────────────────────────────────────────────────────────


def has_numeral(value: int | Fraction) -> bool:
    """Whether a number is written as one numeral: it is not negative, and its decimals end."""
    return value >= 0 and decimal_places(Fraction(value)) is not None


def numeral(value: int | Fraction) -> str:
    """The numeral: ``3`` for an integer, ``3.0`` and ``0.25`` for fractions.  ValueError if there is none."""
    if isinstance(value, int):
        return integer_text(int(value))
    places = decimal_places(value)
    if places is None:
        raise ValueError(f"{value} has no numeral")
    return decimal_text(value, places) if places else f"{value.numerator}.0"
