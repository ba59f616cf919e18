"""A text in statements: none is lost, each is of its kind, and an open one is told from a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.editing.statements import completeness, statements

MIXED = """\
// head
import "stdlib/algebra.kleis"
// what f is
define f(x : ℤ) : ℤ = x + 1
define g(x : ℤ) : ℤ =
   f(x)
f(3)
∀(x : ℤ). f(x) > x
  ∧ g(x) > x
(1 + 2)
:list
example "a" { assert(f(1) = 2) }
data C = R
  | B
2
x
- y
:prove ∀(x : ℝ).
  x = x
)
3
"""


def test_each_statement_is_of_its_kind_and_at_its_line() -> None:
    assert [(each.kind, each.line, each.text) for each in statements(MIXED)] == [
        ("import", 1, '// head\nimport "stdlib/algebra.kleis"'),
        (
            "declarations",
            3,
            "// what f is\ndefine f(x : ℤ) : ℤ = x + 1\ndefine g(x : ℤ) : ℤ =\n   f(x)",
        ),
        ("question", 7, "f(3)"),
        ("question", 8, "∀(x : ℤ). f(x) > x\n  ∧ g(x) > x"),
        ("question", 10, "(1 + 2)"),
        ("command", 11, ":list"),
        ("example", 12, 'example "a" { assert(f(1) = 2) }'),
        ("declarations", 13, "data C = R\n  | B"),
        ("question", 15, "2"),
        ("question", 16, "x\n- y"),
        ("command", 18, ":prove ∀(x : ℝ).\n  x = x\n)"),
        ("question", 21, "3"),
    ]


def test_what_is_declared_side_by_side_is_one_statement() -> None:
    text = "define even(n : ℕ) : 𝔹 = n = 0\n\n\ndefine odd(n : ℕ) : 𝔹 = ¬even(n)"
    (found,) = statements(text)
    assert found.text == text


def test_what_is_wrong_takes_no_other_with_it() -> None:
    found = statements("define f(x) = = 3\n1 + 1\ndefine g(x) = x")
    assert [each.text for each in found] == ["define f(x) = = 3", "1 + 1", "define g(x) = x"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "empty"),
        ("  \n // nothing", "empty"),
        ("1 + 1", "complete"),
        ("define f(x) = x", "complete"),
        ("structure S(A) {}", "complete"),
        (":list", "complete"),
        (":load some/file.kleis", "complete"),
        ("define f(x) =", "incomplete"),
        ("structure S(A)", "incomplete"),
        ("structure S(A) {\n  element e : A", "incomplete"),
        ("∀(x : ℝ).", "incomplete"),
        (":prove ∀(x : ℝ).", "incomplete"),
        ("f(1,", "incomplete"),
        ("1 +", "incomplete"),
        ('"open', "incomplete"),
        ("/* open", "incomplete"),
        ("@decreases(n)", "incomplete"),
        (")", "invalid"),
        ("1 + 1)", "invalid"),
        ("foo bar", "invalid"),
    ],
)
def test_what_more_text_may_complete(text: str, wanted: str) -> None:
    assert completeness(text) == wanted


@given(st.lists(st.sampled_from([*MIXED.splitlines(), "{", "}", '"', "/*", "", "\x00", "  x"]), max_size=12))
def test_nothing_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = statements(text)
    kept = "".join("".join(each.text.split()) for each in found)
    assert (
        kept == "".join(text.split())
        or completeness(text) == "empty"
        or text.lstrip().startswith(("//", "/*"))
    )
    assert completeness(text) in ("empty", "complete", "incomplete", "invalid")


def test_a_text_with_very_many_lines_is_read_in_bounded_work() -> None:
    assert len(statements("x y\n" * 5_000)) > 300
