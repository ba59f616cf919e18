"""Lints: which readings of a text are pointed out, and which are not."""

from __future__ import annotations

import pytest

from kleis.syntax.parser.parser import parse_source

LINTED = [
    ("minus-binds-tight", "define f(x) = -x^2", "-"),
    ("minus-binds-tight", "define f(x) = 1 + -x!", "-"),
    ("not-binds-tight", "define f(x) = not x = y", "not"),
    ("implication-chain", "define f = a → b → c", "→"),
    ("or-before-and", "define f = if a ∨ b ∧ c then 1 else 2", "a ∨ b ∧ c"),
    ("custom-precedence", "define f = a ∪ b ∩ c", "∩"),
    ("custom-precedence", "define f = a ∘ b + c", "+"),
    ("named-argument", "structure S { axiom a : p(x = y) }", "x"),
    ("named-argument", 'example "x" { assert(f(x = y, z)) }', "x"),
    ("line-continues", 'example "x" {\n  let y = f\n  (x)\n}', "("),
    ("line-continues", 'example "x" {\n  out(x)\n  - 1\n}', "-"),
    ("unusable-name", "define not(x) = 1", "not"),
    ("unusable-name", "operation and : T", "and"),
]


@pytest.mark.parametrize(("code", "text", "marked"), LINTED)
def test_linted(code: str, text: str, marked: str) -> None:
    result = parse_source(text, file="f.kleis")
    assert result.ok
    assert [lint.code for lint in result.lints] == [code]
    [lint] = result.lints
    lines = text.split("\n")
    assert lint.file == "f.kleis"
    assert lines[lint.line - 1][lint.column - 1 :].startswith(marked)
    assert lint.message
    assert lint.hint
    assert lint.as_dict()["severity"] == "warning"


QUIET = [
    "define f(x) = -x * 2 - x",
    "define f(x) = (-x)^2 + 2^-x",
    "define f(x) = not (x = y)",
    "define f(x) = a ∧ not b → c",
    "define f = a → (b → c)",
    "define f = (a → b) → c",
    "define f = if (a ∨ b) ∧ c then 1 else 2",
    "define f = if a ∨ (b ∧ c) then 1 else 2",
    "define f = if (a ∨ b ∧ c) then 1 else 2",
    "define f = a ∨ b ∧ c",
    "define f = (a ∪ b ∪ c) + (d ∩ e)",
    "define f = a + b - c",
    "define f = plot(x, color = 3)",
    'example "x" { plot(x, color = 3) assert((a = b)) }',
    "define x₁(ℝ³) = x₁",
    'example "x" {\n  f(x)\n  (y)\n  f(\n    -1)\n}',
    "define f =\n  a\n  - b",
    "define data(type, in) = element(type, in)",
    "define f(p, q) = and(p, or(q, p))",
]


@pytest.mark.parametrize("text", QUIET)
def test_quiet(text: str) -> None:
    result = parse_source(text)
    assert result.ok
    assert result.lints == ()


def test_lints_of_a_broken_item_are_dropped_and_the_rest_is_in_order() -> None:
    result = parse_source("define f = x + -y^2\ndefine g = -z^2 )\ndefine h = a → b → c\n")
    assert [(lint.line, lint.code) for lint in result.lints] == [
        (1, "minus-binds-tight"),
        (3, "implication-chain"),
    ]
