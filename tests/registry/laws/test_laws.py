"""Laws of tools in a registry: proved, refuted, tested, labelled, kept and checked again (docs/reference/registry.md §7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve, List
from registry.workspace.workspace import Workspace
from tests.support.terms.law_tools import TOOLS, function, variable

Json = Any
X = variable("x")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A registry with all the tools, to ask and not to change."""
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    for name, code in TOOLS.items():
        assert made.evolve(Evolve(name, f"The tool {name}", code))["type"] == "tool"
    yield made
    made.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path / "home"))
    yield made
    made.close()


def asked(workspace: Workspace, law: str, **more: Any) -> Json:
    return workspace.verify(law, **more)


@pytest.mark.parametrize(
    "law",
    [
        "∀(x : ℤ). square(x) ≥ 0",
        "∀(x y : ℤ). square(x + y) = square(x) + 2 * x * y + square(y)",
        "∀(n : ℤ). fact(n) ≥ 1",
        "∀(a b c : List(T)). tool_append(tool_append(a, b), c) = tool_append(a, tool_append(b, c))",
        "∀(a b : List(ℤ)). tool_sum(tool_append(a, b)) = tool_sum(a) + tool_sum(b)",
        "∀(l : List(ℤ)). digits_fold(0, l) = digits(l)",
        "∀(l : List(ℤ)). shifts(doubles(l)) = reverse(moves(l))",
        "∀(x : ℤ). mean([x]) = x",
        "∀(w h : ℤ). area(height = h, width = w) = w * h",
        "∀(p : ℤ × String). swap(swap(p)) = p",
        "∀(p : T × U). swap(swap(p)) = p",
        "∀(x : ℤ). tool_my_tool_v(x) > x",
        "doubles([1, 2]) = [4, 2]",
        "safe(square)",
        "safe(fact)",
        "safe(area)",
        "∀(x : ℤ). is_zero(x) ↔ x = 0",
        "∀(s : String). is_blank(s) ↔ strlen(s) = 0",
        "∀(l : List(T)). is_bare(l) ↔ length(l) = 0",
        "∀(x : T)(l : List(T)). times_in(x, Cons(x, l)) = times_in(x, l) + 1",
        "safe(is_blank)",
        "∀(a b : ℤ). weighed([a, b]) = 2 * (a + 1) + b + 1",
        "∀(a b : Bool). differ(a, b) ↔ differ(b, a)",
        '∀(x y : ℤ). get_field(move(x = x, y = y), "x") = x + 1',
    ],
)
def test_a_law_that_is_proved(shared: Workspace, law: str) -> None:
    found = asked(shared, law)
    assert (found["status"], found.get("labels", ())) == ("proved", ()), found
    assert found["certified"]
    assert "without its fuel" in found["about"]


@pytest.mark.parametrize(
    ("law", "input"),
    [
        ("∀(x : ℤ). square(x) > 0", {"x": 0}),
        ("∀(n : ℤ). fact(n) ≤ 100", {"n": 5}),
        ("∀(w h : ℤ). area(height = h, width = w) > w", {"w": 0, "h": 0}),
        ("safe(mean)", {"x1": []}),
        ("∀(l : List(ℤ)). doubles(l) = l", None),
        ("∀(a b : List(T)). tool_append(a, b) = tool_append(b, a)", None),
        ("∀(p : ℤ × ℤ). swap(p) = p", None),
        ("∀(l : List(List(ℤ))). lengths(l) = length(l)", None),
        ("∀(x y : T). swap((x, y)) = (x, y)", None),
        (
            '∀(x : ℤ). move(x = x, y = 2) = record(field("at", record(field("y", 2))), field("x", x))',
            {"x": 0},
        ),
        (
            '∀(y : ℤ). move(x = 1, y = y) = record(field("at", record(field("y", 2))), field("x", 2))',
            {"y": 0},
        ),
    ],
)
def test_a_law_that_is_refuted_shows_an_input_that_was_run(shared: Workspace, law: str, input: Json) -> None:
    found = asked(shared, law)
    assert found["status"] == "refuted"
    shown = found["counterexample"]
    assert input is None or shown["input"] == input
    assert shown["runs"]
    for run in shown["runs"]:
        answer = shared.run(Request(code=run["code"]))
        assert run["answer"] == answer.get("value", answer.get("error"))


def test_a_law_holds_where_the_tool_has_a_value(shared: Workspace) -> None:
    """`mean` has none for []: no counterexample to a law about its values, and counted."""
    found = asked(shared, "∀(l : List(ℤ)). quoting(0) * mean(l) * 0 = 0")
    assert found["status"] == "tested"
    assert found["without_value"] > 0
    assert any("without a value" in label for label in found["labels"])


def test_what_cannot_be_said_is_tested_and_says_why(shared: Workspace) -> None:
    found = asked(shared, "∀(n : ℤ). quoting(n) = 2")
    assert (found["status"], found["cases"], found["seed"]) == ("tested", 300, 0)
    assert found["labels"] == ("not proved: a tool has no Kleis definition",)
    assert "/body" in found["reason"]
    assert asked(shared, "∀(n : ℤ). quoting(n) = 3")["status"] == "refuted"


def test_a_test_is_the_same_again(shared: Workspace) -> None:
    first, second = (asked(shared, "∀(l : List(ℤ)). quoting(0) * mean(l) * 0 = 0") for _ in range(2))
    assert first == second
    assert first["status"] == "tested"


def test_tools_that_take_functions_are_put_in_where_they_are_called(shared: Workspace) -> None:
    shown = shared.show("doubles", kleis=True)["kleis"]
    assert "list_map(λ (item : ℤ) . 2 * item, l)" in shown
    refused = shared.show("map", kleis=True)["kleis_refused"]
    assert refused == {"reason": "it takes or gives functions", "path": "", "tool": "map@1"}
    assert "functions" in asked(shared, "tool_map(1, 2) = 3")["error"]["message"]


def test_earlier_laws_are_lemmas(workspace: Workspace) -> None:
    laws = [
        "∀(acc : ℤ)(k l : List(ℤ)). digits_fold(acc, tool_append(k, l)) = digits_fold(digits_fold(acc, k), l)",
        "∀(x : ℤ). digits([x]) = x",
    ]
    made = workspace.evolve(Evolve("digits", "A number of its digits", TOOLS["digits"], laws=laws))
    assert [law["status"] for law in made["laws"]] == ["proved", "proved"]
    assert workspace.check_laws("digits")["ok"]


def test_a_version_keeps_its_laws_or_says_which_it_drops(workspace: Workspace) -> None:
    law = "∀(x : ℤ). square(x) ≥ 0"
    workspace.evolve(Evolve("square", "Squares", TOOLS["square"], laws=[law, "safe(square)"]))

    refused = workspace.evolve(Evolve("square", "Doubles", {"mul": [X, 2]}))
    assert refused["error"]["kind"] == "law_disproved"
    assert refused["error"]["counterexample"]["input"] == {"x": -1}
    assert "square@1" in refused["error"]["message"]
    assert workspace.list(List())["tools"][0]["version"] == 1

    kept = workspace.evolve(Evolve("square", "Squares and one", {"add": [{"mul": [X, X]}, 1]}))
    assert [(each["law"], each["status"], each["was"]) for each in kept["laws"]] == [
        (law, "proved", "proved"), ("safe(square)", "proved", "proved")]  # fmt: skip

    dropped = workspace.evolve(Evolve("square", "Doubles", {"mul": [X, 2]}, drop_laws=[law]))
    assert dropped["dropped_laws"] == [law]
    assert workspace.list(List())["tools"][0]["laws"] == [{"law": "safe(square)", "status": "proved"}]
    assert workspace.show("square@2")["laws"][0] == {"law": law, "status": "proved"}
    for version in (1, 2, 3):
        assert workspace.check_laws(f"square@{version}")["ok"]


def test_a_false_law_keeps_nothing(workspace: Workspace) -> None:
    refused = workspace.evolve(
        Evolve("square", "Squares", TOOLS["square"], laws=["safe(square)", "∀(x : ℤ). square(x) > 0"])
    )
    assert refused["error"]["kind"] == "law_disproved"
    assert refused["error"]["path"] == "/laws/1"
    assert workspace.list(List())["total"] == 0


def test_laws_can_be_added_to_a_version_and_a_dry_run_adds_none(workspace: Workspace) -> None:
    workspace.evolve(Evolve("square", "Squares", TOOLS["square"]))
    dry = workspace.evolve(Evolve("square", "Squares", TOOLS["square"], laws=["safe(square)"], dry_run=True))
    assert (dry["outcome"], dry["laws"][0]["status"]) == ("laws", "proved")
    assert "laws" not in workspace.list(List())["tools"][0]
    assert (
        workspace.evolve(Evolve("square", "Squares", TOOLS["square"], laws=["safe(square)"]))["version"] == 1
    )
    assert workspace.list(List())["tools"][0]["laws"] == [{"law": "safe(square)", "status": "proved"}]
    assert workspace.evolve(Evolve("square", "Squares", TOOLS["square"]))["outcome"] == "unchanged"


def test_a_law_is_stale_when_what_it_rests_on_has_changed(workspace: Workspace) -> None:
    workspace.evolve(Evolve("square", "Squares", TOOLS["square"]))
    quad = function("x", {"app": ["square", {"app": ["square", X]}]})
    workspace.evolve(Evolve("quad", "Fourth power", quad, laws=["∀(x : ℤ). quad(x) ≥ 0"]))
    workspace.evolve(Evolve("square", "Negative", function("x", {"sub": [0, {"mul": [X, X]}]})))
    (listed,) = [each for each in workspace.list(List())["tools"] if each["name"] == "quad"]
    assert listed["laws"][0]["stale"] is True
    checked = workspace.check_laws("quad")
    assert not checked["ok"]
    assert "square@1" in checked["laws"][0]["findings"][0]["detail"]


def test_an_export_with_a_forged_certificate_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.evolve(Evolve("square", "Squares", TOOLS["square"], laws=["safe(square)"]))
    workspace.export(tmp_path / "out")
    (file,) = (tmp_path / "out" / "certificates").iterdir()
    file.write_text(file.read_text().replace("unsat", "sat") + " ")
    other = Workspace(SqliteStore(tmp_path / "other"))
    try:
        assert "certificate" in other.import_(tmp_path / "out")["error"]["message"]
    finally:
        other.close()


def test_a_new_version_tells_whose_laws_rest_on_the_old_one(workspace: Workspace) -> None:
    workspace.evolve(Evolve("step", "One more", function("x", {"add": [X, 1]})))
    workspace.evolve(Evolve("steps", "Two more", function("x", {"app": ["step", {"app": ["step", X]}]}), laws=["∀(x : ℤ). steps(x) = x + 2", "safe(steps)"]))  # fmt: skip
    changed = workspace.evolve(Evolve("step", "Two more", function("x", {"add": [X, 2]})))
    assert changed["users"] == [{"tool": "steps@1", "examples_held": 0, "laws_stale": 2}]
    assert (
        "laws_stale"
        not in workspace.evolve(Evolve("step", "Three", function("x", {"add": [X, 3]})))["users"][0]
    )
