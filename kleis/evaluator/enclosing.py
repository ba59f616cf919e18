"""`interval(e)` and `enclose(f, a, b)`: rationals that a real number, or all values of a function, are proved to lie between.

The bounds are those of `kleis.semantics.real_functions`, with which the checker of certificates judges claims about intervals: every
operation is rounded outwards, no float takes part, and what is not shown to have a value has no enclosure.  So a result is exact:
two rationals, and a theorem about them that `kleis verify` proves again from the same bounds.

Both read their argument as it is written, because the value of ``sin(1)`` is already a double.  A name bound to a double is refused.
See docs/reference/numerics.md §6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from kleis.builtins.row import Builtin, Context, Undecided
from kleis.errors import EvaluationError
from kleis.evaluator.compilation_context import GlobalNames
from kleis.semantics.elementary_bounds import Elementary
from kleis.semantics.enclosures import ORDERS, compared
from kleis.semantics.rational_bounds import Enclosure, NotEnclosed
from kleis.semantics.real_functions import FUNCTIONS, applied
from kleis.semantics.truth import FALSE, TRUE
from kleis.syntax import tree
from kleis.values import (
    FunctionValue,
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    exact,
    kind_name,
    list_of,
    number_from_text,
)

__all__ = ["ENCLOSING", "enclosure_of_function", "enclosure_of_number"]

ENCLOSING = {"interval": 1, "enclose": 3}
"""The forms, and how many arguments they take."""

_PRECISIONS = (96, 384, 1_536)
_DIGITS = 20
_WIDE_DIGITS = 15
"""Significant decimal digits that are written, and those that are asked for before precision is raised."""

_RANGE_PRECISION = 64
_RANGE_DIGITS = 10
_MOST_PARTS = 512
_LEAST_GAIN = Fraction(1, 1_000)
"""Where bounds of a range are this near to values that are taken, relative to their distance, they are near enough."""

_DEPTH = 120

_Bound: TypeAlias = "Enclosure | Value"


def enclosure_of_number(
    context: Context, names: GlobalNames, expression: tree.Expression, values: Mapping[str, Value]
) -> ListValue:
    """[low, high] with low ≤ e ≤ high."""
    found: Enclosure | None = None
    for precision in _PRECISIONS:
        found = _Encloser(context, names, precision).of(expression, values)
        largest = max(abs(found[0]), abs(found[1]))
        if (found[1] - found[0]) * 10**_WIDE_DIGITS <= largest:
            break
    assert found is not None
    return _shown(found, _DIGITS)


def enclosure_of_function(
    context: Context, names: GlobalNames, function: Value, low: Value, high: Value
) -> ListValue:
    """[low, high] that all values of a function over [a, b] lie between, near to the least and the greatest."""
    ends = [_end(each) for each in (low, high)]
    if ends[0] > ends[1]:
        raise _refused("enclose takes an interval from its lower to its upper end", "exchange the ends")
    encloser = _Encloser(context, names, _RANGE_PRECISION)
    return _shown(_range(encloser, function, (ends[0], ends[1])), _RANGE_DIGITS)


def _end(value: Value) -> Fraction:
    if isinstance(value, (Symbol, Stuck, Suspended)):
        raise Undecided
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise _refused(f"an end of an interval is {kind_name(value)}", "give an exact rational number")
    return Fraction(value)


def _refused(message: str, hint: str = "") -> EvaluationError:
    return EvaluationError(message, code="enclosure", hint=hint)


def _shown(bounds: Enclosure, digits: int) -> ListValue:
    """The bounds with few decimal digits, rounded outwards; a number that is known exactly as it is."""
    low, high = bounds
    if low == high:
        return list_of([exact(low), exact(high)])
    largest = max(abs(low), abs(high))
    size = (largest.numerator.bit_length() - largest.denominator.bit_length()) * 0.30103
    unit = Fraction(10) ** (digits - math.ceil(size))
    return list_of(
        [exact(Fraction(math.floor(low * unit)) / unit), exact(Fraction(math.ceil(high * unit)) / unit)]
    )


# ── A range ──────────────────────────────────────────────────────────────────────────────────────────────────


class _Part(NamedTuple):
    """A part of an interval, how often it was halved, and what the values over it lie between, if that is known."""

    box: Enclosure
    halved: int
    values: Enclosure | None


def _range(encloser: _Encloser, function: Value, box: Enclosure) -> Enclosure:
    """Halve where a bound is furthest from values that are known to be taken, until it is near to them."""

    def part(box: Enclosure, halved: int) -> _Part:
        try:
            return _Part(box, halved, encloser.call(function, (box,)))
        except NotEnclosed:
            return _Part(box, halved, None)

    def taken(at: Fraction) -> Enclosure:
        return encloser.call(function, ((at, at),))

    try:
        first, last = taken(box[0]), taken(box[1])
    except NotEnclosed:
        raise encloser.refusal() from None
    least, greatest = min(first[1], last[1]), max(first[0], last[0])
    parts = [part(box, 0)]
    while True:
        worst = _worst(parts, least, greatest)
        if worst is None or len(parts) >= _MOST_PARTS:
            break
        if worst.halved > 2 * _DIGITS or worst.box[0] == worst.box[1]:
            break
        parts.remove(worst)
        middle = (worst.box[0] + worst.box[1]) / 2
        parts += [
            part((worst.box[0], middle), worst.halved + 1),
            part((middle, worst.box[1]), worst.halved + 1),
        ]
        try:
            values = taken(middle)
        except NotEnclosed:
            continue
        least, greatest = min(least, values[1]), max(greatest, values[0])
    known = [each.values for each in parts if each.values is not None]
    if len(known) < len(parts):
        raise encloser.refusal()
    return min(low for low, _ in known), max(high for _, high in known)


def _worst(parts: list[_Part], least: Fraction, greatest: Fraction) -> _Part | None:
    """The part to halve next; None where the bounds are near enough."""
    for each in parts:
        if each.values is None:
            return each
    lowest = min(parts, key=lambda each: each.values[0] if each.values else 0)
    highest = max(parts, key=lambda each: each.values[1] if each.values else 0)
    assert lowest.values is not None
    assert highest.values is not None
    below, above = least - lowest.values[0], highest.values[1] - greatest
    near = _LEAST_GAIN * max(greatest - least, Fraction(1, 10**_RANGE_DIGITS))
    if max(below, above) <= near:
        return None
    return lowest if below >= above else highest


# ── An expression ────────────────────────────────────────────────────────────────────────────────────────────


class _Encloser:
    """The enclosures of expressions at one precision.  `why` is what was last found to have none."""

    def __init__(self, context: Context, names: GlobalNames, precision: int) -> None:
        self._context = context
        self._names = names
        self._elementary = Elementary(precision, context.charge)
        self._why = ""

    def refusal(self) -> EvaluationError:
        """The error of what is not enclosed."""
        return _refused(f"no enclosure: {self._why or 'it is not shown to have a value'}")

    def of(self, expression: tree.Expression, values: Mapping[str, Value]) -> Enclosure:
        """The enclosure of an expression; an error where there is none."""
        try:
            return self._of(expression, dict(values), _DEPTH)
        except NotEnclosed:
            raise self.refusal() from None

    def call(self, function: Value, arguments: tuple[Enclosure, ...]) -> Enclosure:
        """The enclosure of the values of a function."""
        return self._apply(function, arguments, _DEPTH)

    def _fail(self, why: str) -> NotEnclosed:
        self._why = why
        return NotEnclosed(why)

    def _of(self, expression: tree.Expression, scope: dict[str, _Bound], depth: int) -> Enclosure:
        self._context.charge(1)
        if depth == 0:
            raise self._fail("it is nested too deeply")
        match expression:
            case tree.Number(text=text):
                value = Fraction(number_from_text(text, self._context))
                return value, value
            case tree.Name(name=name):
                return self._named(name, scope, depth)
            case tree.Call():
                return self._call(expression, scope, depth)
            case tree.Ascription(expression=inner):
                return self._of(inner, scope, depth - 1)
            case tree.Let(pattern=tree.VariablePattern(name=name), value=value, body=body):
                return self._of(body, {**scope, name: self._of(value, scope, depth - 1)}, depth - 1)
            case tree.Conditional(condition=condition, consequent=first, alternative=second):
                truth = self._truth(condition, scope, depth)
                return self._of(first if truth else second, scope, depth - 1)
            case tree.Apply(function=tree.Lambda(parameters=parameters, body=body), arguments=parts):
                if len(parameters) != len(parts):
                    raise self._fail(f"the function takes {len(parameters)} arguments")
                values = [self._of(each, scope, depth - 1) for each in parts]
                names = [each.name for each in parameters]
                return self._of(body, {**scope, **dict(zip(names, values, strict=True))}, depth - 1)
        raise self._fail("only arithmetic, real functions, definitions, let and if are enclosed")

    def _value(self, value: Value, name: str) -> Enclosure:
        if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
            return Fraction(value), Fraction(value)
        if isinstance(value, float):
            raise self._fail(f"{name} is a double already; write its expression here")
        if isinstance(value, (Symbol, Stuck, Suspended)):
            raise Undecided
        raise self._fail(f"{name} is {kind_name(value)}")

    def _named(self, name: str, scope: dict[str, _Bound], depth: int) -> Enclosure:
        if name in scope:
            bound = scope[name]
            return bound if isinstance(bound, tuple) else self._value(bound, name)
        return self._global(name, (), depth)

    def _call(self, expression: tree.Call, scope: dict[str, _Bound], depth: int) -> Enclosure:
        name = expression.name
        arguments = tuple(self._of(each, scope, depth - 1) for each in expression.arguments)
        if name in scope:
            function = scope[name]
            if isinstance(function, tuple):
                raise self._fail(f"{name} is no function")
            return self._apply(function, arguments, depth)
        return self._global(name, arguments, depth)

    def _global(self, name: str, arguments: tuple[Enclosure, ...], depth: int) -> Enclosure:
        definition = self._names.definition(name)
        if definition is not None:
            if len(definition.parameters) != len(arguments):
                raise self._fail(f"{name} takes {len(definition.parameters)} arguments")
            inner: dict[str, _Bound] = dict(
                zip([each.name for each in definition.parameters], arguments, strict=True)
            )
            return self._of(definition.body, inner, depth - 1)
        builtin = self._names.builtin(name)
        if builtin is None or self._names.is_declared(name):
            if not arguments and not self._names.is_declared(name):
                raise Undecided
            raise self._fail(f"{name} has no enclosure")
        return self._builtin(builtin, arguments)

    def _builtin(self, builtin: Builtin, arguments: tuple[Enclosure, ...]) -> Enclosure:
        if builtin.name not in FUNCTIONS or not builtin.takes(len(arguments)):
            raise self._fail(f"{builtin.name} has no enclosure")
        try:
            return applied(self._elementary, builtin.name, *arguments)
        except NotEnclosed:
            raise self._fail(f"{builtin.name} is not shown to have a value") from None

    def _apply(self, function: Value, arguments: tuple[Enclosure, ...], depth: int) -> Enclosure:
        if isinstance(function, (Symbol, Stuck, Suspended)):
            raise Undecided
        if not isinstance(function, FunctionValue):
            raise self._fail(f"{kind_name(function)} is no function")
        every: list[_Bound] = [*function.applied, *arguments]
        if isinstance(function.source, tree.Lambda):
            names = [each.name for each in function.source.parameters]
            captured: Any = getattr(function.target, "captured_names", ())
            scope: dict[str, _Bound] = dict(zip(captured, function.captured, strict=True))
            if len(names) != len(every):
                raise self._fail(f"the function takes {len(names)} arguments")
            scope.update(zip(names, every, strict=True))
            return self._of(function.source.body, scope, depth - 1)
        enclosed = tuple(
            each if isinstance(each, tuple) else self._value(each, "an argument") for each in every
        )
        if isinstance(function.target, Builtin):
            return self._builtin(function.target, enclosed)
        return self._global(function.name, enclosed, depth)

    def _truth(self, condition: tree.Expression, scope: dict[str, _Bound], depth: int) -> bool:
        """Whether a comparison holds of all numbers in the enclosures of its sides."""
        if isinstance(condition, tree.Boolean):
            return condition.value
        if isinstance(condition, tree.Call) and len(condition.arguments) == 2 and condition.name not in scope:
            builtin = self._names.builtin(condition.name)
            if (
                builtin is not None
                and builtin.name in ORDERS
                and self._names.definition(condition.name) is None
            ):
                left, right = (self._of(each, scope, depth - 1) for each in condition.arguments)
                truth = compared(builtin.name, left, right)
                if truth is TRUE or truth is FALSE:
                    return truth is TRUE
        raise self._fail("a condition is not decided by the bounds of its sides")
