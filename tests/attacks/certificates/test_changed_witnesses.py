"""True witnesses, edited at random: what is accepted is still a witness, judged by other means.

See docs/reference/certificates.md §5.  ``make fuzz`` tries more edits.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis import core
from kleis.core.goal import Goal
from kleis.prover.checker.write_terms import UnwritableError
from kleis.prover.checker.write_witness import witness_data
from kleis.prover.engines.computation.enumeration import ENUMERATION
from kleis.prover.engines.models.finite_models import FiniteModels
from kleis.prover.engines.models.standard_models import INTERPRETATIONS
from kleis.prover.engines.solvers.script_engines import DIRECT
from kleis.prover.protocol.engine import Task, declarations_of
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.truth import FALSE
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.provers.claims import evidence_of, task
from tests.support.provers.hostile_witnesses import accepted, computed_term, fails_in, mutated, plain
from tests.support.theories.shared_problems import goals_of

SEEDS = st.integers(0, 1 << 32)
"""Each is one edited witness."""

ENGINES = (
    (ENUMERATION, 50_000),
    (FiniteModels(), 1_500_000),
    (DIRECT, 1_000_000),
    (INTERPRETATIONS, 2_000_000),
)


@cache
def found(program: str, claim: str | None, using: str | None = None) -> tuple[Goal, Any]:
    """The goal, and what the first engine finds, as it would stand in a file."""
    asked = task(program, claim, using)
    for engine, steps in ENGINES:
        if engine.applies(asked):
            answer = engine.run(asked, steps)
            if answer.outcome in ("refuted", "model") and evidence_of(asked, answer.witness) is not None:
                return asked.goal, plain(witness_data(asked.goal, answer.witness))
    raise AssertionError(f"nothing is found for {claim}")


def edited(data: Any, seed: int) -> Any:
    """The witness after one to three edits."""
    random = Random(seed)
    return mutated(data, random, random.choice((1, 1, 2, 3)))


GROUP = """
structure Group(G) {
  operation (•) : G → G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_e : ∀(x : G). e • x = x
  axiom left_inv : ∀(x : G). inv(x) • x = e
}
structure Order(T) {
  operation le : T → T → Bool
  axiom refl : ∀(x : T). le(x, x)
  axiom anti : ∀(x y : T). le(x, y) ∧ le(y, x) → x = y
}
structure Acts(S, T) {
  operation to : S → T
  operation back : T → S
  operation p : S → Bool → Bool
  axiom one : ∀(t : T). to(back(t)) = t
}
"""

FINITE = [
    ("∀(x : G). inv(x) = x", "Group(G)"),
    ("∀(x y : G). x = y", "Group(G)"),
    ("∀(x y : T). le(x, y) ∨ le(y, x)", "Order(T)"),
    ("∀(s : S). back(to(s)) = s", "Acts(S, T)"),
    ("∀(s : S, b : Bool). p(s, b) → p(s, ¬b)", "Acts(S, T)"),
]


@settings(max_examples=400)
@given(case=st.sampled_from(FINITE), seed=SEEDS)
def test_edited_tables_are_models_or_refused(case: tuple[str, str], seed: int) -> None:
    goal, data = found(GROUP, *case)
    assert data["kind"] == "tables"
    changed = edited(data, seed)
    if changed.get("kind") == "tables" and accepted(goal, changed) is not None:
        assert fails_in(goal, changed)


def test_some_edited_tables_are_models_and_most_are_none() -> None:
    goal, data = found(GROUP, *FINITE[0])
    assert fails_in(goal, data)
    truths = [accepted(goal, edited(data, seed)) is not None for seed in range(200)]
    assert 3 <= sum(truths) <= 50


Judge = Callable[[dict[str, Any]], bool]


def _numbers(values: dict[str, Any], *whole: str) -> dict[str, Any]:
    """The numbers that texts stand for; whole ones where said."""
    read = {name: Fraction(value) for name, value in values.items()}
    assert all(read[name].denominator == 1 for name in whole)
    return read


def _sum(values: dict[str, Any]) -> bool:
    read = _numbers(values, "x", "y")
    return read["x"] + read["y"] >= 3 and not read["x"] * read["y"] >= 3


def _squares(values: dict[str, Any]) -> bool:
    read = _numbers(values)
    return read["x"] * read["x"] < read["x"]


def _naturals(values: dict[str, Any]) -> bool:
    read = _numbers(values, "n", "m")
    return read["n"] >= 0 and read["m"] >= 0 and read["n"] < read["m"] and read["m"] - read["n"] != 1


def _texts(values: dict[str, Any]) -> bool:
    return values["s"] + values["t"] != values["t"] + values["s"]


def _lists(values: dict[str, Any]) -> bool:
    items = [int(each) for each in values["l"]]
    return items != items[::-1]


def _truths(values: dict[str, Any]) -> bool:
    assert type(values["a"]) is type(values["b"]) is bool
    return values["a"] and not values["b"]


ASSIGNED: list[tuple[str, Judge]] = [
    ("∀(x y : ℤ). x + y ≥ 3 → x * y ≥ 3", _sum),
    ("∀(x : ℝ). x * x ≥ x", _squares),
    ("∀(n m : ℕ). n < m → m - n = 1", _naturals),
    ("∀(s t : String). concat(s, t) = concat(t, s)", _texts),
    ("∀(l : List(ℤ)). reverse(l) = l", _lists),
    ("∀(a b : Bool). a → b", _truths),
]


@settings(max_examples=400)
@given(case=st.sampled_from(ASSIGNED), seed=SEEDS)
def test_edited_assignments_refute_or_are_refused(case: tuple[str, Judge], seed: int) -> None:
    claim, judge = case
    goal, data = found("", claim)
    assert judge(dict(data["variables"]))
    changed = edited(data, seed)
    if accepted(goal, changed) is not None:
        # Another kind of witness, or none of the variables, shows what brute force over the goal confirms.
        values = dict(changed.get("variables", ()))
        assert judge(values) if values else _fails(goal)


def _fails(goal: Goal) -> bool:
    """Whether the claim is false at small values; functions are not tried."""
    assert goal.claim is not None
    return evaluator_of(goal, Model({}, {}), Bounds(), "relativised").truth(goal.claim) is FALSE


@cache
def _shared(expected: str) -> tuple[tuple[str, Goal, Any], ...]:
    """Goals of the shared propositions with a witness: of what is refuted or has a model, or of the axioms alone."""
    kept = []
    for row in shared_rows("propositions.jsonl"):
        for goal in goals_of(row) if row["expect"] == expected else ():
            asked = goal if row["proposition"] is not None else declarations_of(goal)
            if expected == "verified":
                asked = msgspec.structs.replace(asked, claim=None, free=())
            data = _quickly_found(asked) if expected != "verified" or goal.carriers else None
            if data is not None:
                kept.append((row["name"], goal if expected == "verified" else asked, data))
    return tuple(kept)


@needs_shared
@pytest.mark.parametrize(("expected", "least"), [("disproved", 20), ("consistent", 2)])
def test_what_engines_find_for_the_shared_propositions_is_accepted(expected: str, least: int) -> None:
    cases = _shared(expected)
    assert len(cases) >= least
    for name, goal, data in cases:
        assert accepted(goal, data) is not None, name
        assert data["kind"] != "tables" or fails_in(goal, data), name


@needs_shared
@settings(max_examples=300)
@given(number=st.integers(0, 1 << 20), seed=SEEDS)
def test_edited_tables_of_the_shared_propositions(number: int, seed: int) -> None:
    cases = [each for each in (*_shared("disproved"), *_shared("consistent")) if each[2]["kind"] == "tables"]
    name, goal, data = cases[number % len(cases)]
    changed = edited(data, seed)
    if changed.get("kind") == "tables" and accepted(goal, changed) is not None:
        assert fails_in(goal, changed), name


@needs_shared
@settings(max_examples=300)
@given(number=st.integers(0, 1 << 20), seed=SEEDS)
def test_no_witness_against_what_is_verified(number: int, seed: int) -> None:
    """Models of the axioms, edited, offered as counterexamples to claims that follow from them."""
    cases = _shared("verified")
    assert len(cases) >= 20
    name, goal, data = cases[number % len(cases)]
    assert accepted(goal, data) is None, name
    assert accepted(goal, edited(data, seed)) is None, name


def _quickly_found(goal: Goal) -> Any:
    asked = Task(goal)
    for engine, steps in ((ENUMERATION, 50_000), (FiniteModels(), 200_000)):
        if engine.applies(asked):
            answer = engine.run(asked, steps)
            if answer.outcome in ("refuted", "model"):
                try:
                    return plain(witness_data(goal, answer.witness))
                except UnwritableError:
                    return None
    return None


NEXT = """
structure Next(T) {
  element start : T
  operation next : T → T
  axiom injective : ∀(x y : T). next(x) = next(y) → x = y
  axiom first : ∀(x : T). next(x) ≠ start
}
structure Dense(T) {
  operation lt : T → T → Bool
  axiom irr : ∀(x : T). ¬lt(x, x)
  axiom trans : ∀(x y z : T). lt(x, y) ∧ lt(y, z) → lt(x, z)
  axiom dense : ∀(x y : T). lt(x, y) → ∃(z : T). lt(x, z) ∧ lt(z, y)
  axiom onward : ∀(x : T). ∃(y : T). lt(x, y)
}
"""


@settings(max_examples=60)
@given(structure=st.sampled_from(["Next", "Dense"]), seed=SEEDS)
def test_edited_interpretations_are_models_or_refused(structure: str, seed: int) -> None:
    goal, data = found(NEXT, None, structure)
    assert data["kind"] == "interpretation"
    assert _no_axiom_fails(goal, data)
    changed = edited(data, seed)
    assert accepted(goal, changed) is None or _no_axiom_fails(goal, changed)


@settings(max_examples=60)
@given(
    claim=st.sampled_from(
        [
            "∀(x y : T). next(x) = next(y) → x = y",
            "∀(x : T). ¬(next(x) = start)",
            "∀(x : T). start ≠ next(next(x))",
        ]
    ),
    seed=SEEDS,
)
def test_no_interpretation_against_what_follows(claim: str, seed: int) -> None:
    goal = task(NEXT, claim, "Next(T)").goal
    data = _model_of_next()
    assert accepted(goal, data) is None
    assert accepted(goal, edited(data, seed)) is None


@cache
def _model_of_next() -> Any:
    """A model of the axioms in the names of claims about them."""
    goal = task(NEXT, "∀(x : T). x = x", "Next(T)").goal
    alone = msgspec.structs.replace(goal, claim=None, free=())
    data = plain(witness_data(alone, INTERPRETATIONS.run(Task(alone), 2_000_000).witness))
    assert accepted(alone, data) is not None
    return data


def _no_axiom_fails(goal: Goal, data: Any) -> bool:
    """Whether no axiom is false at small numbers, the terms of the file computed as they stand there."""
    ((_, numbers),) = data["carriers"]
    tried = {"ℕ": range(5), "ℤ": range(-4, 5)}.get(numbers) or [Fraction(n, 2) for n in range(-6, 7)]
    meanings = {each.name: body for each, (_, body) in zip(goal.symbols, data["symbols"], strict=True)}

    def value(term: core.Term, scope: dict[str, Any]) -> Any:
        match term:
            case core.Variable(name=name):
                return scope[name]
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                return computed_term(meanings[symbol.name], [value(each, scope) for each in arguments])
            case core.Equals(left=left, right=right):
                return value(left, scope) == value(right, scope)
            case core.Connective(name="not", arguments=(part,)):
                return not value(part, scope)
            case core.Connective(name="implies", arguments=(left, right)):
                return not value(left, scope) or value(right, scope)
            case core.Connective(name="and", arguments=parts):
                return all(value(each, scope) for each in parts)
            case core.Quantifier(kind="exists"):
                return True  # beyond the small numbers there may be one
            case core.Quantifier(variables=variables, body=body):
                points = product(tried, repeat=len(variables))
                names = [each.name for each in variables]
                return all(value(body, {**scope, **dict(zip(names, each, strict=True))}) for each in points)
        raise AssertionError(term)

    return all(value(axiom.formula, {}) for axiom in goal.axioms)


def test_tables_are_as_long_as_their_values() -> None:
    """A table has its values and nothing else: the file of a group of three holds 13 numbers."""
    _, data = found(GROUP, "∀(x : G). inv(x) = x", "Group(G)")
    assert sorted(len(values) for _, values in data["tables"]) == [1, 3, 9]
