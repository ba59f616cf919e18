"""What the tools answer about a corpus, as JSON values (lean-and-corpus.md §3.5, §3.7).

With only the original's arguments an answer has the original's fields, with its values; the rest is more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kleis.corpus.edge_sources import SourceView, source_view
from kleis.corpus.errors import CorpusError, not_found
from kleis.corpus.freshness import freshness
from kleis.corpus.graph import Direction, Graph, edge_row, graph_of
from kleis.corpus.reading import Corpus, Paper
from kleis.corpus.records import Edge
from kleis.spelling import nearest

__all__ = ["Walk", "declaration_graph", "paper_audit", "paper_list", "walk_graph"]


class Walk(msgspec.Struct, frozen=True):
    """Which part of the graph is asked for; `depth` 0 has no limit."""

    direction: Direction
    depth: int = 0
    max_nodes: int = 200
    min_confidence: str = ""
    across_papers: bool = False
    basis: bool = False


def declaration_graph(paper: Paper, name: str) -> dict[str, Any]:
    """The original's answer: what a declaration's cards depend on, the cards, and the paper's whole graph.

    A name that no card has gives empty lists, as the original does, and says so in `problem`.
    """
    places = [place for place, card in enumerate(paper.cards) if card.lean_decl == name]
    needed = [each for place in places for each in paper.cards[place].dependency_ids]
    graph = paper.manifest.dependency_graph
    answer: dict[str, Any] = {
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


def walk_graph(corpus: Corpus, paper: Paper, name: str, walk: Walk) -> dict[str, Any]:
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
    answer: dict[str, Any] = {"lean_decl": name, "paper_id": paper.id}
    answer |= {"direction": walk.direction, "depth": walk.depth, **part.as_dict()}
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
    """An edge inside of one paper is looked up in its text; of one between papers nothing is known."""
    home, other = (graph.nodes[end].paper_id for end in (edge.target, edge.source))
    if home != other or home not in views:
        return {**edge_row(edge), "basis": "no_source"}
    return views[home].rows([edge])[0]


def paper_list(corpus: Corpus) -> list[dict[str, Any]]:
    """The papers with sizes and freshness; a malformed paper is listed with what is wrong with it."""
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


def paper_audit(corpus: Corpus, paper: Paper) -> dict[str, Any]:
    """Whether a paper's files agree with each other, with its hash, and with the Lean text where that is at hand."""
    graph = graph_of([paper])
    view = source_view(corpus, paper)
    answer: dict[str, Any] = {
        "paper_id": paper.id,
        "build": freshness(paper),
        "graph": graph.figures(),
        "problems": _broken_rules(corpus, paper),
        "lean_files": list(view.files),
        "absent_files": list(view.absent),
    }
    if view.files:
        rows = view.rows(graph.edges)
        counts: dict[str, int] = {}
        for row in rows:
            counts[row["basis"]] = counts.get(row["basis"], 0) + 1
        listing = view.listing()
        answer |= {
            "edges": rows,
            "basis": counts,
            "missing_edges": view.missing(graph.edges),
            "uncarded": [row["lean_decl"] for row in listing if row["card_id"] is None],
            "not_in_text": [name for name in view.carded.values() if name not in view.declarations],
            "limits": list(view.limits),
        }
    return answer


def _broken_rules(corpus: Corpus, paper: Paper) -> list[str]:
    """The rules between files that a corpus's gates enforce (§3.4), where this paper breaks them."""
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
