"""Facts about all structures of a theory, kept up to date as it grows.

Adding to a session of a thousand structures must cost about what adding to an empty one does, so nothing that a
submission needs may walk through all of them.

Invariant: `with_structure` of every structure in scope, in order, gives what a walk through them would.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rpds import HashTrieMap, HashTrieSet, Queue

from kleis.syntax import tree
from kleis.syntax.operators import canonical_name

__all__ = ["StructureSummary"]

_NO_NAMES: HashTrieSet[str] = HashTrieSet()
_NO_STRUCTURES: Queue[tree.Structure] = Queue()
_NO_PLACES: Queue[tuple[int, str]] = Queue()
_NO_MEMBERS: HashTrieMap[str, Queue[tuple[int, str]]] = HashTrieMap()


class StructureSummary(msgspec.Struct, frozen=True):
    """Immutable; start with `StructureSummary()`.

    carriers
        The parameters of structures.
    renamed
        The new names of renaming clauses.
    heirs
        The structures without parameters that inherit or hold members of other structures, in order of declaration.
    number
        How many structures there are.
    declaring
        Of the structures with parameters that have no members but their own: the places in the order of declaration
        and the names of those that declare a member, by its name.
    sharing
        The places and names of the other structures with parameters: those that inherit, or hold members of others.
    """

    carriers: HashTrieSet[str] = _NO_NAMES
    renamed: HashTrieSet[str] = _NO_NAMES
    heirs: Queue[tree.Structure] = _NO_STRUCTURES
    number: int = 0
    declaring: HashTrieMap[str, Queue[tuple[int, str]]] = _NO_MEMBERS
    sharing: Queue[tuple[int, str]] = _NO_PLACES

    def with_structure(self, structure: tree.Structure) -> StructureSummary:
        """The summary with one more structure."""
        heirs, declaring, sharing = self.heirs, self.declaring, self.sharing
        place = (self.number, structure.name)
        if not structure.parameters:
            heirs = heirs.enqueue(structure) if _inherits(structure) else heirs
        elif _inherits(structure):
            sharing = sharing.enqueue(place)
        else:
            for name in {canonical_name(each.name) for each in structure.members}:
                declaring = declaring.insert(name, declaring.get(name, _NO_PLACES).enqueue(place))
        return StructureSummary(
            self.carriers.update(each.name for each in structure.parameters),
            self.renamed.update(each.new for each in _renamings(structure)),
            heirs,
            self.number + 1,
            declaring,
            sharing,
        )

    def possible_owners(self, member: str) -> Iterator[str]:
        """The structures with parameters that may have a member of this name, in order of declaration.

        Those that have no members but their own have it; of the others, which are few, all are named.
        """
        for _, name in sorted((*self.declaring.get(member, _NO_PLACES), *self.sharing)):
            yield name


def _inherits(structure: tree.Structure) -> bool:
    nested = any(isinstance(each, tree.NestedStructure) for each in structure.members)
    return bool(structure.extends or structure.over or nested)


def _renamings(structure: tree.Structure) -> Iterator[tree.Renaming]:
    """The renamings of a structure and of the structures nested in it."""
    pending: list[tree.Structure | tree.NestedStructure] = [structure]
    for each in pending:
        yield from each.renamings
        pending += [member for member in each.members if isinstance(member, tree.NestedStructure)]
