"""Tools and their Kleis definitions agree on values and on definedness (ADR 015)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.syntax.parser.parser import parse_program
from registry.laws.law_prover import LawProver
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory
from tests.support.terms.tool_maker import MadeTools, made_tools, value
from tests.support.terms.translation_agreement import claims, disagreement, proved_as_run

SEEDS = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def prover() -> Iterator[LawProver]:
    with LawProver() as made:
        yield made


def translated(seed: int) -> Iterator[tuple[MadeTools, ToolTheory, str, list[object]]]:
    """The tools of a seed that Kleis can say, each with an input."""
    tools, random = made_tools(seed)
    theory = ToolTheory(tools)
    for name, (types, _) in tools.signatures.items():
        try:
            theory.add(name)
        except Untranslatable:
            continue
        inputs = [value(random, each) for each in types]
        small = [each % 6 if type(each) is int and abs(each) > 100 else each for each in inputs]
        yield tools, theory, name, small


@given(SEEDS)
@settings(max_examples=15)
def test_a_tool_and_its_definition_have_one_value_or_none(seed: int) -> None:
    """eval(tool(v)) = Kleis(tool(v)), and one has a value exactly where the other has."""
    for tools, theory, name, inputs in translated(seed):
        assert disagreement(theory, tools, name, inputs) in ("", "limit"), (name, inputs)


@given(SEEDS)
@settings(max_examples=2)
def test_the_prover_says_of_ground_equations_what_runs_say(prover: LawProver, seed: int) -> None:
    """verify(tool(v) = run(tool, v)) is never disproved, and of a tool without a value never verified."""
    for tools, theory, name, inputs in list(translated(seed))[:1]:
        found = claims(theory, tools, name, inputs)
        # Where the others meet a limit, such as an input that has no reading, the prover is not asked.
        if found is not None and disagreement(theory, tools, name, inputs) == "":
            claim, has_value = found
            assert proved_as_run(prover, theory, claim, has_value=has_value) == "", (name, inputs)


@given(SEEDS)
@settings(max_examples=8)
def test_definitions_are_what_their_text_says(seed: int) -> None:
    """parse(print(definition)) = definition, and all of them are read without a problem."""
    for _, theory, name, _ in translated(seed):
        made = theory.translated[f"{name}@1"]
        assert parse_program(made.source).items == made.definitions
        assert not theory.theory.problems


def test_most_made_tools_can_be_said() -> None:
    """The generator does not try the refusals alone."""
    said = [sum(1 for _ in translated(seed)) for seed in range(12)]
    assert sum(said) > 18
