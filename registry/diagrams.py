"""Graphs as text and as pictures: Mermaid for documents, DOT for Graphviz, SVG for everything else (docs/reference/corpus.md §8).

One drawing model for every command that draws: tools that use tools, theories, corpora. The caller makes the drawing;
`layered_layout` places its boxes, and the same drawing gives the same bytes.

Invariants
----------
- An arrow goes from an edge's `source` to its `target`; a node that is only a source is in the first rank.
- Labels may hold any text: nothing in them becomes markup. Cycles are allowed.
- An edge with an end that is no node raises `ValueError`: a drawing never omits anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from unicodedata import east_asian_width

import msgspec

from registry.layered_layout import placed

__all__ = ["Drawing", "Edge", "Node", "dot", "mermaid", "svg"]

Kind = Literal["plain", "strong", "round", "faint"]
"""How a node looks: `plain` a box, `strong` a box with a heavy border, `round` a rounded one, `faint` a dashed one."""

Style = Literal["solid", "dashed"]


class Node(msgspec.Struct, frozen=True):
    """Something drawn: `label` may have several lines."""

    id: str
    label: str
    kind: Kind = "plain"


class Edge(msgspec.Struct, frozen=True):
    """An arrow between two nodes."""

    source: str
    target: str
    label: str = ""
    style: Style = "solid"


class Drawing(msgspec.Struct, frozen=True):
    """Nodes and arrows, in the order in which they are drawn."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    title: str = ""

    def checked(self) -> Drawing:
        """This drawing. Raises ValueError where a node is given twice or an edge has an end that is no node."""
        known: set[str] = set()
        for node in self.nodes:
            if node.id in known:
                raise ValueError(f"the node {node.id!r} is drawn twice")
            known.add(node.id)
        for edge in self.edges:
            for end in (edge.source, edge.target):
                if end not in known:
                    raise ValueError(f"an edge ends in {end!r}, which is no node of the drawing")
        return self


# ── Mermaid ──────────────────────────────────────────────────────────────────────────────────────────────────

_SHAPES: Mapping[Kind, tuple[str, str]] = {
    "plain": ("[", "]"),
    "strong": ("[[", "]]"),
    "round": ("([", "])"),
    "faint": ("[", "]"),
}
_ARROWS: Mapping[Style, str] = {"solid": "-->", "dashed": "-.->"}


def mermaid(drawing: Drawing) -> str:
    """The drawing as a Mermaid flowchart, ending in a newline."""
    names = {node.id: f"n{place}" for place, node in enumerate(drawing.checked().nodes)}
    lines = ["---", f"title: {_quoted(drawing.title)}", "---"] if drawing.title else []
    lines.append("flowchart TD")
    for node in drawing.nodes:
        opening, closing = _SHAPES[node.kind]
        lines.append(f"    {names[node.id]}{opening}{_quoted(node.label)}{closing}")
    for edge in drawing.edges:
        label = f"|{_quoted(edge.label)}|" if edge.label else ""
        lines.append(f"    {names[edge.source]} {_ARROWS[edge.style]}{label} {names[edge.target]}")
    faint = [names[node.id] for node in drawing.nodes if node.kind == "faint"]
    if faint:
        lines.append("    classDef faint stroke-dasharray: 4 3")
        lines.append(f"    class {','.join(faint)} faint")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Text in Mermaid's quotes; what could end them or be markup is written as an entity."""
    written = []
    for character in text:
        if character == "\n":
            written.append("<br/>")
        elif character in '"#<>&`\\;' or not character.isprintable():
            written.append(f"#{ord(character)};")
        else:
            written.append(character)
    return '"' + "".join(written) + '"'


# ── DOT ──────────────────────────────────────────────────────────────────────────────────────────────────────


def dot(drawing: Drawing) -> str:
    """The drawing in the language of Graphviz, ending in a newline."""
    names = {node.id: f"n{place}" for place, node in enumerate(drawing.checked().nodes)}
    looks = {"plain": "", "strong": ", penwidth=2.5", "round": ", style=rounded", "faint": ", style=dashed"}
    lines = ["digraph {", f"    label={_dot_text(drawing.title)};", "    node [shape=box];"]
    lines += [
        f"    {names[each.id]} [label={_dot_text(each.label)}{looks[each.kind]}];" for each in drawing.nodes
    ]
    for edge in drawing.edges:
        style = ", style=dashed" if edge.style == "dashed" else ""
        lines.append(
            f"    {names[edge.source]} -> {names[edge.target]} [label={_dot_text(edge.label)}{style}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(text: str) -> str:
    """Text in DOT's quotes: a backslash of a label is its own, and lines end by the escape for it."""
    shown = "".join(each if each.isprintable() or each == "\n" else "␦" for each in text)
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("&", "&amp;")
    return f'"{escaped}"'


# ── SVG ──────────────────────────────────────────────────────────────────────────────────────────────────────

_CHARACTER, _LINE, _PADDING, _DOWN, _MARGIN = 7.4, 17, 10, 56, 20
"""Pixels: a character of the 12-pixel monospaced font, a line, inside a box, between ranks, around."""

_LONGEST = 60
"""Characters of a line that are drawn; the whole label is the box's title."""


class _Box(msgspec.Struct):
    node: Node
    lines: tuple[str, ...]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


def svg(drawing: Drawing) -> str:
    """The drawing as an SVG document, ending in a newline."""
    boxes = {node.id: _box(node) for node in drawing.checked().nodes}
    width, height = _place(drawing, boxes)
    top = 24 if drawing.title else 0
    size = f"{width:.0f} {height + top:.0f}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width:.0f}" '
        f'height="{height + top:.0f}" font-family="monospace" font-size="12">',
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="#555"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    if drawing.title:
        parts.append(f'<text x="{_MARGIN}" y="20" font-weight="bold">{_safe(drawing.title)}</text>')
    parts.append(f'<g transform="translate(0 {top})">')
    parts += [_arrow(edge, boxes[edge.source], boxes[edge.target]) for edge in drawing.edges]
    parts += [_drawn(box) for box in boxes.values()]
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _safe(text: str) -> str:
    """Text that may stand in XML: characters that XML does not have are shown as ␦."""
    from html import escape

    return escape("".join(each if each.isprintable() or each == "\n" else "␦" for each in text))


def _box(node: Node) -> _Box:
    lines = tuple(
        line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…" for line in node.label.split("\n")
    )
    width = max(map(_cells, lines)) * _CHARACTER + 2 * _PADDING
    return _Box(node, lines, width, len(lines) * _LINE + 2 * _PADDING - 4)


def _cells(line: str) -> int:
    """Characters of a monospaced font that a line is as wide as: those of East Asia are as wide as two."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in line)


def _place(drawing: Drawing, boxes: Mapping[str, _Box]) -> tuple[float, float]:
    """Give every box its corner; the size of the whole."""
    sizes = {name: (box.width, box.height) for name, box in boxes.items()}
    corners, (width, height) = placed(sizes, ((edge.source, edge.target) for edge in drawing.edges))
    for name, (x, y) in corners.items():
        boxes[name].x, boxes[name].y = x + _MARGIN, y + _MARGIN
    return width + 2 * _MARGIN, height + 2 * _MARGIN


def _drawn(box: _Box) -> str:
    border = {
        "plain": 'rx="3" stroke="#555"',
        "strong": 'rx="3" stroke="#222" stroke-width="2.5"',
        "round": 'rx="14" stroke="#555"',
        "faint": 'rx="3" stroke="#888" stroke-dasharray="4 3"',
    }[box.node.kind]
    lines = "".join(
        f'<text x="{box.x + _PADDING:.1f}" y="{box.y + _PADDING + 9 + place * _LINE:.1f}">{_safe(line)}</text>'
        for place, line in enumerate(box.lines)
    )
    return (
        f'<g data-row=""><title>{_safe(box.node.label)}</title><rect x="{box.x:.1f}" y="{box.y:.1f}" '
        f'width="{box.width:.1f}" height="{box.height:.1f}" fill="#f7f7f4" {border}/>{lines}</g>'
    )


def _arrow(edge: Edge, source: _Box, target: _Box) -> str:
    dashes = ' stroke-dasharray="5 4"' if edge.style == "dashed" else ""
    if source is target:
        x, y = source.x + source.width, source.y + source.height / 2
        path = f"M{x:.1f} {y - 6:.1f}C{x + 26:.1f} {y - 22:.1f} {x + 26:.1f} {y + 22:.1f} {x:.1f} {y + 6:.1f}"
        return _curve(path, dashes, edge.label, x + 24, y)
    down = source.y < target.y
    x1, y1 = source.x + source.width / 2, source.y + (source.height if down else 0)
    x2, y2 = target.x + target.width / 2, target.y + (0 if down else target.height)
    bend = (y2 - y1) / 2 or _DOWN
    path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
    return _curve(path, dashes, edge.label, (x1 + x2) / 2, (y1 + y2) / 2)


def _curve(path: str, dashes: str, label: str, x: float, y: float) -> str:
    text = (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" fill="#555" text-anchor="middle">{_safe(label)}</text>'
    )
    curve = f'<path d="{path}" fill="none" stroke="#555"{dashes} marker-end="url(#arrow)"/>'
    return curve + (text if label else "")
