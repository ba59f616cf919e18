"""The machine: runs compiled code on a stack of its own, so that recursion in Kleis is none in Python.

Code is a function of a frame.  A frame is a list: the machine itself, then captured values, arguments and local
names.  Code either returns a value or puts the next code into `machine.code` and `machine.frame` and returns
`PENDING`; what is to happen with that code's value waits on `machine.stack` as (resume, frame, extra).

    * A call in tail position leaves nothing on the stack.
    * *Direct* code never returns `PENDING`: literals, names, first-order builtins and what is made of them.  It
      recurses in Python, as deep as the source is nested (`MAXIMUM_NESTING`), not as deep as values are.
    * An `EvaluationError` that only says "undefined here" goes to the nearest waiting ∧ or ∨, which may have a
      value in spite of it (strong Kleene); all other errors end the run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from kleis.budget import Budget
from kleis.builtins.context import RECOVERABLE, Context, Undecided
from kleis.builtins.row import Builtin, Requests, call_builtin, check_arguments, stuck
from kleis.errors import EvaluationError
from kleis.values import Data, FunctionValue, Stuck, Suspended, Symbol, Value, kind_name

__all__ = [
    "BUSY",
    "PENDING",
    "Busy",
    "Code",
    "Constructor",
    "Frame",
    "Machine",
    "Pending",
    "Procedure",
    "Resume",
    "apply",
    "begin_builtin",
]


class Pending:
    """The type of `PENDING`."""

    __slots__ = ()


PENDING: Final = Pending()
"""Returned by code whose value is not known yet."""


class Busy:
    """The type of `BUSY`."""

    __slots__ = ()


BUSY: Final = Busy()
"""The value of a constant while it is computed."""

Frame: TypeAlias = list[Any]
Code: TypeAlias = Callable[[Frame], Any]
"""Returns a `Value` or `PENDING`."""

Resume: TypeAlias = Callable[[Frame, Any, Any], Any]
"""Goes on with (frame, extra, value)."""


class Procedure:
    """A compiled function body.  A frame for it is: machine, captured values, arguments, `blank`."""

    __slots__ = ("arity", "blank", "captured_names", "code", "compile", "name")

    def __init__(self, name: str, arity: int, captured_names: tuple[str, ...] = ()) -> None:
        self.name = name
        self.arity = arity
        self.captured_names = captured_names
        self.blank: list[None] = []
        self.code: Code | None = None
        self.compile: Callable[[], None] | None = None

    def ready(self) -> Code:
        """The code, compiled now if it has not been yet."""
        if self.code is None:
            assert self.compile is not None
            self.compile()
            assert self.code is not None
        return self.code


class Constructor:
    """A constructor as a function."""

    __slots__ = ("arity", "name")

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity


class Machine(Context):
    """One run: its budget, its stack, its output, and the values of constants computed so far."""

    __slots__ = ("code", "constants", "depth", "frame", "partial_constants", "stack")

    def __init__(self, budget: Budget, granted_root: Path | None) -> None:
        super().__init__(budget, granted_root)
        self.stack: list[tuple[Resume, Frame, Any]] = []
        self.depth = budget.depth
        self.constants: dict[str, Any] = {}
        self.partial_constants: set[str] = set()
        self.code: Code = _nothing
        self.frame: Frame = []

    def run(self, code: Code, frame: Frame) -> Value:
        """The value of `code` in `frame`."""
        stack = self.stack
        stack.clear()
        self.deferred = False
        # An earlier run may have been stopped in the middle of a constant.
        self.constants = {name: value for name, value in self.constants.items() if value is not BUSY}
        step: Callable[[], Any] = partial(code, frame)
        while True:
            try:
                value = step()
                while True:
                    while value is PENDING:
                        value = self.code(self.frame)
                    if not stack:
                        result: Value = value
                        return result
                    resume, saved, extra = stack.pop()
                    value = resume(saved, extra, value)
            except EvaluationError as error:
                step = self._recovery(error)

    def _recovery(self, error: EvaluationError) -> Callable[[], Any]:
        """What the nearest waiting connective does about an error; the error itself if none waits."""
        stack = self.stack
        while error.code in RECOVERABLE and stack:
            resume, frame, extra = stack.pop()
            recover: Resume | None = getattr(resume, "recover", None)
            if recover is not None:
                return partial(recover, frame, extra, error)
        raise error

    def goto(self, code: Code, frame: Frame) -> Pending:
        """Run `code` next."""
        self.code = code
        self.frame = frame
        return PENDING

    def enter(self, procedure: Procedure, frame: Frame) -> Pending:
        """Run a procedure next, in a frame of its own; it has been made ready, for `blank` to be right."""
        self.remaining -= 1
        if self.remaining < 0:
            self.refuse_steps()
        if len(self.stack) > self.depth:
            self.refuse_depth()
        self.code = procedure.ready()
        self.frame = frame
        return PENDING


def _nothing(frame: Frame) -> Any:
    return PENDING


def apply(machine: Machine, function: Value, arguments: tuple[Value, ...]) -> Any:
    """A function value with arguments: a value or `PENDING`."""
    if isinstance(function, FunctionValue):
        return _apply_function(machine, function, arguments)
    if isinstance(function, Symbol):
        return Stuck(function.name, arguments, total=True)
    if isinstance(function, (Stuck, Suspended)):
        machine.deferred = True
        return Stuck("apply_lambda", (function, *arguments), total=False)
    raise EvaluationError(
        f"{kind_name(function)} is no function",
        code="sort",
        found=kind_name(function),
        expected=("a function",),
        hint="only functions can be given arguments",
    )


def _apply_function(machine: Machine, function: FunctionValue, arguments: tuple[Value, ...]) -> Any:
    target, arity = function.target, function.arity
    count = len(arguments)
    if isinstance(target, Builtin):
        every = function.applied + arguments
        if target.takes(len(every)):
            return begin_builtin(machine, target, function.name, every)
        if len(every) < target.least:
            return FunctionValue(function.name, target.least - len(every), target, applied=every)
        raise _too_many(function, target.signature)
    if count < arity:
        return function.with_arguments(arguments)
    if count > arity:
        if arity == 0:
            raise _too_many(function, f"{function.name or 'the function'} takes no arguments")
        machine.stack.append((_apply_rest, [machine], (function, count, arguments[arity:])))
        arguments = arguments[:arity]
    every = function.applied + arguments
    if isinstance(target, Constructor):
        return Data(target.name, every)
    procedure: Procedure = target
    procedure.ready()
    return machine.enter(procedure, [machine, *function.captured, *every, *procedure.blank])


def _too_many(function: FunctionValue, hint: str) -> EvaluationError:
    return EvaluationError(f"too many arguments for {function.name or 'a function'}", code="arity", hint=hint)


def _apply_rest(frame: Frame, extra: tuple[FunctionValue, int, tuple[Value, ...]], value: Value) -> Any:
    """The arguments that a function did not take are for the function it gave, if it gave one."""
    function, count, rest = extra
    if isinstance(value, (FunctionValue, Symbol, Stuck, Suspended)):
        return apply(frame[0], value, rest)
    plural = "argument" if function.arity == 1 else "arguments"
    raise _too_many(
        function, f"it takes {function.arity} {plural}, not {count}, and gives {kind_name(value)}"
    )


def begin_builtin(machine: Machine, builtin: Builtin, name: str, arguments: tuple[Value, ...]) -> Any:
    """A call of a builtin: its value, or `PENDING` while it calls functions."""
    if not builtin.higher_order:
        return call_builtin(machine, builtin, name, arguments)
    if not check_arguments(builtin, name, arguments):
        return stuck(machine, builtin, arguments)
    if len(machine.stack) > machine.depth:
        machine.refuse_depth()
    requests: Requests = builtin.run(machine, *arguments)
    return _next_request([machine], (requests, builtin, arguments), None)


def _next_request(frame: Frame, extra: tuple[Requests, Builtin, tuple[Value, ...]], value: Any) -> Any:
    """Give a higher-order builtin the value it asked for, and see to what it asks for next."""
    requests, builtin, arguments = extra
    machine: Machine = frame[0]
    machine.charge(1)
    try:
        function, given = requests.send(value)
    except StopIteration as stop:
        return stop.value
    except Undecided:
        return stuck(machine, builtin, arguments)
    machine.stack.append((_next_request, frame, extra))
    return apply(machine, function, given)
