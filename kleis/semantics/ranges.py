"""The values that quantifiers try: a finite part of every sort, and whether it is all of it.

The value model of the reference semantics
    The values are those of kleis.values, and a term computes with them as exactly as the evaluator does:
    numbers are int, Fraction and Complex (never float), strings str, lists ListValue, bit-vectors BitVector; data, tuples,
    records and matrices are Data; a set is a finite SetValue or the complement of one.  Two kinds are added:
    an `Element` of a carrier, which is nothing but its number, and a `Function`, which is a Python callable.
    A set over a sort that can be listed is always kept as a finite set, so that equal sets have equal members.

Ranges
    The range of a sort is *complete* if it has all values, otherwise *cut off*.  Simple values come first.  Ranges
    bound quantifiers and tables only: terms have values beyond them.  A cut-off range without values decides nothing.
    See docs/reference/proving.md §4.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.builtins.matrix_shapes import number_of
from kleis.builtins.row import Context
from kleis.builtins.rows.table import find_builtin
from kleis.core.terms import tuple_name
from kleis.semantics.truth import Truth
from kleis.values import (
    BitVector,
    Data,
    FunctionValue,
    ListValue,
    SetValue,
    Value,
    complex_value,
    equality_key,
    exact,
    list_of,
)

__all__ = ["Bounds", "Element", "Function", "Outcome", "Range", "Ranges", "Tables", "constructed"]

Outcome: TypeAlias = Value | Truth
"""The outcome of a term: a value, or a `Truth` where its sort is Bool, where it is undefined, or where it is open."""


class Element(Data):
    """An element of a carrier.  It is data without fields, so that lists, sets and equality take it as it is."""

    __slots__ = ("index",)

    def __init__(self, carrier: str, index: int) -> None:
        super().__init__(f"{carrier}#{index}")
        self.index = index

    def __repr__(self) -> str:
        return self.constructor


class Function(FunctionValue):
    """A function.  `target` computes its values; `total` says that it has one everywhere."""

    __slots__ = ("domain", "total")

    def __init__(
        self, name: str, domain: tuple[core.Sort, ...], target: Callable[..., Outcome], *, total: bool
    ) -> None:
        super().__init__(name, len(domain), target)
        self.domain = domain
        self.total = total


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How far the brute force goes.

    carrier
        Carriers have 1 … so many elements.
    integer, natural, denominator
        −k … k, 0 … k, and the fractions between −k and k with denominators up to this one.
    alphabet, length
        Strings over these characters, lists, and sets over infinite sorts, up to this length.
    depth
        Data up to so many constructors of one recursive group inside one another.
    values, points
        The greatest number of values of a range, and of combinations that one quantifier in the one-sided mode
        tries; more are cut off.
    tables, samples, seed
        Up to `tables` interpretations of a symbol are all tried; of more, so many `samples` drawn from the seed.
    budget
        For all that is decided together.  `depth` counts terms inside terms under evaluation, in definitions too;
        Python's own stack does not suffice for many more.
    """

    carrier: int = 2
    integer: int = 3
    natural: int = 4
    denominator: int = 2
    alphabet: str = "ab"
    length: int = 2
    depth: int = 3
    values: int = 300
    points: int = 3_000
    tables: int = 100_000
    samples: int = 1_000
    seed: int = 1
    budget: Budget = Budget(steps=2_000_000, depth=150, size=100_000)


class Range(NamedTuple):
    """Some values of a sort; all of them if it is complete."""

    values: tuple[Value, ...]
    complete: bool

    def cut(self, length: int) -> Range:
        """The first `length` values."""
        return self if len(self.values) <= length else Range(self.values[:length], False)


class Tables:
    """All functions from a domain that can be listed to the values of a range, by number."""

    def __init__(
        self, domain: tuple[core.Sort, ...], keys: list[tuple[Any, ...]], results: Range, context: Context
    ) -> None:
        self._domain = domain
        self._keys = keys
        self._results = results.values
        self._context = context
        self.complete = results.complete
        self.count = len(results.values) ** len(keys)

    def __getitem__(self, number: int) -> Function:
        """A function: the digits of the number, least first, are its results at the listed arguments."""
        name = f"table {number}"
        table: dict[tuple[Any, ...], Value] = {}
        for key in self._keys:
            number, digit = divmod(number, len(self._results))
            table[key] = self._results[digit]
        context = self._context
        return Function(name, self._domain, lambda *given: table[_keys_of(given, context)], total=True)


def _keys_of(values: tuple[Value, ...], context: Context) -> tuple[Any, ...]:
    return tuple([each.index if type(each) is Element else _key(each, context) for each in values])


def _key(value: Value, context: Context) -> Any:
    """The key of a value, the same for equal values of one sort; None for a value that contains functions."""
    return value if isinstance(value, (int, str, Fraction)) else equality_key(value, context)


def constructed(constructor: core.Constructor, fields: tuple[Value, ...]) -> Value:
    """The value that a constructor makes of its fields."""
    match constructor.sort:
        case core.ListOf():
            if constructor.name == "Nil":
                return list_of([])
            head, tail = fields
            assert isinstance(tail, ListValue)
            return tail.prepend(head)
        case core.RecordOf():
            return _record([field.name for field in constructor.fields], fields)
        case _:
            return Data(constructor.name, fields)


def _record(names: list[str], values: tuple[Value, ...]) -> Data:
    return Data("record", tuple(Data("field", pair) for pair in zip(names, values, strict=True)))


_REGEXES = (
    ("re_full", ()),
    ("re_empty", ()),
    ("re_literal", ("",)),
    ("re_allchar", ()),
    ("re_literal", ("a",)),
)


class Ranges:
    """The ranges of all sorts under given bounds, for carriers of given sizes.

    `groups` are the data types by recursive group, each with its constructors.
    """

    def __init__(
        self,
        bounds: Bounds,
        sizes: Mapping[core.Carrier, int],
        groups: tuple[Mapping[core.DataSort, tuple[core.Constructor, ...]], ...],
        context: Context,
    ) -> None:
        self.bounds = bounds
        self.context = context
        self._sizes = sizes
        self._group_of = {sort: group for group in groups for sort in group}
        self._known: dict[tuple[core.Sort, int, int], Range] = {}

    def of(self, sort: core.Sort) -> Range:
        """The range of a sort."""
        return self._range(sort, {}, 0)

    def points(
        self, sorts: tuple[core.Sort, ...], most: int | None = None
    ) -> tuple[Iterator[tuple[Value, ...]], bool]:
        """All combinations of values, and whether there are no others; about `most` of them."""
        ranges = [self.of(sort) for sort in sorts]
        if most is not None and prod(len(each.values) for each in ranges) > most:
            ranges = [each.cut(_root(most, len(ranges))) for each in ranges]
        return product(*(each.values for each in ranges)), all(each.complete for each in ranges)

    def tables(self, domain: tuple[core.Sort, ...], codomain: core.Sort) -> Tables | None:
        """All functions with these sorts and values in the range; None if the domain cannot be listed."""
        points, complete = self.points(domain)
        keys = [_keys_of(point, self.context) for point in points] if complete else []
        if not complete or len(keys) > self.bounds.values or any(None in key for key in keys):
            return None
        return Tables(domain, keys, self.of(codomain), self.context)

    def some_functions(self, domain: tuple[core.Sort, ...], codomain: core.Sort) -> tuple[Function, ...]:
        """A few functions on any domain: constants, and the projections to arguments of the same sort."""
        places = [index for index, sort in enumerate(domain) if sort == codomain]
        constants = [_constant(value, domain) for value in self.of(codomain).values[:5]]
        return (*constants, *(_projection(index, domain) for index in places))

    def is_infinite(self, sort: core.Sort, inside: frozenset[core.Sort] = frozenset()) -> bool:
        """Whether a sort certainly has infinitely many values."""
        match sort:
            case core.Numeric() | core.ListOf():
                return True
            case core.Basic(name=name):
                return name != "Bool"
            case core.SetOf(element=element):
                return self.is_infinite(element, inside)
            case core.TupleOf(items=items):
                return any(self.is_infinite(item, inside) for item in items)
            case core.RecordOf(fields=fields):
                return any(self.is_infinite(field, inside) for _, field in fields)
            case core.FunctionOf(codomain=codomain):
                return self.is_infinite(codomain, inside)
            case core.DataSort():
                if sort in inside:
                    # A data type has a base case, so one that contains itself has values of any depth.
                    return True
                parts = [field.sort for made in self._group_of[sort][sort] for field in made.fields]
                return any(self.is_infinite(part, inside | {sort}) for part in parts)
            case core.BitVec() | core.MatrixOf() | core.Carrier() | core.SortVariable():
                return False

    # ── One kind of sort after the other ─────────────────────────────────────────────────────────────────────

    def _range(self, sort: core.Sort, group: Mapping[core.DataSort, Any], depth: int) -> Range:
        """The range of a sort, where values of the data types of `group` may be `depth` constructors deep."""
        key = (sort, id(group) if group else 0, depth)
        if key not in self._known:
            self._known[key] = self._made(sort, group, depth).cut(self.bounds.values)
        return self._known[key]

    def _made(self, sort: core.Sort, group: Mapping[core.DataSort, Any], depth: int) -> Range:
        match sort:
            case core.Basic(name=name):
                return self._basic(name)
            case core.Numeric(name=numbers):
                return Range(tuple(self._numbers(numbers)), False)
            case core.BitVec(width=width):
                return self._bit_vectors(width)
            case core.Carrier():
                size = self._sizes[sort]
                return Range(tuple(Element(sort.name, index) for index in range(size)), True)
            case core.ListOf(element=element):
                items = self._range(element, group, depth)
                lists = [list_of(each) for each in self._sequences(items.values, self.bounds.values)]
                return Range(tuple(lists), False)
            case core.SetOf(element=element):
                return self._sets(element, self._range(element, group, depth))
            case core.TupleOf(items=sorts):
                made = tuple_name(len(sorts))
                return self._combined(sorts, group, depth, lambda fields: Data(made, fields))
            case core.RecordOf(fields=named):
                names = [name for name, _ in named]
                sorts = tuple(field for _, field in named)
                return self._combined(sorts, group, depth, lambda fields: _record(names, fields))
            case core.MatrixOf():
                return self._matrices(sort, group, depth)
            case core.FunctionOf(domain=domain, codomain=codomain):
                return self._functions(domain, codomain)
            case core.DataSort():
                return self._data(sort, group, depth)
            case core.SortVariable():
                raise ValueError(f"the sort variable {sort.name} has no values: the goal is not finished")

    def _basic(self, name: str) -> Range:
        if name == "Bool":
            return Range((False, True), True)
        if name == "String":
            return Range(
                tuple(map("".join, self._sequences(self.bounds.alphabet, self.bounds.values))), False
            )
        rows = [(find_builtin(row), arguments) for row, arguments in _REGEXES]
        return Range(
            tuple(row.run(self.context, *arguments) for row, arguments in rows if row is not None), False
        )

    def _numbers(self, name: str) -> Iterator[Value]:
        if name == "ℕ":
            return iter(range(self.bounds.natural + 1))
        integers = sorted(
            range(-self.bounds.integer, self.bounds.integer + 1), key=lambda each: (abs(each), each < 0)
        )
        if name == "ℤ":
            return iter(integers)
        if name == "ℂ":
            return iter([complex_value(real, imaginary) for imaginary in (0, 1, -1) for real in integers])
        fractions = {
            Fraction(p, q): None
            for q in range(1, self.bounds.denominator + 1)
            for p in range(-self.bounds.integer * q, self.bounds.integer * q + 1)
        }
        return iter([exact(each) for each in sorted(fractions, key=lambda a: (a.denominator, abs(a), a < 0))])

    def _bit_vectors(self, width: int) -> Range:
        count = 1 << width
        if count <= self.bounds.values:
            return Range(tuple(BitVector(width, bits) for bits in range(count)), True)
        middle = count >> 1
        corners = (0, 1, 2, 3, count - 1, count - 2, middle, middle - 1, middle + 1)
        return Range(tuple(BitVector(width, bits) for bits in corners), False)

    def _sequences(self, items: Any, limit: int) -> Iterator[tuple[Any, ...]]:
        """The sequences of items, shortest first, at most so many of one length."""
        for length in range(self.bounds.length + 1):
            few = items[: _root(limit, length)]
            yield from product(few, repeat=length)

    def _combined(
        self,
        sorts: tuple[core.Sort, ...],
        group: Mapping[core.DataSort, Any],
        depth: int,
        make: Callable[[tuple[Value, ...]], Value],
    ) -> Range:
        """What is made of all combinations of values; each range is cut where there would be too many."""
        ranges = [self._range(sort, group, depth) for sort in sorts]
        if prod(len(each.values) for each in ranges) > self.bounds.values:
            ranges = [each.cut(_root(self.bounds.values, len(ranges))) for each in ranges]
        made = tuple(make(fields) for fields in product(*(each.values for each in ranges)))
        return Range(made, all(each.complete for each in ranges))

    def _sets(self, element: core.Sort, items: Range) -> Range:
        keys = [equality_key(value, self.context) for value in items.values]
        members = [(key, value) for key, value in zip(keys, items.values, strict=True) if key is not None]
        listed = items.complete and len(members) == len(items.values)
        if listed and 2 ** len(members) <= self.bounds.values:
            sizes, complete = range(len(members) + 1), True
        else:
            sizes, complete = range(self.bounds.length + 1), False
            members = members[: _root(self.bounds.values // 2, self.bounds.length)]
        finite = [SetValue(dict(chosen)) for size in sizes for chosen in combinations(members, size)]
        if self.is_infinite(element):
            return Range((*finite, *(SetValue(each.members, True) for each in finite)), False)
        return Range(tuple(finite), complete)

    def _matrices(self, sort: core.MatrixOf, group: Mapping[core.DataSort, Any], depth: int) -> Range:
        rows, columns = number_of(sort.rows), number_of(sort.columns)
        if rows is None or columns is None:
            return Range((), False)
        count = rows * columns

        def matrix(entries: tuple[Value, ...]) -> Value:
            return Data("Matrix", (rows, columns, list_of(entries)))

        items = self._range(sort.element, group, depth)
        if count == 0 or len(items.values) <= 1 or _root(self.bounds.values, count) > 1:
            return self._combined((sort.element,) * count, group, depth, matrix)
        diagonal = [place for place in range(count) if place // columns == place % columns]
        return Range(tuple(map(matrix, self._sparse(items.values, count, diagonal))), False)

    def _sparse(
        self, items: tuple[Value, ...], count: int, diagonal: list[int]
    ) -> Iterator[tuple[Value, ...]]:
        """Rows of so many values where there are too many to list: all the first, another along the diagonal, at one place,
        at two, and everywhere."""
        first, second, *others = items

        def at(places: Iterable[int], value: Value) -> tuple[Value, ...]:
            chosen = set(places)
            return tuple(value if place in chosen else first for place in range(count))

        yield at((), first)
        if len(diagonal) > 1:
            yield at(diagonal, second)
        yield from (at((place,), second) for place in range(count))
        yield at(range(count), second)
        if len(diagonal) > 1:
            yield from (at(diagonal, each) for each in others[:3])
        yield from (at(pair, second) for pair in combinations(range(count), 2) if list(pair) != diagonal)
        yield from (at((place,), each) for each in others[:3] for place in range(count))

    def _functions(self, domain: tuple[core.Sort, ...], codomain: core.Sort) -> Range:
        tables = self.tables(domain, codomain)
        if tables is None:
            return Range(self.some_functions(domain, codomain), False)
        step = max(1, tables.count // self.bounds.values)
        numbers = range(0, tables.count, step)[: self.bounds.values]
        return Range(
            tuple(tables[number] for number in numbers), tables.complete and len(numbers) == tables.count
        )

    def _data(self, sort: core.DataSort, group: Mapping[core.DataSort, Any], depth: int) -> Range:
        if sort not in group:
            group, depth = self._group_of[sort], self.bounds.depth
        if depth == 0:
            return Range((), False)
        parts = [self._constructions(each, group, depth - 1) for each in group[sort]]
        share = self.bounds.values // len(parts)
        if sum(len(part.values) for part in parts) > self.bounds.values:
            parts = [part.cut(share) for part in parts]
        return Range(
            tuple(value for part in parts for value in part.values), all(part.complete for part in parts)
        )

    def _constructions(
        self, constructor: core.Constructor, group: Mapping[core.DataSort, Any], depth: int
    ) -> Range:
        sorts = tuple(field.sort for field in constructor.fields)
        return self._combined(sorts, group, depth, lambda fields: constructed(constructor, fields))


def _constant(value: Value, domain: tuple[core.Sort, ...]) -> Function:
    return Function("constant", domain, lambda *given: value, total=True)


def _projection(index: int, domain: tuple[core.Sort, ...]) -> Function:
    return Function(f"argument {index}", domain, lambda *given: given[index], total=True)


def _root(limit: int, power: int) -> int:
    """The greatest number whose power is within the limit, and at least 1."""
    root = 1
    while power and (root + 1) ** power <= limit:
        root += 1
    return root
