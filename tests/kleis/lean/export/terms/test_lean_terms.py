"""Forms of terms that Lean elaborates: casts of calls, truth values of matches, sets, tuples that are matched."""

from __future__ import annotations

import pytest

from kleis.lean import check_emitted, export_lean
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_printer import print_file
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

OPTION = "data Opt(T) = Non | Som(value : T)\n"


def text_of(program: str, proposition: str) -> str:
    file = export_lean(Theory().include(parse_program(program)), parse_expression(proposition))
    assert check_emitted(file.text) == ()
    assert print_file(parse_file(file.text)) == file.text
    return file.text


@pytest.mark.parametrize(
    ("proposition", "expected"),
    [
        # The type inside is written: Lean would read the call itself at the larger type.
        ("∀(l : List(ℕ)). sum(l) / 2 = 1", "((List.sum l : ℕ) : ℚ) / (2 : ℚ)"),
        ("∀(p : ℕ × ℤ). fst(p) / 2 = 1", "((Prod.fst p : ℕ) : ℚ)"),
        ("∀(l : List(ℕ)). l ≠ [] ⟹ nth(l, 0) - 1 = 0", "((List.getD l (Int.toNat (0 : ℤ)) (0 : ℕ) : ℕ) : ℤ)"),
        ("∀(n : ℕ). n / 2 = 1", "(n : ℚ) / (2 : ℚ)"),
        # Lean's flatMap takes the function first.
        (
            "∀(l : List(ℤ)). list_flatmap(λ(x : ℤ) . [x], l) = l",
            "List.flatMap (fun (x : ℤ) => ([x] : List ℤ)) l = l",
        ),
        # A set literal is a definition: Lean takes the function for a function, not for a set.
        ("3 ∈ set_of([1, 2])", "(3 : ℕ) ∈ Builtin.setOf ([(1 : ℕ), (2 : ℕ)] : List ℕ)"),
    ],
)
def test_terms_have_the_form_that_lean_elaborates(proposition: str, expected: str) -> None:
    assert expected in text_of("", proposition)


def test_a_function_that_is_computed_stands_in_brackets_before_its_argument() -> None:
    assert "(Prod.fst p) (1 : ℤ) = (2 : ℤ)" in text_of("", "∀(p : (ℤ → ℤ) × ℤ). fst(p)(1) = 2")


def test_a_truth_value_of_a_match_has_truth_values_as_cases() -> None:
    """Lean finds no decision procedure for a match of propositions."""
    program = OPTION + "define full(o : Opt(ℤ)) : Bool = match o { Non => false | Som(_) => true }"
    text = text_of(program, "full(Som(1))")
    assert "match o with\n  | Opt.Non => false\n  | Opt.Som _ => true\n" in text


def test_cases_that_are_comparisons_are_decided_each_by_itself() -> None:
    program = OPTION + "define big(o : Opt(ℤ)) : Bool = match o { Non => false | Som(n) => n > 3 ∧ n < 9 }"
    text = text_of(program, "big(Som(5))")
    assert "| Opt.Som value => decide (value > (3 : ℤ) ∧ value < (9 : ℤ))" in text


def test_a_match_within_a_conjunction_and_as_a_condition() -> None:
    program = OPTION + (
        "define ok(o : Opt(ℤ), n : ℤ) : Bool = n > 0 ∧ (match o { Non => false | Som(_) => true })\n"
        "define pick(o : Opt(ℤ)) : ℤ = if n_or(o) ∧ (match o { Non => false | Som(k) => k > 1 }) then 1 else 2\n"
        "define n_or(o : Opt(ℤ)) : Bool = match o { Non => true | Som(_) => true }"
    )
    text = text_of(program, "∀(o : Opt(ℤ)). ok(o, 1) ⟹ pick(o) > 0")
    assert "decide (n > (0 : ℤ)) && (match o with" in text
    assert "if (n_or o && (match o with" in text or "if n_or o && (match o with" in text


def test_a_tuple_of_variables_that_is_matched_is_matched_part_by_part() -> None:
    """A recursion on components of a pair is none that Lean sees."""
    program = """
    define both(k : List(ℤ), l : List(ℤ)) : List(ℤ) =
        match (k, l) { (Cons(a, x), Cons(b, y)) => Cons(a + b, both(x, y)) | _ => [] }
    """
    text = text_of(program, "both([1], [2]) = [3]")
    assert "let " not in text
    assert "match k with" in text
    assert "(match l with" in text
    assert "termination_by sizeOf k + sizeOf l\n" in text
