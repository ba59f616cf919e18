"""The constructors of lists and tuples, whose sorts are built in.

Specification: proving.md §1; kleis-language.md §2.10 (tuples are `Pair`, `Tuple3`, …).
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis.meaning.core import Construction, Constructor, ConstructorField, ListOf, Sort, Term, TupleOf

__all__ = ["TUPLES", "construct_list", "construct_tuple", "list_constructors", "tuple_constructor"]

TUPLES = ("Unit", "", "Pair", "Tuple3", "Tuple4", "Tuple5")
"""The constructors of tuples by the number of their parts; there is none of one part."""


def list_constructors(sort: ListOf) -> tuple[Constructor, Constructor]:
    """`Nil` and `Cons` of a sort of lists."""
    fields = (ConstructorField("head", sort.element), ConstructorField("tail", sort))
    return Constructor("Nil", (), sort), Constructor("Cons", fields, sort)


def construct_list(items: Sequence[Term], element: Sort) -> Term:
    """The list of some terms of one sort."""
    nil, cons = list_constructors(ListOf(element))
    term: Term = Construction(nil, ())
    for item in reversed(items):
        term = Construction(cons, (item, term))
    return term


def tuple_constructor(sort: TupleOf) -> Constructor:
    """The constructor of a sort of tuples."""
    fields = tuple(ConstructorField(f"_{place}", item) for place, item in enumerate(sort.items))
    return Constructor(TUPLES[len(sort.items)], fields, sort, alone=True)


def construct_tuple(items: Sequence[Term], sorts: Sequence[Sort]) -> Term:
    """The tuple of some terms."""
    return Construction(tuple_constructor(TupleOf(tuple(sorts))), tuple(items))
