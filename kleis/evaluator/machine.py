"""The machine: runs compiled code on a stack of its own, so that recursion in Kleis is none in Python.

Code is a function of a frame.  A frame is a list: the machine itself, then captured values, arguments and local
names.  Code either returns a value or puts the next code into `machine.code` and `machine.frame` and returns
`PENDING`; what is to happen with that code's value waits on `machine.stack` as (resume, frame, extra).

    * A call in tail position leaves nothing on the stack.
    * *Direct* code never returns `PENDING`: literals, names, first-order builtins and what is made of them.  It
      recurses in Python, as deep as the source is nested (`MAXIMUM_HEIGHT`), not as deep as values are.
    * Steps: direct code is paid for by its caller, by its `weight`; other code pays for itself when it is entered, and
      has weight 0.
    * An `EvaluationError` that only says "undefined here" goes to the nearest waiting ∧ or ∨, which may have a
      value in spite of it (strong Kleene); all other errors end the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from kleis.budget import Budget
from kleis.builtins.row import (
    RECOVERABLE,
    Builtin,
    Context,
    Requests,
    Undecided,
    call_builtin,
    check_arguments,
    stuck,
)
from kleis.errors import EvaluationError
from kleis.syntax.tree import Span
from kleis.values import Data, FunctionValue, Stuck, Suspended, Symbol, Value, kind_name

__all__ = [
    "BUSY",
    "PENDING",
    "Busy",
    "Code",
    "Compiled",
    "Constructor",
    "Finish",
    "Frame",
    "Machine",
    "Pending",
    "Place",
    "Procedure",
    "Resume",
    "Scope",
    "apply",
    "begin_builtin",
    "charged",
    "constant",
    "evaluated_first",
    "sequence",
]


class Pending:
    """The type of `PENDING`."""

    __slots__ = ()


PENDING: Final = Pending()
"""What code returns in place of a value when `Machine.code` is to run next."""


class Busy:
    """The type of `BUSY`."""

    __slots__ = ()


BUSY: Final = Busy()
"""What stands for the value of a constant while it is computed."""

Frame: TypeAlias = list[Any]
Code: TypeAlias = Callable[[Frame], Any]
"""A value of the frame's names, or `PENDING`."""

Resume: TypeAlias = Callable[[Frame, Any, Any], Any]
"""What runs when a value is there: takes frame, extra and value.  Its attribute `recover`, if any, takes an error."""


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

    __slots__ = ("approximate_constants", "code", "constants", "depth", "frame", "partial_constants", "stack")

    def __init__(self, budget: Budget, granted_root: Path | None) -> None:
        super().__init__(budget, granted_root)
        self.stack: list[tuple[Resume, Frame, Any]] = []
        self.depth = budget.depth
        self.constants: dict[str, Any] = {}
        self.partial_constants: set[str] = set()
        self.approximate_constants: set[str] = set()
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
        """The code with which the nearest waiting connective handles an error; raises it if none waits."""
        stack = self.stack
        while error.code in RECOVERABLE and stack:
            resume, frame, extra = stack.pop()
            recover: Resume | None = getattr(resume, "recover", None)
            if recover is not None:
                return partial(recover, frame, extra, error)
        raise error

    def enter(self, procedure: Procedure, frame: Frame) -> Pending:
        """Run a procedure next, in a frame of its own.  The caller has called `ready`, which sets `blank`."""
        self.remaining -= 1
        if self.remaining < 0:
            self.stop_at_steps()
        if len(self.stack) > self.depth:
            self.stop_at_depth()
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
        raise _too_many(function, target.usage)
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
    """Apply what a function returned to the arguments that it did not take."""
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
        machine.stop_at_depth()
    requests: Requests = builtin.run(machine, *arguments)
    return _next_request([machine], (requests, builtin, arguments), None)


def _next_request(frame: Frame, extra: tuple[Requests, Builtin, tuple[Value, ...]], value: Any) -> Any:
    """Send a higher-order builtin the value it requested, and run its next request."""
    requests, builtin, arguments = extra
    machine: Machine = frame[0]
    machine.charge(1)
    try:
        function, given = requests.send(value)
    except StopIteration as stop:
        return stop.value
    except Undecided:
        return stuck(machine, builtin, arguments)
    machine.stack.append((_ANSWERED, frame, extra))
    return apply(machine, function, given)


class _Answered:
    """What goes on with a higher-order builtin when a function that it called has a value, or has none."""

    def __call__(self, frame: Frame, extra: tuple[Requests, Builtin, tuple[Value, ...]], value: Any) -> Any:
        return _next_request(frame, extra, value)

    def recover(
        self, frame: Frame, extra: tuple[Requests, Builtin, tuple[Value, ...]], error: EvaluationError
    ) -> Any:
        """Only to say more: a builtin has no value where a function that it called has none."""
        extra[0].throw(error)
        raise error


_ANSWERED = _Answered()


# ── Pieces of compiled code that every construct needs ───────────────────────────────────────────────────────


class Compiled(NamedTuple):
    """Code, whether it is direct, and its weight in steps (0 unless it is direct)."""

    code: Code
    direct: bool
    weight: int


class Place(NamedTuple):
    """Where an expression stands."""

    file: str
    span: Span

    def locate(self, error: EvaluationError) -> EvaluationError:
        """The error with this place, unless it has one already."""
        if not error.line and self.span.line:
            error.file = self.file
            error.line = error.end_line = self.span.line
            error.column = self.span.column
            error.end_column = self.span.column + self.span.end - self.span.start
        return error


class Scope:
    """The local names visible at one place, with their slots in the frame.

    `layout` is shared by all scopes of one procedure: a list that is as long as the frame must be, so that no two
    names of one procedure share a slot and none is ever assigned twice in one call.
    """

    __slots__ = ("layout", "slots")

    def __init__(self, names: Sequence[str]) -> None:
        # Slot 0 holds the machine.
        self.slots = {name: index for index, name in enumerate(names, 1)}
        self.layout: list[None] = [None] * (len(names) + 1)

    def slot(self, name: str) -> int | None:
        """The slot of a local name."""
        return self.slots.get(name)

    def bind(self, names: Sequence[str]) -> Scope:
        """The scope inside a binder of `names`."""
        inner = Scope.__new__(Scope)
        inner.layout = self.layout
        inner.slots = dict(self.slots)
        for name in names:
            inner.slots[name] = len(self.layout)
            self.layout.append(None)
        return inner


def constant(value: Value) -> Compiled:
    """Code for a known value."""
    return Compiled(lambda frame: value, True, 1)


def charged(compiled: Compiled) -> Code:
    """Code that pays for itself."""
    code, direct, weight = compiled
    if not direct:
        return code

    def run(frame: Frame) -> Any:
        frame[0].charge(weight)
        return code(frame)

    return run


def evaluated_first(part: Compiled, resume: Resume, extra: Any, weight: int) -> Compiled:
    """Code that evaluates a part that is not direct and continues with `resume`; it pays `weight`."""
    code = part.code

    def begin(frame: Frame) -> Any:
        machine: Machine = frame[0]
        machine.remaining -= weight
        machine.stack.append((resume, frame, extra))
        return code(frame)

    return Compiled(begin, False, 0)


Finish: TypeAlias = Callable[[Frame, tuple[Any, ...]], Any]
"""What computes the value of a construct from those of its parts, or returns `PENDING`."""


def sequence(parts: Sequence[Compiled], finish: Finish, place: Place, *, direct: bool) -> Compiled:
    """Code that evaluates `parts` from left to right and calls `finish` with their values.

    `direct` says that `finish` always returns a value.
    """
    weight = 1 + sum(part.weight for part in parts)
    if not all(part.direct for part in parts):
        return Compiled(_collecting(tuple(parts), finish, place, weight), False, 0)
    codes = tuple(part.code for part in parts)
    code = _direct_sequence(codes, finish, place)
    if direct:
        return Compiled(code, True, weight)

    def run(frame: Frame) -> Any:
        frame[0].remaining -= weight
        return code(frame)

    return Compiled(run, False, 0)


def _direct_sequence(codes: tuple[Code, ...], finish: Finish, place: Place) -> Code:
    locate = place.locate
    if len(codes) == 1:
        (only,) = codes

        def run_one(frame: Frame) -> Any:
            try:
                return finish(frame, (only(frame),))
            except EvaluationError as error:
                raise locate(error) from None

        return run_one
    if len(codes) == 2:
        first, second = codes

        def run_two(frame: Frame) -> Any:
            try:
                return finish(frame, (first(frame), second(frame)))
            except EvaluationError as error:
                raise locate(error) from None

        return run_two

    def run(frame: Frame) -> Any:
        values = []
        try:
            for code in codes:
                values.append(code(frame))
            return finish(frame, tuple(values))
        except EvaluationError as error:
            raise locate(error) from None

    return run


class _Collection(NamedTuple):
    """A sequence under way."""

    parts: tuple[Compiled, ...]
    finish: Finish
    place: Place
    values: list[Any]


def _collecting(parts: tuple[Compiled, ...], finish: Finish, place: Place, weight: int) -> Code:
    def run(frame: Frame) -> Any:
        frame[0].remaining -= weight
        return _collect(frame, _Collection(parts, finish, place, []))

    return run


def _collect(frame: Frame, collection: _Collection) -> Any:
    parts, finish, place, values = collection
    machine: Machine = frame[0]
    try:
        while len(values) < len(parts):
            part = parts[len(values)]
            if not part.direct:
                machine.stack.append((_collected, frame, collection))
                return part.code(frame)
            values.append(part.code(frame))
        return finish(frame, tuple(values))
    except EvaluationError as error:
        raise place.locate(error) from None


def _collected(frame: Frame, collection: _Collection, value: Any) -> Any:
    collection.values.append(value)
    return _collect(frame, collection)
