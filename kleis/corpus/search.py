"""Declarations and claims by words (issue 10, item 4).

Every word of the query must occur, in any case, in a declaration's name, its file, its claim's text, or the paper's id
and title.  Words of a name count where they stand between ``.`` and ``_`` too.  What matches in the name comes first,
then in the claim, then elsewhere; within that the order of the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kleis.corpus.reading import Corpus, Paper

__all__ = ["search"]

_WORD = re.compile(r"[^\W_]+")


def search(corpus: Corpus, query: str, papers: Iterable[Paper] | None = None) -> list[dict[str, Any]]:
    """The declarations that match, best first."""
    words = [word.casefold() for word in query.split()]
    titles = {entry.id: entry.title for entry in corpus.index()}
    found: list[tuple[int, dict[str, Any]]] = []
    for paper in corpus.papers() if papers is None else papers:
        claims = {claim.id: claim for claim in paper.claims}
        about = f"{paper.id} {titles.get(paper.id, '')}".casefold()
        for card in paper.cards:
            claim = claims.get(card.claim_id)
            text = claim.informal_text if claim else ""
            places = (_searchable(card.lean_decl), text.casefold(), f"{card.file_path.casefold()} {about}")
            ranks = [next((rank for rank, place in enumerate(places) if word in place), -1) for word in words]
            if -1 in ranks:
                continue
            row = {
                "lean_decl": card.lean_decl,
                "paper_id": paper.id,
                "card_id": card.id,
                "file_path": card.file_path,
                "proof_status": card.proof_status,
                "claim": text,
            }
            found.append((max(ranks, default=0), row))
    return [row for _, row in sorted(found, key=lambda each: each[0])]


def _searchable(name: str) -> str:
    """A name whole and in words."""
    return f"{name} {' '.join(_WORD.findall(name))}".casefold()
