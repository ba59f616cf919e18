"""parse ∘ print is the identity on trees (docs/reference/kleis.md §9.1), and what follows for the formatter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.printer.program import print_expression, print_program, print_type
from kleis.syntax.tree import Call, Expression, Name, NamedType, Program, TypeExpression, Using
from tests.support.terms.kleis_strategies import expressions, programs, types
from tests.support.terms.recursion import deep_in_c

ROOT = Path(__file__).parents[3]
SOURCES = sorted([*(ROOT / "stdlib").rglob("*.kleis"), *(ROOT / "tests").rglob("*.kleis")])


@given(types, st.booleans())
def test_types(tree: TypeExpression, ascii: bool) -> None:
    assert parse_type(print_type(tree, ascii=ascii)) == tree


@given(expressions, st.booleans())
def test_expressions(tree: Expression, ascii: bool) -> None:
    assert parse_expression(print_expression(tree, ascii=ascii)) == tree


@given(programs, st.booleans())
def test_programs(tree: Program, ascii: bool) -> None:
    assert parse_program(print_program(tree, ascii=ascii)) == tree


@given(programs)
def test_printing_is_a_normal_form(tree: Program) -> None:
    text = print_program(tree)
    assert print_program(parse_program(text)) == text


@given(programs, st.booleans())
def test_formatting_keeps_the_tree_and_is_idempotent(tree: Program, ascii: bool) -> None:
    formatted = format_source(print_program(tree), ascii=ascii)
    assert parse_program(formatted) == tree
    assert format_source(formatted, ascii=ascii) == formatted


@pytest.mark.parametrize(
    "path",
    [pytest.param(each, marks=deep_in_c) if each.parent.name == "chains" else each for each in SOURCES],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_source_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    result = parse_source(text)
    items = result.program.items
    for ascii in (False, True):
        assert parse_source(print_program(result.program, ascii=ascii)).program.items == items
        if result.ok:
            formatted = format_source(text, ascii=ascii)
            assert parse_source(formatted).program.items == items
            assert format_source(formatted, ascii=ascii) == formatted


def test_a_call_of_a_connective_by_its_word_follows_using() -> None:
    tree = parse_expression("using T (and(x, y))")
    assert tree == Using(NamedType("T"), Call("and", (Name("x"), Name("y"))))
    assert parse_expression(print_expression(tree)) == tree
