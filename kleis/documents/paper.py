"""A paper of a theory: prose, declarations, verdicts with the hashes of their certificates, pictures with captions.

The text is Typst of ours; what comes from outside is escaped (`kleis.typesetting`). See docs/reference/documents.md §4.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis.documents.statements import statement_text
from kleis.errors import KleisError
from kleis.pictures.picture import Picture
from kleis.syntax.parser.parser import parse_expression
from kleis.typesetting.escape import literal, prose, quoted
from kleis.typesetting.mathematics import expression_text

__all__ = ["Figure", "Paper", "Section", "StatedVerdict", "paper_text", "sections_of"]


class Section(msgspec.Struct, frozen=True):
    """A heading and prose."""

    heading: str
    text: str = ""


class StatedVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A proposition and what the prover says: `certificate` is the SHA-256 of its certificate, `note` says why none."""

    proposition: str
    status: str
    axioms: tuple[str, ...] = ()
    evidence: str = ""
    certificate: str = ""
    note: str = ""


class Figure(msgspec.Struct, frozen=True):
    """A picture with what is said below it."""

    picture: Picture
    caption: str = ""


class Paper(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a paper; `declarations` are items of a program."""

    title: str
    authors: tuple[str, ...] = ()
    abstract: str = ""
    sections: tuple[Section, ...] = ()
    declarations: tuple[object, ...] = ()
    verdicts: tuple[StatedVerdict, ...] = ()
    figures: tuple[Figure, ...] = ()
    sources: tuple[str, ...] = ()


_PREAMBLE = """\
#set page(paper: "a4", margin: 2.4cm, numbering: "1")
#set text(font: "New Computer Modern", size: 10.5pt)
#set par(justify: true)
#set heading(numbering: "1.1")
#show figure: set block(breakable: true)"""


def paper_text(paper: Paper) -> str:
    """The paper as Typst.  The files of its pictures are called by their names (`Picture.name`)."""
    labels = {f"figure-{place}" for place in range(1, len(paper.figures) + 1)}
    parts = [f"#set document(title: {quoted(paper.title)})", _PREAMBLE, _front(paper)]
    parts += [f"= {literal(each.heading)}\n\n{prose(each.text, labels)}" for each in paper.sections]
    statements = [text for each in paper.declarations if (text := statement_text(each))]
    if statements:
        parts.append("= Theory")
        if paper.sources:
            parts.append(f"It builds on {', '.join(literal(each) for each in paper.sources)}.")
        parts += statements
    if paper.verdicts:
        parts += ["= Verdicts", _verdicts(paper.verdicts)]
    if paper.figures:
        parts += ["= Figures", *(_figure(place, each) for place, each in enumerate(paper.figures, 1))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _front(paper: Paper) -> str:
    lines = [f'#align(center)[#text(size: 17pt, weight: "bold")[{literal(paper.title)}]]']
    if paper.authors:
        lines.append(f"#align(center)[{literal(', '.join(paper.authors))}]")
    if paper.abstract:
        lines.append(
            f"#align(center)[#block(width: 85%)[#set align(left)\n*Abstract.* {prose(paper.abstract, ())}\n]]"
        )
    return "\n\n".join(lines)


def _verdicts(verdicts: Sequence[StatedVerdict]) -> str:
    rows = [
        "#table(columns: (1fr, auto), stroke: 0.4pt, align: left, table.header([*Proposition*], [*Verdict*]),"
    ]
    for each in verdicts:
        rows.append(f"  [{_proposition(each)}], [*{literal(each.status)}*],")
    return "\n".join([*rows, ")"])


def _proposition(verdict: StatedVerdict) -> str:
    try:
        shown = f"${expression_text(parse_expression(verdict.proposition))}$"
    except KleisError:
        shown = f"#raw({quoted(verdict.proposition)})"
    lines = [shown]
    if verdict.axioms:
        lines.append(f"from {literal(', '.join(verdict.axioms))}")
    if verdict.evidence:
        lines.append(f"counterexample: #raw({quoted(verdict.evidence)})")
    if verdict.certificate:
        digits = verdict.certificate
        lines.append(f"certificate SHA-256 #raw({quoted(digits[:32])}) #raw({quoted(digits[32:])})")
    if verdict.note:
        lines.append(literal(verdict.note))
    first, *rest = lines
    return "\\ ".join([first, *(f"#text(size: 8.5pt)[{line}]" for line in rest)])


def _figure(place: int, figure: Figure) -> str:
    width = min(figure.picture.size[0], 15.5)
    image = f'image("{figure.picture.name}.svg", width: {width:g}cm)'
    return f"#figure({image}, caption: [{prose(figure.caption, ())}]) <figure-{place}>"


def sections_of(text: str) -> tuple[str, tuple[Section, ...]]:
    """What stands before the first heading of a text, and its sections; a heading is a line behind ``#``."""
    before: list[str] = []
    found: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        if line.startswith("#") and line.lstrip("#").startswith(" "):
            found.append((line.lstrip("#").strip(), []))
        else:
            (found[-1][1] if found else before).append(line)
    sections = tuple(Section(heading, "\n".join(lines).strip()) for heading, lines in found)
    return "\n".join(before).strip(), sections
