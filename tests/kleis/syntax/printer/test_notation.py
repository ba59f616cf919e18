"""Notation is printed where it was written, or where nothing else would be read in its place."""

from __future__ import annotations

import pytest

from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression

SAME = [
    "0 ≤ x ≤ 5",
    "(0 : ℝ) < x ≤ y",
    "p ∧ 0 < x < 1",
    "0 < x < 1 ∧ p",
    "(0 < x < 1) = q",
    "1 < -2 < x",
    "√x",
    "√(x + 1)",
    "√(√x)",
    "(√x)^2",
    "√(x^2)",
    "2 * √x",
    "(√x)!",
    "-√x",
    "f(√2)",
    "(√x)(y)",
    "∅",
    "{1, 2}",
    "{{1}, ∅}",
    "x ∈ {1, 2}",
    "(x ∈ S) = p",
    "x ∈ S ∧ y ∈ T",
    "match x ∈ {1} { true => {1} | false => {2} }",
    "using S {1} = {2}",
    "∃!(x : T). p(x)",
    "∃!(x y : T). p(x, y)",
    "∃!(x : T). ∃!(y : T). x = y",
    "¬∃!(x : T). p(x)",
    "∑_{i=1}^{n} i^2 = s",
    "∑_{i=1}^{n} 2 * i + 1",
    "∑_{i=1}^{n} (2 * i + 1)",
    "(∑_{i=1}^{n} i) * 2",
    "2 * (∑_{i=1}^{n} i)",
    "1 + (∑_{i=1}^{n} i)",
    "∑_{i=a + 1}^{b - 1} (∑_{j=1}^{i} i * j)",
    "∏_{k=1}^{4} k",
]


@pytest.mark.parametrize("text", SAME)
def test_notation_is_printed_as_it_is_written(text: str) -> None:
    tree = parse_expression(text)
    assert print_expression(tree) == text
    assert parse_expression(print_expression(tree, ascii=True)) == tree


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        # A chain needs a number at one end: these are two comparisons as they are written.
        ("x ≤ y ∧ y ≤ x", "x ≤ y ∧ y ≤ x"),
        ("a = b ∧ b = c", "a = b ∧ b = c"),
        # No chain: other middles, directions that differ, inequations.
        ("0 ≤ x ∧ y ≤ 5", "0 ≤ x ∧ y ≤ 5"),
        ("0 ≤ x ∧ x ≥ 5", "0 ≤ x ∧ x ≥ 5"),
        ("0 ≠ x ∧ x ≠ 5", "0 ≠ x ∧ x ≠ 5"),
        # What only looks like ∃!: another name, another body, another type.
        ("∃(y : T). ∀(x : T). p(x) ⟺ x = y", "∃(y : T). ∀(x : T). p(x) ⟺ x = y"),
        ("∃(x_1 : T). ∀(x : T). p(x_1) ⟺ x = x_1", "∃(x_1 : T). ∀(x : T). p(x_1) ⟺ x = x_1"),
        ("∃(x_1 : U). ∀(x : T). p(x) ⟺ x = x_1", "∃(x_1 : U). ∀(x : T). p(x) ⟺ x = x_1"),
        # Sets that are not written by their elements, sums over something else.
        ("insert(1, S)", "insert(1, S)"),
        ("sqrt(x, y)", "sqrt(x, y)"),
        ("in_set", "in_set"),
        ("Σ(1, n, f)", "Σ(1, n, f)"),
        ("Σ(1, n, λ (i : ℤ) . i)", "Σ(1, n, λ (i : ℤ) . i)"),
    ],
)
def test_other_forms_stay(text: str, printed: str) -> None:
    tree = parse_expression(text)
    assert print_expression(tree) == printed
    assert parse_expression(printed) == tree


def test_a_large_middle_is_no_chain() -> None:
    """The parser refuses a large part between two comparisons, because it stands in both."""
    middle = " + ".join(f"x{number}" for number in range(20))
    tree = parse_expression(f"0 < {middle} ∧ {middle} < 1")
    assert parse_expression(print_expression(tree)) == tree
