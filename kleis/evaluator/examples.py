"""Example blocks: statements in order, one result per assertion.

Specification: kleis-language.md §2.7, §4.3, §4.4 (OURS); proving.md §1 ("assert on values that are marked as floats may
pass within 1e-10 and shows `approximate`; exact values never do"), §2 (verdicts).

How an assertion comes out, with "undefined" for a partial operation outside its domain:

    proposition is            assert      assert_disproved   assert_unknown   assert_inconsistent   assert_sat
    true                      passed      failed             failed           undecided             undecided
    false                     failed      passed             failed           passed                failed
    undefined                 error       passed             failed           undecided             failed
    undecided                 undecided   undecided          undecided        undecided             undecided
    ill-formed, over budget   error       error              error            error                 error

All statements run, also after an assertion that failed.  A `let` without a value ends the block, because what follows
may speak of it.
"""

from __future__ import annotations

from kleis.budget import Budget
from kleis.builtins.context import RECOVERABLE
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluation.assertions import Judgement, judge
from kleis.evaluation.typed_lets import value_at_type
from kleis.evaluator.environment import Environment
from kleis.evaluator.evaluate import evaluate_with
from kleis.evaluator.machine import Machine
from kleis.evaluator.outcomes import AssertionResult, AssertionStatus, ExampleResult
from kleis.syntax.tree import Assertion, Example, ExpressionStatement, LetStatement, Statement
from kleis.values import Symbol

__all__ = ["run_example"]

NEEDS_PROVER = "needs the prover"


def run_example(
    environment: Environment, example: Example, budget: Budget, *, file: str = "<text>"
) -> ExampleResult:
    """Run an example block.  Never raises: refusals become part of the result.  The budget is for the whole block."""
    run = _Run(environment, Machine(budget, environment.granted_root), file)
    for statement in example.statements:
        run.statement(statement)
    return ExampleResult(
        name=example.name,
        line=example.line,
        assertions=tuple(run.results),
        error=run.error,
        output=tuple(run.machine.output),
        steps=run.machine.used,
    )


class _Run:
    """A block under way."""

    def __init__(self, environment: Environment, machine: Machine, file: str) -> None:
        self.environment = environment
        self.machine = machine
        self.file = file
        self.results: list[AssertionResult] = []
        self.error: str | None = None
        self.stopped = ""

    def statement(self, statement: Statement) -> None:
        """Run one statement."""
        if isinstance(statement, Assertion):
            self.results.append(self._assertion(statement))
            return
        if self.stopped:
            return
        try:
            match statement:
                case LetStatement():
                    self._let(statement)
                case ExpressionStatement(expression=expression):
                    evaluate_with(self.machine, expression, self.environment, self.file)
        except (EvaluationError, BudgetError) as error:
            self.error = self.error or str(_placed(error, statement.line, self.file))
            if isinstance(statement, LetStatement):
                self.stopped = f"the let of line {statement.line} has no value"
            elif isinstance(error, BudgetError):
                self.stopped = "the budget is used up"

    def _let(self, statement: LetStatement) -> None:
        if statement.value is None:
            self.environment = self.environment.bind(statement.name, Symbol(statement.name))
            return
        value = evaluate_with(self.machine, statement.value, self.environment, self.file)
        value = value_at_type(self.machine, value, statement.type)
        self.environment = self.environment.bind(statement.name, value)

    def _assertion(self, assertion: Assertion) -> AssertionResult:
        if self.stopped:
            return AssertionResult(assertion.line, assertion.kind, "error", f"not run: {self.stopped}")
        if assertion.proposition is None:
            return AssertionResult(assertion.line, assertion.kind, "undecided", NEEDS_PROVER)
        self.machine.approximate = False
        try:
            judgement = judge(self.machine, assertion.proposition, self.environment, self.file)
        except EvaluationError as error:
            status: AssertionStatus = "error"
            detail = str(_placed(error, 0, self.file))
            if error.code in RECOVERABLE:
                status = _UNDEFINED[assertion.kind]
                detail = f"undefined: {detail}" if status != "undecided" else NEEDS_PROVER
            return AssertionResult(assertion.line, assertion.kind, status, detail)
        except BudgetError as error:
            if error.code == "budget_steps":
                self.stopped = "the budget is used up"
            return AssertionResult(assertion.line, assertion.kind, "error", str(error))
        return self._result(assertion, judgement)

    def _result(self, assertion: Assertion, judgement: Judgement) -> AssertionResult:
        approximate = self.machine.approximate
        if judgement.verdict is None:
            detail = f"{NEEDS_PROVER}: {judgement.detail}" if judgement.detail else NEEDS_PROVER
            return AssertionResult(assertion.line, assertion.kind, "undecided", detail, approximate)
        status = _DECIDED[assertion.kind][judgement.verdict]
        detail = judgement.detail
        if status == "failed" and judgement.verdict:
            detail = "the proposition holds"
        elif status == "undecided":
            detail = NEEDS_PROVER
        elif status == "passed" and judgement.verdict:
            detail = ""
        return AssertionResult(assertion.line, assertion.kind, status, detail, approximate)


_DECIDED: dict[str, dict[bool, AssertionStatus]] = {
    "assert": {True: "passed", False: "failed"},
    "assert_disproved": {True: "failed", False: "passed"},
    "assert_unknown": {True: "failed", False: "failed"},
    "assert_inconsistent": {True: "undecided", False: "passed"},
    "assert_sat": {True: "undecided", False: "failed"},
}

_UNDEFINED: dict[str, AssertionStatus] = {
    "assert": "error",
    "assert_disproved": "passed",
    "assert_unknown": "failed",
    "assert_inconsistent": "undecided",
    "assert_sat": "failed",
}


def _placed(error: EvaluationError | BudgetError, line: int, file: str) -> EvaluationError | BudgetError:
    """The error with a place at least in the block."""
    if not error.line and line:
        error.line, error.column, error.file = line, 1, file
    return error
