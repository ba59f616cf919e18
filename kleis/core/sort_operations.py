"""Operations on sorts: join, substitution, components, erasure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from kleis.core.sorts import (
    INTEGER,
    REAL,
    BitVec,
    Carrier,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    Numeric,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)

__all__ = [
    "erased",
    "family_arguments",
    "family_name",
    "join_sorts",
    "map_sort",
    "paired_parts",
    "rank",
    "sort_parts",
    "substitute_sort",
    "variables_of",
    "with_parts",
]

_CHAIN = "ℕℤℚℝℂ"


def rank(sort: Numeric) -> int:
    """The place of a sort of numbers in the chain of coercions."""
    return _CHAIN.index(sort.name)


def join_sorts(a: Sort, b: Sort) -> Sort | None:
    """The least sort that both are coerced to; None if there is none."""
    if a == b:
        return a
    if isinstance(a, Numeric) and isinstance(b, Numeric):
        return max(a, b, key=rank)
    parts = paired_parts(a, b)
    if parts is None or isinstance(a, FunctionOf):
        return None
    joined = [join_sorts(x, y) for x, y in parts]
    if any(each is None for each in joined):
        return None
    return with_parts(a, [each for each in joined if each is not None])


def substitute_sort(sort: Sort, values: Mapping[str, Sort]) -> Sort:
    """The sort with its variables replaced."""
    if isinstance(sort, SortVariable):
        return values.get(sort.name, sort)
    return map_sort(sort, lambda each: substitute_sort(each, values))


def map_sort(sort: Sort, change: Callable[[Sort], Sort]) -> Sort:
    """The sort with `change` applied to the sorts it is directly made of."""
    inner = sort_parts(sort)
    return with_parts(sort, [change(each) for each in inner]) if inner else sort


def variables_of(sort: Sort) -> set[str]:
    """The names of the sort variables in a sort."""
    if isinstance(sort, SortVariable):
        return {sort.name}
    return {name for each in sort_parts(sort) for name in variables_of(each)}


def sort_parts(sort: Sort) -> list[Sort]:
    """The sorts a sort is made of; dimensions are none."""
    match sort:
        case ListOf(element=element) | SetOf(element=element) | MatrixOf(element=element):
            return [element]
        case TupleOf(items=items):
            return list(items)
        case RecordOf(fields=fields):
            return [each for _, each in fields]
        case FunctionOf(domain=domain, codomain=codomain):
            return [*domain, codomain]
        case DataSort(arguments=arguments) | Carrier(arguments=arguments):
            return [each for each in arguments if not isinstance(each, Dimension)]
        case _:
            return []


def with_parts(sort: Sort, parts: list[Sort]) -> Sort:
    """The sort made of other parts, in the order of `sort_parts`."""
    match sort:
        case ListOf():
            return ListOf(parts[0])
        case SetOf():
            return SetOf(parts[0])
        case MatrixOf(rows=rows, columns=columns):
            return MatrixOf(rows, columns, parts[0])
        case TupleOf():
            return TupleOf(tuple(parts))
        case RecordOf(fields=fields):
            return RecordOf(tuple((name, each) for (name, _), each in zip(fields, parts, strict=True)))
        case FunctionOf():
            return FunctionOf(tuple(parts[:-1]), parts[-1])
        case DataSort(arguments=arguments) | Carrier(arguments=arguments):
            rest = iter(parts)
            filled = tuple(each if isinstance(each, Dimension) else next(rest) for each in arguments)
            return msgspec.structs.replace(sort, arguments=filled)
        case _:
            return sort


def paired_parts(a: Sort, b: Sort) -> list[tuple[Sort, Sort]] | None:
    """The components of two sorts of one shape side by side; None for sorts of different shapes."""
    if type(a) is not type(b) or isinstance(a, Numeric | BitVec | SortVariable):
        return None
    inner_a, inner_b = sort_parts(a), sort_parts(b)
    if len(inner_a) != len(inner_b):
        return None
    if isinstance(a, FunctionOf) and isinstance(b, FunctionOf) and len(a.domain) != len(b.domain):
        return None
    if not inner_a or with_parts(a, inner_b) != b:
        return None
    return list(zip(inner_a, inner_b, strict=True))


def family_name(sort: Sort) -> str:
    """The name of a family of sorts; matrices are one family."""
    return sort.name if isinstance(sort, DataSort | Carrier) else ""


def family_arguments(sort: Sort) -> tuple[Sort | Dimension, ...]:
    """The arguments of a member of a family."""
    if isinstance(sort, MatrixOf):
        return (sort.rows, sort.columns, sort.element)
    return sort.arguments if isinstance(sort, DataSort | Carrier) else ()


def erased(sort: Sort) -> Sort:
    """The sort that stands for a sort in solvers: numbers in lists, tuples and records are integers or reals there.

    A list of ℕ is a list of ℤ with a guard, so that a coercion of the one to the other is the same value.
    """
    match sort:
        case Numeric(name="ℕ"):
            return INTEGER
        case Numeric(name="ℚ"):
            return REAL
        case ListOf() | SetOf() | TupleOf() | RecordOf():
            return map_sort(sort, erased)
        case _:
            return sort
