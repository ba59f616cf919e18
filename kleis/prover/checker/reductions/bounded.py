"""Which whole numbers a quantifier ranges over, where its own guard bounds it: read from a formula, for `terms`.

What an implication under ∀ presupposes, and what a conjunction under ∃ says, is false outside these numbers.  So ∀ is
true there whatever follows, and ∃ is false.
"""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core

__all__ = ["numbers_of"]

_COMPARED = {"less_than": (1, False), "leq": (0, False), "greater_than": (1, True), "geq": (0, True)}
"""The least difference of the sides of a comparison, and whether the left one is the larger."""


def numbers_of(term: core.Quantifier, most: int) -> list[range] | None:
    """The numbers of each variable; None where they are not bounded, or more than `most` combinations."""
    least: list[int | None] = []
    greatest: list[int | None] = []
    names = [each.name for each in term.variables]
    for each in term.variables:
        if each.sort not in (core.INTEGER, core.NATURAL) or names.count(each.name) > 1:
            return None
        least.append(0 if each.sort == core.NATURAL else None)
        greatest.append(None)
    said = list(_comparisons(term))
    for _ in names:
        for smaller, larger, difference in said:
            low = least[names.index(smaller)] if isinstance(smaller, str) else smaller
            high = greatest[names.index(larger)] if isinstance(larger, str) else larger
            if isinstance(larger, str) and low is not None:
                known = least[names.index(larger)]
                low += difference
                least[names.index(larger)] = low if known is None else max(known, low)
            if isinstance(smaller, str) and high is not None:
                known = greatest[names.index(smaller)]
                high -= difference
                greatest[names.index(smaller)] = high if known is None else min(known, high)
    found: list[range] = []
    count = 1
    for low, high in zip(least, greatest, strict=True):
        if low is None or high is None:
            return None
        found.append(range(low, high + 1))
        count *= max(len(found[-1]), 1)
    return found if count <= most else None


def _comparisons(term: core.Quantifier) -> Iterator[tuple[str | int, str | int, int]]:
    """What the guard says: a smaller side, a larger one, each a variable or a number, and the least difference."""
    names = {each.name for each in term.variables}
    for each in _guards(term.body, term.kind, frozenset()):
        if isinstance(each, core.BuiltinCall) and each.operation.name in _COMPARED:
            difference, turned = _COMPARED[each.operation.name]
            left, right = (_read(side, names) for side in each.arguments)
            if left is not None and right is not None:
                yield (right, left, difference) if turned else (left, right, difference)


def _guards(term: core.Term, kind: str, hidden: frozenset[str]) -> Iterator[core.Term]:
    """The conjuncts that are false only where the formula does not matter."""
    match term:
        case core.Quantifier(kind=inner, variables=variables, body=body) if inner == kind:
            bound = hidden | {each.name for each in variables}
            yield from _guards(body, kind, bound)
        case core.Connective(name="implies", arguments=(given, rest)) if kind == "forall":
            yield from _conjuncts(given, hidden)
            yield from _guards(rest, kind, hidden)
        case core.Connective(name="and") if kind == "exists":
            yield from _conjuncts(term, hidden)
        case core.BuiltinCall() if kind == "exists":
            yield from _conjuncts(term, hidden)


def _conjuncts(term: core.Term, hidden: frozenset[str]) -> Iterator[core.Term]:
    if isinstance(term, core.Connective) and term.name == "and":
        for each in term.arguments:
            yield from _conjuncts(each, hidden)
    elif isinstance(term, core.BuiltinCall) and not any(
        isinstance(part, core.Variable) and part.name in hidden for part in map(_bare, term.arguments)
    ):
        yield term


def _bare(term: core.Term) -> core.Term:
    """The number below conversions to larger sets of numbers."""
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def _read(term: core.Term, names: set[str]) -> str | int | None:
    bare = _bare(term)
    if isinstance(bare, core.Variable):
        return bare.name if bare.name in names else None
    if isinstance(bare, core.LiteralTerm) and type(bare.value) is int:
        return bare.value
    if isinstance(bare, core.BuiltinCall) and bare.operation.name == "negate":
        inner = _read(bare.arguments[0], set())
        return -inner if type(inner) is int else None
    return None
