"""Values as the cost analysis sees them: their kinds and bounds on their sizes.

Every `Measure` says of all values that a term can have: an integer's magnitude, a length, what is inside. Upper bounds
are None where there is none but the limits of the language. `None` in place of a measure stands for no value at all (the
items of an empty list); `ANYTHING` for one of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from pif.analysis.cost.polynomials import ONE, ZERO, Polynomial, constant, larger, smaller
from pif.analysis.types.unification import Origin, Shape, Type, TypeVariable, find
from pif.analysis.work import Work
from pif.language.budget import STRING_LENGTH
from pif.language.terms import Data, Term

_LONGEST = constant(STRING_LENGTH)

__all__ = [
    "ANYTHING",
    "BOOLEAN",
    "UNIT",
    "Function",
    "Integer",
    "List",
    "Measure",
    "Other",
    "Pair",
    "Quoted",
    "Record",
    "Sizes",
    "Text",
    "joined",
    "mapped",
    "natural",
    "of_literals",
    "of_type",
    "same_shape",
    "text",
    "weight",
]


class Integer(msgspec.Struct, frozen=True):
    """`high`: the magnitude at most. A natural number is at least `low`; of others `low` says nothing."""

    low: Polynomial = ZERO
    high: Polynomial | None = None
    natural: bool = False


class Text(msgspec.Struct, frozen=True):
    low: Polynomial = ZERO
    high: Polynomial = _LONGEST


class List(msgspec.Struct, frozen=True):
    low: Polynomial
    high: Polynomial | None
    item: Measure


class Pair(msgspec.Struct, frozen=True):
    first: Measure
    second: Measure


class Record(msgspec.Struct, frozen=True):
    """Fields that are there for certain, and at most `more` others."""

    fields: tuple[tuple[str, Measure], ...]
    more: Polynomial = ZERO
    other: Measure = None


class Function(msgspec.Struct, frozen=True):
    """One of some functions: their terms, the measures of the names around them, and where they are written."""

    closures: tuple[tuple[Term, Any, Origin], ...]


class Quoted(msgspec.Struct, frozen=True):
    """A quoted term that is known."""

    term: Term


class Other(msgspec.Struct, frozen=True):
    """A value whose size no charge depends on, or of which nothing is known (`name` is then `anything`)."""

    name: str
    truth: bool | None = None


Measure = Integer | Text | List | Pair | Record | Function | Quoted | Other | None

ANYTHING = Other("anything")
UNIT = Other("unit")
BOOLEAN = Other("boolean")


def natural(number: int) -> Integer:
    """The measure of one integer."""
    return Integer(constant(max(0, number)), constant(abs(number)), number >= 0)


def text(length: int) -> Text:
    return Text(constant(length), constant(length))


def of_literals(values: Sequence[Data]) -> Measure:
    """The measure of some literals, one or more."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        numbers = [value for value in values if type(value) is int]
        least, most = min(numbers), max(numbers)
        return Integer(constant(max(0, least)), constant(max(abs(least), abs(most))), least >= 0)
    if kinds == {str}:
        lengths = [len(value) for value in values if type(value) is str]
        return Text(constant(min(lengths)), constant(max(lengths)))
    if kinds == {bool}:
        return Other("boolean", values[0] is True) if len(set(values)) == 1 else BOOLEAN
    return UNIT if kinds == {type(None)} else ANYTHING


def weight(measure: Measure, work: Work) -> int:
    """How many parts a measure has as a tree: what walking through it once takes, and that many steps."""
    total = 0
    stack = [measure]
    while stack:
        part = stack.pop()
        work.done()
        total += 1
        match part:
            case List():
                stack.append(part.item)
            case Pair():
                stack += (part.first, part.second)
            case Record():
                stack += [field for _, field in part.fields]
                stack.append(part.other)
            case _:
                pass
    return total


def same_shape(left: Measure, right: Measure) -> bool:
    """Whether two measures differ in their bounds alone."""
    match left, right:
        case Integer(), Integer():
            return left.natural == right.natural
        case Text(), Text():
            return True
        case List(), List():
            return same_shape(left.item, right.item)
        case Pair(), Pair():
            return same_shape(left.first, right.first) and same_shape(left.second, right.second)
        case Record(), Record():
            return (
                len(left.fields) == len(right.fields)
                and all(
                    mine == other and same_shape(one, two)
                    for (mine, one), (other, two) in zip(left.fields, right.fields, strict=True)
                )
                and same_shape(left.other, right.other)
            )
        case Function(), Function():
            return [*map(_closure_key, left.closures)] == [*map(_closure_key, right.closures)]
        case Quoted(), Quoted():
            return left.term is right.term
        case (None, None):
            return True
        case Other(), Other():
            return left == right
        case _:
            return False


def joined(left: Measure, right: Measure) -> Measure:
    """What holds of the values of both."""
    match left, right:
        case (None, one) | (one, None):
            return one
        case Integer(), Integer():
            low = smaller(left.low, right.low)
            return Integer(low, _most(left.high, right.high), left.natural and right.natural)
        case Text(), Text():
            return Text(smaller(left.low, right.low), larger(left.high, right.high))
        case List(), List():
            most = _most(left.high, right.high)
            return List(smaller(left.low, right.low), most, joined(left.item, right.item))
        case Pair(), Pair():
            return Pair(joined(left.first, right.first), joined(left.second, right.second))
        case Record(), Record():
            return _joined_records(left, right)
        case Function(), Function() if len({*map(_closure_key, left.closures + right.closures)}) <= 4:
            known = {_closure_key(one): one for one in left.closures + right.closures}
            return Function(tuple(known.values()))
        case Other(), Other() if left.name == right.name:
            return left if left == right else Other(left.name)
        case Quoted(), Quoted() if left.term is right.term:
            return left
        case _:
            return ANYTHING


def _closure_key(closure: tuple[Term, Any, Origin]) -> tuple[int, int]:
    return id(closure[0]), id(closure[1])


def _most(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    return None if left is None or right is None else larger(left, right)


def _joined_records(left: Record, right: Record) -> Record:
    ours, theirs = dict(left.fields), dict(right.fields)
    both = tuple((name, joined(ours[name], theirs[name])) for name in ours if name in theirs)
    other = joined(left.other, right.other)
    for fields in (ours, theirs):
        for name, measure in fields.items():
            if not (name in ours and name in theirs):
                other = joined(other, measure)
    spare = constant(max(len(ours), len(theirs)) - len(both))
    return Record(both, larger(left.more, right.more) + spare, other)


def mapped(
    measure: Measure,
    low: Callable[[Polynomial], Polynomial],
    high: Callable[[Polynomial | None], Polynomial | None],
) -> Measure:
    """A measure with its bounds changed, in a fixed order: of each part `low`, then `high`, then what is inside."""
    match measure:
        case Integer():
            return msgspec.structs.replace(measure, low=low(measure.low), high=high(measure.high))
        case Text():
            least, most = low(measure.low), high(measure.high)
            return Text(least, Text().high if most is None else most)
        case List():
            return List(low(measure.low), high(measure.high), mapped(measure.item, low, high))
        case Pair():
            return Pair(mapped(measure.first, low, high), mapped(measure.second, low, high))
        case Record():
            more = high(measure.more)
            fields = tuple((name, mapped(field, low, high)) for name, field in measure.fields)
            other = mapped(measure.other, low, high)
            return ANYTHING if more is None else Record(fields, more, other)
        case _:
            return measure


# Inputs.


class Sizes:
    """The sizes of an input: names for them, what they are, and how they are read off a value's written term."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.meaning: dict[str, str] = {}
        self._names = {"length": iter("nmklij"), "magnitude": iter("xyzuv")}

    def name(self, what: str, of: str) -> str:
        """A new size: `length` or `magnitude` of a part of the input."""
        sort = "magnitude" if what == "magnitude" else "length"
        name = next(self._names[sort], None) or f"s{len(self.meaning) + 1}"
        self.meaning[name] = f"{what} of {of}"
        return name

    def of(self, given: Term, type_: Type) -> dict[str, int]:
        """The sizes of an input of a type, in the order in which `of_type` names them."""
        return self.of_all([given], [type_])

    def of_all(self, given: Sequence[Term], types: Sequence[Type]) -> dict[str, int]:
        """The sizes of several arguments, in the order in which they are taken."""
        found: list[int] = []
        for term, type_ in zip(given, types, strict=True):
            _read([term], type_, found)
        return dict(zip(self.meaning, found, strict=True))


def of_type(type_: Type, sizes: Sizes, of: str = "the input", *, inside: bool = False) -> Measure:
    """The measure of an input of a type. `_read` reads the same sizes off an input: they change together."""
    sizes.work.done()
    type_ = find(type_)
    name = type_.name if isinstance(type_, Shape) else "a variable"
    match name:
        case "integer":
            return Integer(high=_size(sizes, "magnitude", of))
        case "string":
            length = _size(sizes, "length", of)
            return Text(ZERO if inside else length, length)
        case "list":
            assert isinstance(type_, Shape)
            length = _size(sizes, "length", of)
            item = of_type(type_.parts[0], sizes, f"the items of {of}", inside=True)
            return List(ZERO if inside else length, length, item)
        case "pair":
            assert isinstance(type_, Shape)
            first = of_type(type_.parts[0], sizes, f"`fst` of {of}", inside=inside)
            return Pair(first, of_type(type_.parts[1], sizes, f"`snd` of {of}", inside=inside))
        case "record":
            assert isinstance(type_, Shape)
            return _record_of_type(type_, sizes, of, inside)
        case "boolean" | "unit":
            return Other(name)
        case _:
            return ANYTHING


def _size(sizes: Sizes, what: str, of: str) -> Polynomial:
    return Polynomial({((sizes.name(what, of), 1),): ONE.terms[()]})


def _record_of_type(type_: Shape, sizes: Sizes, of: str, inside: bool) -> Record:
    certain, row = _certain(type_)
    fields = tuple(
        (label, of_type(part, sizes, f'"{label[:40]}" of {of}', inside=inside)) for label, part in certain
    )
    if _closed(row):
        return Record(fields)
    return Record(fields, _size(sizes, "number of other fields", of), ANYTHING)


def _certain(type_: Shape) -> tuple[list[tuple[str, Type]], Type]:
    """The fields that a record of the type has for certain, sorted, and the rest of its row."""
    row = find(type_.parts[0])
    found: list[tuple[str, Type]] = []
    doubtful = False
    while isinstance(row, Shape) and row.name == "field":
        flag = find(row.parts[0])
        if ("there" in flag.rules) if isinstance(flag, TypeVariable) else flag.name == "present":
            found.append((row.label, row.parts[1]))
        else:
            doubtful = True
        row = find(row.parts[2])
    return sorted(found, key=lambda field: field[0]), (TypeVariable("row", 0) if doubtful else row)


def _closed(row: Type) -> bool:
    flag = find(row.parts[0]) if isinstance(row, Shape) else None
    return isinstance(flag, TypeVariable) and "gone" in flag.rules


def _read(values: list[Term], type_: Type, found: list[int]) -> None:
    """Append the sizes of some values of one type, the largest of each."""
    type_ = find(type_)
    name = type_.name if isinstance(type_, Shape) else "a variable"
    match name:
        case "integer":
            found.append(max((abs(value.value) for value in values), default=0))
        case "string":
            found.append(max((len(value.value) for value in values), default=0))
        case "list":
            assert isinstance(type_, Shape)
            found.append(max((len(value.parts) for value in values), default=0))
            _read([item for value in values for item in value.parts], type_.parts[0], found)
        case "pair":
            assert isinstance(type_, Shape)
            for side in (0, 1):
                _read([value.parts[side] for value in values], type_.parts[side], found)
        case "record":
            assert isinstance(type_, Shape)
            certain, row = _certain(type_)
            for label, part in certain:
                _read(list(_field(values, label)), part, found)
            if not _closed(row):
                found.append(max((len(value.parts) - len(certain) for value in values), default=0))
        case _:
            return


def _field(values: list[Term], label: str) -> Iterator[Term]:
    for value in values:
        yield value.parts[value.value.index(label)]
