"""Witnesses that contain values of no sort are rejected as evidence.

Evidence is checked before it is shown (docs/reference/proving.md §5.5), and a certificate may be written by anyone.
Every claim here is true, so nothing may disprove it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from kleis.core import BOOL, INTEGER, LiteralTerm, Variable
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.prover.evidence import check_evidence
from kleis.prover.protocol.engine import Answer
from kleis.prover.protocol.witness import FunctionTable, Interpretation, Witness
from kleis.semantics.ranges import Element
from kleis.values import BitVector, Data, SetValue, complex_value, list_of
from tests.support.provers.claims import task

DATA = """
data Color = Red | Green
data Box = Box(n : ℕ)
data Maybe(A) = Nothing | Just(v : A)
"""


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("∀(v : ℕ). v ≥ 0", -1),
        ("∀(v : ℕ). v * v ≠ 2", Fraction(3, 2)),
        ("∀(v : ℤ). 2 * v ≠ 1", Fraction(1, 2)),
        ("∀(v : ℝ). v * v + 1 ≠ 0", complex_value(0, 1)),
        ("∀(v : Color). v = Red ∨ v = Green", Data("Blue")),
        ("∀(v : Box). match v { Box(n) => n ≥ 0 }", Data("Box", (-1,))),
        ("∀(v : Maybe(Bool)). v = Nothing ∨ v = Just(true) ∨ v = Just(false)", Data("Just", (3,))),
        ("∀(v : List(ℕ)). v = [] ∨ head(v) ≥ 0", list_of([-1])),
        ("∀(v : List(ℤ)). v = [] ∨ 2 * head(v) ≠ 1", list_of([Fraction(1, 2)])),
        ("∀(v : BitVec(2)). bv_to_int(v) ≤ 3", BitVector(2, 7)),
        ("∀(v : BitVec(2)). bv_to_int(v) ≥ 0", BitVector(2, -1)),
        ("∀(v : Set(ℕ)). v = empty_set ∨ (∃(x : ℕ). in_set(x, v))", SetValue({-1: -1})),
        ("∀(v : Set(Bool)). subset(v, insert(true, singleton(false)))", SetValue({3: 3})),
        ("∀(v : ℤ → ℕ). v(0) ≥ 0", FunctionTable((), -1)),
        ("∀(v : ℤ → ℕ). v(0) ≥ 0", FunctionTable((((0,), -1),), 0)),
        ("∀(v : ℤ → ℕ). ∃(x : ℤ). v(x) ≥ 0", FunctionTable((), -1)),
        ("∀(v : ℤ → ℤ). ∃(x : ℤ). 2 * v(x) ≠ 1", FunctionTable((), Fraction(1, 2))),
    ],
)
def test_no_point_outside_of_its_sort(claim: str, value: Any) -> None:
    given = task(DATA, claim)
    witness = Witness(assignment={"v": value})
    assert check_evidence(given, Answer(outcome="refuted", witness=witness)) is None
    found = Interpretation(carriers=(), symbols=(), point=(("v", value),))
    assert check_evidence(given, Answer(outcome="refuted", witness={"interpretation": found})) is None


def test_the_complement_of_a_set_is_finite_where_its_elements_can_be_listed() -> None:
    """All truth values are two: as a complement, their set would differ from itself."""
    given = task(
        "", "∀(v : Set(Bool)). in_set(true, v) ∧ in_set(false, v) → v = insert(true, singleton(false))"
    )
    witness = Witness(assignment={"v": SetValue({}, True)})
    assert check_evidence(given, Answer(outcome="refuted", witness=witness)) is None


NUMBERS = """
structure S { operation f : ℤ → ℕ  element c : ℕ  element d : ℤ  axiom positive : d > 0 }
"""


def numbers(meaning: Goal, **values: Any) -> Witness:
    return Witness(symbols=tuple((each, values[each.name]) for each in meaning.symbols))


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("c ≥ 0", {"c": -1}),
        ("f(d) ≥ 0", {"f": FunctionTable((), -1)}),
        ("f(d) ≥ 0", {"f": FunctionTable((((1,), -1),), 0)}),
        ("d ≥ 1", {"d": Fraction(1, 2)}),
        ("c = c", {"c": True}),
    ],
)
def test_no_symbol_with_a_value_outside_of_its_sort(claim: str, values: dict[str, Any]) -> None:
    given = task(NUMBERS, claim)
    all_values = {"c": 0, "d": 1, "f": FunctionTable((), 0), **values}
    witness = numbers(given.goal, **all_values)
    assert check_evidence(given, Answer(outcome="refuted", witness=witness)) is None


def test_no_symbol_with_two_values() -> None:
    given = task("structure S { element d : ℤ  axiom positive : d > 0 }", "d ≥ 1")
    (symbol,) = given.goal.symbols
    witness = Witness(symbols=((symbol, 5), (symbol, -1)))
    assert check_evidence(given, Answer(outcome="refuted", witness=witness)) is None


@pytest.mark.parametrize(
    ("sort", "body"),
    [
        (INTEGER, LiteralTerm(-1, INTEGER)),
        (BOOL, LiteralTerm(False, BOOL)),
        (INTEGER, Variable("x", INTEGER)),
    ],
)
def test_no_interpretation_by_other_operations_than_the_familiar_ones(sort: Any, body: Any) -> None:
    given = task("structure S { element c : ℕ }", "c ≥ 0")
    (symbol,) = given.goal.symbols
    for parameters in ((), (Variable("x", sort),)):
        found = Interpretation(carriers=(), symbols=((symbol, parameters, body),))
        assert check_evidence(given, Answer(outcome="refuted", witness={"interpretation": found})) is None


ONE = """
structure One(G) { element e : G  element a : G  axiom one : ∀(x : G). x = e }
"""


def points(meaning: Goal, size: int, values: dict[str, Any]) -> Witness:
    (carrier,) = meaning.carriers
    symbols = tuple((each, values[each.name]) for each in meaning.symbols)
    return Witness(carriers={sort_text(carrier): size}, symbols=symbols)


@pytest.mark.parametrize("value", [Element("G", 1), Element("Other", 0), Element("G", -1), 7])
def test_no_element_that_its_carrier_does_not_have(value: Any) -> None:
    given = task(ONE, "a = e", "One(G)")
    witness = points(given.goal, 1, {"e": Element("G", 0), "a": value})
    assert check_evidence(given, Answer(outcome="refuted", witness=witness)) is None


def test_no_carrier_without_elements() -> None:
    given = task(ONE, None, "One")
    element = Element("One::G", 0)
    values = {"e": element, "a": element}
    right = Answer(outcome="model", witness=points(given.goal, 1, values))
    assert check_evidence(given, right) is not None
    for size in (0, -1, True):
        wrong = Answer(outcome="model", witness=points(given.goal, size, values))
        assert check_evidence(given, wrong) is None


@pytest.mark.parametrize(
    ("program", "claim", "shown"),
    [
        ("", "∀(f : ℤ → ℤ, x y : ℤ). f(x) = f(y)", "assignment"),
        ("", "∀(s : Set(ℤ)). ∃(x : ℤ). in_set(x, s)", "interpretation"),
        ("", "∀(f : ℤ → ℤ, n : ℤ). ∃(x : ℤ). f(x) = n ∧ f(x + 1) > n", "interpretation"),
        (DATA, "∀(m : Maybe(Maybe(ℤ))). m = Nothing ∨ (∃(x : ℤ). m = Just(Just(x)))", "interpretation"),
        ("", '∀(s : String). ∃(t : String). concat(t, "a") = s', "interpretation"),
    ],
)
def test_points_of_any_sort_are_shown(program: str, claim: str, shown: str) -> None:
    """Counterexamples that are functions, or at which the claim still quantifies over infinitely many values."""
    from kleis.prover.engines.solvers.script_engines import DIRECT

    given = task(program, claim)
    evidence = check_evidence(given, DIRECT.run(given, 1_000_000))
    assert evidence is not None
    assert evidence.kind == shown
    assert evidence.bindings or evidence.tables
