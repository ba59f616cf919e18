"""Typst text: what prose keeps and what it escapes, and mathematics with the parentheses that it needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.budget import STANDARD_BUDGET
from kleis.errors import EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program
from kleis.typesetting.escape import formula, literal, prose
from kleis.typesetting.mathematics import expression_text, name_text


@pytest.mark.parametrize(
    "text",
    [
        "*strong* and _emphasis_",
        "$x^2 + alpha / 2$",
        "see @fig:one and (@eq-2)",
        "- one\n- two *b*",
        "1. a\n+ b",
        "_a *b* c_",
    ],
)
def test_prose_keeps(text: str) -> None:
    assert prose(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('#read("../secret.txt")', '\\#read("../secret.txt")'),
        ('#import "@preview/x:1.0.0"', '\\#import "\\@preview/x:1.0.0"'),
        ("a \\ b \\#", "a \\\\ b \\\\\\#"),
        ("`raw` [x] <label> ~", "\\`raw\\` \\[x\\] \\<label\\> \\~"),
        ("= heading", "\\= heading"),
        ("/ term: x", "\\/ term: x"),
        ("a // b /* c", "a \\/\\/ b \\/\\* c"),
        ("someone@example.org", "someone\\@example.org"),
        ("2*3 snake_case", "2\\*3 snake\\_case"),
        ("*open", "\\*open"),
        ("_a *b_ c*", "\\_a *b\\_ c*"),
        ("- *a\n- b*", "- \\*a\n- b\\*"),
        ("5 $ and", "5 \\$ and"),
        ("$$", "\\$\\$"),
        ("$#read(x)$", "$\\#read(x)$"),
        ("$std.read(x)$", '$"std".read(x)$'),
        ("$a // b$", "$a / / b$"),
        ('$"$" + "std #"$', '$"$" + "std #"$'),
    ],
)
def test_prose_escapes(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_references_to_what_there_is() -> None:
    assert prose("@figure-1 @other", {"figure-1"}) == "@figure-1 \\@other"


@given(st.text(alphabet='ab1 \n#\\*_$@`<>[]/"=-+~.(){}std', max_size=60))
def test_prose_leaves_no_code(text: str) -> None:
    """Outside strings of formulas every # and backtick is escaped, and brackets never close a block."""
    shown = prose(text)
    plain = shown.replace("\\\\", "")
    for place, character in enumerate(plain):
        if character in "`[]<":
            in_formula = plain[:place].count("$") - plain[:place].count("\\$")
            assert plain[place - 1 : place] == "\\" or in_formula % 2 == 1


def test_literal_text_shows_every_sign() -> None:
    assert literal("#a_b$") == "\\#a\\_b\\$"
    assert formula('x "std" std') == 'x "std" "std"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(a + b) * c", "(a + b) dot c"),
        ("a + b * c", "a + b dot c"),
        ("a - (b - c)", "a - (b - c)"),
        ("x^(n + 1) / 2", "frac(x^(n + 1), 2)"),
        ("(a + b)^2", "(a + b)^(2)"),
        ("-(a + b)", "-(a + b)"),
        ("a ∧ (b ∨ c) → d", "a and (b or c) => d"),
        ("∀(x y : ℝ). x < y", "forall x, y in ℝ : thin x < y"),
        ("∃(n : ℕ). n * n = 4", "exists n in ℕ : thin n dot n = 4"),
        ("sqrt(x) + abs(y)", "sqrt(x) + abs(y)"),
        ("if x > 0 then x else -x", 'cases(x & "if " x > 0, -x & "otherwise")'),
        ("f(alpha, foo)", '"f"(alpha, "foo")'.replace('"f"', "f")),
        ('g("#read(1)")', 'g("#read(1)")'),
        ("λ x . x + 1", "x |-> x + 1"),
        ("[1, 2]", "[1, 2]"),
        ("(a, b)", "(a, b)"),
    ],
)
def test_mathematics(text: str, shown: str) -> None:
    assert expression_text(parse_expression(text)) == shown


def test_names() -> None:
    assert [name_text(each) for each in ("x", "alpha", "x_1", "x12", "foo", "std", "read", "foo_bar")] == [
        "x", "alpha", "x_1", "x_(12)", '"foo"', '"std"', '"read"', '"foo_bar"',
    ]  # fmt: skip


def rendered(text: str) -> object:
    return evaluate(parse_expression(text), environment_of(Program(())), STANDARD_BUDGET).value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1/3", "$frac(1, 3)$"),
        ("-1/3", "$-frac(1, 3)$"),
        ("7", "7"),
        ('"a#b"', "a\\#b"),
        ("complex(1, 2)", "$1 + 2 dot i$"),
        ("insert(1, empty_set)", "${1}$"),
        ('EOp("plus", [EObject("x"), EConst("1")])', "x + 1"),
        ('EOp("times", [EOp("plus", [EObject("a"), EObject("b")]), EObject("c")])', "(a + b) c"),
        (
            'EOp("int_bounds", [EObject("f"), EConst("0"), EObject("∞"), EObject("x")])',
            "integral_(0)^(infinity) f thin d x",
        ),
        ('EOp("PMatrix", [2, 2, 1, 2, 3, 4])', 'mat(delim: "(", 1, 2; 3, 4)'),
        ('EOp("tensor", [EObject("T"), EObject("mu"), EOp("negate", [EObject("nu")])])', "T^(mu)_(nu)"),
        ('EConst("#read(1)")', "\\#read(1)"),
    ],
)
def test_values_and_editor_terms(value: str, shown: str) -> None:
    assert rendered(f"render_to_typst({value})") == shown


def test_a_form_that_nothing_is_written_in() -> None:
    with pytest.raises(EvaluationError) as caught:
        rendered('render_to_typst(1, target = "html")')
    assert caught.value.code == "target"
