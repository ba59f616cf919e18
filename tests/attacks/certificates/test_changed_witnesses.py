"""True witnesses, edited at random: what is accepted is still a witness, judged by other means.

See docs/reference/certificates.md §3.5 to §3.7.  ``make fuzz`` raises the number of edits.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import msgspec
import pytest

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

EDITS = int(os.environ.get("KLEIS_WITNESS_EDITS", "40"))
"""Edits of each witness."""

ENGINES = (
    (ENUMERATION, 50_000),
    (FiniteModels(), 1_500_000),
    (DIRECT, 1_000_000),
    (INTERPRETATIONS, 2_000_000),
)


def found(goal: Goal) -> Any:
    """What the first engine finds, as it would stand in a file; None if none finds anything."""
    asked = Task(goal)
    for engine, steps in ENGINES:
        if engine.applies(asked):
            answer = engine.run(asked, steps)
            if answer.outcome in ("refuted", "model") and evidence_of(asked, answer.witness) is not None:
                return plain(witness_data(goal, answer.witness))
    return None


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


@pytest.mark.parametrize(("claim", "using"), FINITE)
def test_edited_tables_are_models_or_refused(claim: str, using: str) -> None:
    goal = task(GROUP, claim, using).goal
    data = found(goal)
    assert data["kind"] == "tables"
    assert fails_in(goal, data)
    _edited_tables(goal, data, random=Random(claim), edits=5 * EDITS)


def _edited_tables(goal: Goal, data: Any, random: Random, edits: int) -> int:
    """Edits tables; every one that is accepted has to fail by the judge as well.  The number refused."""
    refused = 0
    for _ in range(edits):
        changed = mutated(data, random, random.choice((1, 1, 2, 3)))
        if changed.get("kind") == "tables" and accepted(goal, changed) is not None:
            assert fails_in(goal, changed), changed
        else:
            refused += 1
    assert refused
    return refused


def _natural(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


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


@pytest.mark.parametrize(("claim", "judge"), ASSIGNED)
def test_edited_assignments_refute_or_are_refused(claim: str, judge: Judge) -> None:
    goal = task("", claim).goal
    data = found(goal)
    assert judge(dict(data["variables"]))
    random = Random(claim)
    counts = [0, 0]
    for _ in range(10 * EDITS):
        changed = mutated(data, random, random.choice((1, 1, 2)))
        shown = accepted(goal, changed)
        counts[shown is not None] += 1
        if shown is not None:
            # Another kind of witness, or none of the variables, shows what brute force over the goal confirms.
            values = dict(changed.get("variables", ()))
            assert judge(values) if values else _fails(goal)
    assert counts[0] > counts[1]


def _fails(goal: Goal) -> bool:
    """Whether the claim is false at small values; functions are not tried."""
    assert goal.claim is not None
    return evaluator_of(goal, Model({}, {}), Bounds(), "relativised").truth(goal.claim) is FALSE


@needs_shared
def test_edited_witnesses_of_the_shared_propositions() -> None:
    """Tables by the judge; what is evaluated by small values; a claim that is accepted as refuted is not expected to hold."""
    tried = refused = 0
    for number, row in enumerate(shared_rows("propositions.jsonl")):
        if row["expect"] not in ("disproved", "consistent"):
            continue
        for goal in goals_of(row):
            asked = goal if row["proposition"] is not None else declarations_of(goal)
            data = _quickly_found(asked)
            if data is None:
                continue
            assert accepted(asked, data) is not None, row["name"]
            tried += 1
            if data["kind"] == "tables":
                assert fails_in(asked, data), row["name"]
                refused += _edited_tables(asked, data, Random(number), EDITS)
    assert tried >= 25
    assert refused > tried


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


@needs_shared
def test_no_witness_against_what_is_verified() -> None:
    """Models of the axioms, edited, offered as counterexamples to claims that follow from them."""
    tried = 0
    for number, row in enumerate(shared_rows("propositions.jsonl")):
        if row["expect"] != "verified":
            continue
        for goal in goals_of(row):
            alone = msgspec.structs.replace(goal, claim=None, free=())
            data = _quickly_found(alone) if goal.carriers else None
            if data is None:
                continue
            tried += 1
            random = Random(number)
            assert accepted(alone, data) is not None
            assert accepted(goal, data) is None
            for _ in range(EDITS):
                assert accepted(goal, mutated(data, random, random.choice((1, 1, 2, 3)))) is None, row["name"]
    assert tried >= 20


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


@pytest.mark.parametrize("structure", ["Next", "Dense"])
def test_edited_interpretations_are_models_or_refused(structure: str) -> None:
    goal = task(NEXT, None, structure).goal
    data = found(goal)
    assert data["kind"] == "interpretation"
    assert _no_axiom_fails(goal, data)
    random = Random(structure)
    counts = [0, 0]
    for _ in range(5 * EDITS):
        changed = mutated(data, random, random.choice((1, 1, 2)))
        ok = accepted(goal, changed) is not None
        counts[ok] += 1
        assert not ok or _no_axiom_fails(goal, changed), changed
    assert counts[0] > counts[1] > 0


@pytest.mark.parametrize("claim", ["∀(x y : T). next(x) = next(y) → x = y", "∀(x : T). ¬(next(x) = start)"])
def test_no_interpretation_against_what_follows(claim: str) -> None:
    goal = task(NEXT, claim, "Next(T)").goal
    alone = msgspec.structs.replace(goal, claim=None, free=())
    data = found(alone)
    assert data["kind"] == "interpretation"
    assert accepted(goal, data) is None
    random = Random(claim)
    for _ in range(3 * EDITS):
        assert accepted(goal, mutated(data, random, random.choice((1, 2)))) is None


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
    data = found(task(GROUP, "∀(x : G). inv(x) = x", "Group(G)").goal)
    assert sorted(len(values) for _, values in data["tables"]) == [1, 3, 9]
