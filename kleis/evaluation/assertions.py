"""Judging a proposition: true, false or undecided, and why.

Exact values compare exactly.  Where a comparison at the top of the proposition meets floats, = ≤ ≥ hold within the
tolerance; ≠ is undecided within it, and < > are where the two agree in all digits that count, since the true values
may be equal.  Conjunctions are judged part by
part, so that each equation of ``a = 1 ∧ b = 2`` has this reading.
"""

from __future__ import annotations

from typing import NamedTuple

from kleis.builtins.context import RECOVERABLE, wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluator.environment import Environment
from kleis.evaluator.evaluate import evaluate_with
from kleis.evaluator.machine import Machine
from kleis.syntax.tree import Call, Expression
from kleis.values import (
    Number,
    Stuck,
    Suspended,
    Symbol,
    Value,
    approximately_equal,
    close,
    equal,
    indistinct,
    is_number,
    kind_name,
    render_value,
)

__all__ = ["Judgement", "judge"]

_SHOWN = 500
"""How much of a value a detail shows, in characters."""

_WORDS = {"equals": "=", "neq": "≠", "less_than": "<", "greater_than": ">", "leq": "≤", "geq": "≥"}


class Judgement(NamedTuple):
    """Whether a proposition holds (None: undecided), and a sentence about it."""

    verdict: bool | None
    detail: str


def judge(machine: Machine, proposition: Expression, environment: Environment, file: str) -> Judgement:
    """Whether a proposition holds.  Raises where it is undefined or ill-formed."""
    if isinstance(proposition, Call) and len(proposition.arguments) == 2:
        name = proposition.name
        if name not in environment.bindings and environment.is_builtin(name):
            if name == "logical_and":
                return _conjunction(machine, proposition, environment, file)
            if name in _WORDS:
                return _comparison(machine, proposition, environment, file)
    value = evaluate_with(machine, proposition, environment, file)
    if isinstance(value, bool):
        return Judgement(value, "" if value else "the proposition is false")
    if isinstance(value, (Symbol, Stuck, Suspended)):
        return Judgement(None, render_value(value, limit=_SHOWN))
    raise wrong_sort(
        f"an assertion is about a truth value, not {kind_name(value)}",
        found=kind_name(value),
        expected="Bool",
        hint="compare the value with what it should be",
    )


def _conjunction(machine: Machine, proposition: Call, environment: Environment, file: str) -> Judgement:
    """Strong Kleene: one false part makes it false, whatever the others are."""
    parts: list[Judgement] = []
    undefined: EvaluationError | None = None
    for part in proposition.arguments:
        try:
            judgement = judge(machine, part, environment, file)
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
    return Judgement(True, "")


def _comparison(machine: Machine, proposition: Call, environment: Environment, file: str) -> Judgement:
    left, right = [evaluate_with(machine, side, environment, file) for side in proposition.arguments]
    name = proposition.name
    if name in ("equals", "neq"):
        verdict = approximately_equal(left, right, machine)
    elif name in environment.declarations.constants and not (is_number(left) and is_number(right)):
        verdict = None
    else:
        verdict = _order(machine, name, left, right)
    if name == "neq" and verdict is not None:
        verdict = not verdict
        if verdict is False and equal(left, right, machine) is not True and machine.approximate:
            return Judgement(None, f"approximate values too close to tell: {_both(left, right)}")
    if verdict is None:
        return Judgement(None, render_value(Stuck(name, (left, right), total=False), limit=_SHOWN))
    if verdict:
        return Judgement(True, "")
    if name == "equals":
        detail = f"expected {render_value(right, limit=_SHOWN)}, found {render_value(left, limit=_SHOWN)}"
    else:
        detail = (
            f"false: {render_value(left, limit=_SHOWN)} {_WORDS[name]} {render_value(right, limit=_SHOWN)}"
        )
    return Judgement(False, detail)


def _both(left: Value, right: Value) -> str:
    return f"{render_value(left, limit=_SHOWN)} and {render_value(right, limit=_SHOWN)}"


def _order(machine: Machine, name: str, left: Value, right: Value) -> bool | None:
    for side in (left, right):
        if isinstance(side, (Symbol, Stuck, Suspended)):
            return None
        if not is_number(side):
            raise wrong_sort(
                f"{_WORDS[name]} compares real numbers, not {kind_name(side)}",
                found=kind_name(side),
                expected="ℝ",
            )
    assert isinstance(left, Number)
    assert isinstance(right, Number)
    if isinstance(left, float) or isinstance(right, float):
        machine.approximate = True
        if name in ("leq", "geq") and close(left, right):
            return True
        if indistinct(left, right):
            return None
    if name in ("less_than", "leq"):
        return left < right if name == "less_than" else left <= right
    return left > right if name == "greater_than" else left >= right
