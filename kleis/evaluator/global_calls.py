"""Global names compiled: definitions, constructors, builtins, operations of implementations, and symbols.

See docs/reference/kleis.md §6.4 for the order in which a name is looked up.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from kleis.builtins.row import Builtin, accepts, call_builtin
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import CONSTANT_NAMES, builtin_beside, find_builtin
from kleis.errors import EvaluationError
from kleis.evaluator.compilation_context import GlobalNames
from kleis.evaluator.machine import (
    BUSY,
    Code,
    Compiled,
    Constructor,
    Finish,
    Frame,
    Machine,
    Place,
    Procedure,
    apply,
    begin_builtin,
    constant,
    sequence,
)
from kleis.syntax.operators import BINARY
from kleis.values import Data, FunctionValue, Stuck, Symbol, Value, is_number

__all__ = ["constant_reference", "global_call"]


# ── A name without parentheses ───────────────────────────────────────────────────────────────────────────────


def constant_reference(names: GlobalNames, name: str, place: Place) -> Compiled:
    """The code of a global name that is not called."""
    procedure = names.procedure(name)
    if procedure is not None:
        if procedure.arity:
            return constant(FunctionValue(name, procedure.arity, procedure))
        return _constant_code(procedure, place)
    arity = names.constructor_arity(name)
    if arity is not None:
        return constant(_constructor_value(name, arity))
    truth = names.truth_value(name)
    if truth is not None:
        return constant(truth)
    builtin = names.builtin(name) or _numeric(names, name)
    if builtin is None or (builtin.least == 0 and name not in CONSTANT_NAMES):
        return constant(names.declared_constant(name) or Symbol(name))
    if name in CONSTANT_NAMES:
        return sequence([], _builtin_finish(names, builtin, name), place, direct=True)
    return constant(FunctionValue(name, builtin.least, builtin))


def _constructor_value(name: str, arity: int) -> Value:
    return FunctionValue(name, arity, Constructor(name, arity)) if arity else Data(name)


def _constant_code(procedure: Procedure, place: Place) -> Compiled:
    name = procedure.name

    def run(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= 1
        known = machine.constants.get(name)
        if known is None:
            machine.constants[name] = BUSY
            machine.stack.append((_STORE, frame, name))
            procedure.ready()
            return machine.enter(procedure, [machine, *procedure.blank])
        if known is BUSY:
            raise place.locate(
                EvaluationError(
                    f"the constant {name} is defined by itself", code="circular", hint="give it a parameter"
                )
            )
        if isinstance(known, EvaluationError):
            raise known
        if name in machine.partial_constants:
            machine.deferred = True
        if name in machine.approximate_constants:
            machine.approximate = True
        return known

    return Compiled(run, False, 0)


class _Store:
    """Remembers the value of a constant, or that it is undefined."""

    def __call__(self, frame: Frame, name: str, value: Any) -> Any:
        machine: Machine = frame[0]
        machine.constants[name] = value
        if machine.deferred:
            machine.partial_constants.add(name)
        if machine.approximate:
            machine.approximate_constants.add(name)
        return value

    def recover(self, frame: Frame, name: str, error: EvaluationError) -> Any:
        frame[0].constants[name] = error
        raise error


_STORE = _Store()


# ── A call ───────────────────────────────────────────────────────────────────────────────────────────────────


def global_call(names: GlobalNames, name: str, parts: Sequence[Compiled], place: Place) -> Compiled:
    """The code of a call of a global name."""
    procedure = names.procedure(name)
    if procedure is not None:
        beside = builtin_beside(name, procedure.arity, len(parts))
        if beside is not None:
            return _builtin_call(names, beside, name, parts, place)
        if name in BINARY and len(parts) == procedure.arity == 2 and names.is_for_data(name):
            return _shared_call(procedure, name, parts, place)
        return _procedure_call(procedure, parts, place)
    arity = names.constructor_arity(name)
    if arity is not None:
        return sequence(parts, _constructor_finish(name, arity), place, direct=True)
    builtin = names.builtin(name) or _numeric(names, name)
    if builtin is not None:
        return _builtin_call(names, builtin, name, parts, place)
    instances = names.instances(name)
    if instances:
        return sequence(parts, _instance_finish(name, instances), place, direct=False)
    return sequence(parts, _symbolic_finish(name), place, direct=True)


def _numeric(names: GlobalNames, name: str) -> Builtin | None:
    """What a name computes in doubles, unless the program declares the name: a declaration hides it."""
    return None if names.is_declared(name) else find_numeric(name)


def _procedure_call(procedure: Procedure, parts: Sequence[Compiled], place: Place) -> Compiled:
    count, arity = len(parts), procedure.arity
    if count != arity or not arity:
        if not arity:
            known = _constant_code(procedure, place)
            return known if not count else sequence([known, *parts], _apply_values, place, direct=False)
        function = FunctionValue(procedure.name, arity, procedure)
        return sequence([constant(function), *parts], _apply_values, place, direct=False)
    if all(part.direct for part in parts):
        return _direct_call(
            procedure, tuple(part.code for part in parts), 1 + sum(part.weight for part in parts)
        )

    def finish(frame: Frame, values: tuple[Value, ...]) -> Any:
        machine: Machine = frame[0]
        procedure.ready()
        return machine.enter(procedure, [machine, *values, *procedure.blank])

    return sequence(parts, finish, place, direct=False)


def _direct_call(procedure: Procedure, codes: tuple[Code, ...], weight: int) -> Compiled:
    def run(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= weight
        if procedure.code is None:
            procedure.ready()
        called: Frame = [machine]
        for code in codes:
            called.append(code(frame))
        called.extend(procedure.blank)
        return machine.enter(procedure, called)

    return Compiled(run, False, 0)


def _shared_call(procedure: Procedure, name: str, parts: Sequence[Compiled], place: Place) -> Compiled:
    """An operator defined for data only; between two numbers it is the builtin."""
    builtin = find_builtin(name)

    def finish(frame: Frame, values: tuple[Value, ...]) -> Any:
        machine: Machine = frame[0]
        if builtin is not None and all(is_number(value) for value in values):
            return begin_builtin(machine, builtin, name, values)
        procedure.ready()
        return machine.enter(procedure, [machine, *values, *procedure.blank])

    return sequence(parts, finish, place, direct=False)


def _apply_values(frame: Frame, values: tuple[Value, ...]) -> Any:
    return apply(frame[0], values[0], values[1:])


def _constructor_finish(name: str, arity: int) -> Finish:
    def finish(frame: Frame, values: tuple[Value, ...]) -> Any:
        if len(values) != arity:
            raise EvaluationError(
                f"{name} has {arity} fields, not {len(values)}",
                code="arity",
                found=str(len(values)),
                expected=(str(arity),),
                hint="look at the data type that declares it",
            )
        return Data(name, values)

    return finish


def _symbolic_finish(name: str) -> Finish:
    return lambda frame, values: Stuck(name, values, total=True)


def _instance_finish(name: str, instances: Sequence[tuple[str, FunctionValue]]) -> Finish:
    """An operation that `implements` items give: the one whose type takes all the arguments."""

    def finish(frame: Frame, values: tuple[Value, ...]) -> Any:
        fitting = [function for sort, function in instances if all(accepts(sort, value) for value in values)]
        if not fitting:
            return Stuck(name, values, total=True)
        return apply(frame[0], fitting[0], values)

    return finish


# ── Builtins ─────────────────────────────────────────────────────────────────────────────────────────────────


def _builtin_call(
    names: GlobalNames, builtin: Builtin, name: str, parts: Sequence[Compiled], place: Place
) -> Compiled:
    if not builtin.takes(len(parts)):
        return _wrong_count(names, builtin, name, parts, place)
    finish = _builtin_finish(names, builtin, name)
    quick = _QUICK.get(builtin.name)
    if quick is not None and len(parts) == 2 and all(part.direct for part in parts):
        weight = 1 + sum(part.weight for part in parts)
        return Compiled(_quick_code(quick, parts[0].code, parts[1].code, finish, place), True, weight)
    return sequence(parts, finish, place, direct=not builtin.higher_order)


def _wrong_count(
    names: GlobalNames, builtin: Builtin, name: str, parts: Sequence[Compiled], place: Place
) -> Compiled:
    """Too few arguments make a function of the rest; too many are an error, or another operation if one is declared."""
    if names.is_declared(name):
        return sequence(parts, _symbolic_finish(name), place, direct=True)
    function = FunctionValue(name, builtin.least, builtin)
    return sequence([constant(function), *parts], _apply_values, place, direct=False)


def _builtin_finish(names: GlobalNames, builtin: Builtin, name: str) -> Finish:
    overloaded = names.is_declared(name)
    if builtin.higher_order and not overloaded:
        return lambda frame, values: begin_builtin(frame[0], builtin, name, values)
    if not overloaded:
        return lambda frame, values: call_builtin(frame[0], builtin, name, values)

    def finish(frame: Frame, values: tuple[Value, ...]) -> Any:
        last = len(builtin.parameters) - 1
        for index, value in enumerate(values):
            if accepts(builtin.parameters[min(index, last)].sort, value) is False:
                return Stuck(name, values, total=True)
        return begin_builtin(frame[0], builtin, name, values)

    return finish


_QUICK: dict[str, Callable[[int, int], Any]] = {
    "plus": operator.add,
    "minus": operator.sub,
    "times": operator.mul,
    "less_than": operator.lt,
    "leq": operator.le,
    "greater_than": operator.gt,
    "geq": operator.ge,
    "equals": operator.eq,
    "neq": operator.ne,
}
"""Operations on two small integers that need neither sort check nor payment."""

_SMALL = 1 << 512


def _quick_code(
    compute: Callable[[int, int], Any], left: Code, right: Code, finish: Finish, place: Place
) -> Code:
    def run(frame: Frame) -> Any:
        a = left(frame)
        b = right(frame)
        if type(a) is int and type(b) is int and -_SMALL < a < _SMALL and -_SMALL < b < _SMALL:
            return compute(a, b)
        try:
            return finish(frame, (a, b))
        except EvaluationError as error:
            raise place.locate(error) from None

    return run
