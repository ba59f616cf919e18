"""The contents of the files of a paper, as far as they are used.  See docs/reference/corpus.md §1.2.

Reading is lenient: unknown fields are ignored, and only required fields must be there.  Fields that are there must have
the right type; the error names file and place.  Writing (`publishing`) is strict.
"""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = [
    "Card",
    "Claim",
    "ClaimMapping",
    "Edge",
    "IndexEntry",
    "Kernel",
    "Manifest",
    "Metadata",
    "Origin",
]


class IndexEntry(msgspec.Struct, frozen=True):
    """A paper as the index lists it."""

    id: str
    title: str = ""
    year: int = 0
    domain: str = ""


class Edge(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """`target` depends on `source`; both are ids of cards."""

    source: str
    target: str
    confidence: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """A paper's manifest.  Entries of `declaration_index` that are no names are passed over, and reported."""

    paper_id: str = ""
    version: str = ""
    build_hash: str = ""
    build_hash_version: str = ""
    coverage_metrics: dict[str, int] = {}
    declaration_index: tuple[Any, ...] = ()
    dependency_graph: tuple[Edge, ...] | None = None
    kernel_index: tuple[str, ...] | None = None


class Card(msgspec.Struct, frozen=True):
    """A theorem card: a claim, its declaration, how far that is checked, and what it depends on."""

    lean_decl: str
    id: str = ""
    claim_id: str = ""
    file_path: str = ""
    proof_status: str = ""
    verification_boundary: str = ""
    reviewer_status: str = ""
    dependency_ids: tuple[str, ...] = ()
    dependency_extraction_method: str = ""
    executable_links: tuple[str, ...] = ()
    notes: str | None = None


class Claim(msgspec.Struct, frozen=True):
    """What a paper says."""

    id: str
    informal_text: str = ""
    section: str = ""
    claim_type: str = ""
    status: str = ""


class Origin(msgspec.Struct, frozen=True):
    """Where a paper's text comes from."""

    kind: str = ""
    path: str = ""
    sha256: str = ""


class Metadata(msgspec.Struct, frozen=True):
    """What a paper is."""

    id: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int = 0
    domain: str = ""
    source: Origin = Origin()


class ClaimMapping(msgspec.Struct, frozen=True):
    """Which declaration states which claim."""

    paper_id: str = ""
    namespace: str = ""
    claim_to_decl: dict[str, str] = {}
    target_file: str = ""


class Kernel(msgspec.Struct, frozen=True):
    """An executable kernel that realises claims."""

    id: str
    domain: str = ""
    semantic_contract: str = ""
    linked_theorem_cards: tuple[str, ...] = ()
