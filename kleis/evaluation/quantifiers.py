"""Quantifiers: decided by trying every value where the types of the variables have few, left as they are otherwise.

Only `Bool` and data types whose constructors have no fields are finite here; what quantifies over them is decided in
strong Kleene logic like a long ∧ or ∨ (proving.md §1).  Everything else is the prover's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from kleis.builtins.context import wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluation.compiled import Compiled, Place, Scope, charged
from kleis.evaluator.logical_operators import CONNECTIVES, connective_code
from kleis.evaluator.machine import Code, Frame, Machine
from kleis.syntax.tree import Binder, NamedType, Quantifier
from kleis.values import Data, Stuck, Suspended, Symbol, Value, kind_name

if TYPE_CHECKING:
    from kleis.evaluator.compiler import Compiler
    from kleis.evaluator.environment import Environment

__all__ = ["compile_quantifier"]

_MOST_INSTANCES = 4096
"""More combinations of values than this are left to the prover."""


def compile_quantifier(compiler: Compiler, expression: Quantifier, scope: Scope) -> Compiled:
    """The code of a quantifier."""
    suspended = compiler.suspended(expression, scope)
    domains = [_domain(binder, compiler.environment) for binder in expression.binders]
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


def _domain(binder: Binder, environment: Environment) -> Sequence[Value] | None:
    """All values of a binder's type, if they are few and known."""
    if not isinstance(binder.type, NamedType):
        return None
    name = binder.type.name
    data = environment.declarations.data.get(name)
    if data is None:
        return (False, True) if name in ("Bool", "Boolean") else None
    if data.parameters or any(variant.fields for variant in data.variants):
        return None
    values: list[Value] = []
    for variant in data.variants:
        truth = environment.truth_value(variant.name)
        if environment.is_list_constructor(variant.name):
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
    """A quantifier over finite types: the instance that `decisive` holds for settles it."""

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
        if isinstance(value, (Symbol, Stuck, Suspended)):
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
