"""Termination of recursive definitions, by example: what is shown, under which condition, and what is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    REAL,
    Coercion,
    Construction,
    Definition,
    DefinitionCall,
    Discrimination,
    FunctionOf,
    Lambda,
    Let,
    LiteralTerm,
    Quantifier,
    Selection,
    Sort,
    Symbol,
    SymbolCall,
    Term,
    Variable,
)
from kleis.core.goal import Termination
from kleis.core.traversal import free_variables, subterms
from kleis.definedness.linear_arithmetic import All, Any, AtLeast, Fact, Linear, Unknowns, impossible
from kleis.termination.recursive_calls import term_text
from kleis.termination.show_termination import show_termination
from tests.support.terms.core_builders import (
    LEAF,
    MAKE_PAIR,
    NODE,
    PAIR,
    PLACES,
    TREE,
    at_most,
    both,
    built,
    call,
    cons,
    define,
    div,
    either,
    head,
    integer,
    integers,
    is_nil,
    less,
    minus,
    mod,
    narrow,
    natural,
    no,
    number,
    plus,
    same,
    tail,
    times,
    when,
)
from tests.support.terms.small_interpreter import holds_on_small_values

n, m, k, j = integer("n"), integer("m"), natural("k"), natural("j")
items, r = integers("l"), integers("r")
x = Variable("x", REAL)
tree = Variable("t", TREE)
TRUE, FALSE = LiteralTerm(True, BOOL), LiteralTerm(False, BOOL)


def f(*arguments: Term, sort: Sort = INTEGER) -> Term:
    return call("f", *arguments, sort=sort)


def g(*arguments: Term, sort: Sort = INTEGER) -> Term:
    return call("g", *arguments, sort=sort)


def answers(*group: Definition, **measures: tuple[Term, ...]) -> dict[str, Termination]:
    return show_termination(group, measures=measures, place=PLACES)


def one(parameters: tuple[Variable, ...], body: Term, *measures: Term) -> Termination:
    return answers(define("f", parameters, body), f=measures)["f"]


def real(value: int) -> Term:
    return Coercion(number(value), REAL)


def asked(name: str) -> Term:
    """A symbol that nobody knows anything of, at n."""
    return SymbolCall(Symbol(name, (INTEGER,), BOOL), (n,))


def fields(value: Term) -> tuple[Term, Term]:
    return Selection(NODE, 0, value), Selection(NODE, 1, value)


def leaf(value: Term) -> Term:
    return Discrimination(LEAF, value)


pair = Variable("p", PAIR)
first, second = Selection(MAKE_PAIR, 0, pair), Selection(MAKE_PAIR, 1, pair)

STRUCTURAL = {
    "sum of a list": ((items,), when(is_nil(items), number(0), plus(head(items), f(tail(items)))), (0,)),
    "two steps": ((items,), when(is_nil(items), number(0), f(tail(tail(items)))), (0,)),
    "tree": ((tree,), when(leaf(tree), number(0), plus(*(f(each) for each in fields(tree)))), (0,)),
    "merge": (
        (items, r),
        when(
            is_nil(items), number(0), when(is_nil(r), number(1), plus(f(tail(items), r), f(items, tail(r))))
        ),
        (0, 1),
    ),
    "lexicographic": (
        (items, r),
        when(is_nil(items), number(0), plus(f(tail(items), cons(number(1), r)), f(items, tail(r)))),
        (0, 1),
    ),
    "permuted": ((items, r), when(is_nil(items), number(0), f(r, tail(items))), (0, 1)),
    "let": ((items,), Let(r, tail(items), when(is_nil(items), number(0), f(r))), (0,)),
    "match on a pair": (
        (items, r),
        Let(pair, Construction(MAKE_PAIR, (items, r)), f(tail(first), second)),
        (0,),
    ),
    "accumulator": ((items, n), when(is_nil(items), n, f(tail(items), plus(n, 1))), (0,)),
    "either branch": ((items, n), f(when(less(n, 0), tail(items), tail(tail(items))), n), (0,)),
    "under a λ": (
        (items,),
        when(is_nil(items), number(0), built("any", INTEGER, Lambda((n,), f(tail(items))))),
        (0,),
    ),
    "no recursion": ((n,), n, ()),
}


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural(name: str) -> None:
    parameters, body, positions = STRUCTURAL[name]
    assert one(parameters, body) == Termination("structural", arguments=positions)


MEASURED: dict[str, tuple[tuple[Variable, ...], Term, str, str]] = {
    "factorial over ℤ": ((n,), when(same(n, 0), number(1), times(n, f(minus(n, 1)))), "n", "(n ≥ 0)"),
    "factorial over ℕ": ((k,), when(same(k, 0), number(1), times(k, f(narrow(minus(k, 1))))), "k", ""),
    "undefined before it diverges": ((k,), f(narrow(minus(k, 1))), "k", ""),
    "guarded by ≤": ((n,), when(at_most(n, 0), number(1), f(minus(n, 1))), "n", ""),
    "base 5": ((n,), when(same(n, 5), number(1), f(minus(n, 1))), "(n - 5)", "(n ≥ 5)"),
    "upwards": ((n,), when(same(n, 10), number(1), f(plus(n, 1))), "(10 - n)", "(10 ≥ n)"),
    "up to m": ((n, m), when(less(n, m), f(plus(n, 1), m), number(1)), "(m - n)", ""),
    "up to m by =": ((n, m), when(same(n, m), number(1), f(plus(n, 1), m)), "(m - n)", "(m ≥ n)"),
    "Fibonacci": (
        (n,),
        when(same(n, 0), number(0), when(same(n, 1), number(1), plus(f(minus(n, 1)), f(minus(n, 2))))),
        "n",
        "(n ≥ 0)",
    ),
    "gcd": ((n, m), when(same(m, 0), n, f(m, mod(n, m))), "abs(m)", ""),
    "halving": ((n,), when(at_most(n, 1), number(0), f(div(n, 2))), "n", ""),
    "bisection": (
        (n, m),
        Let(
            integer("y"),
            div(plus(n, m), 2),
            when(less(n, m), plus(f(plus(integer("y"), 1), m), f(n, integer("y"))), number(0)),
        ),
        "(m - n)",
        "",
    ),
    "power by squaring": (
        (n, m),
        when(same(m, 0), number(1), when(same(mod(m, 2), 0), f(times(n, n), div(m, 2)), f(n, minus(m, 1)))),
        "m",
        "(m ≥ 0)",
    ),
    "Ackermann": (
        (m, n),
        when(
            at_most(m, 0),
            plus(n, 1),
            when(at_most(n, 0), f(minus(m, 1), number(1)), f(minus(m, 1), f(m, minus(n, 1)))),
        ),
        "m, n",
        "",
    ),
    "a value in a hole": (
        (n,),
        when(same(n, 0), number(1), when(same(n, -5), number(7), f(minus(n, 1)))),
        "(n + 5)",
        "((n + 5) ≥ 0)",
    ),
    "a base case beside the condition": (
        (n, m),
        when(
            same(m, 0),
            number(1),
            when(same(n, 0), number(0), plus(f(minus(n, 1), minus(m, 1)), f(minus(n, 1), m))),
        ),
        "n",
        "((n ≥ 0) ∨ ((m = 0) ∨ (n = 0)))",
    ),
    "left operand of ∨": ((n,), either(at_most(n, 0), f(minus(n, 1), sort=BOOL)), "n", ""),
    "left operand of ∧": ((n,), both(less(0, n), f(minus(n, 1), sort=BOOL)), "n", ""),
    "unit steps over ℝ": (
        (x,),
        when(built("leq", BOOL, x, real(0)), x, f(built("minus", REAL, x, real(1)), sort=REAL)),
        "x",
        "",
    ),
    "below a quantifier": (
        (k,),
        Quantifier("forall", (j,), either(no(less(j, k)), f(j, sort=BOOL))),
        "k",
        "",
    ),
    "a longer list, a smaller number": (
        (items, n),
        when(at_most(n, 0), number(0), f(cons(n, items), minus(n, 1))),
        "n",
        "",
    ),
}


@pytest.mark.parametrize("name", MEASURED)
def test_measured(name: str) -> None:
    parameters, body, measures, condition = MEASURED[name]
    found = one(parameters, body)
    assert (found.kind, found.obligations) == ("measure", ())
    assert ", ".join(map(term_text, found.measures)) == measures
    assert (term_text(found.condition) if found.condition else "") == condition


UNKNOWN: dict[str, tuple[tuple[Variable, ...], Term]] = {
    "f(x) = f(x) + 1": ((n,), plus(f(n), 1)),
    "p(x) = ¬p(x)": ((n,), no(f(n, sort=BOOL))),
    "the same list": ((items,), when(is_nil(items), number(0), f(items))),
    "a rebuilt list": ((items,), when(is_nil(items), number(0), f(cons(head(items), tail(items))))),
    "a growing list": ((items, r), when(is_nil(items), number(0), f(cons(number(1), r), tail(items)))),
    "steps over the end": ((n,), when(same(n, 0), number(1), f(minus(n, 2)))),
    "Collatz": (
        (n,),
        when(at_most(n, 1), number(0), when(same(mod(n, 2), 0), f(div(n, 2)), f(plus(times(3, n), 1)))),
    ),
    "nested": ((n,), when(at_most(n, 0), number(0), f(f(minus(n, 1))))),
    "halving over ℝ": (
        (x,),
        when(built("leq", BOOL, x, real(0)), x, f(built("divide", REAL, x, real(2)), sort=REAL)),
    ),
    "right operand of ∧": ((n,), both(f(minus(n, 1), sort=BOOL), less(0, n))),
    "an undefined left operand": ((n,), either(same(div(1, 0), 1), f(n, sort=BOOL))),
    "an undefined guard hides nothing": ((n,), both(same(div(n, minus(n, n)), 1), f(n, sort=BOOL))),
    "the unknown p(n), upwards": ((n,), when(asked("p"), number(0), f(plus(n, 1)))),
    "the unknown p(n), downwards": ((n,), when(asked("p"), number(0), f(minus(n, 1)))),
    "a λ over anything": ((items,), built("all", INTEGER, Lambda((r,), f(r)))),
    "a quantifier over anything": ((n,), Quantifier("exists", (m,), f(m, sort=BOOL))),
    "a function of itself": ((Variable("h", FunctionOf((INTEGER,), INTEGER)),), f(Lambda((n,), n))),
    "no end below a natural number": ((k, n), f(k, minus(n, 1))),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_says_which_call(name: str) -> None:
    parameters, body = UNKNOWN[name]
    found = one(parameters, body)
    assert (found.kind, found.condition, found.obligations) == ("unknown", None, ())
    assert "the call f(" in found.reason
    assert "@decreases(" in found.reason


def test_a_condition_is_not_offered_where_values_lie_outside() -> None:
    """n < 0 leads to a value wherever p holds, so n ≥ 0 is not where the definition is defined."""
    body = when(both(less(n, 0), asked("p")), number(7), when(same(n, 0), number(1), f(minus(n, 1))))
    found = one((n,), body)
    assert found.kind == "unknown"
    assert "may have values elsewhere" in found.reason


def test_mutual_recursion() -> None:
    even = define("f", (n,), when(same(n, 0), TRUE, g(minus(n, 1), sort=BOOL)), "g")
    odd = define("g", (m,), when(same(m, 0), FALSE, f(minus(m, 1), sort=BOOL)), "f")
    found = answers(even, odd)
    assert [term_text(found[key].measures[0]) for key in "fg"] == ["n", "m"]
    assert [term_text(each.condition) for each in found.values() if each.condition] == ["(n ≥ 0)", "(m ≥ 0)"]


def test_mutual_recursion_with_a_call_that_only_hands_on() -> None:
    found = answers(
        define("f", (n,), g(n), "g"), define("g", (m,), when(at_most(m, 0), number(0), f(minus(m, 1))), "f")
    )
    assert [[term_text(each) for each in found[key].measures] for key in "fg"] == [["n", "1"], ["m", "0"]]
    lists = answers(define("f", (items,), g(number(1), items), "g"), define("g", (n, r), f(tail(r)), "f"))
    assert [lists[key].arguments for key in "fg"] == [(0,), (1,)]


def test_one_bad_member_spoils_the_group() -> None:
    found = answers(define("f", (items,), g(tail(items)), "g"), define("g", (r,), plus(f(r), g(r)), "f"))
    assert {each.kind for each in found.values()} == {"unknown"}


def test_stated_measures() -> None:
    body = when(less(n, 100), f(plus(n, 1)), n)
    assert one((n,), body, minus(100, n)) == Termination("measure", measures=(minus(100, n),))
    refuted = one((n,), body, n)
    assert refuted.kind == "unknown"
    assert "f((n + 1))" in refuted.reason
    assert "n = 0" in refuted.reason


def test_a_stated_measure_takes_a_condition_where_it_needs_one() -> None:
    found = one((n,), when(same(n, 0), number(1), f(minus(n, 1))), n)
    assert found.kind == "measure"
    assert found.condition is not None
    assert term_text(found.condition) == "(n ≥ 0)"


def test_what_linear_arithmetic_does_not_know_is_left_to_the_prover() -> None:
    body = when(both(less(0, m), less(0, n)), f(minus(n, times(m, m)), m), number(0))
    for found in (one((n, m), body), one((n, m), body, n)):
        assert (found.kind, found.condition) == ("measure", None)
        (obligation,) = found.obligations
        assert (obligation.kind, obligation.subject, obligation.name) == (
            "termination",
            "f",
            "f::decreases::1",
        )
        assert obligation.place == PLACES["f"]
        assert free_variables(obligation.formula) == ()
        assert holds_on_small_values(obligation.formula)


def test_obligations_of_nested_calls_speak_of_any_value() -> None:
    """f(m * m, f(m, n - 1)) with the measure n: the inner value may be anything, so this is refuted."""
    body = when(at_most(n, 0), number(0), f(times(m, m), f(m, minus(n, 1))))
    found = one((m, n), body, n)
    assert found.kind == "unknown"
    assert "r1 =" in found.reason
    body = when(either(at_most(n, 0), less(f(m, minus(n, 1)), 5)), number(0), f(m, minus(n, times(m, m))))
    found = one((m, n), body, plus(n, 0))
    assert not any(isinstance(each, DefinitionCall) for each in _formulas(found))


def _formulas(found: Termination) -> list[Term]:
    return [part for obligation in found.obligations for part in subterms(obligation.formula)]


def test_a_partial_measure_is_never_taken_for_granted() -> None:
    """n as a natural number is "≥ 0" only where it is one."""
    body = when(same(n, 0), number(1), f(minus(n, 1)))
    found = one((n,), body, narrow(n))
    assert found.kind == "unknown" or found.obligations


def test_measures_of_other_sorts_are_refused() -> None:
    assert "length" in one((items,), f(cons(number(0), items)), items).reason
    halving = when(built("leq", BOOL, x, real(0)), x, f(built("divide", REAL, x, real(2)), sort=REAL))
    found = one((x,), halving, x)
    assert found.kind == "unknown"
    assert "at least 1 less" in found.reason


def test_measures_of_a_part_of_the_group() -> None:
    members = (
        define("f", (n,), when(less(n, 9), g(plus(n, 1)), n), "g"),
        define("g", (m,), f(m), "f"),
    )
    assert answers(*members, f=(minus(9, n),))["g"].kind == "measure"
    found = answers(*members, f=(n,))["g"]
    assert found.kind == "unknown"
    assert "before g" in found.reason


def test_many_lets_take_no_exponential_time() -> None:
    """Each variable is twice the one before: written out, the last has 2^60 leaves."""
    body: Term = f(minus(n, 1))
    for index in reversed(range(60)):
        before = n if index == 0 else integer(f"y{index - 1}")
        body = Let(integer(f"y{index}"), plus(before, before), when(less(before, 0), number(0), body))
    assert one((n,), body).kind == "measure"
    parts: Term = f(tail(integers("z59")))
    for index in reversed(range(60)):
        old = items if index == 0 else integers(f"z{index - 1}")
        parts = Let(integers(f"z{index}"), when(is_nil(old), old, old), parts)
    assert one((items,), parts).kind == "structural"


# ── Linear arithmetic ────────────────────────────────────────────────────────────────────────────────────────

_FORMS = st.builds(
    lambda a, b, c, constant, half: Linear.of(
        {0: Fraction(a), 1: Fraction(b), 2: Fraction(c, 2 if half else 1)}, Fraction(constant)
    ),
    *(st.integers(-4, 4) for _ in range(4)),
    st.booleans(),
)
_FACTS: st.SearchStrategy[Fact] = st.recursive(
    st.builds(AtLeast, _FORMS, st.booleans()),
    lambda inner: st.builds(
        lambda kind, facts: kind(tuple(facts)), st.sampled_from([All, Any]), st.lists(inner, max_size=3)
    ),
    max_leaves=6,
)


def _true(fact: Fact, point: tuple[Fraction, ...]) -> bool:
    if isinstance(fact, AtLeast):
        value = fact.form.constant + sum(factor * point[index] for index, factor in fact.form.terms)
        return value > 0 if fact.strict else value >= 0
    combine = all if isinstance(fact, All) else any
    return combine(_true(each, point) for each in fact.facts)


@given(st.lists(_FACTS, max_size=5), st.booleans(), st.lists(st.integers(-6, 6), min_size=3, max_size=3))
def test_what_has_a_solution_is_never_impossible(facts: list[Fact], whole: bool, values: list[int]) -> None:
    unknowns = Unknowns()
    for name in "abc":
        unknowns.unknown(name, integral=whole)
    scale = 1 if whole else 2
    point = tuple(Fraction(value, scale) for value in values)
    true_facts = [fact for fact in facts if _true(fact, point)]
    assert not impossible(true_facts, unknowns)
    if impossible(facts, unknowns):
        assert not all(_true(fact, point) for fact in facts)


def test_integers_are_rounded() -> None:
    unknowns = Unknowns()
    value = unknowns.unknown("n", integral=True)
    between = [AtLeast(value, True), AtLeast(value.scaled(-1).shifted(1), True)]
    assert impossible(between, unknowns)
    half = unknowns.unknown("x", integral=False)
    assert not impossible([AtLeast(half, True), AtLeast(half.scaled(-1).shifted(1), True)], unknowns)
    odd = [AtLeast(value.scaled(2).shifted(-1)), AtLeast(value.scaled(-2).shifted(1))]
    assert impossible(odd, unknowns)


def test_natural_arguments_are_assumed_only_where_the_call_is_made() -> None:
    """The narrowing stands in the left operand of ∨: below 5 it is undefined, and then the call matters."""
    risky = either(
        built("leq", BOOL, narrow(minus(n, 5)), LiteralTerm(0, NATURAL)), f(minus(n, 1), sort=BOOL)
    )
    found = one((n,), risky)
    assert found.condition is not None
    assert term_text(found.condition) == "(n ≥ 5)"
    assert all(holds_on_small_values(each.formula) for each in found.obligations)


def test_guesses_are_dropped_where_values_given_on_the_path_refute_them() -> None:
    """f(4) calls f(4): the value 4 is given by a `let`, small values alone would not find it."""
    y = integer("y")
    assert one((k,), Let(y, number(40), f(narrow(y)))).kind == "unknown"
