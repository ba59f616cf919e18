"""∧ ∨ → and finite quantifiers compiled, in strong Kleene logic.

See docs/reference/kleis.md §6.6.  A decisive operand decides, whatever the other one is, undefined or unknown.  The
truth tables, with U for "undefined" and ? for "depends on unbound names":

    false ∧ anything = anything ∧ false = false        true ∨ anything = anything ∨ true = true
    false → anything = anything → true = true          true ∧ U = U      true ∧ ? = ?      U ∧ ? = ?

A quantifier over `Bool` and data types whose constructors have no fields is a long ∧ or ∨ and is decided by trying
every value.  Any other quantifier is left as it is, for the prover.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from kleis.builtins.row import RECOVERABLE, wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluator.compilation_context import ExpressionCompiler, GlobalNames
from kleis.evaluator.machine import Code, Compiled, Frame, Machine, Place, Scope, charged
from kleis.syntax.tree import Binder, NamedType, Quantifier
from kleis.values import Data, Stuck, Suspended, Symbol, Symbolic, Value, kind_name

__all__ = ["CONNECTIVES", "Connective", "compile_quantifier", "connective_code"]


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
        symbolic = [operand for operand in (left, right) if isinstance(operand, Symbolic)]
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
    """Resumes when the left operand has a value or is undefined."""

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
    """Resumes when the right operand has a value or is undefined."""

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


# ── Quantifiers ──────────────────────────────────────────────────────────────────────────────────────────────

_MOST_INSTANCES = 4096
"""A quantifier with more combinations of values is left as it is."""


def compile_quantifier(compiler: ExpressionCompiler, expression: Quantifier, scope: Scope) -> Compiled:
    """The code of a quantifier."""
    suspended = compiler.suspended(expression, scope)
    domains = [_domain(binder, compiler.names) for binder in expression.binders]
    sizes = [len(domain) for domain in domains if domain is not None]
    if len(sizes) < len(domains) or prod(sizes) > _MOST_INSTANCES:
        return suspended
    names = [binder.name for binder in expression.binders]
    inner = scope.bind(names)
    body = compiler.compile(expression.body, inner)
    place = compiler.place(expression)
    if expression.where is not None:
        condition = compiler.compile(expression.where, inner)
        name = "implies" if expression.kind == "forall" else "logical_and"
        body = connective_code(CONNECTIVES[name], condition, body, place)
    # A name that occurs twice among the binders is the last one.
    slots = tuple(inner.slots[name] for name in names)
    instances = tuple(product(*[domain for domain in domains if domain is not None]))
    trial = _Trial(expression.kind == "exists", slots, instances, charged(body), suspended.code, place)
    return Compiled(trial.begin, False, 0)


def _domain(binder: Binder, names: GlobalNames) -> Sequence[Value] | None:
    """All values of a binder's type, if they are few and known."""
    if not isinstance(binder.type, NamedType):
        return None
    name = binder.type.name
    data = names.data_type(name)
    if data is None:
        return (False, True) if name in ("Bool", "Boolean") else None
    if data.parameters or any(variant.fields for variant in data.variants):
        return None
    values: list[Value] = []
    for variant in data.variants:
        truth = names.truth_value(variant.name)
        if names.is_list_constructor(variant.name):
            return None
        values.append(Data(variant.name) if truth is None else truth)
    return values


class _Progress:
    """How far a quantifier has been tried."""

    __slots__ = ("before", "deferred", "index", "symbolic", "undefined")

    def __init__(self, before: bool) -> None:
        # `Context.deferred` before the quantifier, and what the instances so far made of it.
        self.before = before
        self.deferred = False
        self.index = 0
        self.symbolic = False
        self.undefined: EvaluationError | None = None


class _Trial:
    """A quantifier over finite types: an instance with the truth value `decisive` decides it."""

    def __init__(
        self,
        decisive: bool,
        slots: tuple[int, ...],
        instances: tuple[tuple[Value, ...], ...],
        body: Code,
        suspended: Code,
        place: Place,
    ) -> None:
        self.decisive = decisive
        self.slots = slots
        self.instances = instances
        self.body = body
        self.suspended = suspended
        self.place = place

    def begin(self, frame: Frame) -> Any:
        return self._next(frame, _Progress(frame[0].deferred))

    def __call__(self, frame: Frame, progress: _Progress, value: Any) -> Any:
        machine: Machine = frame[0]
        if value is self.decisive:
            machine.deferred = machine.deferred or progress.before
            return value
        progress.deferred = progress.deferred or machine.deferred
        if isinstance(value, Symbolic):
            progress.symbolic = True
        elif not isinstance(value, bool):
            raise self.place.locate(
                wrong_sort("a quantifier is about a truth value", found=kind_name(value), expected="Bool")
            )
        return self._next(frame, progress)

    def recover(self, frame: Frame, progress: _Progress, error: EvaluationError) -> Any:
        progress.undefined = progress.undefined or error
        return self._next(frame, progress)

    def _next(self, frame: Frame, progress: _Progress) -> Any:
        machine: Machine = frame[0]
        if progress.index < len(self.instances):
            # Each instance has a frame of its own: a function made in one must not see the next one's values.
            tried: Frame = frame[:]
            for slot, value in zip(self.slots, self.instances[progress.index], strict=True):
                tried[slot] = value
            progress.index += 1
            machine.charge(1)
            machine.deferred = False
            machine.stack.append((self, frame, progress))
            return self.body(tried)
        machine.deferred = progress.before or progress.deferred
        if progress.symbolic:
            return self.suspended(frame)
        if progress.undefined is not None:
            raise progress.undefined
        return not self.decisive
