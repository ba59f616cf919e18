"""Definitions at the functions that they are given, and the cases of a recursive one: terms of the core, no solver text.

A definition that is given functions is another definition for every function that it is given: these stand in its body,
and what they take from around them become parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple, TypeGuard

import msgspec

from kleis import core
from kleis.core.goal import Goal, constructors_of
from kleis.core.terms import TUPLES
from kleis.core.traversal import canonical, free_variables, rebuild, substitute, subterms
from kleis.definedness.discharge import discharged
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["Specialised", "cases", "constructed", "function", "is_builtin", "specialised"]

_MOST_EQUATIONS = 16
_ALWAYS: core.Term = core.LiteralTerm(True, core.BOOL)


class Specialised(NamedTuple):
    """A definition at functions, and the condition under which it terminates."""

    key: tuple[object, ...]
    definition: core.Definition
    condition: core.Term


def function(term: core.Term) -> core.Lambda | core.SymbolCall:
    """A term of a sort of functions, which is a λ or unknown."""
    if isinstance(term, core.Lambda) or (isinstance(term, core.SymbolCall) and not term.arguments):
        return term
    raise NotExpressible("a function that is computed")


def specialised(
    goal: Goal, definition: core.Definition, arguments: Sequence[core.Term]
) -> tuple[Specialised, tuple[core.Term, ...]]:
    """A definition of the goal, or of a built-in, for the functions among its arguments; and its arguments then."""
    pairs = list(zip(definition.parameters, arguments, strict=True))
    functions: Mapping[str, core.Term] = {
        x.name: function(term) for x, term in pairs if isinstance(x.sort, core.FunctionOf)
    }
    pairs = [(x, term) for x, term in pairs if x.name not in functions]
    taken = dict.fromkeys(each for term in functions.values() for each in _from_around(term))
    places = {each: core.Variable(f"\0{at}", each.sort) for at, each in enumerate(taken)}
    functions = {name: canonical(_placed(term, places)) for name, term in functions.items()}
    body, condition = definition.body, _ALWAYS
    if definition.group and not is_builtin(definition):
        body, condition = discharged(body, goal), _termination(goal, definition)
    parameters = (*(x for x, _ in pairs), *places.values())
    found = msgspec.structs.replace(definition, parameters=parameters, body=substitute(body, functions))
    at = (definition.key, *functions.values())
    return Specialised(at, found, substitute(condition, functions)), (*(term for _, term in pairs), *taken)


def _from_around(function: core.Term) -> Iterator[core.Variable | core.SymbolCall]:
    """What a function takes from around it: free variables, and constants, which inductions have in the place of variables."""
    yield from free_variables(function)
    if isinstance(function, core.Lambda):
        yield from (each for each in subterms(function) if _is_constant(each))


def _is_constant(term: core.Term) -> TypeGuard[core.SymbolCall]:
    plain = isinstance(term, core.SymbolCall) and not term.arguments
    return plain and not isinstance(term.sort, core.FunctionOf)


def _placed(
    function: core.Term, places: Mapping[core.Variable | core.SymbolCall, core.Variable]
) -> core.Term:
    """The function with variables in these places."""
    if not isinstance(function, core.Lambda):
        return function
    names = {
        each: core.Variable(f"\0c{at}", each.sort) for at, each in enumerate(places) if _is_constant(each)
    }

    def change(term: core.Term) -> core.Term:
        return names[term] if _is_constant(term) else rebuild(term, change)

    at = {
        (names[each] if isinstance(each, core.SymbolCall) else each).name: place
        for each, place in places.items()
    }
    return substitute(change(function), at)


def _termination(goal: Goal, definition: core.Definition) -> core.Term:
    """Where a definition terminates; `NotExpressible` where it is not known to."""
    termination = goal.termination(definition.key)
    if termination is None or termination.kind == "unknown":
        raise NotExpressible(f"{definition.name} is not known to terminate")
    return termination.condition or _ALWAYS


def cases(given: Specialised, goal: Goal) -> Iterator[tuple[tuple[core.Term, ...], core.Term, core.Term]]:
    """Arguments, condition and body of a definition, for every way to construct the arguments that it takes apart."""
    definition = given.definition
    tested = {each.term for each in subterms(definition.body) if isinstance(each, core.Discrimination)}
    choices: list[list[core.Term]] = []
    for parameter in definition.parameters:
        made = constructed(parameter.sort, goal) if parameter in tested else ()
        if prod(map(len, choices)) * len(made) > _MOST_EQUATIONS:
            made = ()
        choices.append([_made(each, parameter.name) for each in made] or [parameter])
    for arguments in product(*choices):
        values = {x.name: each for x, each in zip(definition.parameters, arguments, strict=True)}
        yield (
            arguments,
            substitute(given.condition, values),
            _taken_apart(substitute(definition.body, values)),
        )


def _made(constructor: core.Constructor, name: str) -> core.Term:
    fields = (core.Variable(f"{name}\0{at}", each.sort) for at, each in enumerate(constructor.fields))
    return core.Construction(constructor, tuple(fields))


def _taken_apart(term: core.Term) -> core.Term:
    """The term with tests and parts of constructors at variables computed: a function that is given a part of a value is one
    that is given a variable, wherever else it is given one."""
    term = rebuild(term, _taken_apart)
    match term:
        case core.Selection(constructor=made, index=index, term=core.Construction() as whole) if _is_made(
            whole
        ):
            return whole.arguments[index] if whole.constructor == made else term
        case core.Discrimination(constructor=made, term=core.Construction() as whole) if _is_made(whole):
            return core.LiteralTerm(whole.constructor == made, core.BOOL)
        case core.Conditional(condition=core.LiteralTerm(value=holds), consequent=yes, alternative=no):
            return yes if holds else no
    return term


def _is_made(term: core.Construction) -> bool:
    """Whether a value has its parts from variables, which have values."""
    return all(isinstance(each, core.Variable) for each in term.arguments)


def is_builtin(definition: core.Definition) -> bool:
    """Whether a definition is that of a built-in: it ends for all arguments, whatever numbers they are."""
    return definition.key.startswith("\0")


def constructed(sort: core.Sort, goal: Goal) -> tuple[core.Constructor, ...]:
    """The constructors of a sort; none if it has none."""
    if isinstance(sort, core.TupleOf) and len(sort.items) >= len(TUPLES):
        raise NotExpressible("a tuple of more than five components")
    return constructors_of(goal, sort)
