"""Elaborating a printed goal gives the same goal: random propositions, programs of the tests, the shared data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from kleis.core import Term, Undefined
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, rebuild
from kleis.delaborate.describe_goal import proposition_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.printer.program import print_expression
from kleis.theory.theory import Theory
from tests.support.files.shared_data import needs_shared, shared_rows
from tests.support.theories.cases import Case, cases_of
from tests.support.theories.program_propositions import PROGRAM, propositions

CASES: dict[str, list[Case]] = {}
for _case in cases_of(Path(__file__).parent.parent / "elaborate" / "spec"):
    CASES.setdefault(_case.file, []).append(_case)


def without_reasons(term: Term) -> Term:
    """The term without the words that say why something is undefined, which are no part of what it means."""
    if isinstance(term, Undefined):
        return Undefined(term.sort, "")
    return rebuild(term, without_reasons)


def same_claim(meaning: Goal) -> Any:
    return None if meaning.claim is None else without_reasons(canonical(meaning.claim))


def surroundings(meaning: Goal) -> Any:
    """What is in scope and what the claim depends on."""
    return (
        frozenset(meaning.instances),
        meaning.symbols,
        {each.name for each in meaning.axioms},
        {each.key for each in meaning.definitions},
        {(each.name, each.subject) for each in meaning.obligations},
        meaning.data,
    )


@cache
def theory_of(source: str) -> tuple[Theory, Elaborator]:
    theory = Theory().include(parse_program(source))
    return theory, Elaborator(theory)


def check_round_trip(source: str, proposition: str, using: str | None = None) -> str:
    """Elaborate, print, elaborate again: one claim in one setting.  The printed text."""
    theory, elaborator = theory_of(source)
    structure = parse_type(using) if using is not None else None
    meaning = elaborator.proposition(parse_expression(proposition), using=structure)
    written = proposition_of(meaning, theory)
    assert written is not None
    printed = print_expression(written)
    assert parse_expression(printed) == written
    again = elaborator.proposition(parse_expression(printed))
    assert same_claim(again) == same_claim(meaning), printed
    assert surroundings(again) == surroundings(meaning), printed
    return printed


@settings(deadline=None, max_examples=150)
@given(propositions())
def test_random_propositions(proposition: str) -> None:
    check_round_trip(PROGRAM, proposition)


@pytest.mark.parametrize("file", CASES)
def test_the_cases_of_the_page(file: str) -> None:
    """Every case that has a meaning; those that are refused are judged by test_spec.py."""
    printed = []
    for case in CASES[file]:
        proposition = case.data.get("proposition")
        if proposition is None:
            continue
        try:
            theory_of(case.program)[1].proposition(parse_expression(proposition), using=_using(case))
        except KleisError:
            continue
        printed.append(check_round_trip(case.program, proposition, case.data.get("using")))
    assert len(printed) > 3


def _using(case: Case) -> Any:
    return parse_type(case.data["using"]) if case.data.get("using") else None


@needs_shared
def test_the_shared_propositions() -> None:
    rows = [row for row in shared_rows("propositions.jsonl") if row["proposition"] is not None]
    assert len(rows) > 100
    for row in rows:
        check_round_trip(row["kleis"], row["proposition"], row["using"])


@pytest.mark.parametrize(
    ("proposition", "expected"),
    [
        ("∀(x : M). x • e = x", "using Monoid ∀(x : M). x • e = x"),
        ("∀(n : ℕ). n - 1 = x", "∀(x : ℤ, n : ℕ). (n : ℤ) - (1 : ℤ) = x"),
        ("∀(l : List(ℤ)). first(l) = 2", "∀(l : List(ℤ)). first(l) = (2 : ℤ)"),
    ],
)
def test_what_is_printed(proposition: str, expected: str) -> None:
    assert check_round_trip(PROGRAM, proposition) == expected


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("2 * e() = τ", "(2 : ℝ) * e = τ"),
        ("tau() > 6", "τ > (6 : ℝ)"),
        ("√(e()) = 1", "√e = (1 : ℝ)"),
        # Where nothing says that its place is ℝ, the letter alone would be a free name.
        ("e() = tau()", "e() = tau()"),
        ("e() ∈ {e()}", "e() ∈ {e()}"),
        ("∃(e : ℝ). e > tau()", "∃(e : ℝ). e > τ"),
        ("∑_{i=1}^{3} i = 6", "∑_{i=1}^{3} i = (6 : ℤ)"),
        ("∃!(x : ℤ). 0 < x ∧ x < 2", "∃!(x : ℤ). (0 : ℤ) < x < (2 : ℤ)"),
        ("∀(x : ℤ). x ∈ {1, x}", "∀(x : ℤ). x ∈ {1 : ℤ, x}"),
    ],
)
def test_constants_and_notation_print_as_written(asked: str, printed: str) -> None:
    theory = Theory()
    goal = Elaborator(theory).proposition(parse_expression(asked))
    proposition = proposition_of(goal, theory)
    assert proposition is not None
    assert print_expression(proposition) == printed
    again = Elaborator(theory).proposition(parse_expression(printed))
    assert same_claim(again) == same_claim(goal)
