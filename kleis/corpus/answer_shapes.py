"""The fields of answers about the corpus. They are built as these types, and the schemas of answers made from them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

__all__ = ["AuditAnswer", "DeclarationsAnswer", "GraphAnswer", "PapersAnswer", "SliceAnswer"]

Fields = dict[str, Any]


class DeclarationsAnswer(TypedDict):
    """A page of declarations; `limits` and `absent_files` of those that were read from the Lean text."""

    declarations: list[Fields]
    total: int
    offset: int
    problems: NotRequired[list[Any]]
    did_you_mean: NotRequired[list[str]]
    limits: NotRequired[list[str]]
    absent_files: NotRequired[list[str]]


class GraphAnswer(TypedDict):
    """What a declaration's cards depend on, and the paper's whole graph."""

    lean_decl: str
    paper_id: str
    dependency_ids: list[str]
    cards: list[Fields]
    manifest_dependency_graph: list[Fields] | None
    problem: NotRequired[Fields]


class SliceAnswer(TypedDict):
    """The part of the graph around a declaration."""

    lean_decl: str
    paper_id: str
    direction: str
    depth: int
    nodes: list[Fields]
    edges: list[Fields]
    topological_order: list[str]
    cycles: list[list[str]]
    unknown_ends: list[str]
    truncated: Any
    impact: NotRequired[dict[str, int]]
    limits: NotRequired[list[str]]


class PapersAnswer(TypedDict):
    """The papers of the corpus."""

    papers: list[Fields]


class AuditAnswer(TypedDict):
    """Whether a paper's files agree with each other; the later fields where its Lean text is at hand."""

    paper_id: str
    build: str
    graph: Fields
    problems: list[str]
    lean_files: list[str]
    absent_files: list[str]
    edges: NotRequired[list[Fields]]
    basis: NotRequired[dict[str, int]]
    missing_edges: NotRequired[list[Any]]
    uncarded: NotRequired[list[str]]
    not_in_text: NotRequired[list[str]]
    limits: NotRequired[list[str]]
