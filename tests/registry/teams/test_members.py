"""Teams' tools in one process: what members see of them, over both stores, by scripts, commands and standard input."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import registry
from pif.run.evaluate import Request
from registry.access.teams import TeamFile
from registry.cli.pif import main
from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.open_store import open_store, team_home, team_url, url_of
from registry.store.postgres.address import read_address
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.store.sqlite.traces import FILE_NAME
from registry.teams.member import Member, Views
from registry.teams.team_stores import TeamStores
from registry.workspace import requests
from registry.workspace.workspace import Workspace
from tests.registry.teams.conftest import Open
from tests.support.databases import SERVER
from tests.support.servers.pif_server import pif_server

X = {"var": "x"}
SQUARE = {"lam": "x", "body": {"mul": [X, X]}}
TWICE = {"lam": "x", "body": {"add": [X, X]}}


def evolve(workspace: Workspace, name: str, code: Any = SQUARE, **more: Any) -> dict[str, Any]:
    return workspace.evolve(requests.Evolve(name, "a tool", code, **more))


def test_every_operation_says_the_full_name(members: Open) -> None:
    alice, bob = members("alice"), members("bob")
    assert evolve(alice, "team/ops/square")["name"] == "team/ops/square"
    assert evolve(alice, "team/ops/square", TWICE)["version"] == 2
    user = {"lam": "x", "body": {"app": ["square@1", X]}}
    evolve(alice, "team/ops/user", user)
    assert bob.run(Request(code="team/ops/square", input=4))["value"] == 8
    assert bob.run(Request(code="team/ops/square@1", input=4))["value"] == 16
    assert bob.run(Request(tool="team/ops/user", input=4))["value"] == 16
    shown = bob.show("team/ops/user")
    assert shown["name"] == "team/ops/user"
    assert '"team/ops/square@1"' in json.dumps(shown["code"])
    assert [each["version"] for each in bob.show("team/ops/square")["versions"]] == [1, 2]
    assert [each["version"] for each in bob.history("team/ops/square")["events"]] == [1, 2]
    assert bob.diff("team/ops/square")["type"] == "diff"
    assert bob.analyze(requests.Analyze("team/ops/user"))["tools"] == ["team/ops/square@1"]
    assert bob.users("team/ops/square")["users"][0]["name"] == "team/ops/user"
    assert bob.graph(["team/ops/square"])["edges"] == [{"from": "team/ops/user", "to": "team/ops/square@1"}]
    listed = bob.list(requests.List(query="square"))
    assert listed["tools"] == []
    assert listed["teams"] == [{"team": "ops", "right": "read", "tools": 1}]
    assert [each["name"] for each in listed["shared"]] == ["team/ops/square"]
    assert [each["name"] for each in bob.list(requests.List(team="ops"))["tools"]] == [
        "team/ops/square",
        "team/ops/user",
    ]
    assert alice.rollback(requests.Rollback("team/ops/square", 1))["name"] == "team/ops/square"
    assert bob.run(Request(code="team/ops/square", input=4))["value"] == 16
    forgotten = alice.forget("team/ops/square")
    assert (forgotten["name"], forgotten["versions"]) == ("team/ops/square", [1, 2])
    assert "team/ops/user" in forgotten["warnings"][0]["message"]
    assert bob.run(Request(code="team/ops/square", input=4))["error"]["kind"] == "unknown_tool"
    assert [event["kind"] for event in bob.history("team/ops/square")["events"]][-1] == "forget"


def test_errors_say_the_full_name(members: Open) -> None:
    alice = members("alice")
    evolve(alice, "team/ops/square")
    errors = [
        alice.rollback(requests.Rollback("team/ops/square", 7)),
        alice.rollback(requests.Rollback("team/ops/sqare", 1)),
        alice.forget("team/ops/sqare"),
        alice.forget("team/ops/square@7"),
        alice.history("team/ops/sqare"),
        alice.show("team/ops/sqare"),
        evolve(alice, "team/ops/square", TWICE, expect_version=7),
        evolve(alice, "team/ops/square", TWICE, examples=[requests.Example(input=1, output=7)]),
    ]
    for answer in errors:
        assert answer["type"] == "error"
        text = json.dumps(answer)
        for plain in ('"square', "'square", '"sqare', "'sqare", " square@"):
            assert plain not in text, text


def test_a_run_sees_one_moment_of_a_team(members: Open) -> None:
    alice, bob = members("alice"), members("bob")
    evolve(alice, "team/ops/square")
    tools = bob.tools()
    first = tools.tool("team/ops/square")
    evolve(alice, "team/ops/square", TWICE)
    assert tools.tool("team/ops/square") is first
    assert bob.tools().tool("team/ops/square") is not first


def test_hints_come_from_what_one_may_read(members: Open) -> None:
    alice, bob, carol = members("alice"), members("bob"), members("carol")
    evolve(alice, "team/ops/square")
    evolve(alice, "mine")
    for name in ("team/ops/sqare", "team/opd/square"):
        assert bob.run(Request(tool=name))["error"]["hint"] == 'Did you mean "team/ops/square"?'
        assert "square" not in carol.run(Request(tool=name))["error"]["hint"]
    assert bob.run(Request(tool="square"))["error"]["hint"] == 'Did you mean "team/ops/square"?'
    assert "team/" not in carol.run(Request(tool="square"))["error"]["hint"]
    assert Views(Member("carol", TeamFile(Path("/nowhere")), TeamStores(Path("/nowhere")))).names() == ()


def test_a_database_that_cannot_be_opened_costs_its_own_team_only(tmp_path: Path) -> None:
    file = TeamFile(tmp_path)
    for name in ("broken", "whole"):
        file.create(name)
    team_home(tmp_path, "broken").mkdir(parents=True)
    (team_home(tmp_path, "broken") / FILE_NAME).write_text("no database")
    stores = TeamStores(tmp_path)
    member = Member("owner", file, stores)
    with pytest.raises(RegistryError):
        stores.of("broken")
    assert [team for team, _ in member.changes()] == ["whole"]
    with closing(Workspace(SqliteStore(tmp_path), member=member)) as workspace:
        assert [each["team"] for each in workspace.list(requests.List())["teams"]] == ["whole"]
        assert workspace.run(Request(tool="nothing"))["error"]["kind"] == "unknown_tool"
        assert workspace.run(Request(tool="team/broken/x"))["error"]["kind"] == "store_error"
    stores.close()


def test_a_home_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    file = TeamFile(tmp_path)
    for name in ("empty", "ops"):
        file.create(name)
    stores = TeamStores(tmp_path)
    with closing(Workspace(SqliteStore(tmp_path), member=Member("owner", file, stores))) as workspace:
        assert evolve(workspace, "team/ops/square")["type"] == "tool"
    stores.close()
    reading = TeamStores(tmp_path, read_only=True)
    with closing(
        Workspace(open_store(tmp_path, read_only=True), member=Member("owner", file, reading))
    ) as workspace:
        assert workspace.run(Request(tool="team/ops/square", input=3))["value"] == 9
        assert [each["team"] for each in workspace.list(requests.List())["teams"]] == ["ops"]
        assert evolve(workspace, "team/ops/square", TWICE)["error"]["kind"] == "store_error"
    reading.close()
    assert not team_home(tmp_path, "empty").exists()


def test_no_schema_of_a_team_is_that_of_a_principal() -> None:
    names = ("ops", "a-b", "a--b", "x0ops")
    urls = [team_url(SERVER, name) for name in names] + [
        url_of(SERVER, name) for name in (*names, "x--0ops", "oauth.a.ops", "oauth.0.ops")
    ]
    schemas = [read_address(url, patience=1).schema for url in urls]
    assert len({*schemas}) == len(schemas)
    assert schemas[0] == "pif__0ops"
    assert team_url("", "ops") == ""
    with pytest.raises(RegistryError, match="schema"):
        team_url(f"{SERVER}?schema={'s' * 62}", "ops")


def test_scripts_and_commands_act_as_the_owner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TeamFile(tmp_path).create("ops")
    with registry.open(tmp_path) as tools:
        tools.evolve("team/ops/square", "Squares", SQUARE)
        assert tools.run("team/ops/square", 7)["value"] == 49
        with pytest.raises(RegistryError) as caught:
            tools.evolve("team/opz/square", "Squares", SQUARE)
        assert caught.value.kind == "unknown_team"
    home = ["--home", str(tmp_path)]
    assert main([*home, "run", "team/ops/square", "3"]) == 0
    assert capsys.readouterr().out == "9\n"
    assert main([*home, "list", "--team", "ops"]) == 0
    assert "team/ops/square@1" in capsys.readouterr().out
    assert main([*home, "run", "team/ops/sqare", "3"]) == 1
    assert 'Did you mean "team/ops/square"?' in capsys.readouterr().err
    assert main([*home, "list"]) == 0
    assert "Teams: ops (1)" in capsys.readouterr().err


def test_standard_input_and_output_act_as_the_owner(tmp_path: Path) -> None:
    TeamFile(tmp_path).create("ops")
    with pif_server(tmp_path, more=True) as server:
        assert server.ask("evolve", name="team/ops/square", description="x", code=SQUARE)["type"] == "tool"
        assert server.ask("team__ops__square", input=7)["value"] == 49
        assert server.ask("evolve", name="uses", description="x", code={"lam": "x", "body": {"app": ["team/ops/square", X]}},
                          laws=["∀(x : ℤ). uses(x) ≥ 0"])["laws"][0]["status"] == "proved"  # fmt: skip
        other = server.ask(
            "analyze",
            code="team/ops/square",
            against={"lam": "y", "body": {"mul": [{"var": "y"}, {"var": "y"}]}},
        )
        assert other["equivalence"]["status"] == "proved", other


def test_a_store_refuses_a_name_with_a_slash(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with pytest.raises(RegistryError) as caught:
        store.evolve("team/ops/x", code="1", hash=content_hash("1"), description="", capabilities=())
    assert caught.value.kind == "invalid_name"
    store.close()
