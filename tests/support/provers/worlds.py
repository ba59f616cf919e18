"""Finite worlds: carriers of a few elements and a table for every symbol, in which formulas are looked up.

Written apart from the reference semantics and from the checker, for tests of what the checker reads and concludes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from random import Random
from typing import Any

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.rules.equation_terms import Function, Signature, functions_in, variables_in
from kleis.prover.checker.rules.equation_terms import Term as Plain
from kleis.prover.checker.rules.unit_equations import Unit

__all__ = ["World", "expansions", "holds", "plain_value", "random_world", "value"]

_Values = Mapping[str, Any]


class World:
    """So many elements in every carrier, and what symbols are at them."""

    def __init__(self, size: int, random: Random, goal: Goal | None = None) -> None:
        self.size = size
        self.goal = goal
        self._random = random
        self._tables: dict[tuple[core.Symbol, tuple[Any, ...]], Any] = {}

    def range(self, sort: core.Sort) -> Sequence[Any]:
        """The values of a sort."""
        return (False, True) if sort == core.BOOL else range(self.size)

    def at(self, symbol: core.Symbol, arguments: tuple[Any, ...]) -> Any:
        """A symbol at values; drawn once."""
        key = symbol, arguments
        if key not in self._tables:
            self._tables[key] = self._random.choice(self.range(symbol.codomain))
        return self._tables[key]

    def set(self, symbol: core.Symbol, arguments: tuple[Any, ...], result: Any) -> None:
        """Say what a symbol is at values."""
        self._tables[symbol, arguments] = result


def random_world(seed: int) -> World:
    """A world of one to three elements."""
    random = Random(seed)
    return World(random.randint(1, 3), random)


def value(world: World, term: core.Term, values: _Values) -> Any:
    """The value of a core term of total parts."""

    def of(part: core.Term) -> Any:
        return value(world, part, values)

    match term:
        case core.Variable(name=name):
            return values[name]
        case core.LiteralTerm(value=literal):
            return literal
        case core.SymbolCall(symbol=symbol, arguments=arguments):
            return world.at(symbol, tuple(map(of, arguments)))
        case core.Application(function=function, arguments=arguments):
            return of(function)[tuple(map(of, arguments))]
        case core.Equals(left=left, right=right):
            return of(left) == of(right)
        case core.Connective(name="and", arguments=arguments):
            return all(map(of, arguments))
        case core.Connective(name="or", arguments=arguments):
            return any(map(of, arguments))
        case core.Connective(name="not", arguments=(inner,)):
            return not of(inner)
        case core.Connective(name="implies", arguments=(premise, conclusion)):
            return not of(premise) or of(conclusion)
        case core.Conditional(condition=condition, consequent=yes, alternative=no):
            return of(yes) if of(condition) else of(no)
        case core.Let(variable=variable, value=inner, body=body):
            return value(world, body, {**values, variable.name: of(inner)})
        case core.DefinitionCall(definition=key, arguments=arguments):
            assert world.goal is not None
            definition = world.goal.definition(key)
            names = [each.name for each in definition.parameters]
            return value(world, definition.body, dict(zip(names, map(of, arguments), strict=True)))
        case core.Quantifier(kind=kind, variables=variables, body=body):
            choices = product(*(_range(world, each.sort) for each in variables))
            names = [each.name for each in variables]
            found = (
                value(world, body, {**values, **dict(zip(names, chosen, strict=True))}) for chosen in choices
            )
            return all(found) if kind == "forall" else any(found)
        case _:
            raise AssertionError(f"no total term: {type(term).__name__}")


def _range(world: World, sort: core.Sort) -> Sequence[Any]:
    """The values of a sort; of a sort of functions, all tables."""
    if not isinstance(sort, core.FunctionOf):
        return world.range(sort)
    places = list(product(*(world.range(each) for each in sort.domain)))
    results = product(world.range(sort.codomain), repeat=len(places))
    return [dict(zip(places, chosen, strict=True)) for chosen in results]


# ── Equations of the checker ─────────────────────────────────────────────────────────────────────────────────

_Made = Mapping[str, Mapping[tuple[Any, ...], Any]]


def expansions(world: World, signature: Signature, units: Sequence[Unit], most: int) -> list[_Made] | None:
    """The tables of the functions that the reading made, in which all equations hold; None if there are more than `most` to try."""
    names = functions_in(*(side for each in units for side in (each.left, each.right)))
    made = [signature[name] for name in names if signature[name].meaning == "any"]
    tables = [_Tables(world, each) for each in made]
    count = 1
    for each in tables:
        count *= each.count
        if count > most:
            return None
    found = []
    for chosen in islice(product(*tables), most):
        meaning = {function.name: table for function, table in zip(made, chosen, strict=True)}
        if all(holds(world, signature, (each.left, each.right), meaning) for each in units):
            found.append(meaning)
    return found


class _Tables:
    def __init__(self, world: World, function: Function) -> None:
        self._places = list(product(*(world.range(each) for each in function.domain)))
        self._results = world.range(function.codomain)
        self.count = len(self._results) ** min(len(self._places), 64)

    def __iter__(self) -> Iterator[dict[tuple[Any, ...], Any]]:
        for chosen in product(self._results, repeat=len(self._places)):
            yield dict(zip(self._places, chosen, strict=True))


def holds(world: World, signature: Signature, sides: tuple[Plain, Plain], made: _Made) -> bool:
    """Whether an equation holds for all values of its variables."""
    variables = variables_in(*sides)
    for chosen in product(*(world.range(each.sort) for each in variables)):
        values = dict(zip(variables, chosen, strict=True))
        left, right = (plain_value(world, signature, each, made, values) for each in sides)
        if left != right:
            return False
    return True


def plain_value(
    world: World, signature: Signature, term: Plain, made: _Made, values: Mapping[core.Variable, Any]
) -> Any:
    """The value of a term of the checker."""
    if isinstance(term, core.Variable):
        return values[term]
    name = term[0]
    function = signature[name]
    arguments = [plain_value(world, signature, each, made, values) for each in term[1:]]
    if function.symbol is not None:
        left = iter(arguments)
        return world.at(
            function.symbol, tuple(next(left) if each is None else each for each in function.fixed)
        )
    if name in made:
        return made[name][tuple(arguments)]
    if function.meaning == "equality":
        return arguments[0] == arguments[1]
    if function.meaning == "cases":
        return arguments[2] if arguments[0] == arguments[1] else arguments[3]
    assert name in ("true", "false"), name
    return name == "true"
