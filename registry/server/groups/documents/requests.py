"""The arguments of the tools of the group `documents`, one type a tool."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

__all__ = ["AssembleDocument", "DrawPlot", "PlotText", "Request", "SectionText"]

Session = Annotated[str, Meta(description="The theory session.", max_length=200)]
Line = Annotated[str, Meta(max_length=1_000)]
Prose = Annotated[str, Meta(max_length=100_000)]
Expression = Annotated[str, Meta(max_length=50_000)]


class DrawPlot(msgspec.Struct, frozen=True):
    """A picture."""

    expression: Annotated[
        str, Meta(description="Kleis that makes one: diagram(plot(xs, ys), title = …).", max_length=50_000)
    ]
    session: Session = "default"
    dark: Annotated[bool, Meta(description="For a dark page.")] = False


class SectionText(msgspec.Struct, frozen=True):
    """A section of a paper."""

    heading: Line
    text: Prose = ""


class PlotText(msgspec.Struct, frozen=True):
    """A picture of a paper."""

    expression: Expression
    caption: Line = ""


class AssembleDocument(msgspec.Struct, frozen=True):
    """A paper of a theory session."""

    title: Annotated[str, Meta(min_length=1, max_length=1_000)]
    session: Session = "default"
    authors: Annotated[list[Line], Meta(max_length=50)] = []
    abstract: Prose = ""
    sections: Annotated[
        list[SectionText],
        Meta(
            description="Prose: *strong*, _emphasis_, $mathematics$, lists, @figure-1; all else is text.",
            max_length=100,
        ),
    ] = []
    propositions: Annotated[
        list[Expression], Meta(description="To be decided, with certificates.", max_length=100)
    ] = []
    plots: Annotated[list[PlotText], Meta(description="Pictures, numbered from 1.", max_length=50)] = []
    form: Annotated[Literal["pdf", "typst"], Meta(description="typst: only the text.")] = "pdf"


Request = DrawPlot | AssembleDocument
