"""The group `corpus`: what papers prove and how it hangs together, read-only (servers.md; lean-and-corpus.md §3).

The text of an answer to one of the original's three calls is the original's payload, byte for byte in its layout; the
object beside it says the same and more.  With any of the newer arguments the text is the object.

Invariants
----------
- Nothing is written.  A paper's id cannot leave the corpus; a malformed file is an error with a code.
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
from kleis.corpus.edge_sources import source_view
from kleis.corpus.errors import CorpusError
from kleis.corpus.reading import Corpus, find_corpus
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
from registry.server.corpus_resources import RESOURCES, TEMPLATES, completions, resource
from registry.server.groups.corpus.tool_specs import (
    BRIEF,
    INSTRUCTIONS,
    MORE_TOOLS,
    TOOLS,
    Audit,
    DependencyGraph,
    ListFile,
    ListPaper,
    ListPapers,
    Search,
)

__all__ = ["CorpusGroup", "make"]

Request = ListPaper | ListFile | DependencyGraph | Search | ListPapers | Audit


def make(site: Site) -> Group:
    """The group over the corpus that the settings name."""
    return CorpusGroup(site.settings.corpus, more=site.settings.more)


class CorpusGroup(Group):
    """The tools of one corpus; `given` is where to look for it."""

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
        return await context.run_in_worker(lambda: self._answer(arguments))

    def _answer(self, arguments: Request) -> Answer:
        try:
            match arguments:
                case ListPaper():
                    return self._list_paper(arguments)
                case ListFile():
                    return self._list_file(arguments)
                case DependencyGraph():
                    return self._graph(arguments)
                case Search():
                    return self._search(arguments)
                case ListPapers():
                    return _compact({"papers": paper_list(self.corpus)})
                case Audit():
                    return _compact(paper_audit(self.corpus, self.corpus.paper(arguments.paper_id)))
                case _:
                    assert_never(arguments)
        except CorpusError as error:
            return refused(error)

    def _list_paper(self, arguments: ListPaper) -> Answer:
        paper = self.corpus.paper(arguments.paper_id)
        page = (arguments.offset, arguments.limit)
        if arguments.lean_source:
            view = source_view(self.corpus, paper)
            more = {"limits": list(view.limits), "absent_files": list(view.absent)}
            return _listed(Listing(tuple(view.listing())), page, plain=False, more=more)
        listing = merged_rows(paper) if arguments.merge else original_rows(paper)
        return _listed(listing, page, plain=not arguments.merge)

    def _list_file(self, arguments: ListFile) -> Answer:
        paper = self.corpus.paper(arguments.paper_id)
        mode: FileMode = arguments.match
        listing = rows_in_file(paper, arguments.file_path, mode, merge=arguments.merge)
        plain = not arguments.merge and mode == "substring"
        return _listed(listing, (arguments.offset, arguments.limit), plain=plain)

    def _graph(self, arguments: DependencyGraph) -> Answer:
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

    def _search(self, arguments: Search) -> Answer:
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
            found = refused(error).structured
        return None if found is None else ResourceText(_encoded(found))

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        try:
            return completions(self.corpus, reference, argument, prefix, given)
        except CorpusError:
            return ()  # there is nothing to complete from; a call says what is wrong


_SMALLER = "Call it with `direction`, a small `depth` and `max_nodes`."


def refused(error: CorpusError) -> Answer:
    """A refusal of the corpus as an answer."""
    more: dict[str, Any] = {"found": error.found, "expected": ", ".join(error.expected), "file": error.file}
    more = {name: value for name, value in more.items() if value}
    if error.nearest:
        more["nearest"] = list(error.nearest)
    return Answer.error(error.code, error.message, hint=error.hint, **more)


def _listed(
    listing: Listing, page: tuple[int, int], *, plain: bool, more: Mapping[str, Any] | None = None
) -> Answer:
    """Rows as an answer; `plain`: the text is the original's list."""
    offset, limit = page
    rows = list(listing.rows[offset : offset + limit])
    answer: dict[str, Any] = {"declarations": rows, "total": len(listing.rows), "offset": offset}
    if listing.problems:
        answer["problems"] = list(listing.problems)
    if listing.near:
        answer["did_you_mean"] = list(listing.near)
    answer |= more or {}
    rest = f"Call it with offset {offset + len(rows)} or a smaller limit."
    return Answer(answer, json.dumps(rows, indent=2) if plain else _encoded(answer), rest=rest)


def _compact(answer: dict[str, Any], rest: str = "") -> Answer:
    return Answer(answer, _encoded(answer), rest=rest)


def _encoded(data: Any) -> str:
    return msgspec.json.encode(data).decode()
