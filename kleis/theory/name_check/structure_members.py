"""The members of a structure: its own, those of its parents, and those that a renaming introduces.

See docs/reference/kleis.md §5.4.  Members of a nested structure are reached as ``S::nested::x``; renamed ones are
members of the outer structure too.

Invariants
    * Own members come before inherited ones of the same name, ``extends`` before ``over``.
    * Ends on any theory, also where inheritance is circular, and without recursion: chains may be long.  A structure
      shares the members of its parent, so a chain costs what its text costs.
    * The work is bounded: where two large inheritances meet again and again, the answer becomes "cannot tell"
      (None), and the caller reports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from rpds import HashTrieMap

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.theory import Theory

__all__ = ["Members", "circular", "head_name", "needed"]

_Table: TypeAlias = "HashTrieMap[str, tree.StructureMember]"

_MOST_COPIES = 500_000
"""Members copied from one table to another in one check; then the answer is "cannot tell"."""


def head_name(expression: tree.TypeExpression | None) -> str | None:
    """The name a structure reference begins with: ``Ring`` of ``Ring(ℤ)``; None if it is no such reference."""
    return expression.name if isinstance(expression, tree.NamedType | tree.AppliedType) else None


def needed(members: Mapping[str, tree.StructureMember]) -> Iterator[str]:
    """The names that an implementation has to give: not axioms, definitions or nested structures."""
    for name, member in members.items():
        if isinstance(member, tree.OperationDeclaration | tree.ElementDeclaration | tree.Field):
            yield name


def circular(graph: Mapping[str, set[str]]) -> frozenset[str]:
    """The nodes of a graph that lie on a cycle, or on a path between two cycles."""
    return frozenset(_without_ends(_reversed(_without_ends(graph))))


class Members:
    """The members of the structures of one theory, computed on first use."""

    def __init__(self, theory: Theory) -> None:
        self._theory = theory
        self._tables: dict[str, _Table | None] = {}
        self._copies = _MOST_COPIES
        self._circular: frozenset[str] | None = None

    def of(self, name: str) -> Mapping[str, tree.StructureMember] | None:
        """The members of a structure by the name they have in it; empty if it is not declared."""
        return self._table(name)

    def at(self, path: tuple[str, ...]) -> tuple[bool, Mapping[str, tree.StructureMember] | None]:
        """Whether a path (``("Ring", "additive")``) leads to a structure, and its members."""
        if path[0] not in self._theory.structures:
            return False, None
        here: Mapping[str, tree.StructureMember] | None = self._table(path[0])
        for step in path[1:]:
            if here is None:
                return True, None
            nested = here.get(step)
            if not isinstance(nested, tree.NestedStructure):
                return False, None
            here = self._nested(nested)
        return True, here

    @property
    def circular(self) -> frozenset[str]:
        """The structures whose inheritance is circular."""
        if self._circular is None:
            structures = self._theory.structures
            up = {
                name: {parent for parent, _ in _parents(structure) if parent in structures}
                for name, structure in structures.items()
            }
            self._circular = circular(up)
        return self._circular

    def ancestors(self, name: str) -> Iterator[str]:
        """The declared structures a structure inherits from, nearest first; each once, never itself."""
        seen = {name}
        pending = [name]
        for each in pending:
            structure = self._theory.structures.get(each)
            for parent, _ in _parents(structure) if structure is not None else ():
                if parent not in seen and parent in self._theory.structures:
                    seen.add(parent)
                    pending.append(parent)
                    yield parent

    def _nested(self, nested: tree.NestedStructure) -> _Table | None:
        table = self._table(head_name(nested.type) or "")
        if table is None:
            return None
        for renaming in nested.renamings:
            if renaming.old in table:
                table = table.insert(renaming.new, table[renaming.old])
        for member in nested.members:
            table = table.insert(canonical_name(member.name), member)
        return table

    def _table(self, name: str) -> _Table | None:
        """The members of a structure; those of the structures that it needs are computed first.

        A structure that is already being computed closes a circle and is left out.
        """
        waiting = [name]
        opened: set[str] = set()
        while waiting:
            current = waiting[-1]
            structure = self._theory.structures.get(current)
            if current in self._tables:
                waiting.pop()
            elif structure is None:
                self._tables[current] = HashTrieMap()
            elif current in opened:
                self._tables[current] = self._assemble(structure)
            else:
                opened.add(current)
                waiting += [each for each in _needs(structure) if each not in opened]
        return self._tables[name]

    def _assemble(self, structure: tree.Structure) -> _Table | None:
        """The table of a structure whose needs are known; needs that are not there close a circle."""
        table: _Table = HashTrieMap()
        for parent, renamings in _parents(structure):
            above = self._tables.get(parent, HashTrieMap())
            if above is None:
                return None
            for renaming in renamings:
                if renaming.old in above:
                    member = above[renaming.old]
                    above = above.remove(renaming.old).insert(renaming.new, member)
            merged = self._merge(table, above)
            if merged is None:
                return None
            table = merged
        for member in structure.members:
            if isinstance(member, tree.NestedStructure):
                source = self._tables.get(head_name(member.type) or "") or HashTrieMap()
                for renaming in member.renamings:
                    if renaming.old in source:
                        table = table.insert(renaming.new, source[renaming.old])
        for member in structure.members:
            table = table.insert(canonical_name(member.name), member)
        return table

    def _merge(self, first: _Table, second: _Table) -> _Table | None:
        """Both tables; where they have the same name, the first one's member."""
        if not first or first is second:
            return second
        smaller, larger = sorted((first, second), key=len)
        self._copies -= len(smaller)
        if self._copies < 0:
            return None
        for name, member in smaller.items():
            if smaller is first or name not in larger:
                larger = larger.insert(name, member)
        return larger


def _parents(structure: tree.Structure) -> list[tuple[str, tuple[tree.Renaming, ...]]]:
    """The structures whose members a structure shares, with the renamings in between."""
    found: list[tuple[str, tuple[tree.Renaming, ...]]] = []
    for reference, renamings in ((structure.extends, structure.renamings), (structure.over, ())):
        name = head_name(reference)
        if name is not None:
            found.append((name, renamings))
    return found


def _needs(structure: tree.Structure) -> Iterator[str]:
    """The structures whose members have to be known first."""
    for parent, _ in _parents(structure):
        yield parent
    for member in structure.members:
        if isinstance(member, tree.NestedStructure) and member.renamings:
            yield head_name(member.type) or ""


def _reversed(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets & graph.keys():
            found[target].add(name)
    return found


def _without_ends(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What is left of a graph when nodes that lead nowhere are taken away until there are none."""
    left = {name: targets & graph.keys() for name, targets in graph.items()}
    back = _reversed(left)
    ends = [name for name, targets in left.items() if not targets]
    for end in ends:
        for source in back[end]:
            left[source].discard(end)
            if not left[source]:
                ends.append(source)
        del left[end]
    return left
