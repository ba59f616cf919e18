"""Facts about all structures of a theory, kept up to date as it grows.

Adding to a session of a thousand structures must cost about what adding to an empty one does, so nothing that a
submission needs may walk through all of them.

Invariant: `with_structure` of every structure in scope, in order, gives what a walk through them would.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rpds import HashTrieSet, Queue

from kleis.syntax import tree

__all__ = ["StructureSummary"]

_NO_NAMES: HashTrieSet[str] = HashTrieSet()
_NO_STRUCTURES: Queue[tree.Structure] = Queue()


class StructureSummary(msgspec.Struct, frozen=True):
    """Immutable; start with `StructureSummary()`.

    carriers
        The parameters of structures.
    renamed
        The new names of renaming clauses.
    heirs
        The structures without parameters that inherit or hold members of other structures, in order of declaration.
    """

    carriers: HashTrieSet[str] = _NO_NAMES
    renamed: HashTrieSet[str] = _NO_NAMES
    heirs: Queue[tree.Structure] = _NO_STRUCTURES

    def with_structure(self, structure: tree.Structure) -> StructureSummary:
        """The summary with one more structure."""
        heirs = self.heirs
        if not structure.parameters and _inherits(structure):
            heirs = heirs.enqueue(structure)
        return StructureSummary(
            self.carriers.update(each.name for each in structure.parameters),
            self.renamed.update(each.new for each in _renamings(structure)),
            heirs,
        )


def _inherits(structure: tree.Structure) -> bool:
    nested = any(isinstance(each, tree.NestedStructure) for each in structure.members)
    return bool(structure.extends or structure.over or nested)


def _renamings(structure: tree.Structure) -> Iterator[tree.Renaming]:
    """The renamings of a structure and of the structures nested in it."""
    pending: list[tree.Structure | tree.NestedStructure] = [structure]
    for each in pending:
        yield from each.renamings
        pending += [member for member in each.members if isinstance(member, tree.NestedStructure)]
