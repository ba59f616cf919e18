"""The declarations of a paper: as the original server lists them, and merged (lean-and-corpus.md §3.5, §3.7).

The original gives one row for each name of the manifest's index and one for each card, so most declarations come
twice.  Merged there is one row a declaration, in the order of the index and then of the cards, with where it was found.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from kleis.corpus.files import FileMode, keeps, near_files
from kleis.corpus.reading import Paper
from kleis.corpus.records import Card

__all__ = ["Listing", "merged_rows", "original_rows", "rows_in_file"]

Row = dict[str, Any]


class Listing(msgspec.Struct, frozen=True):
    """Rows, what was passed over, and file paths that a filter nearly meant."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


def original_rows(paper: Paper) -> Listing:
    """One row for each name of the index, then one for each card."""
    names = [each for each in paper.manifest.declaration_index if isinstance(each, str)]
    rows: list[Row] = [{"lean_decl": name, "source": "manifest"} for name in names]
    rows += [
        {
            "lean_decl": card.lean_decl,
            "file_path": card.file_path,
            "proof_status": card.proof_status,
            "source": "theorem_cards",
        }
        for card in paper.cards
    ]
    return Listing(tuple(rows), _problems(paper))


def _problems(paper: Paper) -> tuple[str, ...]:
    """What in the index is no name, and what stands in it twice."""
    index = paper.manifest.declaration_index
    odd = sum(1 for each in index if not isinstance(each, str))
    found = [f"{odd} entries of declaration_index are no strings; they are passed over"] if odd else []
    counts = Counter(each for each in index if isinstance(each, str))
    twice = [
        f"{name} stands {count} times in declaration_index" for name, count in counts.items() if count > 1
    ]
    return (*found, *twice)


def merged_rows(paper: Paper) -> Listing:
    """One row a declaration.  Cards that share a name share a row, which says where they disagree."""
    cards: dict[str, list[Card]] = {}
    for card in paper.cards:
        cards.setdefault(card.lean_decl, []).append(card)
    indexed = {each for each in paper.manifest.declaration_index if isinstance(each, str)}
    rows = [_merged(name, cards.get(name, []), name in indexed) for name in paper.declarations]
    return Listing(tuple(rows), _problems(paper))


def _merged(name: str, cards: list[Card], indexed: bool) -> Row:
    row: Row = {"lean_decl": name}
    if cards:
        first = cards[0]
        row |= {"card_id": first.id, "claim_id": first.claim_id, "file_path": first.file_path}
        row |= {"proof_status": first.proof_status, "verification_boundary": first.verification_boundary}
        row["reviewer_status"] = first.reviewer_status
    if len(cards) > 1:
        row["card_ids"] = [card.id for card in cards]
        row["claim_ids"] = [card.claim_id for card in cards]
        row["disagreement"] = [
            field
            for field in ("file_path", "proof_status", "verification_boundary", "reviewer_status")
            if len({getattr(card, field) for card in cards}) > 1
        ]
    row["sources"] = [*(["manifest"] if indexed else []), *(["theorem_cards"] if cards else [])]
    return row


def rows_in_file(paper: Paper, wanted: str, mode: FileMode, *, merge: bool) -> Listing:
    """The rows of one file.  Rows of the manifest have no file: they stay only where the filter is blank."""
    listing = merged_rows(paper) if merge else original_rows(paper)
    if not wanted.strip():
        return listing
    paths = [row["file_path"] for row in listing.rows if "file_path" in row]
    kept = tuple(row for row in listing.rows if "file_path" in row and keeps(row["file_path"], wanted, mode))
    near = () if kept else tuple(near_files(paths, wanted, mode))
    return Listing(kept, listing.problems, near)
