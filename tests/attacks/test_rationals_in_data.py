"""Rational numbers inside values of data types are no real numbers: √2 is in no box of a rational."""

from __future__ import annotations

import pytest

from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from tests.support.theories.small_theories import theory_of

BOXES = """
data Box = Box(n : ℚ)
data Crate = Empty | Crate(first : Box, more : Crate)
"""

FALSE = [
    "∃(b : Box). match b { Box(n) => n * n = 2 }",
    "¬∀(b : Box). match b { Box(n) => ¬(n * n = 2) }",
    "∀(x : ℤ). ∃(b : Box). match b { Box(n) => n * n = 2 }",
    "∃(c : Crate). match c { Crate(Box(n), _) => n * n = 2 | Empty => false }",
]


@pytest.mark.parametrize("claim", FALSE)
def test_no_rational_is_the_root_of_two(claim: str) -> None:
    with Prover(theory_of(BOXES), cvc5=False) as prover:
        assert prover.verify(parse_expression(claim)).status in ("unknown", "disproved")


def test_what_holds_of_all_real_numbers_is_proved_of_boxes() -> None:
    with Prover(theory_of(BOXES), cvc5=False) as prover:
        verdict = prover.verify(parse_expression("∀(b : Box). match b { Box(n) => n * n ≥ 0 }"))
        assert verdict.status == "verified"
