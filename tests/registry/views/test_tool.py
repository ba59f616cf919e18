"""The pages of tools and graphs: the data are there, hostile text stays text, and what is large says what it leaves out."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from registry.cli.pif import main
from registry.diagrams import Drawing, Edge, Node, dot, svg
from registry.layered_layout import placed
from registry.views.graph import graph_view
from registry.views.page import document
from registry.views.run import run_view
from registry.views.tool import difference_view, tool_view, tools_view
from tests.support.views.hostile import HARMLESS, HOSTILE, read


def hostile_tool(bad: str) -> dict[str, object]:
    return {
        "type": "tool", "name": bad, "version": 1, "current": 1, "description": bad, "capabilities": [bad],
        "inferred_type": bad, "created": bad, "hash": bad, "cost": {"min": bad, "max": bad, "applied": {"unknown": bad}},
        "code": {"lam": bad, "body": [{"var": bad}, bad]}, "python": bad, "kleis": bad,
        "laws": [{"law": bad, "status": bad}], "versions": [{"version": 1, "created": bad, "hash": bad}],
    }  # fmt: skip


@pytest.mark.parametrize("bad", HOSTILE, ids=lambda each: ascii(each[:20]))
def test_hostile_tools_are_text(bad: str) -> None:
    def pages(name: str) -> list[str]:
        node = Node("n", name)
        return [
            document(tool_view(hostile_tool(name))),
            document(tools_view({"tools": [{"name": name, "inferred_type": name, "description": name}]})),
            document(
                run_view(
                    {
                        "type": "value",
                        "value": name,
                        "trace": [{"event": name, "tool": name, "path": name, "term": name, "fuel_left": 1}],
                    }
                )
            ),
            document(tool_view({"type": "error", "error": {"kind": name, "message": name, "hint": name}})),
            document(
                difference_view(
                    {
                        "from": name,
                        "to": name,
                        "same": name,
                        "changes": [{"path": name, "from": name, "to": [name]}],
                    }
                )
            ),
            document(graph_view(Drawing((node,), (Edge("n", "n", name),), name), name)),
        ]

    if len(bad) > 100_000:
        assert all("<<" not in each for each in pages(bad))
        return
    for found in map(read, pages(bad)):
        assert {*found.elements} <= HARMLESS
        assert found.elements.count("script") == 1
        assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_a_tool_of_the_library_is_a_page(tmp_path: Path) -> None:
    out = tmp_path / "gcd.html"
    assert main(["show", "std.gcd", "--home", str(tmp_path / "home"), "--html", str(out)]) == 0
    found = read(out.read_text(encoding="utf-8"))
    shown = "".join(found.said)
    assert "∀(a : ℤ). gcd(a, 0) = absolute(a)" in [
        value for name, value in found.attributes if name == "alttext"
    ]
    for said in ("std.gcd@1", "integer → integer → integer", "gcd(a,0)=absolute(a)", "✓ proved", "def "):
        assert said in shown


def test_a_deep_term_and_a_large_list_say_what_they_leave_out() -> None:
    term: object = 1
    for _ in range(300):
        term = {"neg": term}
    assert "not unfolded further" in tool_view({**hostile_tool("x"), "code": term}).body
    many = {"tools": [{"name": f"t{number}"} for number in range(10_000)], "total": 10_000}
    assert "The first 2,000 of 10,000 rows are shown." in tools_view(many).body


def test_a_graph_of_ten_thousand_nodes_is_answered_soon() -> None:
    nodes = tuple(Node(str(number), f"tool {number}") for number in range(10_000))
    edges = tuple(Edge(str(number), str(number // 2)) for number in range(1, 10_000))
    began = time.monotonic()
    shown = graph_view(Drawing(nodes, edges), "g").body
    assert "cannot be read" in shown
    svg(Drawing(nodes, edges))
    assert time.monotonic() - began < 30


def any_drawing(boxes: int, arrows: int) -> Drawing:
    """A drawing by chance, the same each time."""
    chance = random.Random(boxes)
    nodes = tuple(Node(str(number), f"tool {number}") for number in range(boxes))
    pairs = {(chance.randrange(boxes), chance.randrange(boxes)) for _ in range(arrows)}
    return Drawing(nodes, tuple(Edge(str(a), str(b)) for a, b in sorted(pairs)))


@pytest.mark.parametrize("seed", range(40))
def test_any_graph_is_placed_without_overlap(seed: int) -> None:
    chance = random.Random(seed)
    names = [str(number) for number in range(chance.randint(1, 40))]
    sizes = {name: (chance.uniform(20, 400), chance.uniform(20, 60)) for name in names}
    edges = [(chance.choice(names), chance.choice(names)) for _ in range(chance.randint(0, 90))]
    corners, (width, height) = placed(sizes, edges)
    assert (corners, (width, height)) == placed(sizes, edges)
    assert corners.keys() == sizes.keys()
    boxes = [(*corners[name], *sizes[name]) for name in names]
    for place, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert x + w <= width + 0.01
        assert y + h <= height + 0.01
        for x2, y2, w2, h2 in boxes[place + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_dot_quotes_what_would_end_a_label() -> None:
    written = dot(Drawing((Node("a", '"]; b -> c ["\\'),), (), "t"))
    assert 'n0 [label="\\"]; b -> c [\\"\\\\"];' in written


def test_runs_and_differences_are_shown_as_they_are_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = str(tmp_path / "home")

    def answer(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main([*arguments, "--home", home, "--json"]) == 0
        return dict(json.loads(capsys.readouterr().out))

    ran = answer("run", "std.gcd", "12", "18", "--trace", "5")
    differ = answer("diff", "std.gcd", "std.lcm")
    shown = "".join(read(run_view(ran).body).said)
    assert str(ran["trace"][-1]["fuel_left"]) in shown
    assert "fuel spent" in shown
    assert "std.absolute@1" in shown
    shown = "".join(read(difference_view(differ).body).said)
    assert "std.gcd@1 and std.lcm@1" in shown
    for change in differ["changes"]:
        assert change["path"] in shown
