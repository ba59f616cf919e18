"""Tools tried on sampled inputs: the same seed, the smallest inputs, types that are inferred, given and missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve, Fuzz
from registry.workspace.workspace import Workspace

X = {"var": "x"}
SUM = {"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0, X]}

TOOLS: dict[str, Any] = {
    "double": {"mul": [X, 2]},
    "first": {"head": X},
    "inverse": {"div": [100, X]},
    "mean": {"div": [SUM, {"length": X}]},
    "past_ten": {"if": {"cond": {"lt": [10, SUM]}, "then": {"head": {"tail": []}}, "else": 0}},
    "name": {"lam": "r", "body": {"concat": [{"get": [{"var": "r"}, "name"]}, "!"]}},
    "third": {"head": {"tail": {"tail": X}}},
    "constant": [1, 2, 3],
    "apply": {"lam": "f", "body": {"app": [{"var": "f"}, 1]}},
    "endless": {"lam": "x", "body": {"app": [{"self": True}, X]}},
    "steps": {"if": {"cond": {"lt": [X, 1]}, "then": 0, "else": {"continue": {"input": {"sub": [X, 1]}}}}},
    "mixed": {"lam": "x", "body": [{"add": [X, 1]}, "a"]},
    "runs": {"lam": "q", "body": {"eval": {"var": "q"}}},
    "long": {"if": {"cond": {"lt": [{"length": {"concat": [X, ""]}}, 4]}, "then": 0, "else": {"head": []}}},
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    store = SqliteStore(tmp_path)
    made = Workspace(store)
    for name, code in TOOLS.items():
        assert made.evolve(Evolve(name, "", code))["type"] == "tool"
    yield made
    store.close()


def tried(
    workspace: Workspace, name: str, *, seed: int = 0, examples: int = 200, **more: Any
) -> dict[str, Any]:
    beside = {key: more.pop(key) for key in ("stop", "progress") if key in more}
    return workspace.fuzz(Fuzz(name, seed=seed, examples=examples, **more), **beside)


def smallest(found: dict[str, Any]) -> dict[str, Any]:
    """The smallest input for each kind of error."""
    return {error["error"]["kind"]: error["input"] for error in found["errors"]}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "input_type", "inputs"),
    [
        ("double", "integer", {}),
        ("first", "list(a)", {"empty_list": []}),
        ("inverse", "integer", {"division_by_zero": 0}),
        ("mean", "list(integer)", {"division_by_zero": []}),
        ("past_ten", "list(integer)", {"empty_list": [11]}),
        ("name", "{name: string, ..r}", {}),
        ("constant", None, {}),
        ("apply", "integer → a", {}),
        ("long", "string", {"empty_list": "aaaa"}),
    ],
)
def test_the_smallest_input_of_each_error(
    workspace: Workspace, name: str, input_type: str | None, inputs: dict[str, Any], seed: int
) -> None:
    found = tried(workspace, name, seed=seed)
    assert found["input_type"] == input_type
    assert smallest(found) == inputs
    assert found["outcomes"]["value"] > 0
    assert sum(found["outcomes"].values()) == found["examples"] == (200 if input_type else 1)
    for error in found["errors"]:
        again = workspace.run(_request(found["tool"], error))
        assert again == {"type": "error", "error": error["error"]}


def _request(tool: str, given: dict[str, Any]) -> Any:
    from pif.run.evaluate import Request

    return Request(tool=tool, input=given["input"], raw=given.get("raw", False), drive=1_000)


def test_errors_at_different_places_are_told_apart(workspace: Workspace) -> None:
    found = tried(workspace, "third", seed=0)
    assert [(error["error"]["path"], len(error["input"])) for error in found["errors"]] == [
        ("/body", 2),
        ("/body/head", 1),
        ("/body/head/tail", 0),
    ]


def test_a_seed_says_all(workspace: Workspace) -> None:
    one, again, other = (tried(workspace, "mean", seed=seed) for seed in (5, 5, 6))
    assert one == again
    assert one != other


def test_the_largest_use_of_fuel_and_its_input(workspace: Workspace) -> None:
    found = tried(workspace, "mean", seed=0, type="list(integer)")["fuel"]
    assert found["least"] <= found["median"] <= found["most"] <= found["limit"] == 10_000
    again = workspace.run(_request("mean", found["most_by"]))
    assert again["fuel_used"] == found["most"]
    assert set(found["most_by"]["input"]) == {0}


def test_running_out_of_fuel_is_an_error_with_its_smallest_input(workspace: Workspace) -> None:
    found = tried(workspace, "mean", seed=0, fuel=40)
    assert found["outcomes"]["out_of_fuel"] > 0
    assert set(smallest(found)["out_of_fuel"]) == {0}
    endless = tried(workspace, "endless", seed=0, examples=3)
    assert endless["outcomes"] == {"out_of_fuel": 3}


def test_steps_are_driven(workspace: Workspace) -> None:
    found = tried(workspace, "steps", seed=0, examples=30)
    assert found["input_type"] == "integer"
    assert found["outcomes"]["value"] > 0


def test_a_tool_without_a_type_is_tried_on_anything(workspace: Workspace) -> None:
    found = tried(workspace, "mixed", seed=0)
    assert found["input_type"] == "?"
    assert "type_error" in found["outcomes"]
    typed = tried(workspace, "mixed", seed=0, type="integer")
    assert typed["outcomes"] == {"value": 200}
    assert tried(workspace, "runs", seed=0)["input_type"] == "quoted"


def test_what_cannot_be_tried_is_refused(workspace: Workspace) -> None:
    wrong = tried(workspace, "mean", seed=0, type="list")["error"]
    assert (wrong["kind"], wrong["path"]) == ("invalid_argument", "/type")
    assert tried(workspace, "nothing", seed=0)["error"]["kind"] == "unknown_tool"
    assert tried(workspace, "mean", seed=0, fuel=10**9)["error"]["kind"] == "invalid_argument"


def test_a_search_that_is_stopped_tells_what_it_found(workspace: Workspace) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    found = tried(workspace, "inverse", seed=0, stop=stop)
    assert found["stopped"]
    assert 0 < found["examples"] < 200
    assert found["errors"][0]["error"]["kind"] == "division_by_zero"
    before: list[int] = []
    tried(workspace, "double", seed=0, examples=10, progress=before.append)
    assert before == list(range(1, 11))
