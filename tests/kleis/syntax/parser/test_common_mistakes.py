"""Parse errors: every common mistake by name, places, recovery at items (docs/reference/kleis.md §4)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kleis.errors import ParseError
from kleis.syntax.parser import (
    build_declarations,
    build_expressions,
    build_types,
    common_mistakes,
    operator_chains,
    parse_errors,
    parser,
)
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source

EXAMPLES = [
    ("not-an-item", "«let» x = 3"),
    ("not-an-item", "«axiom» a : x"),
    ("lemma-inside", "structure S { lemma «a» : 1 = 1 }"),
    ("lemma-inside", "structure S {\n  «theorem» a : 1 = 1\n}"),
    ("comment", "«-»- no comment"),
    ("extra-brace", "define f = 1\n«}»"),
    ("item-separator", "define f = 1\n«;»\ndefine g = 2"),
    ("trailing-comma", "define f = [1, 2,«]»"),
    ("trailing-comma", "define f = g(1,«)»"),
    ("missing-else", "define f = if a then b\n«define» g = 1"),
    ("missing-else", "define f = (if a then b«)»"),
    ("unclosed-bracket", "define f = (a, b\n«define» g = 1"),
    ("unclosed-bracket", 'example "x" { out(1)\n«define» g = 1'),
    ("unmatched-bracket", "define f = (a«]»"),
    ("implements-arguments", "implements S «{» }"),
    ("extends-before-over", "structure S over F «extends» T { }"),
    ("one-parent", "structure S extends A«,» B { }"),
    ("import-as", 'import "x" «as» y'),
    ("unclosed-string", 'define f = "open\nexample "«swallowed»" { }'),
    ("quotes", "import «foo»"),
    ("quotes", "example «foo» { }"),
    ("define-body", "define f «{» 1 }"),
    ("leading-bar", "data X = «|» A"),
    ("leading-bar", "define f = match x { «|» A => 1 }"),
    ("member-separator", "structure S { axiom a : p«,» axiom b : q }"),
    ("member-separator", "structure S { axiom a : p«;» axiom b : q }"),
    ("structure-inside", "structure S { structure T «{» } }"),
    ("one-element", "structure S { element a«,» b : T }"),
    ("axiom-parameters", "structure S { axiom a«(»x : T) : p }"),
    ("element-value", "structure S { element a : T «=» 3 }"),
    ("define-here", "implements S(T) { «define» f = 1 }"),
    ("axiom-here", "implements S(T) { «axiom» f : 1 }"),
    ("binder-type", "define f = ∀ x «.» p"),
    ("binder-type", "define f = ∀(x«)». p"),
    ("dot-before-body", "define f = λ x «->» x"),
    ("case-arrow", "define f = match x { A «->» 1 }"),
    ("negative-pattern", "define f = match x { A => 1 | B(«-»1) => 2 }"),
    ("with-after-over", "structure S(T) extends P(T) over B(T) «with» a as b { }"),
    ("renamed-operator", "structure S(T) extends P(T) «with» ∘ as join { }"),
    ("with-names", "structure S(T) extends P(T) «with» { }"),
    ("match-braces", "define f = match x «with» A => 1"),
    ("assignment", "define f :«=» 3"),
    ("missing-then", "define f = if a «{» b }"),
    ("else-if", "define f = if a then b «elif» c"),
    ("missing-in", "define f = (let x = 3«)»"),
    ("assert-parentheses", 'example "x" { assert «x» = 3 }'),
    ("implication-arrow", "define f = a «=>» b"),
    ("indexing", "define f = a«[»3]"),
    ("field-access", "define f = a«.»b"),
    ("infix-word", "define f = a «mod» b"),
    ("juxtaposition", "define f = g «x»"),
    ("juxtaposition", "define f = 2 «x»"),
    ("braces", "define f = {x «|» x > 0}"),
    ("bars", "define f = «||»x| - 1|"),
    ("power-braces", "define f = x«^{»2}"),
    ("double-star", "define f = a *«*» b"),
    ("unequal", "define f = a <«>» b"),
    ("unequal", "define f = a /«=» b"),
    ("number-dot", "define f = «.»5"),
    ("number-dot", "define f = 5«.»"),
    ("number-dot", "define f = 5«.» + g"),
    ("missing-in", "define f = let y = x\n«define» g = 1"),
    ("unexpected-token", "«strcture» S { }"),
    ("illegal-character", "define f = a «∉» S"),
    ("illegal-character", "define f = x«'»"),
    ("illegal-digit", "define f = «٣»"),
    ("implicit-product", "define f = 2«x»"),
    ("unterminated-comment", "define f = «/* 1»"),
    ("unterminated-string", 'define f = «"a»'),
    ("chained-comparison", "define f = a < b «>» c"),
    ("chained-comparison", "define f = a ≠ b «≠» c"),
    ("chained-comparison", "define f = a < «" + "f(" * 14 + "x" + ")" * 14 + "» < c"),
    ("tuple-too-long", "define f = «(1, 2, 3, 4, 5, 6)»"),
    ("let-pattern", 'example "x" { let «(a, b)» = p }'),
    ("empty-let", 'example "x" { «let x» }'),
    ("bound-below", "define f = ∀ «x > 0». x = x"),
    ("number-in-type", "type V = Vector(«1.5»)"),
    ("block-too-long", 'example "x" { «assert_inconsistent {' + "x;" * 257 + "}» }"),
    ("too-deep", "define f = " + "(" * 2560 + "«(»" + "x" + ")" * 2561),
]


@pytest.mark.parametrize(("code", "marked"), EXAMPLES)
def test_the_mistake_is_named_at_its_place(code: str, marked: str) -> None:
    before, found, _ = re.split("[«»]", marked)
    text = marked.replace("«", "").replace("»", "")
    errors = parse_source(text).errors
    assert [error.code for error in errors] == [code]
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    assert (errors[0].line, errors[0].column) == (line, column)
    if "\n" not in found:
        assert (errors[0].end_line, errors[0].end_column) == (line, column + len(found))
    assert errors[0].message


def test_every_code_has_an_example() -> None:
    codes: set[str] = set()
    for module in (
        build_expressions,
        build_types,
        build_declarations,
        operator_chains,
        parse_errors,
        common_mistakes,
        parser,
    ):
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        codes |= set(re.findall(r'(?:Mistake|TreeError)\(\s*"([a-z-]+)"', source))
    assert codes == {code for code, _ in EXAMPLES}


def test_a_misspelt_keyword_gets_its_right_spelling() -> None:
    [error] = parse_source("strcture S { }").errors
    assert error.hint == "did you mean `structure`?"


def test_expected_sets_are_in_words() -> None:
    [error] = parse_source("define f(x = 3) = 3").errors
    assert set(error.expected) == {"`)`", "`,`", "`:`"}
    [error] = parse_source("define f = ").errors
    assert error.expected[0] == "an expression"
    assert error.found == "the end of the text"


def test_rendering_points_at_the_place() -> None:
    text = "define f = 1\n\tdefine g = a < b > c\n"
    with pytest.raises(ParseError) as caught:
        parse_program(text, file="a.kleis")
    lines = caught.value.render(text).splitlines()
    assert lines[0].startswith("a.kleis:2:19: ")
    assert lines[1] == "  \tdefine g = a < b > c"
    assert lines[2] == "  \t" + " " * 17 + "^"


def test_a_long_line_is_shown_around_the_place() -> None:
    text = "define f = " + "a + " * 500 + "∉"
    [error] = parse_source(text).errors
    assert error.code == "illegal-character"
    assert all(len(line) < 120 for line in error.render(text).splitlines())


BROKEN = """\
import "a"
define f(x) = x +
structure S {
    operation f : T → T
    axiom a : f(x = = y
    define g(x) = x
}
data D = A | B(
example "one" { assert(f(1) = 1) }
stray
define h = 3
example "two" { let x }
define k = a < b > c
"""


def test_all_errors_of_a_file_in_one_go_and_the_rest_is_read() -> None:
    result = parse_source(BROKEN)
    assert [(error.line, error.code) for error in result.errors] == [
        (3, "unexpected-token"),
        (5, "unexpected-token"),
        (9, "unclosed-bracket"),
        (10, "unexpected-token"),
        (12, "empty-let"),
        (13, "chained-comparison"),
    ]
    kinds = [type(item).__name__ for item in result.program.items]
    assert kinds == ["Import", "Example", "FunctionDefinition"]


def test_a_missing_bracket_costs_one_item() -> None:
    result = parse_source("structure S {\n    axiom a : p\n\ndefine f = 1\n\nstructure T { }\n")
    assert [error.code for error in result.errors] == ["structure-inside"]
    assert "line 1" in result.errors[0].message
    result = parse_source("data D = A(\n\ndefine f = 1\n\nstructure T { }\n")
    assert [error.code for error in result.errors] == ["unclosed-bracket"]
    assert len(result.program.items) == 2


def test_errors_are_raised_with_the_others() -> None:
    with pytest.raises(ParseError) as caught:
        parse_program(BROKEN)
    assert len(caught.value.others) == 5
    assert caught.value.as_dict()["line"] == 3


def test_the_number_of_errors_is_bounded() -> None:
    errors = parse_source("define =\n" * 500).errors
    assert len(errors) == 100
    assert errors[-1].hint.endswith("the text after this was not read")
    assert "not read" not in errors[-2].hint


def test_an_expression_must_fill_the_text() -> None:
    with pytest.raises(ParseError):
        parse_expression("a b")
    with pytest.raises(ParseError):
        parse_expression("")
