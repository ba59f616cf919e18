"""Properties of type inference: what is typed runs without `type_error`, and what is promised is not empty.

The figures of the seeded runs are of fixed seeds; `python -m tests.properties.test_pif_types N` runs N terms by hand.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.analysis.types.sampling import Sampler, shrunk, weight
from pif.analysis.types.tool_types import Typing, typing_of
from pif.analysis.types.type_text import parse_signature, parse_type, print_type
from pif.analysis.types.unification import Shape, find
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, print_term, term_text
from pif.run.evaluate import Answer, Request, run
from tests.support.terms.term_strategies import (
    KINDS,
    Features,
    MovingMaker,
    Seeded,
    closed_terms,
    moving_terms,
    tool_terms,
    typed_terms,
)
from tests.support.terms.tool_dictionary import TOOLS, Dictionary

REGISTRY = Dictionary(**TOOLS)
BUDGET = Budget(fuel=20_000, depth=1_000)
NAMED = ("double", "fact")
TERMS = st.one_of(
    typed_terms("integer", Features(tools=NAMED)),
    typed_terms("function", Features(tools=NAMED, mistakes=40)),
    closed_terms(Features(tools=NAMED, context=True, mistakes=15)),
    moving_terms(Features(tools=NAMED, context=True)),
    tool_terms(Features(tools=NAMED, context=True, mistakes=20)),
)


def ran(term: Term, given: Term | None) -> Answer:
    """The term as a tool of its own, so that `self` and `continue` have a meaning."""
    input_ = None if given is None else print_term(given)
    return run(Request(tool="it", input=input_, raw=True, drive=3), registry(term), BUDGET)


def registry(term: Term) -> Dictionary:
    """The tools, and the term as the tool `it`."""
    tools = Dictionary(**TOOLS)
    tools.terms["it"] = term
    return tools


def assert_sound(term: Term, typing: Typing, random: Random) -> str:
    """Run a typed term, on inputs of its type where it is a function. Returns how it ended."""
    shape = typing.function
    outcome = ""
    for size in (0, 2, 6) if shape is not None else (0,):
        given = None if shape is None else Sampler(random, size).input(shape.parts[0])
        found = ran(term, given)
        outcome = found["error"]["kind"] if found["type"] == "error" else found["type"]
        shown = (term_text(term), typing.text, given and term_text(given), found)
        assert outcome != "type_error", shown
        assert outcome != "missing_key", shown
        if outcome == "value":
            result = typing.type_ if shape is None else shape.parts[1]
            assert result is not None
            result = find(result)
            if isinstance(result, Shape) and result.name != "?":
                assert found["kind"] == result.name, shown
    return outcome


@given(TERMS, st.integers(0, 2**32))
def test_a_typed_term_never_raises_a_type_error(term: Term, seed: int) -> None:
    typing = typing_of(term, REGISTRY)
    if typing.certain and not typing.free:
        assert_sound(term, typing, Random(seed))


@given(TERMS)
def test_a_problem_has_its_places_in_the_term(term: Term) -> None:
    printed = print_term(term)
    typing = typing_of(term, REGISTRY)
    assert (typing.text is None) == bool(typing.problems)
    for problem in typing.problems:
        assert_in(printed, problem.path)
        if problem.because is not None and problem.because_tool is None:
            assert_in(printed, problem.because)
            assert problem.because != problem.path
    for place in typing.unknown:
        assert_in(printed, place.path)


def assert_in(data: object, pointer: str) -> None:
    """That a JSON pointer leads to something."""
    for key in pointer.split("/")[1:]:
        key = key.replace("~1", "/").replace("~0", "~")
        assert isinstance(data, dict | list)
        data = data[int(key)] if isinstance(data, list) else data[key]


@given(TERMS)
def test_a_printed_type_reads_back(term: Term) -> None:
    text = typing_of(term, REGISTRY).text
    if text is not None and "…" not in text:
        assert print_type(parse_type(text)) == text


@given(TERMS, st.integers(0, 2**32), st.integers(0, 8))
def test_a_made_up_input_has_its_type(term: Term, seed: int, size: int) -> None:
    """Sampling, inference and printing agree: what is made of a type is typed as an instance of it."""
    shape = typing_of(term, REGISTRY).function
    if shape is None or "?" in print_type(shape.parts[0]):
        return
    made = Sampler(Random(seed), size).input(shape.parts[0])
    call = decode_term({"app": [print_term(term), print_term(made)]})
    problems = typing_of(call, REGISTRY).problems
    assert not [found for found in problems if found.path.startswith("/app/arg")], problems


@given(TERMS, st.integers(0, 2**32), st.integers(1, 8))
def test_a_smaller_input_is_smaller_and_has_the_type(term: Term, seed: int, size: int) -> None:
    shape = typing_of(term, REGISTRY).function
    if shape is None or "?" in print_type(shape.parts[0]):
        return
    wanted = print_type(shape.parts[0])
    takes = registry(term)
    seen = [Sampler(Random(seed), size).input(shape.parts[0])]

    def fails(smaller: Term) -> bool:
        assert weight(smaller) < weight(seen[-1])
        problems = typing_of(decode_term({"app": ["it", print_term(smaller)]}), takes).problems
        assert not problems, (wanted, problems)
        seen.append(smaller)
        return True

    shrunk(seen[0], shape.parts[0], fails, 40)


def seeded(seed: int) -> Term:
    features = Features(
        tools=NAMED, context=seed % 2 == 0, evals=seed % 3 != 0, mistakes=(0, 30, 10)[seed % 3]
    )
    maker = MovingMaker(Seeded(seed), features, (15, 40, 90)[seed // 3 % 3])
    match seed // 7 % 5:
        case 0 | 1:
            return maker.typed(KINDS[seed % len(KINDS)])
        case 2:
            return maker.moving()
        case 3:
            return maker.tool()
        case _:
            return maker.untyped()


def census(seeds: range) -> Counter[str]:
    """How terms are typed, and how those that are certain end; fails at the first that is unsound."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        term = seeded(seed)
        typing = typing_of(term, REGISTRY)
        if not typing.certain or typing.free:
            counts["problem" if typing.problems else "unknown" if typing.unknown else "open"] += 1
            continue
        counts["typed"] += 1
        counts["typed: " + assert_sound(term, typing, Random(seed))] += 1
    return counts


def test_many_seeded_terms() -> None:
    counts = census(range(1_500))
    assert counts["typed"] > 500
    assert counts["problem"] > 300
    assert counts["typed: value"] > 300


TABLE = [row.name for row in PRIMITIVES.values() if row.shape != "special" and row.name != "unquote"]


@pytest.mark.parametrize("name", TABLE)
def test_the_table_gives_types_for_all_operands(name: str) -> None:
    signature = parse_signature(PRIMITIVES[name].types)
    assert len(signature.arguments) == (0 if name == "quote" else PRIMITIVES[name].arity)


if __name__ == "__main__":
    for outcome, count in sorted(census(range(int(sys.argv[1]))).items()):
        print(f"{count:8} {outcome}")
