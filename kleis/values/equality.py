"""Structural equality in three values, keys for sets, and the tolerance of assertions on floats.

See docs/reference/kleis.md §6.5.

Equations
    equal(a, b) is True   only if a and b are the same whatever the unbound names stand for
    equal(a, b) is False  only if they differ whatever the unbound names stand for
    equal(a, b) is None   otherwise: undecided is an answer

Everything here is iterative, because values may be as deep as the evaluator's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction

from kleis.budget import Meter
from kleis.values.kinds import (
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Number,
    Regex,
    SetValue,
    Stuck,
    Suspended,
    Symbol,
    Symbolic,
    Value,
    kind_name,
)

__all__ = [
    "SIMPLE",
    "TOLERANCE",
    "TOLERANCE_TEXT",
    "approximately_equal",
    "close",
    "contains_float",
    "differ_in_kind",
    "equal",
    "equality_key",
    "indistinct",
    "is_partial",
    "is_symbolic",
    "leaves_of",
]

TOLERANCE = Fraction(1, 10**9)
"""How far two numbers may be apart, relative to the greater of them and 1, if one of them is a float."""

TOLERANCE_TEXT = "1e-9"
"""The same, as reports say it."""


def equal(left: Value, right: Value, meter: Meter) -> bool | None:
    """Whether two values are equal; None if that depends on unbound names."""
    return _compare(left, right, meter, _leaves_equal)


def approximately_equal(left: Value, right: Value, meter: Meter) -> bool | None:
    """`equal`, with tolerance wherever two numbers meet of which one is a float."""
    return _compare(left, right, meter, _leaves_close)


def close(left: Number, right: Number) -> bool:
    """Whether two numbers are within the tolerance; exact numbers must be the same."""
    if not isinstance(left, float) and not isinstance(right, float):
        return left == right
    exact_left, exact_right = Fraction(left), Fraction(right)
    return abs(exact_left - exact_right) <= TOLERANCE * max(abs(exact_left), abs(exact_right), Fraction(1))


def indistinct(left: Number, right: Number) -> bool:
    """Whether a float is among two numbers and they agree within the tolerance relative to their own size.

    Then their order is undecided; but 1e-12 is greater than 0.
    """
    if not isinstance(left, float) and not isinstance(right, float):
        return False
    exact_left, exact_right = Fraction(left), Fraction(right)
    return abs(exact_left - exact_right) <= TOLERANCE * max(abs(exact_left), abs(exact_right))


_Leaves = Callable[[Value, Value, Meter], "bool | None"]


def _compare(left: Value, right: Value, meter: Meter, leaves: _Leaves) -> bool | None:
    pending: list[tuple[Value, Value]] = [(left, right)]
    decided = True
    while pending:
        a, b = pending.pop()
        meter.charge(1)
        verdict: bool | None = True
        if isinstance(a, ListValue) and isinstance(b, ListValue):
            verdict = len(a) == len(b)
            if verdict:
                pending.extend(zip(a, b, strict=True))
        elif isinstance(a, Data) and isinstance(b, Data):
            verdict = a.constructor == b.constructor and len(a.fields) == len(b.fields)
            if verdict:
                pending.extend(zip(a.fields, b.fields, strict=True))
        elif isinstance(a, Stuck) and isinstance(b, Stuck):
            verdict = True if _congruent(a, b, meter) else None
        elif (parts := _split(a)) and (others := _split(b)):
            pending.extend(zip(parts, others, strict=True))
        else:
            verdict = leaves(a, b, meter)
        if verdict is False:
            return False
        decided = decided and verdict is True
    return True if decided else None


def _split(value: Value) -> tuple[Value, Value] | None:
    """Head and tail of a list of at least one element, also where the tail is not known."""
    if isinstance(value, ListValue):
        return (value.head, value.tail) if len(value) else None
    if isinstance(value, Data) and value.constructor == "Cons" and len(value.fields) == 2:
        return value.fields[0], value.fields[1]
    return None


def _congruent(left: Value, right: Value, meter: Meter) -> bool:
    """Whether two values are built alike from the same symbols by operations that always have a value."""
    pending: list[tuple[Value, Value]] = [(left, right)]
    while pending:
        a, b = pending.pop()
        meter.charge(1)
        if isinstance(a, Stuck) and isinstance(b, Stuck):
            if not (a.total and b.total and a.operation == b.operation):
                return False
            if len(a.arguments) != len(b.arguments):
                return False
            pending.extend(zip(a.arguments, b.arguments, strict=True))
        elif isinstance(a, Data) and isinstance(b, Data):
            if a.constructor != b.constructor or len(a.fields) != len(b.fields):
                return False
            pending.extend(zip(a.fields, b.fields, strict=True))
        elif isinstance(a, ListValue) and isinstance(b, ListValue):
            if len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif _leaves_equal(a, b, meter) is not True:
            return False
    return True


def _leaves_equal(a: Value, b: Value, meter: Meter) -> bool | None:
    return _compare_leaves(a, b, meter, _same_number)


def _leaves_close(a: Value, b: Value, meter: Meter) -> bool | None:
    return _compare_leaves(a, b, meter, close)


def _same_number(a: Number, b: Number) -> bool | None:
    """Exact numbers are the same or not; for a float that is only close to another number it is undecided."""
    if a == b:
        return True
    approximate = isinstance(a, float) or isinstance(b, float)
    return None if approximate and close(a, b) else False


def _compare_leaves(
    a: Value, b: Value, meter: Meter, same: Callable[[Number, Number], bool | None]
) -> bool | None:
    """Compare two values that are not both lists, both data or both operations."""
    match a, b:
        case (Symbol(), Symbol()):
            return True if a == b else None
        case (Symbol() | Stuck() | Suspended(), _) | (_, Symbol() | Stuck() | Suspended()):
            return None
        case (bool(), bool()):
            return a is b
        case (bool(), _) | (_, bool()):
            return differ_in_kind(a, b, meter)
        case (int() | Fraction() | float(), int() | Fraction() | float()):
            if isinstance(a, float) or isinstance(b, float):
                meter.approximate = True
            return same(a, b)
        case (Complex() | int() | Fraction() | float(), Complex() | int() | Fraction() | float()):
            return _same_complex(a, b, meter, same)
        case (str(), str()) | (BitVector(), BitVector()):
            return a == b
        case (SetValue(), SetValue()):
            meter.charge(len(a.members) + len(b.members))
            # Over a finite type a complement may have the same members as a finite set.
            return a.members.keys() == b.members.keys() if a.complement is b.complement else None
        case (Regex(), Regex()):
            return True if a.key == b.key else None
        case (FunctionValue(), FunctionValue()):
            return True if a is b or _same_named_function(a, b) else None
        case (ListValue(), Data(constructor="Cons")) | (Data(constructor="Cons"), ListValue()):
            return False  # an empty list, and one whose end is not known
        case _:
            return differ_in_kind(a, b, meter)


def differ_in_kind(a: Value, b: Value, meter: Meter) -> bool:
    """False; the meter notes the kinds of the first two values that were compared so."""
    meter.mixed = meter.mixed or f"{kind_name(a)} with {kind_name(b)}"
    return False


def _same_complex(
    a: Complex | Number, b: Complex | Number, meter: Meter, same: Callable[[Number, Number], bool | None]
) -> bool | None:
    parts = [(value.real, value.imaginary) if isinstance(value, Complex) else (value, 0) for value in (a, b)]
    (real, imaginary), (other_real, other_imaginary) = parts
    if any(isinstance(part, float) for pair in parts for part in pair):
        meter.approximate = True
    verdicts = (same(real, other_real), same(imaginary, other_imaginary))
    return False if False in verdicts else None if None in verdicts else True


def _same_named_function(a: FunctionValue, b: FunctionValue) -> bool:
    return bool(a.name) and a.name == b.name and a.target is b.target and not a.applied and not b.applied


def leaves_of(value: Value, meter: Meter) -> Iterator[Value]:
    """Everything inside a value that is neither list nor data; what is shared is looked at once."""
    pending: list[Value] = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        meter.charge(1)
        if isinstance(item, (ListValue, Data)):
            if id(item) in seen:
                continue
            seen.add(id(item))
        if isinstance(item, ListValue):
            pending.extend(reversed(item.items()))
        elif isinstance(item, Data):
            pending.extend(reversed(item.fields))
        else:
            yield item


def is_symbolic(value: Value, meter: Meter) -> bool:
    """Whether unbound names take part in a value."""
    return any(isinstance(leaf, Symbolic) for leaf in leaves_of(value, meter))


SIMPLE = frozenset((bool, int, Fraction, str, BitVector))
"""The kinds of values that have no parts and are no floats."""


def contains_float(value: Value, meter: Meter) -> bool:
    """Whether a floating-point number takes part in a value."""
    if type(value) in SIMPLE:
        meter.charge(1)
        return False
    return any(
        isinstance(leaf, float)
        or (isinstance(leaf, Complex) and (isinstance(leaf.real, float) or isinstance(leaf.imaginary, float)))
        for leaf in leaves_of(value, meter)
    )


def equality_key(value: Value, meter: Meter) -> Hashable | None:
    """A flat key that two values share exactly when `equal` holds; None for symbols and functions."""
    key: list[Hashable] = []
    pending: list[Value] = [value]
    while pending:
        item = pending.pop()
        meter.charge(1)
        match item:
            case ListValue():
                key.append(("list", len(item)))
                pending.extend(item)
            case Data(constructor=constructor, fields=fields):
                key.append(("data", constructor, len(fields)))
                pending.extend(fields)
            case bool():
                key.append(("bool", item))
            case int() | Fraction() | float():
                key.append(item)
            case str():
                key.append(item)
            case Complex(real=real, imaginary=imaginary):
                key.append(("complex", real, imaginary))
            case BitVector(width=width, bits=bits):
                key.append(("word", width, bits))
            case Regex(key=text):
                key.append(("regex", text))
            case SetValue(members=members, complement=complement):
                key.append(("set", complement, frozenset(members)))
            case _:
                return None
    return tuple(key)


def is_partial(value: Value) -> bool:
    """Whether a value may turn out undefined when its unbound names are known; linear in the memory it takes."""
    pending: list[Value] = [value]
    seen: set[int] = set()
    while pending:
        item = pending.pop()
        if not isinstance(item, (ListValue, Data, Stuck, Suspended, FunctionValue)) or id(item) in seen:
            continue
        seen.add(id(item))
        match item:
            case Suspended() | Stuck(total=False):
                return True
            case Stuck(arguments=parts) | Data(fields=parts):
                pending.extend(parts)
            case ListValue():
                pending.extend(item)
            case FunctionValue(captured=captured, applied=applied):
                pending.extend((*captured, *applied))
    return False
