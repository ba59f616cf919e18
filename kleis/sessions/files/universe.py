"""A session as one immutable theory: what it imports, its items, and which declarations depend on which names.

Adding an item to a session of a thousand costs about what adding it to an empty one does.

Invariants
    * A universe never changes; one with another item shares everything with the one before.
    * `depending_on(names)` contains every declaration that a name leads to, directly or through what it stands for.
    * Item number n is shown as file ``SESSION#n``; places in it count from the item's own first line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TypeAlias

import msgspec
from rpds import HashTrieMap, List

from kleis.sessions.files.imported_theory import ImportedTheory
from kleis.sessions.files.record import Item
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.name_dependencies import names_used
from kleis.theory.theory import Entry, Theory

__all__ = ["Universe", "declared_names", "item_file"]

Index: TypeAlias = "HashTrieMap[str, List[Entry]]"


class Universe(msgspec.Struct, frozen=True, eq=False):
    """One state of a session.  `before` is the state without the last item; None where there is no item."""

    session: str
    imported: ImportedTheory
    theory: Theory
    count: int = 0
    last: Item | None = None
    before: Universe | None = None
    index: Index = msgspec.field(default_factory=HashTrieMap)
    stale: bool = False
    """Whether the imports changed since the items were checked."""

    @classmethod
    def of(cls, session: str, imported: ImportedTheory, *, stale: bool = False) -> Universe:
        """A universe without items."""
        return cls(
            session=session,
            imported=imported,
            theory=imported.theory,
            index=_imported_index(imported),
            stale=stale,
        )

    def extended(self, item: Item, program: tree.Program, theory: Theory) -> Universe:
        """The universe with one more item; `theory` is this one's with the program's declarations."""
        index = self.index
        for declaration in program.items:
            index = _indexed(index, Entry(declaration, program.file))
        return Universe(
            session=self.session,
            imported=self.imported,
            theory=theory,
            count=self.count + 1,
            last=item,
            before=self,
            index=index,
            stale=self.stale,
        )

    def items(self) -> list[Item]:
        """The items, first one first."""
        found: list[Item] = []
        universe: Universe | None = self
        while universe is not None and universe.last is not None:
            found.append(universe.last)
            universe = universe.before
        return found[::-1]

    def entries(self) -> tuple[Entry, ...]:
        """The session's own declarations, in order."""
        return self.theory.entries[len(self.imported.theory) :]

    def is_own(self, file: str) -> bool:
        """Whether the file of a place is one of the session's items."""
        return file.startswith(f"{self.session}#")

    def depending_on(self, names: Collection[str], *, of: Collection[str] = ()) -> list[Entry]:
        """The declarations that depend on some names, directly or not; those of names in `of` are left out."""
        seen: dict[int, Entry] = {}
        waiting = list(names)
        asked = set(waiting)
        while waiting:
            name = waiting.pop()
            for entry in self.index.get(name, ()):
                declaration = entry.declaration
                if id(declaration) in seen or (
                    isinstance(declaration, tree.Structure) and name in _own(declaration)
                ):
                    continue
                seen[id(declaration)] = entry
                fresh = set(declared_names(declaration)) - asked
                asked |= fresh
                waiting += fresh
        return [
            entry
            for entry in seen.values()
            if isinstance(entry.declaration, tree.Lemma) or getattr(entry.declaration, "name", "") not in of
        ]


def item_file(session: str, number: int) -> str:
    """The file name of item `number` of a session in places."""
    return f"{session}#{number}"


def declared_names(declaration: tree.Declaration) -> Iterator[str]:
    """The global names that a declaration declares: its own, its constructors, a section's members."""
    name = getattr(declaration, "name", None)
    if isinstance(
        declaration, tree.Example | tree.Annotation | tree.Import | tree.Implements | tree.Lemma
    ) or not isinstance(name, str):
        return
    yield canonical_name(name)
    for variant in getattr(declaration, "variants", ()):
        yield variant.name
    if isinstance(declaration, tree.Structure) and not declaration.parameters:
        yield from (canonical_name(each.name) for each in declaration.members)


def _own(structure: tree.Structure) -> frozenset[str]:
    """The names that stand for a structure's own members, wherever else they are declared."""
    if not structure.parameters:
        return frozenset()
    return frozenset(
        canonical_name(each.name) for each in structure.members if not isinstance(each, tree.NestedStructure)
    )


def _indexed(index: Index, entry: Entry) -> Index:
    declaration = entry.declaration
    if isinstance(declaration, tree.Import | tree.Annotation | tree.Example):
        return index
    for name in _names_mentioned(declaration):
        known: List[Entry] = index.get(name, List())
        index = index.insert(name, known.push_front(entry))
    return index


def _names_mentioned(declaration: tree.Declaration) -> frozenset[str]:
    """The names that a declaration mentions, without those bound in a whole member: parameters, outer quantifiers."""
    if isinstance(declaration, tree.Lemma):
        return frozenset(_free(declaration.proposition))
    if not isinstance(declaration, tree.Structure | tree.FunctionDefinition):
        return frozenset(names_used(declaration))
    found: set[str] = set()
    members = declaration.members if isinstance(declaration, tree.Structure) else (declaration,)
    if isinstance(declaration, tree.Structure):
        found.update(names_used(msgspec.structs.replace(declaration, members=())))
    for member in members:
        match member:
            case tree.Axiom():
                found |= _free(member.proposition)
            case tree.FunctionDefinition():
                inner = {each.name for each in member.parameters}
                types = [each.type for each in member.parameters if each.type is not None]
                found |= set(names_used(member.body)) - inner
                found.update(name for each in types for name in names_used(each))
                found.add(canonical_name(member.name))
                found.update(names_used(member.result) if member.result is not None else ())
                found.update(
                    name for each in member.decreases for name in names_used(each) if name not in inner
                )
            case _:
                found.update(names_used(member))
    return frozenset(found)


def _free(proposition: tree.Expression) -> set[str]:
    """The names in a proposition without those that its outermost quantifiers bind."""
    bound: set[str] = set()
    types: set[str] = set()
    conditions: set[str] = set()
    while isinstance(proposition, tree.Quantifier):
        for binder in proposition.binders:
            bound.add(binder.name)
            types.update(names_used(binder.type))
        if proposition.where is not None:
            conditions.update(names_used(proposition.where))
        proposition = proposition.body
    return types | conditions | (set(names_used(proposition)) - bound)


@lru_cache(maxsize=32)
def _imported_index(imported: ImportedTheory) -> Index:
    index: Index = HashTrieMap()
    for entry in imported.theory.entries:
        index = _indexed(index, entry)
    return index
