"""The value of every kind of core term, sentence by sentence of kleis/core/terms.py."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import pytest

from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    Application,
    Conditional,
    Construction,
    Constructor,
    ConstructorField,
    DataSort,
    Definition,
    DefinitionCall,
    Discrimination,
    Equals,
    FunctionOf,
    Lambda,
    Let,
    ListOf,
    Narrowing,
    Selection,
    SetOf,
    Term,
    Undefined,
    Variable,
)
from kleis.core.goal import DataType, Goal, Termination
from kleis.errors import EvaluationError
from kleis.semantics.ranges import Bounds
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED, union
from tests.support.terms.goal_builders import (
    CONS,
    NIL,
    NO,
    NO_INTEGER,
    NONE,
    OPTION,
    SOME,
    VOID,
    YES,
    X,
    Y,
    at_most,
    both,
    builtin,
    either,
    every,
    implies,
    integer,
    less,
    listed,
    literal,
    minus,
    no,
    outcome,
    over,
    parameter,
    plus,
    real,
    render_value_of,
    some,
    times,
    truth,
    widened,
)

N = Variable("n", NATURAL)
R = Variable("r", REAL)


# ── Connectives: strong Kleene, whatever the order ───────────────────────────────────────────────────────────


def test_what_decides_a_connective_decides_it_in_any_order() -> None:
    for parts in permutations((NO, VOID, YES)):
        assert truth(both(*parts)) is FALSE
        assert truth(either(*parts)) is TRUE
    for parts in permutations((VOID, YES)):
        assert truth(both(*parts)) is UNDEFINED
    for parts in permutations((VOID, NO)):
        assert truth(either(*parts)) is UNDEFINED


def test_implication_and_negation() -> None:
    assert truth(implies(NO, VOID)) is TRUE
    assert truth(implies(VOID, YES)) is TRUE
    assert truth(implies(VOID, NO)) is UNDEFINED
    assert truth(implies(YES, VOID)) is UNDEFINED
    assert truth(no(VOID)) is UNDEFINED


def test_a_guard_makes_a_division_harmless_on_either_side() -> None:
    zero, safe = Equals(R, real(0)), Equals(over(R, R), real(1))
    for claim in (either(zero, safe), either(safe, zero), implies(no(zero), safe)):
        assert {truth(claim, {"r": value}) for value in (0, 1, Fraction(-1, 2))} == {TRUE}
    assert truth(safe, {"r": 0}) is UNDEFINED


# ── Strict terms ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "term",
    [
        Equals(NO_INTEGER, integer(1)),
        Equals(integer(1), NO_INTEGER),
        Equals(VOID, YES),
        Equals(VOID, VOID),
        less(NO_INTEGER, integer(1)),
        Let(X, NO_INTEGER, YES),
        Let(Variable("b", BOOL), VOID, YES),
        Conditional(VOID, YES, YES),
        Conditional(YES, VOID, YES),
        Equals(listed(integer(1), NO_INTEGER), listed()),
        Discrimination(NIL, listed(NO_INTEGER)),
        Application(Lambda((X,), YES), (NO_INTEGER,), BOOL),
        Application(Undefined(FunctionOf((INTEGER,), BOOL), "a test"), (integer(1),), BOOL),
        Equals(widened(NO_INTEGER, REAL), real(1)),
        Equals(Narrowing(NO_INTEGER), literal(1)),
    ],
)
def test_undefined_if_a_part_is(term: Term) -> None:
    assert truth(term) is UNDEFINED


def test_the_branch_not_taken_does_not_matter() -> None:
    assert truth(Conditional(YES, NO, VOID)) is FALSE
    assert truth(Conditional(NO, VOID, YES)) is TRUE
    assert outcome(Conditional(YES, integer(3), NO_INTEGER)) == 3


def test_equality_on_bool_is_equivalence() -> None:
    values = {(a, b): truth(Equals(literal(a), literal(b))) for a, b in product((True, False), repeat=2)}
    assert [pair for pair, value in values.items() if value is TRUE] == [(True, True), (False, False)]
    assert all(value.decided for value in values.values())


def test_a_let_names_a_value() -> None:
    assert outcome(Let(X, integer(3), times(X, X))) == 9
    flag = Variable("b", BOOL)
    assert truth(Let(flag, less(integer(1), integer(2)), no(flag))) is FALSE


def test_a_builtin_is_undefined_where_its_condition_is_not_true() -> None:
    guarded = builtin("div", INTEGER, X, Y, condition=VOID)
    assert outcome(guarded, {"x": 6, "y": 2}) is UNDEFINED
    unknown = builtin("div", INTEGER, X, Y, condition=every(at_most(N, N), N))
    assert outcome(unknown, {"x": 6, "y": 2}) is OPEN
    assert outcome(unknown, {"x": 6, "y": 2}, mode="relativised") == 3


def test_a_row_without_value_where_the_condition_holds_is_a_defect_that_shows() -> None:
    with pytest.raises(EvaluationError, match="zero"):
        outcome(builtin("div", INTEGER, integer(1), integer(0)))


def test_a_narrowing_is_undefined_where_its_integer_is_negative() -> None:
    assert outcome(Narrowing(minus(literal(3), literal(1)))) == 2
    assert outcome(Narrowing(minus(literal(1), literal(3)))) is UNDEFINED
    assert outcome(Narrowing(integer(0))) == 0


def test_a_selection_is_undefined_where_its_constructor_is_another() -> None:
    five = Construction(SOME, (integer(5),))
    assert outcome(Selection(SOME, 0, five)) == 5
    assert outcome(Selection(SOME, 0, Construction(NONE, ()))) is UNDEFINED
    assert outcome(Selection(CONS, 0, listed())) is UNDEFINED
    assert outcome(Selection(CONS, 0, listed(integer(4)))) == 4
    assert render_value_of(Selection(CONS, 1, listed(integer(4), integer(5)))) == "[5]"


def test_discriminations() -> None:
    assert truth(Discrimination(SOME, Construction(SOME, (integer(5),)))) is TRUE
    assert truth(Discrimination(NONE, Construction(SOME, (integer(5),)))) is FALSE
    assert truth(Discrimination(CONS, listed())) is FALSE
    assert truth(Discrimination(NIL, listed())) is TRUE


# ── Functions and definitions ────────────────────────────────────────────────────────────────────────────────


def test_a_lambda_is_a_value_even_where_its_body_is_undefined() -> None:
    hole = Lambda((X,), Undefined(INTEGER, "a test"))
    assert truth(Let(Variable("f", hole.sort), hole, YES)) is TRUE
    assert outcome(Application(hole, (integer(1),), INTEGER)) is UNDEFINED


def test_functions_are_equal_if_they_agree_everywhere() -> None:
    bit = Variable("b", BOOL)
    twice, same = Lambda((bit,), no(no(bit))), Lambda((bit,), bit)
    assert truth(Equals(twice, same)) is TRUE
    assert truth(Equals(Lambda((bit,), no(bit)), same)) is FALSE
    assert truth(Equals(Lambda((bit,), VOID), same)) is UNDEFINED
    assert truth(Equals(Lambda((X,), plus(X, X)), Lambda((X,), times(integer(2), X)))) is OPEN
    assert truth(Equals(Lambda((X,), plus(X, X)), Lambda((X,), times(X, X)))) is FALSE


def test_inner_variables_shadow_and_nothing_is_captured() -> None:
    shadowed = Let(X, integer(1), plus(Let(X, integer(5), X), X))
    assert outcome(shadowed) == 6
    adder = Lambda((Y,), plus(X, Y))
    applied = Let(Y, integer(100), Application(adder, (integer(1),), INTEGER))
    assert outcome(Let(X, integer(10), applied)) == 11
    add_x = Definition("f", "f", (Y,), INTEGER, plus(Y, integer(1)))
    term = Let(Y, integer(40), DefinitionCall("f", (plus(Y, integer(1)),), INTEGER))
    assert outcome(term, meaning=Goal(claim=None, definitions=(add_x,))) == 42


def test_the_body_of_a_definition_does_not_see_the_variables_of_its_caller() -> None:
    leak = Definition("f", "f", (Y,), INTEGER, Let(X, integer(1), Y))
    term = Let(X, integer(7), plus(DefinitionCall("f", (X,), INTEGER), X))
    assert outcome(term, meaning=Goal(claim=None, definitions=(leak,))) == 14


FACTORIAL_BODY = Conditional(
    Equals(X, integer(0)),
    integer(1),
    times(X, DefinitionCall("fact", (minus(X, integer(1)),), INTEGER)),
)
FACTORIAL = Definition("fact", "fact", (X,), INTEGER, FACTORIAL_BODY, ("fact",))


def factorial(termination: Termination) -> Goal:
    return Goal(claim=None, definitions=(FACTORIAL,), terminations=(("fact", termination),))


def test_a_recursive_definition_means_its_body() -> None:
    shown = factorial(Termination("measure", condition=at_most(integer(0), X)))
    assert outcome(DefinitionCall("fact", (integer(10),), INTEGER), meaning=shown) == 3628800
    assert outcome(DefinitionCall("fact", (integer(-1),), INTEGER), meaning=shown) is UNDEFINED


def test_ground_calls_are_computed_where_termination_is_not_shown() -> None:
    unknown = factorial(Termination("unknown", reason="a test"))
    assert outcome(DefinitionCall("fact", (integer(10),), INTEGER), meaning=unknown) == 3628800
    for mode in ("one-sided", "relativised"):
        endless = DefinitionCall("fact", (integer(-1),), INTEGER)
        assert outcome(endless, meaning=unknown, mode=mode) is OPEN
        assert truth(both(NO, Equals(endless, integer(1))), meaning=unknown, mode=mode) is FALSE
        assert truth(both(Equals(endless, integer(1)), NO), meaning=unknown, mode=mode) is FALSE


def test_a_call_is_undefined_where_the_body_is() -> None:
    partial = Definition("f", "f", (X,), INTEGER, Conditional(Equals(X, integer(0)), NO_INTEGER, X))
    meaning = Goal(claim=None, definitions=(partial,))
    assert outcome(DefinitionCall("f", (integer(0),), INTEGER), meaning=meaning) is UNDEFINED
    assert outcome(DefinitionCall("f", (integer(2),), INTEGER), meaning=meaning) == 2
    assert outcome(DefinitionCall("f", (NO_INTEGER,), INTEGER), meaning=meaning) is UNDEFINED


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_div_and_mod_floor() -> None:
    nonzero = no(Equals(parameter(1, INTEGER), integer(0)))
    for a, b in product((-7, 0, 7), (-2, 3)):
        quotient = builtin("div", INTEGER, integer(a), integer(b), condition=nonzero)
        rest = builtin("mod", INTEGER, integer(a), integer(b), condition=nonzero)
        assert (outcome(quotient), outcome(rest)) == (a // b, a % b)
    assert outcome(builtin("mod", INTEGER, integer(1), integer(0), condition=nonzero)) is UNDEFINED


def test_numbers_are_exact_and_floats_decide_nothing() -> None:
    third = over(real(1), real(3))
    assert outcome(third) == Fraction(1, 3)
    assert truth(Equals(times(third, real(3)), real(1))) is TRUE
    root = builtin("sqrt", REAL, real(2))
    assert outcome(root) is OPEN
    assert truth(Equals(times(root, root), real(2))) is OPEN
    assert truth(less(real(1000), root)) is FALSE
    assert outcome(builtin("sqrt", REAL, real(Fraction(9, 4)))) == Fraction(3, 2)
    assert truth(both(NO, less(real(1), root))) is FALSE


def test_a_coercion_changes_the_sort_not_the_value() -> None:
    assert outcome(widened(widened(literal(2), RATIONAL), COMPLEX)) == 2
    assert render_value_of(widened(listed(integer(1)), ListOf(REAL))) == "[1]"
    assert truth(Equals(widened(literal(2), RATIONAL), literal(Fraction(4, 2)))) is TRUE


def test_natural_numbers_start_at_zero_and_integers_do_not() -> None:
    def has_predecessor(of: Variable, predecessor: Variable) -> Term:
        one = integer(1) if of.sort == INTEGER else literal(1)
        return Equals(plus(predecessor, one), of)

    m = Variable("m", NATURAL)
    assert truth(every(at_most(literal(0), N), N)) is OPEN
    assert truth(every(at_most(literal(0), N), N), mode="relativised") is TRUE
    assert truth(every(at_most(integer(0), X), X)) is FALSE
    bounds = Bounds(integer=4, natural=4)
    assert truth(some(has_predecessor(literal(0), m), m), bounds=bounds, mode="relativised") is FALSE
    assert truth(some(has_predecessor(integer(0), Y), Y), bounds=bounds) is TRUE


# ── Quantifiers ──────────────────────────────────────────────────────────────────────────────────────────────


def test_over_a_range_that_is_complete_both_modes_decide() -> None:
    a, b = Variable("a", BOOL), Variable("b", BOOL)
    for mode in ("one-sided", "relativised"):
        assert truth(every(either(a, no(a)), a), mode=mode) is TRUE
        assert truth(every(some(Equals(a, no(b)), b), a), mode=mode) is TRUE
        assert truth(some(every(Equals(a, b), b), a), mode=mode) is FALSE
        assert truth(every(Conditional(a, VOID, YES), a), mode=mode) is UNDEFINED
        assert truth(every(Conditional(a, VOID, NO), a), mode=mode) is FALSE
        assert truth(some(Conditional(a, VOID, YES), a), mode=mode) is TRUE
        assert truth(some(Conditional(a, VOID, NO), a), mode=mode) is UNDEFINED


def test_over_a_cut_off_range_one_side_is_decided() -> None:
    small, large = at_most(X, integer(99)), at_most(integer(99), X)
    assert truth(every(small, X)) is OPEN
    assert truth(every(large, X)) is FALSE
    assert truth(some(small, X)) is TRUE
    assert truth(some(large, X)) is OPEN
    assert truth(every(small, X), mode="relativised") is TRUE
    assert truth(some(large, X), mode="relativised") is FALSE


def test_what_is_undefined_somewhere_is_not_true_everywhere() -> None:
    reflexive = Equals(over(R, R), real(1))
    assert truth(every(reflexive, R)) is union(FALSE, UNDEFINED)
    assert truth(some(no(reflexive), R)) is union(TRUE, UNDEFINED)
    assert truth(every(reflexive, R), mode="relativised") is UNDEFINED


def test_where_is_implied_under_every_and_joined_under_some() -> None:
    positive = less(integer(0), X)
    assert truth(every(implies(positive, at_most(integer(1), X)), X), mode="relativised") is TRUE
    assert truth(every(both(positive, at_most(integer(1), X)), X)) is FALSE
    assert truth(some(both(positive, less(X, integer(1))), X), mode="relativised") is FALSE
    assert truth(some(implies(positive, less(X, integer(1))), X)) is TRUE


def test_terms_compute_beyond_the_ranges() -> None:
    assert truth(every(less(X, plus(X, integer(1000))), X), mode="relativised") is TRUE
    assert outcome(times(integer(10**6), integer(10**6))) == 10**12


def test_quantifiers_over_functions_and_sets() -> None:
    f = Variable("f", FunctionOf((BOOL,), BOOL))
    bit = Variable("b", BOOL)
    thrice: Term = bit
    for _ in range(3):
        thrice = Application(f, (thrice,), BOOL)
    assert truth(every(Equals(thrice, Application(f, (bit,), BOOL)), f, bit)) is TRUE
    assert truth(every(Equals(Application(f, (bit,), BOOL), bit), f, bit)) is FALSE
    s = Variable("s", SetOf(BOOL))
    whole = builtin("union", SetOf(BOOL), s, builtin("complement", SetOf(BOOL), s))
    assert truth(every(builtin("in_set", BOOL, bit, whole), s, bit)) is TRUE


def test_a_range_without_values_says_nothing() -> None:
    deep = Goal(claim=None, data=((DataType(OPTION, (SOME,)),),))
    o = Variable("o", OPTION)
    bounds = Bounds(depth=1)
    assert truth(every(NO, o), meaning=deep, bounds=bounds) is FALSE
    chain = DataSort("Chain")
    link = Constructor("Link", (ConstructorField("_0", chain),), chain)
    endless = Goal(claim=None, data=((DataType(chain, (link,)),),))
    for mode in ("one-sided", "relativised"):
        assert truth(every(NO, Variable("c", chain)), meaning=endless, mode=mode) is OPEN
