"""Kleis programs and expressions given as text, evaluated."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.budget import STANDARD_BUDGET, Budget
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import Environment, environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.evaluator.examples import run_example
from kleis.evaluator.outcomes import AssertionResult, Evaluation, ExampleResult
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.tree import Example
from kleis.values import render_value

SMALL_BUDGET = Budget(steps=200_000, depth=3_000, size=20_000)


def environment(program: str = "", granted_root: Path | None = None) -> Environment:
    return environment_of(parse_program(program), granted_root=granted_root)


def evaluation(expression: str, program: str = "", budget: Budget = STANDARD_BUDGET) -> Evaluation:
    return evaluate(parse_expression(expression), environment(program), budget)


def value(expression: str, program: str = "", budget: Budget = STANDARD_BUDGET) -> str:
    """The value of an expression as `kleis eval` shows it."""
    return render_value(evaluation(expression, program, budget).value)


def refusal(expression: str, program: str = "", budget: Budget = STANDARD_BUDGET) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        evaluation(expression, program, budget)
    return caught.value


def stopped(expression: str, program: str = "", budget: Budget = SMALL_BUDGET) -> str:
    """The code of the budget error that an expression ends with."""
    with pytest.raises(BudgetError) as caught:
        evaluation(expression, program, budget)
    return caught.value.code


def example(program: str, budget: Budget = STANDARD_BUDGET) -> ExampleResult:
    """The result of the one example block of a program."""
    parsed = parse_program(program)
    (block,) = [item for item in parsed.items if isinstance(item, Example)]
    return run_example(environment_of(parsed), block, budget)


def assertion(statement: str, declarations: str = "", lets: str = "") -> AssertionResult:
    """The result of one assertion in a block of its own."""
    result = example(f'{declarations}\nexample "one" {{ {lets}\n{statement} }}')
    assert result.error is None
    (only,) = result.assertions
    return only
