"""What the tools answer about a corpus, as JSON values.  See docs/reference/corpus.md §2, §3, §5, §6.

Where only the arguments of scientific-memory's server are given, an answer has the fields of that server with its
values; fields beside them are additions.

A paper's declarations are listed with one row for each name of the manifest's index and one for each card
(`original_rows`), or with one row a declaration (`merged_rows`).  A file filter compares in one of three ways:

==============  =====================================================================================
``substring``   the filter occurs in the path, with ``\\`` read as ``/``; blank keeps all
``suffix``      whole components at the end: ``Langmuir1918.lean``, ``Adsorption/Langmuir1918.lean``
``exact``       the whole path
==============  =====================================================================================

``./`` in front and doubled separators mean nothing in ``suffix`` and ``exact``.  Where only the case is wrong, nothing is
kept, and the paths that would have been are named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis.corpus.answer_shapes import AuditAnswer, GraphAnswer, SliceAnswer
from kleis.corpus.edge_sources import SourceView, source_view
from kleis.corpus.errors import CorpusError, not_found
from kleis.corpus.graph import Direction, Graph, edge_row, graph_of
from kleis.corpus.reading import Corpus, Paper, freshness
from kleis.corpus.records import Card, Edge
from kleis.spelling import nearest

__all__ = [
    "FileMode",
    "Listing",
    "Walk",
    "declaration_graph",
    "keeps",
    "merged_rows",
    "near_files",
    "original_rows",
    "paper_audit",
    "paper_list",
    "rows_in_file",
    "search",
    "walk_graph",
]


class Walk(msgspec.Struct, frozen=True):
    """Which part of the graph is asked for; `depth` 0 has no limit."""

    direction: Direction
    depth: int = 0
    max_nodes: int = 200
    min_confidence: str = ""
    across_papers: bool = False
    basis: bool = False


def declaration_graph(paper: Paper, name: str) -> GraphAnswer:
    """What a declaration's cards depend on, the cards, and the paper's whole graph, as scientific-memory answers.

    A name that no card has gives empty lists, and a `problem`.
    """
    places = [place for place, card in enumerate(paper.cards) if card.lean_decl == name]
    needed = [each for place in places for each in paper.cards[place].dependency_ids]
    graph = paper.manifest.dependency_graph
    answer: GraphAnswer = {
        "lean_decl": name,
        "paper_id": paper.id,
        "dependency_ids": list(dict.fromkeys(needed)),
        "cards": [paper.raw_cards[place] for place in places],
        "manifest_dependency_graph": None if graph is None else [edge_row(edge) for edge in graph],
    }
    if not places:
        close = list(nearest(name, paper.declarations))
        known = name in paper.declarations
        message = f"{name} has no card" if known else f"declaration not found: {name}"
        code = "declaration_without_card" if known else "declaration_not_found"
        answer["problem"] = {"kind": code, "message": message, "nearest": close}
    return answer


def walk_graph(corpus: Corpus, paper: Paper, name: str, walk: Walk) -> SliceAnswer:
    """The part of the graph around a declaration or card.  Raises `CorpusError` where there is none of the name."""
    graph = graph_of(corpus.papers() if walk.across_papers else [paper])
    starts = graph.find(name)
    if not starts:
        raise not_found("declaration_not_found", "declaration", name, graph.names())
    part = graph.slice(
        starts,
        walk.direction,
        depth=walk.depth,
        max_nodes=walk.max_nodes,
        min_confidence=walk.min_confidence,
    )
    found = part.as_dict()
    answer: SliceAnswer = {
        "lean_decl": name,
        "paper_id": paper.id,
        "direction": walk.direction,
        "depth": walk.depth,
        "nodes": found["nodes"],
        "edges": found["edges"],
        "topological_order": found["topological_order"],
        "cycles": found["cycles"],
        "unknown_ends": found["unknown_ends"],
        "truncated": found["truncated"],
    }
    if walk.direction == "dependents":
        distances = list(part.distance.values())
        answer["impact"] = {
            "direct": distances.count(1),
            "all": sum(1 for each in distances if each > 0),
        }
    if walk.basis:
        views = {each: source_view(corpus, corpus.paper(each)) for each in _papers_of(graph, part.distance)}
        answer["edges"] = [_with_basis(graph, views, edge) for edge in part.edges]
        answer["limits"] = list(next(iter(views.values())).limits) if views else []
    return answer


def _papers_of(graph: Graph, ids: Iterable[str]) -> Sequence[str]:
    return list(dict.fromkeys(graph.nodes[each].paper_id for each in ids if graph.nodes[each].paper_id))


def _with_basis(graph: Graph, views: dict[str, SourceView], edge: Edge) -> dict[str, Any]:
    """An edge with its basis; edges between papers have ``no_source``."""
    home, other = (graph.nodes[end].paper_id for end in (edge.target, edge.source))
    if home != other or home not in views:
        return {**edge_row(edge), "basis": "no_source"}
    return views[home].rows([edge])[0]


def paper_list(corpus: Corpus) -> list[dict[str, Any]]:
    """The papers with sizes and freshness; a malformed paper with its problem."""
    rows = []
    for entry in corpus.index():
        row = {"paper_id": entry.id, "title": entry.title, "year": entry.year, "domain": entry.domain}
        try:
            paper = corpus.paper(entry.id)
            row["cards"] = len(paper.cards)
            row["edges"] = len(graph_of([paper]).edges)
            row["build"] = freshness(paper)
        except CorpusError as error:
            row["problem"] = {"kind": error.code, "message": error.message}
        rows.append(row)
    return rows


def paper_audit(corpus: Corpus, paper: Paper) -> AuditAnswer:
    """Whether a paper's files agree with each other, with its hash, and with the Lean text where that is at hand."""
    graph = graph_of([paper])
    view = source_view(corpus, paper)
    answer: AuditAnswer = {
        "paper_id": paper.id,
        "build": freshness(paper),
        "graph": graph.figures(),
        "problems": _broken_rules(corpus, paper),
        "lean_files": list(view.files),
        "absent_files": list(view.absent),
    }
    if view.files:
        rows = view.rows(graph.edges)
        listing = view.listing()
        answer["edges"] = rows
        answer["basis"] = dict(Counter(row["basis"] for row in rows))
        answer["missing_edges"] = view.missing(graph.edges)
        answer["uncarded"] = [row["lean_decl"] for row in listing if row["card_id"] is None]
        answer["not_in_text"] = [name for name in view.carded.values() if name not in view.declarations]
        answer["limits"] = list(view.limits)
    return answer


def _broken_rules(corpus: Corpus, paper: Paper) -> list[str]:
    """The rules between files that this paper breaks.  See docs/reference/corpus.md §5.2."""
    claims = {claim.id for claim in paper.claims}
    kernels = {kernel.id: set(kernel.linked_theorem_cards) for kernel in corpus.kernels()}
    everywhere = {card.id for each in corpus.papers() for card in each.cards}
    found = [
        f"card {card.id}: its claim {card.claim_id} is not in claims.json"
        for card in paper.cards
        if card.claim_id and card.claim_id not in claims
    ]
    found += [
        f"mapping.json: {claim} is no claim" for claim in paper.mapping.claim_to_decl if claim not in claims
    ]
    found += [
        f"card {card.id}: it depends on {needed}, which no card of the corpus is"
        for card in paper.cards
        for needed in card.dependency_ids
        if needed not in everywhere
    ]
    found += [
        f"card {card.id}: its link to kernel {link} is not returned"
        for card in paper.cards
        for link in card.executable_links
        if card.id not in kernels.get(link, set())
    ]
    if paper.mapping.namespace:
        found += [f"card {card.id}: it has no file_path" for card in paper.cards if not card.file_path]
    return found


# ── File filters ───────────────────────────────────────────────────────────────────────────────────────────────

FileMode: TypeAlias = Literal["substring", "suffix", "exact"]


def keeps(path: str, wanted: str, mode: FileMode) -> bool:
    """Whether a path passes a filter."""
    if not wanted.strip():
        return True
    match mode:
        case "substring":
            return wanted.strip().replace("\\", "/") in path.replace("\\", "/")
        case "suffix":
            parts, end = _parts(path), _parts(wanted)
            return parts[len(parts) - len(end) :] == end
        case "exact":
            return _parts(path) == _parts(wanted)


def near_files(paths: Iterable[str], wanted: str, mode: FileMode) -> list[str]:
    """The paths that a filter would match in another case."""
    cleaned = "/".join(_parts(wanted)).casefold()
    found = dict.fromkeys(path for path in paths if cleaned and keeps(path.casefold(), cleaned, mode))
    return list(found)[:5]


def _parts(path: str) -> list[str]:
    return [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]


# ── Listings ───────────────────────────────────────────────────────────────────────────────────────────────────

Row = dict[str, Any]


class Listing(msgspec.Struct, frozen=True):
    """Rows, what was passed over, and paths that differ from a filter in case only."""

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
    """Entries of the index that are no names, and names that are in it twice."""
    index = paper.manifest.declaration_index
    odd = sum(1 for each in index if not isinstance(each, str))
    found = [f"{odd} entries of declaration_index are no strings; they are passed over"] if odd else []
    counts = Counter(each for each in index if isinstance(each, str))
    twice = [
        f"{name} stands {count} times in declaration_index" for name, count in counts.items() if count > 1
    ]
    return (*found, *twice)


def merged_rows(paper: Paper) -> Listing:
    """One row a declaration.  Cards of one name share a row, which names the fields in which they differ."""
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
    """The rows of one file.  Rows of the manifest have no file, so only a blank filter keeps them."""
    listing = merged_rows(paper) if merge else original_rows(paper)
    if not wanted.strip():
        return listing
    paths = [row["file_path"] for row in listing.rows if "file_path" in row]
    kept = tuple(row for row in listing.rows if "file_path" in row and keeps(row["file_path"], wanted, mode))
    near = () if kept else tuple(near_files(paths, wanted, mode))
    return Listing(kept, listing.problems, near)


# ── Search ─────────────────────────────────────────────────────────────────────────────────────────────────────

_WORD = re.compile(r"[^\W_]+")


def search(corpus: Corpus, query: str, papers: Iterable[Paper] | None = None) -> list[dict[str, Any]]:
    """The declarations that match, best first.

    Every word of the query must occur, in any case, in a declaration's name, its file, its claim's text, or the paper's
    id and title.  Matches in the name come first, then in the claim, then elsewhere; within that the order of the corpus.
    """
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
    """A name whole, and in the words between ``.`` and ``_``."""
    return f"{name} {' '.join(_WORD.findall(name))}".casefold()
