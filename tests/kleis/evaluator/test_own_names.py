"""A program may declare names that an import or the language also declares: each name stands for the right thing."""

from __future__ import annotations

import pytest

from kleis.budget import STANDARD_BUDGET
from kleis.builtins.rows.table import builtin_arities
from kleis.evaluator.environment import ProgramDeclarations, environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.name_check.check_names import check_names
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


OVERLOADS = """
define concat(lists) = match lists { Nil => [] | Cons(h, t) => append(h, concat(t)) }
define length(a, b) = a + b
define implies(a, b, c) = a
define range = λ x y z . x
"""


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("concat([[1], [2]])", "[1, 2]"),
        ('concat("a", "b")', '"ab"'),
        ('concat("a", "b", "c")', '"abc"'),
        ("length([1])", "1"),
        ("length(1, 2)", "3"),
        ("map(concat, [[[1]]])", "[[1]]"),
        ("range(1, 2, 3)", "1"),
        ("1 / 0 = 1 → 2 = 2", "true"),
        ("implies(1, 2, 3)", "1"),
    ],
)
def test_a_definition_hides_a_builtin_for_its_own_number_of_arguments(expression: str, shown: str) -> None:
    assert value(expression, OVERLOADS) == shown


@pytest.mark.parametrize(
    ("proposition", "result"),
    [
        ('∀(s : String). concat(s, "") = s', "verified"),
        ("∀(x : ℤ). length(x, 1) = x + 1", "verified"),
        ("∀(x : ℤ). length([x]) = 1", "verified"),
        ("∀(p q : Bool). p ∧ (p → q) → q", "verified"),
        ("∀(p q : Bool). implies(p, q, q) = p", "verified"),
        ("∀(x : ℤ). length(x, 1) = 1", "disproved"),
    ],
)
def test_the_prover_reads_such_names_as_evaluation_does(proposition: str, result: str) -> None:
    with Prover(Theory().include(parse_program(OVERLOADS))) as prover:
        assert prover.verify(parse_expression(proposition)).status == result


def test_names_of_both_are_checked_at_both_numbers() -> None:
    program = parse_program(
        OVERLOADS + 'define f = [concat("a", "b"), length(1, 2), length([1]), length(1, 2, 3)]'
    )
    problems = check_names(program, Theory().include(program), builtin_arities())
    assert [each.code for each in problems if each.severity == "error"] == ["arity"]
