"""The standard library: every tool is what its file says, on both back ends, and stands under every home."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest

from pif.analysis.cost.bounds import applied_cost_of, argument_types
from pif.analysis.facts import facts_of
from pif.analysis.types.tool_types import typing_of
from pif.language.budget import Budget
from pif.language.errors import PifError
from pif.language.host import Tool
from pif.language.reification import NotData, at_most, literal_term
from pif.language.terms import Term, literal, make, print_term
from pif.reference.run_input import given_term
from pif.run.evaluate import Request, run
from pif.run.read_input import read_input
from registry.errors import RegistryError
from registry.records import RESERVED, check_name
from registry.tools.argument_types import kept_strings
from registry.tools.code_and_examples import Example, example_answer, holds, verified
from registry.tools.library import Library
from tests.support.terms.both_back_ends import compare, stepper
from tests.support.terms.hosted_evaluator import library_tools

TOOLS = library_tools()
LIBRARY = TOOLS.library
BUDGET = Budget(fuel=200_000, depth=2_000)

ELSEWHERE = {"conjectures", "synthesis", "synthesis_by_size"}
"""Files whose tools are tested where they are used, in `tests/registry/laws`."""

HERE = [name for name, entry in LIBRARY.entries.items() if entry.topic not in ELSEWHERE]

UNTYPED = {"evaluate", "synthesis_by_size"}
"""Files whose tools work on values of every kind at once; types are not promised there."""

TYPED = [name for name in HERE if LIBRARY.entries[name].topic not in UNTYPED]

COUNTED = ("min", "max", "sizes", "unknown")


def tool_of(name: str) -> Tool:
    tool = TOOLS.tool("std." + name)
    assert tool is not None
    return tool


def examples_of(name: str) -> tuple[Example, ...]:
    return msgspec.json.decode(LIBRARY.entries[name].examples, type=tuple[Example, ...])


def call_of(name: str, example: Example) -> Term:
    """The call that an example stands for, as a term."""
    term = literal("std." + name)
    for argument in arguments_of(name, example):
        term = make("app", (term, argument))
    return term


def arguments_of(name: str, example: Example) -> list[Term]:
    """The arguments of an example, read by the types of the tool's parameters: text stays text."""
    typing = typing_of(tool_of(name), TOOLS)
    given = [example.input] if example.arguments is msgspec.UNSET else example.arguments
    return [read_input(each, kept=partial(kept_strings, typing, number)) for number, each in enumerate(given)]


def test_the_library_is_large_and_said_to_be() -> None:
    assert len(LIBRARY.entries) >= 200
    for entry in LIBRARY.entries.values():
        assert len(entry.description) > 10, entry.name
        assert entry.name in RESERVED or check_name(entry.name) == entry.name


@pytest.mark.parametrize("name", LIBRARY.entries)
def test_type_and_cost_are_those_of_the_file(name: str) -> None:
    entry, tool = LIBRARY.entries[name], tool_of(name)
    typing = typing_of(tool, TOOLS)
    assert typing.text == entry.type
    assert not typing.problems or entry.topic in UNTYPED
    told = applied_cost_of(tool, TOOLS, typing).as_json()
    said = {key: value for key, value in entry.cost.items() if key in COUNTED}
    assert said == {key: value for key, value in told.items() if key in COUNTED}


@pytest.mark.parametrize("name", HERE)
def test_examples_hold_and_both_back_ends_agree_on_them(name: str) -> None:
    examples = examples_of(name)
    assert examples, f"{name} has no example"
    for example in examples:
        answer = example_answer("std." + name, example, TOOLS, BUDGET)
        assert holds(answer, example), answer
        kind, used, _ = compare(call_of(name, example), budget=BUDGET, known=TOOLS)
        assert (kind, used > 0) == ("ok", True)


@pytest.mark.parametrize("name", [name for name in TYPED if "min" in LIBRARY.entries[name].cost])
def test_cost_bounds_hold_on_the_examples(name: str) -> None:
    tool = tool_of(name)
    typing = typing_of(tool, TOOLS)
    bound = applied_cost_of(tool, TOOLS, typing)
    assert bound.low is not None
    assert bound.high is not None
    types = argument_types(typing)
    for example in examples_of(name):
        terms = arguments_of(name, example)
        sizes = bound.sizes.of_all([written(term) for term in terms], types)
        own = sum(fuel_of(term) for term in terms)
        used = fuel_of(call_of(name, example)) - own - len(terms)  # an `app` belongs to whoever calls
        assert bound.low.value(sizes) <= used <= bound.high.value(sizes)


def written(term: Term) -> Term:
    """The literal term with the value of a term; the term itself where that is a function."""
    value = stepper(BUDGET, TOOLS).reference(term, given_term(literal(None)), BUDGET.fuel).value
    try:
        return literal_term(value, at_most(100_000))
    except NotData:
        return term


def fuel_of(term: Term) -> int:
    """What evaluating a term takes, without the run's own input."""
    answer = run(
        Request(code=[print_term(term)]), TOOLS, BUDGET
    )  # in a list: a string alone would name a tool
    assert answer["type"] == "value", answer
    used: int = answer["fuel_used"]
    return used - 3


def test_library_tools_name_each_other_in_full() -> None:
    """So that a tool of the home with a short name changes nothing in the library."""
    for name in LIBRARY.entries:
        for used in facts_of(tool_of(name).term).tools:
            assert used.startswith("std."), (name, used)
            assert TOOLS.tool(used) is not None, (name, used)


def test_a_broken_file_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('[{"name": "x"}]')
    with pytest.raises(RegistryError) as caught:
        Library(verified, tmp_path).record("std.x")
    assert caught.value.kind == "internal"
    assert caught.value.file == str(tmp_path / "bad.json")


def test_code_that_is_no_tool_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(
        '[{"name": "x", "description": "", "type": null, "cost": {}, "code": {"add": [1]}, "examples": []}]'
    )
    with pytest.raises(PifError):
        Library(verified, tmp_path).record("std.x")
