"""Patterns compiled to tests: does a value match, and what do the names in the pattern stand for.

Specification: kleis-language.md §2.12, §4.7 (OURS).  A test answers True, False, or None where symbolic parts of the
value decide it.  ``[a, b]``, ``Cons(a, t)`` and ``Nil`` match one list representation.  A name that occurs twice in a
pattern must match equal values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from kleis.budget import Meter
from kleis.evaluation.compiled import Scope
from kleis.evaluator.machine import Frame
from kleis.syntax.tree import (
    AsPattern,
    ConstructorPattern,
    ListPattern,
    LiteralPattern,
    Number,
    Pattern,
    Text,
    VariablePattern,
    WildcardPattern,
)
from kleis.values import (
    Complex,
    Data,
    ListValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    differ_in_kind,
    equal,
    is_number,
    list_of,
    number_from_text,
)

__all__ = ["ConstructorNames", "Test", "compile_pattern", "pattern_names"]

Test = Callable[[Frame, Value], "bool | None"]

_EMPTY: Value = list_of(())


class ConstructorNames(Protocol):
    """What a pattern needs to know of the constructors in force."""

    def is_list_constructor(self, name: str) -> bool:
        """Whether `Cons` or `Nil` is the one of the built-in lists."""

    def truth_value(self, name: str) -> bool | None:
        """What `True` or `False` stands for, if for a truth value."""

    def is_constructor(self, name: str) -> bool:
        """Whether a data type or the language declares the constructor."""


def pattern_names(pattern: Pattern) -> list[str]:
    """The names that a pattern binds, each once, in order."""
    found: dict[str, None] = {}
    pending: list[Pattern] = [pattern]
    while pending:
        part = pending.pop()
        match part:
            case VariablePattern(name=name):
                found[name] = None
            case AsPattern(pattern=inner, name=name):
                found[name] = None
                pending.append(inner)
            case ConstructorPattern(arguments=parts) | ListPattern(items=parts):
                pending.extend(reversed(parts))
    return list(found)


def compile_pattern(pattern: Pattern, scope: Scope, names: ConstructorNames, bound: set[str]) -> Test:
    """The test of a pattern whose names have slots in `scope`; `bound` collects the names met so far."""
    match pattern:
        case WildcardPattern():
            return _anything
        case VariablePattern(name=name):
            return _variable(scope.slots[name], _again(name, bound))
        case AsPattern(pattern=inner, name=name):
            test = compile_pattern(inner, scope, names, bound)
            return _both(test, _variable(scope.slots[name], _again(name, bound)))
        case LiteralPattern(value=literal):
            return _literal(literal)
        case ListPattern(items=items):
            tests = [compile_pattern(item, scope, names, bound) for item in items]
            return _list_of_length(tests)
        case ConstructorPattern(name=name, arguments=arguments):
            tests = [compile_pattern(argument, scope, names, bound) for argument in arguments]
            return _constructor(name, tests, names)


def _again(name: str, bound: set[str]) -> bool:
    """Whether the name was met before in this pattern."""
    met = name in bound
    bound.add(name)
    return met


def _anything(frame: Frame, value: Value) -> bool | None:
    return True


def _variable(slot: int, again: bool) -> Test:
    if again:
        return lambda frame, value: equal(frame[slot], value, frame[0])

    def bind(frame: Frame, value: Value) -> bool | None:
        frame[slot] = value
        return True

    return bind


def _both(first: Test, second: Test) -> Test:
    def test(frame: Frame, value: Value) -> bool | None:
        verdict = first(frame, value)
        return verdict if verdict is False else _conjunction(verdict, second(frame, value))

    return test


def _conjunction(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return True if a is True and b is True else None


def _literal(literal: object) -> Test:
    def test(frame: Frame, value: Value) -> bool | None:
        meter: Meter = frame[0]
        return equal(_literal_value(literal, meter), value, meter)

    return test


def _literal_value(literal: object, meter: Meter) -> Value:
    if isinstance(literal, Number):
        return number_from_text(literal.text, meter)
    if isinstance(literal, Text):
        return literal.value
    return bool(getattr(literal, "value", False))


def _fields(tests: Sequence[Test], frame: Frame, values: Sequence[Value]) -> bool | None:
    verdict: bool | None = True
    for test, value in zip(tests, values, strict=True):
        part = test(frame, value)
        if part is False:
            return False
        if part is None:
            verdict = None
    return verdict


def _symbolic(value: Value) -> bool:
    return isinstance(value, (Symbol, Stuck, Suspended))


def _list_of_length(tests: Sequence[Test]) -> Test:
    def test(frame: Frame, value: Value) -> bool | None:
        heads: list[Value] = []
        while isinstance(value, Data) and value.constructor == "Cons" and len(value.fields) == 2:
            heads.append(value.fields[0])
            value = value.fields[1]
            if len(heads) > len(tests):
                return False
        if isinstance(value, ListValue):
            if len(heads) + len(value) != len(tests):
                return False
            return _fields(tests, frame, [*heads, *value])
        return _other_kind(frame, value, _EMPTY)

    return test


def _other_kind(frame: Frame, value: Value, example: Value) -> bool | None:
    """What a pattern for values of the kind of the example says about a value of another kind."""
    return None if _symbolic(value) else differ_in_kind(value, example, frame[0])


def _constructor(name: str, tests: Sequence[Test], names: ConstructorNames) -> Test:
    count = len(tests)
    truth = names.truth_value(name) if not count else None
    if truth is not None:
        return lambda frame, value: (
            value is truth if isinstance(value, bool) else _other_kind(frame, value, truth)
        )
    if names.is_list_constructor(name):
        if name == "Nil" and not count:
            return _nil
        if name == "Cons" and count == 2:
            return _cons(tests[0], tests[1])
    if name == "complex" and count == 2 and names.is_constructor(name):
        return _complex(tests)
    declared = names.is_constructor(name)

    def test(frame: Frame, value: Value) -> bool | None:
        if isinstance(value, Data):
            if value.constructor != name or len(value.fields) != count:
                return False
            return _fields(tests, frame, value.fields)
        if isinstance(value, (Symbol, Stuck)):
            return _undeclared(name, declared, tests, frame, value)
        return _other_kind(frame, value, Data(name))

    return test


def _undeclared(
    name: str, declared: bool, tests: Sequence[Test], frame: Frame, value: Symbol | Stuck
) -> bool | None:
    """Match a constructor that no data type declares, as if one did: a program that matches on it means that."""
    found = value.name if isinstance(value, Symbol) else value.operation
    arguments = () if isinstance(value, Symbol) else value.arguments
    if declared or not found[:1].isupper():
        return None
    if found != name or len(arguments) != len(tests):
        return False
    return _fields(tests, frame, arguments)


def _nil(frame: Frame, value: Value) -> bool | None:
    if isinstance(value, ListValue):
        return not len(value)
    return (
        False
        if isinstance(value, Data) and value.constructor == "Cons"
        else _other_kind(frame, value, _EMPTY)
    )


def _cons(head: Test, tail: Test) -> Test:
    def test(frame: Frame, value: Value) -> bool | None:
        if isinstance(value, ListValue):
            if not len(value):
                return False
            verdict = head(frame, value.head)
            return verdict if verdict is False else _conjunction(verdict, tail(frame, value.tail))
        if isinstance(value, Data) and value.constructor == "Cons" and len(value.fields) == 2:
            return _fields((head, tail), frame, value.fields)
        return _other_kind(frame, value, _EMPTY)

    return test


def _complex(tests: Sequence[Test]) -> Test:
    """``complex(re, im)`` matches every number, because ``complex(a, 0)`` is the number a."""

    def test(frame: Frame, value: Value) -> bool | None:
        if isinstance(value, Complex):
            return _fields(tests, frame, (value.real, value.imaginary))
        if is_number(value):
            return _fields(tests, frame, (value, 0))
        return _other_kind(frame, value, 0)

    return test
