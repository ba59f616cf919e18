"""Tier T3: lists and tuples, without functions over them.  All indexes start at 0.

See docs/reference/kleis.md §8.3.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from kleis import core
from kleis.builtins import exact_numbers
from kleis.builtins.matrix_algebra import entry_sum, product_of_entries
from kleis.builtins.row import (
    CORE_FORM,
    Argument,
    Builtin,
    Context,
    Rule,
    Signature,
    Waiting,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.shapes import NUMBERS, fixed, is_open, shape
from kleis.values import (
    EMPTY_LIST,
    Data,
    ListValue,
    Number,
    Value,
    exact,
    kind_name,
    list_of,
)

__all__ = ["LISTS", "cons", "elements"]


def elements(context: Context, value: Value) -> list[Value]:
    """The elements of a list argument, charged one step each."""
    # A `Cons` of an unknown tail never gets here: `check_arguments` has made the call symbolic.
    assert isinstance(value, ListValue)
    context.charge(len(value))
    return value.items()


def cons(context: Context, head: Value, tail: Value) -> Value:
    """``Cons(head, tail)``: a list where the tail is one."""
    if not isinstance(tail, ListValue):
        return Data("Cons", (head, tail))
    if len(tail) >= context.budget.size:
        context.admit(len(tail) + 1, "a list")
    context.charge(len(tail) if tail.must_copy else 1)
    return tail.prepend(head)


def _nil(context: Context) -> ListValue:
    return EMPTY_LIST


def _head(context: Context, value: Value) -> Value:
    if isinstance(value, Data):
        return value.fields[0]
    assert isinstance(value, ListValue)
    if not len(value):
        raise undefined("the head of an empty list", "match the list first, or state that it is not empty")
    return value.head


def _tail(context: Context, value: Value) -> Value:
    if isinstance(value, Data):
        return value.fields[1]
    assert isinstance(value, ListValue)
    if not len(value):
        raise undefined("the tail of an empty list", "match the list first, or state that it is not empty")
    return value.tail


def _is_empty(context: Context, value: Value) -> bool:
    return isinstance(value, ListValue) and not len(value)


def _length(context: Context, value: Value) -> int:
    assert isinstance(value, (ListValue, str))
    return len(value)


def _nth(context: Context, value: ListValue, index: int) -> Value:
    if not 0 <= index < len(value):
        raise undefined(
            f"element {index} of a list of {len(value)}",
            f"indexes go from 0 to {len(value) - 1}" if len(value) else "",
        )
    return value[index]


def _append(context: Context, left: ListValue, right: ListValue) -> ListValue:
    context.admit(len(left) + len(right), "a list")
    return list_of([*left, *right])


def _flatten(context: Context, value: ListValue) -> ListValue:
    flat: list[Value] = []
    for item in elements(context, value):
        if not isinstance(item, ListValue):
            raise wrong_sort("flatten takes a list of lists", found=kind_name(item), expected="a list")
        context.admit(len(flat) + len(item), "a list")
        flat += item.items()
    return list_of(flat)


def _slice(context: Context, value: ListValue, start: int, end: int | None = None) -> ListValue:
    items = elements(context, value)
    return list_of(items[max(start, 0) : len(items) if end is None else max(end, 0)])


def _rotate(context: Context, value: ListValue, count: int) -> ListValue:
    items = elements(context, value)
    shift = count % len(items) if items else 0
    return list_of(items[shift:] + items[:shift])


def _reverse(context: Context, value: ListValue) -> ListValue:
    return list_of(reversed(elements(context, value)))


def _zip(context: Context, left: ListValue, right: ListValue) -> ListValue:
    pairs = zip(elements(context, left), elements(context, right), strict=False)
    return list_of(Data("Pair", pair) for pair in pairs)


def _first(context: Context, value: Data) -> Value:
    return value.fields[0]


def _second(context: Context, value: Data) -> Value:
    return value.fields[1]


def _sum(context: Context, value: ListValue) -> Value:
    total: Value = 0
    for item in elements(context, value):
        total = entry_sum(context, total, item)
    return total


def _product(context: Context, value: ListValue) -> Value:
    total: Value = 1
    for item in elements(context, value):
        total = product_of_entries(context, total, item)
    return total


def _range(context: Context, start: int, end: int | None = None) -> ListValue:
    span = range(start) if end is None else range(start, end)
    context.admit(max((span.stop - span.start), 0), "a list")
    return list_of(span)


def _linspace(context: Context, start: Number, end: Number, count: int = 50) -> ListValue:
    context.admit(max(count, 0), "a list")
    if count < 2:
        return list_of([start] if count == 1 else [])
    spaced: list[Value] = []
    for index in range(count):
        part = exact_numbers.multiply(
            context, exact_numbers.subtract(context, end, start), Fraction(index, count - 1)
        )
        value = exact_numbers.add(context, start, part)
        spaced.append(exact(value) if isinstance(value, Fraction) else value)
    return list_of(spaced)


def _generator(seed: int) -> _Congruential:
    return _Congruential(seed % 2**32)


class _Congruential:
    """A 32-bit linear congruential generator: the same numbers for the same seed on every machine."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = (1664525 * self.state + 1013904223) % 2**32
        return self.state


def _random(context: Context, count: int, seed: int = 42) -> ListValue:
    context.admit(max(count, 0), "a list")
    source = _generator(seed)
    return list_of(exact(Fraction(source.next(), 2**32)) for _ in range(count))


def _random_normal(context: Context, count: int, seed: int = 42, scale: Number = 1) -> ListValue:
    context.admit(max(count, 0), "a list")
    source = _generator(seed)
    deviation = exact_numbers.approximate(scale)
    drawn: list[Value] = []
    for _ in range(count):
        # Box–Muller; the radius needs a number above 0.
        radius = math.sqrt(-2 * math.log((source.next() + 1) / (2**32 + 1)))
        angle = 2 * math.pi * source.next() / 2**32
        drawn.append(exact_numbers.finite(partial(_scaled, deviation, radius * math.cos(angle))))
    return list_of(drawn)


def _scaled(factor: float, value: float) -> float:
    return factor * value


def _vector_sum(context: Context, left: ListValue, right: ListValue) -> ListValue:
    if len(left) != len(right):
        raise undefined(f"the sum of vectors of lengths {len(left)} and {len(right)}")
    pairs = zip(elements(context, left), elements(context, right), strict=True)
    return list_of(entry_sum(context, a, b) for a, b in pairs)


# Signatures.  Lists and sets are polymorphic; sums and products are given at each sort of numbers, the empty ones being 0
# and 1.  What is defined by recursion on a list is complete.  Incomplete are `random`, `linspace` and the size of a set.

_A = core.SortVariable("a")
_B = core.SortVariable("b")
_LIST = core.ListOf(_A)
_OF_NUMBERS = fixed(*(shape(core.ListOf(each), each) for each in NUMBERS))
_RANGE = fixed(
    shape(core.INTEGER, core.ListOf(core.INTEGER)),
    shape(core.INTEGER, core.INTEGER, core.ListOf(core.INTEGER)),
)
_LINSPACE = fixed(
    *(shape(each, each, core.ListOf(each)) for each in (core.RATIONAL, core.REAL)),
    *(shape(each, each, core.INTEGER, core.ListOf(each)) for each in (core.RATIONAL, core.REAL)),
    incomplete=True,
)
_RANDOM = fixed(
    shape(core.INTEGER, core.ListOf(core.RATIONAL)),
    shape(core.INTEGER, core.INTEGER, core.ListOf(core.RATIONAL)),
    incomplete=True,
)
_RANDOM_NORMAL = fixed(
    shape(core.INTEGER, core.ListOf(core.REAL)),
    shape(core.INTEGER, core.INTEGER, core.ListOf(core.REAL)),
    shape(core.INTEGER, core.INTEGER, core.REAL, core.ListOf(core.REAL)),
    incomplete=True,
)


def _component(place: int) -> Rule:
    """A component of a pair or longer tuple, whose sort must be known."""

    def rule(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
        sort = arguments[0].sort
        if is_open(sort):
            return Waiting("the sort of the tuple")
        if not isinstance(sort, core.TupleOf) or len(sort.items) < 2:
            return ()
        return (Signature(row=row, parameters=(sort,), result=sort.items[place]),)

    return rule


LISTS: tuple[Builtin, ...] = (
    row("Cons(head : Any, tail : Any) : List", CORE_FORM, cons, "The list with head before tail.",
        ("Cons(1, [2])", "[1, 2]"), tier="T3", aliases="cons"),
    row("Nil() : List", CORE_FORM, _nil, "The empty list.", ("Nil()", "[]"), tier="T3", aliases="nil"),
    row("head(l : List) : Any", fixed(shape(_LIST, _A)), _head, "The first element.", ("head([1, 2])", "1"),
        ("head([])", "undefined"), tier="T3", aliases="car", condition="length(l) > 0"),
    row("tail(l : List) : List", fixed(shape(_LIST, _LIST)), _tail, "All but the first element.",
        ("tail([1, 2])", "[2]"), ("tail([])", "undefined"), tier="T3", aliases="cdr", condition="length(l) > 0"),
    row("isEmpty(l : List) : Bool", fixed(shape(_LIST, core.BOOL)), _is_empty, "Whether the list has no elements.",
        ("isEmpty(Nil)", "true"), tier="T3", aliases="isNil builtin_isEmpty is_empty"),
    row("length(l : List|String) : ℕ", fixed(shape(_LIST, core.NATURAL), shape(core.STRING, core.NATURAL)), _length,
        "The number of elements; of a string, of code points.", ("length([1, 2])", "2"), ('length("abc")', "3"),
        tier="T3", aliases="list_length"),
    row("nth(l : List, index : ℤ) : Any", fixed(shape(_LIST, core.INTEGER, _A)), _nth, "The element at index, from 0.",
        ("nth([5, 6], 1)", "6"), ("nth([5], 1)", "undefined"), tier="T3", aliases="index list_nth list_get",
        condition="index ≥ 0 ∧ index < length(l)"),
    row("append(l : List, m : List) : List", fixed(shape(_LIST, _LIST, _LIST)), _append,
        "The elements of l, then those of m.", ("append([1], [2])", "[1, 2]"), tier="T3",
        aliases="list_concat list_append builtin_append"),
    row("list_flatten(l : List) : List", fixed(shape(core.ListOf(_LIST), _LIST)), _flatten,
        "The elements of the elements, one level.", ("list_flatten([[1], [2, 3]])", "[1, 2, 3]"), tier="T3",
        aliases="list_join flatten"),
    row("list_slice(l : List, start : ℤ, end : ℤ?) : List",
        fixed(shape(_LIST, core.INTEGER, _LIST), shape(_LIST, core.INTEGER, core.INTEGER, _LIST)), _slice,
        "The elements from start up to, not with, end.", ("list_slice([1, 2, 3], 1)", "[2, 3]"),
        ("list_slice([1, 2, 3], 0, 2)", "[1, 2]"), tier="T3"),
    row("list_rotate(l : List, count : ℤ) : List", fixed(shape(_LIST, core.INTEGER, _LIST)), _rotate,
        "The list turned left.", ("list_rotate([1, 2, 3], 1)", "[2, 3, 1]"), tier="T3"),
    row("reverse(l : List) : List", fixed(shape(_LIST, _LIST)), _reverse, "The list from its end.",
        ("reverse([1, 2])", "[2, 1]"), tier="T3", aliases="builtin_reverse list_reverse"),
    row("list_zip(l : List, m : List) : List",
        fixed(shape(_LIST, core.ListOf(_B), core.ListOf(core.TupleOf((_A, _B))))), _zip,
        "Pairs of elements at the same place, as many as the shorter has.", ('zip([1, 2], ["a"])', '[Pair(1, "a")]'),
        tier="T3", aliases="zip builtin_zip"),
    row("fst(t : Tuple) : Any", _component(0), _first, "The first component of a tuple.", ("fst(Pair(1, 2))", "1"),
        tier="T3", aliases="first"),
    row("snd(t : Tuple) : Any", _component(1), _second, "The second component of a tuple.", ("snd((1, 2, 3))", "2"),
        tier="T3", aliases="second"),
    row("sum(l : List) : ℂ", _OF_NUMBERS, _sum, "The sum of the elements.", ("sum([1, 1/2])", "3/2"), ("sum([])", "0"),
        tier="T3", aliases="builtin_sum list_sum"),
    row("product(l : List) : ℂ", _OF_NUMBERS, _product, "The product of the elements.", ("product([2, 3])", "6"),
        tier="T3", aliases="builtin_product list_product"),
    row("range(start : ℤ, end : ℤ?) : List", _RANGE, _range,
        "The integers from start up to, not with, end; range(n) from 0.", ("range(3)", "[0, 1, 2]"),
        ("range(2, 4)", "[2, 3]"), ("range(2, 1)", "[]"), tier="T3"),
    row("linspace(start : ℝ, end : ℝ, count : ℤ?) : List", _LINSPACE, _linspace,
        "So many points from start to end, evenly; 50.", ("linspace(0, 1, 3)", "[0, 1/2, 1]"),
        ("length(linspace(0, 1))", "50"), tier="T3"),
    row("random(count : ℤ, seed : ℤ?) : List", _RANDOM, _random,
        "Numbers from 0 up to 1, the same for the same seed (42).",
        ("random(2, 1)", "[1015568748/2^32, 1586005467/2^32]"), ("all(λ x . 0 ≤ x ∧ x < 1, random(9))", "true"),
        tier="T3", aliases="random_uniform"),
    row("random_normal(count : ℤ, seed : ℤ?, scale : ℝ?) : List", _RANDOM_NORMAL, _random_normal,
        "Normally distributed numbers, the same for the same seed (42).", ("length(random_normal(3))", "3"),
        tier="T3"),
    row("vec_add(l : List, m : List) : List", fixed(*(shape(*(core.ListOf(each),) * 3) for each in NUMBERS)),
        _vector_sum, "The sums of elements at the same place.", ("vec_add([1, 2], [3, 4])", "[4, 6]"),
        ("vec_add([1], [])", "undefined"), tier="T3", condition="length(l) = length(m)"),
)  # fmt: skip
