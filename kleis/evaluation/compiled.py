"""Pieces of compiled code that every construct needs: scopes, sequences of arguments, places of errors.

`Compiled` code is direct or not (machine.py).  Steps: direct code is paid for by whoever runs it, by its `weight`;
other code pays for itself when it is entered, and has weight 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from kleis.errors import EvaluationError
from kleis.evaluator.machine import Code, Frame, Machine
from kleis.syntax.tree import Span
from kleis.values import Value

__all__ = ["Compiled", "Finish", "Place", "Scope", "charged", "constant", "sequence"]


class Compiled(NamedTuple):
    """Code, whether it is direct, and its weight in steps."""

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
    """The local names visible at a point, with their slots in the frame.

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


Finish = Callable[[Frame, tuple[Any, ...]], Any]
"""What to do with the values of a sequence."""


def sequence(parts: Sequence[Compiled], finish: Finish, place: Place, *, direct: bool) -> Compiled:
    """Code that evaluates `parts` from left to right and hands their values to `finish`.

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
