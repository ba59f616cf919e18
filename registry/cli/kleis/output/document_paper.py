"""`kleis document --assemble`: the text of a paper of a file: its declarations, what its examples assert, its pictures."""

from __future__ import annotations

from collections.abc import Sequence

from kleis.documents.paper import Figure, Paper, paper_text, sections_of
from kleis.documents.stated_verdicts import stated_verdicts
from kleis.pictures.picture import Picture
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression
from registry.cli.kleis.files.test import FileReport
from registry.cli.kleis.output.document_request import Documenting

__all__ = ["assembled_paper"]

_SECONDS = 120.0


def assembled_paper(asked: Documenting, report: FileReport) -> tuple[str, Sequence[Picture]]:
    """The text and the pictures.  Propositions have two minutes in all; what is left open by then is unknown."""
    loading = report.loading
    assert loading is not None, "a file without errors is loaded"
    items = loading.main.result.program.items
    abstract, sections = (
        sections_of(asked.prose.read_text(encoding="utf-8")) if asked.prose is not None else ("", ())
    )
    with Broker() as broker:
        verdicts = stated_verdicts(
            asserted(items, asked.example), loading.theory, Provers(broker, None), Deadline(_SECONDS)
        )
    figures = tuple(
        Figure(picture, picture.options.get("title", "") or block.name)
        for block in report.blocks
        for picture in block.pictures
    )
    paper = Paper(
        title=asked.title or loading.main.name.rpartition("/")[2].removesuffix(".kleis"),
        authors=asked.authors,
        abstract=abstract,
        sections=sections,
        declarations=tuple(items),
        verdicts=verdicts,
        figures=figures,
        sources=tuple(item.path for item in items if isinstance(item, tree.Import)),
    )
    return paper_text(paper), [figure.picture for figure in figures]


def asserted(items: Sequence[object], selection: str) -> list[str]:
    """The propositions of `assert` in examples that bind nothing, and lemmas, as Kleis text."""
    found: list[str] = []
    for item in items:
        if isinstance(item, tree.Lemma):
            found.append(print_expression(item.proposition))
        if not isinstance(item, tree.Example) or selection not in item.name:
            continue
        if any(isinstance(each, tree.LetStatement) for each in item.statements):
            continue
        found += [
            print_expression(each.proposition)
            for each in item.statements
            if isinstance(each, tree.Assertion) and each.kind == "assert" and each.proposition is not None
        ]
    return found
