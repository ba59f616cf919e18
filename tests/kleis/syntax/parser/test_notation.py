"""Notation that people write beside the spellings of the language, and what it stands for (docs/reference/kleis.md §1.6)."""

from __future__ import annotations

import pytest

from kleis.errors import ParseError
from kleis.syntax.operators import may_chain
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.printer.program import print_expression
from kleis.syntax.superscripts import power_of
from kleis.syntax.tree import Name

SAME = [
    ("0 ≤ x ≤ 5", "0 ≤ x ∧ x ≤ 5"),
    ("a < b < c ≤ d", "a < b ∧ b < c ∧ c ≤ d"),
    ("a = b = c", "a = b ∧ b = c"),
    ("p ∧ a > b ≥ c → q", "p ∧ (a > b ∧ b ≥ c) → q"),
    ("a + 1 < b * 2 < c", "a + 1 < b * 2 ∧ b * 2 < c"),
    ("√x", "sqrt(x)"),
    ("√(x + 1) * 2", "sqrt(x + 1) * 2"),
    ("6 ÷ 2 ÷ 3", "6 / 2 / 3"),
    ("6 − 2", "6 - 2"),
    ("−x", "-x"),
    ("a % b", "mod(a, b)"),
    ("a + b % c", "a + mod(b, c)"),
    ("∅", "empty_set"),
    ("{}", "empty_set"),
    ("{1, 2, 3}", "insert(1, insert(2, singleton(3)))"),
    ("x ∈ {a}", "in_set(x, singleton(a))"),
    ("x ∈ S ∧ y ∈ T", "in_set(x, S) ∧ in_set(y, T)"),
    ("!p", "¬p"),
    ("!(p && q) || r", "¬(p ∧ q) ∨ r"),
    ("n!", "factorial(n)"),
    ("!p = !q", "(¬p) = (¬q)"),
    ("|x|", "abs(x)"),
    ("|x - 1| + |y|", "abs(x - 1) + abs(y)"),
    ("| |x| - 1|", "abs(abs(x) - 1)"),
    ("|x|² ≥ 0", "abs(x)^2 ≥ 0"),
    ("match v { a => |a| | b => b }", "match v { a => abs(a) | b => b }"),
    ("match v { a => a | b => |b| }", "match v { a => a | b => abs(b) }"),
    ("(x + 1)²", "(x + 1)^2"),
    ("3²", "3^2"),
    ("-3²", "-(3^2)"),
    ("f(x)³ + [a]⁰", "f(x)^3 + [a]^0"),
    ("x⁻¹", "x^(-1)"),
    ("2ⁿ", "2^n"),
    ("∀ x ∈ S. p(x)", "∀(x : _) where in_set(x, S). p(x)"),
    ("∃(x ∈ S, y : ℤ) where x < y. p", "∃(x : _, y : ℤ) where in_set(x, S) ∧ x < y. p"),
    ("∀ i j < 8. p(i, j)", "∀(i j : ℕ) where i < 8 ∧ j < 8. p(i, j)"),
    ("∀(i ≤ n + 1, j < i). p(i, j)", "∀(i j : ℕ) where i ≤ n + 1 ∧ j < i. p(i, j)"),
    ("∃(x : T, i <= 3) where q(x). p(i)", "∃(x : T, i : ℕ) where i ≤ 3 ∧ q(x). p(i)"),
    ("∀ x y ∈ ℝ. x = y", "∀(x y : ℝ). x = y"),
    ("∃!(x : T). p(x)", "∃(x_1 : T). ∀(x : T). p(x) ↔ x = x_1"),
    ("∃!(x : T). x = x_1", "∃(x_2 : T). ∀(x : T). x = x_1 ↔ x = x_2"),
    ("∑_{i=1}^{n} i^2 = s", "Σ(1, n, λ i . i^2) = s"),
    ("∑_{i=1}^{n} 2 * i + 1", "Σ(1, n, λ i . 2 * i) + 1"),
    ("∑_{i=1}^n ∑_{j=1}^{m} i * j", "Σ(1, n, λ i . Σ(1, m, λ j . i * j))"),
    ("∑_{i=1}^{n} (∑_{j=1}^{m} j) * i", "Σ(1, n, λ i . Σ(1, m, λ j . j) * i)"),
    ("∏_{k=1}^{4} k", "Π(1, 4, λ k . k)"),
    ("a ⟹ b != c", "a → b ≠ c"),
]


@pytest.mark.parametrize(("written", "meant"), SAME)
def test_it_stands_for_what_the_language_says(written: str, meant: str) -> None:
    assert parse_expression(written) == parse_expression(meant)


@pytest.mark.parametrize("written", [written for written, _ in SAME])
def test_it_prints_and_formats_to_the_same(written: str) -> None:
    tree = parse_expression(written)
    assert parse_expression(print_expression(tree)) == tree
    assert parse_expression(print_expression(tree, ascii=True)) == tree
    text = f"define f =\n    {written}\n"
    assert format_source(text) == text or parse_program(format_source(text)) == parse_program(text)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("a – b", "ASCII -"),
        ("a => b", "implication is →"),
        ("2x", "write 2 * x"),
        ("f'", "names have no primes"),
        (".5", "write 0.5"),
        ("∞", "there is no infinity"),
        ("a ≠ b ≠ c", "a ≠ b ∧ b ≠ c"),
        ("||x| - 1|", "abs(abs(x))"),
        ("{x | x > 0}", "∀(x : T) where"),
        ("x^{2}", "x^n"),
        ("a ** b", "a power is ^"),
    ],
)
def test_it_is_refused_with_the_way_to_write_it(written: str, hint: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_expression(written)
    assert hint in caught.value.hint


def test_a_middle_part_stands_twice_only_while_it_is_small() -> None:
    """Chains in the middle of chains would be written out exponentially often."""
    text = "x"
    for _ in range(40):
        text = f"(a < ({text}) + 1 < b)"
    with pytest.raises(ParseError) as caught:
        parse_expression(text)
    assert caught.value.code == "chained-comparison"


def test_a_declared_name_that_ends_in_a_superscript_stays_a_name() -> None:
    assert parse_expression("x²") == Name("x²")
    power = power_of(Name("x₁²³"))
    assert power is not None
    assert print_expression(power) == "x₁^23"
    assert power_of(Name("x")) is None


def test_comparisons_of_a_chain_point_one_way() -> None:
    assert may_chain(["equals", "leq", "less_than"])
    assert not may_chain(["equals", "leq", "geq"])
