"""Operations of one name that structures without anything in common have at one type: what is assumed of the one says
nothing of the other, neither to the prover nor to the evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kleis.budget import STANDARD_BUDGET
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_type
from tests.support.theories.small_theories import theory_of


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


SQUEEZED = """
structure Low(T) { element u : T  operation low : T → Bool  axiom is_low : low(u) }
structure High(T) { element u : T  operation high : T → Bool  axiom is_high : high(u) }
implements Low(ℝ) { operation low(x) = x ≤ 0 }
implements High(ℝ) { operation high(x) = x ≥ 0 }
"""
"""Nothing is given for either u. As one constant it would be shown to be 0."""

APART = """
structure Low(T) { element u : T  operation f : T → T  axiom fixed : f(u) = u }
structure High(T) { element u : T  operation f : T → T  axiom moved : f(u) ≠ u }
implements Low(ℝ) { element u = 0  operation f(x) = 2 * x }
implements High(ℝ) { element u = 1  operation f(x) = x + 1 }
"""

GLOBAL = """
structure Low(T) { element u : T  operation low : T → Bool  axiom is_low : low(u) }
implements Low(ℝ) { operation low(x) = x ≤ 0 }
structure Section { element u : ℝ  axiom positive : u > 0 }
"""
"""As one constant it would have no value."""

TWICE = """
structure Pair(A, B) { element size : ℤ  axiom some : size > 0 }
structure Chosen(A) { element size : ℤ  axiom less : size < 0 }
implements Pair(ℤ, ℝ) { }
implements Pair(ℝ, ℤ) { element size = 2 }
implements Chosen(ℤ) { }
"""
"""What is given for one pair of types is not what another pair has."""

INHERITED = """
structure Base(T) { element u : T }
structure Low(T) extends Base(T) { operation low : T → Bool  axiom is_low : low(u) }
structure High(T) extends Base(T) { operation high : T → Bool  axiom is_high : high(u) }
implements Low(ℝ) { operation low(x) = x ≤ 0 }
implements High(ℝ) { operation high(x) = x ≥ 0 }
"""
"""Here u is one constant, which both have from Base: it is 0."""


@pytest.mark.parametrize(
    ("program", "claim", "status"),
    [
        (SQUEEZED, "u = 0", "error"),
        (SQUEEZED, "Low::u = 0", "disproved"),
        (SQUEEZED, "High::u = 0", "disproved"),
        (SQUEEZED, "Low::u ≤ 0", "verified"),
        (SQUEEZED, "High::u ≥ 0", "verified"),
        (SQUEEZED, "Low::u ≥ 0", "disproved"),
        (APART, "u = 0", "error"),
        (APART, "f(3) = 6", "error"),
        (APART, "Low::u = 0", "verified"),
        (APART, "High::u = 1", "verified"),
        (APART, "Low::f(3) = 6", "verified"),
        (APART, "High::f(3) = 4", "verified"),
        (APART, "High::f(3) = 6", "disproved"),
        (GLOBAL, "1 = 2", "disproved"),
        (GLOBAL, "Section::u > 0", "verified"),
        (GLOBAL, "Section::u = 1", "disproved"),
        (GLOBAL, "Low::u ≤ 0", "verified"),
        (GLOBAL, "Low::u > 0", "disproved"),
        (TWICE, "Chosen::size < 0", "error"),
        (INHERITED, "u = 0", "verified"),
    ],
)
def test_axioms_are_of_their_own_structure(broker: Broker, program: str, claim: str, status: str) -> None:
    verdict = Prover(theory_of(program), broker=broker, guards=10).verify(parse_expression(claim))
    assert verdict.status == status, verdict
    if status == "error":
        assert "may be" in verdict.message


@pytest.mark.parametrize(
    ("using", "claim", "status"),
    [
        ("Chosen(ℤ)", "size < 0", "verified"),
        ("Chosen(ℤ)", "size = 2", "disproved"),
        ("Pair(ℝ, ℤ)", "size = 2", "verified"),
        ("Pair(ℤ, ℝ)", "size > 0", "verified"),
        ("Pair(ℤ, ℝ)", "size = 2", "disproved"),
    ],
)
def test_other_types_are_another_model(broker: Broker, using: str, claim: str, status: str) -> None:
    prover = Prover(theory_of(TWICE), broker=broker, guards=10)
    verdict = prover.verify(parse_expression(claim), using=parse_type(using))
    assert verdict.status == status, verdict


def test_words_that_agree_are_one_operation(broker: Broker) -> None:
    same = APART.replace("x + 1", "2 * x").replace("moved : f(u) ≠ u", "moved : f(u) = f(u)")
    prover = Prover(theory_of(same), broker=broker, guards=10)
    assert prover.verify(parse_expression("∀(x : ℝ). f(x) = x + x")).status == "verified"


def test_an_item_that_changes_what_the_other_gave_for_the_same_structure_is_no_model(broker: Broker) -> None:
    """The same words for another structure between them do not hide that."""
    program = """
    structure A(T) { element u : T }
    structure B(T) { element u : T }
    implements A(ℝ) { element u = 1 }
    implements B(ℝ) { element u = 1 }
    implements B(ℝ) { element u = 2 }
    """
    verdict = Prover(theory_of(program), broker=broker, guards=10).verify(parse_expression("B::u = 2"))
    assert verdict.status == "error"
    assert "no model" in verdict.message


@pytest.mark.parametrize(
    "given",
    [("f(x) = x + 1", "f(x) = x + 2"), ("f(x) = x + 1", "f = negate"), ("f = negate", "f(x) = x + 1")],
)
def test_the_evaluator_chooses_none_of_two(given: tuple[str, str]) -> None:
    first, second = given
    program = f"""
    structure A(T) {{ operation f : T → T }}
    structure B(T) {{ operation f : T → T }}
    implements A(ℝ) {{ operation {first} }}
    implements B(ℝ) {{ operation {second} }}
    """
    environment = environment_of(theory_of(program))
    value = evaluate(parse_expression("f(1)"), environment, STANDARD_BUDGET).value
    assert not isinstance(value, int), value
