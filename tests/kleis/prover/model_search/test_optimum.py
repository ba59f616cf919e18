"""The best model, the proof that none is better, and what has no best one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.prover.model_search.search import find_models
from kleis.prover.model_search.wanted import Goodness, Models, Wanted
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from tests.support.theories.small_theories import theory_of

SHOP = """
structure Shop {
  element a1 : ℤ  element a2 : ℤ  element a3 : ℤ
  element b1 : ℤ  element b2 : ℤ  element b3 : ℤ
  element c1 : ℤ  element c2 : ℤ
  axiom begin : a1 ≥ 0 ∧ b1 ≥ 0 ∧ c1 ≥ 0
  axiom order : a1 + 3 ≤ a2 ∧ a2 + 2 ≤ a3 ∧ b1 + 2 ≤ b2 ∧ b2 + 1 ≤ b3 ∧ c1 + 4 ≤ c2
  axiom first : a1 + 3 ≤ b1 ∨ b1 + 2 ≤ a1
  axiom second : (a2 + 2 ≤ b3 ∨ b3 + 4 ≤ a2) ∧ (a2 + 2 ≤ c1 ∨ c1 + 4 ≤ a2) ∧ (b3 + 4 ≤ c1 ∨ c1 + 4 ≤ b3)
  axiom third : (a3 + 2 ≤ b2 ∨ b2 + 1 ≤ a3) ∧ (a3 + 2 ≤ c2 ∨ c2 + 3 ≤ a3) ∧ (b2 + 1 ≤ c2 ∨ c2 + 3 ≤ b2)
}
"""


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Broker() as broker:
        yield Prover(theory_of(SHOP), broker=broker, guards=10)


def best(prover: Prover, about: str, goodness: Goodness, objective: str, count: int = 1) -> Models:
    return find_models(prover, Wanted(about=about, goodness=goodness, objective=objective, count=count))


@pytest.mark.parametrize(
    ("about", "goodness", "objective", "value"),
    [
        ("Shop", "least", "max(a3 + 2, max(b3 + 4, c2 + 3))", "11"),
        ("∃(x y : ℝ). x + 2 * y ≤ 4 ∧ 3 * x + y ≤ 6 ∧ x ≥ 0 ∧ y ≥ 0", "greatest", "x + y", "14/5"),
        ("∃(x y : ℕ). x * y = 36", "least", "x + y", "12"),
        ("∃(x : ℤ). x * x ≤ 50", "least", "x", "-7"),
        ("∃(x : ℤ). 0 ≤ x ∧ x ≤ 9", "greatest", "x * (7 - x)", "12"),
        ("∃(x : ℝ). x * x ≥ 4 ∧ x ≤ 5", "least", "x^2 - 2 * x", "0"),
    ],
)
def test_the_best_value_is_proved(
    prover: Prover, about: str, goodness: Goodness, objective: str, value: str
) -> None:
    models = best(prover, about, goodness, objective)
    assert (models.status, models.optimum, models.proved) == ("found", value, True)
    assert value in {each.value for each in models.models[0].bindings}


@pytest.mark.parametrize(
    ("about", "goodness"), [("∃(x : ℝ). x > 2", "least"), ("∃(x : ℤ). x > 2", "greatest")]
)
def test_what_has_no_best_one_is_not_called_proved(prover: Prover, about: str, goodness: Goodness) -> None:
    models = best(prover, about, goodness, "x")
    assert (models.status, models.proved, len(models.models)) == ("found", False, 1)
    assert models.message


def test_all_of_the_best(prover: Prover) -> None:
    models = best(prover, "∃(x y : ℕ). x + y = 4", "greatest", "x * y + 3", 9)
    assert (models.optimum, models.proved, models.complete, len(models.models)) == ("7", True, True, 1)
    models = best(prover, "∃(x y : ℕ). x ≤ 3 ∧ y ≤ 3", "greatest", "max(x, y)", 50)
    assert (models.optimum, models.complete, len(models.models)) == ("3", True, 7)


def test_nothing_to_choose_from(prover: Prover) -> None:
    assert best(prover, "∃(x : ℤ). x > 2 ∧ x < 1", "least", "x").status == "none"


def test_the_name_of_the_objective_takes_none(prover: Prover) -> None:
    models = best(prover, "∃(objective : ℤ). objective ≥ 3", "least", "2 * objective")
    assert (models.optimum, models.proved) == ("6", True)
