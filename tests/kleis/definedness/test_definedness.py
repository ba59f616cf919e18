"""Where terms have values: conditions with their paths, and which of them are discharged."""

from __future__ import annotations

import pytest

from kleis.core.traversal import free_variables
from kleis.definedness.conditions import Definedness
from kleis.delaborate.describe_goal import conditions, expression_of
from kleis.elaborate.elaborator import Elaborator
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.program import print_expression
from kleis.theory.theory import Theory

PROGRAM = """
data Shape = Dot | Line(length : ℕ) | Box(width : ℤ, height : ℤ)
operation good : ℤ → Bool
define inverse(x : ℝ) : ℝ = 1 / x
define guarded(x : ℝ) : ℝ = if x = 0 then 0 else inverse(x)
define root(x : ℝ) : ℝ = guarded(x) + inverse(x - 1)
define first(l : List(ℤ)) : ℤ = match l { Cons(h, _) => h }
define down(n : ℕ) : ℕ = if n = 0 then 0 else down(n - 1)
define away(n : ℤ) : ℤ = away(n + 1)
define halves(n : ℤ) : ℝ = if n ≤ 0 then 0 else 1 / (n - 3) + halves(n - 1)
"""

THEORY = Theory().include(parse_program(PROGRAM))
ELABORATOR = Elaborator(THEORY)

CERTAIN = [
    "∀(x : ℝ). x = 0 ∨ x / x = 1",
    "∀(x : ℝ). x / x = 1 ∨ x = 0",
    "∀(x : ℝ). x ≠ 0 → x / x = 1",
    "∀(x : ℝ). ¬(x = 0) ∧ 1 / x > 0",
    "∀(x : ℝ) where x > 1. 1 / (x - 1) > 0",
    "∀(x : ℝ). x / 2 = 0.5 * x",
    "∀(x : ℝ). 1 / (x * x + 1) > 0",
    "∀(x : ℝ). 1 / (x^2 + 0.5) > 0",
    "∀(n : ℕ). n ≥ 1 → 1 / n > 0",
    "∀(n : ℕ). mod(7, n + 1) ≤ n",
    "∀(n : ℕ). n > 0 → (n - 1 : ℕ) < n",
    "∀(x : ℤ). (x * x : ℕ) ≥ 0",
    "∀(x : ℝ). (if x = 0 then 0 else 1 / x) ≥ 0",
    "∀(x : ℝ). if x > 0 then ln(x) > 0 else sqrt(-x) ≥ 0",
    "∀(l : List(ℤ)). length(l) > 0 → head(l) = 1",
    "∀(l : List(ℤ), n : ℕ). n < length(l) → nth(l, n) = 0",
    "∀(s : Shape). match s { Dot => true | Line(n) => n > 0 | Box(w, h) => w > h }",
    "∀(s t : Shape). match (s, t) { (Dot, _) => true | (_, Dot) => false | (Line(n), _) => n > 0 "
    "| (Box(w, _), Line(_)) => w > 0 | (Box(_, h), Box(_, k)) => h > k }",
    "∀(b : Bool). match b { true => 1 | false => 2 } > 0",
    "∀(x : ℝ). guarded(x) = 0",
    "∀(x : ℝ). x ≠ 0 → inverse(x) = 1",
    "∀(n : ℕ). down(n) = 0",
    "let y = 3 in 1 / y > 0",
    "∀(x : ℤ). let y = x * x + 1 in mod(x, y) ≥ 0",
    "∀(z : ℂ). z ≠ 0 → 1 / z = 1",
    "∀(x : ℝ). x > 0 ∨ x < 0 → 1 / x ≠ 0",
]


@pytest.mark.parametrize("text", CERTAIN)
def test_shown_to_be_defined(text: str) -> None:
    meaning = ELABORATOR.proposition(parse_expression(text))
    assert meaning.claim is not None
    assert Definedness(meaning).certain(meaning.claim)


UNCERTAIN = [
    ("∀(x : ℝ). x / x = 1", ["∀(x : ℝ). x ≠ (0 : ℝ)"]),
    ("∀(x y : ℝ). x = 0 ∨ x / y = 1", ["∀(x y : ℝ). x ≠ (0 : ℝ) ⟹ y ≠ (0 : ℝ)"]),
    ("∀(x : ℝ). ∃(y : ℝ). y > 0 ∧ x / (y - 1) = 0", ["∀(y : ℝ). y > (0 : ℝ) ⟹ y - (1 : ℝ) ≠ (0 : ℝ)"]),
    ("∀(x : ℤ). (x : ℕ) ≥ 0", ["∀(x : ℤ). x ≥ (0 : ℤ)"]),
    ("∀(l : List(ℤ)). head(l) = 1", ["∀(l : List(ℤ)). length(l) > 0"]),
    ("∀(x : ℝ). root(x) = 1", ["∀(x : ℝ). x - (1 : ℝ) ≠ (0 : ℝ)"]),
    ("∀(x : ℝ). x > 2 → sqrt(x - 5) = 1", ["∀(x : ℝ). x > (2 : ℝ) ⟹ x - (5 : ℝ) ≥ (0 : ℝ)"]),
    ("∀(n : ℤ). halves(n) = 0", [None]),
    ("away(0) = 0", [None]),
]


@pytest.mark.parametrize(("text", "expected"), UNCERTAIN)
def test_what_is_not_shown(text: str, expected: list[str | None]) -> None:
    meaning = ELABORATOR.proposition(parse_expression(text))
    assert meaning.claim is not None
    definedness = Definedness(meaning)
    assert not definedness.certain(meaning.claim)
    found = [each.proposition for each in definedness.undischarged(meaning.claim)]
    assert [None if each is None else print_expression(expression_of(each)) for each in found] == expected


def test_a_match_without_a_case_for_everything() -> None:
    meaning = ELABORATOR.proposition(parse_expression("∀(l : List(ℤ)). first(l) = 1"))
    (need,) = [each for each in conditions(meaning) if not Definedness(meaning).discharged(each)]
    assert need.kind == "match"
    assert ELABORATOR.proposition(parse_expression("∀(l : List(ℤ)). l ≠ [] → first(l) = 1")).claim is not None


@pytest.mark.parametrize("text", [*CERTAIN, *(text for text, _ in UNCERTAIN)])
def test_conditions_are_closed_propositions(text: str) -> None:
    meaning = ELABORATOR.proposition(parse_expression(text))
    for need in conditions(meaning):
        proposition = need.proposition
        if proposition is not None:
            assert free_variables(proposition) == ()
            parse_expression(print_expression(expression_of(proposition)))


def test_definitions_in_a_chain_are_looked_at_once() -> None:
    lines = ["define f0(x : ℝ) : ℝ = if x > 0 then 1 / x else 0"]
    lines += [f"define f{n}(x : ℝ) : ℝ = f{n - 1}(x) + f{n - 1}(x + 1)" for n in range(1, 40)]
    elaborator = Elaborator(Theory().include(parse_program("\n".join(lines))))
    meaning = elaborator.proposition(parse_expression("∀(x : ℝ). f39(x) > 0"))
    assert meaning.claim is not None
    assert Definedness(meaning).certain(meaning.claim)


def test_long_chains_of_implications_are_read_in_time() -> None:
    text = " → ".join(["x > 0"] * 60 + ["1 / x > 0"])
    meaning = ELABORATOR.proposition(parse_expression(f"∀(x : ℝ). {text}"))
    assert meaning.claim is not None
    assert Definedness(meaning).certain(meaning.claim)
