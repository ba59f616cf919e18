"""The sections linked to a proposition.

Sections (structures without parameters) are linked by what their axioms and declarations share: declared symbols,
opaque sorts, data types, incomplete built-ins, directly or through definitions.  A proposition uses every section that
a chain of links leads to.  An axiom without a link is about built-ins alone: an obligation, not an assumption.

Names are looked up before anything is elaborated (`kleis.theory.name_dependencies`), so that among a thousand sections
only those that may be linked are looked at and elaborated.  See docs/reference/proving.md §2.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from kleis.core import Carrier, DataSort, Symbol
from kleis.core.sort_printing import sorts_text
from kleis.core.traversal import Reached
from kleis.elaborate.scopes.scope import Scope
from kleis.theory.name_dependencies import NameDependencies

__all__ = ["Link", "component", "links_of", "links_of_names", "names_of_links"]

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


def links_of_names(names: Iterable[str], scope: Scope) -> frozenset[Link]:
    """The links of a text that could not be elaborated: the symbols that its names can only mean."""
    reached = Reached()
    for name in names:
        candidates = scope.candidates(name)
        if len(candidates) == 1 and isinstance(candidates[0], Symbol):
            reached.symbols.setdefault(candidates[0])
    return links_of(reached)


def names_of_links(links: Iterable[Link]) -> frozenset[str]:
    """The names that a section must mention to have one of the links."""
    return frozenset(name.split(" : ")[0].rpartition("::")[2] for _, name in links)


def component(
    start: frozenset[Link],
    names: NameDependencies,
    links: Callable[[str], frozenset[Link]],
) -> tuple[str, ...]:
    """The sections that chains of links lead to, in order of declaration.

    `links` elaborates a section and gives its links; it is asked only of sections that mention a name in question.
    """
    found: dict[str, int] = {}
    reached = set(start)
    grown = True
    while grown:
        grown = False
        for place, name in names.sections_with(names_of_links(reached)):
            if name in found:
                continue
            mine = links(name)
            if mine & reached:
                found[name] = place
                grown = grown or not mine <= reached
                reached |= mine
    return tuple(sorted(found, key=found.__getitem__))
