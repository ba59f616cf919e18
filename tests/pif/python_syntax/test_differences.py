"""Random functions of Python: what is translated gives what CPython gives, and fails where it fails.

1,000 functions in `make test`; `make fuzz N=20000 TESTS=tests/pif/python_syntax` tries others. What is refused is not
compared: that enough is not refused is held by `test_many_functions_are_compared`.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.python_syntax import PythonError, translate
from tests.support.terms.cpython import outcome_in_pif, outcome_in_python, python_function
from tests.support.terms.python_maker import PythonMaker, random_value


def compared(random: Random) -> Counter[str]:
    """Make a function, and compare it on a few inputs; what came of it."""
    source, parameters = PythonMaker(random).function()
    function = python_function(source)
    try:
        term = translate(source).term
    except PythonError as error:
        assert error.line <= source.count("\n"), error
        assert error.column <= len(source.split("\n")[error.line - 1]), error
        return Counter({"refused": 1})
    counts: Counter[str] = Counter()
    for _ in range(4):
        given = {name: random_value(random, type_) for name, type_ in parameters.items()}
        ours = outcome_in_pif(term, given)
        if ours == "limit":
            counts["limit"] += 1
            continue
        theirs = outcome_in_python(function, given)
        failed = ours if ours[0].isalpha() and ours not in ("true", "false", "null") else ""
        assert (theirs == "error") if failed else (ours == theirs), (
            f"{source}{given}\n{ours}\nCPython: {theirs}"
        )
        counts["error" if failed else "value"] += 1
    return counts


@pytest.mark.parametrize("part", range(10))
@given(seed=st.integers(0, 2**64))
def test_a_random_function_is_refused_or_means_the_same(part: int, seed: int) -> None:
    compared(Random(f"{part} {seed}"))


def test_many_functions_are_compared() -> None:
    """A third of the functions, full of traps, is not refused; both values and errors are compared."""
    counts: Counter[str] = Counter()
    for seed in range(200):
        counts += compared(Random(seed))
    assert counts["refused"] < 150, counts
    assert counts["value"] > 100, counts
    assert counts["error"] > 30, counts
