"""Tools made of tools, and tools that others use: compose, transform, users, graphs, safe replacement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pif.run.evaluate import Answer, Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.code_and_examples import Example
from registry.tools.composition import STAGES, Transform
from registry.workspace.requests import Analyze, Evolve, List, Rollback
from registry.workspace.workspace import Workspace

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
DOUBLE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Workspace]:
    store = SqliteStore(tmp_path / "home")
    yield Workspace(store)
    store.close()


def made(home: Workspace, name: str, code: Any, *examples: tuple[Any, Any], **more: Any) -> Answer:
    promised = [Example(input=given, output=output) for given, output in examples]
    answer = home.evolve(Evolve(name, "", code, examples=promised, **more))
    assert answer["type"] == "tool", answer
    return answer


def refused(answer: Answer, kind: str, path: str | None = None) -> dict[str, Any]:
    assert answer["type"] == "error", answer
    error: dict[str, Any] = answer["error"]
    assert error["kind"] == kind, error
    assert path is None or error["path"] == path, error
    assert error.get("hint") or error.get("expected"), error
    return error


def value(home: Workspace, tool: str, given: Any) -> Any:
    answer = home.run(Request(tool=tool, input=given))
    assert answer["type"] == "value", answer
    return answer["value"]


# Pipelines.


def test_a_pipeline_calls_its_stages_in_order(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(home, "double", DOUBLE)
    answer = home.evolve(
        Evolve("both", "", compose=["square", "double", {"lam": "x", "body": {"sub": [{"var": "x"}, 1]}}])
    )
    assert answer["inferred_type"] == "integer → integer"
    assert value(home, "both", 3) == 17


def test_a_pipeline_follows_new_versions_unless_it_names_one(home: Workspace) -> None:
    made(home, "step", SQUARE)
    home.evolve(Evolve("now", "", compose=["step"]))
    home.evolve(Evolve("then", "", compose=["step@1"]))
    made(home, "step", DOUBLE)
    assert (value(home, "now", 5), value(home, "then", 5)) == (10, 25)


def test_a_pipeline_of_the_library(home: Workspace) -> None:
    assert home.evolve(Evolve("descending", "", compose=["sort", "reverse"]))["type"] == "tool"
    assert value(home, "descending", [2, 3, 1]) == [3, 2, 1]


def test_stages_keep_their_own_names(home: Workspace) -> None:
    stage = {"lam": "x", "body": {"app": [{"lam": "x1", "body": {"add": [{"var": "x"}, {"var": "x1"}]}}, 1]}}
    assert home.evolve(Evolve("twice", "", compose=[stage, stage]))["type"] == "tool"
    assert value(home, "twice", 5) == 7


# Derived tools.


def test_a_tool_is_derived_by_a_term_tool(home: Workspace) -> None:
    made(home, "square", SQUARE)
    answer = home.evolve(Evolve("slope", "", transform=Transform(tool="square", by="differentiate")))
    assert answer["derived_from"] == "square@1"
    assert value(home, "slope", 7) == 14


def test_a_tool_is_derived_by_a_term(home: Workspace) -> None:
    made(home, "square", SQUARE)
    swap = {"app": ["std.swapOperation", "mul", "add"]}
    home.evolve(Evolve("double", "", transform=Transform(tool="square", by=swap)))
    assert value(home, "double", 7) == 14


# Who uses what.


def test_users_are_found_through_others(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(home, "fourth", {"lam": "x", "body": {"app": ["square", {"app": ["square", {"var": "x"}]}]}})
    made(
        home, "eighth", {"lam": "x", "body": {"app": [{"eval": {"code_of": "fourth"}}, {"var": "x"}]}}, (1, 1)
    )
    made(home, "pinned", {"lam": "x", "body": {"app": ["square@1", {"var": "x"}]}})
    found = home.users("square")["users"]
    assert [(user["name"], user["direct"], user["pinned"], user["examples"]) for user in found] == [
        ("eighth", False, False, 1),
        ("fourth", True, False, 0),
        ("pinned", True, True, 0),
    ]
    assert [user["name"] for user in home.analyze(Analyze("square"))["users"]] == [
        "eighth",
        "fourth",
        "pinned",
    ]


def test_a_string_that_only_looks_like_a_use_is_none(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(home, "names", ["square", "square@1"])
    assert home.users("square")["users"] == []


def test_users_of_a_library_tool(home: Workspace) -> None:
    home.evolve(Evolve("descending", "", compose=["std.sort", "std.reverse"]))
    assert [user["name"] for user in home.users("std.sort")["users"]] == ["descending"]


def test_graphs(home: Workspace) -> None:
    made(
        home,
        "even",
        {
            "lam": "n",
            "body": {
                "if": {
                    "cond": {"eq": [{"var": "n"}, 0]},
                    "then": True,
                    "else": {"app": ["odd", {"sub": [{"var": "n"}, 1]}]},
                }
            },
        },
    )
    made(
        home,
        "odd",
        {
            "lam": "n",
            "body": {
                "if": {
                    "cond": {"eq": [{"var": "n"}, 0]},
                    "then": False,
                    "else": {"app": ["even", {"sub": [{"var": "n"}, 1]}]},
                }
            },
        },
    )
    made(home, "alone", 7)
    home.evolve(Evolve("lost", "", compose=["even", "sort"]))
    made(home, "hopeful", {"lam": "x", "body": {"app": ["not_yet", {"var": "x"}]}})
    whole = home.graph(picture=True)
    assert {(edge["from"], edge["to"]) for edge in whole["edges"]} == {
        ("even", "odd"), ("odd", "even"), ("lost", "even"), ("hopeful", "not_yet"),
    }  # fmt: skip
    assert {"name": "not_yet", "kind": "missing"} in whole["tools"]
    assert whole["mermaid"].startswith("flowchart")
    assert whole["svg"].startswith("<svg")
    assert "not_yet (missing)" in whole["svg"]
    assert home.graph(["alone"])["edges"] == []
    assert {node["name"] for node in home.graph(["odd"])["tools"]} == {"even", "odd", "lost"}
    assert {"name": "std.sort", "kind": "library"} in home.graph(["lost"], library=True)["tools"]
    refused(home.graph(["evn"]), "unknown_tool")
    assert "odd" in home.analyze(Analyze("even", aspects=["graph"]))["graph"]


# Safe replacement.


def users_home(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(
        home, "fourth", {"lam": "x", "body": {"app": ["square", {"app": ["square", {"var": "x"}]}]}}, (2, 16)
    )


def test_a_new_version_that_breaks_a_user_is_refused(home: Workspace) -> None:
    users_home(home)
    error = refused(home.evolve(Evolve("square", "", DOUBLE)), "example_failed", "/code")
    assert error["tool"] == "fourth@1"
    assert (error["found"], error["expected"]) == ("8", "16")
    assert value(home, "square", 5) == 25
    assert (
        refused(home.evolve(Evolve("square", "", DOUBLE, dry_run=True)), "example_failed")["tool"]
        == "fourth@1"
    )


def test_a_user_of_a_user_is_asked_too(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(home, "middle", {"lam": "x", "body": {"app": ["square", {"var": "x"}]}})
    made(home, "far", {"lam": "x", "body": {"app": ["middle", {"var": "x"}]}}, (3, 9))
    assert refused(home.evolve(Evolve("square", "", DOUBLE)), "example_failed")["tool"] == "far@1"


def test_a_version_that_keeps_the_promises_says_which(home: Workspace) -> None:
    users_home(home)
    answer = made(home, "square", {"lam": "n", "body": {"mul": [{"var": "n"}, {"var": "n"}]}})
    assert answer["users"] == [{"tool": "fourth@1", "examples_held": 1}]


def test_force_replaces_and_says_what_breaks(home: Workspace) -> None:
    users_home(home)
    answer = made(home, "square", DOUBLE, force=True)
    assert answer["version"] == 2
    assert [broken["found"] for broken in answer["users"][0]["broken"]] == ["8"]


def test_what_was_broken_before_is_not_held_against_a_version(home: Workspace) -> None:
    users_home(home)
    made(home, "square", DOUBLE, force=True)
    assert made(home, "square", {"lam": "x", "body": {"mul": [{"var": "x"}, 3]}})["version"] == 3


def test_going_back_asks_the_users_too(home: Workspace) -> None:
    made(home, "step", DOUBLE)
    made(home, "step", SQUARE)
    made(home, "user", {"lam": "x", "body": {"app": ["step", {"var": "x"}]}}, (3, 9))
    assert refused(home.rollback(Rollback("step", 1)), "example_failed")["tool"] == "user@1"
    assert value(home, "step", 3) == 9
    assert home.rollback(Rollback("step", 1, force=True))["version"] == 1


def test_a_pinned_user_does_not_mind(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(home, "user", {"lam": "x", "body": {"app": ["square@1", {"var": "x"}]}}, (3, 9))
    assert made(home, "square", DOUBLE)["version"] == 2


def test_examples_outlive_the_process_and_travel(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "one")
    users_home(Workspace(store))
    assert Workspace(store).export(tmp_path / "out")["type"] == "exported"
    store.close()
    other = SqliteStore(tmp_path / "two")
    home = Workspace(other)
    assert home.import_(tmp_path / "out")["added"] == 2
    assert refused(home.evolve(Evolve("square", "", DOUBLE)), "example_failed")["tool"] == "fourth@1"
    other.close()


def test_examples_may_be_added_to_code_that_stays(home: Workspace) -> None:
    assert made(home, "square", SQUARE)["outcome"] == "created"
    assert made(home, "square", SQUARE, (2, 4))["outcome"] == "examples"
    assert made(home, "square", SQUARE, (2, 4))["outcome"] == "unchanged"
    assert home.record("square").examples == '[{"input":2,"output":4}]'


def test_examples_of_tools_that_take_one_argument_after_another(home: Workspace) -> None:
    minus = {"lam": "a", "body": {"lam": "b", "body": {"sub": [{"var": "a"}, {"var": "b"}]}}}
    answer = home.evolve(Evolve("minus", "", minus, examples=[Example(arguments=(5, 3), output=2)]))
    assert answer["examples"][0]["passed"]
    assert answer["cost"]["applied"]["arguments"] == 2
    refused(
        home.evolve(Evolve("minus", "", minus, examples=[Example(arguments=(5, 3), output=1)])),
        "example_failed",
    )


# Attacks.


@pytest.mark.parametrize(
    ("more", "kind", "path"),
    [
        ({}, "invalid_argument", "/code"),
        ({"code": 1, "compose": ["square"]}, "invalid_argument", "/compose"),
        ({"compose": []}, "invalid_argument", "/compose"),
        ({"compose": ["square"] * (STAGES + 1)}, "invalid_argument", "/compose"),
        ({"compose": ["square", "sqare"]}, "unknown_tool", "/compose/1"),
        ({"compose": ["square@9"]}, "unknown_tool", "/compose/0"),
        ({"compose": [{"ad": [1, 2]}]}, "invalid_argument", "/compose/0"),
        ({"compose": [{"var": "x"}]}, "invalid_argument", "/compose/0"),
        ({"compose": [{"lam": "x", "body": {"var": "y"}}]}, "invalid_argument", "/compose/0"),
        ({"transform": Transform(tool="nope", by="differentiate")}, "unknown_tool", "/transform/tool"),
        ({"transform": Transform(tool="square", by="nope")}, "unknown_tool", "/transform/by"),
        ({"transform": Transform(tool="square", by="std.codeSize")}, "invalid_argument", "/transform/by"),
        ({"transform": Transform(tool="square", by={"lam": "q", "body": 7})}, "invalid_argument", "/transform/by"),
        ({"transform": Transform(tool="square", by=7)}, "invalid_argument", "/transform/by"),
        ({"transform": Transform(tool="square", by={"lam": "q", "body": {"div": [1, 0]}})}, "invalid_argument", "/transform/by"),
        ({"transform": Transform(tool="square", by={"lam": "q", "body": {"app": [{"self": True}, {"var": "q"}]}})}, "invalid_argument", "/transform/by"),
        ({"transform": Transform(tool="square", by={"lam": "q", "body": {"quote": {"add": [{"var": "a"}, {"var": "b"}]}}})}, "unbound_variable", None),
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_its_place(
    home: Workspace, more: dict[str, Any], kind: str, path: str | None
) -> None:
    made(home, "square", SQUARE)
    refused(home.evolve(Evolve("new", "", **more)), kind, path)
    assert home.list(List())["total"] == 1


def test_a_pipeline_may_not_call_itself(home: Workspace) -> None:
    made(home, "loop", SQUARE)
    refused(home.evolve(Evolve("loop", "", compose=["loop"])), "invalid_argument", "/compose")
    home.evolve(Evolve("around", "", compose=["loop"]))
    error = refused(
        home.evolve(Evolve("loop", "", compose=["around", "sort"])), "invalid_argument", "/compose"
    )
    assert error["found"] == "loop → around → loop"
    hidden = {"lam": "x", "body": {"app": ["around", {"var": "x"}]}}
    refused(home.evolve(Evolve("loop", "", compose=[hidden])), "invalid_argument", "/compose")
    assert home.evolve(Evolve("loop", "", compose=["loop@1"]))["type"] == "tool"


def test_examples_that_eat_all_fuel_do_not_hide_others(home: Workspace) -> None:
    made(home, "square", SQUARE)
    made(
        home,
        "slow",
        {
            "lam": "n",
            "body": {"fold": [{"lam": "p", "body": {"app": ["square", 1]}}, 0, {"range": [0, {"var": "n"}]}]},
        },
        (2_000, 1),
    )
    made(home, "user", {"lam": "x", "body": {"app": ["square", {"var": "x"}]}}, (3, 9))
    assert (
        refused(
            home.evolve(Evolve("square", "", {"lam": "x", "body": {"mul": [{"var": "x"}, 1]}})),
            "example_failed",
        )["tool"]
        == "user@1"
    )


def test_a_user_that_uses_itself_is_asked_once(home: Workspace) -> None:
    made(
        home,
        "a",
        {
            "lam": "n",
            "body": {
                "if": {
                    "cond": {"lt": [{"var": "n"}, 1]},
                    "then": 0,
                    "else": {"app": ["b", {"sub": [{"var": "n"}, 1]}]},
                }
            },
        },
    )
    made(home, "b", {"lam": "n", "body": {"app": ["a", {"var": "n"}]}}, (5, 0))
    assert [user["name"] for user in home.users("a")["users"]] == ["b"]
    assert refused(home.evolve(Evolve("a", "", {"lam": "n", "body": 1})), "example_failed")["tool"] == "b@1"


# The library under the home.


def test_the_library_is_there_in_a_fresh_home(home: Workspace) -> None:
    assert value(home, "reverse", [1, 2, 3]) == [3, 2, 1]
    assert value(home, "std.reverse", [1, 2, 3]) == [3, 2, 1]
    assert home.list(List())["tools"] == []
    found = home.list(List("reverse"))
    assert (found["tools"], found["total"]) == ([], 0)
    assert found["library"][0]["name"] == "std.reverse"
    assert home.list(List(library=True))["total"] > 200
    assert home.show("std.map")["inferred_type"] == "(a → b) → list(a) → list(b)"


def test_a_tool_of_the_home_stands_in_front_of_the_librarys(home: Workspace) -> None:
    made(home, "reverse", {"lam": "x", "body": "mine"})
    assert value(home, "reverse", [1, 2]) == "mine"
    assert value(home, "std.reverse", [1, 2]) == [2, 1]
    answer = home.run(Request(code={"app": ["map", {"lam": "x", "body": {"var": "x"}}, [1, 2]]}))
    assert answer["value"] == [1, 2]
    refused(home.analyze(Analyze("reverse@2")), "parse_error")
    home.forget("reverse")
    assert value(home, "reverse", [1, 2]) == [2, 1]


@pytest.mark.parametrize("name", ["std.map", "std.mine", "std."])
def test_names_of_the_library_cannot_be_taken(home: Workspace, name: str) -> None:
    refused(home.evolve(Evolve(name, "", SQUARE)), "invalid_name", "/name")


def test_the_library_cannot_be_changed(home: Workspace) -> None:
    for answer in (
        home.forget("std.map"),
        home.forget("map"),
        home.rollback(Rollback("std.map", 1)),
        home.history("map"),
    ):
        refused(answer, "invalid_argument", "/name")
