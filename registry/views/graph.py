"""A graph as a page: the picture, a search, and the same as a table for whoever does not see it.

A graph of more than `COLLAPSED` boxes is collapsed: a picture of its parts first, each of which unfolds to a picture of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kleis.decoding import converted
from registry.diagrams import Drawing, Edge, Node, svg
from registry.views.markup import Markup, element, joined, text
from registry.views.page import View
from registry.views.parts import folded, search, section, table

__all__ = ["COLLAPSED", "DRAWN", "clusters", "graph_view", "picture", "tools_graph_view"]

DRAWN = 800
"""Boxes of a picture on a page; of more the table alone is shown."""

COLLAPSED = 60
"""Boxes of a picture that one can take in; a larger one is shown in parts."""

_PART = 40
"""Boxes of a part, at most."""

_ALONE = "without arrows"


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
                    *_pictures(drawing, said),
                    section("As a table", table(["name", "arrows to"], rows)),
                    id="graph",
                ),
            )
        ),
    )


def tools_graph_view(graph: Mapping[str, Any]) -> View:
    """Which tools use which, of the fields of `graph`: an arrow goes from a tool to what it uses."""
    from registry.workspace.dependants import Graph, drawing_of  # loads the store

    read = converted(graph, Graph)
    shown = graph_view(drawing_of(read), "Which tools use which")
    if not read.cut:
        return shown
    said = element("p", "There are more tools than one graph shows; name some.", class_="notice")
    return View(shown.title, joined((said, shown.body)))


def picture(drawing: Drawing, said: str) -> Markup:
    """A drawing in layers; `said` is its description for who does not see it."""
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


def _pictures(drawing: Drawing, said: str) -> Iterator[Markup]:
    if len(drawing.nodes) <= COLLAPSED:
        yield picture(drawing, said)
        return
    parts = clusters(drawing)
    home = {name: place for place, part in enumerate(parts) for name in part}
    labels = {node.id: node for node in drawing.nodes}
    titles = _titles(drawing, parts)
    yield section("In parts", picture(_overview(drawing, titles, parts, home), f"{len(parts)} parts of {said}"))  # fmt: skip
    if len(drawing.nodes) > DRAWN:
        yield element(
            "p",
            f"A picture of all {len(drawing.nodes):,} boxes cannot be read. Ask for a few names.",
            class_="notice",
        )
        return
    for place, part in enumerate(parts):
        inside = set(part)
        edges = tuple(each for each in drawing.edges if each.source in inside and each.target in inside)
        one = Drawing(tuple(labels[name] for name in part), edges)
        yield folded(titles[place], picture(one, f"{len(part)} nodes, {len(edges)} arrows"))
    yield folded("All in one picture", picture(drawing, said))


def clusters(drawing: Drawing) -> list[tuple[str, ...]]:
    """The nodes in parts of neighbours: from the one with most arrows outwards. Those without arrows are the last part."""
    beside: dict[str, dict[str, None]] = {node.id: {} for node in drawing.nodes}
    for edge in drawing.edges:
        if edge.source != edge.target:
            beside[edge.source][edge.target] = None
            beside[edge.target][edge.source] = None
    order = {node.id: place for place, node in enumerate(drawing.nodes)}
    hubs = sorted((name for name in order if beside[name]), key=lambda name: (-len(beside[name]), order[name]))  # fmt: skip
    taken: set[str] = set()
    parts: list[tuple[str, ...]] = []
    for hub in hubs:
        if hub not in taken:
            parts.append(_grown(hub, beside, taken))
    if alone := tuple(name for name in order if not beside[name]):
        parts.append(alone)
    return parts


def _grown(hub: str, beside: Mapping[str, Mapping[str, None]], taken: set[str]) -> tuple[str, ...]:
    part = [hub]
    taken.add(hub)
    waiting = deque([hub])
    while waiting and len(part) < _PART:
        for name in beside[waiting.popleft()]:
            if name not in taken and len(part) < _PART:
                taken.add(name)
                part.append(name)
                waiting.append(name)
    return tuple(part)


def _titles(drawing: Drawing, parts: Sequence[tuple[str, ...]]) -> list[str]:
    ends = {end for edge in drawing.edges if edge.source != edge.target for end in (edge.source, edge.target)}
    labels = {node.id: node.label.partition("\n")[0] for node in drawing.nodes}
    return [
        f"{labels[part[0]]} and {len(part) - 1} more" if part[0] in ends else f"{len(part)} {_ALONE}"
        for part in parts
    ]


def _overview(
    drawing: Drawing, titles: Sequence[str], parts: Sequence[tuple[str, ...]], home: Mapping[str, int]
) -> Drawing:
    counts: dict[tuple[int, int], int] = {}
    for edge in drawing.edges:
        pair = home[edge.source], home[edge.target]
        if pair[0] != pair[1]:
            counts[pair] = counts.get(pair, 0) + 1
    nodes = tuple(Node(str(place), title, "strong") for place, title in enumerate(titles))
    edges = tuple(Edge(str(a), str(b), str(count)) for (a, b), count in counts.items())
    return Drawing(nodes, edges)
