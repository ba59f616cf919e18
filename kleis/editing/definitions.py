"""What a name is, over the files of a program: where it is declared, and where it is used.

Invariant: where the structures do not decide between declarations of one name, all of them are answered; which one an
expression means is for elaboration to say, by sorts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kleis.editing.declared_names import Declaration
from kleis.editing.occurrences import Document, Occurrence
from kleis.syntax import tree
from kleis.theory.name_check.structure_members import Members
from kleis.theory.theory import Theory

__all__ = ["DeclaredAt", "Spot", "declared_at", "places_of"]


class Spot(NamedTuple):
    """A range of a file, in code points."""

    file: str
    start: int
    end: int


class DeclaredAt(NamedTuple):
    """A declaration and the document that it is in."""

    document: Document
    declaration: Declaration

    @property
    def spot(self) -> Spot:
        """The name."""
        return Spot(self.document.file, self.declaration.start, self.declaration.end)


def declared_at(
    document: Document, occurrence: Occurrence, files: Iterable[Document], theory: Theory
) -> list[DeclaredAt]:
    """The declarations that a global name may mean, among `files`; empty for a local one.

    Inside of a structure or an implementation its own members come first, and hide those of others.
    """
    if occurrence.local >= 0:
        return []
    found = [
        DeclaredAt(each, declaration)
        for each in files
        if occurrence.name in each.names
        for declaration in each.declarations
        if declaration.name == occurrence.name and declaration.space == occurrence.space
    ]
    if occurrence.declares:
        here = Spot(document.file, occurrence.start, occurrence.end)
        return [each for each in found if each.spot == here]
    owner = occurrence.owner or _around(document, occurrence)
    if len(found) < 2 or not owner:
        return found
    own = [each for each in found if each.declaration.owner == owner]
    if own:
        return own
    members = Members(theory).at(tree.split_name(owner))[1] or {}
    member = members.get(occurrence.name)
    inherited = [each for each in found if each.declaration.node is member]
    return inherited or found


def _around(document: Document, occurrence: Occurrence) -> str:
    """The structure whose text a name stands in, or that is implemented there."""
    item = document.item_at(occurrence.start)
    return item.name if isinstance(item, tree.Structure | tree.Implements) else ""


def places_of(document: Document, occurrence: Occurrence, files: Iterable[Document]) -> Iterator[Spot]:
    """Every place of what a name means, its declaration included, in `files`.

    A global name is taken as a whole: all its declarations and uses.
    """
    if occurrence.local >= 0:
        for each in document.occurrences:
            if each.local == occurrence.local:
                yield Spot(document.file, each.start, each.end)
        return
    for file in files:
        if occurrence.name not in file.names:
            continue
        for each in file.occurrences:
            if each.local < 0 and each.name == occurrence.name and each.space == occurrence.space:
                yield Spot(file.file, each.start, each.end)
