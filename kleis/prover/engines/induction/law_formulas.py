"""Formulas that candidates for laws are made of: bounds of all elements, sums, lists turned round.

See docs/reference/proving.md §7.10.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis import core
from kleis.core.build_terms import at_least, less
from kleis.core.traversal import canonical, free_variables

__all__ = ["HOLE", "NUMBERS", "WAYS", "Group", "closed", "every", "joined", "parameter", "plus", "turned"]

HOLE = "x"
"""The variable for the list, or for the first of two, that a candidate is about."""

NUMBERS = (core.NATURAL, core.INTEGER, core.RATIONAL, core.REAL)

WAYS = ("at most", "at least", "below", "above")
"""How `every` bounds elements."""


class Group(msgspec.Struct, frozen=True):
    """Closed formulas that may be laws, after which the claim is tried.

    `grounds` are formulas of earlier groups: where they hold, these and the claim are first tried from them alone.
    """

    formulas: tuple[core.Term, ...]
    grounds: frozenset[core.Term] = frozenset()


def closed(body: core.Term) -> core.Term:
    """A formula for all values of its variables, functions first, in its canonical form."""
    free = dict.fromkeys(free_variables(body))
    variables = tuple(sorted(free, key=lambda each: not isinstance(each.sort, core.FunctionOf)))
    return canonical(core.Quantifier("forall", variables, body))


def every(way: str, bound: core.Term, lists: core.Term) -> core.Term:
    """Every element of a list is at most, at least, below or above a number."""
    assert isinstance(lists.sort, core.ListOf)
    element = core.Variable("each", lists.sort.element)
    test = {
        "at most": at_least(bound, element),
        "at least": at_least(element, bound),
        "below": less(element, bound),
        "above": less(bound, element),
    }[way]
    predicate = core.Lambda((element,), test)
    parameters = (core.Variable("p", predicate.sort), core.Variable("l", lists.sort))
    return core.BuiltinCall(core.Operation("all", parameters, core.BOOL), (predicate, lists))


def joined(whole: core.Term, first: core.Term, second: core.Term) -> Iterator[core.Term]:
    """Laws by which a measure of two lists makes up another."""
    if whole.sort == core.BOOL:
        for name in ("and", "or"):
            yield core.Equals(whole, core.Connective("and" if name == "and" else "or", (first, second)))
    else:
        yield core.Equals(whole, plus(first, second))


def turned(lists: core.Term) -> core.Term:
    """A list reversed."""
    parameters = (core.Variable("l", lists.sort),)
    return core.BuiltinCall(core.Operation("reverse", parameters, lists.sort), (lists,))


def plus(first: core.Term, second: core.Term) -> core.Term:
    """The sum of two numbers of one sort."""
    parameters = (core.Variable("a", first.sort), core.Variable("b", first.sort))
    return core.BuiltinCall(core.Operation("plus", parameters, first.sort), (first, second))


def parameter(place: int, sort: core.Sort) -> core.Variable:
    """A variable of a candidate that is not its list."""
    return core.Variable(f"p{place}", sort)
