"""Values that satisfy constraints: all of them, each once, and what is ill-formed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.prover.model_search.search import find_models
from kleis.prover.model_search.wanted import Models, Wanted
from kleis.prover.process.broker import Broker
from kleis.prover.prover import Prover
from tests.support.theories.small_theories import theory_of

PROGRAM = """
structure Two { element a : ℤ  element b : ℤ  axiom sum : a + b = 10 ∧ a > b ∧ b > 0 }
structure Empty { element c : ℤ  axiom low : c < 1  axiom high : c > 1 }
structure Wide { operation f : ℤ → ℤ  axiom up : f(0) > 3 }
structure Built { axiom wrong : 1 = 2 }
define apart(p : ℤ, q : ℤ, d : ℤ) = p ≠ q ∧ p - q ≠ d ∧ q - p ≠ d
data Colour = Red | Green | Blue
"""

COLUMNS = "abcdefgh"
QUEENS = f"∃({' '.join(COLUMNS)} : ℤ). " + " ∧ ".join(
    [
        *(f"1 ≤ {each} ∧ {each} ≤ 8" for each in COLUMNS),
        *(f"apart({COLUMNS[i]}, {COLUMNS[j]}, {j - i})" for i in range(8) for j in range(i + 1, 8)),
    ]
)


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Broker() as broker:
        yield Prover(theory_of(PROGRAM), broker=broker, guards=10)


def rows(models: Models) -> list[tuple[str, ...]]:
    return [tuple(each.value for each in model.bindings) for model in models.models]


def every(prover: Prover, about: str, *where: str, apart: tuple[str, ...] = ()) -> Models:
    return find_models(prover, Wanted(about=about, where=where, count=200, apart=apart))


@pytest.mark.parametrize(
    ("about", "where", "expected"),
    [
        ("∃(x y : ℤ). x * y = 12 ∧ x < y", ("x > 0",), {("1", "12"), ("2", "6"), ("3", "4")}),
        ("∃(x : ℤ). ∃(y : ℤ). x * y = 4 ∧ 0 < x ∧ x < y", (), {("1", "4")}),
        ("Two", (), {("9", "1"), ("8", "2"), ("7", "3"), ("6", "4")}),
        ("Two", ("a * b = 21",), {("7", "3")}),
        ("∃(p q : Bool). p ∨ q", (), {("true", "false"), ("false", "true"), ("true", "true")}),
        ("∃(x : ℚ). (2 * x = 1) ∨ 3 * x = 1", (), {("1/2",), ("1/3",)}),
        ("∃(n : ℕ). n * n < 5", (), {("0",), ("1",), ("2",)}),
        ('∃(s : String). s = "a" ∨ s = "ä|\\""', (), {('"a"',), ('"ä|\\""',)}),
        (
            "∃(c d : Colour). c ≠ d ∧ c ≠ Red",
            ("d ≠ Green",),
            {("Green", "Red"), ("Green", "Blue"), ("Blue", "Red")},
        ),
        ("∃(x : ℤ). 6 / x = 2 ∨ x = 7", (), {("3",), ("7",)}),
    ],
)
def test_all_values(
    prover: Prover, about: str, where: tuple[str, ...], expected: set[tuple[str, ...]]
) -> None:
    models = every(prover, about, *where)
    found = rows(models)
    assert set(found) == expected
    assert (len(found), models.status, models.complete) == (len(expected), "found", True)


def test_eight_queens(prover: Prover) -> None:
    models = every(prover, QUEENS)
    safe = {
        each
        for each in permutations(range(1, 9))
        if len({row + at for at, row in enumerate(each)}) == 8
        and len({row - at for at, row in enumerate(each)}) == 8
    }
    assert {tuple(map(int, row)) for row in rows(models)} == safe
    assert (len(models.models), models.complete) == (92, True)


def test_models_that_differ_in_some_names(prover: Prover) -> None:
    models = every(prover, "∃(x y : ℤ). 0 < x ∧ x < 4 ∧ 0 < y ∧ y < 9", apart=("x",))
    assert [row[0] for row in sorted(rows(models))] == ["1", "2", "3"]
    assert (models.complete, models.apart) == (True, ("x",))


def test_one_after_the_other(prover: Prover) -> None:
    found = [rows(find_models(prover, Wanted(about="Two", skip=skip))) for skip in range(4)]
    assert len({row for (row,) in found}) == 4
    last = find_models(prover, Wanted(about="Two", skip=4))
    assert (last.status, last.complete) == ("none", True)


@pytest.mark.parametrize(
    "about", ["x > 2 ∧ x < 1", "Empty", "false", "Built", "∃(x : ℤ). 2 * x = 1", "∃(x : ℝ). x * x = 0 - 1"]
)
def test_none(prover: Prover, about: str) -> None:
    models = find_models(prover, Wanted(about=about))
    assert (models.status, models.complete, models.models) == ("none", True, ())


def test_what_has_no_end_is_not_called_all(prover: Prover) -> None:
    models = find_models(prover, Wanted(about="∃(x : ℤ). x > 2", count=12))
    assert (len(set(rows(models))), models.complete) == (12, False)


def test_functions_do_not_count(prover: Prover) -> None:
    models = every(prover, "Wide")
    assert (models.status, len(models.models), models.complete) == ("found", 1, False)
    assert find_models(prover, Wanted(about="Wide", skip=1)).status == "unknown"


def test_what_is_closed_has_one_model(prover: Prover) -> None:
    models = find_models(prover, Wanted(about="1 + 1 = 2"))
    assert (models.status, models.complete) == ("found", True)


def test_undefined_is_not_true(prover: Prover) -> None:
    models = every(prover, "∃(x : ℤ). 0 ≤ x ∧ x < 3 ∧ 1 / x < 2")
    assert set(rows(models)) == {("1",), ("2",)}
    assert models.complete


def test_free_names_are_read_and_said(prover: Prover) -> None:
    models = find_models(prover, Wanted(about="x + y = 10 ∧ x > y"))
    (warning,) = models.warnings
    assert (warning.code, "∃(x y : ℝ)" in warning.message) == ("free-names", True)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Wanted(about="3"), "ℕ"),
        (Wanted(about="x > ∧"), "expression was expected"),
        (Wanted(about="Nothing", size=3), "declared nowhere"),
        (Wanted(about="Two", where=("zz9 > 1",)), "zz9"),
        (Wanted(about="Two", apart=("d",)), "no unknown d"),
        (Wanted(about="Two", goodness="least", objective="a > b"), "no number"),
    ],
)
def test_what_is_ill_formed(prover: Prover, wanted: Wanted, said: str) -> None:
    models = find_models(prover, wanted)
    assert models.status == "error"
    assert said in models.message
    assert models.problem is not None


def test_a_size_of_numbers_is_refused(prover: Prover) -> None:
    assert find_models(prover, Wanted(about="Two", size=3)).status == "unknown"


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(*(st.integers(-3, 3) for _ in range(6))),
    st.sampled_from(["<", "≤", "=", "≠"]),
)
def test_brute_force_agrees(prover: Prover, numbers: tuple[int, ...], relation: str) -> None:
    a, b, c, d, e, f = numbers
    meant = {"<": int.__lt__, "≤": int.__le__, "=": int.__eq__, "≠": int.__ne__}[relation]
    expected = {
        (str(x), str(y))
        for x in range(-2, 3)
        for y in range(-2, 3)
        if meant(a * x + b * y * y, c) and (d * x * y + e) % 3 != f % 3
    }
    box = "-2 ≤ x ∧ x ≤ 2 ∧ -2 ≤ y ∧ y ≤ 2"
    text = (
        f"∃(x y : ℤ). {box} ∧ ({a}) * x + ({b}) * y * y {relation} ({c})"
        f" ∧ mod(({d}) * x * y + ({e}), 3) ≠ mod({f}, 3)"
    )
    models = every(prover, text)
    assert set(rows(models)) == expected
    assert models.complete
