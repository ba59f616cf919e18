"""Which sections a proposition speaks of.

Specification: proving.md §1 ("A proposition uses the axioms of its connected component").

Sections (structures without parameters) are linked by what their axioms and declarations share: user symbols, opaque
sorts, data types, incomplete built-ins, directly or through definitions.  A proposition uses every section that a
chain of links leads to.  An axiom that has no link speaks of built-ins alone: it is no assumption but an obligation.

Names are compared before anything is elaborated, so that of a thousand sections only those are that may be linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from kleis.meaning.core import Carrier, DataSort
from kleis.meaning.reach import Reached
from kleis.meaning.wording import sorts_text
from kleis.operators import canonical_name
from kleis.syntax import (
    AppliedType,
    Binder,
    Call,
    ConstructorPattern,
    FunctionDefinition,
    Name,
    NamedType,
    Structure,
)
from kleis.theory import Theory
from kleis.traversal import walk

__all__ = ["Link", "SectionNames", "component", "links_of", "names_of_links"]

Link: TypeAlias = tuple[str, str]
"""What is shared: a kind (symbol, sort, data, built-in) and a name, of a symbol with its sorts."""


def links_of(reached: Reached) -> frozenset[Link]:
    """The links of what terms reach."""
    found: set[Link] = set()
    for symbol in reached.symbols:
        found.add(("symbol", f"{symbol.name} : {sorts_text((*symbol.domain, symbol.codomain))}"))
    for sort in reached.sorts:
        if isinstance(sort, Carrier):
            found.add(("sort", sort.name))
        elif isinstance(sort, DataSort):
            found.add(("data", sort.name))
    found.update(("built-in", operation.name) for operation in reached.operations)
    return frozenset(found)


def names_of_links(links: Iterable[Link]) -> frozenset[str]:
    """The names that a section must mention to have one of the links."""
    return frozenset(name.split(" : ")[0].rpartition("::")[2] for _, name in links)


class SectionNames:
    """The names that each section mentions, through definitions too."""

    def __init__(self, theory: Theory) -> None:
        self._theory = theory
        self._mentioned: dict[str, frozenset[str]] = {}
        self._definitions: dict[str, frozenset[str]] = {}

    def of(self, structure: Structure) -> frozenset[str]:
        """The names that a section mentions."""
        if structure.name not in self._mentioned:
            names = set(_names(structure))
            for reference in (structure.extends, structure.over):
                parent = self._theory.structures.get(getattr(reference, "name", ""))
                if parent is not None and parent.name != structure.name:
                    names |= self.of(parent)
            self._mentioned[structure.name] = frozenset(self._through_definitions(names))
        return self._mentioned[structure.name]

    def _through_definitions(self, names: set[str]) -> set[str]:
        waiting, found = list(names), set(names)
        while waiting:
            name = waiting.pop()
            definition = self._theory.definitions.get(name)
            if definition is None:
                continue
            if name not in self._definitions:
                self._definitions[name] = frozenset(_names(definition))
            fresh = self._definitions[name] - found
            found |= fresh
            waiting += fresh
        return found


def _names(node: Structure | FunctionDefinition) -> Iterable[str]:
    for each in walk(node):
        if isinstance(each, Name | Call | ConstructorPattern | NamedType | AppliedType):
            yield canonical_name(each.name.rpartition("::")[2])
        elif not isinstance(each, Binder) and hasattr(each, "name"):
            yield canonical_name(each.name)


def component(
    start: frozenset[Link],
    sections: Mapping[str, Structure],
    names: SectionNames,
    links: Callable[[str], frozenset[Link]],
) -> tuple[str, ...]:
    """The sections that chains of links lead to, in order of declaration.

    `links` elaborates a section and gives its links; it is asked only of sections that mention a name in question.
    """
    found: dict[str, frozenset[Link]] = {}
    reached = set(start)
    grown = True
    while grown:
        grown = False
        wanted = names_of_links(reached)
        for name, structure in sections.items():
            if name in found or not names.of(structure) & wanted:
                continue
            mine = links(name)
            if mine & reached:
                found[name] = mine
                grown = grown or not mine <= reached
                reached |= mine
    return tuple(name for name in sections if name in found)
