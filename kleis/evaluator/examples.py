"""Example blocks: statements in order, one result per assertion.

See docs/reference/kleis.md §7.  How an assertion comes out, with "undefined" for a partial operation outside its
domain:

    proposition is            assert      assert_disproved   assert_unknown   assert_inconsistent   assert_sat
    true                      passed      failed             failed           undecided             undecided
    false                     failed      passed             failed           passed                failed
    undefined                 error       passed             failed           undecided             failed
    undecided                 undecided   undecided          undecided        undecided             undecided
    ill-formed, over budget   error       error              error            error                 error

All statements run, also after an assertion that failed.  A `let` without a value ends the block, because what follows
may depend on it.

Exact values compare exactly.  Where a comparison at the top of the proposition meets floats, = ≤ ≥ hold within the
tolerance; ≠ is undecided within it, and < > are where the two agree in all digits that count, since the true values
may be equal.  Conjunctions are judged part by part, so that this holds for each equation of ``a = 1 ∧ b = 2``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kleis import values
from kleis.budget import Budget, deep
from kleis.builtins.row import RECOVERABLE, Context, undefined, wrong_sort
from kleis.builtins.rows.bit_vectors import bit_vector
from kleis.builtins.rows.table import find_builtin
from kleis.errors import BudgetError, EvaluationError
from kleis.evaluator.environment import Environment
from kleis.evaluator.evaluate import evaluate_with
from kleis.evaluator.machine import Machine
from kleis.evaluator.outcomes import AssertionResult, AssertionStatus, ExampleResult
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk

__all__ = ["run_example"]

_NEEDS_PROVER = "needs the prover"


@deep()
def run_example(
    environment: Environment, example: tree.Example, budget: Budget, *, file: str = "<text>"
) -> ExampleResult:
    """Run an example block.  Never raises: errors become part of the result.  The budget is for the whole block."""
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
        pictures=tuple(run.machine.pictures.values()),
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
        self.approximate_names: set[str] = set()

    def statement(self, statement: tree.Statement) -> None:
        """Run one statement."""
        if isinstance(statement, tree.Assertion):
            self.results.append(self._assertion(statement))
            return
        if self.stopped:
            return
        try:
            match statement:
                case tree.LetStatement():
                    self._let(statement)
                case tree.ExpressionStatement(expression=expression):
                    value = evaluate_with(self.machine, expression, self.environment, self.file)
                    if isinstance(expression, tree.Name):
                        self._refuse_word(expression, value)
        except (EvaluationError, BudgetError) as error:
            self.error = self.error or str(_placed(error, statement.line, self.file))
            if isinstance(statement, tree.LetStatement):
                self.stopped = f"the let of line {statement.line} has no value"
            elif isinstance(error, BudgetError):
                self.stopped = "the budget is used up"

    def _let(self, statement: tree.LetStatement) -> None:
        if statement.value is None:
            self.environment = self.environment.bind(statement.name, values.Symbol(statement.name))
            return
        self.machine.approximate = False
        value = evaluate_with(self.machine, statement.value, self.environment, self.file)
        # A rank, or what an `if` on doubles chose, is as approximate as they are though it is an integer.
        rests_on_doubles = self.machine.approximate or self._rests_on_doubles(statement.value)
        (self.approximate_names.add if rests_on_doubles else self.approximate_names.discard)(statement.name)
        value = _value_at_type(self.machine, value, statement.type)
        self.environment = self.environment.bind(statement.name, value)

    def _rests_on_doubles(self, expression: tree.Expression) -> bool:
        """Whether an expression mentions a name whose value came of doubles."""
        return bool(self.approximate_names) and any(
            isinstance(node, tree.Name | tree.Call) and node.name in self.approximate_names
            for node in walk(expression)
        )

    def _refuse_word(self, word: tree.Name, value: values.Value) -> None:
        """A word alone that does nothing: ``prove 1 > 2`` are two statements, and neither asserts anything."""
        name = word.name
        if isinstance(value, values.FunctionValue):
            message = f"{name} alone is not called"
            hint = f"write {name}(…)"
        elif (
            isinstance(value, values.Symbol)
            and name not in self.environment.bindings
            and not self.environment.is_declared(name)
            and find_builtin(name) is None
        ):
            message = f"{name} begins no statement, and nothing declares it"
            hint = "to check a proposition write assert(…) or verify …; separate statements by ;"
        else:
            return
        raise EvaluationError(
            message,
            code="unknown-statement",
            hint=hint,
            found=name,
            file=self.file,
            line=word.span.line,
            column=word.span.column,
        )

    def _assertion(self, assertion: tree.Assertion) -> AssertionResult:
        if self.stopped:
            return AssertionResult(assertion.line, assertion.kind, "error", f"not run: {self.stopped}")
        if assertion.proposition is None:
            return AssertionResult(assertion.line, assertion.kind, "undecided", _NEEDS_PROVER)
        self.machine.approximate = self._rests_on_doubles(assertion.proposition)
        try:
            judgement = _judge(self.machine, assertion.proposition, self.environment, self.file)
        except EvaluationError as error:
            status: AssertionStatus = "error"
            detail = str(_placed(error, 0, self.file))
            if error.code in RECOVERABLE:
                status = _UNDEFINED[assertion.kind]
                detail = f"undefined: {detail}" if status != "undecided" else _NEEDS_PROVER
            return AssertionResult(assertion.line, assertion.kind, status, detail)
        except BudgetError as error:
            if error.code == "budget_steps":
                self.stopped = "the budget is used up"
            return AssertionResult(assertion.line, assertion.kind, "error", str(error))
        return self._result(assertion, judgement)

    def _result(self, assertion: tree.Assertion, judgement: _Judgement) -> AssertionResult:
        approximate = self.machine.approximate
        if judgement.verdict is None:
            detail = f"{_NEEDS_PROVER}: {judgement.detail}" if judgement.detail else _NEEDS_PROVER
            return AssertionResult(assertion.line, assertion.kind, "undecided", detail, approximate)
        status = _DECIDED[assertion.kind][judgement.verdict]
        detail = judgement.detail
        if status == "failed" and judgement.verdict:
            detail = "the proposition holds"
        elif status == "undecided":
            detail = _NEEDS_PROVER
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


# ── Propositions judged: true, false or undecided, and why ───────────────────────────────────────────────────

_SHOWN = 500

_SIGNS = {"equals": "=", "neq": "≠", "less_than": "<", "greater_than": ">", "leq": "≤", "geq": "≥"}


class _Judgement(NamedTuple):
    """Whether a proposition holds (None: undecided), and why, in words."""

    verdict: bool | None
    detail: str


def _judge(machine: Machine, proposition: tree.Expression, environment: Environment, file: str) -> _Judgement:
    """Whether a proposition holds.  Raises where it is undefined or ill-formed."""
    if isinstance(proposition, tree.Call) and len(proposition.arguments) == 2:
        name = proposition.name
        if name not in environment.bindings and environment.is_builtin(name, 2):
            if name == "logical_and":
                return _conjunction(machine, proposition, environment, file)
            if name in _SIGNS:
                return _comparison(machine, proposition, environment, file)
    value = evaluate_with(machine, proposition, environment, file)
    if isinstance(value, bool):
        return _Judgement(value, "" if value else "the proposition is false")
    if isinstance(value, values.Symbolic):
        return _Judgement(None, _text(value))
    raise wrong_sort(
        f"an assertion is about a truth value, not {values.kind_name(value)}",
        found=values.kind_name(value),
        expected="Bool",
        hint="compare the value with what it should be",
    )


def _conjunction(machine: Machine, proposition: tree.Call, environment: Environment, file: str) -> _Judgement:
    """Strong Kleene: one false part makes it false, whatever the others are."""
    parts: list[_Judgement] = []
    undefined: EvaluationError | None = None
    for part in proposition.arguments:
        try:
            judgement = _judge(machine, part, environment, file)
        except EvaluationError as error:
            if error.code not in RECOVERABLE:
                raise
            undefined = undefined or error
            continue
        if judgement.verdict is False:
            return judgement
        parts.append(judgement)
    undecided = [judgement for judgement in parts if judgement.verdict is None]
    if undecided:
        return undecided[0]
    if undefined is not None:
        raise undefined
    return _Judgement(True, "")


def _comparison(machine: Machine, proposition: tree.Call, environment: Environment, file: str) -> _Judgement:
    left, right = [evaluate_with(machine, side, environment, file) for side in proposition.arguments]
    name = proposition.name
    if name in ("equals", "neq"):
        verdict = values.approximately_equal(left, right, machine)
    elif environment.is_declared(name) and not (values.is_number(left) and values.is_number(right)):
        verdict = None
    else:
        verdict = _order(machine, name, left, right)
    if name == "neq" and verdict is not None:
        verdict = not verdict
        if verdict is False and values.equal(left, right, machine) is not True and machine.approximate:
            return _Judgement(None, f"approximate values too close to tell: {_text(left)} and {_text(right)}")
    if verdict is None:
        return _Judgement(None, _text(values.Stuck(name, (left, right), total=False)))
    if verdict:
        return _Judgement(True, "")
    if name == "equals":
        detail = f"expected {_text(right)}, found {_text(left)}"
    else:
        detail = f"false: {_text(left)} {_SIGNS[name]} {_text(right)}"
    return _Judgement(False, detail)


def _text(value: values.Value) -> str:
    return values.render_value(value, limit=_SHOWN)


def _order(machine: Machine, name: str, left: values.Value, right: values.Value) -> bool | None:
    for side in (left, right):
        if isinstance(side, values.Symbolic):
            return None
        if not values.is_number(side):
            raise wrong_sort(
                f"{_SIGNS[name]} compares real numbers, not {values.kind_name(side)}",
                found=values.kind_name(side),
                expected="ℝ",
            )
    assert isinstance(left, values.Number)
    assert isinstance(right, values.Number)
    if isinstance(left, float) or isinstance(right, float):
        machine.approximate = True
        if name in ("leq", "geq") and values.close(left, right):
            return True
        if values.indistinct(left, right):
            return None
    if name in ("less_than", "leq"):
        return left < right if name == "less_than" else left <= right
    return left > right if name == "greater_than" else left >= right


# ── `let` with a bit-vector type ─────────────────────────────────────────────────────────────────────────────

_BIT_VECTOR_TYPES = {"Byte": 8, "Word": 32}
_NAME = re.compile(r"(?:BitVec|[UI])(8|16|32|64)")


def _bit_width(type_expression: tree.TypeExpression | None) -> int | None:
    """The width of a bit-vector type: ``BitVec8``, ``BitVec(12)``, ``Byte``, ``Word``, ``U8`` … ``I64``."""
    match type_expression:
        case tree.NamedType(name=name):
            found = _NAME.fullmatch(name)
            return int(found.group(1)) if found else _BIT_VECTOR_TYPES.get(name)
        case tree.AppliedType(name="BitVec", arguments=(tree.NumberType(value=width),)):
            return width
        case tree.AppliedType(name="BitVec", arguments=(tree.NamedType(name=digits),)) if digits.isdecimal():
            return int(digits)
    return None


def _value_at_type(
    context: Context, value: values.Value, type_expression: tree.TypeExpression | None
) -> values.Value:
    """The value of a `let` with its type: ``let b : BitVec8 = 5`` makes a bit-vector of an integer.

    No other written type changes a value; elaboration decides whether a value has its type.
    """
    width = _bit_width(type_expression)
    if width is None or not isinstance(value, int) or isinstance(value, bool):
        return value
    context.admit_bits(max(width, 1))
    if width < 1 or not -(1 << (width - 1)) <= value < 1 << width:
        raise undefined(f"{value} does not fit into {width} bits", "take it modulo a power of 2 first")
    return bit_vector(context, value, width)
