"""Terms about lists, and the built-ins of lists, tuples and records that are no recursion but other terms: `head` is a
selection.

Specification: proving.md §1 (Definedness); ADR 20.

Invariant: the term that stands for a call has a value exactly where the call has one, and the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kleis.core import (
    INTEGER,
    NATURAL,
    STRING,
    Application,
    BuiltinCall,
    Coercion,
    Conditional,
    Construction,
    Constructor,
    ConstructorField,
    Discrimination,
    FunctionOf,
    Let,
    ListOf,
    LiteralTerm,
    Operation,
    RecordOf,
    Selection,
    Sort,
    Term,
    TupleOf,
    Variable,
)
from kleis.core.build_terms import difference, integer
from kleis.core.terms import list_constructors, tuple_constructor

__all__ = [
    "append",
    "applied",
    "builtin",
    "cons",
    "direct",
    "head",
    "is_nil",
    "length",
    "list_sort",
    "nil",
    "number",
    "of_lists",
    "plus",
    "tail",
    "times",
]


# ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────────


def list_sort(term: Term) -> ListOf:
    """The sort of a list."""
    assert isinstance(term.sort, ListOf), "a list"
    return term.sort


def nil(sort: ListOf) -> Term:
    """The empty list."""
    return Construction(list_constructors(sort)[0], ())


def cons(head: Term, tail: Term) -> Term:
    """A list with one element more in front."""
    return Construction(list_constructors(list_sort(tail))[1], (head, tail))


def is_nil(term: Term) -> Term:
    """Whether a list is empty."""
    return Discrimination(list_constructors(list_sort(term))[0], term)


def head(term: Term) -> Term:
    """The first element; undefined of an empty list."""
    return Selection(list_constructors(list_sort(term))[1], 0, term)


def tail(term: Term) -> Term:
    """All elements but the first; undefined of an empty list."""
    return Selection(list_constructors(list_sort(term))[1], 1, term)


def builtin(name: str, result: Sort, **arguments: Term) -> Term:
    """A call of a built-in that is defined everywhere."""
    parameters = tuple(Variable(each, term.sort) for each, term in arguments.items())
    return BuiltinCall(Operation(name, parameters, result), tuple(arguments.values()))


def plus(left: Term, right: Term) -> Term:
    """The sum of two numbers of one sort."""
    return builtin("plus", left.sort, a=left, b=right)


def times(left: Term, right: Term) -> Term:
    """The product of two numbers of one sort."""
    return builtin("times", left.sort, a=left, b=right)


def append(left: Term, right: Term) -> Term:
    """One list behind another."""
    return builtin("append", left.sort, l=left, m=right)


def length(term: Term) -> Term:
    """The number of elements."""
    return builtin("length", NATURAL, l=term)


def number(value: int, sort: Sort) -> Term:
    """An integer as a number of a sort."""
    return LiteralTerm(value, NATURAL) if sort == NATURAL else Coercion(LiteralTerm(value, NATURAL), sort)


def applied(function: Term, *arguments: Term) -> Term:
    """A function at all its arguments."""
    assert isinstance(function.sort, FunctionOf), "a function"
    return Application(function, arguments, function.sort.codomain)


def of_lists(operation: Operation) -> bool:
    """Whether a row, which may also be of strings or sets, is of lists here."""
    sorts = [each.sort for each in operation.parameters]
    match operation.name:
        case "length" | "isEmpty":
            return isinstance(sorts[0], ListOf)
        case "in_set":
            return isinstance(sorts[1], ListOf)
        case "concat":
            return isinstance(operation.result, ListOf)
        case _:
            return True


def direct(operation: Operation, arguments: Sequence[Term]) -> Term | None:
    """What a call is without recursion; None if it is not that."""
    make = _DIRECT.get(operation.name)
    return None if make is None else make(operation, tuple(arguments))


_Arguments = tuple[Term, ...]


def _empty(operation: Operation, given: _Arguments) -> Term | None:
    return is_nil(given[0]) if of_lists(operation) else None


def _length_of_text(operation: Operation, given: _Arguments) -> Term | None:
    return builtin("strlen", NATURAL, s=given[0]) if given[0].sort == STRING else None


def _joined(operation: Operation, given: _Arguments) -> Term | None:
    if not isinstance(operation.result, ListOf):
        return None
    joined = given[-1] if given else nil(operation.result)
    for each in reversed(given[:-1]):
        joined = append(each, joined)
    return joined


def _from_zero(operation: Operation, given: _Arguments) -> Term | None:
    if len(given) != 1:
        return None
    return builtin("range", operation.result, start=integer(0), end=given[0])


def _drop(term: Term, count: Term) -> Term:
    return builtin("list drop", term.sort, l=term, count=count)


def _take(term: Term, count: Term) -> Term:
    return builtin("list take", term.sort, l=term, count=count)


def _slice(_: Operation, given: _Arguments) -> Term | None:
    """From `start` up to `end`, where what is negative is 0."""
    rest = _drop(given[0], given[1])
    if len(given) == 2:
        return rest
    if given[1] == integer(0):
        return _take(given[0], given[2])
    start, end = (builtin("max", INTEGER, a=each, b=integer(0)) for each in given[1:])
    return _take(rest, difference(end, start))


def _rotated(_: Operation, given: _Arguments) -> Term | None:
    """The list, then the count, each computed once."""
    xs, count = Variable("the list", given[0].sort), Variable("the count", INTEGER)
    long = Coercion(length(xs), INTEGER)
    shift = Variable("the shift", INTEGER)
    turned = Let(shift, builtin("mod", INTEGER, a=count, b=long), append(_drop(xs, shift), _take(xs, shift)))
    return Let(xs, given[0], Let(count, given[1], Conditional(is_nil(xs), xs, turned)))


def _component(place: int) -> Callable[[Operation, _Arguments], Term | None]:
    """A component of a tuple."""

    def make(_: Operation, given: _Arguments) -> Term | None:
        sort = given[0].sort
        return Selection(tuple_constructor(sort), place, given[0]) if isinstance(sort, TupleOf) else None

    return make


def _fields(sort: Sort) -> tuple[Constructor, tuple[str, ...]] | None:
    """The constructor of a sort of records, and the names of its fields."""
    if not isinstance(sort, RecordOf):
        return None
    parts = tuple(ConstructorField(name, each) for name, each in sort.fields)
    return Constructor("record", parts, sort, alone=True), tuple(name for name, _ in sort.fields)


def _name(term: Term) -> str | None:
    """The name of a field, where it is written down."""
    return term.value if isinstance(term, LiteralTerm) and isinstance(term.value, str) else None


def _field(_: Operation, given: _Arguments) -> Term | None:
    record, name = _fields(given[0].sort), _name(given[1])
    if record is None or name not in record[1]:
        return None
    return Selection(record[0], record[1].index(name), given[0])


def _with_field(operation: Operation, given: _Arguments) -> Term | None:
    """The record, then the value, each computed once."""
    old, new, name = _fields(given[0].sort), _fields(operation.result), _name(given[1])
    if old is None or new is None or name is None:
        return None
    whole = Variable("the record", given[0].sort)
    parts = tuple(
        given[2] if each == name else Selection(old[0], old[1].index(each), whole) for each in new[1]
    )
    return Let(whole, given[0], Construction(new[0], parts))


_DIRECT: Mapping[str, Callable[[Operation, _Arguments], Term | None]] = {
    "head": lambda _, given: head(given[0]),
    "tail": lambda _, given: tail(given[0]),
    "isEmpty": _empty,
    "length": _length_of_text,
    "concat": _joined,
    "fst": _component(0),
    "snd": _component(1),
    "get_field": _field,
    "set_field": _with_field,
    "range": _from_zero,
    "list_slice": _slice,
    "list_rotate": _rotated,
    "apply_lambda": lambda operation, given: Application(given[0], given[1:], operation.result),
}
