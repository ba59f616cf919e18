"""What in the Lean text a published edge rests on.  See docs/reference/corpus.md §3.1.

=============================  ==========================================================================================
``source``                     the dependent's text names the declaration
``via_uncarded_definition``    both texts name a definition that has no card
``unsupported``                neither
``no_source``                  a text is not at hand, or has no such declaration
=============================  ==========================================================================================

References between declarations with cards that no edge publishes are `missing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.corpus.graph import edge_row
from kleis.corpus.lean_source import LIMITS, LeanDeclaration, read_lean, references
from kleis.corpus.reading import Corpus, Paper
from kleis.corpus.records import Edge

__all__ = ["Basis", "SourceView", "source_view"]

Basis: TypeAlias = Literal["source", "via_uncarded_definition", "unsupported", "no_source"]


class SourceView(msgspec.Struct, frozen=True):
    """A paper's Lean files as read: declarations by name, their references, and which of them have cards."""

    files: tuple[str, ...]
    absent: tuple[str, ...]
    declarations: Mapping[str, LeanDeclaration]
    references: Mapping[str, tuple[str, ...]]
    carded: Mapping[str, str]
    """Names of declarations by the ids of their cards."""
    names: frozenset[str]
    """The names that have a card."""

    def basis(self, edge: Edge) -> tuple[Basis, tuple[str, ...]]:
        """What an edge rests on, and the definitions that it goes through."""
        needed, needing = self.carded.get(edge.source, ""), self.carded.get(edge.target, "")
        if needed not in self.references or needing not in self.references:
            return "no_source", ()
        if needed in self.references[needing]:
            return "source", ()
        shared = [
            name
            for name in self.references[needing]
            if name not in self.names and name in self.references[needed]
        ]
        return ("via_uncarded_definition", tuple(shared)) if shared else ("unsupported", ())

    def rows(self, edges: Iterable[Edge]) -> list[dict[str, Any]]:
        """Edges with their basis."""
        rows = []
        for edge in edges:
            basis, through = self.basis(edge)
            rows.append({**edge_row(edge), "basis": basis, **({"via": list(through)} if through else {})})
        return rows

    def missing(self, edges: Iterable[Edge]) -> list[dict[str, Any]]:
        """References between carded declarations that no edge publishes."""
        published = {(edge.source, edge.target) for edge in edges}
        ids = self._cards()
        return [
            {"from": ids[needed], "to": card, "basis": "source"}
            for card, name in self.carded.items()
            for needed in self.references.get(name, ())
            if needed in ids and (ids[needed], card) not in published
        ]

    def listing(self) -> list[dict[str, Any]]:
        """The declarations of the text, in order, each with its card if it has one."""
        ids = self._cards()
        return [
            {
                "lean_decl": found.name,
                "kind": found.kind,
                "line": found.line,
                "end_line": found.end_line,
                "signature": found.signature,
                "has_sorry": found.has_sorry,
                "card_id": ids.get(found.name),
            }
            for found in self.declarations.values()
        ]

    def _cards(self) -> dict[str, str]:
        """The card of each declaration, the first where several have its name."""
        return {name: card for card, name in reversed(tuple(self.carded.items()))}

    @property
    def limits(self) -> tuple[str, ...]:
        """What reading the text cannot see."""
        return LIMITS


def source_view(corpus: Corpus, paper: Paper) -> SourceView:
    """Read the Lean files that a paper's cards and mapping name."""
    names = dict.fromkeys([*(card.file_path for card in paper.cards), paper.mapping.target_file])
    files: list[str] = []
    absent: list[str] = []
    declarations: dict[str, LeanDeclaration] = {}
    for name in filter(None, names):
        text = corpus.lean_text(name)
        if text is None:
            absent.append(name)
            continue
        files.append(name)
        for found in read_lean(text).declarations:
            if found.name:
                declarations.setdefault(found.name, found)
    return SourceView(
        files=tuple(files),
        absent=tuple(absent),
        declarations=declarations,
        references={name: references(each, declarations) for name, each in declarations.items()},
        carded={card.id: card.lean_decl for card in paper.cards},
        names=frozenset(card.lean_decl for card in paper.cards),
    )
