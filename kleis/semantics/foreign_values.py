"""Whether a value from outside is one of a sort, and terms that denote values.

−1 is no value of ℕ, 1/2 none of ℤ, and a carrier of two elements has no third.  The reference semantics computes with
whatever it is given, so values of a witness are checked first: an interpretation that is not made of values of its
sorts is no evidence. See docs/reference/proving.md §5.5.

Invariants
    * What is accepted is returned as the value model has it (kleis/semantics/ranges.py): sets over a sort that can be
      listed are finite sets, fractions are reduced, fields of records stand in order.
    * Functions and regular expressions are no values here: a function is given by its table.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kleis import core
from kleis.builtins.matrix_shapes import number_of
from kleis.builtins.row import Context
from kleis.core.goal import Goal
from kleis.core.terms import TUPLES, construct_list, construct_tuple
from kleis.semantics.ranges import Element, Ranges, constructed
from kleis.values import BitVector, Complex, Data, ListValue, SetValue, Value, equality_key, exact, list_of

__all__ = ["NamelessError", "SortMembership", "value_to_term"]


class SortMembership:
    """Membership of values in the sorts of a goal, where carriers have given sizes."""

    def __init__(self, goal: Goal, ranges: Ranges, context: Context) -> None:
        self._goal = goal
        self._ranges = ranges
        self._context = context

    def value(self, given: object, sort: core.Sort) -> Value | None:
        """The value, if it is one of the sort."""
        match sort:
            case core.Basic(name="Bool"):
                return given if isinstance(given, bool) else None
            case core.Basic(name="String"):
                return given if isinstance(given, str) else None
            case core.Numeric(name=name):
                return _number(given, name)
            case core.BitVec(width=width):
                return _bits(given, width)
            case core.Carrier():
                return self._element(given, sort)
            case core.ListOf(element=element):
                if not isinstance(given, ListValue):
                    return None
                items = self._all(list(given), [element] * len(given))
                return None if items is None else list_of(items)
            case core.SetOf(element=element):
                return self._set(given, element)
            case core.TupleOf(items=items):
                return self._data(given, TUPLES[len(items)], items)
            case core.RecordOf(fields=fields):
                return self._record(given, fields)
            case core.MatrixOf():
                return self._matrix(given, sort)
            case core.DataSort():
                return self._construction(given, sort)
            case _:
                return None

    def _all(self, given: Sequence[object], sorts: Sequence[core.Sort]) -> tuple[Value, ...] | None:
        """Values of several sorts, if all are."""
        if len(given) != len(sorts):
            return None
        found = []
        for each, sort in zip(given, sorts, strict=True):
            value = self.value(each, sort)
            if value is None:
                return None
            found.append(value)
        return tuple(found)

    def _element(self, given: object, sort: core.Carrier) -> Value | None:
        if not isinstance(given, Element) or given.constructor != f"{sort.name}#{given.index}":
            return None
        return given if given.index in range(len(self._ranges.of(sort).values)) else None

    def _set(self, given: object, element: core.Sort) -> Value | None:
        if not isinstance(given, SetValue):
            return None
        members: dict[object, Value] = {}
        for each in given.members.values():
            value = self.value(each, element)
            key = None if value is None else equality_key(value, self._context)
            if value is None or key is None:
                return None
            members[key] = value
        if given.complement is not True:
            return SetValue(members)
        all_of_them = self._ranges.of(element)
        if not all_of_them.complete:
            return SetValue(members, True) if self._ranges.is_infinite(element) else None
        keys = ((equality_key(each, self._context), each) for each in all_of_them.values)
        return SetValue({key: each for key, each in keys if key not in members})

    def _data(self, given: object, constructor: str, sorts: Sequence[core.Sort]) -> Value | None:
        if not isinstance(given, Data) or given.constructor != constructor:
            return None
        fields = self._all(given.fields, sorts)
        return None if fields is None else Data(constructor, fields)

    def _construction(self, given: object, sort: core.DataSort) -> Value | None:
        for each in self._goal.constructors(sort):
            if isinstance(given, Data) and given.constructor == each.name:
                fields = self._all(given.fields, [field.sort for field in each.fields])
                return None if fields is None else constructed(each, fields)
        return None

    def _record(self, given: object, fields: Sequence[tuple[str, core.Sort]]) -> Value | None:
        if not isinstance(given, Data) or given.constructor != "record" or len(given.fields) != len(fields):
            return None
        found = []
        for entry, (name, sort) in zip(given.fields, fields, strict=True):
            if not isinstance(entry, Data) or entry.constructor != "field" or len(entry.fields) != 2:
                return None
            value = self.value(entry.fields[1], sort) if entry.fields[0] == name else None
            if value is None:
                return None
            found.append(Data("field", (name, value)))
        return Data("record", tuple(found))

    def _matrix(self, given: object, sort: core.MatrixOf) -> Value | None:
        rows, columns = number_of(sort.rows), number_of(sort.columns)
        if not isinstance(given, Data) or given.constructor != "Matrix" or len(given.fields) != 3:
            return None
        entries = self.value(given.fields[2], core.ListOf(sort.element))
        if not isinstance(entries, ListValue) or rows is None or columns is None:
            return None
        shape = given.fields[:2] == (rows, columns) and len(entries) == rows * columns
        return Data("Matrix", (rows, columns, entries)) if shape else None


def _number(given: object, name: str) -> Value | None:
    """A number, if it is one of ℕ, ℤ, ℚ, ℝ or ℂ."""
    if isinstance(given, bool):
        return None
    if isinstance(given, Complex):
        parts = (_number(given.real, "ℚ"), _number(given.imaginary, "ℚ"))
        return given if name == "ℂ" and None not in parts and given.imaginary != 0 else None
    if not isinstance(given, int | Fraction):
        return None
    number = exact(Fraction(given))
    if name in ("ℕ", "ℤ"):
        return number if isinstance(number, int) and (name == "ℤ" or number >= 0) else None
    return number


def _bits(given: object, width: int) -> Value | None:
    if not isinstance(given, BitVector) or type(given.bits) is not int:
        return None
    return given if given.width == width and 0 <= given.bits < 1 << width else None


# Terms that denote given values: the inverse of evaluation.
#
# Numbers, strings, truth values, bit-vectors, sets, lists, tuples, records and data have terms; elements of carriers
# and functions have none.


class NamelessError(Exception):
    """A value that no term denotes."""


def value_to_term(value: Value, sort: core.Sort, goal: Goal) -> core.Term:
    """A closed term of the sort with this value, which must be one of the sort; `NamelessError` if there is none."""
    match sort, value:
        case core.Basic(name="Bool" | "String"), bool() | str():
            return core.LiteralTerm(value, sort)
        case core.Numeric(), Complex(
            real=int() | Fraction() as real, imaginary=int() | Fraction() as imaginary
        ):
            return _call("complex", core.COMPLEX, _numeral(real, core.REAL), _numeral(imaginary, core.REAL))
        case core.Numeric(), int() | Fraction():
            return _numeral(value, sort)
        case core.BitVec(width=width), BitVector(bits=bits):
            return _call(
                "bv", sort, core.LiteralTerm(bits, core.INTEGER), core.LiteralTerm(width, core.NATURAL)
            )
        case core.SetOf(element=element), SetValue():
            found = _call("empty_set", sort)
            for each in value.members.values():
                found = _call("insert", sort, value_to_term(each, element, goal), found)
            return _call("complement", sort, found) if value.complement else found
        case core.ListOf(element=element), ListValue():
            return construct_list([value_to_term(each, element, goal) for each in value], element)
        case core.TupleOf(items=items), Data(fields=fields):
            parts = [value_to_term(each, item, goal) for each, item in zip(fields, items, strict=True)]
            return construct_tuple(parts, items)
        case core.RecordOf(fields=named), Data(fields=fields):
            made = core.Constructor(
                "record", tuple(core.ConstructorField(*each) for each in named), sort, alone=True
            )
            entries = [each.fields[1] for each in fields if isinstance(each, Data)]
            return _constructed(made, entries, goal)
        case core.DataSort(), Data(constructor=name, fields=fields):
            (made,) = [each for each in goal.constructors(sort) if each.name == name]
            return _constructed(made, fields, goal)
        case _:
            raise NamelessError


def _constructed(made: core.Constructor, values: tuple[Value, ...] | list[Value], goal: Goal) -> core.Term:
    pairs = zip(values, made.fields, strict=True)
    return core.Construction(made, tuple(value_to_term(each, field.sort, goal) for each, field in pairs))


def _call(name: str, result: core.Sort, *arguments: core.Term) -> core.Term:
    """A built-in that is defined at these arguments."""
    parameters = tuple(core.Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return core.BuiltinCall(core.Operation(name, parameters, result), arguments)


def _numeral(value: int | Fraction, sort: core.Sort) -> core.Term:
    """A number at a sort of numbers that has it: a literal of the least such sort, coerced."""
    if value.denominator != 1:
        least: core.Sort = core.RATIONAL
    else:
        least = core.NATURAL if value >= 0 else core.INTEGER
    literal = core.LiteralTerm(value if least == core.RATIONAL else int(value), least)
    return literal if least == sort else core.Coercion(literal, sort)
