"""Names for captured parts: definitions mean the same with them, and functions capture the part instead of the whole."""

from __future__ import annotations

import msgspec
import pytest

from kleis import core
from kleis.core.traversal import free_variables, subterms
from kleis.prover.lowering.named_selections import named_selections
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from tests.support.provers.claims import task

DEFINITIONS = [
    "match l { [] => [] | Cons(p, r) => filter(λ (y : ℤ) . y < p, r) }",
    "match l { Cons(p, _) => filter(λ (y : ℤ) . y ≥ p, l) | [] => l }",
    "match l { [] => [0] | Cons(p, r) => match r { [] => map(λ (y : ℤ) . y + p, l) "
    "| Cons(q, s) => map(λ (y : ℤ) . y + p * q, r) } }",
    "filter(λ (y : ℤ) . y < length(l), l)",
]


@pytest.mark.parametrize("body", DEFINITIONS)
def test_a_definition_means_the_same(body: str) -> None:
    goal = task(f"define f(l : List(ℤ)) : List(ℤ) = {body}", "∀(l : List(ℤ)). f(l) = l").goal
    (definition,) = goal.definitions
    changed = msgspec.structs.replace(definition, body=named_selections(definition.body))
    other = msgspec.structs.replace(goal, definitions=(changed,))
    bounds = Bounds(integer=1, length=3)
    before, after = (evaluator_of(each, Model({}, {}), bounds, "relativised") for each in (goal, other))
    call = core.DefinitionCall(
        definition.key, (core.Variable("l", definition.parameters[0].sort),), definition.result
    )
    values = before.ranges.of(definition.parameters[0].sort).values
    assert len(values) > 20
    for value in values:
        assert repr(before.outcome(call, {"l": value})) == repr(after.outcome(call, {"l": value}))


def test_what_is_captured_is_the_part() -> None:
    goal = task(f"define f(l : List(ℤ)) : List(ℤ) = {DEFINITIONS[0]}", "∀(l : List(ℤ)). f(l) = l").goal
    body = named_selections(goal.definitions[0].body)
    (function,) = (each for each in subterms(body) if isinstance(each, core.Lambda))
    assert [each.sort for each in free_variables(function)] == [core.INTEGER]
