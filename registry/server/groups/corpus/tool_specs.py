"""The tools of the group `corpus` as clients see them (docs/reference/serving.md §6.6)."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

import msgspec

from registry.server.contract.schemas import Natural, choice, spec, switch, text, whole

__all__ = ["BRIEF", "INSTRUCTIONS", "MORE_TOOLS", "TOOLS"]

INSTRUCTIONS = """\
Corpus: papers whose claims are linked to Lean declarations. Read-only.
- what a paper proves: `list_declarations_for_paper` (merge: one row a declaration; lean_source: read from the Lean text)
- one Lean file of it: `list_declarations_in_file`
- what a declaration needs, or what breaks when it changes: `get_dependency_graph_for_declaration` with direction \
"dependencies" or "dependents"
Unknown ids are errors that list near ones. Papers: resource corpus://index."""

BRIEF = """\
Corpus: papers with claims linked to Lean declarations, read-only. `list_declarations_for_paper` (merge: true), \
`list_declarations_in_file`, `get_dependency_graph_for_declaration` (direction: dependencies or dependents). \
Papers: resource corpus://index."""

MOST = 1_000
"""Rows of an answer, and nodes of a graph."""

Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class ListPaper(msgspec.Struct, frozen=True):
    paper_id: str
    merge: bool = False
    lean_source: bool = False
    offset: Natural = 0
    limit: Limit = 500


class ListFile(msgspec.Struct, frozen=True):
    paper_id: str
    file_path: str = ""
    match: Literal["substring", "suffix", "exact"] = "substring"
    merge: bool = False
    offset: Natural = 0
    limit: Limit = 500


class DependencyGraph(msgspec.Struct, frozen=True):
    paper_id: str
    lean_decl: str
    direction: Literal["dependencies", "dependents", "both"] | None = None
    depth: Natural = 0
    max_nodes: Limit = 200
    min_confidence: Literal["low", "medium", "high"] | None = None
    across_papers: bool = False
    basis: bool = False


class Search(msgspec.Struct, frozen=True):
    query: str
    paper_id: str | None = None
    offset: Natural = 0
    limit: Limit = 50


class ListPapers(msgspec.Struct, frozen=True):
    pass


class Audit(msgspec.Struct, frozen=True):
    paper_id: str


def _page(limit: int) -> dict[str, Any]:
    return {
        "offset": whole(0, default=0),
        "limit": whole(1, MOST, default=limit),
    }


_query = partial(spec, read_only=True, idempotent=True)
"""A tool that only reads."""

_PAPER = text("The paper's id: its folder's name, as corpus://index lists it.")
_MERGE = switch("One row a declaration, with card, claim and `sources`, instead of one a source.")

TOOLS = (
    _query(
        "list_declarations_for_paper",
        "Declarations of a paper",
        "List the Lean declarations of a paper. Plain: one row for each name of the manifest's index and one for each "
        "theorem card, as {lean_decl, source, file_path, proof_status}. merge: one row a declaration. lean_source: the "
        "declarations read from the Lean text, with lines, signature and has_sorry, also those without a card.",
        ListPaper,
        {
            "paper_id": _PAPER,
            "merge": _MERGE,
            "lean_source": switch("Read the paper's Lean files, where they are at hand."),
            **_page(500),
        },
        {"paper_id": "langmuir_1918_adsorption", "merge": True},
    ),
    _query(
        "list_declarations_in_file",
        "Declarations in a file",
        "List the declarations of a paper that stand in one Lean file. A blank file_path keeps all.",
        ListFile,
        {
            "paper_id": _PAPER,
            "file_path": text("The file's path or a part of it; see `match`."),
            "match": choice(
                ("substring", "suffix", "exact"),
                "substring: occurs in the path; suffix: whole components at its end; exact.",
                default="substring",
            ),
            "merge": _MERGE,
            **_page(500),
        },
        {"paper_id": "langmuir_1918_adsorption", "file_path": "Langmuir1918.lean", "match": "suffix"},
    ),
    _query(
        "get_dependency_graph_for_declaration",
        "Dependencies of a declaration",
        "Show what a declaration depends on, and what depends on it. Plain: its cards, their dependency_ids and the "
        "paper's whole graph. With `direction`: only the part around it, as nodes with distance, edges, topological "
        "order and cycles; direction dependents with depth 0 is everything that a change may break.",
        DependencyGraph,
        {
            "paper_id": _PAPER,
            "lean_decl": text("The declaration's full name; with direction also a card's id."),
            "direction": choice(("dependencies", "dependents", "both")),
            "depth": whole(0, default=0, description="Steps from the declaration; 0 has no limit."),
            "max_nodes": whole(1, MOST, default=200),
            "min_confidence": choice(("low", "medium", "high")),
            "across_papers": switch("Follow dependencies into other papers."),
            "basis": switch("Say of each edge what in the Lean text it rests on."),
        },
        {
            "paper_id": "langmuir_1918_adsorption",
            "lean_decl": "ScientificMemory.Chemistry.Adsorption.Langmuir1918.langmuir_recip_denom",
            "direction": "dependencies",
        },
    ),
)

MORE_TOOLS = (
    _query(
        "search_declarations",
        "Search declarations",
        "Find declarations by words in their names, claims, files or papers. Every word must occur; best matches first.",
        Search,
        {"query": text("Words, in any case."), "paper_id": text("Only this paper."), **_page(50)},
        {"query": "langmuir denominator"},
    ),
    _query(
        "list_papers",
        "Papers",
        "List the papers of the corpus with sizes and whether their build hash is true (fresh, fresh_crlf, stale).",
        ListPapers,
        {},
        {},
    ),
    _query(
        "audit_paper",
        "Audit a paper",
        "Check a paper's files against each other, against its build hash and against its Lean text: broken links, "
        "cycles, and for each published edge its basis (source, via_uncarded_definition, unsupported, no_source).",
        Audit,
        {"paper_id": _PAPER},
        {"paper_id": "langmuir_1918_adsorption"},
    ),
)
