"""The arguments of the tools of the group `corpus`, one type a tool."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = [
    "MOST",
    "Audit",
    "DependencyGraph",
    "ListFile",
    "ListPaper",
    "ListPapers",
    "Request",
    "Search",
]

MOST = 1_000
"""Rows of an answer, and nodes of a graph."""

Natural = Annotated[int, Meta(ge=0)]
Limit = Annotated[int, Meta(ge=1, le=MOST)]
PaperId = Annotated[str, Meta(description="The paper's id: its folder's name, as corpus://index lists it.")]
Merge = Annotated[
    bool,
    Meta(description="One row a declaration, with card, claim and `sources`, instead of one a source."),
]


class ListPaper(msgspec.Struct, frozen=True):
    """The declarations of a paper."""

    paper_id: PaperId
    merge: Merge = False
    lean_source: Annotated[bool, Meta(description="Read the paper's Lean files, where they are at hand.")] = (
        False
    )
    offset: Natural = 0
    limit: Limit = 500


class ListFile(msgspec.Struct, frozen=True):
    """The declarations of a paper in one Lean file; in all files for a blank `file_path`."""

    paper_id: PaperId
    file_path: Annotated[str, Meta(description="The file's path or a part of it; see `match`.")] = ""
    match: Annotated[
        Literal["substring", "suffix", "exact"],
        Meta(description="substring: occurs in the path; suffix: whole components at its end; exact."),
    ] = "substring"
    merge: Merge = False
    offset: Natural = 0
    limit: Limit = 500


class DependencyGraph(msgspec.Struct, frozen=True):
    """What a declaration needs, and what needs it."""

    paper_id: PaperId
    lean_decl: Annotated[
        str, Meta(description="The declaration's full name; with direction also a card's id.")
    ]
    direction: Literal["dependencies", "dependents", "both"] | None = None
    depth: Annotated[Natural, Meta(description="Steps from the declaration; 0 has no limit.")] = 0
    max_nodes: Limit = 200
    min_confidence: Literal["low", "medium", "high"] | None = None
    across_papers: Annotated[bool, Meta(description="Follow dependencies into other papers.")] = False
    basis: Annotated[bool, Meta(description="Say of each edge what in the Lean text it rests on.")] = False


class Search(msgspec.Struct, frozen=True):
    """Declarations by words."""

    query: Annotated[str, Meta(description="Words, in any case.")]
    paper_id: Annotated[str | None, Meta(description="Only this paper.")] = None
    offset: Natural = 0
    limit: Limit = 50


class ListPapers(msgspec.Struct, frozen=True):
    """The papers of the corpus."""


class Audit(msgspec.Struct, frozen=True):
    """A paper to be checked."""

    paper_id: PaperId


Request = ListPaper | ListFile | DependencyGraph | Search | ListPapers | Audit
