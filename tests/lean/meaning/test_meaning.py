"""Exported statements are those whose meaning was compared."""

from __future__ import annotations

import pytest

from kleis.lean import export_lean
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.lean.meaning.statements import PROGRAM, STATEMENTS


@pytest.fixture(scope="module")
def theory() -> Theory:
    return Theory().include(parse_program(PROGRAM))


@pytest.mark.parametrize(("proposition", "expected", "why"), STATEMENTS, ids=[each[0] for each in STATEMENTS])
def test_a_statement_says_what_was_compared(
    theory: Theory, proposition: str, expected: str, why: str
) -> None:
    text = export_lean(theory, parse_expression(proposition)).text
    _, _, theorem = text.partition("theorem thm_claim")
    statement = theorem.partition(" := by\n")[0].replace("\n   ", "").strip().removeprefix(": ")
    assert statement == expected, why


def test_every_statement_has_a_reason_of_its_own() -> None:
    reasons = [why for _, _, why in STATEMENTS]
    assert len(STATEMENTS) >= 40
    assert len(set(reasons)) == len(reasons)
    assert all(each.endswith(".") for each in reasons)
