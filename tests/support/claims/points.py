"""Values of sorts to try a claim at: edge values first, then what is drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables
from tests.support.claims.inexact import Inexact, NotClear
from tests.support.claims.point_values import Point

__all__ = ["disagreement", "opened"]

_EDGES = [Fraction(each) for each in (0, 1, -1, 2, -2, 3)]
_WHOLE = [*_EDGES, *(Fraction(each) for each in (4, 5, 6, 7, 12, -3, -7, 30, -30, 101))]
_PARTS = [
    *_EDGES,
    *(Fraction(*each) for each in ((1, 2), (-1, 2), (1, 3), (7, 2), (-5, 3), (40, 1), (1, 100))),
]
_REAL = [
    *_PARTS,
    *(Inexact(each, 1e-15) for each in (math.pi, -math.pi / 2 + 1e-3, math.sqrt(2), math.e, -0.3, 4.9)),
]
_TEXTS = ("", "a", "b", "ab", "ba", "aab", "abc")


def value_of(sort: core.Sort, random: Random) -> Any:
    """A value of a sort; `NotClear` where there is none here."""
    match sort:
        case core.Numeric():
            if sort == core.NATURAL:
                return abs(random.choice(_WHOLE))
            values = {core.INTEGER: _WHOLE, core.RATIONAL: _PARTS, core.REAL: _REAL}.get(sort)
            if values is None:
                raise NotClear
            return random.choice(values)
        case core.ListOf(element=element):
            return tuple(value_of(element, random) for _ in range(random.choice((0, 0, 1, 1, 2, 3, 4))))
        case core.SetOf(element=element):
            return frozenset(value_of(element, random) for _ in range(random.choice((0, 1, 2, 3))))
        case core.TupleOf(items=items):
            return tuple(value_of(each, random) for each in items)
        case core.MatrixOf(rows=rows, columns=columns, element=element):
            sizes = [dict(each.terms) for each in (rows, columns)]
            if any(set(each) != {()} for each in sizes):
                raise NotClear
            high, wide = (int(each[()]) for each in sizes)
            return tuple(tuple(value_of(element, random) for _ in range(wide)) for _ in range(high))
        case core.FunctionOf(domain=(one,), codomain=result) if isinstance(one, core.Numeric):
            constant, other = value_of(result, random), value_of(result, random)
            edge = value_of(one, random)
            return lambda given: constant if given == edge else other
    if sort == core.BOOL:
        return random.choice((False, True))
    if sort == core.STRING:
        return random.choice(_TEXTS)
    raise NotClear


def opened(claim: core.Term) -> tuple[list[core.Variable], core.Term]:
    """The variables of the outermost ∀, and what is below."""
    variables: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return variables, claim


def disagreement(
    goal: Goal, claim: core.Term, random: Random, points: int, given: core.Term | None = None
) -> dict[str, Any] | None:
    """A point at which a claim is certainly not true, and, if something is `given`, this is certainly true."""
    variables, body = opened(claim)
    premise = None if given is None else opened(given)[1]
    for _ in range(points if variables else 1):
        try:
            at = {each.name: value_of(each.sort, random) for each in variables}
        except NotClear:
            return None
        if premise is not None and not set(free_variables(premise)) <= set(variables):
            return None
        if True in Point(goal).truth(body, at):
            continue
        if premise is None or Point(goal).truth(premise, at) == frozenset({True}):
            return at
    return None
