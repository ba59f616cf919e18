"""Values of ground sorts as core terms, built without the code under test where possible."""

from __future__ import annotations

from fractions import Fraction

from kleis.core import (
    COMPLEX,
    INTEGER,
    NATURAL,
    REAL,
    Basic,
    BitVec,
    BuiltinCall,
    Coercion,
    ListOf,
    LiteralTerm,
    Numeric,
    Operation,
    SetOf,
    Sort,
    Term,
    TupleOf,
    Variable,
)
from kleis.core.terms import construct_list, construct_tuple
from kleis.values import BitVector, Complex, Data, ListValue, SetValue, Value

__all__ = ["builtin_call", "term_of"]


def builtin_call(name: str, result: Sort, *arguments: Term) -> BuiltinCall:
    """A built-in that is defined at these arguments."""
    parameters = tuple(Variable(f"p{place}", each.sort) for place, each in enumerate(arguments))
    return BuiltinCall(Operation(name, parameters, result), arguments)


def term_of(value: Value, sort: Sort) -> Term:
    """A term that denotes a value of a sort of numbers, strings, truth values, words, sets, lists or tuples."""
    match sort:
        case Numeric(name="ℂ"):
            return _complex(value)
        case Numeric(name="ℚ" | "ℝ"):
            return LiteralTerm(Fraction(value), sort)
        case Numeric() | Basic(name="Bool" | "String"):
            return LiteralTerm(value, sort)
        case BitVec(width=width):
            assert isinstance(value, BitVector)
            return builtin_call("bv", sort, LiteralTerm(value.bits, INTEGER), LiteralTerm(width, NATURAL))
        case SetOf(element=element):
            assert isinstance(value, SetValue)
            found: Term = builtin_call("empty_set", sort)
            for each in value.members.values():
                found = builtin_call("insert", sort, term_of(each, element), found)
            return builtin_call("complement", sort, found) if value.complement else found
        case ListOf(element=element):
            assert isinstance(value, ListValue)
            return construct_list([term_of(each, element) for each in value], element)
        case TupleOf(items=items):
            assert isinstance(value, Data)
            parts = [term_of(each, item) for each, item in zip(value.fields, items, strict=True)]
            return construct_tuple(parts, items)
        case _:
            raise AssertionError(f"no term for values of {sort}")


def _complex(value: Value) -> Term:
    if isinstance(value, Complex):
        parts = (LiteralTerm(Fraction(each), REAL) for each in (value.real, value.imaginary))
        return builtin_call("complex", COMPLEX, *parts)
    return Coercion(LiteralTerm(Fraction(value), REAL), COMPLEX)
