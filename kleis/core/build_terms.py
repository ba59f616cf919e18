"""Arithmetic and connectives as core terms: builders for measures, conditions and obligations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kleis.core.sorts import BOOL, INTEGER, NATURAL, STRING, Sort
from kleis.core.terms import (
    BuiltinCall,
    Coercion,
    Connective,
    Definition,
    LiteralTerm,
    Operation,
    Term,
    Variable,
)
from kleis.core.traversal import substitute

__all__ = [
    "absolute",
    "as_number",
    "at_arguments",
    "at_least",
    "condition_at",
    "conjunction",
    "difference",
    "integer",
    "length_of",
    "less",
    "multiple",
    "total",
]


def integer(value: int) -> Term:
    """An integer as a term of sort ℤ."""
    if value < 0:
        return LiteralTerm(value, INTEGER)
    return Coercion(LiteralTerm(value, NATURAL), INTEGER)


def as_number(term: Term, sort: Sort) -> Term:
    """The term in a larger set of numbers."""
    return term if term.sort == sort else Coercion(term, sort)


def _call(name: str, result: Sort, **arguments: Term) -> Term:
    parameters = tuple(Variable(each, term.sort) for each, term in arguments.items())
    return BuiltinCall(Operation(name, parameters, result), tuple(arguments.values()))


def total(terms: Sequence[Term]) -> Term:
    """The sum of integers."""
    answer = terms[0] if terms else integer(0)
    for term in terms[1:]:
        answer = _call("plus", INTEGER, a=answer, b=term)
    return answer


def difference(left: Term, right: Term) -> Term:
    """The difference of integers."""
    return _call("minus", INTEGER, a=left, b=right)


def multiple(factor: int, term: Term) -> Term:
    """A multiple of an integer."""
    return term if factor == 1 else _call("times", INTEGER, a=integer(factor), b=term)


def absolute(term: Term) -> Term:
    """The absolute value of an integer."""
    return _call("abs", INTEGER, a=term)


def length_of(term: Term) -> Term:
    """The length of a list or string, in ℤ."""
    if term.sort == STRING:
        return Coercion(_call("strlen", NATURAL, s=term), INTEGER)
    return Coercion(_call("length", NATURAL, l=term), INTEGER)


def at_least(large: Term, small: Term) -> Term:
    """``large ≥ small`` for numbers of one sort."""
    return _call("geq", BOOL, a=large, b=small)


def less(small: Term, large: Term) -> Term:
    """``small < large`` for numbers of one sort."""
    return _call("less_than", BOOL, a=small, b=large)


def conjunction(formulas: Iterable[Term]) -> Term:
    """All of the formulas; true if there are none."""
    each = tuple(dict.fromkeys(formulas))
    if not each:
        return LiteralTerm(True, BOOL)
    return each[0] if len(each) == 1 else Connective("and", each)


def condition_at(call: BuiltinCall) -> Term | None:
    """The condition of an operation at the arguments of a call; None if it always has a value."""
    operation = call.operation
    if operation.condition is None:
        return None
    names = (each.name for each in operation.parameters)
    return substitute(operation.condition, dict(zip(names, call.arguments, strict=True)))


def at_arguments(term: Term, definition: Definition, arguments: Sequence[Term]) -> Term:
    """A term over the parameters of a definition, at the arguments of a call."""
    return substitute(term, dict(zip((each.name for each in definition.parameters), arguments, strict=True)))
