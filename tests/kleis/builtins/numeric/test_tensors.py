"""Arrays of several axes: exact, and without any library."""

from __future__ import annotations

import pytest

from tests.support.theories.running import refusal, value


def test_a_transfer_matrix_along_each_axis() -> None:
    """(1 1; 1 −1) along both axes of [[1, 2], [3, 4]] is the transform of Hadamard, in exact integers."""
    turned = "[[1, 1], [1, 0 - 1]]"
    array = "ndarray_reshape([1, 2, 3, 4], [2, 2])"
    both = f"ndarray_contract(ndarray_contract({array}, {turned}, 0), {turned}, 1)"
    assert value(f"ndarray_flatten({both})") == "[10, -2, -4, 0]"
    assert value("ndarray_contract(ndarray_reshape([1/3, 1], [2]), [[3, 1]], 0)") == "NDArray([1], [2])"


def test_axes_move() -> None:
    array = "ndarray_reshape([0, 1, 2, 3, 4, 5], [1, 2, 3])"
    assert value(f"ndarray_moveaxis({array}, 2, 0)") == "NDArray([3, 1, 2], [0, 3, 1, 4, 2, 5])"
    assert value(f"ndarray_moveaxis(ndarray_moveaxis({array}, 0, 2), 2, 0)") == value(array)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("ndarray_reshape([1, 2, 3], [2, 2])", "3 entries, where 2 × 2 = 4 entries"),
        ("ndarray_reshape([1], [])", "an empty list"),
        ("ndarray_reshape([1], [1/2])", "positive integers"),
        ("ndarray_reshape([1], [0 - 1])", "positive integers"),
        ('ndarray_reshape(["a"], [1])', "a string"),
        ("ndarray_flatten([1])", "an NDArray"),
        ("ndarray_contract(ndarray_reshape([1, 2], [2]), [[1]], 0)", "a matrix of 2 columns"),
        ("ndarray_contract(ndarray_reshape([1, 2], [2]), eye(2), 1)", "one of 0 … 0"),
        ("ndarray_moveaxis(ndarray_reshape([1, 2], [2]), 0, 5)", "one of 0 … 0"),
    ],
)
def test_wrong_shapes(call: str, words: str) -> None:
    error = refusal(call)
    assert error.code == "shape"
    assert words in error.message
