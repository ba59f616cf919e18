"""What terms speak of, directly or through definitions.

Specification: proving.md §1 ("Structures without parameters": links between sections).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kleis.meaning.core import (
    BuiltinCall,
    Carrier,
    DataSort,
    Definition,
    DefinitionCall,
    Discrimination,
    Operation,
    Selection,
    Sort,
    Symbol,
    SymbolCall,
    Term,
)
from kleis.meaning.inference import map_sort
from kleis.meaning.terms import bound_by, subterms

__all__ = ["Reached", "reach"]


class Reached(msgspec.Struct):
    """What was found, each in order of its first occurrence.

    symbols
        Unknown operations and elements.
    sorts
        All sorts, those they are made of included: carriers and data types among them.
    definitions
        Called ones before their callers.
    operations
        Built-ins that solvers only approximate.
    """

    symbols: dict[Symbol, None] = msgspec.field(default_factory=dict)
    sorts: dict[Sort, None] = msgspec.field(default_factory=dict)
    definitions: dict[str, Definition] = msgspec.field(default_factory=dict)
    operations: dict[Operation, None] = msgspec.field(default_factory=dict)

    @property
    def carriers(self) -> tuple[Carrier, ...]:
        """The opaque sorts."""
        return tuple(sort for sort in self.sorts if isinstance(sort, Carrier))

    @property
    def data(self) -> tuple[DataSort, ...]:
        """The data types."""
        return tuple(sort for sort in self.sorts if isinstance(sort, DataSort))


def reach(
    terms: Iterable[Term], finished: Mapping[str, Definition], *, into: Reached | None = None
) -> Reached:
    """What terms speak of.  `finished` has the definitions by key; `into` is what was reached before."""
    found = into if into is not None else Reached()
    opened: set[str] = set(found.definitions)
    for term in terms:
        _visit(term, finished, found, opened)
    return found


def _visit(term: Term, finished: Mapping[str, Definition], found: Reached, opened: set[str]) -> None:
    for each in subterms(term):
        for sort in _sorts_here(each):
            _note_sort(sort, found)
        match each:
            case SymbolCall(symbol=symbol):
                found.symbols.setdefault(symbol)
                for sort in (*symbol.domain, symbol.codomain):
                    _note_sort(sort, found)
            case BuiltinCall(operation=operation):
                if operation.incomplete:
                    found.operations.setdefault(operation)
            case DefinitionCall(definition=key) if key not in opened:
                opened.add(key)
                definition = finished[key]
                for variable in definition.parameters:
                    _note_sort(variable.sort, found)
                _visit(definition.body, finished, found, opened)
                found.definitions[key] = definition


def _sorts_here(term: Term) -> Iterable[Sort]:
    """The sorts that a node mentions itself."""
    yield term.sort
    if isinstance(term, Discrimination | Selection):
        yield term.constructor.sort
    yield from (variable.sort for variable in bound_by(term))


def _note_sort(sort: Sort, found: Reached) -> None:
    if sort in found.sorts:
        return

    def visit(inner: Sort) -> Sort:
        _note_sort(inner, found)
        return inner

    map_sort(sort, visit)
    found.sorts.setdefault(sort)
