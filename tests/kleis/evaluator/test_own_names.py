"""A program may declare names that an import or the language also declares: each name stands for the right thing."""

from __future__ import annotations

import pytest

from kleis.budget import STANDARD_BUDGET
from kleis.evaluator.environment import ProgramDeclarations, environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from kleis.values import render_value
from tests.support.theories.running import assertion, value

LIBRARY = "define e = 5\ndefine take(a, b) = a\ndefine Red = 7"


def theory(own: str) -> Theory:
    library = parse_program(LIBRARY, file="library.kleis")
    return Theory().include(library).include(parse_program(own, file="own.kleis"))


@pytest.mark.parametrize(
    ("own", "expression", "shown"),
    [
        ("structure S { element e : ℤ  axiom one : e = 1 }", "e", "e"),
        ("structure S { e : ℤ }", "e", "e"),
        ("operation e : ℤ", "e", "e"),
        ("operation take : Thing × Thing → Thing", "take(1, 2)", "take(1, 2)"),
        ("data Colour = Red | Green", "Red", "Red"),
        ("operation e : ℤ  define e = 3", "e", "3"),
        ("define e = 3  operation e : ℤ", "e", "3"),
        ("structure S(M) { element e : M }", "e", "5"),
        ("define other = 1", "e", "5"),
    ],
)
def test_a_declaration_hides_an_imported_definition(own: str, expression: str, shown: str) -> None:
    library, program = parse_program(LIBRARY, file="a"), parse_program(own, file="b")
    for declarations in (theory(own), ProgramDeclarations(library, program)):
        result = evaluate(parse_expression(expression), environment_of(declarations), STANDARD_BUDGET)
        assert render_value(result.value) == shown


def test_hiding_is_a_warning_with_both_places() -> None:
    (problem,) = theory("operation e : ℤ").problems
    assert (problem.code, problem.severity, problem.file) == (
        "hidden-definition",
        "warning",
        "own.kleis",
    )
    assert [place.file for place in problem.related] == ["library.kleis"]


@pytest.mark.parametrize(
    ("declaration", "proposition"),
    [
        ("operation reverse : Thing → Thing", "reverse([2, 1]) = [1, 2]"),
        ("operation gcd : ℤ × ℤ → Bool", "gcd(4, 6) = 2"),
        ("operation length : Rope → ℝ", "length([1]) = 1"),
        ("structure S { element reverse : ℤ }", "reverse = 3"),
        ("structure S { element nil : ℤ }", "nil = 3"),
        ("structure S { element i : ℤ }", "i * i = 1"),
        ("structure S { abs : Thing }", "abs = 3"),
    ],
)
def test_a_declared_name_of_a_builtin_is_the_programs_own(declaration: str, proposition: str) -> None:
    assert assertion(f"assert({proposition})", declaration).status == "undecided"
    assert assertion(f"assert(¬({proposition}))", declaration).status == "undecided"


@pytest.mark.parametrize(
    ("declaration", "expression", "shown"),
    [
        ("operation gcd : ℤ × ℤ → ℤ", "gcd(4, 6)", "2"),
        ("operation gcd : ℤ → ℤ → ℕ", "gcd(4, 6)", "2"),
        ("operation length : ∀(T : Type). List(T) → ℕ", "length([1])", "1"),
        ("operation reverse : List(T) → List(T)", "reverse([2, 1])", "[1, 2]"),
        ("operation map : (A → B) × List(A) → List(B)", "map(λ x . x + 1, [1])", "[2]"),
        ("operation strlen : String → ℕ", 'strlen("ab")', "2"),
        ("operation (+) : Vec × Vec → Vec", "1 + 2", "3"),
        ("operation plus : Vec × Vec → Vec", "1 + 2", "3"),
        ("operation trace : ∀(n : Nat). Matrix(n, n, ℝ) → ℝ", "trace([[1, 2], [3, 4]])", "5"),
        ("structure S { element i : ℂ }", "i * i", "-1"),
    ],
)
def test_a_declaration_at_the_sorts_of_the_builtin_is_the_builtin(
    declaration: str, expression: str, shown: str
) -> None:
    assert value(expression, declaration) == shown


PEANO = """
data Nat = Zero | Succ(pred : Nat)
define plus(m, n) = match m { Zero => n | Succ(k) => Succ(k + n) }
"""


def test_an_operator_defined_for_data_leaves_numbers_alone() -> None:
    assert value("1 + 2", PEANO) == "3"
    assert value("1 + 2 * 3 + 4", PEANO) == "11"
    assert value("Succ(Zero) + Succ(Zero)", PEANO) == "Succ(Succ(Zero))"
    assert value("plus(Succ(Zero), Zero)", PEANO) == "Succ(Zero)"
    assert value("fold(λ a b . a + b, 0, [1, 2])", PEANO) == "3"


@pytest.mark.parametrize(
    "definition",
    [
        "define plus(m, n) = 10 * m - (0 - n)",
        "define plus(m, n) = match m { Zero => 0 | other => 10 * m - (0 - n) }",
        "define plus(m, n) = match m { 1 => 12 | _ => 0 }",
    ],
)
def test_a_definition_that_takes_numbers_is_used_for_them(definition: str) -> None:
    assert value("plus(1, 2)", definition) == "12"
