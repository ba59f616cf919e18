"""Regular expressions: against Python's own engine, and without backtracking."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.budget import STANDARD_BUDGET, Budget, Meter
from kleis.builtins.regular import regex
from kleis.builtins.regular.automaton import Automaton, matches
from kleis.builtins.regular.regex import ANY, EMPTY, FULL, NONE, Node, join, loop, meet, negated, unite
from kleis.errors import BudgetError
from kleis.syntax.parser.parser import parse_expression
from tests.support.theories.running import refusal, value

Both = tuple[Node, str]
"""A node and the same expression for Python."""

atoms: st.SearchStrategy[Both] = st.sampled_from(
    [
        (EMPTY, "(?:)"),
        (("text", "a"), "a"),
        (("text", "ab"), "ab"),
        (("range", "a", "b"), "[a-b]"),
        (ANY, "[\\s\\S]"),
    ]
)


def larger(inner: st.SearchStrategy[Both]) -> st.SearchStrategy[Both]:
    def repeated(part: Both, low: int, more: int | None) -> Both:
        high = None if more is None else low + more
        return loop(part[0], low, high), f"(?:{part[1]}){{{low},{'' if high is None else high}}}"

    return st.one_of(
        st.builds(lambda a, b: (join(a[0], b[0]), f"(?:{a[1]})(?:{b[1]})"), inner, inner),
        st.builds(lambda a, b: (unite(a[0], b[0]), f"(?:{a[1]}|{b[1]})"), inner, inner),
        st.builds(repeated, inner, st.integers(0, 2), st.none() | st.integers(0, 2)),
    )


expressions: st.SearchStrategy[Both] = st.recursive(atoms, larger, max_leaves=6)
texts = st.text("abc", max_size=6)


def accepts(node: Node, text: str) -> bool:
    return matches(text, node, Meter(STANDARD_BUDGET))


@given(expressions, texts)
def test_agrees_with_another_engine(both: Both, text: str) -> None:
    node, pattern = both
    assert accepts(node, text) is (re.fullmatch(pattern, text) is not None)


@given(expressions, expressions, texts)
def test_boolean_operations(one: Both, other: Both, text: str) -> None:
    a, b = accepts(one[0], text), accepts(other[0], text)
    assert accepts(meet(one[0], other[0]), text) is (a and b)
    assert accepts(unite(one[0], other[0]), text) is (a or b)
    assert accepts(negated(one[0]), text) is not a
    assert not accepts(meet(one[0], negated(one[0])), text)


@given(expressions, texts)
def test_the_text_of_an_expression_means_the_same(both: Both, text: str) -> None:
    shown = regex.regex_value(both[0], Meter(STANDARD_BUDGET)).key
    parse_expression(shown)
    assert value(f'matches("{text}", {shown})') == str(accepts(both[0], text)).lower()


@given(expressions, st.integers(1, 60))
def test_an_expression_that_was_made_before_costs_the_same(both: Both, steps: int) -> None:
    """To the step, also where the budget ends on the way."""
    found: list[tuple[str, int]] = []
    regex._SHOWN.clear()
    for _ in range(2):
        meter = Meter(Budget(steps=steps, depth=10, size=1_000))
        try:
            said = regex.regex_value(both[0], meter).key
        except BudgetError as error:
            said = error.code
        found.append((said, meter.remaining))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "node",
    [
        loop(loop(("text", "a"), 0, None), 1, None),
        join(loop(unite(("text", "a"), ("text", "aa")), 0, None), ("text", "b")),
        join(*[unite(EMPTY, ("text", "a"))] * 30, *[("text", "a")] * 30),
        join(
            loop(ANY, 0, None),
            ("text", "a"),
            loop(ANY, 0, None),
            ("text", "a"),
            loop(ANY, 0, None),
            ("text", "b"),
        ),
    ],
    ids=["nested star", "overlapping", "optional", "wild"],
)
def test_no_backtracking(node: Node) -> None:
    """The work grows like the text, where a backtracking engine takes exponentially or quadratically long."""
    costs = []
    for length in (1000, 4000):
        meter = Meter(STANDARD_BUDGET)
        matches("a" * length, node, meter)
        costs.append(meter.used)
    assert costs[1] <= 4 * costs[0] + 50


def test_code_points_beyond_the_basic_plane() -> None:
    assert value('matches("😀", re_allchar)') == "true"
    assert value('matches("λ", re_range("α", "ω"))') == "true"


def test_limits() -> None:
    deep = "re_complement(re_concat(re_star(" * 40 + '"a"' + '), "b"))' * 40
    assert refusal(deep).code == "undefined"
    assert accepts(loop(("text", "a"), 1000, 100000), "a" * 1500)
    assert loop(("text", "a"), 3, 2) == NONE
    assert value('matches("", re_loop("a", 0, 0 - 1))') == "false"


@given(expressions, st.lists(st.text("abc😀", max_size=6), max_size=5))
def test_a_kept_automaton_answers_and_costs_what_a_fresh_one_does(both: Both, many: list[str]) -> None:
    kept = Automaton(both[0])
    for text in [*many, *many]:
        first, second = Meter(STANDARD_BUDGET), Meter(STANDARD_BUDGET)
        assert kept.matches(text, first) is matches(text, both[0], second)
        assert first.used == second.used


def test_what_an_automaton_keeps_is_bounded() -> None:
    bomb = join(FULL, ("text", "a"), loop(unite(("text", "a"), ("text", "b")), 14, 14))
    kept = Automaton(bomb)
    for number in range(1 << 9):
        text = f"{number:014b}".translate({48: "a", 49: "b"}) + "".join(
            "ab"[number >> k & 1] for k in range(12)
        )
        assert kept.matches(text, Meter(STANDARD_BUDGET)) is matches(text, bomb, Meter(STANDARD_BUDGET))
    assert kept.kept <= 150_000
