"""The translation agrees with CPython. `python -m tests.pif.python_syntax.test_agreement N` tries N inputs of each function."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

import pytest

from pif.analysis.types.tool_types import typing_of
from pif.language.decode import decode_term
from pif.language.terms import Json, print_term
from pif.python_syntax import translate
from tests.support.terms.cpython import as_result, python_function
from tests.support.terms.python_functions import FUNCTIONS, NAMES, Inputs, in_pif
from tests.support.terms.tool_dictionary import Dictionary


def in_python(function: Any, given: Any) -> tuple[str, Json]:
    several = function.__code__.co_argcount > 1
    try:
        return "value", as_result(function(**given) if several else function(given))
    except (ZeroDivisionError, IndexError, KeyError, ValueError):
        return "error", None


def agreement(source: str, inputs: Inputs, seeds: range) -> Counter[str]:
    term = translate(source).term
    function = python_function(source)
    counts: Counter[str] = Counter()
    for seed in seeds:
        given = inputs(Random(seed))
        wanted = in_python(function, given)
        assert in_pif(term, given) == wanted, (source, given, wanted)
        counts[wanted[0]] += 1
    return counts


@pytest.mark.parametrize(("source", "inputs"), FUNCTIONS, ids=NAMES)
def test_a_function_gives_what_cpython_gives(source: str, inputs: Inputs) -> None:
    assert agreement(source, inputs, range(25))["value"] > 0


@pytest.mark.parametrize(("source", "inputs"), FUNCTIONS, ids=NAMES)
def test_a_function_is_typed_and_its_term_is_one(source: str, inputs: Inputs) -> None:
    term = translate(source).term
    assert decode_term(print_term(term)) == term
    typing = typing_of(term, Dictionary())
    assert typing.certain, typing.as_json()


def test_there_are_many_functions() -> None:
    assert len(FUNCTIONS) >= 60
    assert len(set(NAMES)) == len(NAMES)


if __name__ == "__main__":
    total: Counter[str] = Counter()
    for each, given_inputs in FUNCTIONS:
        total += agreement(each, given_inputs, range(int(sys.argv[1])))
    print(len(FUNCTIONS), dict(total))
