"""Values as data, and data as values, which anyone may have written: what certificates hold of witnesses.

See docs/reference/certificates.md §5.1.  The sort of a place says how its value is written; nothing in a file says of
what kind it is:

==================  =============================================================================================
Bool                true, false
String              a text
ℕ, ℤ, ℚ, ℝ          a text: ``"-2"``, ``"1/3"``; ℂ also ``[real, imaginary]`` where that is not 0
BitVec(n)           a text, the unsigned number
a carrier           the number of an element, from 0
List, tuple         the items
record              the values, in the order of the fields' names
Set                 ``["of", …]`` or ``["all but", …]``, in the order in which the set has them
Matrix              the entries, row by row
a data type         the constructor's name, then its fields
a function          ``[[[argument, …, value], …], value everywhere else]``; the second may be missing
==================  =============================================================================================

Invariants
    * What is read is a value of its sort by `SortMembership`, as the value model has it, or `RejectedError`.
    * Reading what was written gives an equal value.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kleis import core
from kleis.builtins.matrix_shapes import number_of
from kleis.builtins.row import Context
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.terms import TUPLES
from kleis.prover.checker.read_terms import number_spelled
from kleis.prover.checker.sequent import RejectedError
from kleis.prover.checker.write_terms import UnwritableError, number_spelling
from kleis.prover.protocol.witness import FunctionTable
from kleis.semantics.foreign_values import SortMembership
from kleis.semantics.ranges import Element, Ranges, constructed
from kleis.values import BitVector, Data, ListValue, SetValue, Value, complex_value, equality_key, list_of
from kleis.values.kinds import Complex

__all__ = ["ValueReader", "table_data", "value_data"]

_MOST = 1_000_000
"""Parts of the values of one witness."""


class ValueReader:
    """Reads and writes the values of one witness, and tells which values are of a sort."""

    def __init__(self, goal: Goal, ranges: Ranges, context: Context) -> None:
        self._goal = goal
        self._context = context
        self._membership = SortMembership(goal, ranges, context)
        self._left = _MOST

    # ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, data: Any, sort: core.Sort) -> Value:
        """The value of a sort that data stand for."""
        return self.member(self._made(data, sort), sort)

    def table(self, data: Any, domain: Sequence[core.Sort], codomain: core.Sort) -> FunctionTable:
        """The function that data stand for: no two rows for the same arguments."""
        rows, *default = _list(data) or (None,)
        if len(default) > 1:
            raise _no(core.FunctionOf(tuple(domain), codomain))
        read = []
        for row in map(_list, _list(rows)):
            *arguments, result = self._each(row, (*domain, codomain))
            read.append((tuple(arguments), result))
        if len({self.key(arguments) for arguments, _ in read}) < len(read):
            raise RejectedError("a function with two values at the same arguments")
        return FunctionTable(tuple(read), self.value(default[0], codomain) if default else None)

    def member(self, given: object, sort: core.Sort) -> Value:
        """A value as one of a sort."""
        found = self._membership.value(given, sort)
        if found is None:
            raise _no(sort)
        return found

    def key(self, values: Sequence[Value]) -> tuple[Any, ...]:
        """A key, the same for equal values."""
        return tuple(equality_key(each, self._context) for each in values)

    def _each(self, data: Sequence[Any], sorts: Sequence[core.Sort]) -> list[Value]:
        if len(data) != len(sorts):
            raise RejectedError(f"{len(data)} values where {len(sorts)} have to stand")
        return [self.value(each, sort) for each, sort in zip(data, sorts, strict=True)]

    def _made(self, data: Any, sort: core.Sort) -> object:
        """What data say; whether that is of the sort is for `member` to decide."""
        self._left -= 1
        if self._left < 0:
            raise RejectedError(f"values of more than {_MOST} parts")
        match sort:
            case core.Basic(name="Bool" | "String"):
                return data
            case core.Numeric():
                return _number(data)
            case core.BitVec(width=width):
                bits = _number(data) if isinstance(data, str) else None
                return BitVector(width, bits) if isinstance(bits, int) else None
            case core.Carrier():
                return Element(sort.name, data) if type(data) is int and 0 <= data < _MOST else None
            case core.ListOf(element=element):
                return list_of([self.value(each, element) for each in _list(data)])
            case core.SetOf(element=element):
                return self._set(data, element)
            case core.TupleOf(items=items):
                return Data(TUPLES[len(items)], tuple(self._each(_list(data), items)))
            case core.RecordOf(fields=fields):
                values = self._each(_list(data), [each for _, each in fields])
                pairs = zip(fields, values, strict=True)
                return Data("record", tuple(Data("field", (name, value)) for (name, _), value in pairs))
            case core.MatrixOf(rows=rows, columns=columns, element=element):
                shape = (number_of(rows) or 0, number_of(columns) or 0)
                return Data("Matrix", (*shape, list_of([self.value(each, element) for each in _list(data)])))
            case core.DataSort():
                return self._construction(data, sort)
            case _:
                return None

    def _set(self, data: Any, element: core.Sort) -> SetValue:
        kind, *members = _list(data) or (None,)
        if kind not in (_OF, _ALL_BUT):
            raise _no(core.SetOf(element))
        values = [self.value(each, element) for each in members]
        found = {self.key((each,))[0]: each for each in values}
        if len(found) < len(values) or None in found:
            raise RejectedError("a set that names an element twice")
        return SetValue(found, kind == _ALL_BUT)

    def _construction(self, data: Any, sort: core.DataSort) -> Value:
        name, *fields = _list(data) or (None,)
        for each in self._goal.constructors(sort):
            if each.name == name:
                return constructed(each, tuple(self._each(fields, [field.sort for field in each.fields])))
        raise _no(sort)


_OF, _ALL_BUT = "of", "all but"


def _number(data: Any) -> object:
    """A number, as its text or as the texts of its parts."""
    if isinstance(data, str):
        return number_spelled(data)
    match data:
        case [str() as real, str() as imaginary] if imaginary != "0":
            return complex_value(number_spelled(real), number_spelled(imaginary))
    return None


def _list(data: Any) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise RejectedError("a list has to stand here")
    return data


def _no(sort: core.Sort) -> RejectedError:
    return RejectedError(f"no value of the sort {sort_text(sort)}")


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────


def value_data(value: Value, sort: core.Sort, goal: Goal) -> Any:
    """A value of a sort as data; `UnwritableError` for one that has no place in a certificate."""
    match sort, value:
        case core.Basic(name="Bool" | "String"), bool() | str():
            return value
        case core.Numeric(), Complex(
            real=int() | Fraction() as real, imaginary=int() | Fraction() as imaginary
        ):
            return [number_spelling(real), number_spelling(imaginary)]
        case core.Numeric(), int() | Fraction():
            return number_spelling(value)
        case core.BitVec(), BitVector(bits=bits):
            return number_spelling(bits)
        case core.Carrier(), Element(index=index):
            return index
        case core.ListOf(element=element), ListValue():
            return [value_data(each, element, goal) for each in value]
        case core.SetOf(element=element), SetValue(members=members, complement=complement):
            written = [value_data(each, element, goal) for each in members.values()]
            return [_ALL_BUT if complement else _OF, *written]
        case core.TupleOf(items=items), Data(fields=fields):
            return _written(fields, items, goal)
        case core.RecordOf(fields=named), Data(fields=fields):
            values = [each.fields[1] for each in fields if isinstance(each, Data)]
            return _written(values, [each for _, each in named], goal)
        case core.MatrixOf(element=element), Data(fields=(_, _, ListValue() as entries)):
            return [value_data(each, element, goal) for each in entries]
        case core.DataSort(), Data(constructor=name, fields=fields):
            for made in goal.constructors(sort):
                if made.name == name:
                    return [name, *_written(fields, [each.sort for each in made.fields], goal)]
    raise UnwritableError(f"a value of the sort {sort_text(sort)}")


def table_data(table: FunctionTable, domain: Sequence[core.Sort], codomain: core.Sort, goal: Goal) -> Any:
    """A function by its values as data."""
    sorts = (*domain, codomain)
    rows = [_written((*arguments, result), sorts, goal) for arguments, result in table.rows]
    return [rows] if table.default is None else [rows, value_data(table.default, codomain, goal)]


def _written(values: Sequence[Value], sorts: Sequence[core.Sort], goal: Goal) -> list[Any]:
    return [value_data(each, sort, goal) for each, sort in zip(values, sorts, strict=True)]
