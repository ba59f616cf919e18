"""Drawings: every node and arrow is there, and no label becomes markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.diagrams import Drawing, Edge, Node, mermaid, svg

_SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    labels = draw(st.lists(st.text(max_size=12), min_size=1, max_size=8))
    nodes = tuple(
        Node(f"id {place}", label, draw(st.sampled_from(["plain", "strong", "round", "faint"])))
        for place, label in enumerate(labels)
    )
    ends = st.sampled_from([node.id for node in nodes])
    edges = draw(st.lists(st.builds(Edge, ends, ends, st.text(max_size=5)), max_size=12))
    return Drawing(nodes, tuple(edges), draw(st.text(max_size=8)))


@given(drawings())
def test_svg_has_a_box_for_each_node_and_a_path_for_each_arrow(drawing: Drawing) -> None:
    root = ElementTree.fromstring(svg(drawing))
    titles = [each.text or "" for each in root.iter(f"{_SVG}title")]
    assert len(titles) == len(drawing.nodes)
    curves = [each for each in root.iter(f"{_SVG}path") if each.get("marker-end")]
    assert len(curves) == len(drawing.edges)
    tags = {each.tag.removeprefix(_SVG) for each in root.iter()}
    assert tags <= {"svg", "defs", "marker", "path", "rect", "text", "g", "title"}


@given(drawings())
def test_mermaid_has_a_line_for_each_node_and_arrow(drawing: Drawing) -> None:
    lines = mermaid(drawing).splitlines()
    body = lines[lines.index("flowchart TD") + 1 :]
    arrows = [line for line in body if "-->" in line or "-.->" in line]
    assert len(arrows) == len(drawing.edges)
    boxes = [line for line in body if line not in arrows and not line.strip().startswith("class")]
    assert len(boxes) == len(drawing.nodes)


@given(drawings())
def test_boxes_of_one_drawing_do_not_overlap(drawing: Drawing) -> None:
    boxes = [
        tuple(float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
        for rect in ElementTree.fromstring(svg(drawing)).iter(f"{_SVG}rect")
        if rect.get("x")
    ]
    for place, (x, y, width, height) in enumerate(boxes):
        for other_x, other_y, other_width, other_height in boxes[place + 1 :]:
            apart = x + width <= other_x or other_x + other_width <= x
            assert apart or y + height <= other_y or other_y + other_height <= y


def test_what_depends_stands_below() -> None:
    drawing = Drawing((Node("c", "c"), Node("a", "a"), Node("b", "b")), (Edge("a", "b"), Edge("b", "c")))
    root = ElementTree.fromstring(svg(drawing))
    heights = {}
    for group in root.iter(f"{_SVG}g"):
        title, rect = group.find(f"{_SVG}title"), group.find(f"{_SVG}rect")
        if title is not None and rect is not None:
            heights[title.text] = float(rect.get("y", "nan"))
    assert heights["a"] < heights["b"] < heights["c"]


def test_labels_are_no_markup() -> None:
    nasty = '"]; click n0 "javascript:x"\n<script>&amp;'
    drawing = Drawing((Node("x", nasty),), (), nasty)
    text = mermaid(drawing)
    assert '"]' not in text.replace('"]\n', "")
    assert "<script" not in text
    assert "<script" not in svg(drawing)


def test_a_drawing_leaves_nothing_out() -> None:
    with pytest.raises(ValueError, match="no node"):
        mermaid(Drawing((Node("a", "a"),), (Edge("a", "b"),)))
    with pytest.raises(ValueError, match="twice"):
        svg(Drawing((Node("a", "a"), Node("a", "b"))))
