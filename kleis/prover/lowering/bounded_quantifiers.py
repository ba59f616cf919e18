"""Quantifiers over few integers, written out.

``∀(i : ℤ). 0 ≤ i ∧ i < 8 → P`` is P for eight values: where i is none of them a conjunct of the guard is false, so the
implication is true, and ``∃(i : ℤ). 0 ≤ i ∧ i < 8 ∧ P`` is false there.  Bounds are comparisons with numbers, and
between the variables themselves: of ``0 ≤ i ∧ i < j ∧ j < 8`` all variables are bounded.

See docs/reference/proving.md §8.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from kleis import core
from kleis.core.traversal import substitute, subterms
from kleis.semantics.bounded_quantifiers import Guard, guard_of

__all__ = ["written_out"]

_INSTANCES = 512
"""A quantifier with more instances stays one."""

_PARTS = 60_000
"""The parts of all instances of one quantifier."""

_SMALLER = {"less_than": (0, 1, 1), "leq": (0, 1, 0), "greater_than": (1, 0, 1), "geq": (1, 0, 0)}
"""Comparisons: the place of the smaller side, that of the larger, and the least difference."""


def written_out(term: core.Quantifier) -> tuple[core.Term, ...] | None:
    """The instances of a quantifier and of those of its kind right below it; None where they are too many, or not known.

    The quantifier says of all of them, or of one at least, what it says.
    """
    guard = guard_of(term)
    ranges = _ranges(guard)
    if ranges is None:
        return None
    count = prod(len(each) for each in ranges.values())
    if count > _INSTANCES:
        return None
    if any(place * max(count, 1) > _PARTS for place, _ in enumerate(subterms(guard.body))):
        return None
    names = list(ranges)
    return tuple(
        substitute(
            guard.body,
            {each.name: _number(value, each.sort) for each, value in zip(names, values, strict=True)},
        )
        for values in product(*ranges.values())
        if _possible(guard, dict(zip(names, values, strict=True)))
    )


def _ranges(guard: Guard) -> dict[core.Variable, range] | None:
    """The values that each variable may have; None where one has no bounds."""
    if len({each.name for each in guard.variables}) < len(guard.variables):
        return None
    if any(each.sort not in (core.NATURAL, core.INTEGER) for each in guard.variables):
        return None
    lows: dict[core.Variable, int] = {each: 0 for each in guard.variables if each.sort == core.NATURAL}
    highs: dict[core.Variable, int] = {}
    differences = [found for each in guard.conjuncts for found in _differences(each, guard.variables)]
    for _ in guard.variables:
        for small, large, least in differences:
            low = lows.get(small) if isinstance(small, core.Variable) else small
            high = highs.get(large) if isinstance(large, core.Variable) else large
            if isinstance(large, core.Variable) and low is not None:
                lows[large] = max(low + least, lows.get(large, low + least))
            if isinstance(small, core.Variable) and high is not None:
                highs[small] = min(high - least, highs.get(small, high - least))
    if any(each not in lows or each not in highs for each in guard.variables):
        return None
    return {each: range(lows[each], highs[each] + 1) for each in guard.variables}


_Side = core.Variable | int


def _differences(conjunct: core.Term, variables: tuple[core.Variable, ...]) -> list[tuple[_Side, _Side, int]]:
    """What a conjunct says of a smaller side, a larger side and their least difference."""
    match conjunct:
        case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in _SMALLER:
            small, large, least = _SMALLER[operation.name]
            pairs = [((left, right)[small], (left, right)[large], least)]
        case core.Equals(left=left, right=right):
            pairs = [(left, right, 0), (right, left, 0)]
        case _:
            return []
    found = []
    for one, other, least in pairs:
        sides = _side(one, variables), _side(other, variables)
        if sides[0] is not None and sides[1] is not None:
            found.append((sides[0], sides[1], least))
    return found


def _side(term: core.Term, variables: tuple[core.Variable, ...]) -> _Side | None:
    """One of the variables or a whole number, below coercions to larger sets of numbers."""
    while isinstance(term, core.Coercion) and isinstance(term.term.sort, core.Numeric):
        term = term.term
    match term:
        case core.Variable():
            return term if term in variables else None
        case core.LiteralTerm(value=int() as value) if not isinstance(value, bool):
            return value
        case core.BuiltinCall(operation=core.Operation(name="negate"), arguments=(part,)):
            inner = _side(part, ())
            return -inner if isinstance(inner, int) else None
        case _:
            return None


def _possible(guard: Guard, values: Mapping[core.Variable, int]) -> bool:
    """Whether no conjunct is plainly false."""
    for each in guard.conjuncts:
        for small, large, least in _differences(each, guard.variables):
            low = small if isinstance(small, int) else values[small]
            high = large if isinstance(large, int) else values[large]
            if high - low < least:
                return False
    return True


def _number(value: int, sort: core.Sort) -> core.Term:
    return core.LiteralTerm(value, sort)
