"""What terms depend on, directly or through definitions: what must be declared before them in Lean.

Unlike the traversals of `kleis.core.traversal` this counts the conditions of built-ins as parts of the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kleis import core
from kleis.core.sort_operations import sort_parts
from kleis.core.traversal import bound_by, subterms

__all__ = ["Contents", "Gathering", "carriers_in"]


class Contents(msgspec.Struct):
    """The entities that terms depend on, each in order of occurrence.

    carriers
        By name, with the families' arguments of the first occurrence.
    numbers
        Dimensions that are parameters.
    """

    symbols: dict[core.Symbol, None] = msgspec.field(default_factory=dict)
    carriers: dict[str, core.Carrier] = msgspec.field(default_factory=dict)
    numbers: dict[str, None] = msgspec.field(default_factory=dict)
    definitions: dict[str, None] = msgspec.field(default_factory=dict)

    def add(self, other: Contents) -> None:
        """Add everything of another one."""
        self.symbols |= other.symbols
        self.carriers = {**other.carriers, **self.carriers}
        self.numbers |= other.numbers
        self.definitions |= other.definitions

    def sort(self, sort: core.Sort | core.Dimension) -> None:
        """Note the carriers and numbers of a sort."""
        if isinstance(sort, core.Dimension):
            self.numbers |= dict.fromkeys(atom for atoms, _ in sort.terms for atom in atoms)
            return
        if isinstance(sort, core.Carrier):
            self.carriers.setdefault(sort.name, sort)
        if isinstance(sort, core.MatrixOf):
            self.sort(sort.rows)
            self.sort(sort.columns)
        if isinstance(sort, core.Carrier | core.DataSort):
            for each in sort.arguments:
                if isinstance(each, core.Dimension):
                    self.sort(each)
        for part in sort_parts(sort):
            self.sort(part)

    def symbol(self, symbol: core.Symbol) -> None:
        """Note a symbol; a number that is a parameter is none."""
        for each in (*symbol.domain, symbol.codomain):
            self.sort(each)
        self.symbols.setdefault(symbol)


class Gathering:
    """Gathers over the definitions of one goal."""

    def __init__(self, definitions: Mapping[str, core.Definition]) -> None:
        self.definitions = definitions
        self._known: dict[str, Contents] = {}

    def of(self, terms: Iterable[core.Term]) -> Contents:
        """What terms depend on."""
        found = Contents()
        for term in terms:
            for each in subterms(term):
                self._note(each, found)
        return found

    def definition(self, key: str) -> Contents:
        """What a definition and everything it calls depend on."""
        if key not in self._known:
            found = self._known[key] = Contents()  # a recursive call adds nothing
            definition = self.definitions[key]
            for variable in definition.parameters:
                found.sort(variable.sort)
            found.sort(definition.result)
            found.add(self.of((definition.body,)))
        return self._known[key]

    def _note(self, term: core.Term, found: Contents) -> None:
        found.sort(term.sort)
        for variable in bound_by(term):
            found.sort(variable.sort)
        match term:
            case core.SymbolCall(symbol=symbol):
                if symbol.name in found.numbers and symbol == core.Symbol(symbol.name, (), core.NATURAL):
                    return
                found.symbol(symbol)
            case core.BuiltinCall(operation=operation):
                if operation.condition is not None:
                    found.add(self.of((operation.condition,)))
            case core.DefinitionCall(definition=key):
                found.definitions.setdefault(key)
                found.add(self.definition(key))
            case core.Construction(constructor=constructor) | core.Discrimination(constructor=constructor):
                found.sort(constructor.sort)
            case core.Selection(constructor=constructor):
                found.sort(constructor.sort)
            case _:
                pass


def carriers_in(sorts: Iterable[core.Sort | core.Dimension]) -> Contents:
    """The carriers and numbers of some sorts."""
    found = Contents()
    for each in sorts:
        found.sort(each)
    return found
