"""Properties of Python as a second syntax: a printed term translates back to one that runs the same; no text does harm."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.types.sampling import Sampler
from pif.analysis.types.tool_types import typing_of
from pif.language.budget import Budget
from pif.language.errors import PifError
from pif.language.terms import Term, print_term, term_text
from pif.python_syntax import PythonError, print_python, translate
from pif.run.evaluate import Request, run
from tests.support.terms.loop_maker import LoopMaker
from tests.support.terms.python_functions import FUNCTIONS, NAMES, Inputs, in_pif
from tests.support.terms.term_strategies import Features, Seeded, TermMaker, typed_terms
from tests.support.terms.tool_dictionary import Dictionary

TOOLS = Dictionary(
    double={"mul": [{"var": "x"}, 2]},
    reverse={"fold": [{"lam": "p", "body": {"cons": [{"snd": {"var": "p"}}, {"fst": {"var": "p"}}]}}, [], {"var": "l"}]},
)  # fmt: skip
LIMITS = {"out_of_fuel", "too_deep", "value_too_large", "term_too_deep"}


def outcome(term: Term, given_input: Term) -> tuple[Any, ...]:
    registry = Dictionary()
    registry.terms = {**TOOLS.terms, "it": term}
    request = Request(tool="it", input=print_term(given_input), raw=True)
    found = run(request, registry, Budget(fuel=100_000, depth=2_000))
    if found["type"] == "error":
        return "error", found["error"]["kind"]
    return "value", found.get("value"), found.get("value_text"), found["kind"]


def assert_same_again(term: Term, seed: int) -> bool:
    """Print and translate, and run both. False where the term has no Python form or none that is typed."""
    typing = typing_of(term, TOOLS)
    if typing.function is None or not typing.certain:
        return False
    try:
        again = translate(print_python(term, "it")).term
    except PifError:
        return False
    for size in (0, 3):
        made = Sampler(Random(seed), size).input(typing.function.parts[0])
        before, after = outcome(term, made), outcome(again, made)
        if before[-1] not in LIMITS and after[-1] not in LIMITS:
            assert before == after, (term_text(term), print_python(term, "it"), made)
    return True


@given(
    typed_terms("function", Features(quotes=False, evals=False, tools=("double",)), size=40),
    st.integers(0, 2**32),
)
def test_a_printed_term_translates_back(term: Term, seed: int) -> None:
    assert_same_again(term, seed)


def test_many_seeded_terms_translate_back() -> None:
    done = 0
    for seed in range(300):
        if seed % 2:
            term = LoopMaker(Seeded(seed), Features(), 20 + seed % 40).loop(3 + seed % 2)
        else:
            features = Features(quotes=False, evals=False, tools=("double",))
            term = TermMaker(Seeded(seed), features, 40).typed("function")
        done += assert_same_again(term, seed)
    assert done > 150


@pytest.mark.parametrize(("source", "inputs"), FUNCTIONS, ids=NAMES)
def test_a_function_prints_and_translates_back(source: str, inputs: Inputs) -> None:
    first = translate(source)
    again = translate(print_python(first.term, "again")).term
    for seed in range(8):
        made = inputs(Random(seed))
        assert in_pif(again, made) == in_pif(first.term, made)


PIECES = st.sampled_from([
    "def f(x):\n", "    return ", "    for i in x:\n", "        y = ", "    if ", "x", "i", "1", "'a'", "[", "]", "(", ")",
    " + ", " * ", "lambda x: ", ":", "\n", "    ", " in ", "f(", "len(", "sorted(", "{", "}", "**", ",", "-", "==", "é", "\0",
])  # fmt: skip


@given(st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(max_size=60)))
def test_any_text_is_a_function_or_refused_with_its_place(source: str) -> None:
    try:
        made = translate(source)
    except PythonError as error:
        assert error.line >= 1
        assert error.column >= 1
        assert error.as_json()["line"] == error.line
        return
    assert made.term.op == "lam"
