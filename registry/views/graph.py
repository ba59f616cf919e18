"""A graph as a page: the picture, a search, and the same as a table for whoever does not see it."""

from __future__ import annotations

from registry.diagrams import Drawing, svg
from registry.views.markup import Markup, element, joined, text
from registry.views.page import View
from registry.views.parts import search, section, table

__all__ = ["DRAWN", "graph_view"]

DRAWN = 800
"""Boxes of a picture on a page; of more the table alone is shown."""


def graph_view(drawing: Drawing, title: str) -> View:
    """The page of a drawing."""
    uses: dict[str, list[str]] = {node.id: [] for node in drawing.nodes}
    for edge in drawing.edges:
        uses[edge.source].append(edge.target)
    rows = [[node.label, ", ".join(uses[node.id])] for node in drawing.nodes]
    said = f"{len(drawing.nodes):,} nodes, {len(drawing.edges):,} arrows"
    return View(
        title,
        joined(
            (
                element("h1", title, dir="auto"),
                element("p", said),
                search("graph", "names"),
                element(
                    "div",
                    _picture(drawing, said),
                    section("As a table", table(["name", "arrows to"], rows)),
                    id="graph",
                ),
            )
        ),
    )


def _picture(drawing: Drawing, said: str) -> Markup:
    if len(drawing.nodes) > DRAWN:
        return element(
            "p",
            f"A picture of {len(drawing.nodes):,} boxes cannot be read. Ask for a few names.",
            class_="notice",
        )
    # `svg` escapes its labels; the picture is one image to a screen reader, which has the table.
    return element(
        "div", Markup(svg(drawing)), class_="picture", role="img", tabindex="0", aria_label=text(said)
    )
