"""Roots: what is confirmed is right, and what is wrong is not confirmed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.builtins.numeric.polynomial_roots import confirmed
from kleis.values import Complex, ListValue
from tests.support.theories.numerics import needs_numeric, text
from tests.support.theories.running import evaluation, value

F = Fraction


def of_roots(roots: list[int]) -> list[int]:
    polynomial = [1]
    for root in roots:
        polynomial = [a - root * b for a, b in zip([0, *polynomial], [*polynomial, 0], strict=True)]
    return polynomial


# ── The check, which needs no library ────────────────────────────────────────────────────────────────────────


def test_discs_of_the_square_root_of_two() -> None:
    near = F(141421356, 10**8)
    discs = confirmed([-2, 0, 1], [([-2, 0, 1], 1)], [[(near, F(0)), (-near, F(0))]])
    assert discs is not None
    for disc in discs:
        low, high = abs(disc.real) - disc.radius, abs(disc.real) + disc.radius
        assert low**2 <= 2 <= high**2
        assert disc.radius < F(1, 10**7)


@pytest.mark.parametrize(
    ("polynomial", "factors", "centres"),
    [
        ([-2, 0, 1], [([-3, 0, 1], 1)], [[(F(1), F(0)), (F(-1), F(0))]]),
        ([-2, 0, 1], [([-2, 0, 1], 1)], [[(F(7, 5), F(0)), (F(7, 5), F(0))]]),
        ([-2, 0, 1], [([-2, 0, 1], 1)], [[(F(7, 5), F(0))]]),
        ([-2, 0, 1], [([-2, 0, 1], 1)], [[(F(0), F(0)), (F(1), F(0))]]),
        ([1, 0, 1], [([1, 0, 1], 1)], [[(F(1, 100), F(1)), (F(1), F(0))]]),
        ([1, 2, 1], [([1, 2, 1], 1)], [[(F(-1), F(0)), (F(-1), F(0))]]),
        ([1, 2, 1], [([1, 1], 1)], [[(F(-1), F(0))]]),
        ([1, 1], [([1, 1], 2)], [[(F(-1), F(0))]]),
        ([0, 1], [([0, 1], 1), ([1], 1)], [[(F(0), F(0))], []]),
        ([-2, 0, 1], [([-2, 0, 1], 1)], [[(F(141, 100), F(1, 1000)), (F(-141, 100), F(0))]]),
    ],
)
def test_wrong_searches_are_not_confirmed(
    polynomial: list[int],
    factors: list[tuple[list[int], int]],
    centres: list[list[tuple[Fraction, Fraction]]],
) -> None:
    assert confirmed(polynomial, factors, centres) is None


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=5, unique=True),
    st.lists(st.fractions(-7, 7, max_denominator=50), min_size=5, max_size=5),
)
def test_whatever_is_confirmed_holds_one_root_each(roots: list[int], points: list[Fraction]) -> None:
    polynomial = of_roots(roots)
    centres = [(point, F(0)) for point in points[: len(roots)]]
    discs = confirmed(polynomial, [(polynomial, 1)], [centres])
    for disc in discs or ():
        assert sum(abs(root - disc.real) <= disc.radius for root in roots) == 1


# ── The whole ────────────────────────────────────────────────────────────────────────────────────────────────


@needs_numeric
@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_whole_roots_are_found_with_their_multiplicities(roots: list[int]) -> None:
    found = evaluation(f"roots({text(of_roots(roots))})")
    assert not found.approximate
    assert isinstance(found.value, ListValue)
    counted = {}
    for each in found.value:
        assert isinstance(each, ListValue)
        centre, radius, multiplicity = each
        assert isinstance(centre, (int, Fraction))
        assert isinstance(radius, (int, Fraction))
        (root,) = [root for root in set(roots) if abs(root - centre) <= radius]
        counted[root] = multiplicity
    assert counted == {root: roots.count(root) for root in roots}


@needs_numeric
def test_complex_and_distant_roots() -> None:
    assert value("roots([1, 0, 1])") == "[[complex(0, -1), 0, 1], [complex(0, 1), 0, 1]]"
    found = evaluation("roots([1, 1, 1, 1, 1, 2])").value
    assert isinstance(found, ListValue)
    assert sum(isinstance(each[0], Complex) for each in found if isinstance(each, ListValue)) == 4
    assert value("length(roots([1, 10^100, 1]))") == "2"
    assert value("roots([1/2, 1])") == "[[-1/2, 0, 1]]"
