"""Recursion: what becomes smaller, the kind of its proof, guards of definedness; and what is left out."""

from __future__ import annotations

import pytest

from kleis.lean import LeanError, check_emitted, export_lean
from kleis.lean.language.lean_parser import parse_file
from kleis.lean.language.lean_printer import print_file
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory


def text_of(program: str, proposition: str) -> str:
    file = export_lean(Theory().include(parse_program(program)), parse_expression(proposition))
    assert check_emitted(file.text) == ()
    assert print_file(parse_file(file.text)) == file.text
    return file.text


@pytest.mark.parametrize(
    ("program", "proposition", "expected"),
    [
        (
            "define count(n : ℤ) : ℤ = if n ≤ 0 then 0 else 1 + count(n - 1)",
            "count(3) = 3",
            "termination_by Int.toNat n\ndecreasing_by\n  all_goals omega\n",
        ),
        (
            "define common(a : ℕ, b : ℕ) : ℕ = if b = 0 then a else common(b, mod(a, b))",
            "common(4, 6) = 2",
            "termination_by b\ndecreasing_by\n  all_goals first | omega | (apply Nat.mod_lt; omega)\n",
        ),
        (
            "define once(l : List(ℤ)) : List(ℤ) =\n"
            "    match l { [] => [] | Cons(x, r) => Cons(x, once(list_filter(λ(y : ℤ) . y ≠ x, r))) }",
            "once([1, 1]) = [1]",
            "termination_by List.length l\ndecreasing_by\n  all_goals first | exact Nat.lt_succ_of_le (List.length_filter_le _ _) | ",
        ),
        (
            "define pairs(l : List(ℤ)) : ℤ = match l { [] => 0 | Cons(x, r) => x + pairs(list_slice(r, 1)) }",
            "pairs([1, 2]) = 1",
            "all_goals first | omega | "
            "(simp only [List.length_cons, List.length_drop, List.length_take, Builtin.slice] at *; omega)\n",
        ),
    ],
    ids=["linear", "remainder", "filtered", "lengths"],
)
def test_a_measure_has_the_proof_of_its_kind(program: str, proposition: str, expected: str) -> None:
    text = text_of(program, proposition)
    assert expected in text
    assert ("Builtin.slice" in text) == ("def Builtin.slice" in text)


@pytest.mark.parametrize(
    "program",
    [
        "define divisor(n : ℕ, d : ℕ) : ℕ = if d * d > n then n else divisor(n, d + 1)",
        "define half(n : ℕ) : ℕ = div(n, 2)\n"
        "define halvings(n : ℕ) : ℕ = if n ≤ 1 then 0 else 1 + halvings(half(n))",
    ],
    ids=["a square", "another definition"],
)
def test_a_recursion_whose_proof_lean_would_not_find_is_left_out(program: str) -> None:
    name = program.rpartition("define ")[2].partition("(")[0]
    arguments = {"divisor": "7, 2", "halvings": "7"}[name]
    claim = f"{name}({arguments}) > 0"
    with pytest.raises(LeanError, match=f"{name} ends|termination of {name}"):
        text_of(program, claim)


def test_a_list_that_is_matched_is_written_with_its_parts() -> None:
    """In a case Lean knows the parts of what is matched, and nothing of the whole."""
    program = "define pieces(l : List(ℤ)) : ℤ = match l { [] => 0 | _ => 1 + pieces(list_slice(l, 2)) }"
    text = text_of(program, "pieces([1, 2]) = 1")
    assert "| head :: tail => (1 : ℤ) + pieces (List.drop (Int.toNat (2 : ℤ)) (head :: tail))" in text


def test_a_predicate_of_definedness_gives_its_recursion_the_guard() -> None:
    """A conjunction is no hypothesis of what stands in it, an existential is."""
    program = "define down(n : ℕ) : ℚ = if n = 0 then 1 else 1 / down(n - 1)"
    text = text_of(program, "down(2) = 1")
    assert "∃ _ : (0 : ℤ) ≤ (n : ℤ) - (1 : ℤ), down_defined" in text


def test_a_predicate_without_recursion_is_an_abbreviation() -> None:
    """So that ``decide`` sees through it."""
    text = text_of("define inverse(x : ℤ) : ℤ = div(100, x)", "inverse(3) = 33")
    assert "abbrev inverse_defined (x : ℤ) : Prop :=" in text


def test_a_recursion_through_a_type_of_one_constructor_matches_it() -> None:
    """What is selected from a value is not seen to be a part of it."""
    program = """
    data Forest = Empty | More(Tree, Forest)
    data Tree = Node(ℕ, Forest)
    define trees(f : Forest) : ℕ = match f { Empty => 0 | More(t, r) => nodes(t) + trees(r) }
    define nodes(t : Tree) : ℕ = match t { Node(_, f) => 1 + trees(f) }
    """
    text = text_of(program, "nodes(Node(3, Empty)) = 1")
    assert "| Tree.Node _ part => (1 : ℕ) + trees part" in text
