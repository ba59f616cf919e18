"""Patterns, `let` and `match` compiled.

See docs/reference/kleis.md §6.7.  A pattern becomes a test: True, False, or None where symbolic parts of the value
decide it; then the whole expression is left as it is.  The first case that matches and whose guard holds is taken.
``[a, b]``, ``Cons(a, t)`` and ``Nil`` match one list representation.  A name that occurs twice in a pattern must match
equal values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from kleis.budget import Meter
from kleis.builtins.row import wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluator.compilation_context import ExpressionCompiler, GlobalNames
from kleis.evaluator.machine import Code, Compiled, Frame, Machine, Place, Scope, evaluated_first
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.values import (
    Complex,
    Data,
    ListValue,
    Stuck,
    Symbol,
    Symbolic,
    Value,
    differ_in_kind,
    equal,
    is_number,
    kind_name,
    list_of,
    number_from_text,
    render_value,
)

__all__ = ["compile_let", "compile_match"]

Test: TypeAlias = Callable[[Frame, Value], "bool | None"]
"""Whether a value matches, None if that depends on unbound names.  Sets the slots of the names in the frame."""

_EMPTY: Value = list_of(())


def pattern_names(pattern: tree.Pattern) -> list[str]:
    """The names that a pattern binds, each once, in order."""
    binding = [each for each in walk(pattern) if isinstance(each, (tree.VariablePattern, tree.AsPattern))]
    return list(dict.fromkeys(each.name for each in binding))


def compile_pattern(pattern: tree.Pattern, scope: Scope, names: GlobalNames, bound: set[str]) -> Test:
    """The test of a pattern whose names have slots in `scope`; `bound` collects the names so far."""
    match pattern:
        case tree.WildcardPattern():
            return _anything
        case tree.VariablePattern(name=name):
            return _variable(scope.slots[name], _again(name, bound))
        case tree.AsPattern(pattern=inner, name=name):
            test = compile_pattern(inner, scope, names, bound)
            return _both(test, _variable(scope.slots[name], _again(name, bound)))
        case tree.LiteralPattern(value=literal):
            return _literal(literal)
        case tree.ListPattern(items=items):
            tests = [compile_pattern(item, scope, names, bound) for item in items]
            return _list_of_length(tests)
        case tree.ConstructorPattern(name=name, arguments=arguments):
            tests = [compile_pattern(argument, scope, names, bound) for argument in arguments]
            return _constructor(name, tests, names)


def _again(name: str, bound: set[str]) -> bool:
    """Whether the name occurs earlier in the pattern."""
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
    if isinstance(literal, tree.Number):
        return number_from_text(literal.text, meter)
    if isinstance(literal, tree.Text):
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
    """The verdict of a pattern for values of the kind of the example on a value of another kind."""
    return None if isinstance(value, Symbolic) else differ_in_kind(value, example, frame[0])


def _constructor(name: str, tests: Sequence[Test], names: GlobalNames) -> Test:
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
    """Match a value built by a name that no data type declares as if the name were a constructor."""
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


# ── `let` and `match` ────────────────────────────────────────────────────────────────────────────────────────

_SHOWN = 200


class _Destructuring(NamedTuple):
    """A `let`, once its value is known."""

    test: Test
    body: Code
    undecided: Code
    place: Place


def compile_let(compiler: ExpressionCompiler, expression: tree.Let, scope: Scope) -> Compiled:
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

    return evaluated_first(value, _destructure, parts, weight)


def _pattern(compiler: ExpressionCompiler, pattern: tree.Pattern, scope: Scope) -> tuple[Scope, Test]:
    inner = scope.bind(pattern_names(pattern))
    return inner, compile_pattern(pattern, inner, compiler.names, set())


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


class _TextIndex(NamedTuple):
    """Cases `first` up to `end` whose patterns are texts: where each text stands among them, in order.

    A table of thousands of rules is one look-up.  What it costs is what trying the cases one by one costs.
    """

    first: int
    end: int
    places: dict[str, list[int]]

    def following(self, text: str, start: int) -> int:
        """The first case from `start` on that the text may match; `end` if none of these."""
        at = self.places.get(text, _NOWHERE)
        found = bisect_left(at, start)
        return at[found] if found < len(at) else self.end


_NOWHERE: list[int] = []

_FEWEST_INDEXED = 8
"""Text patterns one after the other that are worth an index."""


def _text_index(cases: Sequence[tree.Case]) -> _TextIndex | None:
    """The index of the longest run of text patterns; None where no run is long."""
    best = (0, 0)
    first = 0
    for index in range(len(cases) + 1):
        if index < len(cases) and _text_of(cases[index].pattern) is not None:
            continue
        if index - first > best[1] - best[0]:
            best = (first, index)
        first = index + 1
    if best[1] - best[0] < _FEWEST_INDEXED:
        return None
    places: dict[str, list[int]] = {}
    for index in range(*best):
        places.setdefault(str(_text_of(cases[index].pattern)), []).append(index)
    return _TextIndex(*best, places)


def _text_of(pattern: tree.Pattern) -> str | None:
    literal = pattern.value if isinstance(pattern, tree.LiteralPattern) else None
    return literal.value if isinstance(literal, tree.Text) else None


class _Cases(NamedTuple):
    """A compiled match without its scrutinee."""

    cases: tuple[_Case, ...]
    undecided: Code
    place: Place
    texts: _TextIndex | None


def compile_match(compiler: ExpressionCompiler, expression: tree.Match, scope: Scope) -> Compiled:
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
    parts = _Cases(tuple(cases), undecided.code, compiler.place(expression), _text_index(expression.cases))
    if scrutinee.direct:
        compute = scrutinee.code

        def run(frame: Frame) -> Any:
            return _select(frame, parts, compute(frame), 0)

        def run_and_pay(frame: Frame) -> Any:
            frame[0].remaining -= weight
            return _select(frame, parts, compute(frame), 0)

        return Compiled(run, True, weight) if direct else Compiled(run_and_pay, False, 0)

    return evaluated_first(scrutinee, _select_first, parts, weight)


def _select_first(frame: Frame, parts: _Cases, value: Value) -> Any:
    return _select(frame, parts, value, 0)


def _select(frame: Frame, parts: _Cases, value: Value, start: int) -> Any:
    """The body of the first case from `start` on that matches and whose guard holds."""
    index = start - 1
    while (index := index + 1) < len(parts.cases):
        table = parts.texts
        if table is not None and isinstance(value, str) and table.first <= index < table.end:
            following = table.following(value, index)
            meter: Meter = frame[0]
            meter.charge(following - index)  # a step for each case that is passed over
            index = following
            if index == len(parts.cases):
                break
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
    if isinstance(value, Symbolic):
        return None
    raise place.locate(
        wrong_sort(
            f"a guard is a truth value, not {kind_name(value)}", found=kind_name(value), expected="Bool"
        )
    )
