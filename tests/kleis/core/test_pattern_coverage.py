"""Which values a match leaves out, and which of its cases can never be reached."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import BOOL, INTEGER, STRING, Constructor, ConstructorField, DataSort, ListOf, Sort, TupleOf
from kleis.core.goal import ElaborationError
from kleis.core.pattern_coverage import Coverage, coverage
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Case, ConstructorPattern, Match, Name, Pattern, WildcardPattern

COLOR = DataSort("Color")
TREE = DataSort("Tree")
TYPES = {
    COLOR: tuple(Constructor(name, (), COLOR) for name in ("Red", "Green", "Blue")),
    TREE: (
        Constructor("Leaf", (ConstructorField("_0", BOOL),), TREE),
        Constructor("Node", (ConstructorField("_0", TREE), ConstructorField("_1", TREE)), TREE),
    ),
}


def check(cases: str, sort: Sort) -> Coverage:
    expression = parse_expression("match x { " + cases + " }")
    assert isinstance(expression, Match)
    return coverage(expression.cases, sort, TYPES.__getitem__)


@pytest.mark.parametrize(
    ("cases", "sort", "uncovered", "unreachable"),
    [
        ("Red => 1 | Green => 2 | Blue => 3", COLOR, None, ()),
        ("Red => 1 | Blue => 3", COLOR, "Green", ()),
        ("Red => 1 | Red => 2 | _ => 3", COLOR, None, (1,)),
        ("c => 1 | Red => 2", COLOR, None, (1,)),
        ("true => 1 | false => 2", BOOL, None, ()),
        ("True => 1 | False => 2", BOOL, None, ()),
        ("true => 1", BOOL, "false", ()),
        ("[] => 0 | Cons(h, t) => 1", ListOf(INTEGER), None, ()),
        ("[] => 0 | [a] => 1", ListOf(INTEGER), "Cons(_, Cons(_, _))", ()),
        ("[] => 0 | [a] => 1 | Cons(a, Cons(b, t)) => 2", ListOf(INTEGER), None, ()),
        ("Cons(h, t) => 1 | [a] => 2 | Nil => 3", ListOf(INTEGER), None, (1,)),
        ("0 => 1 | 1 => 2", INTEGER, "_", ()),
        ("0 => 1 | n => 2", INTEGER, None, ()),
        ("1 => 1 | 1.0 => 2 | 10e-1 => 3 | _ => 4", INTEGER, None, (1, 2)),
        ("100 => 1 | 1e2 => 2 | 10 => 3 | 1e999999999999 => 4 | _ => 5", INTEGER, None, (1,)),
        ('"a" => 1 | "b" => 2 | "a" => 3 | _ => 4', STRING, None, (2,)),
        ("Leaf(true) => 1 | Node(_, _) => 2", TREE, "Leaf(false)", ()),
        (
            "Leaf(b) => 1 | Node(Leaf(true), r) => 2 | Node(l, Leaf(_)) => 3",
            TREE,
            "Node(Node(_, _), Node(_, _))",
            (),
        ),
        ("(true, _) => 1 | (_, Red) => 2", TupleOf((BOOL, COLOR)), "(false, Green)", ()),
        ("(true, _) => 1 | (_, Red) => 2 | (false, b) => 3", TupleOf((BOOL, COLOR)), None, ()),
        ("(Red, Red) => 1 | (a, a) => 2 | (_, _) => 3", TupleOf((COLOR, COLOR)), None, ()),
        ("(a, a) => 1", TupleOf((COLOR, COLOR)), "_", ()),
        ("c if c = Red => 1 | Green => 2 | Blue => 3", COLOR, "Red", ()),
        ("Red => 0 | Red if true => 1 | _ => 2", COLOR, None, (1,)),
        ("Red as c => 1 | Green => 2 | Blue as c => 3", COLOR, None, ()),
        ("(a, b, c) => 1", TupleOf((BOOL, BOOL, BOOL)), None, ()),
        ("() => 1", TupleOf(()), None, ()),
    ],
)
def test_by_hand(cases: str, sort: Sort, uncovered: str | None, unreachable: tuple[int, ...]) -> None:
    assert check(cases, sort) == Coverage(uncovered, unreachable)


def test_a_pattern_of_another_sort_is_refused_with_what_would_do() -> None:
    with pytest.raises(ElaborationError) as caught:
        check("Red => 1 | Purple => 2", COLOR)
    assert caught.value.code == "wrong_pattern"
    assert caught.value.expected == ("Red", "Green", "Blue")


def test_hard_matches_are_given_up_with_advice() -> None:
    """The pigeonhole principle as a match: a case for each pigeon without a hole and each hole with two pigeons."""
    pigeons, holes = 8, 7
    columns = [(pigeon, hole) for pigeon in range(pigeons) for hole in range(holes)]

    def case(fixed: set[tuple[int, int]], value: str) -> Case:
        parts = (ConstructorPattern(value) if each in fixed else WildcardPattern() for each in columns)
        return Case(ConstructorPattern(f"Tuple{len(columns)}", tuple(parts)), None, Name("y"))

    cases = [case({(pigeon, hole) for hole in range(holes)}, "False") for pigeon in range(pigeons)]
    for hole in range(holes):
        pairs = itertools.combinations(range(pigeons), 2)
        cases.extend(case({(one, hole), (other, hole)}, "True") for one, other in pairs)
    with pytest.raises(ElaborationError) as caught:
        coverage(cases, TupleOf((BOOL,) * len(columns)), TYPES.__getitem__)
    assert caught.value.code == "match_too_large"
    assert caught.value.hint


def test_long_list_patterns_do_not_exhaust_the_stack() -> None:
    long = ", ".join(["0"] * 2000)
    assert check(f"[{long}] => 1 | _ => 2", ListOf(INTEGER)) == Coverage(None)


Value = tuple[str, tuple["Value", ...]]


def _values(depth: int) -> list[Value]:
    """All trees up to a depth."""
    leaves: list[Value] = [("Leaf", ((truth, ()),)) for truth in ("true", "false")]
    if depth == 0:
        return leaves
    smaller = _values(depth - 1)
    return leaves + [("Node", pair) for pair in itertools.product(smaller, smaller)]


def _matches(pattern: Pattern, value: Value) -> bool:
    if isinstance(pattern, ConstructorPattern):
        return pattern.name == value[0] and all(map(_matches, pattern.arguments, value[1]))
    return True


_TRUTHS = st.sampled_from([WildcardPattern(), ConstructorPattern("true"), ConstructorPattern("false")])
_TREES = st.recursive(
    st.just(WildcardPattern()) | st.builds(lambda part: ConstructorPattern("Leaf", (part,)), _TRUTHS),
    lambda inner: st.builds(lambda a, b: ConstructorPattern("Node", (a, b)), inner, inner),
    max_leaves=3,
)


def _height(pattern: Pattern) -> int:
    inner = pattern.arguments if isinstance(pattern, ConstructorPattern) else ()
    return max((1 + _height(each) for each in inner), default=0)


@given(st.lists(_TREES, min_size=1, max_size=5))
def test_agrees_with_all_small_values(patterns: list[Pattern]) -> None:
    """Trees of height 2 tell apart all patterns of height 2."""
    patterns = [each for each in patterns if _height(each) <= 2] or [WildcardPattern()]
    found = coverage([Case(each, None, Name("y")) for each in patterns], TREE, TYPES.__getitem__)
    first = [
        next((i for i, each in enumerate(patterns) if _matches(each, value)), None) for value in _values(2)
    ]
    assert found.exhaustive == (None not in first)
    assert found.unreachable == tuple(i for i in range(len(patterns)) if i not in first)
    if found.uncovered is not None:
        shown = parse_expression(f"match x {{ {found.uncovered} => 1 }}")
        assert isinstance(shown, Match)
        values = [value for value in _values(2) if _matches_text(shown.cases[0].pattern, value)]
        assert values
        assert not any(_matches(each, value) for each in patterns for value in values)


def _matches_text(pattern: Pattern, value: Value) -> bool:
    """As `_matches`, for patterns read from text, where truth values are literals."""
    if isinstance(pattern, ConstructorPattern):
        return pattern.name == value[0] and all(map(_matches_text, pattern.arguments, value[1]))
    literal = getattr(pattern, "value", None)
    return literal is None or ("true" if literal.value else "false") == value[0]
