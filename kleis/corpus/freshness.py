"""Is a paper's build hash still that of its files? (lean-and-corpus.md §3.2)

Hash of version 2: sha256 over, in order, the name and bytes of claims, assumptions, symbols and mapping; the cards
sorted by id as key-sorted JSON; the source's hash; the kernel index; the declaration index; the paper's id.  The
published hashes were made of files with CRLF line ends, so both ends are tried.

================  =======================================================================
``fresh``         the hash is that of the files
``fresh_crlf``    it is that of the files with CRLF line ends
``stale``         it is neither: something was changed after publishing
``unversioned``   the hash has another version, or there is none
================  =======================================================================
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from kleis.corpus.reading import Paper

__all__ = ["HASHED_FILES", "HASH_VERSION", "Freshness", "build_hash", "freshness"]

Freshness: TypeAlias = Literal["fresh", "fresh_crlf", "stale", "unversioned"]

HASHED_FILES = ("claims.json", "assumptions.json", "symbols.json", "mapping.json")
HASH_VERSION = "2"

_MISSING = b"missing"


def build_hash(
    paper_id: str,
    files: Mapping[str, bytes | None],
    cards: Sequence[Mapping[str, Any]],
    *,
    source_sha256: str,
    kernels: Sequence[str],
    declarations: Sequence[Any],
) -> str:
    """The fingerprint of a paper's content; `files` are the bytes of `HASHED_FILES`."""
    digest = hashlib.sha256()
    for name in HASHED_FILES:
        digest.update(name.encode())
        data = files.get(name)
        digest.update(_MISSING if data is None else data)
    digest.update(b"theorem_cards")
    ordered = sorted(cards, key=lambda card: str(card.get("id", "")))
    digest.update(json.dumps(ordered, sort_keys=True).encode())
    if source_sha256:
        digest.update(f"source_sha256:{source_sha256}".encode())
    digest.update(b"kernel_index" + json.dumps(sorted(kernels)).encode())
    digest.update(b"declaration_index" + json.dumps(list(declarations)).encode())
    digest.update(f"paper_id:{paper_id}".encode())
    return digest.hexdigest()


def freshness(paper: Paper) -> Freshness:
    """Whether a paper's build hash is true."""
    manifest = paper.manifest
    if manifest.build_hash_version != HASH_VERSION or not manifest.build_hash:
        return "unversioned"
    files = {name: paper.data(name) for name in HASHED_FILES}

    def of(kept: Mapping[str, bytes | None]) -> str:
        return build_hash(
            paper.id,
            kept,
            paper.raw_cards,
            source_sha256=paper.metadata.source.sha256,
            kernels=manifest.kernel_index or (),
            declarations=manifest.declaration_index,
        )

    if of(files) == manifest.build_hash:
        return "fresh"
    windows = {
        name: data and data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for name, data in files.items()
    }
    return "fresh_crlf" if of(windows) == manifest.build_hash else "stale"
