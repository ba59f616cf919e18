"""The resources of a corpus and their completion (lean-and-corpus.md §3.7, "Resource templates")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleis.corpus.answers import paper_list
from kleis.corpus.graph import edge_row, graph_of
from kleis.corpus.reading import Corpus, Paper
from registry.server.contract.group import ResourceSpec, TemplateSpec

__all__ = ["RESOURCES", "TEMPLATES", "completions", "resource"]

RESOURCES = (ResourceSpec(uri="corpus://index", name="corpus index", title="The papers of the corpus"),)


def _template(path: str, title: str) -> TemplateSpec:
    return TemplateSpec(uri_template=f"corpus://{path}", name=f"corpus {title.lower()}", title=title)


TEMPLATES = (
    _template("papers/{paper_id}", "Paper"),
    _template("papers/{paper_id}/manifest", "Manifest of a paper"),
    _template("papers/{paper_id}/cards", "Theorem cards of a paper"),
    _template("papers/{paper_id}/cards/{card_id}", "Theorem card"),
    _template("papers/{paper_id}/claims/{claim_id}", "Claim"),
    _template("papers/{paper_id}/graph", "Dependency graph of a paper"),
    _template("decl/{lean_decl}", "Declaration in all papers"),
    _template("kernels/{id}", "Executable kernel"),
)


def resource(corpus: Corpus, parts: Sequence[str]) -> Any:
    """What stands at an address, as JSON values; None where nothing does."""
    match list(parts):
        case ["index"]:
            return {"papers": paper_list(corpus)}
        case ["papers", paper_id, *rest]:
            return _of_paper(corpus.paper(paper_id), rest)
        case ["decl", name]:
            return _declaration(corpus, name)
        case ["kernels", name]:
            found = corpus.value("kernels.json") if corpus.kernels() else []
            return next((each for each in found if each["id"] == name), None)
        case _:
            return None


def _of_paper(paper: Paper, rest: Sequence[str]) -> Any:
    match list(rest):
        case []:
            return paper.raw("metadata.json")
        case ["manifest"]:
            return paper.raw("manifest.json")
        case ["cards"]:
            return paper.raw_cards
        case ["cards", name]:
            return next((card for card in paper.raw_cards if card.get("id") == name), None)
        case ["claims", name]:
            claims = paper.raw("claims.json") if paper.claims else []
            return next((claim for claim in claims if claim["id"] == name), None)
        case ["graph"]:
            graph = graph_of([paper])
            nodes = [node.row() for node in graph.nodes.values()]
            return {"nodes": nodes, "edges": [edge_row(each) for each in graph.edges], **graph.figures()}
        case _:
            return None


def _declaration(corpus: Corpus, name: str) -> Any:
    """The cards that a declaration has anywhere."""
    cards = [
        {"paper_id": paper.id, **raw}
        for paper in corpus.papers()
        for card, raw in zip(paper.cards, paper.raw_cards, strict=True)
        if card.lean_decl == name
    ]
    return {"lean_decl": name, "cards": cards} if cards else None


def completions(
    corpus: Corpus, uri_template: str, argument: str, prefix: str, given: Mapping[str, str]
) -> list[str]:
    """The values of a template's variable that begin with `prefix`; a declaration's also where its last part does."""
    match argument:
        case "paper_id":
            names = corpus.paper_ids()
        case "lean_decl":
            names = [name for paper in corpus.papers() for name in paper.declarations]
        case "card_id":
            names = [card.id for card in corpus.paper(given.get("paper_id", "")).cards]
        case "claim_id":
            names = [claim.id for claim in corpus.paper(given.get("paper_id", "")).claims]
        case _:
            names = [kernel.id for kernel in corpus.kernels()]
    whole = [name for name in names if name.startswith(prefix)]
    last = [name for name in names if argument == "lean_decl" and name.rpartition(".")[2].startswith(prefix)]
    return list(dict.fromkeys(whole + last))
