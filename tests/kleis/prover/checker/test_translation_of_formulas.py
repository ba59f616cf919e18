"""The naive translation of formulas against the reference semantics, and beside the engines' encoder.

Where one of the two translations has a model and the other has none, one of them is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import event, given, settings

from kleis.core import Connective
from kleis.core.goal import Goal
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.protocol.engine import Inexpressible, Task
from kleis.prover.smt.script import encode
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.provers.naive import FEW_STEPS, answer, of_goal, verdict
from tests.support.provers.solving import _check
from tests.support.theories.bounded_propositions import PROGRAM as NUMBERS
from tests.support.theories.bounded_propositions import bounded
from tests.support.theories.random_lists import facts
from tests.support.theories.random_propositions import FINITE, GROUND, closed, ground

LISTS = ""
WORLDS = {
    text: Elaborator(Theory().include(parse_program(text))) for text in (FINITE, GROUND, LISTS, NUMBERS)
}
BOUNDS = Bounds()


def goal_of(world: str, text: str) -> Goal:
    return WORLDS[world].proposition(parse_expression(text))


def encoder_says(goal: Goal) -> tuple[str, bool]:
    """What Z3 says of the engines' script, and whether a model of it is one of the task."""
    try:
        script = encode(Task(goal))
    except Inexpressible:
        return "not expressible", False
    return _check([script.text()], FEW_STEPS), script.exact


def naive_says(goal: Goal) -> str:
    """What Z3 says of the checker's script: it has a model also where the opposite of the claim is refuted.

    Of a script that knows nothing of a built-in only a refutation says something of the goal.
    """
    assert goal.claim is not None
    try:
        script = of_goal(goal)
        found = answer(script, FEW_STEPS)
        if found != "unsat" and script.approximate:
            return "not expressible"
        if (
            found == "unknown"
            and answer(of_goal(goal, Connective("not", (goal.claim,))), FEW_STEPS) == "unsat"
        ):
            return "sat"
        return found
    except NotExpressible:
        return "not expressible"


@pytest.fixture(scope="module")
def tally() -> Iterator[Counter[str]]:
    """The answers for the naive translation; those without one stay under a tenth."""
    counted: Counter[str] = Counter()
    yield counted
    assert counted["unknown"] * 10 <= sum(counted.values()), counted


def agree(world: str, text: str, tally: Counter[str]) -> None:
    goal = goal_of(world, text)
    naive, (engines, exact) = naive_says(goal), encoder_says(goal)
    tally[naive] += 1
    event(f"naive {naive}, engines {engines}")
    if exact:
        assert {naive, engines} != {"sat", "unsat"}, text
    else:
        assert (naive, engines) != ("sat", "unsat"), text
    if naive == "unsat":
        assert truth_of(goal, bounds=BOUNDS) in ("true", "open"), text


@given(closed())
@settings(max_examples=250)
def test_formulas_over_finite_sorts_are_those_of_the_encoder_and_the_reference(
    tally: Counter[str], text: str
) -> None:
    agree(FINITE, text, tally)


@given(ground())
@settings(max_examples=150)
def test_ground_formulas_are_those_of_the_encoder_and_the_reference(tally: Counter[str], text: str) -> None:
    agree(GROUND, text, tally)


@given(bounded())
@settings(max_examples=200)
def test_bounded_quantifiers_are_those_of_the_encoder_and_the_reference(
    tally: Counter[str], text: str
) -> None:
    agree(NUMBERS, text, tally)


@given(facts())
@settings(max_examples=100)
def test_facts_of_lists_are_those_of_the_encoder_and_the_reference(tally: Counter[str], text: str) -> None:
    agree(LISTS, text, tally)


@given(closed())
@settings(max_examples=100)
def test_false_and_undefined_are_told_apart(text: str) -> None:
    goal = goal_of(FINITE, text)
    expected, found = truth_of(goal, bounds=BOUNDS), verdict(goal)
    event(f"{expected}, {found}")
    assert "open" in (expected, found) or expected == found
