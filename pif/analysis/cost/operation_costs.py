"""The operations on measures: what they give, and what they charge beyond 1 for the node."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction

import msgspec

from pif.analysis.cost.polynomials import ZERO, Polynomial, charge_of, constant, larger, smaller
from pif.analysis.cost.value_sizes import (
    ANYTHING,
    BOOLEAN,
    Integer,
    List,
    Measure,
    Other,
    Pair,
    Record,
    Text,
    joined,
    text,
)
from pif.analysis.types.unification import Origin
from pif.language import primitives as table
from pif.language.budget import INTEGER_BITS, STRING_LENGTH
from pif.language.terms import Term

__all__ = ["Cost", "Unbounded", "operation"]

_DIGITS = len(str(1 << INTEGER_BITS)) + 1


class Unbounded(Exception):
    """No bound is found, and why."""

    def __init__(self, reason: str, place: Origin | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


class Cost(msgspec.Struct, frozen=True):
    """At least `low`, at most `high`."""

    low: Polynomial
    high: Polynomial

    @classmethod
    def of(cls, number: int) -> Cost:
        return cls(constant(number), constant(number))

    @classmethod
    def up_to(cls, high: Polynomial) -> Cost:
        return cls(ZERO, high)

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.low + other.low, self.high + other.high)

    def either(self, other: Cost) -> Cost:
        return Cost(smaller(self.low, other.low), larger(self.high, other.high))


NOTHING = Cost.of(0)


def operation(term: Term, parts: list[Measure], here: Origin) -> tuple[Measure, Cost]:
    """The value of an operation on values of these measures, and its own charge."""
    rule = _RULES.get(term.op)
    if rule is None:
        raise Unbounded(f"what `{term.op}` costs depends on more than sizes", here)
    try:
        return rule(term, parts)
    except Unbounded as error:
        raise Unbounded(error.reason, error.place or here) from None


# Integers.


def _integer(measure: Measure) -> Integer:
    """An operand as an integer; one of which nothing is known may be as large as integers get."""
    return measure if isinstance(measure, Integer) else Integer()


def _most(left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
    return None if left is None or right is None else larger(left, right)


def _linear(left: Integer, right: Integer) -> Cost:
    return Cost.up_to(charge_of("w", _most(left.high, right.high)))


def _sum(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    left, right = _integer(parts[0]), _integer(parts[1])
    high = None if left.high is None or right.high is None else left.high + right.high
    if term.op == "add" and left.natural and right.natural:
        return Integer(left.low + right.low, high, True), _linear(left, right)
    return Integer(high=high), _linear(left, right)


def _product(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    left, right = _integer(parts[0]), _integer(parts[1])
    own = Cost.up_to(charge_of("p", left.high, right.high))
    both = left.natural and right.natural
    match term.op:
        case "mul":
            high = None if left.high is None or right.high is None else left.high * right.high
            return Integer(left.low * right.low if both else ZERO, high, both), own
        case "div":
            return Integer(high=left.high, natural=both), own
        case _:
            return Integer(high=right.high, natural=right.natural), own


def _range(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    first, last = _integer(parts[0]), _integer(parts[1])
    if last.high is None or first.high is None:
        raise Unbounded("the number of integers in the range is not known")
    low, most = ZERO, last.high if first.natural else first.high + last.high
    ends = (first.low.number, first.high.number, last.low.number, last.high.number)
    if first.natural and last.natural and first.low == first.high:
        start = first.low.number
        if start == 0:
            low = last.low
        elif None not in ends and start is not None and last.low == last.high:
            low = most = constant(max(Fraction(), (ends[2] or Fraction()) - start))
    high = larger(first.high, last.high)
    each = constant(table.RANGE_ELEMENT)
    item = Integer(high=high, natural=first.natural)
    return List(low, most, item), Cost(low * each, most * (each + charge_of("h", high)))


def _order(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    left, right = parts
    if isinstance(left, Text) and isinstance(right, Text):
        return BOOLEAN, Cost.up_to(_walked(larger(left.high, right.high)))
    if isinstance(left, Integer) or isinstance(right, Integer):
        ends = _exact(left), _exact(right)
        if ends[0] is not None and ends[1] is not None:
            truth = _ORDERS[term.op](ends[0], ends[1])
            return Other("boolean", truth), _linear(_integer(left), _integer(right))
        return BOOLEAN, _linear(_integer(left), _integer(right))
    raise Unbounded("the sizes of what is compared are not known")


_ORDERS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "lt": operator.lt, "lte": operator.le, "gt": operator.gt, "gte": operator.ge,
}  # fmt: skip


def _exact(measure: Measure) -> Fraction | None:
    """The one natural number that an operand can be."""
    if isinstance(measure, Integer) and measure.natural and measure.low == measure.high:
        return measure.low.number
    return None


# Text.


def _walked(length: Polynomial) -> Polynomial:
    """2 for each 16 characters, at most."""
    number = length.number
    return length.times(Fraction(1, 8)) if number is None else constant(table.charge_text_walk(int(number)))


def _walk(low: Polynomial, high: Polynomial) -> Cost:
    least = low.number
    return Cost(ZERO if least is None else constant(table.charge_text_walk(int(least))), _walked(high))


def _shorter(length: Polynomial) -> Polynomial:
    """A bound on a length, no more than strings may have where that is plain."""
    number = length.number
    return constant(STRING_LENGTH) if number is not None and number > STRING_LENGTH else length


def _text(measure: Measure) -> Text:
    return measure if isinstance(measure, Text) else Text()


def _concat(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    left, right = _text(parts[0]), _text(parts[1])
    made = Text(left.low + right.low, _shorter(left.high + right.high))
    return made, _walk(made.low, made.high)


def _join(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    separator, items = _text(parts[0]), parts[1]
    if not isinstance(items, List) or items.high is None:
        raise Unbounded("the number of strings that are joined is not known")
    item = text(0) if items.item is None else _text(items.item)
    low = items.low * item.low
    high = _shorter(items.high * (item.high + separator.high))
    return Text(low, high), _walk(low, high) + Cost(items.low, items.high)


def _chars(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    whole = _text(parts[0])
    own = Cost(whole.low.times(table.CHARS_ELEMENT), whole.high.times(table.CHARS_ELEMENT))
    return List(whole.low, whole.high, text(1)), own


def _show(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    (part,) = parts
    if isinstance(part, Text):
        return part, _walk(part.low, part.high)
    length = _shorter(_printed(part))
    return Text(ZERO, length), Cost.up_to(_walked(length) + _shown(part))


def _shown(measure: Measure) -> Polynomial:
    """What showing a value is charged for what is in it, at most."""
    one = constant(1)
    match measure:
        case Text(high=high):
            return _kept(high)
        case List(high=high, item=item) if high is not None:
            return high * (one + _shown(item))
        case Pair(first=first, second=second):
            return constant(2) + _shown(first) + _shown(second)
        case Record(fields=fields):
            total = constant(len(fields) + table.charge_names([name for name, _ in fields]))
            for _, field in fields:
                total = total + _shown(field)
            return total
        case _:
            return ZERO


def _printed(measure: Measure) -> Polynomial:
    """The length of a value's text, at most."""
    match measure:
        case None:
            return ZERO
        case Integer(high=high):
            number = None if high is None else high.number
            return constant(_DIGITS if number is None else min(_DIGITS, len(str(int(number))) + 1))
        case Text(high=high):
            return high.times(6) + constant(2)
        case List(high=high, item=item) if high is not None:
            return high * (_printed(item) + constant(1)) + constant(2)
        case Pair(first=first, second=second):
            return _printed(first) + _printed(second) + constant(12)
        case Record(fields=fields, more=more) if more == ZERO:
            total = constant(14)
            for name, field in fields:
                total = total + constant(6 * len(name) + 4) + _printed(field)
            return total
        case Other(name="boolean" | "unit"):
            return constant(5)
        case _:
            raise Unbounded("the length of what is shown is not known")


# Lists, pairs, records.


def _cons(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    head, rest = parts
    own = Cost.of(table.CONS)
    if not isinstance(rest, List):
        return (List(constant(1), None, ANYTHING) if rest is not None else None), own
    one = constant(1)
    return List(rest.low + one, None if rest.high is None else rest.high + one, joined(head, rest.item)), own


def _pair(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    return Pair(*parts), Cost.of(table.PAIR)


def _taken(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    """`head`, `tail`, `fst`, `snd`: no charge, and of what is not known nothing is known."""
    (whole,) = parts
    match term.op, whole:
        case "head", List(item=item):
            return item, NOTHING
        case "tail", List(low=low, high=high, item=item):
            least = low.less(1) if low.terms.get((), 0) >= 1 else ZERO
            return List(least, None if high is None else high.less(1), item), NOTHING
        case "fst", Pair(first=part):
            return part, NOTHING
        case "snd", Pair(second=part):
            return part, NOTHING
        case _:
            return ANYTHING, NOTHING


def _is_empty(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    (whole,) = parts
    if isinstance(whole, List):
        if whole.high is not None and whole.high.number == 0:
            return Other("boolean", True), NOTHING
        if (least := whole.low.terms.get((), Fraction())) >= 1:
            return Other("boolean", least < 1), NOTHING
    return BOOLEAN, NOTHING


def _length(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    (whole,) = parts
    if isinstance(whole, List | Text):
        return Integer(whole.low, whole.high, True), NOTHING
    return Integer(natural=True), NOTHING


def _name(measure: Measure) -> Cost:
    """The name of a field that is looked for: 1 for each 16 characters."""
    name = _text(measure)
    least = name.low.number
    return Cost(ZERO if least is None else _kept(constant(least)), _kept(name.high))


def _get(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    record, key, own = parts[0], term.parts[1], _name(parts[1])
    if not isinstance(record, Record):
        return ANYTHING, own
    if key.op == "literal":
        return dict(record.fields).get(key.value, record.other), own
    found = record.other
    for _, field in record.fields:
        found = joined(found, field)
    return found, own


def _changed(record: Record) -> Cost:
    """What `with` is charged for the fields that there are; the steps for wide records become a line above them."""
    certain = constant(table.charge_with(len(record.fields), ""))
    if record.more == ZERO:
        return Cost(certain, certain)
    fields = constant(len(record.fields)) + record.more
    wide = fields.times(Fraction(table.WITH_WIDE, table.WIDE))
    return Cost(certain, fields + constant(table.charge_with(0, "")) + wide)


def _with(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    record, _, value = parts
    key = term.parts[1]
    if not isinstance(record, Record):
        raise Unbounded("the number of fields of the record is not known")
    own = _name(parts[1]) + _changed(record)
    if key.op == "literal" and type(key.value) is str:
        fields = {**dict(record.fields), key.value: value}
        return Record(tuple(sorted(fields.items())), record.more, record.other), own
    fields = {name: joined(field, value) for name, field in record.fields}
    return Record(tuple(fields.items()), record.more + constant(1), joined(record.other, value)), own


def _keys(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    (record,) = parts
    if not isinstance(record, Record):
        raise Unbounded("the number of fields of the record is not known")
    low = constant(len(record.fields))
    high = low + record.more
    each = table.CHARS_ELEMENT
    lengths = [len(name) for name, _ in record.fields]
    known = record.more == ZERO and lengths
    name = Text(constant(min(lengths)), constant(max(lengths))) if known else Text()
    return List(low, high, name), Cost(low.times(each), high.times(each))


# Equality.


def _eq(term: Term, parts: list[Measure]) -> tuple[Measure, Cost]:
    left, right = parts
    if isinstance(left, Integer) and isinstance(right, Integer):
        return BOOLEAN, Cost.of(1) + _linear(left, right)
    if isinstance(left, Text) and isinstance(right, Text):
        longest = larger(left.high, right.high)
        return BOOLEAN, Cost.of(1) + Cost.up_to(_kept(longest))
    if isinstance(left, Other) and left == right and left != ANYTHING:
        return BOOLEAN, Cost.of(1)
    return BOOLEAN, Cost(constant(1), _visited(left) + _visited(right))


def _kept(length: Polynomial) -> Polynomial:
    number = length.number
    return length.times(Fraction(1, 16)) if number is None else constant(table.charge_text(int(number)))


def _visited(measure: Measure) -> Polynomial:
    """What a walk through a value is charged, at most."""
    one = constant(1)
    match measure:
        case None:
            return ZERO
        case Integer(high=high):
            return one + charge_of("w", high)
        case Text(high=high):
            return one + _kept(high)
        case List(high=high, item=item) if high is not None:
            return one + high * _visited(item)
        case Pair(first=first, second=second):
            return one + _visited(first) + _visited(second)
        case Record(fields=fields, more=more):
            if more != ZERO:
                raise Unbounded("the lengths of the names of the fields that are compared are not known")
            total = one + constant(len(fields) + table.charge_names([name for name, _ in fields]))
            for _, field in fields:
                total = total + _visited(field)
            return total
        case Other(name="boolean" | "unit"):
            return one
        case _:
            raise Unbounded("the sizes of what is compared are not known")


_RULES: dict[str, Callable[[Term, list[Measure]], tuple[Measure, Cost]]] = {
    **dict.fromkeys(("add", "sub"), _sum),
    **dict.fromkeys(("mul", "div", "mod"), _product),
    **dict.fromkeys(("lt", "lte", "gt", "gte"), _order),
    **dict.fromkeys(("head", "tail", "fst", "snd"), _taken),
    "range": _range,
    "eq": _eq,
    "not": lambda term, parts: (BOOLEAN, NOTHING),
    "nil": lambda term, parts: (List(ZERO, ZERO, None), NOTHING),
    "cons": _cons,
    "pair": _pair,
    "isEmpty": _is_empty,
    "length": _length,
    "get": _get,
    "with": _with,
    "keys": _keys,
    "concat": _concat,
    "join": _join,
    "chars": _chars,
    "show": _show,
}
