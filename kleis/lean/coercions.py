"""Numerals, and values of one sort read at a larger one.

Specification: lean-and-corpus.md §6.2 ("annotate a literal in every equation"; ℕ coerces up, never down), proving.md §1
("Numbers": coercions upward only, and elementwise).
"""

from __future__ import annotations

from fractions import Fraction

from kleis.core import ListOf, LiteralTerm, Numeric, SetOf, Sort, TupleOf
from kleis.core.sort_printing import sort_text
from kleis.lean.export.terms.lean_builtins import cast
from kleis.lean.export.terms.lean_collections import component
from kleis.lean.export.terms.lean_types import Sorts, call, refused
from kleis.lean.language.lean_tree import (
    Bind,
    Binder,
    Infix,
    LeanTerm,
    Name,
    Number,
    Prefix,
    Text,
    Tuple,
    Typed,
)

__all__ = ["coerced", "literal"]


def literal(term: LiteralTerm, sorts: Sorts) -> LeanTerm:
    """A number with its type, a string or a truth value."""
    value = term.value
    if isinstance(value, str):
        return Text(value)
    if isinstance(value, bool):
        return Name("true" if value else "false")
    fraction = Fraction(value)
    number: LeanTerm = Number(abs(fraction.numerator))
    if fraction.denominator != 1:
        number = Infix("/", number, Number(fraction.denominator))
    return Typed(Prefix("-", number) if fraction < 0 else number, sorts.type(term.sort))


def coerced(term: LeanTerm, source: Sort, target: Sort, sorts: Sorts) -> LeanTerm:
    """A value of one sort as one of a larger sort."""
    if source == target:
        return term
    match source, target:
        case Numeric(), Numeric():
            return cast(term, sorts.type(source), sorts.type(target))
        case ListOf(element=old), ListOf(element=new):
            return call(Name("List.map"), _coercion(old, new, sorts), term)
        case SetOf(element=old), SetOf(element=new):
            return call(Name("Set.image"), _coercion(old, new, sorts), term)
        case TupleOf(items=old), TupleOf(items=new):
            count = len(old)
            parts = [component(term, place, count) for place in range(count)]
            pairs = zip(parts, old, new, strict=True)
            return Tuple(tuple(coerced(part, each, other, sorts) for part, each, other in pairs))
        case _:
            raise refused(f"{sort_text(source)} read as {sort_text(target)} has no Lean form")


def _coercion(source: Sort, target: Sort, sorts: Sorts) -> LeanTerm:
    name = sorts.fresh("each")
    body = coerced(Name(name), source, target, sorts)
    return Bind("fun", (Binder((name,), sorts.type(source)),), body)
