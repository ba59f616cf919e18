"""Witnesses of proved ∃: their values, the proof that there are these, and that they change no verdict.

See docs/reference/proving.md §5.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from kleis.elaborate.question import read_question
from kleis.prover.find_witness import NO_WITNESS, number_text
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.points import Root
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.prover.verdict_cache import VerdictCache
from tests.support.theories.small_theories import GROUP, theory_of

SECTION = "structure Weights { operation w : ℤ → ℤ  axiom third : w(3) = 5 }"


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as one:
        yield one


def ask(broker: Broker, text: str, program: str = "", cache: VerdictCache | None = None) -> Verdict:
    prover = Prover(theory_of(program), broker=broker, guards=10, cache=cache)
    return prover.ask(read_question(text)).verdict


def values(verdict: Verdict) -> dict[str, str]:
    assert verdict.witness is not None, verdict.message
    return {each.name: each.value for each in verdict.witness.bindings}


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("∃(x : ℤ). x * x = 49 ∧ x > 0", {"x": "7"}),
        ("∃(x : ℚ). 3 * x = 2", {"x": "2/3"}),
        ("∃(x y : ℤ). x + y = 10 ∧ x - y = 4", {"x": "7", "y": "3"}),
        ("∃(x : ℤ). ∃(y : ℤ). x + y = 10 ∧ x - y = 4", {"x": "7", "y": "3"}),
        ('∃(s : String). concat(s, "b") = "ab"', {"s": '"a"'}),
        ("∃(l : List(ℤ)). length(l) = 1 ∧ head(l) = 2", {"l": "[2]"}),
        ("∃!(x : ℤ). x + 1 = 3", {"x": "2"}),
        ("∃(m : ℕ). ∀(n : ℕ). n ≥ m", {"m": "0"}),
        ("∃(f : ℤ → ℤ). ∀(x : ℤ). f(x) ≠ x", {"f": "λ (x : ℤ) . x + (1 : ℤ)"}),
        ("∃(f g : ℕ → ℕ). ∀(n : ℕ). f(g(n)) = n + 1", {"f": "λ (x : ℕ) . x", "g": "λ (x : ℕ) . x + 1"}),
        ("∃!(f : ℤ → ℤ). ∀(x : ℤ). f(x) = x", {"f": "λ (x : ℤ) . x"}),
        ("∃(x : ℝ). x * x = 2 ∧ x > 0", {"x": "√2"}),
        ("∃(x : ℝ). x * x = 2 ∧ x < 0", {"x": "-√2"}),
        ("∃(x : ℝ). x * x - x = 1 ∧ x > 0", {"x": "(1 + √5)/2"}),
        ("∃(x : ℝ). x^3 = 2", {"x": "2^(1/3)"}),
        ("∃(x : ℝ). x^3 = -2", {"x": "-(2^(1/3))"}),
        ("∃(x y : ℝ). x + y = 3 ∧ x * y = 1 ∧ x > y", {"x": "(3 + √5)/2", "y": "(3 - √5)/2"}),
    ],
)
def test_a_proved_existence_shows_its_value(broker: Broker, claim: str, found: dict[str, str]) -> None:
    verdict = ask(broker, claim)
    assert verdict.status == "verified"
    assert values(verdict) == found


@pytest.mark.parametrize(
    ("program", "claim", "found"),
    [
        (SECTION, "∃(x : ℤ). w(x) = 5", {"x": "3"}),
        (GROUP, "∃(x : G). ∀(y : G). x • y = y", {"x": "e"}),
    ],
)
def test_under_axioms_the_value_is_proved(
    broker: Broker, program: str, claim: str, found: dict[str, str]
) -> None:
    assert values(ask(broker, claim, program)) == found


def test_a_value_of_one_model_alone_is_no_witness(broker: Broker) -> None:
    """Somewhere `w` is largest on {3, 4}; where that is depends on the model, so no value is shown."""
    verdict = ask(broker, "∃(x : ℤ). (x = 3 ∨ x = 4) ∧ w(x) ≥ w(3) ∧ w(x) ≥ w(4)", SECTION)
    assert (verdict.status, verdict.witness, verdict.message) == ("verified", None, NO_WITNESS)


def test_what_has_no_value_says_so(broker: Broker) -> None:
    verdict = ask(broker, "∃(f : ℤ → ℤ → ℤ). f(0, 0) = 1")
    assert (verdict.status, verdict.witness, verdict.message) == ("verified", None, NO_WITNESS)


@pytest.mark.parametrize(
    "claim", ["∀(x : ℤ). x + 0 = x", "∀(x : ℤ). ∃(y : ℤ). y > x", "∃(x : ℤ). x * x = 50"]
)
def test_other_claims_have_none(broker: Broker, claim: str) -> None:
    assert ask(broker, claim).witness is None


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("∃(x : ℤ). x * x = 50", "no x makes it true: ∀(x : ℤ). x * x ≠ (50 : ℤ) is proved (rational roots)"),
        (
            "∃!(x : ℤ). x * x = 49",
            "not exactly one x makes it true: ¬∃!(x : ℤ). x * x = (49 : ℤ) is proved (z3)",
        ),
        ("∃(b : Bool). b ∧ ¬b", "no b makes it true: all values were tried"),
    ],
)
def test_a_disproved_existence_says_what_was_searched_or_proved(
    broker: Broker, claim: str, said: str
) -> None:
    verdict = ask(broker, claim)
    assert (verdict.status, verdict.message) == ("disproved", said)


def test_a_model_without_a_value_says_that_all_were_tried(broker: Broker) -> None:
    verdict = ask(broker, "∃(x : G). x • x ≠ x", GROUP)
    assert verdict.status == "disproved"
    assert verdict.message == "in this model no x makes it true: all elements were tried"


def test_a_kept_verdict_keeps_its_witness(broker: Broker, tmp_path: object) -> None:
    from pathlib import Path

    cache = VerdictCache(Path(str(tmp_path)) / "verdicts")
    first = ask(broker, "∃(x : ℤ). x * x = 49 ∧ x > 0", cache=cache)
    second = ask(broker, "∃(x : ℤ). x * x = 49 ∧ x > 0", cache=cache)
    assert (first.cached, second.cached) == (False, True)
    assert values(first) == values(second) == {"x": "7"}


# ── Roots ────────────────────────────────────────────────────────────────────────────────────────────────────


def root(*coefficients: int, near: float) -> Root:
    return Root(tuple(map(Fraction, coefficients)), Fraction(near) - 1, Fraction(near) + 1)


def test_a_root_is_there_where_the_signs_differ() -> None:
    assert Root((Fraction(-2), Fraction(0), Fraction(1)), Fraction(1), Fraction(2)).exists
    assert not Root((Fraction(2), Fraction(0), Fraction(1)), Fraction(1), Fraction(2)).exists
    assert not Root((Fraction(-2), Fraction(0), Fraction(1)), Fraction(-2), Fraction(2)).exists


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (root(-2, 0, 1, near=1.5), "√2"),
        (root(-8, 0, 1, near=2.8), "2*√2"),
        (root(-1, 0, 2, near=1.2), "√2/2"),
        (root(-1, 0, 2, near=-1.2), "-√2/2"),
        (root(-1, -2, 1, near=2.4), "1 + √2"),
        (root(-1, -1, 1, near=1.6), "(1 + √5)/2"),
        (root(-5, 0, 0, 3, near=1.5), "(5/3)^(1/3)"),
        (root(-2, 0, 0, 0, 1, near=-1.5), "-(2^(1/4))"),
        (root(-1, -1, 0, 1, near=1.5), "a root of t^3 - t - 1 between 0.500000 and 2.500001"),
    ],
)
def test_roots_are_written_exactly(found: Root, text: str) -> None:
    assert number_text(found) == text


def test_a_fraction_is_written_as_it_is() -> None:
    assert number_text(Fraction(2, 3)) == "2/3"
