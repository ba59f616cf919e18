"""Runs of bounded length to a state, by the search for models.

A run that is found is a model of the constraints that its states are a run and the last one is as wanted, so it was evaluated
exactly before it comes here.  That there is none of a length rests on the solver; `induction` proves it where a proof needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec

from kleis.budget import Budget
from kleis.errors import KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.machines.claims import Claims
from kleis.machines.report import State, Step
from kleis.prover.model_search.search import find_models
from kleis.prover.model_search.wanted import Wanted
from kleis.prover.protocol.verdict import Evidence
from kleis.prover.prover import Prover
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression

__all__ = ["Run", "find_run", "states_of"]

_EVALUATION = 100_000
"""Steps of evaluation to find out which disjunct a step of a trace is."""


class Run(msgspec.Struct, frozen=True):
    """What a search found: a trace, or the number of steps up to which there is none; why it ended before.

    `constants` are the values of what the theory leaves open, at which the trace is a run.
    """

    trace: tuple[Step, ...] = ()
    depth: int = -1
    ended: str = ""
    constants: tuple[tuple[str, str], ...] = ()


def find_run(
    prover: Prover,
    claims: Claims,
    depth: int,
    last: Callable[[int], Sequence[tree.Expression]],
    *,
    steps_more: int = 0,
) -> Run:
    """The shortest run of at most `depth` steps to a state as wanted.

    `last` says what is wanted of a state, by its number; `steps_more` steps are taken from there and are part of the run.
    """
    for steps in range(depth + 1):
        places = steps + steps_more
        constraints = claims.some(places, [*claims.run(places), *last(steps)])
        found = find_models(prover, Wanted(about=print_expression(constraints)))
        if found.status == "error":
            raise KleisError.from_dict(found.problem or {"message": found.message})
        if found.status == "found":
            evidence = found.models[0]
            constants = _constants(claims, evidence, places)
            return Run(_trace(prover, claims, evidence, places), steps, constants=constants)
        if found.status == "unknown":
            return Run((), steps - 1, found.message)
        if not _goes_further(prover, claims, steps):
            return Run((), depth)
    return Run((), depth)


def _goes_further(prover: Prover, claims: Claims, steps: int) -> bool:
    """Whether a run of one step more is not known to be impossible; asked now and then, as it rarely is."""
    if steps % 4 != 3:
        return True
    constraints = claims.some(steps + 1, claims.run(steps + 1))
    return find_models(prover, Wanted(about=print_expression(constraints))).status != "none"


def states_of(claims: Claims, evidence: Evidence, places: int) -> tuple[State, ...]:
    """The states 0 to `places` as evidence has them; none where it lacks a value."""
    values = {each.name: each.value for each in evidence.bindings}
    states = []
    for place in range(places + 1):
        names = claims.names(place)
        if any(name not in values for name in names):
            return ()
        pairs = zip(claims.machine.names, (values[name] for name in names), strict=True)
        states.append(State(tuple(pairs)))
    return tuple(states)


def _constants(claims: Claims, evidence: Evidence, places: int) -> tuple[tuple[str, str], ...]:
    """The names of evidence that are no variables of a state, with their values."""
    variables = {name for place in range(places + 1) for name in claims.names(place)}
    return tuple((each.name, each.value) for each in evidence.bindings if each.name not in variables)


def _trace(prover: Prover, claims: Claims, evidence: Evidence, places: int) -> tuple[Step, ...]:
    states = states_of(claims, evidence, places)
    named = [_action(prover, claims, *pair) for pair in pairwise(states)]
    return tuple(Step(state, by) for state, by in zip(states, ["", *named], strict=False))


def _action(prover: Prover, claims: Claims, before: State, after: State) -> str:
    """The disjunct of `next`, a call of another definition, that one step is; the first of several."""
    machine = claims.machine
    definition = prover.theory.definitions.get(machine.next)
    if definition is None or machine.form != "relation":
        return ""
    values = [parse_expression(value) for state in (before, after) for _, value in state.values]
    for disjunct in _disjuncts(definition.body):
        if not isinstance(disjunct, tree.Call) or disjunct.name not in prover.theory.definitions:
            continue
        taken: tree.Expression = disjunct
        for parameter, value in zip(definition.parameters, values, strict=True):
            taken = tree.Let(tree.VariablePattern(parameter.name), None, value, taken)
        if _is_true(prover, taken):
            return disjunct.name
    return ""


def _disjuncts(expression: tree.Expression) -> list[tree.Expression]:
    """The parts of a disjunction, also of one that has to hold together with something else."""
    if isinstance(expression, tree.Call) and expression.name == "logical_or":
        return [each for part in expression.arguments for each in _disjuncts(part)]
    if isinstance(expression, tree.Call) and expression.name == "logical_and":
        found = [each for part in expression.arguments for each in _disjuncts(part)]
        return found if len(found) > len(expression.arguments) else [expression]
    return [expression]


def _is_true(prover: Prover, expression: tree.Expression) -> bool:
    try:
        return evaluate(expression, environment_of(prover.theory), Budget(steps=_EVALUATION)).value is True
    except KleisError:
        return False
