"""Commands on tools made of tools: compose, derive, graph, users, and what list and evolve say of them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.files.command_lines import Pif, answer


def test_compose_and_derive(square: Pif) -> None:
    made = square("compose", "fourth", "square", "square", "--example", "2", "16")
    assert made.stdout.startswith("fourth@1 created\n")
    assert "1 hold" in made.stdout
    assert square("run", "fourth", "3").stdout == "81\n"
    assert answer(square("show", "fourth", "--json"))["description"] == "A pipeline: square, then square."
    derived = square("derive", "slope", "square", "differentiate")
    assert "derived from square@1" in derived.stdout
    assert square("run", "slope", "7").stdout == "14\n"
    again = square("derive", "double", "square", '{"app": ["std.swapOperation", "mul", "add"]}', "--dry-run")
    assert again.stdout.startswith("double@1 would be created\n")
    assert square("show", "double").exit_code == 1


def test_mistakes_are_explained(square: Pif) -> None:
    lost = square("compose", "x", "square", "sqare")
    assert lost.exit_code == 1
    assert "sqare" in lost.stderr
    assert square("compose", "x").exit_code == 2
    assert square("compose", "x", "{").exit_code == 2
    assert square("compose", "x", "square", "--example", "{", "1").exit_code == 2
    assert "gives no code" in square("derive", "x", "square", "std.codeSize").stderr


def test_evolve_files_may_compose_and_transform(square: Pif) -> None:
    both = [
        {"name": "fourth", "description": "", "compose": ["square", "square"]},
        {"name": "slope", "description": "", "transform": {"tool": "square", "by": "differentiate"}},
    ]
    assert square("evolve", "-", input=json.dumps(both)).exit_code == 0
    assert (square("run", "fourth", "2").stdout, square("run", "slope", "5").stdout) == ("16\n", "10\n")


def test_users_and_graph(square: Pif, tmp_path: Path) -> None:
    assert "No tool of this home uses square" in square("users", "square").stderr
    square("compose", "fourth", "square", "square", "--example", "2", "16")
    assert square("users", "square").stdout == "fourth@1\tdirectly\t\t1 example\n"
    assert answer(square("users", "square", "--json"))["users"][0]["name"] == "fourth"
    drawn = square("graph").stdout
    assert drawn.startswith("flowchart")
    assert "fourth" in drawn
    picture = tmp_path / "tools.svg"
    assert square("graph", "fourth", "--image", picture).stdout == f"picture written to {picture}\n"
    assert picture.read_text().startswith("<svg")
    assert square("graph", "--image", picture).exit_code == 1
    assert square("graph", "--image", picture, "--overwrite").exit_code == 0
    assert square("graph", "--image", tmp_path / "tools.gif").exit_code == 2
    assert square("graph", "--image", tmp_path / "no" / "tools.svg").exit_code == 1
    told = answer(square("graph", "--json"))
    assert told["edges"] == [{"from": "fourth", "to": "square"}]


def test_replacement_asks_the_users(square: Pif) -> None:
    square("compose", "fourth", "square", "square", "--example", "2", "16")
    double = '{"add": [{"var": "x"}, {"var": "x"}]}'
    refused = square("evolve", double, "--name", "square")
    assert refused.exit_code == 1
    assert "fourth@1 uses square" in refused.stderr
    forced = square("evolve", double, "--name", "square", "--force")
    assert "fourth@1 (0 examples hold, 1 would not)" in forced.stdout
    assert square("rollback", "square", "1").exit_code == 0
    assert "these tools use square: fourth" in square("forget", "square", "--yes").stderr


def test_the_library_in_list_and_show(pif: Pif) -> None:
    found = pif("list", "median")
    assert found.stdout == ""
    assert "In the standard library: std.median" in found.stderr
    assert "std.median@1\t" in pif("list", "--library", "median").stdout
    assert "on all 2 arguments" in pif("show", "std.append").stdout
    assert pif("run", "median", "[5, 1, 3]").stdout == "3\n"
    assert pif("forget", "median", "--yes").exit_code == 1
