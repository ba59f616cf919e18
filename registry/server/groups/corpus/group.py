"""The group `corpus`: papers, their declarations and dependencies, read-only (docs/reference/corpus.md §6).

The text of an answer to one of the original's three calls is the original's payload, byte for byte in its layout; the
object beside it says the same and more. With any of the newer arguments the text is the object. Each file of a paper
is a resource too, and the variables of resource addresses are completed (docs/reference/serving.md §7.1, §7.3).

Invariants
----------
- Nothing is written. A paper's id cannot leave the corpus; a malformed file is an error with a code.
- The corpus is looked for when it is first asked for, so that a server without one still starts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, assert_never
from urllib.parse import unquote

import msgspec

from kleis.corpus.answer_shapes import DeclarationsAnswer, PapersAnswer
from kleis.corpus.answers import (
    FileMode,
    Listing,
    Walk,
    declaration_graph,
    merged_rows,
    original_rows,
    paper_audit,
    paper_list,
    rows_in_file,
    search,
    walk_graph,
)
from kleis.corpus.edge_sources import SourceView, source_view
from kleis.corpus.errors import CorpusError
from kleis.corpus.graph import edge_row, graph_of
from kleis.corpus.reading import Corpus, Paper, find_corpus
from registry.server.contract.group import (
    Answer,
    CallContext,
    Group,
    ResourceSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.contract.settings import Site
from registry.server.groups.corpus import requests
from registry.server.groups.corpus.tool_specs import (
    BRIEF,
    INSTRUCTIONS,
    MORE_TOOLS,
    TOOLS,
)

__all__ = ["RESOURCES", "TEMPLATES", "CorpusGroup", "completions", "make", "resource"]


def make(site: Site) -> Group:
    """The group over the corpus that the settings name."""
    return CorpusGroup(site.settings.corpus, more=site.settings.more)


class CorpusGroup(Group):
    """The tools of one corpus; `given` is its directory, None to search for it."""

    name = "corpus"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF

    def __init__(self, given: Path | None, *, more: bool) -> None:
        self._given = given
        self._corpus: Corpus | None = None
        self._tools = TOOLS + MORE_TOOLS if more else TOOLS

    def warnings(self) -> Sequence[str]:
        if self._given is None:
            return ()
        try:
            find_corpus(self._given, os.environ, Path.cwd())
        except CorpusError as error:
            return (f"{error.message}; {error.hint}",)
        return ()

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    @property
    def corpus(self) -> Corpus:
        """The corpus.  Raises `CorpusError` where there is none."""
        if self._corpus is None:
            self._corpus = Corpus(find_corpus(self._given, os.environ, Path.cwd()))
        return self._corpus

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        return await context.run_in_worker(lambda: self._answer(arguments), lane="writes")

    def _answer(self, arguments: requests.Request) -> Answer:
        try:
            match arguments:
                case requests.ListPaper():
                    return self._list_paper(arguments)
                case requests.ListFile():
                    return self._list_file(arguments)
                case requests.DependencyGraph():
                    return self._graph(arguments)
                case requests.Search():
                    return self._search(arguments)
                case requests.ListPapers():
                    listed: PapersAnswer = {"papers": paper_list(self.corpus)}
                    return _compact(listed)
                case requests.Audit():
                    return _compact(paper_audit(self.corpus, self.corpus.paper(arguments.paper_id)))
                case _:
                    assert_never(arguments)
        except CorpusError as error:
            return error_answer(error)

    def _list_paper(self, arguments: requests.ListPaper) -> Answer:
        paper = self.corpus.paper(arguments.paper_id)
        page = (arguments.offset, arguments.limit)
        if arguments.lean_source:
            view = source_view(self.corpus, paper)
            return _listed(Listing(tuple(view.listing())), page, plain=False, view=view)
        listing = merged_rows(paper) if arguments.merge else original_rows(paper)
        return _listed(listing, page, plain=not arguments.merge)

    def _list_file(self, arguments: requests.ListFile) -> Answer:
        paper = self.corpus.paper(arguments.paper_id)
        mode: FileMode = arguments.match
        listing = rows_in_file(paper, arguments.file_path, mode, merge=arguments.merge)
        plain = not arguments.merge and mode == "substring"
        return _listed(listing, (arguments.offset, arguments.limit), plain=plain)

    def _graph(self, arguments: requests.DependencyGraph) -> Answer:
        paper = self.corpus.paper(arguments.paper_id)
        newer = arguments.across_papers or arguments.basis or arguments.min_confidence or arguments.depth
        if arguments.direction is None and not newer:
            answer = declaration_graph(paper, arguments.lean_decl)
            return Answer(answer, json.dumps(answer, indent=2), rest=_SMALLER)
        walk = Walk(
            direction=arguments.direction or "dependencies",
            depth=arguments.depth,
            max_nodes=arguments.max_nodes,
            min_confidence=arguments.min_confidence or "",
            across_papers=arguments.across_papers,
            basis=arguments.basis,
        )
        return _compact(walk_graph(self.corpus, paper, arguments.lean_decl, walk), _SMALLER)

    def _search(self, arguments: requests.Search) -> Answer:
        corpus = self.corpus
        papers = None if arguments.paper_id is None else [corpus.paper(arguments.paper_id)]
        found = Listing(tuple(search(corpus, arguments.query, papers)))
        return _listed(found, (arguments.offset, arguments.limit), plain=False)

    # Resources.

    def resources(self) -> Sequence[ResourceSpec]:
        return RESOURCES

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return TEMPLATES

    async def read(self, uri: str) -> ResourceText | None:
        if not uri.startswith("corpus://"):
            return None
        parts = [unquote(part) for part in uri.removeprefix("corpus://").split("/")]
        try:
            found = resource(self.corpus, parts)
        except CorpusError as error:
            if error.code in ("paper_not_found", "invalid_paper_id", "declaration_not_found"):
                return None
            found = error_answer(error).structured
        return None if found is None else ResourceText(_encoded(found))

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        try:
            return completions(self.corpus, reference, argument, prefix, given)
        except CorpusError:
            return ()  # there is nothing to complete from; a call says what is wrong


_SMALLER = "Call it with `direction`, a small `depth` and `max_nodes`."


def error_answer(error: CorpusError) -> Answer:
    """An error of the corpus as an answer."""
    more: dict[str, Any] = {"found": error.found, "expected": ", ".join(error.expected), "file": error.file}
    more = {name: value for name, value in more.items() if value}
    if error.nearest:
        more["nearest"] = list(error.nearest)
    return Answer.error(error.code, error.message, hint=error.hint, **more)


def _listed(
    listing: Listing, page: tuple[int, int], *, plain: bool, view: SourceView | None = None
) -> Answer:
    """Rows as an answer; `plain`: the text is the original's list."""
    offset, limit = page
    rows = list(listing.rows[offset : offset + limit])
    answer: DeclarationsAnswer = {"declarations": rows, "total": len(listing.rows), "offset": offset}
    if listing.problems:
        answer["problems"] = list(listing.problems)
    if listing.near:
        answer["did_you_mean"] = list(listing.near)
    if view is not None:
        answer["limits"], answer["absent_files"] = list(view.limits), list(view.absent)
    rest = f"Call it with offset {offset + len(rows)} or a smaller limit."
    return Answer(answer, json.dumps(rows, indent=2) if plain else _encoded(answer), rest=rest)


def _compact(answer: Mapping[str, Any], rest: str = "") -> Answer:
    return Answer(answer, _encoded(answer), rest=rest)


def _encoded(data: Any) -> str:
    return msgspec.json.encode(data).decode()


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
    """The contents of an address, as JSON values; None for an unknown address."""
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
