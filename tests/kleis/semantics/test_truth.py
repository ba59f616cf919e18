"""The tables of strong Kleene logic, and connectives with operands that are not known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from kleis.semantics.truth import (
    FALSE,
    OPEN,
    TRUE,
    UNDEFINED,
    Truth,
    conjunction,
    disjunction,
    implication,
    negation,
    strict_equality,
    truth_of,
    union,
)

T, F, U = TRUE, FALSE, UNDEFINED
SINGLES = (T, F, U)
ALL = tuple(dict.fromkeys(union(a, b, c) for a, b, c in product(SINGLES, repeat=3)))


def test_there_are_seven_sets_of_truth_values() -> None:
    assert len(ALL) == 7
    assert union(T, F, U) is OPEN
    assert [each.decided for each in (T, F, U, OPEN, union(T, U))] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("operation", "table"),
    [
        (conjunction, [T, F, U, F, F, F, U, F, U]),
        (disjunction, [T, T, T, T, F, U, T, U, U]),
        (implication, [T, F, U, T, T, T, T, U, U]),
        (strict_equality, [T, F, U, F, T, U, U, U, U]),
    ],
)
def test_kleene_tables(operation: Callable[[Truth, Truth], Truth], table: list[Truth]) -> None:
    assert [operation(left, right) for left, right in product(SINGLES, repeat=2)] == table


def test_negation() -> None:
    assert [negation(each) for each in (T, F, U, OPEN)] == [F, T, U, OPEN]
    assert negation(union(F, U)) is union(T, U)


def test_what_is_open_decides_only_where_it_does_not_matter() -> None:
    assert conjunction(F, OPEN) is F
    assert disjunction(OPEN, T) is T
    assert implication(F, OPEN) is T
    assert conjunction(T, OPEN) is OPEN
    assert conjunction(U, OPEN) is union(F, U)
    assert disjunction(U, OPEN) is union(T, U)
    assert strict_equality(U, OPEN) is U
    assert strict_equality(T, OPEN) is OPEN


@pytest.mark.parametrize("operation", [conjunction, disjunction, implication, strict_equality])
def test_to_know_more_never_contradicts(operation: Callable[[Truth, Truth], Truth]) -> None:
    for left, right, more_left, more_right in product(ALL, repeat=4):
        if left.allows(more_left) and right.allows(more_right):
            assert operation(left, right).allows(operation(more_left, more_right))


def test_a_truth_says_what_is_possible() -> None:
    assert truth_of(True) is T
    assert truth_of(False) is F
    assert str(union(F, U)) == "false or undefined"
    open_flags = (OPEN.may_be_true, OPEN.may_be_false, OPEN.may_be_undefined)
    assert open_flags == (True, True, True)
    assert not union(F, U).may_be_true
