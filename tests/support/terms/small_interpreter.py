"""A tiny interpreter of recursive definitions, written apart from the analysis it judges.

None stands for "no value".  Calls are evaluated as the evaluator does it: from left to right, ∧ ∨ → stop early.
`Runaway` is raised where a call is reached while it is being computed, or after more calls than small programs with
small arguments make.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from kleis.core import (
    BuiltinCall,
    Coercion,
    Conditional,
    Connective,
    Construction,
    Definition,
    DefinitionCall,
    Discrimination,
    Equals,
    Let,
    LiteralTerm,
    Narrowing,
    Numeric,
    Quantifier,
    Selection,
    Sort,
    Term,
    Variable,
)

VALUES: Mapping[str, tuple[int, ...]] = {"ℕ": (0, 1, 2, 3, 4), "ℤ": (0, 1, -1, 2, -2, 3, 4, -3)}


class Runaway(Exception):
    """The computation does not end, or not soon."""


class Interpreter:
    """The definitions of a group, with all values found so far."""

    def __init__(self, group: Iterable[Definition], depth: int = 250, calls: int = 8000) -> None:
        self._group = {each.key: each for each in group}
        self._known: dict[tuple[Any, ...], Any] = {}
        self._running: set[tuple[Any, ...]] = set()
        self._depth = depth
        self._calls = calls

    def call(self, key: str, arguments: tuple[Any, ...]) -> Any:
        state = (key, *arguments)
        if state in self._known:
            return self._known[state]
        if state in self._running or len(self._running) > self._depth or len(self._known) > self._calls:
            raise Runaway
        definition = self._group[key]
        self._running.add(state)
        try:
            names = [each.name for each in definition.parameters]
            answer = self.value(definition.body, dict(zip(names, arguments, strict=True)))
        finally:
            self._running.discard(state)
        self._known[state] = answer
        return answer

    def value(self, term: Term, point: Mapping[str, Any]) -> Any:
        match term:
            case Variable(name=name):
                return point[name]
            case LiteralTerm(value=value):
                return value
            case Conditional(condition=condition, consequent=yes, alternative=no):
                truth = self.value(condition, point)
                return None if truth is None else self.value(yes if truth else no, point)
            case Let(variable=variable, value=value, body=body):
                bound = self.value(value, point)
                return None if bound is None else self.value(body, {**point, variable.name: bound})
            case Connective(name="not", arguments=(inner,)):
                truth = self.value(inner, point)
                return None if truth is None else not truth
            case Connective(name=name, arguments=arguments):
                return self._connected(name, arguments, point)
            case Coercion(term=inner):
                return self.value(inner, point)
            case Narrowing(term=inner):
                number = self.value(inner, point)
                return None if number is None or number < 0 else number
            case _:
                return self._strict(term, point)

    def _connected(self, name: str, arguments: tuple[Term, ...], point: Mapping[str, Any]) -> Any:
        if name == "implies":
            left = self.value(arguments[0], point)
            if left is False:
                return True
            right = self.value(arguments[1], point)
            return True if right is True else None if left is None else right
        deciding = name == "or"
        answer: Any = not deciding
        for argument in arguments:
            part = self.value(argument, point)
            if part is deciding:
                return deciding
            answer = None if part is None else answer
        return answer

    def _strict(self, term: Term, point: Mapping[str, Any]) -> Any:
        match term:
            case Equals(left=left, right=right):
                parts = (left, right)
            case Discrimination(term=inner) | Selection(term=inner):
                parts = (inner,)
            case BuiltinCall(arguments=arguments) | DefinitionCall(arguments=arguments):
                parts = arguments
            case Construction(arguments=arguments):
                parts = arguments
            case _:
                raise AssertionError(f"the interpreter does not know {type(term).__name__}")
        values = []
        for part in parts:
            value = self.value(part, point)
            if value is None:
                return None
            values.append(value)
        return self._applied(term, tuple(values))

    def _applied(self, term: Term, values: tuple[Any, ...]) -> Any:
        match term:
            case Equals():
                return values[0] == values[1]
            case DefinitionCall(definition=key):
                return self.call(key, values)
            case Discrimination(constructor=constructor):
                return (constructor.name == "Cons") is bool(values[0])
            case Selection(index=index):
                if not values[0]:
                    return None
                return values[0][1:] if index else values[0][0]
            case Construction(constructor=constructor):
                return (values[0], *values[1]) if constructor.name == "Cons" else ()
            case BuiltinCall(operation=operation):
                return _builtin(operation.name, values)
            case _:
                raise AssertionError(type(term).__name__)


def _builtin(name: str, values: tuple[Any, ...]) -> Any:
    match name, values:
        case "plus", (a, b):
            return a + b
        case "minus", (a, b):
            return a - b
        case "times", (a, b):
            return a * b
        case "div", (a, b):
            return a // b if b else None
        case "mod", (a, b):
            return a % b if b else None
        case "abs", (a,):
            return abs(a)
        case "leq", (a, b):
            return a <= b
        case "less_than", (a, b):
            return a < b
        case "geq", (a, b):
            return a >= b
        case "length", (items,):
            return len(items)
        case _:
            raise AssertionError(f"the interpreter does not know {name}")


def small(sort: Sort) -> tuple[Any, ...]:
    """Small values of ℕ, ℤ or lists of integers."""
    if isinstance(sort, Numeric):
        return VALUES[sort.name]
    return ((), (1,), (0, 2), (3, 0, 1))


def holds_on_small_values(formula: Term) -> bool:
    """Whether a closed formula without calls is true at small values.

    Numbers go further than arguments do: a measure such as 7 − n fails where n meets a sum of literals.  A formula of
    more than two variables counts as not true, so that what is not looked at is not taken for shown.
    """
    variables: tuple[Variable, ...] = ()
    if isinstance(formula, Quantifier):
        variables, formula = formula.variables, formula.body
    if len(variables) > 2:
        return False
    interpreter = Interpreter(())
    names = [variable.name for variable in variables]
    return all(
        interpreter.value(formula, dict(zip(names, values, strict=True))) is True
        for values in product(*(_further(variable.sort) for variable in variables))
    )


def _further(sort: Sort) -> tuple[Any, ...]:
    if isinstance(sort, Numeric):
        return tuple(range(0 if sort.name == "ℕ" else -_FAR, _FAR + 1))
    return small(sort)


_FAR = 20
