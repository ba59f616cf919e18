"""A second evaluator of Kleis, to compare the real one with: recursive, slow, and as plain as the definition.

It knows numbers, truth values, lists, constructors, functions, `if`, `let`, `match`, the connectives and a dozen
operations; no symbols, no budget.  Undefined is an exception like any other, and a connective tries both operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from kleis.syntax.tree import (
    Apply,
    AsPattern,
    Boolean,
    Call,
    Conditional,
    ConstructorPattern,
    Expression,
    FunctionDefinition,
    Lambda,
    Let,
    ListLiteral,
    ListPattern,
    LiteralPattern,
    Match,
    Name,
    Number,
    Pattern,
    Text,
    VariablePattern,
    WildcardPattern,
)

Scope = Mapping[str, Any]


class Undefined(Exception):
    """There is no value."""


class IllSorted(Exception):
    """An operation was given values of a kind it does not take."""


def number(value: Any) -> Fraction:
    if not isinstance(value, Fraction):
        raise IllSorted
    return value


def whole(value: Any) -> int:
    if number(value).denominator != 1:
        raise IllSorted
    return value.numerator


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise IllSorted
    return value


def items(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise IllSorted
    return value


def quotient(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Undefined
    return a / b


def floor_quotient(a: int, b: int) -> Fraction:
    return Fraction(math.floor(quotient(Fraction(a), Fraction(b))))


def element(values: list[Any], index: int) -> Any:
    if not 0 <= index < len(values):
        raise Undefined
    return values[index]


def same(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return a[0] == b[0] and same(list(a[1:]), list(b[1:]))
    return type(a) is type(b) and a == b


OPERATIONS: dict[str, Callable[..., Any]] = {
    "plus": lambda a, b: number(a) + number(b),
    "minus": lambda a, b: number(a) - number(b),
    "times": lambda a, b: number(a) * number(b),
    "divide": lambda a, b: quotient(number(a), number(b)),
    "div": lambda a, b: floor_quotient(whole(a), whole(b)),
    "mod": lambda a, b: whole(a) - whole(b) * floor_quotient(whole(a), whole(b)),
    "negate": lambda a: -number(a),
    "less_than": lambda a, b: number(a) < number(b),
    "geq": lambda a, b: number(a) >= number(b),
    "equals": same,
    "neq": lambda a, b: not same(a, b),
    "logical_not": lambda a: not truth(a),
    "iff": lambda a, b: truth(a) is truth(b),
    "length": lambda a: Fraction(len(items(a))),
    "head": lambda a: element(items(a), 0),
    "tail": lambda a: (element(items(a), 0), items(a)[1:])[1],
    "nth": lambda a, b: element(items(a), whole(b)),
    "append": lambda a, b: items(a) + items(b),
    "Cons": lambda a, b: [a, *items(b)],
}

FOLDS = {
    "list_map": lambda f, xs: [f(x) for x in items(xs)],
    "list_filter": lambda f, xs: [x for x in items(xs) if truth(f(x))],
}

DECISIVE = {
    "logical_and": (False, False, False),
    "logical_or": (True, True, True),
    "implies": (False, True, True),
}


def evaluate(expression: Expression, scope: Scope, definitions: Mapping[str, FunctionDefinition]) -> Any:
    """The value of an expression; raises `Undefined` or `IllSorted`."""

    def value(part: Expression) -> Any:
        return evaluate(part, scope, definitions)

    match expression:
        case Number(text=text):
            return Fraction(text)
        case Boolean(value=known):
            return known
        case Text(value=text):
            return text
        case ListLiteral(items=parts):
            return [value(part) for part in parts]
        case Name(name=name):
            return scope.get(name, (name,))
        case Conditional(condition=condition, consequent=yes, alternative=no):
            return value(yes) if truth(value(condition)) else value(no)
        case Lambda(parameters=parameters, body=body):
            names = [parameter.name for parameter in parameters]
            return lambda *given: evaluate(
                body, {**scope, **dict(zip(names, given, strict=True))}, definitions
            )
        case Apply(function=function, arguments=arguments):
            return value(function)(*[value(argument) for argument in arguments])
        case Let(pattern=pattern, value=bound, body=body):
            names = matched(pattern, value(bound))
            if names is None:
                raise Undefined
            return evaluate(body, {**scope, **names}, definitions)
        case Match():
            return selected(expression, scope, definitions)
        case Call(name=name, arguments=arguments) if name in DECISIVE:
            return connected(name, *[lambda part=part: truth(value(part)) for part in arguments])
        case Call(name=name, arguments=arguments):
            given = [value(argument) for argument in arguments]
            if name in scope:
                return scope[name](*given)
            if name in definitions:
                names = [parameter.name for parameter in definitions[name].parameters]
                return evaluate(definitions[name].body, dict(zip(names, given, strict=True)), definitions)
            if name in FOLDS:
                return FOLDS[name](*given)
            return OPERATIONS[name](*given) if name in OPERATIONS else (name, *given)
    raise AssertionError(expression)


def connected(name: str, left: Callable[[], bool], right: Callable[[], bool]) -> bool:
    """Strong Kleene, straight from the truth table."""
    decisive_left, decisive_right, result = DECISIVE[name]
    found: list[bool | None] = []
    for operand, decisive in ((left, decisive_left), (right, decisive_right)):
        try:
            found.append(operand())
        except Undefined:
            found.append(None)
        if found[-1] is decisive:
            return result
    if None in found:
        raise Undefined
    return not result


def selected(expression: Match, scope: Scope, definitions: Mapping[str, FunctionDefinition]) -> Any:
    scrutinee = evaluate(expression.scrutinee, scope, definitions)
    for case in expression.cases:
        names = matched(case.pattern, scrutinee)
        if names is None:
            continue
        inner = {**scope, **names}
        if case.guard is None or truth(evaluate(case.guard, inner, definitions)):
            return evaluate(case.body, inner, definitions)
    raise Undefined


def matched(pattern: Pattern, value: Any) -> dict[str, Any] | None:
    """The names a pattern binds, or None where it does not match."""
    match pattern:
        case WildcardPattern():
            return {}
        case VariablePattern(name=name):
            return {name: value}
        case AsPattern(pattern=inner, name=name):
            names = matched(inner, value)
            return None if names is None else {**names, name: value}
        case LiteralPattern(value=literal):
            return {} if same(evaluate(literal, {}, {}), value) else None
        case ListPattern(items=parts):
            return together(parts, value) if isinstance(value, list) else None
        case ConstructorPattern(name="Nil"):
            return {} if value == [] else None
        case ConstructorPattern(name="Cons", arguments=parts):
            return together(parts, [value[0], value[1:]]) if isinstance(value, list) and value else None
        case ConstructorPattern(name=name, arguments=parts):
            fits = isinstance(value, tuple) and value[0] == name
            return together(parts, list(value[1:])) if fits else None


def together(patterns: tuple[Pattern, ...], values: list[Any]) -> dict[str, Any] | None:
    if len(patterns) != len(values):
        return None
    names: dict[str, Any] = {}
    for pattern, value in zip(patterns, values, strict=True):
        found = matched(pattern, value)
        if found is None:
            return None
        names |= found
    return names
