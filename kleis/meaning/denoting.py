"""Terms that denote given values: the other way round from evaluation.

Specification: proving.md §2 (an interpretation is shown by closed formulas, in which values stand as terms).

Numbers, strings, truth values, words, sets, lists, tuples, records and data have terms; elements of carriers and
functions have none.
"""

from __future__ import annotations

from fractions import Fraction

from kleis.core import (
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    Basic,
    BitVec,
    BuiltinCall,
    Coercion,
    Construction,
    Constructor,
    ConstructorField,
    DataSort,
    ListOf,
    LiteralTerm,
    Numeric,
    Operation,
    RecordOf,
    SetOf,
    Sort,
    Term,
    TupleOf,
    Variable,
)
from kleis.core.goal import Meaning
from kleis.core.terms import construct_list, construct_tuple
from kleis.values import BitVector, Complex, Data, ListValue, SetValue, Value

__all__ = ["NamelessError", "denoting"]


class NamelessError(Exception):
    """A value that no term denotes."""


def denoting(value: Value, sort: Sort, meaning: Meaning) -> Term:
    """A closed term of the sort with this value, which must be one of the sort; `NamelessError` if there is none."""
    match sort, value:
        case Basic(name="Bool" | "String"), bool() | str():
            return LiteralTerm(value, sort)
        case Numeric(), Complex(real=int() | Fraction() as real, imaginary=int() | Fraction() as imaginary):
            return _call("complex", COMPLEX, _number(real, REAL), _number(imaginary, REAL))
        case Numeric(), int() | Fraction():
            return _number(value, sort)
        case BitVec(width=width), BitVector(bits=bits):
            return _call("bv", sort, LiteralTerm(bits, INTEGER), LiteralTerm(width, NATURAL))
        case SetOf(element=element), SetValue():
            found = _call("empty_set", sort)
            for each in value.members.values():
                found = _call("insert", sort, denoting(each, element, meaning), found)
            return _call("complement", sort, found) if value.complement else found
        case ListOf(element=element), ListValue():
            return construct_list([denoting(each, element, meaning) for each in value], element)
        case TupleOf(items=items), Data(fields=fields):
            parts = [denoting(each, item, meaning) for each, item in zip(fields, items, strict=True)]
            return construct_tuple(parts, items)
        case RecordOf(fields=named), Data(fields=fields):
            made = Constructor("record", tuple(ConstructorField(*each) for each in named), sort, alone=True)
            entries = [each.fields[1] for each in fields if isinstance(each, Data)]
            return _constructed(made, entries, meaning)
        case DataSort(), Data(constructor=name, fields=fields):
            (made,) = [each for each in meaning.constructors(sort) if each.name == name]
            return _constructed(made, fields, meaning)
        case _:
            raise NamelessError


def _constructed(made: Constructor, values: tuple[Value, ...] | list[Value], meaning: Meaning) -> Term:
    pairs = zip(values, made.fields, strict=True)
    return Construction(made, tuple(denoting(each, field.sort, meaning) for each, field in pairs))


def _call(name: str, result: Sort, *arguments: Term) -> Term:
    """A built-in that is defined at these arguments."""
    parameters = tuple(Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return BuiltinCall(Operation(name, parameters, result), arguments)


def _number(value: int | Fraction, sort: Sort) -> Term:
    """A number at a sort of numbers that has it: a literal of the least such sort, widened."""
    if value.denominator != 1:
        least: Sort = RATIONAL
    else:
        least = NATURAL if value >= 0 else INTEGER
    literal = LiteralTerm(value if least == RATIONAL else int(value), least)
    return literal if least == sort else Coercion(literal, sort)
