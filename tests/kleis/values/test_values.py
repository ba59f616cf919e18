"""Values: the one list representation, equality in three values, numerals, sets of values."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kleis.budget import STANDARD_BUDGET, Meter
from kleis.values import (
    EMPTY_LIST,
    BitVector,
    Data,
    ListValue,
    SetValue,
    Stuck,
    Symbol,
    Value,
    close,
    complex_value,
    equal,
    equality_key,
    integer_from_digits,
    integer_text,
    list_of,
    number_from_text,
    plain_text,
)
from kleis.values.equality import contains_float, leaves_of


def meter() -> Meter:
    return Meter(STANDARD_BUDGET)


class ListsAreImmutable(RuleBasedStateMachine):
    """Lists that share buffers in every way keep their elements: a model of Python tuples says which."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[ListValue, tuple[int, ...]]] = [(EMPTY_LIST, ())]

    @rule(index=st.integers(0, 1000), item=st.integers(0, 3))
    def prepend(self, index: int, item: int) -> None:
        value, model = self.made[index % len(self.made)]
        self.made.append((value.prepend(item), (item, *model)))

    @rule(index=st.integers(0, 1000))
    def tail(self, index: int) -> None:
        value, model = self.made[index % len(self.made)]
        if model:
            assert value.head == model[0]
            self.made.append((value.tail, model[1:]))

    @rule(items=st.lists(st.integers(0, 3), max_size=4))
    def start(self, items: list[int]) -> None:
        self.made.append((list_of(items), tuple(items)))

    @invariant()
    def every_list_is_as_it_was(self) -> None:
        for value, model in self.made:
            assert tuple(value) == model == tuple(value.items())
            assert len(value) == len(model)
            assert [value[index] for index in range(len(value))] == list(model)


TestLists = ListsAreImmutable.TestCase


def test_an_index_out_of_range() -> None:
    with pytest.raises(IndexError):
        list_of([1])[1]


leaves: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from(
        [Fraction(1, 2), 0.5, 1.0, "", "1", "true", complex_value(1, 1), BitVector(2, 1), BitVector(3, 1)]
    ),
)
ground: st.SearchStrategy[Value] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(list_of),
        st.builds(Data, st.sampled_from("AB"), st.lists(inner, max_size=2).map(tuple)),
    ),
    max_leaves=6,
)
symbolic: st.SearchStrategy[Value] = st.recursive(
    leaves | st.sampled_from([Symbol("x"), Symbol("y"), Stuck("f", (Symbol("x"),), True)]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(list_of),
        st.builds(Data, st.sampled_from("AB"), st.lists(inner, max_size=2).map(tuple)),
        st.builds(lambda head: Data("Cons", (head, Symbol("x"))), inner),
    ),
    max_leaves=6,
)


@given(ground, ground)
def test_ground_equality_is_decided_and_agrees_with_keys(a: Value, b: Value) -> None:
    verdict = equal(a, b, meter())
    assert verdict is not None
    assert verdict is (equality_key(a, meter()) == equality_key(b, meter()))
    assert equal(a, a, meter()) is True


def substituted(value: Value, x: Value, y: Value) -> Value:
    """The value with x and y known."""
    match value:
        case Symbol(name=name):
            return x if name == "x" else y
        case Stuck(arguments=(argument,)):
            return Data("F", (substituted(argument, x, y),))
        case ListValue():
            return list_of(substituted(item, x, y) for item in value)
        case Data(constructor="Cons", fields=(head, tail)):
            rest = substituted(tail, x, y)
            front = substituted(head, x, y)
            return rest.prepend(front) if isinstance(rest, ListValue) else Data("Cons", (front, rest))
        case Data(constructor=constructor, fields=fields):
            return Data(constructor, tuple(substituted(field, x, y) for field in fields))
    return value


@given(symbolic, symbolic, ground, ground)
def test_what_is_decided_with_unbound_names_holds_for_all_their_values(
    a: Value, b: Value, x: Value, y: Value
) -> None:
    verdict = equal(a, b, meter())
    if verdict is not None:
        assert equal(substituted(a, x, y), substituted(b, x, y), meter()) is verdict


def test_complements_are_not_compared_with_finite_sets() -> None:
    assert equal(SetValue({}), SetValue({}, True), meter()) is None
    assert equal(SetValue({}, True), SetValue({}, True), meter()) is True


@given(st.integers())
def test_integers_as_text(number: int) -> None:
    assert integer_text(number) == str(number)
    assert integer_from_digits(integer_text(abs(number))) == abs(number)


def test_integers_beyond_the_limit_of_python() -> None:
    digits = "1234567890" * 1000
    assert integer_text(integer_from_digits(digits)) == digits


@given(st.fractions())
def test_plain_text_is_exact(number: Fraction) -> None:
    assert Fraction(plain_text(number)) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, places=5))
def test_numerals_are_exact(number: object) -> None:
    text = f"{number:f}"
    assert number_from_text(text, meter()) == Fraction(text)
    assert number_from_text(f"{text}e3", meter()) == Fraction(text) * 1000
    assert number_from_text(f"{text}E-3", meter()) == Fraction(text) / 1000


def test_closeness() -> None:
    assert close(1.0, 1)
    assert close(10.0**20, 10**20 + 10**9)
    assert close(1e-11, 0)
    assert not close(Fraction(1, 10**11), 0)
    assert not close(1.0, 1 + Fraction(1, 10**8))


@pytest.mark.parametrize("value", [True, 7, Fraction(1, 3), "text", BitVector(8, 200)])
def test_what_has_no_parts_is_looked_at_once_for_floats(value: Value) -> None:
    counted, walked = meter(), meter()
    assert not contains_float(value, counted)
    assert [*leaves_of(value, walked)] == [value]
    assert counted.used == walked.used == 1
