"""Random definitions, run: those called terminating terminate, and have no value outside their condition."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from kleis.core import INTEGER, NATURAL, Definition, Let, ListOf, Term, Variable
from kleis.termination.show_termination import show_termination
from tests.support.terms.core_builders import (
    PLACES,
    at_most,
    both,
    call,
    cons,
    define,
    div,
    either,
    head,
    integer,
    integers,
    is_nil,
    less,
    minus,
    mod,
    narrow,
    natural,
    no,
    number,
    plus,
    same,
    tail,
    times,
    when,
    whole,
)
from tests.support.terms.small_interpreter import Interpreter, Runaway, holds_on_small_values, small

_PARAMETERS = [
    (integer("n"),),
    (natural("k"),),
    (integer("n"), integer("m")),
    (integer("n"), natural("k")),
    (integers("l"),),
    (integers("l"), integer("n")),
    (integers("l"), integers("r")),
]
Scope = tuple[Variable, ...]


@cache
def numbers(scope: Scope, names: tuple[str, ...]) -> st.SearchStrategy[Term]:
    """Integers over the variables."""
    simple: list[st.SearchStrategy[Term]] = [st.integers(-3, 6).map(number)]
    for variable in scope:
        if isinstance(variable.sort, ListOf):
            simple.append(st.just(head(variable)))
        else:
            simple.extend([st.just(whole(variable))] * 2)
            simple.append(st.just(minus(variable, 1)))
    atoms = st.one_of(simple)
    steps = st.integers(1, 3)
    return st.one_of(
        atoms,
        atoms,
        st.builds(minus, atoms, steps),
        st.builds(plus, atoms, steps),
        st.builds(minus, atoms, atoms),
        st.builds(div, atoms, st.sampled_from([2, 3, -2])),
        st.builds(mod, atoms, st.sampled_from([2, 3])),
        st.builds(times, atoms, st.just(2)),
    )


@cache
def lists(scope: Scope, names: tuple[str, ...]) -> st.SearchStrategy[Term]:
    """Lists over the variables."""
    own = [variable for variable in scope if isinstance(variable.sort, ListOf)]
    variables = st.sampled_from(own)
    return st.one_of(
        variables,
        variables.map(tail),
        variables.map(tail),
        variables.map(lambda each: tail(tail(each))),
        st.builds(cons, st.just(number(0)), variables.map(lambda each: tail(tail(each)))),
        st.builds(cons, st.just(number(0)), variables),
    )


@cache
@st.composite
def calls(draw: st.DrawFn, scope: Scope, parameters: Scope, names: tuple[str, ...], nested: int = 1) -> Term:
    """A call of the group."""
    arguments = []
    for variable in parameters:
        if isinstance(variable.sort, ListOf):
            arguments.append(draw(lists(scope, names)))
            continue
        inner = nested > 0 and draw(st.integers(0, 9)) == 0
        argument = draw(calls(scope, parameters, names, nested - 1) if inner else numbers(scope, names))
        arguments.append(narrow(argument) if variable.sort == NATURAL else argument)
    return call(draw(st.sampled_from(names)), *arguments)


@cache
def conditions(scope: Scope, names: tuple[str, ...]) -> st.SearchStrategy[Term]:
    """Conditions over the variables."""
    one = numbers(scope, names)
    small_numbers = st.integers(-1, 3).map(number)
    own = [is_nil(variable) for variable in scope if isinstance(variable.sort, ListOf)]
    others = [whole(variable) for variable in scope if not isinstance(variable.sort, ListOf)]
    plain: list[st.SearchStrategy[Term]] = [st.sampled_from(own)] * 3 if own else []
    if others:
        plain += [st.builds(make, st.sampled_from(others), small_numbers) for make in (same, at_most, less)]
    plain.append(st.builds(less, one, one))
    atoms = st.one_of(plain)
    return st.one_of(
        atoms, atoms, atoms.map(no), st.builds(both, atoms, atoms), st.builds(either, atoms, atoms)
    )


@cache
@st.composite
def bodies(draw: st.DrawFn, scope: Scope, parameters: Scope, names: tuple[str, ...], depth: int) -> Term:
    """An integer: a case distinction, a calculation with calls, or a `let`."""
    kind = draw(
        st.sampled_from(["if", "if", "if", "call", "sum", "let"] if depth > 0 else ["number", "call", "sum"])
    )
    inner = bodies(scope, parameters, names, depth - 1)
    match kind:
        case "if":
            first = numbers(scope, names) if draw(st.booleans()) else inner
            return when(draw(conditions(scope, names)), draw(first), draw(inner))
        case "call":
            return draw(calls(scope, parameters, names))
        case "sum":
            return plus(draw(numbers(scope, names)), draw(calls(scope, parameters, names)))
        case "let":
            variable = Variable(f"y{depth}", INTEGER)
            value = draw(numbers(scope, names))
            return Let(variable, value, draw(bodies((*scope, variable), parameters, names, depth - 1)))
        case _:
            return draw(numbers(scope, names))


@st.composite
def groups(draw: st.DrawFn) -> tuple[Definition, ...]:
    """One or two definitions over the same parameters."""
    parameters = draw(st.sampled_from(_PARAMETERS))
    names = draw(st.sampled_from([("f",), ("f",), ("f", "g")]))
    return tuple(
        define(name, parameters, draw(bodies(parameters, parameters, names, 2)), *names) for name in names
    )


@contextmanager
def deep_stack() -> Iterator[None]:
    """The interpreter takes several frames for one call; Hypothesis sets the limit for each example."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@settings(max_examples=80, deadline=None)
@given(groups())
def test_what_is_called_terminating_terminates(group: tuple[Definition, ...]) -> None:
    found = show_termination(group, place=PLACES)
    kinds = {answer.kind for answer in found.values()}
    assert len(kinds) == 1
    event(f"{kinds} {any(answer.condition is not None for answer in found.values())}")
    assume("unknown" not in kinds)
    for answer in found.values():
        assume(all(holds_on_small_values(each.formula) for each in answer.obligations))
    with deep_stack():
        for definition in group:
            _compare(group, definition, found[definition.key].condition)


def _compare(group: tuple[Definition, ...], definition: Definition, condition: Term | None) -> None:
    """Run a definition at small arguments: it ends inside its condition, and has no value outside."""
    names = [each.name for each in definition.parameters]
    for values in product(*(small(each.sort) for each in definition.parameters)):
        interpreter = Interpreter(group)
        point = dict(zip(names, values, strict=True))
        if condition is None or interpreter.value(condition, point) is True:
            interpreter.call(definition.key, values)
        else:
            assert _has_no_value(interpreter, definition.key, values)


def _has_no_value(interpreter: Interpreter, key: str, values: tuple[object, ...]) -> bool:
    try:
        return interpreter.call(key, values) is None
    except Runaway:
        return True
