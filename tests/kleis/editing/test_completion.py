"""What is offered at a place: what may stand there, what is in scope first, nothing in comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.editing.completion import MOST, completions, library_names, names_in_scope, signature_of
from kleis.syntax.parser.parser import parse_program
from kleis.theory.theory import Theory

TEXT = """
structure Group(G) { operation (•) : G × G → G  element e : G  operation inv : G → G
                     axiom left_identity : ∀(x : G). e • x = x }
data Shape = Circle(radius : ℝ) | Point
define double_it(x : ℝ) : ℝ = 2 * x
lemma double_zero : double_it(0) = 0
"""
THEORY = Theory().include(parse_program(TEXT))


def offered(text: str, theory: Theory = THEORY) -> dict[str, str]:
    """What may replace the end of a text, with what it is."""
    _, found = completions(text, len(text), theory)
    return {each.text: each.kind for each in found}


def test_names_in_scope_come_with_their_types() -> None:
    found = {each.text: each.detail for each in names_in_scope(THEORY)}

    assert found["double_it"] == "double_it(x : ℝ) : ℝ"
    assert found["inv"] == "Group::inv : G → G"
    assert found["Circle"] == "Circle(radius : ℝ) of Shape"
    assert found["Group"] == "structure Group(G)"
    assert found["Shape"] == "data type Shape"
    assert found["double_zero"] == "double_it(0) = 0"
    assert found["left_identity"] == "axiom Group::left_identity"
    assert "•" not in found  # it is no word


@pytest.mark.parametrize(
    ("typed", "wanted", "kind"),
    [
        ("1 + doub", "double_it", "definition"),
        ("∀(x : G). inv(i", "inv", "operation"),
        ("Group::in", "inv", "operation"),
        ("cir", "Circle", "constructor"),
        ("defin", "define", "keyword"),
        ("fold", "foldr", "builtin"),
        ("x : Int", "Int", "type"),
        ("tru", "true", "value"),
        ("∀(a : ℝ) (\\le", "≤", "symbol"),
        ("λwidth . wi", "width", "local"),
        ("λisPri", "isPrime", "library name"),
        ('import "stdlib/nu', "stdlib/number_theory.kleis", "file"),
        ("", "double_it", "definition"),
    ],
)
def test_what_is_meant_is_offered(typed: str, wanted: str, kind: str) -> None:
    assert offered(typed).get(wanted) == kind


def test_the_start_is_where_the_replaced_text_begins() -> None:
    assert completions("1 + doub", 8, THEORY)[0] == 4
    assert completions("λdoub", 5, THEORY)[0] == 1
    assert completions("x \\fora y", 7, THEORY)[0] == 2
    assert completions('import "stdlib/nu', 17, THEORY)[0] == 8
    assert completions("double_it", 3, THEORY)[0] == 0


def test_library_names_say_what_to_import() -> None:
    found = {each.text: each.file for each in library_names("isPri")}
    assert found["isPrime"] == "stdlib/number_theory.kleis"
    assert "isPrime" not in offered("i")  # too short to read the library for
    assert offered("isPri")["isPrime"] == "library name"


@pytest.mark.parametrize("typed", ["// doub", "/* doub", 'x = "doub', "1 + 1 // in", "\\nosuch"])
def test_nothing_in_comments_and_strings(typed: str) -> None:
    assert offered(typed) == {}


def test_after_a_comment_names_are_offered_again() -> None:
    assert "double_it" in offered("/* a */doub")
    assert "double_it" in offered("// a\ndoub")


def test_names_that_differ_in_case_are_offered_too() -> None:
    _, found = completions("CIRC", 4, THEORY)
    assert [each.text for each in found][:1] == ["Circle"]


def test_an_answer_is_bounded() -> None:
    many = Theory().include(parse_program("\n".join(f"define name{n}(x) = x" for n in range(2_000))))
    _, found = completions("name", 4, many)
    assert len(found) == MOST


@given(st.text(max_size=40), st.integers(0, 40))
def test_any_text_is_completed(text: str, place: int) -> None:
    place = min(place, len(text))
    start, found = completions(text, place, THEORY)
    assert 0 <= start <= place
    assert len(found) <= MOST


def test_every_declared_name_has_a_signature_on_one_line() -> None:
    for name in THEORY.names:
        for each in THEORY.lookup(name):
            assert "\n" not in signature_of(each)
