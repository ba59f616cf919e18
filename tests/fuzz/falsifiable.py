"""Properties for the test of the runner: two that hold, one that does not. No suite picks this file up by itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pif.language.budget import Budget
from pif.run.evaluate import Request, run
from tests.support.terms.tool_dictionary import Dictionary

__all__ = ["test_a_dear_one", "test_a_sum_is_a_value", "test_false", "test_without_hypothesis"]


@given(st.integers(0, 10**6))
def test_a_sum_is_a_value(number: int) -> None:
    code = {"app": [{"lam": "x", "body": {"add": [{"var": "x"}, 1]}}, number]}
    assert run(Request(code=code), Dictionary(), Budget(fuel=100))["type"] == "value"


@given(st.integers(0, 10**6))
@settings(max_examples=5)
def test_a_dear_one(number: int) -> None:
    assert number >= 0


@given(st.integers(0, 10**6))
def test_false(number: int) -> None:
    assert run(Request(code=number), Dictionary(), Budget(fuel=1))["value"] < 1_000


def test_without_hypothesis() -> None:
    assert kinds_are_words()


def kinds_are_words() -> bool:
    return all(isinstance(name, str) for name in __all__)
