"""`explore` about tools: tested by running them, proved as laws; what may lack a value is not rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kleis.explore.explore import Explored, explore
from kleis.prover.process.deadline import Deadline
from kleis.syntax.parser.parser import parse_expression
from registry.errors import RegistryError
from registry.explore.asked import Asked
from registry.explore.explore_request import explored
from registry.explore.tool_subject import subject_of_tools
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

X, Y = {"var": "x"}, {"var": "y"}


def greater(then: Any, other: Any) -> Any:
    return {
        "lam": "x",
        "body": {"lam": "y", "body": {"if": {"cond": {"lte": [X, Y]}, "then": then, "else": other}}},
    }


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    home: Path = tmp_path_factory.mktemp("home")
    made = Workspace(SqliteStore(home))
    for name, code in (
        ("most", greater(Y, X)),
        ("least", greater(X, Y)),
        ("flip", {"lam": "x", "body": {"sub": [0, X]}}),
        ("share", {"lam": "x", "body": {"lam": "y", "body": {"div": [X, Y]}}}),
        (
            "summed",
            {
                "lam": "x",
                "body": {
                    "fold": [
                        {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}},
                        0,
                        X,
                    ]
                },
            },
        ),
        ("shout", {"lam": "x", "body": {"concat": [X, "!"]}}),
    ):
        assert made.evolve(Evolve(name, "for a test", code))["type"] == "tool"
    yield made
    made.close()


def about(workspace: Workspace, *names: str, size: int = 3, **more: Any) -> dict[str, Any]:
    asked = Asked(tools=names, size=size, variables=2, limit=1_000, **more)
    return explored(None, workspace.tools(), asked, prover=lambda: workspace.prover)


def laws(found: dict[str, Any]) -> set[str]:
    return {row["law"] for row in (*found["laws"], *found["follows"])}


def test_laws_of_tools_are_proved_and_wrong_ones_show_a_run(workspace: Workspace) -> None:
    found = about(workspace, "most", "flip")
    assert found["complete"]
    assert {"∀(x : ℤ). flip(flip(x)) = x", "∀(x y : ℤ). most(x, y) = most(y, x)"} <= laws(found)
    assert found["undecided"] == []
    for row in found["refuted"]:
        equation = parse_expression(row["law"])
        assert equation is not None
        assert row["at"]["left"] != row["at"]["right"]


def test_a_tool_without_a_value_somewhere_refutes_nothing_there(workspace: Workspace) -> None:
    about_share = subject_of_tools(["share"], workspace.tools(), workspace.prover)
    assert not about_share.subject.rewrites
    candidates = ["share(x, x) = share(y, y)", "share(x, y) = share(y, x)"]
    found: Explored = explore(
        about_share.subject, map(parse_expression, candidates), about_share.ask, models=[about_share.model]
    )
    by_law = {each.law: each.status for each in found.findings}
    assert by_law["∀(x y : ℤ). share(x, y) = share(y, x)"] == "refuted"
    assert by_law["∀(x y : ℤ). share(x, x) = share(y, y)"] in ("proved", "unknown"), (
        "0 has no share, so it refutes nothing"
    )


def test_strings_are_tested_and_proved_too(workspace: Workspace) -> None:
    found = about(workspace, "shout", size=2)
    assert (found["carrier"], found["counts"].get("proved", 0)) == ("String", 0)
    assert found["counts"]["refuted"] == found["candidates"]


def test_tools_that_leave_the_type_are_left_out(workspace: Workspace) -> None:
    found = about(workspace, "flip", "summed", size=1)
    assert found["left_out"] == ["summed"]


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        (Asked(tools=("nobody",)), "tools"),
        (Asked(tools=("summed",)), "tools"),
        (Asked(tools=("std.map",)), "tools"),
        (Asked(tools=("flip",), carrier="Bool"), "tools"),
        (Asked(tools=("flip",), carrier="Matrix"), "carrier"),
        (Asked(tools=("flip",), structure="Group"), "structure"),
        (Asked(), "structure"),
    ],
)
def test_what_cannot_be_explored(workspace: Workspace, asked: Asked, place: str) -> None:
    with pytest.raises(RegistryError) as refusal:
        explored(None, workspace.tools(), asked, prover=lambda: workspace.prover)
    assert refusal.value.place == place


def test_what_is_proved_where_tools_have_values_says_so(workspace: Workspace) -> None:
    subject = subject_of_tools(["share"], workspace.tools(), workspace.prover)
    law = parse_expression("share(x, x) = share(x, x) + 0 * share(x, x)")
    found: Explored = explore(subject.subject, [law], subject.ask, models=[subject.model])
    (finding,) = found.findings
    assert finding.status == "proved"
    assert finding.detail.endswith(", where the tools have values")


def test_a_law_that_the_time_limit_cuts_is_not_reached(workspace: Workspace) -> None:
    with workspace.prover.within(Deadline(0)) as prover:
        subject = subject_of_tools(["flip"], workspace.tools(), prover)
        assert not subject.subject.rewrites
        law = parse_expression("flip(flip(x)) = x")
        found: Explored = explore(subject.subject, [law], subject.ask, models=[subject.model])
    assert [each.status for each in found.findings] == ["not reached"]
    assert not found.is_complete
