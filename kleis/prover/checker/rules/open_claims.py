"""A claim opened: its outermost variables and its body, new names, and variables of functions as unknown operations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.core.traversal import apart_from, rebuild, stripped, subterms
from kleis.prover.checker.sequent import RejectedError, Sequent

__all__ = [
    "HYPOTHESIS",
    "Names",
    "as_function",
    "closed",
    "functions_named",
    "opened",
    "with_functions_named",
]

HYPOTHESIS = "hypothesis "
"""How the names of hypotheses begin; numbers follow, from 1, those of inductions around included."""

_Variables: TypeAlias = "tuple[core.Variable, ...]"


def opened(claim: core.Term) -> tuple[_Variables, core.Term]:
    """All outermost ∀-variables of a claim, those behind hypotheses included, and the body with the hypotheses.

    ``∀x. A → ∀y. B`` and ``∀x y. A → B`` are true alike: A has no y.
    """
    variables, hypotheses, body = stripped(claim)
    names = {each.name for each in variables}
    if len(names) < len(variables):
        raise RejectedError("a claim that binds a name twice")
    for each in reversed(hypotheses):
        body = core.Connective("implies", (apart_from(each, names), body))
    return variables, body


def closed(variables: Sequence[core.Variable], body: core.Term) -> core.Term:
    return core.Quantifier("forall", tuple(variables), body) if variables else body


class Names:
    """Names that a sequent does not have: of constants, and of hypotheses."""

    def __init__(self, sequent: Sequent) -> None:
        formulas = (sequent.claim, *(each for _, each in sequent.premises))
        bodies = (each.body for each in sequent.goal.definitions)
        calls = (each for each in subterms(*formulas, *bodies) if isinstance(each, core.SymbolCall))
        self._taken = {each.name for each in (*sequent.goal.symbols, *sequent.constants)}
        self._taken |= {each.symbol.name for each in calls}
        self._places = count(len(sequent.constants))
        self._premises = {name for name, _ in sequent.premises}

    def constant(self, stem: str, domain: tuple[core.Sort, ...], codomain: core.Sort) -> core.Symbol:
        name = next(each for each in (f"{stem}#{place}" for place in self._places) if each not in self._taken)
        self._taken.add(name)
        return core.Symbol(name, domain, codomain)

    def hypotheses(self, formulas: Sequence[core.Term]) -> tuple[tuple[str, core.Term], ...]:
        numbers = (f"{HYPOTHESIS}{place}" for place in count(1))
        names = (each for each in numbers if each not in self._premises)
        return tuple(zip(names, formulas, strict=False))


def functions_named(sequent: Sequent) -> dict[str, core.Symbol]:
    """The unknown operations that an induction puts for the outermost function variables of the claim."""
    names = Names(sequent)
    return {
        each.name: names.constant(each.name, each.sort.domain, each.sort.codomain)
        for each in opened(sequent.claim)[0]
        if isinstance(each.sort, core.FunctionOf)
    }


def with_functions_named(sequent: Sequent) -> Sequent:
    """The sequent with an unknown operation for every outermost function variable of the claim."""
    operations = functions_named(sequent)
    if not operations:
        return sequent
    variables, body = opened(sequent.claim)
    rest = tuple(each for each in variables if each.name not in operations)
    constants = (*sequent.constants, *operations.values())
    claim = closed(rest, _called(body, operations))
    return msgspec.structs.replace(sequent, claim=claim, constants=constants)


def as_function(operation: core.Symbol) -> core.Term:
    """``λ x . f(x)``, which claims have for an operation that is no call's head."""
    places = tuple(core.Variable(f"{operation.name} {at}", each) for at, each in enumerate(operation.domain))
    return core.Lambda(places, core.SymbolCall(operation, places))


def _called(term: core.Term, operations: dict[str, core.Symbol]) -> core.Term:
    """The term with calls of operations for applications of variables, and functions elsewhere."""

    def change(each: core.Term) -> core.Term:
        if isinstance(each, core.Application) and isinstance(each.function, core.Variable):
            symbol = operations.get(each.function.name)
            if symbol is not None:
                return core.SymbolCall(symbol, tuple(map(change, each.arguments)))
        if isinstance(each, core.Variable) and each.name in operations:
            return as_function(operations[each.name])
        return rebuild(each, change)

    return change(apart_from(term, set(operations)))
