"""Strings, bit-vectors, data, sets and functions as values of the reference semantics."""

from __future__ import annotations

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    REAL,
    STRING,
    UNIT,
    BitVec,
    BuiltinCall,
    Conditional,
    Construction,
    Constructor,
    ConstructorField,
    Equals,
    Lambda,
    ListOf,
    Operation,
    RecordOf,
    Selection,
    SetOf,
    Sort,
    Symbol,
    Term,
    TupleOf,
    Variable,
)
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED
from kleis.values import BitVector
from tests.support.terms.goal_builders import (
    LIST,
    NO,
    NO_INTEGER,
    NONE,
    SOME,
    YES,
    X,
    Y,
    builtin,
    call,
    either,
    every,
    integer,
    less,
    listed,
    literal,
    outcome,
    parameter,
    plus,
    real,
    render_value_of,
    some,
    truth,
    widened,
)


def test_strings_are_sequences_of_code_points() -> None:
    smile = literal("h\U0001f600")
    assert outcome(builtin("strlen", NATURAL, smile)) == 2
    assert outcome(builtin("charAt", STRING, smile, integer(1))) == "\U0001f600"
    assert truth(Equals(literal("é"), literal("e\u0301"))) is FALSE
    assert truth(builtin("isDigits", BOOL, literal(""))) is FALSE
    assert truth(builtin("isAscii", BOOL, literal(""))) is TRUE
    s = Variable("s", STRING)
    assert truth(some(Equals(builtin("strlen", NATURAL, s), literal(2)), s)) is TRUE


def test_words_are_exhausted_where_they_are_short() -> None:
    word = Variable("w", BitVec(4))
    negated = builtin("bvneg", BitVec(4), builtin("bvneg", BitVec(4), word))
    assert truth(every(Equals(negated, word), word)) is TRUE
    assert outcome(builtin("bvadd", BitVec(4), word, word), {"w": BitVector(4, 9)}) == BitVector(4, 2)
    wide = Variable("w", BitVec(32))
    smaller = builtin("bvule", BOOL, wide, builtin("bvadd", BitVec(32), wide, wide))
    assert truth(every(smaller, wide)) is FALSE


def test_equality_is_structural() -> None:
    one, other = Construction(SOME, (integer(1),)), Construction(SOME, (integer(2),))
    assert truth(Equals(one, Construction(SOME, (integer(1),)))) is TRUE
    assert truth(Equals(one, other)) is FALSE
    assert truth(Equals(one, Construction(NONE, ()))) is FALSE
    assert truth(Equals(listed(integer(1)), listed(integer(1), integer(1)))) is FALSE
    unit = Construction(Constructor("Unit", (), UNIT, alone=True), ())
    assert truth(Equals(unit, unit)) is TRUE


def test_records_have_fields_by_name() -> None:
    sort = RecordOf((("a", INTEGER), ("b", BOOL)))
    shape = Constructor(
        "record", (ConstructorField("a", INTEGER), ConstructorField("b", BOOL)), sort, alone=True
    )
    record = Construction(shape, (integer(1), YES))
    assert outcome(Selection(shape, 0, record)) == 1
    assert truth(Selection(shape, 1, record)) is TRUE
    assert outcome(builtin("get_field", INTEGER, record, literal("a"))) == 1
    changed = builtin("set_field", sort, record, literal("a"), integer(3))
    assert truth(Equals(changed, Construction(shape, (integer(3), YES)))) is TRUE
    larger = builtin("set_field", RecordOf((("Z", BOOL), *sort.fields)), record, literal("Z"), NO)
    assert render_value_of(builtin("field_names", ListOf(STRING), larger)) == '["Z", "a", "b"]'


def set_of(*items: Term, element: Sort) -> Term:
    term: Term = builtin("empty_set", SetOf(element))
    for item in items:
        term = builtin("insert", SetOf(element), item, term)
    return term


def complement(of: Term) -> Term:
    return builtin("complement", of.sort, of)


def test_sets_over_finite_sorts_are_finite() -> None:
    nothing, everything = set_of(element=BOOL), set_of(YES, NO, element=BOOL)
    assert truth(Equals(complement(nothing), everything)) is TRUE
    assert truth(Equals(complement(set_of(YES, element=BOOL)), set_of(NO, element=BOOL))) is TRUE
    finite = builtin("is_finite_set", BOOL, parameter(0, SetOf(BOOL)))
    assert outcome(builtin("cardinality", NATURAL, complement(nothing), condition=finite)) == 2
    assert truth(builtin("subset", BOOL, complement(nothing), everything)) is TRUE
    words = set_of(element=BitVec(32))
    assert truth(Equals(complement(words), words)) is OPEN


def test_sets_over_infinite_sorts_may_be_infinite() -> None:
    nothing, one = set_of(element=INTEGER), set_of(integer(1), element=INTEGER)
    assert truth(Equals(complement(nothing), one)) is FALSE
    assert truth(builtin("subset", BOOL, one, complement(nothing))) is TRUE
    assert truth(builtin("subset", BOOL, complement(nothing), one)) is FALSE
    assert truth(builtin("proper_subset", BOOL, one, complement(nothing))) is TRUE
    assert truth(builtin("proper_subset", BOOL, one, one)) is FALSE
    assert truth(builtin("disjoint", BOOL, one, complement(one))) is TRUE
    assert truth(builtin("disjoint", BOOL, complement(one), complement(nothing))) is FALSE
    finite = builtin("is_finite_set", BOOL, parameter(0, SetOf(INTEGER)))
    assert outcome(builtin("cardinality", NATURAL, complement(one), condition=finite)) is UNDEFINED
    assert truth(Equals(widened(complement(nothing), SetOf(REAL)), set_of(element=REAL))) is OPEN
    assert truth(Equals(widened(one, SetOf(REAL)), set_of(widened(integer(1), REAL), element=REAL))) is TRUE


def test_functions_are_given_to_builtins() -> None:
    doubled = Lambda((X,), plus(X, X))
    assert render_value_of(builtin("list_map", LIST, doubled, listed(integer(1), integer(2)))) == "[2, 4]"
    holed = Lambda((X,), Conditional(Equals(X, integer(2)), NO_INTEGER, X))
    assert outcome(builtin("list_map", LIST, holed, listed(integer(1), integer(2)))) is UNDEFINED
    assert truth(builtin("all", BOOL, Lambda((X,), less(X, integer(9))), listed(integer(1)))) is TRUE
    root = builtin("sqrt", REAL, widened(X, REAL))
    assert truth(builtin("all", BOOL, Lambda((X,), less(root, real(1))), listed(integer(2)))) is FALSE
    squared = Equals(builtin("times", REAL, root, root), widened(X, REAL))
    assert truth(builtin("all", BOOL, Lambda((X,), squared), listed(integer(2)))) is OPEN


def test_a_symbol_without_a_function_is_open_but_strict() -> None:
    f = Symbol("f", (INTEGER,), BOOL)
    assert truth(call(f, integer(1))) is OPEN
    assert truth(call(f, NO_INTEGER)) is UNDEFINED
    assert truth(either(call(f, integer(1)), YES)) is TRUE


def test_pairs() -> None:
    sort = TupleOf((INTEGER, BOOL))
    pair = Constructor(
        "Pair", (ConstructorField("_0", INTEGER), ConstructorField("_1", BOOL)), sort, alone=True
    )
    made = Construction(pair, (integer(1), NO))
    assert truth(Selection(pair, 1, made)) is FALSE
    p = Variable("p", sort)
    rebuilt = Construction(pair, (Selection(pair, 0, p), Selection(pair, 1, p)))
    assert truth(every(Equals(rebuilt, p), p), mode="relativised") is TRUE


def test_what_is_too_large_for_the_budget_is_open() -> None:
    power = BuiltinCall(Operation("power", (X, Y), INTEGER), (integer(10), integer(10**9)))
    assert outcome(power) is OPEN
    assert truth(either(less(power, integer(0)), YES)) is TRUE
