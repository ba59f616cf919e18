"""Expressions compiled to code for the machine.

Every name is resolved here, once; see docs/reference/kleis.md §6.4.  Local names become slots of the frame; then come
names bound by an example block, and global names (`environment`).  What resolves to nothing is a symbol.

A tree is compiled by recursion, two Python frames a level; the parser admits no tree higher than `MAXIMUM_HEIGHT`,
and a higher one from elsewhere is rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from kleis.builtins.row import Undecided, wrong_sort
from kleis.errors import EvaluationError
from kleis.evaluator.compilation_context import GlobalNames
from kleis.evaluator.enclosing import ENCLOSING, enclosure_of_function, enclosure_of_number
from kleis.evaluator.global_calls import constant_reference, global_call
from kleis.evaluator.logical_operators import CONNECTIVES, Connective, compile_quantifier, connective_code
from kleis.evaluator.machine import (
    Compiled,
    Finish,
    Frame,
    Place,
    Procedure,
    Scope,
    apply,
    charged,
    constant,
    evaluated_first,
    sequence,
)
from kleis.evaluator.matching import compile_let, compile_match
from kleis.syntax import tree
from kleis.syntax.superscripts import power_of
from kleis.syntax.tree.traversal import walk
from kleis.values import (
    FunctionValue,
    Stuck,
    Suspended,
    Symbol,
    Symbolic,
    Value,
    is_partial,
    kind_name,
    list_of,
    number_from_text,
)

__all__ = ["Compiler", "compile_procedure"]

_SMALL_NUMERAL = 18
"""A numeral of at most so many characters without an exponent is computed when it is compiled."""


def compile_procedure(
    procedure: Procedure,
    parameters: Sequence[tree.Parameter],
    body: tree.Expression,
    names: GlobalNames,
    file: str,
) -> None:
    """Give a procedure its code.  Its local names are its parameters."""
    scope = Scope([parameter.name for parameter in parameters])
    compiled = Compiler(names, file).compile(body, scope)
    procedure.blank = scope.layout[1 + len(parameters) :]
    procedure.code = charged(compiled)


class Compiler:
    """Compiles the expressions of one file where global names stand for `names`."""

    def __init__(self, names: GlobalNames, file: str) -> None:
        self.names = names
        self.file = file
        self._height = 0

    def compile(self, expression: tree.Expression, scope: Scope) -> Compiled:
        """The code of an expression whose local names are those of `scope`."""
        self._height += 1
        if self._height > tree.MAXIMUM_HEIGHT + 8:
            raise EvaluationError(
                f"the expression is nested more than {tree.MAXIMUM_HEIGHT} deep",
                code="nesting",
                hint="name parts of it with let or define",
            )
        try:
            return self._compile(expression, scope)
        finally:
            self._height -= 1

    def place(self, node: tree.Node) -> Place:
        """Where a node stands."""
        span: tree.Span = getattr(node, "span", tree.NO_SPAN)
        return Place(self.file, span)

    def _compile(self, expression: tree.Expression, scope: Scope) -> Compiled:
        match expression:
            case tree.Name():
                return self._name(expression, scope)
            case tree.Call():
                return self._call(expression, scope)
            case tree.Number(text=text):
                return _number(text)
            case tree.Text(value=text):
                return constant(text)
            case tree.Boolean(value=truth):
                return constant(truth)
            case tree.Conditional():
                return self._conditional(expression, scope)
            case tree.Let():
                return compile_let(self, expression, scope)
            case tree.Match():
                return compile_match(self, expression, scope)
            case tree.Lambda():
                return self._lambda(expression, scope)
            case tree.ListLiteral(items=items):
                parts = [self.compile(item, scope) for item in items]
                return sequence(parts, _make_list, self.place(expression), direct=True)
            case tree.Apply(function=function, arguments=arguments):
                parts = [self.compile(part, scope) for part in (function, *arguments)]
                return sequence(parts, _apply, self.place(expression), direct=False)
            case tree.Ascription(expression=inner):
                return self.compile(inner, scope)
            case tree.Quantifier():
                return compile_quantifier(self, expression, scope)
            case tree.Using():
                return self.suspended(expression, scope)
            case _:
                assert_never(expression)

    # ── Names and calls ──────────────────────────────────────────────────────────────────────────────────────

    def _name(self, expression: tree.Name, scope: Scope) -> Compiled:
        name = expression.name
        slot = scope.slot(name)
        if slot is not None:
            return Compiled(lambda frame: frame[slot], True, 1)
        if name in self.names.bindings:
            return _bound(self.names.bindings[name])
        power = power_of(expression)
        if power is not None and not self._declared(name):
            return self.compile(power, scope)
        return constant_reference(self.names, name, self.place(expression))

    def _declared(self, name: str) -> bool:
        """Whether the program gives a name a meaning."""
        names = self.names
        return (
            names.is_declared(name)
            or names.procedure(name) is not None
            or names.constructor_arity(name) is not None
        )

    def _call(self, expression: tree.Call, scope: Scope) -> Compiled:
        name, arguments = expression.name, expression.arguments
        place = self.place(expression)
        local = scope.slot(name) is not None or name in self.names.bindings
        connective = None if local else self._connective(name, len(arguments))
        if connective is not None:
            left, right = self.compile(arguments[0], scope), self.compile(arguments[1], scope)
            return connective_code(connective, left, right, place)
        if not local and ENCLOSING.get(name) == len(arguments) and not self._declared(name):
            return self._enclosing(expression, scope)
        parts = [self.compile(argument, scope) for argument in arguments]
        if not local:
            return global_call(self.names, name, parts, place)
        function = self._name(tree.Name(name), scope)
        return sequence([function, *parts], _apply if parts else _apply_nothing, place, direct=False)

    def _enclosing(self, expression: tree.Call, scope: Scope) -> Compiled:
        """`interval(e)`, of e as it is written, and `enclose(f, a, b)`, of the text of f."""
        names, place = self.names, self.place(expression)
        if expression.name == "enclose":
            parts = [self.compile(each, scope) for each in expression.arguments]
            return sequence(parts, _enclosed_function(names), place, direct=True)
        (argument,) = expression.arguments
        kept = self.suspended(argument, scope).code

        def run(frame: Frame) -> Value:
            machine = frame[0]
            before = machine.deferred
            left: Suspended = kept(frame)
            machine.deferred = before
            try:
                return enclosure_of_number(machine, names, left.expression, dict(left.bindings))
            except Undecided:
                machine.deferred = True
                return Stuck("interval", (left,), total=False)
            except EvaluationError as error:
                raise place.locate(error) from None

        return Compiled(run, True, 1 + len(scope.slots))

    def _connective(self, name: str, count: int) -> Connective | None:
        """The connective that a global name means: any alias of the builtin will do."""
        builtin = self.names.builtin(name) if count == 2 else None
        if builtin is None or not self.names.is_builtin(name, count):
            return None
        return CONNECTIVES.get(builtin.name)

    # ── Functions ────────────────────────────────────────────────────────────────────────────────────────────

    def _lambda(self, expression: tree.Lambda, scope: Scope) -> Compiled:
        captured = _captured(_mentioned(expression), scope)
        names = tuple(name for name, _ in captured)
        slots = tuple(slot for _, slot in captured)
        arity = len(expression.parameters)
        procedure = Procedure("", arity, names)
        inner = Scope(names).bind([parameter.name for parameter in expression.parameters])
        body = self.compile(expression.body, inner)
        procedure.blank = inner.layout[1 + len(names) + arity :]
        procedure.code = charged(body)

        def make(frame: Frame) -> FunctionValue:
            values = tuple([frame[slot] for slot in slots])
            return FunctionValue("", arity, procedure, captured=values, source=expression)

        return Compiled(make, True, 1 + len(slots))

    # ── Decisions ────────────────────────────────────────────────────────────────────────────────────────────

    def suspended(self, expression: tree.Expression, scope: Scope) -> Compiled:
        """Code for an expression left as it is, with the values of its local names."""
        mentioned = _mentioned(expression)
        captured = _captured(mentioned, scope)
        bound = tuple(
            (name, value)
            for name, value in self.names.bindings.items()
            if name in mentioned and name not in scope.slots
        )

        def suspend(frame: Frame) -> Suspended:
            frame[0].deferred = True
            return Suspended(expression, bound + tuple([(name, frame[slot]) for name, slot in captured]))

        return Compiled(suspend, True, 1 + len(captured))

    def _conditional(self, expression: tree.Conditional, scope: Scope) -> Compiled:
        condition = self.compile(expression.condition, scope)
        branches = (
            self.compile(expression.consequent, scope),
            self.compile(expression.alternative, scope),
            self.suspended(expression, scope),
        )
        chosen = _Branches(*branches, self.place(expression))
        weight = 1 + condition.weight + sum(branch.weight for branch in branches)
        if condition.direct:
            return _decided_at_once(condition, chosen, weight)
        return evaluated_first(condition, _decide, chosen, weight)


def _mentioned(expression: tree.Expression) -> set[str]:
    """The names that may occur free in an expression."""
    return {node.name for node in walk(expression) if isinstance(node, (tree.Name, tree.Call))}


def _captured(mentioned: set[str], scope: Scope) -> list[tuple[str, int]]:
    """The local names among those mentioned, with their slots."""
    return [(name, slot) for name, slot in scope.slots.items() if name in mentioned]


class _Branches:
    """The code with which a conditional continues."""

    __slots__ = ("alternative", "consequent", "direct", "place", "undecided")

    def __init__(
        self, consequent: Compiled, alternative: Compiled, undecided: Compiled, place: Place
    ) -> None:
        self.consequent = consequent.code
        self.alternative = alternative.code
        self.undecided = undecided.code
        self.direct = consequent.direct and alternative.direct
        self.place = place


def _decided_at_once(condition: Compiled, branches: _Branches, weight: int) -> Compiled:
    test, consequent, alternative = condition.code, branches.consequent, branches.alternative

    def choose(frame: Frame) -> Any:
        value = test(frame)
        if value is True:
            return consequent(frame)
        if value is False:
            return alternative(frame)
        return _decide(frame, branches, value)

    def choose_and_pay(frame: Frame) -> Any:
        frame[0].remaining -= weight
        return choose(frame)

    if branches.direct:
        return Compiled(choose, True, weight)
    return Compiled(choose_and_pay, False, 0)


def _decide(frame: Frame, branches: _Branches, value: Value) -> Any:
    if value is True:
        return branches.consequent(frame)
    if value is False:
        return branches.alternative(frame)
    if isinstance(value, Symbolic):
        return branches.undecided(frame)
    raise branches.place.locate(
        wrong_sort(
            f"a condition is a truth value, not {kind_name(value)}", found=kind_name(value), expected="Bool"
        )
    )


def _number(text: str) -> Compiled:
    if len(text) <= _SMALL_NUMERAL and "e" not in text and "E" not in text:
        whole, _, part = text.partition(".")
        if not part:
            return constant(int(whole))
    return Compiled(lambda frame: number_from_text(text, frame[0]), True, 1)


def _bound(value: Value) -> Compiled:
    """Code for the value that an example block gave a name."""
    if not is_partial(value):
        return constant(value)

    def run(frame: Frame) -> Value:
        frame[0].deferred = True
        return value

    return Compiled(run, True, 1)


def _make_list(frame: Frame, values: tuple[Value, ...]) -> Value:
    frame[0].admit(len(values), "a list")
    return list_of(values)


def _enclosed_function(names: GlobalNames) -> Finish:
    def finish(frame: Frame, values: tuple[Value, ...]) -> Value:
        try:
            return enclosure_of_function(frame[0], names, *values)
        except Undecided:
            frame[0].deferred = True
            return Stuck("enclose", values, total=False)

    return finish


def _apply(frame: Frame, values: tuple[Value, ...]) -> Any:
    return apply(frame[0], values[0], values[1:])


def _apply_nothing(frame: Frame, values: tuple[Value, ...]) -> Any:
    """``c()`` for a local name: its value, called if it is a function without parameters."""
    value = values[0]
    if isinstance(value, FunctionValue) and value.arity <= 0:
        return apply(frame[0], value, ())
    if isinstance(value, Symbol):
        return Stuck(value.name, (), total=True)
    return value
