"""The tools of the group `corpus` as clients see them (docs/reference/serving.md §6.6)."""

from __future__ import annotations

from kleis.corpus.answer_shapes import (
    AuditAnswer,
    DeclarationsAnswer,
    GraphAnswer,
    PapersAnswer,
    SliceAnswer,
)
from registry.server.contract.group import ToolSpec
from registry.server.groups.corpus import requests

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

TOOLS = (
    ToolSpec(
        name="list_declarations_for_paper",
        title="Declarations of a paper",
        description="List the Lean declarations of a paper. Plain: one row for each name of the manifest's index and one for each "
        "theorem card, as {lean_decl, source, file_path, proof_status}. merge: one row a declaration. lean_source: the "
        "declarations read from the Lean text, with lines, signature and has_sorry, also those without a card.",
        arguments=requests.ListPaper,
        answers=(DeclarationsAnswer,),
        example={"paper_id": "langmuir_1918_adsorption", "merge": True},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="list_declarations_in_file",
        title="Declarations in a file",
        description="List the declarations of a paper that stand in one Lean file. A blank file_path keeps all.",
        arguments=requests.ListFile,
        answers=(DeclarationsAnswer,),
        example={"paper_id": "langmuir_1918_adsorption", "file_path": "Langmuir1918.lean", "match": "suffix"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="get_dependency_graph_for_declaration",
        title="Dependencies of a declaration",
        description="Show what a declaration depends on, and what depends on it. Plain: its cards, their dependency_ids and the "
        "paper's whole graph. With `direction`: only the part around it, as nodes with distance, edges, topological "
        "order and cycles; direction dependents with depth 0 is everything that a change may break.",
        arguments=requests.DependencyGraph,
        answers=(GraphAnswer, SliceAnswer),
        example={
            "paper_id": "langmuir_1918_adsorption",
            "lean_decl": "ScientificMemory.Chemistry.Adsorption.Langmuir1918.langmuir_recip_denom",
            "direction": "dependencies",
        },
        read_only=True,
        idempotent=True,
    ),
)

MORE_TOOLS = (
    ToolSpec(
        name="search_declarations",
        title="Search declarations",
        description="Find declarations by words in their names, claims, files or papers. Every word must occur; best matches first.",
        arguments=requests.Search,
        answers=(DeclarationsAnswer,),
        example={"query": "langmuir denominator"},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="list_papers",
        title="Papers",
        description="List the papers of the corpus with sizes and whether their build hash is true (fresh, fresh_crlf, stale).",
        arguments=requests.ListPapers,
        answers=(PapersAnswer,),
        example={},
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="audit_paper",
        title="Audit a paper",
        description="Check a paper's files against each other, against its build hash and against its Lean text: broken links, "
        "cycles, and for each published edge its basis (source, via_uncarded_definition, unsupported, no_source).",
        arguments=requests.Audit,
        answers=(AuditAnswer,),
        example={"paper_id": "langmuir_1918_adsorption"},
        read_only=True,
        idempotent=True,
    ),
)
