"""Data types at their arguments: every instance that a proposition reaches.

Parametric types are instantiated at the arguments a proposition reaches.  See docs/reference/proving.md §3.1.

Invariant: the instances are closed under the sorts of their fields, and there are finitely many; a type that reaches
ever larger instances of itself (``data N(T) = Z | S(N(Pair(T, T)))``) is an error when it is used.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from kleis import core
from kleis.core.goal import DataType, ElaborationError
from kleis.core.sort_operations import map_sort, sort_parts
from kleis.core.sort_printing import dimension_text, sort_text
from kleis.elaborate.sorts.data_types import DataDeclaration
from kleis.elaborate.sorts.dimensions import Polynomial, multiplied, normal_dimension
from kleis.strongly_connected import components

__all__ = ["at_arguments", "instances", "instantiate_sort"]

_INSTANCES = 256
_GROWTH = 100
"""By how much an instance may be larger than the sorts that are asked for."""

_SHOWN = 20

Arguments = Mapping[str, core.Sort | core.Dimension]


def instances(
    sorts: Iterable[core.Sort],
    declared: Callable[[str], DataDeclaration | None],
    *,
    limit: int = _INSTANCES,
) -> tuple[tuple[DataType, ...], ...]:
    """Every data type that the sorts reach, by strongly connected component, parts before wholes.

    `ElaborationError` with the code ``data_not_regular`` where one type has more than `limit` instances, or huge ones.
    """
    found: dict[core.DataSort, DataType] = {}
    counts: dict[str, int] = {}
    sizes = _Sizes()
    roots = list(_data_sorts(sorts))
    largest = _GROWTH + max((sizes.of(sort) for sort in roots), default=0)
    waiting = deque(roots)
    while waiting:
        sort = waiting.popleft()
        declaration = declared(sort.name)
        if declaration is None:
            continue
        # Before anything is hashed: a family may double in size from one instance to the next.
        if sizes.of(sort) > largest:
            raise _not_regular(declaration, sort)
        if sort in found:
            continue
        counts[sort.name] = counts.get(sort.name, 0) + 1
        if counts[sort.name] > limit:
            raise _not_regular(declaration, sort)
        found[sort] = at_arguments(declaration, sort)
        waiting.extend(_reached(found[sort]))
    edges = {sort: [each for each in _reached(data) if each in found] for sort, data in found.items()}
    return tuple(tuple(found[sort] for sort in group) for group in components(edges))


def at_arguments(declaration: DataDeclaration, sort: core.DataSort) -> DataType:
    """A data type at its arguments: constructors with their fields named, and marked where they stand alone."""
    values = dict(zip(declaration.parameters, sort.arguments, strict=True))
    alone = len(declaration.constructors) == 1
    constructors = tuple(
        core.Constructor(
            constructor.name,
            tuple(
                core.ConstructorField(field.name or f"_{index}", instantiate_sort(field.sort, values))
                for index, field in enumerate(constructor.fields)
            ),
            sort,
            alone,
        )
        for constructor in declaration.constructors
    )
    return DataType(sort, constructors)


def _reached(data: DataType) -> list[core.DataSort]:
    fields = (field.sort for constructor in data.constructors for field in constructor.fields)
    return list(dict.fromkeys(_data_sorts(fields)))


def _data_sorts(sorts: Iterable[core.Sort]) -> Iterator[core.DataSort]:
    """The data types in sorts, in the order in which they are written."""
    waiting = list(sorts)[::-1]
    while waiting:
        sort = waiting.pop()
        if isinstance(sort, core.DataSort):
            yield sort
        waiting.extend(reversed(sort_parts(sort)))


class _Sizes:
    """Sizes of sorts, written out.  Shared parts are measured once, since an instance may share most of them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[core.Sort, int]] = {}

    def of(self, sort: core.Sort) -> int:
        """The size of a sort, which is kept alive because its identity is the key."""
        if id(sort) not in self._known:
            self._known[id(sort)] = sort, 1 + sum(map(self.of, sort_parts(sort)))
        return self._known[id(sort)][1]


def _not_regular(declaration: DataDeclaration, sort: core.DataSort) -> ElaborationError:
    place = declaration.place
    shown = sort_text(sort) if _Sizes().of(sort) < _SHOWN else f"{sort.name}(…)"
    return ElaborationError(
        f"the data type {declaration.name} needs infinitely many instances of itself: its fields have it at "
        "arguments larger than its own",
        code="data_not_regular",
        file=place.file,
        line=place.line,
        column=place.column,
        end_line=place.line,
        end_column=place.column + len(declaration.name),
        found=shown,
        expected=(f"{declaration.name}({', '.join(declaration.parameters)})",),
        hint=f"use {declaration.name} in its own fields at its own parameters only",
    )


# ── Substitution ─────────────────────────────────────────────────────────────────────────────────────────────


def instantiate_sort(sort: core.Sort, values: Arguments) -> core.Sort:
    """The sort with sorts for its variables, and dimensions for the atoms of its dimensions."""
    match sort:
        case core.SortVariable(name=name):
            value = values.get(name, sort)
            return sort if isinstance(value, core.Dimension) else value
        case core.MatrixOf(rows=rows, columns=columns, element=element):
            return core.MatrixOf(
                _dimension(rows, values), _dimension(columns, values), instantiate_sort(element, values)
            )
        case core.FunctionOf(domain=domain, codomain=codomain):
            # Curried types are flat in the core, also where a parameter becomes a function sort.
            result = instantiate_sort(codomain, values)
            inputs = tuple(instantiate_sort(each, values) for each in domain)
            if isinstance(result, core.FunctionOf):
                return core.FunctionOf((*inputs, *result.domain), result.codomain)
            return core.FunctionOf(inputs, result)
        case core.DataSort(arguments=arguments) | core.Carrier(arguments=arguments):
            return msgspec.structs.replace(
                sort, arguments=tuple(_argument(each, values) for each in arguments)
            )
        case _:
            return map_sort(sort, lambda each: instantiate_sort(each, values))


def _argument(argument: core.Sort | core.Dimension, values: Arguments) -> core.Sort | core.Dimension:
    if isinstance(argument, core.Dimension):
        return _dimension(argument, values)
    if isinstance(argument, core.SortVariable):
        return values.get(argument.name, argument)
    return instantiate_sort(argument, values)


def _dimension(dimension: core.Dimension, values: Arguments) -> core.Dimension:
    """The dimension with other dimensions for its atoms."""
    total: Polynomial = {}
    for atoms, coefficient in dimension.terms:
        product: Polynomial = {(): coefficient}
        for atom in atoms:
            product = multiplied(product, _atom(atom, values))
        for monomial, factor in product.items():
            total[monomial] = total.get(monomial, 0) + factor
    return normal_dimension(total)


def _atom(atom: str, values: Arguments) -> Polynomial:
    value = values.get(atom)
    if isinstance(value, core.Dimension):
        return dict(value.terms)

    def replaced(name: re.Match[str]) -> str:
        inner = values.get(name.group())
        return dimension_text(inner) if isinstance(inner, core.Dimension) else name.group()

    return {(re.sub(r"\b[^\W\d]\w*\b", replaced, atom),): 1}
