"""An expression to its value.  The package docstring says what is promised."""

from __future__ import annotations

from kleis.budget import Budget, deep
from kleis.errors import EvaluationError, KleisError
from kleis.evaluator.compiler import Compiler
from kleis.evaluator.environment import Environment
from kleis.evaluator.machine import Machine, Scope, charged
from kleis.evaluator.outcomes import Evaluation
from kleis.syntax.tree import Expression
from kleis.values import Value, contains_float, is_partial

__all__ = ["evaluate", "evaluate_with", "evaluated"]


def evaluate(
    expression: Expression, environment: Environment, budget: Budget, *, file: str = "<expression>"
) -> Evaluation:
    """The value of an expression.

    Raises `EvaluationError` where it has none, `BudgetError` where the budget is used up, and nothing else.  `file` is
    what errors call the text of the expression.
    """
    return _finished(Machine(budget, environment.granted_root), expression, environment, file)


def evaluated(
    expression: Expression, environment: Environment, budget: Budget
) -> tuple[Evaluation | KleisError, int]:
    """As `evaluate`, with the steps that were taken; an error is returned with them and not raised."""
    machine = Machine(budget, environment.granted_root)
    try:
        found: Evaluation | KleisError = _finished(machine, expression, environment, "<expression>")
    except KleisError as error:
        found = error
    return found, min(machine.used, budget.steps)


def _finished(machine: Machine, expression: Expression, environment: Environment, file: str) -> Evaluation:
    value = evaluate_with(machine, expression, environment, file)
    approximate = machine.approximate or contains_float(value, machine)
    pictures = tuple(machine.pictures.values())
    return Evaluation(value, approximate, tuple(machine.output), machine.used, machine.mixed, pictures)


@deep()
def evaluate_with(machine: Machine, expression: Expression, environment: Environment, file: str) -> Value:
    """The value of an expression, paid by a machine that may already have run others."""
    try:
        scope = Scope(())
        compiled = Compiler(environment, file).compile(expression, scope)
        value = machine.run(charged(compiled), [machine, *scope.layout[1:]])
        if machine.deferred and not is_partial(value):
            # What came out is the value only where all that was left symbolic is defined.
            suspend = Compiler(environment, file).suspended(expression, scope)
            value = suspend.code([machine])
        return value
    except RecursionError:
        # Code and compiler recurse as deep as the source is nested; only a caller that is itself deep gets here.
        raise EvaluationError(
            "the expression is nested too deeply for what is left of the host's stack",
            code="nesting",
            file=file,
            hint="name parts of it with let or define",
        ) from None
