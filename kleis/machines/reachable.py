"""The reachable states of a machine that has few, as an invariant.

States are found level by level, each by the search for models.  That these are all is no matter of the search: being one of
them is an invariant like any other, which the prover has to verify by induction before anything rests on it.
"""

from __future__ import annotations

from functools import reduce

import msgspec

from kleis.machines.claims import Claims, conjunction, negation
from kleis.machines.induction import Asking
from kleis.machines.properties import Property
from kleis.machines.search import states_of
from kleis.prover.model_search.search import find_models
from kleis.prover.model_search.wanted import Wanted
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression

__all__ = ["MOST_STATES", "Reachable", "all_reachable"]

MOST_STATES = 120
"""With more states the disjunction of them is no proposition that a solver decides quickly."""

_LEAST_LEVELS = 12
"""So many steps from the first states are looked at even where shorter runs were asked for."""

_Values = tuple[tree.Expression, ...]


class Reachable(msgspec.Struct, frozen=True):
    """The invariant that a state is one of those that were found, and how many there are."""

    property: Property
    count: int


def all_reachable(asking: Asking, depth: int) -> Reachable | None:
    """The reachable states, proved to be all; None where there are many, where some are more than `depth` steps away, or
    where no proof is found."""
    found = _explored(asking.prover, asking.claims, max(depth, _LEAST_LEVELS))
    if not found:
        return None
    claims = asking.claims
    name = f"one of the {len(found)} reachable states" if len(found) > 1 else "the only reachable state"
    one_of = Property("invariant", name, _one_of(claims.machine.names, found))
    if asking.holds(claims.safe(one_of, 0)) and asking.holds(claims.inductive(one_of, ())):
        return Reachable(one_of, len(found))
    return None


def _explored(prover: Prover, claims: Claims, depth: int) -> list[_Values]:
    """The states that a search finds; none where it finds too many or some further away, or stays open."""
    names = claims.names(0)
    variables = tuple(tree.Name(each) for each in names)
    found: list[_Values] = []
    leads_here = claims.machine.first(names)
    for _ in range(depth + 2):  # the last finds that there are no more
        others = [negation(_is(variables, each)) for each in found]
        constraints = claims.some(0, [leads_here, *others])
        models = find_models(
            prover,
            Wanted(about=print_expression(constraints), count=MOST_STATES + 1 - len(found), apart=names),
        )
        if models.status == "none":
            return found
        level: list[_Values] = []
        for each in models.models:
            for state in states_of(claims, each, 0):
                level.append(tuple(parse_expression(value) for _, value in state.values))
        if not level or len(found) + len(level) > MOST_STATES:
            return []
        found += level
        leads_here = _either([claims.machine.step_from(each, names) for each in level])
    return []


def _one_of(names: tuple[str, ...], states: list[_Values]) -> tree.Expression:
    variables = tuple(tree.Name(each) for each in names)
    return _either([_is(variables, each) for each in states])


def _is(variables: _Values, values: _Values) -> tree.Expression:
    return conjunction([tree.Call("equals", pair) for pair in zip(variables, values, strict=True)])


def _either(parts: list[tree.Expression]) -> tree.Expression:
    return reduce(lambda left, right: tree.Call("logical_or", (left, right)), parts)
