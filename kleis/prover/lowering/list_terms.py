"""Built-ins of lists, tuples and records that are not recursive, as other terms: `head` is a selection.

See docs/reference/proving.md §9.1.

Invariant: the term that stands for a call has a value exactly where the call has one, and the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kleis import core
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


def list_sort(term: core.Term) -> core.ListOf:
    """The sort of a list."""
    assert isinstance(term.sort, core.ListOf), "a list"
    return term.sort


def nil(sort: core.ListOf) -> core.Term:
    """The empty list."""
    return core.Construction(list_constructors(sort)[0], ())


def cons(head: core.Term, tail: core.Term) -> core.Term:
    """A list with one element more in front."""
    return core.Construction(list_constructors(list_sort(tail))[1], (head, tail))


def is_nil(term: core.Term) -> core.Term:
    """Whether a list is empty."""
    return core.Discrimination(list_constructors(list_sort(term))[0], term)


def head(term: core.Term) -> core.Term:
    """The first element; undefined of an empty list."""
    return core.Selection(list_constructors(list_sort(term))[1], 0, term)


def tail(term: core.Term) -> core.Term:
    """All elements but the first; undefined of an empty list."""
    return core.Selection(list_constructors(list_sort(term))[1], 1, term)


def builtin(name: str, result: core.Sort, **arguments: core.Term) -> core.Term:
    """A call of a built-in that is defined everywhere."""
    parameters = tuple(core.Variable(each, term.sort) for each, term in arguments.items())
    return core.BuiltinCall(core.Operation(name, parameters, result), tuple(arguments.values()))


def plus(left: core.Term, right: core.Term) -> core.Term:
    """The sum of two numbers of one sort."""
    return builtin("plus", left.sort, a=left, b=right)


def times(left: core.Term, right: core.Term) -> core.Term:
    """The product of two numbers of one sort."""
    return builtin("times", left.sort, a=left, b=right)


def append(left: core.Term, right: core.Term) -> core.Term:
    """One list behind another."""
    return builtin("append", left.sort, l=left, m=right)


def length(term: core.Term) -> core.Term:
    """The number of elements."""
    return builtin("length", core.NATURAL, l=term)


def number(value: int, sort: core.Sort) -> core.Term:
    """An integer as a number of a sort."""
    return (
        core.LiteralTerm(value, core.NATURAL)
        if sort == core.NATURAL
        else core.Coercion(core.LiteralTerm(value, core.NATURAL), sort)
    )


def applied(function: core.Term, *arguments: core.Term) -> core.Term:
    """A function at all its arguments."""
    assert isinstance(function.sort, core.FunctionOf), "a function"
    return core.Application(function, arguments, function.sort.codomain)


def of_lists(operation: core.Operation) -> bool:
    """Whether a row, which may also be of strings or sets, is of lists here."""
    sorts = [each.sort for each in operation.parameters]
    match operation.name:
        case "length" | "isEmpty":
            return isinstance(sorts[0], core.ListOf)
        case "in_set":
            return isinstance(sorts[1], core.ListOf)
        case "concat":
            return isinstance(operation.result, core.ListOf)
        case _:
            return True


def direct(operation: core.Operation, arguments: Sequence[core.Term]) -> core.Term | None:
    """A call as a term without recursion; None if there is none."""
    make = _DIRECT.get(operation.name)
    return None if make is None else make(operation, tuple(arguments))


_Arguments = tuple[core.Term, ...]


def _empty(operation: core.Operation, given: _Arguments) -> core.Term | None:
    return is_nil(given[0]) if of_lists(operation) else None


def _length_of_text(operation: core.Operation, given: _Arguments) -> core.Term | None:
    return builtin("strlen", core.NATURAL, s=given[0]) if given[0].sort == core.STRING else None


def _joined(operation: core.Operation, given: _Arguments) -> core.Term | None:
    if not isinstance(operation.result, core.ListOf):
        return None
    joined = given[-1] if given else nil(operation.result)
    for each in reversed(given[:-1]):
        joined = append(each, joined)
    return joined


def _from_zero(operation: core.Operation, given: _Arguments) -> core.Term | None:
    if len(given) != 1:
        return None
    return builtin("range", operation.result, start=integer(0), end=given[0])


def _drop(term: core.Term, count: core.Term) -> core.Term:
    return builtin("list drop", term.sort, l=term, count=count)


def _take(term: core.Term, count: core.Term) -> core.Term:
    return builtin("list take", term.sort, l=term, count=count)


def _slice(_: core.Operation, given: _Arguments) -> core.Term | None:
    """The elements from `start` up to `end`, where negative numbers count as 0."""
    rest = _drop(given[0], given[1])
    if len(given) == 2:
        return rest
    if given[1] == integer(0):
        return _take(given[0], given[2])
    start, end = (builtin("max", core.INTEGER, a=each, b=integer(0)) for each in given[1:])
    return _take(rest, difference(end, start))


def _rotated(_: core.Operation, given: _Arguments) -> core.Term | None:
    """The list, then the count, each computed once."""
    xs, count = core.Variable("the list", given[0].sort), core.Variable("the count", core.INTEGER)
    long = core.Coercion(length(xs), core.INTEGER)
    shift = core.Variable("the shift", core.INTEGER)
    turned = core.Let(
        shift, builtin("mod", core.INTEGER, a=count, b=long), append(_drop(xs, shift), _take(xs, shift))
    )
    return core.Let(xs, given[0], core.Let(count, given[1], core.Conditional(is_nil(xs), xs, turned)))


def _component(place: int) -> Callable[[core.Operation, _Arguments], core.Term | None]:
    """A component of a tuple."""

    def make(_: core.Operation, given: _Arguments) -> core.Term | None:
        sort = given[0].sort
        return (
            core.Selection(tuple_constructor(sort), place, given[0])
            if isinstance(sort, core.TupleOf)
            else None
        )

    return make


def _fields(sort: core.Sort) -> tuple[core.Constructor, tuple[str, ...]] | None:
    """The constructor of a sort of records, and the names of its fields."""
    if not isinstance(sort, core.RecordOf):
        return None
    parts = tuple(core.ConstructorField(name, each) for name, each in sort.fields)
    return core.Constructor("record", parts, sort, alone=True), tuple(name for name, _ in sort.fields)


def _name(term: core.Term) -> str | None:
    """The name of a field, if it is a literal."""
    return term.value if isinstance(term, core.LiteralTerm) and isinstance(term.value, str) else None


def _field(_: core.Operation, given: _Arguments) -> core.Term | None:
    record, name = _fields(given[0].sort), _name(given[1])
    if record is None or name not in record[1]:
        return None
    return core.Selection(record[0], record[1].index(name), given[0])


def _with_field(operation: core.Operation, given: _Arguments) -> core.Term | None:
    """The record, then the value, each computed once."""
    old, new, name = _fields(given[0].sort), _fields(operation.result), _name(given[1])
    if old is None or new is None or name is None:
        return None
    whole = core.Variable("the record", given[0].sort)
    parts = tuple(
        given[2] if each == name else core.Selection(old[0], old[1].index(each), whole) for each in new[1]
    )
    return core.Let(whole, given[0], core.Construction(new[0], parts))


_DIRECT: Mapping[str, Callable[[core.Operation, _Arguments], core.Term | None]] = {
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
    "apply_lambda": lambda operation, given: core.Application(given[0], given[1:], operation.result),
}
