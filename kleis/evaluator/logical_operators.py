"""∧ ∨ → in strong Kleene logic: a decisive operand decides, whatever the other one is, undefined or unknown.

Specification: proving.md §1 (Definedness).  The truth tables, with U for "undefined" and ? for "depends on unbound names":

    false ∧ anything = anything ∧ false = false        true ∨ anything = anything ∨ true = true
    false → anything = anything → true = true          true ∧ U = U      true ∧ ? = ?      U ∧ ? = ?
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kleis.builtins.context import RECOVERABLE, wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluation.compiled import Compiled, Place
from kleis.evaluator.machine import Code, Frame, Machine
from kleis.values import Stuck, Suspended, Symbol, Value, kind_name

__all__ = ["CONNECTIVES", "Connective", "connective_code"]


class Connective(NamedTuple):
    """A connective by the operands that decide it: `result` if left is `left` or right is `right`."""

    name: str
    left: bool
    right: bool
    result: bool

    def combine(self, left: Any, right: Any) -> Value:
        """The value for two operands of which the left one does not decide; an error stands for "undefined"."""
        if right is self.right:
            return self.result
        undefined = [operand for operand in (left, right) if isinstance(operand, EvaluationError)]
        symbolic = [operand for operand in (left, right) if isinstance(operand, (Symbol, Stuck, Suspended))]
        if undefined and not symbolic:
            raise undefined[0]
        if undefined:
            shown = tuple(
                Stuck("undefined", (operand.message,), total=False)
                if isinstance(operand, EvaluationError)
                else operand
                for operand in (left, right)
            )
            return Stuck(self.name, shown, total=False)
        if not symbolic:
            return not self.result
        if len(symbolic) == 2:
            return Stuck(self.name, (left, right), total=True)
        if isinstance(left, bool):
            remaining: Value = right
            return remaining
        return Stuck("logical_not", (left,), total=True) if self.name == "implies" else symbolic[0]


CONNECTIVES = {
    connective.name: connective
    for connective in (
        Connective("logical_and", False, False, False),
        Connective("logical_or", True, True, True),
        Connective("implies", False, True, True),
    )
}


def _operand(value: Value, connective: Connective) -> Value:
    if isinstance(value, (bool, Symbol, Stuck, Suspended)):
        return value
    raise wrong_sort(
        f"{connective.name} combines truth values, not {kind_name(value)}",
        found=kind_name(value),
        expected="Bool",
        hint="compare the value with something",
    )


class _Step(NamedTuple):
    """A connective under way: its parts, and the left operand once it is known.

    `before` and `of_left` are what `Context.deferred` was before the connective and what the left operand made of it.
    Where the right operand decides, it does not matter that the left one may be undefined.
    """

    connective: Connective
    right: Compiled
    place: Place
    before: bool
    left: Any = None
    of_left: bool = False

    def finish(self, machine: Machine, right: Any) -> Value:
        decided = right is self.connective.right
        machine.deferred = self.before or machine.deferred or (self.of_left and not decided)
        return self.connective.combine(self.left, right)


class _AfterLeft:
    """Goes on when the left operand has a value or is undefined."""

    def __call__(self, frame: Frame, step: _Step, value: Any) -> Any:
        machine: Machine = frame[0]
        connective = step.connective
        try:
            if _operand(value, connective) is connective.left:
                machine.deferred = machine.deferred or step.before
                return connective.result
        except EvaluationError as error:
            raise step.place.locate(error) from None
        return _evaluate_right(frame, step._replace(left=value, of_left=machine.deferred))

    def recover(self, frame: Frame, step: _Step, error: EvaluationError) -> Any:
        return _evaluate_right(frame, step._replace(left=error))


class _AfterRight:
    """Goes on when the right operand has a value or is undefined."""

    def __call__(self, frame: Frame, step: _Step, value: Any) -> Any:
        try:
            return step.finish(frame[0], _operand(value, step.connective))
        except EvaluationError as error:
            raise step.place.locate(error) from None

    def recover(self, frame: Frame, step: _Step, error: EvaluationError) -> Any:
        return step.finish(frame[0], error)


_AFTER_LEFT = _AfterLeft()
_AFTER_RIGHT = _AfterRight()


def _evaluate_right(frame: Frame, step: _Step) -> Any:
    machine: Machine = frame[0]
    machine.deferred = False
    machine.stack.append((_AFTER_RIGHT, frame, step))
    return step.right.code(frame)


def connective_code(connective: Connective, left: Compiled, right: Compiled, place: Place) -> Compiled:
    """Code for a connective of two operands."""
    weight = 1 + left.weight + right.weight
    if left.direct and right.direct:
        return Compiled(_direct(connective, left.code, right, place), True, weight)

    def run(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= weight
        machine.stack.append((_AFTER_LEFT, frame, _Step(connective, right, place, machine.deferred)))
        machine.deferred = False
        return left.code(frame)

    return Compiled(run, False, 0)


def _direct(connective: Connective, left: Code, right: Compiled, place: Place) -> Code:
    compute_right = right.code

    def run(frame: Frame) -> Any:
        machine: Machine = frame[0]
        before = machine.deferred
        machine.deferred = False
        first = _value_or_error(left, frame)
        try:
            if not isinstance(first, EvaluationError) and _operand(first, connective) is connective.left:
                machine.deferred = machine.deferred or before
                return connective.result
            of_left, machine.deferred = machine.deferred, False
            second = _value_or_error(compute_right, frame)
            if not isinstance(second, EvaluationError):
                _operand(second, connective)
            return _Step(connective, right, place, before, first, of_left).finish(machine, second)
        except EvaluationError as error:
            raise place.locate(error) from None

    return run


def _value_or_error(code: Code, frame: Frame) -> Any:
    try:
        return code(frame)
    except EvaluationError as error:
        if error.code not in RECOVERABLE:
            raise
        return error
