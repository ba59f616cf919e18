"""Any text parses or gives our errors, in time linear in its length (attacks and properties).

Work is counted, not timed: `Steps` counts the tokens and reductions of a parse.  Nested and repeated texts of
twice the length must not take more than about twice the steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.budget import deep
from kleis.errors import ParseError
from kleis.syntax.parser.lexer import tokenize
from kleis.syntax.parser.parse_errors import Automaton
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
from kleis.syntax.parser.tables import load_tables
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.printer.program import print_program
from kleis.syntax.tree import MAXIMUM_HEIGHT, Node
from kleis.syntax.tree.traversal import children, walk
from tests.support.terms.kleis_strategies import programs
from tests.support.terms.recursion import deep_in_c

ROOT = Path(__file__).parents[3]
SOURCES = sorted([*(ROOT / "stdlib").rglob("*.kleis"), *(ROOT / "tests").rglob("*.kleis")])
SPELLINGS = sorted(load_tables().spellings)


def check(text: str) -> None:
    """Everything that reads text answers or refuses; what it read prints and reads back."""
    result = parse_source(text)
    assert all(isinstance(error, ParseError) and error.line >= 1 for error in result.errors)
    assert [error.line for error in result.errors] == sorted(error.line for error in result.errors)
    for error in result.errors:
        assert error.render(text)
    printed = print_program(result.program)
    assert parse_source(printed).program == result.program
    if result.ok:
        assert parse_source(format_source(text)).program == result.program
    for parse in (parse_expression, parse_type):
        try:
            parse(text)
        except ParseError:
            continue


@given(st.text())
def test_any_text(text: str) -> None:
    check(text)


WORDS = st.sampled_from(
    [*SPELLINGS, "x", "T", "1", '"s"', "'", "λx", "H.carrier", "S::op", "\n", "//", "/*", "*/", '"']
)


@given(st.lists(WORDS, max_size=40), st.sampled_from(["", " ", "\n"]))
def test_any_sequence_of_words(words: list[str], gap: str) -> None:
    check(gap.join(words))


@given(st.data())
def test_broken_programs(data: st.DataObject) -> None:
    """A program with a piece taken out, doubled or exchanged."""
    text = print_program(data.draw(programs))
    if SOURCES and data.draw(st.booleans()):
        whole = data.draw(st.sampled_from(SOURCES)).read_text(encoding="utf-8")
        start = data.draw(st.integers(0, len(whole)))
        text = whole[start : start + 600]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 12)))
    piece = data.draw(WORDS | st.just("") | st.just(text[start:end] * 2))
    check(text[:start] + piece + text[end:])


class Steps:
    """Counts the questions put to the tables during a parse."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        tables = load_tables()
        steps = self

        class Row(dict[str, int]):
            def get(self, key: str, default: object = None) -> object:
                steps.count += 1
                return dict.get(self, key, default)

        counting = type(tables)(
            [Row(row) for row in tables.actions],
            tables.gotos,
            tables.rules,
            tables.starts,
            tables.ends,
            tables.spellings,
        )
        monkeypatch.setattr("kleis.syntax.parser.parser.load_tables", lambda: counting)

    def of(self, text: str) -> int:
        self.count = 0
        parse_source(text)
        return self.count


ATTACKS: dict[str, Callable[[int], str]] = {
    "sets": lambda n: "define f = " + "{a, b, c, d, e, g, h, " * n + "x" + "}" * n,
    "chains in chains": lambda n: "define f = " + "(a + b + c + d + e + g + " * n + "x" + ")" * n,
    "parentheses": lambda n: "define f = " + "(" * n + "x" + ")" * n,
    "open parentheses": lambda n: "define f = " + "(" * n,
    "brackets": lambda n: "define f = " + "[" * n,
    "quantifiers": lambda n: "define f = " + "∀(x : T). " * n + "p",
    "quantifiers without types": lambda n: "define f = " + "∀ x . " * n,
    "minus signs": lambda n: "define f = " + "-" * n + "x",
    "else if": lambda n: "define f = " + "if a then b else " * n + "c",
    "sum": lambda n: "define f = " + "a + " * n + "a",
    "implications": lambda n: "define f = " + "a → " * n + "a",
    "comparisons": lambda n: "define f = " + "a < " * n + "a",
    "factorials": lambda n: "define f = x" + "! " * n,
    "applications": lambda n: "define f = f" + "(x)" * n,
    "types": lambda n: "operation f : " + "A → " * n + "A",
    "nested types": lambda n: "operation f : " + "F(" * n + "A" + ")" * n,
    "patterns": lambda n: "define f = match x { " + "P(" * n + "y" + ")" * n + " => 1 }",
    "structures": lambda n: "structure S { " + "structure a : T { " * n + "} " * n + "}",
    "annotations": lambda n: "@a(" * n,
    "using": lambda n: "define f = " + "using S (" * n + "x" + ")" * n,
    "keywords": lambda n: "define " * n,
    "keyword lines": lambda n: "define\n" * n,
    "broken items": lambda n: "define f = )\n" * n,
    "glued lambdas": lambda n: "define λx = 1\n" * n,
    "carriers": lambda n: "define f = " + "λx.carrier" * n,
    "named arguments": lambda n: "define f = " + "f(x = " * n + "1" + ")" * n,
    "list": lambda n: "define f = [" + "1, " * n + "1]",
    "assertions": lambda n: 'example "x" { ' + "assert(x = 1) " * n + "}",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
def test_the_steps_are_linear_in_the_text(
    attack: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch)
    once, twice = steps.of(attack(3_000)), steps.of(attack(6_000))  # beyond all limits of nesting
    assert 0 < twice <= 2.2 * once + 500


LEXICAL = [
    '"',
    '"\\"\n',
    "/*",
    "/* ",
    "(",
    "\\",
    "'",
    " ",
    "\n",
    "λ",
    "1.",
    "1e",
    "x::",
    "∈",
    "@",
    "a.",
    "//\n",
    "/**/",
]


@pytest.mark.parametrize("piece", LEXICAL)
def test_there_are_no_more_tokens_than_characters(piece: str) -> None:
    text = piece * 20_000
    tokens = tokenize(text)
    assert len(tokens) <= len(text) + 1
    assert sum(map(len, tokens.texts)) + sum(end - start for start, end in tokens.comments) <= len(text)


def height(tree: Node) -> int:
    """The height of a tree, without recursion."""
    heights: dict[int, int] = {}
    nodes = list(walk(tree))
    for node in reversed(nodes):
        heights[id(node)] = 1 + max((heights[id(child)] for child in children(node)), default=0)
    return heights[id(tree)]


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
def test_no_tree_is_higher_than_the_limit(attack: Callable[[int], str]) -> None:
    low = parse_source(attack(40))
    for item in low.program.items:
        assert height(item) <= MAXIMUM_HEIGHT
        assert parse_source(print_program(low.program)).program == low.program
    for count in (100, 300, 1_300, 5_000):
        for item in parse_source(attack(count)).program.items:
            assert height(item) <= MAXIMUM_HEIGHT


@pytest.mark.parametrize(
    "text", ["(" * 2600 + "x" + ")" * 2600, "a + " * 1300 + "a", "-" * 1300 + "x", "f(" * 2600]
)
def test_deep_nesting_is_an_error_with_a_place(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_expression(text)
    assert caught.value.code == "too-deep"
    assert caught.value.line == 1
    assert caught.value.column >= 1


DEEP: dict[str, Callable[[int], str]] = {
    "calls": lambda n: "f(" * n + "x" + ")" * n,
    "operators": lambda n: "a - (" * n + "x" + ")" * n,
    "signs": lambda n: "-" * n + "x",
    "conditionals": lambda n: "if a then b else " * n + "c",
    "quantifiers": lambda n: "∀(x : T). " * n + "p",
    "lists": lambda n: "[" * n + "]" * n,
    "tuples": lambda n: "(a, " * n + "b" + ")" * n,
    "matches": lambda n: "match x { A => " * n + "b" + " }" * n,
    "applications": lambda n: "f" + "(x)" * n,
    "lambdas": lambda n: "λ x . " * n + "x",
    "lets": lambda n: "let x = 1 in " * n + "x",
    "records": lambda n: "f(a = " * n + "x" + ")" * n,
    "types": lambda n: "x : " + "F(" * n + "A" + ")" * n,
    "patterns": lambda n: "match x { " + "P(" * n + "y" + ")" * n + " => 1 }",
}


@deep_in_c
@pytest.mark.parametrize("shape", DEEP.values(), ids=list(DEEP))
def test_the_deepest_tree_prints_and_compares(shape: Callable[[int], str]) -> None:
    """The highest tree of each shape that the parser takes is one that everything else can take."""
    counts = range(1, MAXIMUM_HEIGHT + 1)
    deepest = bisect_left(counts, True, key=lambda count: not parse_source(f"define f = {shape(count)}").ok)
    program = parse_program(f"define f = {shape(deepest)}")
    assert height(program.items[0]) >= MAXIMUM_HEIGHT // 3
    for ascii in (False, True):
        assert parse_program(print_program(program, ascii=ascii)) == program
    again = parse_program(f"define f = {shape(deepest)}")
    assert again == program
    assert hash(again) == hash(program)
    with deep():
        assert repr(again)


def test_the_automaton_answers_without_moving() -> None:
    tables = load_tables()
    states = [tables.starts["expression"]]
    acceptable = Automaton(tables).acceptable(states)
    assert {"NAME", "NUMBER", "FORALL"} <= set(acceptable)
    assert not {"RPAR", "PLUS", "THEN", "$END"} & set(acceptable)
    assert states == [tables.starts["expression"]]
