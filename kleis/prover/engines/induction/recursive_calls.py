"""At which values a claim's recursions are called next: where hypotheses of an induction by size are needed.

``sorted(qsort(Cons(h, t)))`` calls `qsort` of ``below(h, t)`` and ``above(h, t)``.  Taken there alone, a hypothesis about
all shorter lists sets nothing off; as it stands, solvers unfold definitions without end.

Soundness does not depend on this: an instance follows from what it is of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import bound_by, free_variables, rebuild, substitute, subterms
from kleis.prover.lowering.match_equations import simplified

__all__ = ["called_next"]

_NESTED = 4
"""Definitions that only name others, one in the other."""

_MOST = 6


def called_next(goal: Goal, claim: core.Term, on: core.Variable, value: core.Term) -> tuple[core.Term, ...]:
    """The closed terms of the variable's sort to which recursions in a claim go on from a value of the variable.

    `value` is made of constants; what depends on other variables of the claim is left out.
    """
    constants = dict.fromkeys(each for each in subterms(value) if isinstance(each, core.SymbolCall))
    names = {each: core.Variable(f"{each.symbol.name}'", each.sort) for each in constants}
    back = {variable.name: constant for constant, variable in names.items()}
    start = substitute(claim, {on.name: _replaced(value, names)})
    found: dict[core.Term, None] = {}
    for each in _next(goal, start, _NESTED):
        free = {variable.name for variable in free_variables(each)}
        if each.sort == on.sort and free <= set(back):
            found.setdefault(substitute(each, back))
    return tuple(found)[:_MOST]


def _next(goal: Goal, term: core.Term, depth: int) -> Iterator[core.Term]:
    """The arguments of recursive calls behind the calls in a term."""
    definitions = {each.key: each for each in goal.definitions}
    for call in subterms(term):
        if not isinstance(call, core.DefinitionCall) or call.definition not in definitions:
            continue
        definition = definitions[call.definition]
        names = (each.name for each in definition.parameters)
        body = simplified(
            _without_lets(substitute(definition.body, dict(zip(names, call.arguments, strict=True))))
        )
        if not definition.group:
            if depth:
                yield from _next(goal, body, depth - 1)
            continue
        termination = goal.termination(definition.key)
        if termination is None or termination.kind == "structural":
            continue
        for inner in subterms(body):
            if isinstance(inner, core.DefinitionCall) and inner.definition in definition.group:
                yield from inner.arguments


def _without_lets(term: core.Term) -> core.Term:
    """The term with what names stand for in their places."""
    if isinstance(term, core.Let):
        return _without_lets(substitute(term.body, {term.variable.name: term.value}))
    return rebuild(term, _without_lets)


def _replaced(term: core.Term, names: Mapping[core.SymbolCall, core.Term]) -> core.Term:
    if isinstance(term, core.SymbolCall) and term in names:
        return names[term]
    assert not bound_by(term), "a value is made of constructors and constants"
    return rebuild(term, lambda part: _replaced(part, names))
