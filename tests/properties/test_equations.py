"""Equations: one canonical form for each, rewriting that keeps what holds in a model, and a total order."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from kleis.explore.equations import (
    Equation,
    LawTexts,
    Rules,
    canonical,
    compare,
    proposition_of_equation,
    read_equation,
    size_of,
    variables_of,
)
from kleis.explore.finite_testing import FiniteModel
from kleis.explore.generation import equations_up_to
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.program import print_expression

OPERATIONS = {"•": 2, "inv": 1, "e": 0}


def _grown(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.tuples(st.just("inv"), parts), st.tuples(st.just("•"), parts, parts))


terms = st.recursive(st.integers(0, 2) | st.just(("e",)), _grown, max_leaves=6)


@st.composite
def models(draw: st.DrawFn) -> FiniteModel:
    """Any operations on two or three elements: no group need be among them."""
    size = draw(st.integers(2, 3))
    value = st.integers(0, size - 1)
    tables = {
        name: {point: draw(value) for point in product(range(size), repeat=arity)}
        for name, arity in OPERATIONS.items()
    }
    return FiniteModel(tuple(f"g{i}" for i in range(size)), tables)


def renamed(term: Any, names: list[int]) -> Any:
    return names[term] if isinstance(term, int) else (term[0], *(renamed(part, names) for part in term[1:]))


@given(terms, terms, st.permutations([0, 1, 2]))
def test_names_and_sides_do_not_count(left: Any, right: Any, names: list[int]) -> None:
    one = canonical(left, right)
    assert canonical(renamed(left, names), renamed(right, names)) == one
    assert canonical(right, left) == one
    assert canonical(one.left, one.right) == one
    used = [*variables_of(one.left), *variables_of(one.right)]
    assert list(dict.fromkeys(used)) == list(range(one.variables()))


@given(terms, terms)
def test_an_equation_is_read_back_from_its_proposition(left: Any, right: Any) -> None:
    equation = canonical(left, right)
    text = print_expression(proposition_of_equation(equation, parse_type("G"), "Group"))
    assert read_equation(parse_expression(text), OPERATIONS) == equation


@given(terms, terms)
def test_the_text_of_an_equation_is_that_of_its_proposition(left: Any, right: Any) -> None:
    other = {"•": "plus", "inv": "negate", "e": "power_set"}
    texts = LawTexts(parse_type("G"))
    for names in ({each: each for each in other}, other, {**other, "•": "power"}, {**other, "inv": "sqrt"}):
        equation = canonical(spelled(left, names), spelled(right, names))
        text = print_expression(proposition_of_equation(equation, parse_type("G"), ""))
        assert texts.of(equation) == text


def spelled(term: Any, names: dict[str, str]) -> Any:
    return term if isinstance(term, int) else (names[term[0]], *(spelled(each, names) for each in term[1:]))


@given(st.lists(st.integers(0, 3), max_size=3), st.integers(1, 3), st.integers(0, 2))
def test_the_equations_up_to_a_size_are_all(arities: list[int], size: int, variables: int) -> None:
    operations = {f"f{place}": arity for place, arity in enumerate(arities)}
    sized: list[list[Any]] = [[]]
    for symbols in range(1, size + 1):
        sized.append([*range(variables)] if symbols == 1 else [])
        for name, arity in operations.items():
            for sizes in product(range(1, symbols), repeat=arity):
                if sum(sizes) == symbols - 1:
                    sized[-1] += [(name, *parts) for parts in product(*(sized[each] for each in sizes))]
    every = [term for each in sized for term in each]
    expected = {canonical(one, two) for one, two in product(every, repeat=2) if one != two}
    found = list(equations_up_to(operations, size, variables, most=1_000_000))
    assert (len(found), {*found}) == (len(expected), expected)


@given(terms, terms, terms)
def test_the_order_is_total(a: Any, b: Any, c: Any) -> None:
    assert compare(a, b) == -compare(b, a)
    assert (compare(a, b) == 0) == (a == b)
    if compare(a, b) > 0 and compare(b, c) > 0:
        assert compare(a, c) > 0
    if compare(a, b) > 0:
        assert compare(("inv", a), ("inv", b)) > 0
        assert compare(("•", c, a), ("•", c, b)) > 0


@given(models(), st.lists(st.tuples(terms, terms), min_size=1, max_size=4), terms)
def test_rewriting_keeps_the_value_in_every_model_of_the_rules(
    model: FiniteModel, pairs: list[tuple[Any, Any]], term: Any
) -> None:
    rules = Rules()
    for left, right in pairs:
        equation = canonical(left, right)
        if not equation.is_trivial and not model.refutes(equation):
            rules.add(equation)
    assume(rules.known)
    last, used = rules.normal(term)
    assert model.column(last, 3) == model.column(term, 3)
    assert compare(term, last) >= 0
    assert size_of(last) <= size_of(term)
    assert used <= set(range(len(rules.known)))
    assert rules.normal(last)[0] == last


@given(models(), terms, terms)
def test_a_failure_is_a_point_where_the_sides_differ(model: FiniteModel, left: Any, right: Any) -> None:
    equation: Equation = canonical(left, right)
    if model.refutes(equation):
        at = model.failure(equation)
        assert at["left"] != at["right"]
        assert len(at) == 2 + equation.variables()
