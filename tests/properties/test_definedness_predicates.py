"""Definedness predicates are true exactly where tools have values, and premises of laws leave out no assignment that a
trial refutes (ADR 015)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kleis.budget import Budget as KleisBudget
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import BudgetError, KleisError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.reference import Account
from kleis.semantics.truth import FALSE, TRUE, UNDEFINED, Truth
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree import Call, Expression
from kleis.theory.theory import Theory
from pif.language.decode import decode_term
from pif.language.host import Tool
from registry.laws.check_laws import LawCheck
from registry.laws.definedness.predicates import DefinednessPredicates
from registry.laws.definedness.value_conditions import UnknownCondition
from registry.laws.law_prover import LawProver
from registry.laws.trials import Trials
from registry.translate.kleis_syntax import call
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import ToolTheory
from tests.support.terms.law_tools import function, variable
from tests.support.terms.tool_maker import MadeTools, made_tools, value
from tests.support.terms.translation_agreement import BOUNDS, arguments_of, claims, is_made_narrower

Json = Any
SEEDS = st.integers(0, 2**32)


def truth_of(theory: Theory, claim: Expression, *, narrower: bool = False) -> Truth | None:
    """A closed claim by the reference semantics and, where that finds it true or false, by the evaluator; None where a
    budget is met, or where inputs are of other types than definitions that are `narrower` than their tools."""
    try:
        meaning = Elaborator(theory).proposition(claim)
    except KleisError as error:
        assert narrower or "the elements of []" in error.message  # of what an input can be written as
        return None
    assert meaning.claim is not None
    try:
        account = Account(BOUNDS.budget)
        truth = evaluator_of(meaning, Model({}, {}), BOUNDS, "one-sided", account).truth(meaning.claim)
        if truth in (TRUE, FALSE):
            computed = evaluate(claim, environment_of(theory), KleisBudget(steps=300_000)).value
            assert computed is (truth is TRUE), print_expression(claim)
    except BudgetError:
        return None
    return truth if truth in (TRUE, FALSE, UNDEFINED) else None


# ── Definedness predicates ───────────────────────────────────────────────────────────────────────────────────


def compared(seed: int) -> list[tuple[bool, Truth]]:
    """Of the tools of a seed at inputs: whether the tool has a value, and what its definedness predicate is there."""
    tools, random = made_tools(seed)
    theory, found = ToolTheory(tools), list[tuple[bool, Truth]]()
    for name, (types, _) in tools.signatures.items():
        try:
            theory.add(name)
        except Untranslatable:
            continue
        label = f"{name}@1"
        made = theory.translated[label].function
        for _ in range(4):
            inputs = [value(random, each) for each in types]
            inputs = [each % 6 if type(each) is int and abs(each) > 100 else each for each in inputs]
            said = claims(theory, tools, name, inputs)
            if said is None:
                continue
            law = call("equals", *[call(made.name, *arguments_of(made, inputs))] * 2)
            try:
                predicates = DefinednessPredicates(theory, [label], [law])
            except UnknownCondition as error:
                assert "has no words" in str(error)
                continue
            (premised,) = predicates.of_laws([law])
            if premised == law:
                assert said[1], f"{name} is said to have a value for {inputs}"
                continue
            assert isinstance(premised, Call)
            narrower = is_made_narrower(theory, tools, name)
            truth = truth_of(predicates.theory(), premised.arguments[0], narrower=narrower)
            if truth is not None:
                found.append((said[1], truth))
    return found


@given(SEEDS)
@example(34757)
@settings(max_examples=25)
def test_a_predicate_is_true_exactly_where_the_tool_has_a_value(seed: int) -> None:
    """has_value(v) = (run(tool, v) is a value), and it is true or false everywhere."""
    for has_value, truth in compared(seed):
        assert truth is (TRUE if has_value else FALSE)


def test_made_tools_have_values_at_some_inputs_and_none_at_others() -> None:
    """The generator does not try one of the two alone."""
    seen = [has_value for seed in range(14) for has_value, _ in compared(seed)]
    assert seen.count(True) > 5
    assert seen.count(False) > 3


# ── Premises of laws ─────────────────────────────────────────────────────────────────────────────────────────

PARTIAL: dict[str, Json] = {
    "inverse": function("x", {"div": [12, variable("x")]}),
    "below": function("x", {"div": [6, {"sub": [variable("x"), 1]}]}),
    "odd": function(
        "x", {"if": {"cond": {"eq": [{"div": [4, variable("x")]}, 2]}, "then": True, "else": False}}
    ),
    "square": function("x", {"mul": [variable("x"), variable("x")]}),
}


def partial_tools() -> MadeTools:
    tools = MadeTools()
    for name, code in PARTIAL.items():
        tools.tools[name] = Tool(name, 1, decode_term(code))
    return tools


TOOLS = partial_tools()
THEORY = ToolTheory(TOOLS)
for _name in PARTIAL:
    THEORY.add(_name)


def number(random: Random, depth: int) -> str:
    choice = random.random()
    if depth <= 0 or choice < 0.25:
        return random.choice(("x", "y", "0", "1", "2"))
    inner = number(random, depth - 1)
    if choice < 0.65:
        return f"{random.choice(('inverse', 'below', 'square'))}({inner})"
    if choice < 0.75:
        return f"div({inner}, {number(random, depth - 1)})"
    if choice < 0.83:
        return f"(if {formula(random, depth - 1)} then {inner} else {number(random, depth - 1)})"
    if choice < 0.9:
        return f"(let x = {inner} in {number(random, depth - 1)})"
    return f"({inner} {random.choice('+*-')} {number(random, depth - 1)})"


def formula(random: Random, depth: int) -> str:
    choice = random.random()
    if depth <= 0 or choice < 0.35:
        return f"({number(random, depth)} {random.choice('=<≥')} {number(random, depth)})"
    inner = formula(random, depth - 1)
    if choice < 0.42:
        return f"¬{inner}"
    if choice < 0.48:
        return f"odd({number(random, depth - 1)})"
    if choice < 0.54:
        return f"(if {inner} then {formula(random, depth - 1)} else {formula(random, depth - 1)})"
    if choice < 0.6:
        return f"(let y = {number(random, depth - 1)} in {inner})"
    return f"({inner} {random.choice('∧∨→')} {formula(random, depth - 1)})"


@pytest.fixture(scope="module")
def check() -> LawCheck:
    return LawCheck(TOOLS, lambda: PARTIAL, LawProver())


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_premised_law_is_true_at_no_point_that_a_trial_refutes(check: LawCheck, seed: int) -> None:
    """point refutes law ⟹ premises → law is not true there; and where only tools lack values, the premise is false."""
    random = Random(seed)
    text = formula(random, 3)
    law = check.read(f"∀(x y : ℤ). {text}")
    for label in law.tools:
        check.theory.add(label)
    predicates = DefinednessPredicates(check.theory, law.tools, [law.expression])
    try:
        (premised,) = predicates.of_laws([law.expression])
        theory = predicates.theory()
    except UnknownCondition as error:
        assert "nodes" in str(error)
        return
    signatures = [check.theory.signature(check.tools.tool(label)) for label in law.tools]
    trials = Trials(law.expression, signatures, TOOLS)
    for x in (0, 1, 2, -3):
        for y in (0, 1, 5):
            point = trials.at({"x": x, "y": y})
            refuted = point.truth == "false" or (point.truth == "undefined" and not point.without)
            closed = f"let x = ({x} : ℤ) in let y = ({y} : ℤ) in {print_expression(premised.body)}"
            truth = truth_of(theory, parse_expression(closed.replace("(-3 :", "(0 - 3 :")))
            if truth is None or point.truth == "open":
                continue
            assert not (refuted and truth is TRUE), (text, x, y)
            if point.truth == "true":
                assert truth is TRUE, (text, x, y)
            if point.truth == "undefined" and point.without and "div" not in text:
                assert truth is TRUE, (text, x, y)
