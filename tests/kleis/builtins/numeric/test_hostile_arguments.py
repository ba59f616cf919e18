"""Wrong shapes and hostile entries: an error that says what was found and what is expected, or a value; never a crash or a hang."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.budget import Budget
from kleis.builtins.rows.numeric_table import NUMERIC_ROWS
from kleis.errors import BudgetError, EvaluationError, KleisError
from tests.support.theories.numerics import computed, needs_numeric
from tests.support.theories.running import evaluation, refusal, stopped, value

pytestmark = needs_numeric

SHAPES = [
    ("eigenvalues([[1, 2]])", "a 1 × 2 matrix", "a square matrix"),
    ("eig([])", "an empty list", "a matrix"),
    ("svd([[], []])", "a 2 × 0 matrix", "at least one row and column"),
    ("inv([[1, 2], [3]])", "a list of rows of lengths 1, 2", "a matrix"),
    ("inv([1, 2, 3])", "a flat list of 3 entries", "a matrix"),
    ("inv([[1], 2])", "a list of rows and numbers", "a matrix"),
    ("inv(5)", "an integer", "a matrix"),
    ('inv([["a"]])', "a string", "a real number"),
    ("inv([[complex(0, 1)]])", "a complex number", "a real number"),
    ("solve([[1, 0], [0, 1]], [1, 2, 3])", "a flat list of 3 entries", "a list of 2 numbers"),
    ("care([[1]], [[1], [2]], [[1]], [[1]])", "a 2 × 1 matrix", "a matrix of 1 rows, as A has"),
    ("care([[1]], [[1]], eye(2), [[1]])", "a 2 × 2 matrix", "a 1 × 1 matrix"),
    ("lqr([[1]], [[1]], [[1]], eye(2))", "a 2 × 2 matrix", "as many as B has columns"),
    ('norm([[1]], "max")', "max", '"fro"'),
    ("cmat_inv([[[1]], [[1, 2]]])", "a 1 × 2 matrix", "like the real part"),
    ("cmat_inv([[1]])", "a 1 × 1 matrix", "a pair [Re, Im]"),
    ("cmat_trace([[[1, 2]], [[1, 2]]])", "a 1 × 2 matrix", "a square matrix"),
    ("cmat_solve([[[1]], [[0]]], [[[1], [2]], [[0], [0]]])", "a 2 × 1 matrix", "a matrix of 1 rows"),
    ("complexify(eye(3))", "a 3 × 3 matrix", "of even size"),
    ("fft([])", "an empty list", "a list of numbers"),
    ("fft([[1]])", "a 1 × 1 matrix", "a list of numbers"),
    ("ode45(λ t y . y, [], [0, 1])", "an empty list", "a list of numbers"),
    ("ode45(λ t y . y, [1], [0, 1, 2])", "a flat list of 3 entries", "[t0, t1]"),
    ("ode45(λ t y . [1, 2], [1], [0, 1])", "a flat list of 2 entries", "a list of 1 numbers"),
    ("ode45(λ t y . y, [1], [0, 1], 0)", "0", "greater than 0"),
    ("roots([0, 0])", "a constant", "degree at least 1"),
    ("roots([sin(1), 1])", "an approximate number", "an exact rational number"),
]


@pytest.mark.parametrize(("call", "found", "expected"), SHAPES)
def test_a_wrong_shape_says_what_was_found_and_expected(call: str, found: str, expected: str) -> None:
    error = refusal(call)
    assert error.code == "shape"
    assert found in error.message
    assert expected in error.message


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("inv([[1, 2], [2, 4]])", "singular"),
        ("inv([[1, 2, 3], [4, 5, 6], [7, 8, 9]])", "singular to working precision"),
        ("solve([[0]], [1])", "singular"),
        ("cholesky([[1, 2], [2, 1]])", "not positive definite"),
        ("cholesky([[1, 2], [0, 1]])", "not symmetric"),
        ("eigenvalues([[10^400]])", "too large for a double"),
        ("expm([[10^4]])", "beyond the doubles"),
        ("cmat_det([[[10^200, 0], [0, 10^200]], [[0, 0], [0, 0]]])", "beyond the doubles"),
        ("care([[1]], [[0]], [[1]], [[1]])", "care"),
        ("inv(zeros(513))", "at most 512"),
        ("mpow([[0]], 0 - 1)", "mpow: the matrix is singular"),
    ],
)
def test_what_has_no_result_in_doubles_says_why(call: str, words: str) -> None:
    error = refusal(call)
    assert error.code == "numeric"
    assert words in error.message


def test_a_failure_in_doubles_is_no_proof_that_there_is_no_value() -> None:
    """A matrix is singular to doubles, not to mathematics: no ∨ and no assert_disproved may rest on it."""
    nearly = "[[1, 1], [1, 1 + 1/10^20]]"
    assert value(f"det({nearly})") != "0"
    assert refusal(f"inv({nearly})").code == "numeric"
    assert refusal(f"length(inv({nearly})) = 0 ∨ true").code == "numeric"


def test_defective_and_extreme_matrices_have_values() -> None:
    assert computed("eigenvalues([[1, 1], [0, 1]])") == [1, 1]
    assert computed("rank([[1, 1], [0, 1]])") == 2
    assert computed("singular_values([[10^300, 0], [0, 10^290]])") == [1e300, 1e290]
    assert value("eigenvalues([[x, 1], [0, 1]])") == "eigenvalues([[x, 1], [0, 1]])"
    assert value("inv(m)") == "inv(m)"


def test_work_is_paid_for() -> None:
    rows = "map(λ i . map(λ j . 1 / (i + j + 1), range(200)), range(200))"
    assert stopped(f"eig({rows})", budget=Budget(steps=300_000)) == "budget_steps"
    assert stopped("ode45(λ t y . y, [1], [0, 10^9], 1)") == "budget_size"
    assert stopped("ode45(λ t y . [0 - 10^6 * nth(y, 0)], [1], [0, 10^6], 10^6)") == "budget_steps"
    assert stopped("ndarray_moveaxis(ndarray_reshape(replicate(30000, 1), [30000]), 0, 0)") == "budget_size"
    begun = time.process_time()
    refusal(f"roots([{', '.join(['1'] * 5000)}])")
    assert time.process_time() - begun < 5


# ── Anything at all ──────────────────────────────────────────────────────────────────────────────────────────

numbers = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from(
        ["10^308", "0 - 10^308", "1/10^320", "10^400", "sin(1)", "1/3", "complex(0, 1)", "x", '"a"']
    ),
)
arguments = st.one_of(
    numbers,
    st.lists(numbers, max_size=3).map(lambda each: f"[{', '.join(each)}]"),
    st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(
        lambda size: st.lists(
            st.lists(numbers, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
        ).map(lambda rows: f"[{', '.join('[' + ', '.join(row) + ']' for row in rows)}]")
    ),
    st.sampled_from(
        [
            "eye(2)",
            "zeros(3)",
            "[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]",
            "λ t y . y",
            "λ t y . [1 / t]",
            "[0, 1]",
        ]
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NUMERIC_ROWS), st.data())
def test_anything_gives_a_value_or_an_error_of_ours(row: object, data: st.DataObject) -> None:
    from kleis.builtins.row import Builtin

    assert isinstance(row, Builtin)
    count = data.draw(st.integers(row.least, row.most or row.least))
    given_arguments = [data.draw(arguments) for _ in range(count)]
    try:
        evaluation(f"{row.name}({', '.join(given_arguments)})", budget=Budget(steps=200_000))
    except KleisError as error:
        assert isinstance(error, (EvaluationError, BudgetError))
        assert str(error)
