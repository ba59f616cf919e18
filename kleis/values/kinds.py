"""The kinds of values.

See docs/reference/kleis.md §6.1.

==================  =============================================================================================
bool                ``true``, ``false``
int                 an integer, of any size
Fraction            a rational that is no integer (`exact` keeps it so)
float               an approximation, always finite; comes only from a transcendental builtin or another float
Complex             a complex number whose imaginary part is not exactly 0; its parts are numbers as above
str                 a string of code points
ListValue           a list
Data                a constructor with its fields: data types, tuples, ``Matrix``, ``record`` and ``field``
FunctionValue       a function: definition, lambda, builtin or constructor, perhaps partly applied
SetValue            a finite set, or the complement of one
BitVector           an unsigned number of fixed width
Regex               a regular expression (kleis/builtins/regular/regex.py)
Symbol              an unbound name: it has some value, nothing is known of it
Stuck               an operation that symbolic arguments keep from being computed, or that nothing defines
Suspended           an `if`, `match` or quantifier that cannot be decided, with the values of its names
==================  =============================================================================================

The last three are *symbolic*.  `Data` and lists may contain symbolic values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias, TypeGuard

import msgspec

from kleis.syntax.tree import Expression

__all__ = [
    "EMPTY_LIST",
    "UNIT",
    "BitVector",
    "Complex",
    "Data",
    "FunctionValue",
    "ListValue",
    "Number",
    "Regex",
    "SetValue",
    "Stuck",
    "Suspended",
    "Symbol",
    "Symbolic",
    "Value",
    "complex_value",
    "exact",
    "is_number",
    "kind_name",
    "list_of",
]


class ListValue:
    """A list with constant-time head, tail, `prepend` and indexing.  Make one with `list_of`, `prepend` or `tail`.

    It is the one representation of lists: ``[a, b]`` and ``Cons(a, Cons(b, Nil))`` are the same value.

    A list is a window on a shared buffer that is kept in reverse, so that the head is the buffer's end and `prepend`
    is an append.  Lists may share a buffer; the one whose window ends where the buffer ends is extended in place, any
    other is copied first.  No element inside a window ever changes, so lists are immutable.
    """

    __slots__ = ("_buffer", "_end")

    def __init__(self, reversed_items: list[Value], end: int) -> None:
        self._buffer = reversed_items
        self._end = end

    def __len__(self) -> int:
        return self._end

    def __iter__(self) -> Iterator[Value]:
        buffer = self._buffer
        for index in range(self._end - 1, -1, -1):
            yield buffer[index]

    def __getitem__(self, index: int) -> Value:
        """The element at `index`, from 0; the caller has checked the range."""
        if not 0 <= index < self._end:
            raise IndexError(index)
        return self._buffer[self._end - 1 - index]

    @property
    def head(self) -> Value:
        """The first element of a list that is not empty."""
        return self._buffer[self._end - 1]

    @property
    def tail(self) -> ListValue:
        """All but the first element of a list that is not empty."""
        return ListValue(self._buffer, self._end - 1)

    @property
    def must_copy(self) -> bool:
        """Whether `prepend` costs a copy, because another list has grown on this buffer."""
        return len(self._buffer) != self._end

    def prepend(self, item: Value) -> ListValue:
        """The list with `item` before all others."""
        buffer, end = self._buffer, self._end
        if len(buffer) == end and end:
            buffer.append(item)
            # Another thread may have appended between the two lines: then the place is not this list's.
            if buffer[end] is item:
                return ListValue(buffer, end + 1)
        return ListValue([*buffer[:end], item], end + 1)

    def items(self) -> list[Value]:
        """The elements as a new Python list."""
        window = self._buffer[: self._end]
        window.reverse()
        return window

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[index]) for index in range(min(4, self._end)))
        return f"ListValue([{shown}{', …' if self._end > 4 else ''}])"


EMPTY_LIST = ListValue([], 0)


def list_of(items: Iterable[Value]) -> ListValue:
    """The list of `items`."""
    buffer = list(items)
    buffer.reverse()
    return ListValue(buffer, len(buffer)) if buffer else EMPTY_LIST


class Data:
    """A constructor with its fields.  Compare with `kleis.values.equal`, never with ``==``."""

    __slots__ = ("constructor", "fields")

    def __init__(self, constructor: str, fields: tuple[Value, ...] = ()) -> None:
        self.constructor = constructor
        self.fields = fields

    def __repr__(self) -> str:
        return f"Data({self.constructor!r}, <{len(self.fields)} fields>)"


class Complex(msgspec.Struct, frozen=True):
    """A complex number; make one with `complex_value`."""

    real: Number
    imaginary: Number


class FunctionValue:
    """A function.  `target` is what the evaluator runs; `applied` are the arguments it already has.

    `arity` counts the arguments still missing; -1 means that any number will do.  `name` is empty for a lambda,
    whose `source` and `captured` values are kept for printing.
    """

    __slots__ = ("applied", "arity", "captured", "name", "source", "target")

    def __init__(
        self,
        name: str,
        arity: int,
        target: Any,
        *,
        applied: tuple[Value, ...] = (),
        captured: tuple[Value, ...] = (),
        source: Expression | None = None,
    ) -> None:
        self.name = name
        self.arity = arity
        self.target = target
        self.applied = applied
        self.captured = captured
        self.source = source

    def with_arguments(self, arguments: tuple[Value, ...]) -> FunctionValue:
        """The function with fewer arguments missing; the caller has checked that some are left."""
        return FunctionValue(
            self.name,
            self.arity - len(arguments),
            self.target,
            applied=self.applied + arguments,
            captured=self.captured,
            source=self.source,
        )

    def __repr__(self) -> str:
        return f"FunctionValue({self.name or 'λ'}/{self.arity})"


class SetValue(msgspec.Struct, frozen=True, eq=False):
    """A set.  `members` maps `equality_key` of each element to the element, in order of insertion.

    `complement` means every value of the element type but these.
    """

    members: dict[Any, Any]
    complement: bool = False


class BitVector(msgspec.Struct, frozen=True):
    """An unsigned number of fixed width: 0 ≤ `bits` < 2^width."""

    width: int
    bits: int


class Regex:
    """A regular expression value; `node` is a tree of kleis/builtins/regular/regex.py, `key` its identity.

    `automaton` caches what matching has computed; it is no part of the value.
    """

    __slots__ = ("automaton", "key", "node")

    def __init__(self, node: Any, key: str) -> None:
        self.node = node
        self.key = key
        self.automaton: Any = None

    def __reduce__(self) -> tuple[type[Regex], tuple[Any, str]]:
        return Regex, (self.node, self.key)


class Symbol(msgspec.Struct, frozen=True):
    """An unbound name."""

    name: str


class Stuck:
    """An operation that is not computed.

    `total` says that it has a value whatever its arguments are, so that it is equal to itself: ``f(x) = f(x)``
    holds for an operation without a definition, ``x / x = x / x`` fails to be true at x = 0.
    """

    __slots__ = ("arguments", "operation", "total")

    def __init__(self, operation: str, arguments: tuple[Value, ...], total: bool) -> None:
        self.operation = operation
        self.arguments = arguments
        self.total = total

    def __repr__(self) -> str:
        return f"Stuck({self.operation!r}, <{len(self.arguments)} arguments>)"


class Suspended:
    """An expression that cannot be decided, with the values of the local names in it."""

    __slots__ = ("bindings", "expression")

    def __init__(self, expression: Expression, bindings: tuple[tuple[str, Value], ...]) -> None:
        self.expression = expression
        self.bindings = bindings


Number: TypeAlias = int | Fraction | float

Symbolic: TypeAlias = Symbol | Stuck | Suspended

Value: TypeAlias = (
    bool
    | int
    | Fraction
    | float
    | Complex
    | str
    | ListValue
    | Data
    | FunctionValue
    | SetValue
    | BitVector
    | Regex
    | Symbol
    | Stuck
    | Suspended
)

UNIT = Data("Unit")

_NUMBER_TYPES = (int, Fraction, float)


def is_number(value: object) -> TypeGuard[Number]:
    """Whether `value` is a real number."""
    return isinstance(value, _NUMBER_TYPES) and not isinstance(value, bool)


def exact(number: Fraction) -> int | Fraction:
    """The same rational, as an int if it is one."""
    return number.numerator if number.denominator == 1 else number


def complex_value(real: Number, imaginary: Number) -> Number | Complex:
    """The complex number with these parts: a real number if the imaginary part is exactly 0."""
    if imaginary == 0 and not isinstance(imaginary, float):
        return real
    return Complex(real, imaginary)


def kind_name(value: Value) -> str:
    """What a value is, for error messages."""
    match value:
        case bool():
            return "a truth value"
        case int():
            return "an integer"
        case Fraction():
            return "a rational number"
        case float():
            return "an approximate number" if math.isfinite(value) else "no number"
        case Complex():
            return "a complex number"
        case str():
            return "a string"
        case ListValue():
            return "a list"
        case Data(constructor=constructor):
            return f"a {constructor}"
        case FunctionValue():
            return "a function"
        case SetValue():
            return "a set"
        case BitVector(width=width):
            return f"a bit-vector of width {width}"
        case Regex():
            return "a regular expression"
        case Symbol(name=name):
            return f"the unbound name {name}"
        case _:
            return "a symbolic value"
