"""`let` and `match` compiled (§2.12, §4.7 OURS): first match wins, guards are evaluated, nothing is guessed.

Where symbolic parts decide whether a case matches, the whole expression is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kleis.builtins.context import wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluation.compiled import Compiled, Place, Scope
from kleis.evaluator.machine import Code, Frame, Machine
from kleis.evaluator.matching import Test, compile_pattern, pattern_names
from kleis.syntax.tree import Let, Match, Pattern
from kleis.values import Stuck, Suspended, Symbol, Value, kind_name, render_value

if TYPE_CHECKING:
    from kleis.evaluator.compiler import Compiler

__all__ = ["compile_let", "compile_match"]

_SHOWN = 200
"""How much of a value an error message shows, in characters."""


class _Destructuring(NamedTuple):
    """A `let`, once its value is known."""

    test: Test
    body: Code
    undecided: Code
    place: Place


def compile_let(compiler: Compiler, expression: Let, scope: Scope) -> Compiled:
    """The code of ``let pattern = value in body``."""
    value = compiler.compile(expression.value, scope)
    inner, test = _pattern(compiler, expression.pattern, scope)
    body = compiler.compile(expression.body, inner)
    undecided = compiler.suspended(expression, scope)
    parts = _Destructuring(test, body.code, undecided.code, compiler.place(expression))
    weight = 1 + value.weight + body.weight
    if value.direct:
        compute = value.code

        def run(frame: Frame) -> Any:
            return _destructure(frame, parts, compute(frame))

        def run_and_pay(frame: Frame) -> Any:
            frame[0].remaining -= weight
            return _destructure(frame, parts, compute(frame))

        return Compiled(run, True, weight) if body.direct else Compiled(run_and_pay, False, 0)

    def begin(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= weight
        machine.stack.append((_destructure, frame, parts))
        return value.code(frame)

    return Compiled(begin, False, 0)


def _pattern(compiler: Compiler, pattern: Pattern, scope: Scope) -> tuple[Scope, Test]:
    inner = scope.bind(pattern_names(pattern))
    return inner, compile_pattern(pattern, inner, compiler.environment, set())


def _destructure(frame: Frame, parts: _Destructuring, value: Value) -> Any:
    verdict = parts.test(frame, value)
    if verdict is True:
        return parts.body(frame)
    if verdict is None:
        return parts.undecided(frame)
    raise parts.place.locate(
        EvaluationError(
            f"the pattern of the let does not match {render_value(value, limit=_SHOWN)}",
            code="no_matching_case",
            found=kind_name(value),
            hint="use match where several shapes are possible",
        )
    )


class _Case(NamedTuple):
    """A compiled case."""

    test: Test
    guard: Compiled | None
    body: Code


class _Cases(NamedTuple):
    """A compiled match without its scrutinee."""

    cases: tuple[_Case, ...]
    undecided: Code
    place: Place


def compile_match(compiler: Compiler, expression: Match, scope: Scope) -> Compiled:
    """The code of ``match scrutinee { pattern if guard => body … }``."""
    scrutinee = compiler.compile(expression.scrutinee, scope)
    cases: list[_Case] = []
    weight = 1 + scrutinee.weight
    direct = scrutinee.direct
    for case in expression.cases:
        inner, test = _pattern(compiler, case.pattern, scope)
        guard = None if case.guard is None else compiler.compile(case.guard, inner)
        body = compiler.compile(case.body, inner)
        weight += body.weight + (1 if guard is None else 1 + guard.weight)
        direct = direct and body.direct and (guard is None or guard.direct)
        cases.append(_Case(test, guard, body.code))
    undecided = compiler.suspended(expression, scope)
    parts = _Cases(tuple(cases), undecided.code, compiler.place(expression))
    if scrutinee.direct:
        compute = scrutinee.code

        def run(frame: Frame) -> Any:
            return _select(frame, parts, compute(frame), 0)

        def run_and_pay(frame: Frame) -> Any:
            frame[0].remaining -= weight
            return _select(frame, parts, compute(frame), 0)

        return Compiled(run, True, weight) if direct else Compiled(run_and_pay, False, 0)

    def begin(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= weight
        machine.stack.append((_select_first, frame, parts))
        return scrutinee.code(frame)

    return Compiled(begin, False, 0)


def _select_first(frame: Frame, parts: _Cases, value: Value) -> Any:
    return _select(frame, parts, value, 0)


def _select(frame: Frame, parts: _Cases, value: Value, start: int) -> Any:
    """The body of the first case from `start` on that matches and whose guard holds."""
    for index in range(start, len(parts.cases)):
        case = parts.cases[index]
        verdict = case.test(frame, value)
        if verdict is False:
            continue
        if verdict is None:
            return parts.undecided(frame)
        if case.guard is None:
            return case.body(frame)
        if not case.guard.direct:
            machine: Machine = frame[0]
            machine.stack.append((_guarded, frame, (parts, value, index)))
            return case.guard.code(frame)
        holds = _truth(case.guard.code(frame), parts.place)
        if holds is None:
            return parts.undecided(frame)
        if holds:
            return case.body(frame)
    raise parts.place.locate(
        EvaluationError(
            f"no case matches {render_value(value, limit=_SHOWN)}",
            code="no_matching_case",
            found=kind_name(value),
            hint="add a case for it, or a last case with _",
        )
    )


def _guarded(frame: Frame, waiting: tuple[_Cases, Value, int], value: Value) -> Any:
    parts, scrutinee, index = waiting
    holds = _truth(value, parts.place)
    if holds is None:
        return parts.undecided(frame)
    if holds:
        return parts.cases[index].body(frame)
    return _select(frame, parts, scrutinee, index + 1)


def _truth(value: Value, place: Place) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, (Symbol, Stuck, Suspended)):
        return None
    raise place.locate(
        wrong_sort(
            f"a guard is a truth value, not {kind_name(value)}", found=kind_name(value), expected="Bool"
        )
    )
