"""Members, a reader and an attacker of one team over real HTTP: a team's tool does the same for every member, whatever a member has.

Alice may write in the team `ops`, Bob may read, Mallory is in no team, or in one of her own, and knows every name. What a name inside
a team's tool means must never be found among the caller's tools, whoever calls and however the code is taken apart; and
who is in no team must be told what is told where there is none.
"""

from __future__ import annotations

import json
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.access.teams import TeamFile
from registry.records import content_hash
from registry.store.open_store import team_home
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.support.servers.http_server import HEADERS, Served, call, serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
TWICE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}
X = {"var": "x"}


def calling(name: str, argument: Any = X) -> Any:
    return {"lam": "x", "body": {"app": [name, argument]}}


class Scene:
    def __init__(self, server: Served, home: Path) -> None:
        self.server = server
        self.home = home
        self.teams = TeamFile(home)
        self.alice, self.bob, self.mallory = (
            Caller(server, token(home, name)) for name in ("alice", "bob", "mallory")
        )


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    teams = TeamFile(home)
    teams.create("ops")
    teams.add("ops", "alice", "write")
    teams.add("ops", "bob", "read")
    token(home, "first")
    with serving(home, groups="pif", more=True, quotas=("team-mb=1",)) as server:
        yield Scene(server, home)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")


def evolved(caller: Caller, name: str, code: Any = SQUARE, **more: Any) -> dict[str, Any]:
    made = caller.call("evolve", name=name, description="a tool", code=code, **more)
    assert made["type"] == "tool", made
    return made


def value(caller: Caller, code: Any, given: Any = None) -> Any:
    answer = caller.call("run", code=code, input=given)
    assert answer["type"] == "value", answer
    return answer["value"]


def error(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["type"] == "error", answer
    found: dict[str, Any] = answer["error"]
    return found


# ── nobody's helper can be swapped ───────────────────────────────────────────────────────────────────────────


def test_a_helper_is_the_teams_whatever_the_caller_has(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/helper", SQUARE)
    evolved(scene.alice, "team/ops/user", calling("helper"), examples=[{"input": 5, "output": 25}])
    for caller in (scene.alice, scene.bob):
        evolved(caller, "helper", TWICE)
        assert value(caller, "helper", 5) == 10
        assert value(caller, "team/ops/user", 5) == 25
        assert caller.call("team__ops__user", input=5)["value"] == 25
        caller.call("forget", name="helper")
        assert value(caller, "team/ops/user", 5) == 25


def test_a_name_of_the_library_stays_the_librarys(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/ordered", calling("sort"))
    evolved(scene.bob, "sort", {"lam": "x", "body": []})
    assert value(scene.bob, {"app": ["sort", [2, 1]]}) == []
    assert value(scene.bob, "team/ops/ordered", [2, 1]) == [1, 2]
    shown = scene.bob.ask(
        "resources/read", {"uri": "pif://tools/team/ops/ordered"}, "pif://tools/team/ops/ordered"
    )
    assert '"std.sort"' in shown["contents"][0]["text"]
    # … and stays so when the team makes one of that name: what was kept means what it meant.
    evolved(scene.alice, "team/ops/sort", {"lam": "x", "body": [7]})
    assert value(scene.bob, "team/ops/ordered", [2, 1]) == [1, 2]


def test_a_missing_name_is_not_the_callers(scene: Scene) -> None:
    made = evolved(scene.alice, "team/ops/early", calling("later"))
    assert "team/ops/later" in made["warnings"][0]["message"]
    evolved(scene.bob, "later", TWICE)
    assert error(scene.bob.call("run", code="team/ops/early", input=3))["kind"] == "unknown_tool"
    evolved(scene.alice, "team/ops/later", SQUARE)
    assert value(scene.bob, "team/ops/early", 3) == 9


TAKEN_APART: list[Any] = [
    {"eval": {"code_of": "team/ops/outer"}},
    {"eval": {"normalize": {"code_of": "team/ops/outer"}}},
    {"eval": {"reflect": {"reify": {"code_of": "team/ops/outer"}}}},
    {"eval": {"quote": {"unquote": {"code_of": "team/ops/outer"}}}},
    {"eval": {"app": ["team/ops/quoted", None]}},
    {"eval": {"normalize": {"app": ["team/ops/quoted", None]}}},
    {"eval": {"reflect": {"reify": {"app": ["team/ops/quoted", None]}}}},
    {"lam": "x", "body": {"app": [{"eval": {"eval": {"app": ["team/ops/twice_quoted", None]}}}, X]}},
    {"let": {"inner": TWICE}, "in": {"eval": {"code_of": "team/ops/outer"}}},
    {"app": [{"lam": "n", "body": {"eval": {"code_of": {"var": "n"}}}}, "team/ops/outer"]},
    "team/ops/outer",
    "team/ops/outer@1",
]  # fmt: skip


@pytest.mark.parametrize("code", TAKEN_APART, ids=json.dumps)
def test_code_that_is_taken_apart_goes_on_meaning_the_teams_tools(scene: Scene, code: Any) -> None:
    if scene.alice.call("run", code="team/ops/outer", input=1)["type"] == "error":
        evolved(scene.alice, "team/ops/inner", SQUARE)
        evolved(scene.alice, "team/ops/outer", calling("inner"))
        evolved(scene.alice, "team/ops/quoted", {"lam": "x", "body": {"quote": calling("inner")}})
        twice = {"lam": "x", "body": {"quote": {"quote": calling("inner")}}}
        evolved(scene.alice, "team/ops/twice_quoted", twice)
        for name in ("inner", "outer", "team__ops__inner"):
            evolved(scene.bob, name, TWICE)
    assert value(scene.bob, code, 7) == 49


MAKING: list[Any] = [
    {"code_of": X},
    {"eval": {"code_of": {"concat": ["inn", "er"]}}},
    {"quote": {"code_of": {"var": "y"}}},
    {"reflect": X},
    {"eval": {"reflect": {"record": {"op": "app"}}}},
    {"quote": {"reflect": {"var": "y"}}},
    {"quote": {"app": [{"unquote": X}, 1]}},
    {"quote": {"quote": {"app": [{"unquote": {"unquote": X}}, 1]}}},
    {"quote": {"code_of": {"unquote": X}}},
    {"app": ["std.differentiate", {"quote": X}]},
    {"app": ["differentiate", {"quote": X}]},
    {"quote": {"app": ["std.substitute", X]}},
    {"code_of": "std.differentiate"},
    {"app": ["team/other/helper", X]},
    {"app": ["team/ops/../helper", X]},
    {"app": ["../alice/helper", X]},
    {"app": ["tеam/ops/helper", X]},
    {"app": ["hеlper", X]},
    {"app": ["Team/ops/helper", X]},
    {"app": ["helper@01", X]},
    {"app": ["", X]},
    {"app": ["self", X]},
]  # fmt: skip


@pytest.mark.parametrize("body", MAKING, ids=json.dumps)
def test_what_makes_a_name_while_it_runs_is_refused(scene: Scene, body: Any) -> None:
    refused = scene.alice.call(
        "evolve", name="team/ops/making", description="x", code={"lam": "x", "body": body}
    )
    assert error(refused)["kind"] == "not_allowed", refused
    assert error(scene.alice.call("history", name="team/ops/making"))["kind"] == "unknown_tool"


def test_data_does_not_become_a_name(scene: Scene) -> None:
    """A string of a team's tool that is bound, and brought to the place of a name by reduction, is no name there."""
    evolved(scene.bob, "planted", TWICE)
    tricky = {"lam": "x", "body": {"quote": {"let": {"f": "planted"}, "in": {"app": [{"var": "f"}, 3]}}}}
    evolved(scene.alice, "team/ops/tricky", tricky)
    for code in (
        {"eval": {"app": ["team/ops/tricky", 0]}},
        {"eval": {"normalize": {"app": ["team/ops/tricky", 0]}}},
    ):
        assert error(scene.bob.call("run", code=code))["kind"] == "type_error"


def test_pipelines_and_derived_tools_are_read_as_the_teams(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/stage", SQUARE)
    for caller in (scene.alice, scene.bob):
        evolved(caller, "stage", TWICE)
    made = scene.alice.call("evolve", name="team/ops/pipeline", description="x", compose=["stage", "stage"])
    assert made["type"] == "tool", made
    assert value(scene.bob, "team/ops/pipeline", 3) == 81
    circle = scene.alice.call("evolve", name="team/ops/stage", description="x", compose=["pipeline"])
    assert "circle" in error(circle)["message"] or "itself" in error(circle)["message"]
    by = {"lam": "t", "body": {"quote": {"lam": "x", "body": {"app": ["stage", {"add": [1, {"var": "x"}]}]}}}}
    made = scene.alice.call(
        "evolve", name="team/ops/derived", description="x", transform={"tool": "stage", "by": by}
    )
    assert made["derived_from"] == "team/ops/stage@1"
    assert value(scene.bob, "team/ops/derived", 2) == 9


def test_python_is_read_as_the_teams(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/squared", SQUARE)
    evolved(scene.alice, "squared", TWICE)
    text = "def f(x):\n    return squared(x) // (x - 1)"
    made = scene.alice.call("evolve", name="team/ops/python", description="x", code=text, language="python")
    assert made["type"] == "tool", made
    assert value(scene.bob, "team/ops/python", 4) == 5
    failed = error(scene.bob.call("run", code="team/ops/python", input=1))
    assert (failed["line"], failed["tool"]) == (2, "team/ops/python@1")


def test_what_came_into_a_teams_store_another_way_does_not_run(scene: Scene) -> None:
    """A store that was written to beside the server, or restored from another: code that leaves names open has no tool."""
    evolved(scene.alice, "team/ops/honest", SQUARE)
    store = SqliteStore(team_home(scene.home, "ops"))
    open_code = {"plain": calling("helper"), "computed": {"lam": "x", "body": {"eval": {"code_of": X}}}}
    for name, code in open_code.items():
        text = msgspec.json.encode(code).decode()
        store.evolve(name, code=text, hash=content_hash(text), description="planted", capabilities=())
    store.close()
    evolved(scene.bob, "helper", TWICE)
    for name in open_code:
        assert error(scene.bob.call("run", code=f"team/ops/{name}", input=3))["kind"] == "unknown_tool"
        quoted = {"eval": {"code_of": f"team/ops/{name}"}}
        assert error(scene.bob.call("run", code=quoted, input=3))["kind"] == "unknown_tool"
    assert value(scene.bob, "team/ops/honest", 3) == 9


# ── who may do what ──────────────────────────────────────────────────────────────────────────────────────────


def test_who_may_read_changes_nothing(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/kept", SQUARE)
    evolved(scene.alice, "team/ops/kept", {"lam": "x", "body": {"mul": [X, 1]}})
    attempts: list[tuple[str, dict[str, Any]]] = [
        ("evolve", {"name": "team/ops/kept", "description": "mine", "code": TWICE}),
        ("evolve", {"name": "team/ops/kept", "description": "mine", "code": TWICE, "force": True}),
        ("evolve", {"name": "team/ops/kept", "description": "mine", "code": TWICE, "dry_run": True}),
        ("evolve", {"name": "team/ops/fresh", "description": "mine", "code": TWICE}),
        ("rollback", {"name": "team/ops/kept", "version": 1}),
        ("rollback", {"name": "team/ops/kept", "version": 1, "force": True}),
        ("forget", {"name": "team/ops/kept"}),
        ("forget", {"name": "team/ops/kept@1"}),
    ]
    for tool, arguments in attempts:
        assert error(scene.bob.call(tool, **arguments))["kind"] == "not_allowed", (tool, arguments)
    history = scene.bob.call("history", name="team/ops/kept")
    assert [event["kind"] for event in history["events"]] == ["evolve", "evolve"]
    assert history == scene.alice.call("history", name="team/ops/kept")
    assert scene.bob.call("diff", name="team/ops/kept")["type"] != "error"
    assert scene.bob.call("analyze", code="team/ops/kept")["type"] == "analysis"


def test_a_search_in_a_process_of_its_own_sees_what_its_caller_may(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/compared", SQUARE)
    same = {"lam": "y", "body": {"mul": [{"var": "y"}, {"var": "y"}]}}
    answer = scene.bob.call("analyze", code="team/ops/compared", against=same)
    assert answer["equivalence"]["status"] == "proved", answer
    assert scene.mallory.call("analyze", code="team/ops/compared", against=same)["type"] == "error"


GUESSES: list[tuple[str, dict[str, Any]]] = [
    ("team__TEAM__kept", {"input": 1}),
    ("run", {"code": "team/TEAM/kept", "input": 1}),
    ("run", {"tool": "team/TEAM/kept@1", "input": 1}),
    ("run", {"code": "team/TEAM/kepd", "input": 1}),
    ("run", {"code": {"app": ["team/TEAM/kept", 1]}}),
    ("run", {"code": {"code_of": "team/TEAM/kept"}}),
    ("run", {"code": {"lam": "n", "body": {"code_of": {"var": "n"}}}, "input": "team/TEAM/kept"}),
    ("analyze", {"code": "team/TEAM/kept"}),
    ("analyze", {"code": "std.sum", "against": "team/TEAM/kept"}),
    ("analyze", {"code": {"app": ["team/TEAM/kept", 1]}, "aspects": ["facts", "reach", "types"]}),
    ("history", {"name": "team/TEAM/kept"}),
    ("diff", {"name": "team/TEAM/kept"}),
    ("rollback", {"name": "team/TEAM/kept", "version": 1}),
    ("forget", {"name": "team/TEAM/kept"}),
    ("fuzz", {"name": "team/TEAM/kept"}),
    ("list", {"team": "TEAM"}),
    ("list", {"query": "kept"}),
    ("list", {"query": "TEAM"}),
    ("evolve", {"name": "team/TEAM/kept", "description": "x", "code": SQUARE}),
    (
        "evolve",
        {"name": "team/TEAM/kept", "description": "x", "code": SQUARE, "dry_run": True, "force": True},
    ),
    ("evolve", {"name": "team/TEAM/kept", "description": "x", "code": SQUARE, "laws": ["1 = 1"]}),
    ("evolve", {"name": "uses", "description": "x", "code": calling("team/TEAM/kept"), "dry_run": True}),
    ("help", {"category": "team/TEAM/kept"}),
    ("export", {"directory": "team/TEAM"}),
    ("export", {"directory": "taken", "team": "TEAM"}),
    ("import", {"directory": "taken", "team": "TEAM"}),
    ("import", {"directory": "not_there", "team": "TEAM", "force": True}),
    ("check_laws", {"name": "team/TEAM/kept"}),
]


def told(caller: Caller, team: str) -> list[Any]:
    """All that is told of a team, with its name taken out, and the hashes of code that names it."""
    said: list[Any] = [
        (
            tool,
            caller.call(
                tool.replace("TEAM", team), **json.loads(json.dumps(arguments).replace("TEAM", team))
            ),
        )
        for tool, arguments in GUESSES
    ]
    for uri in (
        "pif://tools/team/TEAM",
        "pif://tools/team/TEAM/kept",
        "pif://tools/team%2FTEAM%2Fkept@1",
        "pif://graph",
    ):
        uri = uri.replace("TEAM", team)
        said.append(caller.ask("resources/read", {"uri": uri}, uri))
    for argument, prefix, given in (
        ("team", "", {}),
        ("name", "", {"team": team}),
        ("name", f"team/{team}/", {}),
    ):
        uri = "pif://tools/{name}" if argument == "name" and not given else "pif://tools/team/{team}/{name}"
        asked: dict[str, Any] = {
            "ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": argument, "value": prefix},
            "context": {"arguments": given},
        }  # fmt: skip
        said.append(caller.ask("completion/complete", asked))
    said.append(caller.ask("tools/list"))
    hash_of_code = re.compile(r"pif1:[0-9a-f]{64}")  # of code that holds the name
    return [json.loads(hash_of_code.sub("HASH", json.dumps(each).replace(team, "TEAM"))) for each in said]


def test_a_team_that_one_is_not_in_and_one_that_is_not_there_are_told_alike(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/kept", SQUARE)
    assert not scene.mallory.call("list").get("teams")
    for its, nothing in zip(told(scene.mallory, "ops"), told(scene.mallory, "opz"), strict=True):
        assert its == nothing
    # … and it is so for who is in another team, with a name close to it
    scene.teams.create("opt")
    scene.teams.add("opt", "mallory", "write")
    try:
        evolved(scene.mallory, "team/opt/kept", TWICE)
        for its, nothing in zip(told(scene.mallory, "ops"), told(scene.mallory, "opz"), strict=True):
            assert its == nothing
    finally:
        scene.teams.remove("opt", "mallory")


def test_who_is_taken_out_reaches_nothing_from_that_moment(scene: Scene) -> None:
    carol = Caller(scene.server, token(scene.home, "carol"))
    scene.teams.add("ops", "carol", "write")
    evolved(carol, "team/ops/carols", SQUARE)
    evolved(carol, "mine", calling("team/ops/carols"))
    assert value(carol, "mine", 4) == 16
    assert "team__ops__carols" in carol.tools()
    scene.teams.add("ops", "carol", "read")
    assert error(carol.call("forget", name="team/ops/carols"))["kind"] == "not_allowed"
    assert value(carol, "mine", 4) == 16
    scene.teams.remove("ops", "carol")
    assert not {name for name in carol.tools() if name.startswith("team__")}
    for tool, arguments in (
        ("run", {"code": "mine", "input": 4}),
        ("team__ops__carols", {"input": 4}),
        ("run", {"code": "team/ops/carols", "input": 4}),
    ):
        assert error(carol.call(tool, **arguments))["kind"] == "unknown_tool"
    assert (
        error(carol.call("evolve", name="team/ops/carols", description="x", code=TWICE))["kind"]
        == "unknown_team"
    )
    assert "teams" not in carol.call("list")
    assert value(scene.bob, "team/ops/carols", 4) == 16


def test_scopes_of_a_token_are_judged_as_well(scene: Scene) -> None:
    reading = Caller(scene.server, token(scene.home, "alice", frozenset(["read"])))
    assert reading.call("list", team="ops")["type"] == "tools"
    for tool, arguments in (
        ("evolve", {"name": "team/ops/kept", "description": "x", "code": SQUARE}),
        ("team__ops__kept", {"input": 1}),
        ("run", {"code": "team/ops/kept", "input": 1}),
        ("forget", {"name": "team/ops/kept"}),
    ):
        assert reading.status_of(tool, **arguments)[0] == 403


def test_a_law_is_about_the_teams_tools_and_the_history_says_who(scene: Scene) -> None:
    """Laws are decided in a process of searches, which sees what its caller may, as the team means it."""
    evolved(scene.alice, "lawhelp", {"lam": "x", "body": {"sub": [0, 1]}})
    evolved(scene.alice, "team/ops/lawhelp", SQUARE)
    made = evolved(
        scene.alice, "team/ops/lawful", calling("lawhelp"), laws=["∀(x : ℤ). lawful(x) = lawhelp(x)"]
    )
    assert [each["status"] for each in made["laws"]] == ["proved"]
    false = scene.alice.call(
        "evolve",
        name="team/ops/lawful",
        description="x",
        code=calling("lawhelp"),
        laws=["∀(x : ℤ). lawhelp(x) = 0 - 1"],
    )
    assert error(false)["kind"] == "law_disproved"
    checked = scene.bob.call("check_laws", name="team/ops/lawful")
    assert checked["ok"], checked
    events = scene.bob.call("history", name="team/ops/lawful")["events"]
    assert [each["principal"] for each in events] == ["alice"]


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_tool_of_ones_own_takes_the_place_of_a_teams_in_the_list(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/listed", SQUARE)
    for own in ("team__ops__listed", "team___ops__listed", "team__", "team___"):
        evolved(scene.bob, own, TWICE)
        scene.bob.call("run", code=own, input=1)
    assert scene.bob.call("team__ops__listed", input=5)["value"] == 25
    assert scene.bob.call("team___ops__listed", input=5)["value"] == 10
    assert scene.bob.call("team____ops__listed", input=5)["value"] == 10
    scene.bob.call("run", code="team/ops/listed", input=1)
    assert {"team__ops__listed", "team___ops__listed", "team____ops__listed", "team___"} <= scene.bob.tools()


@pytest.mark.parametrize(
    "name",
    ["team/ops/", "team//x", "team/ops", "team/ops/x/y", "team/OPS/x", "team/ops/std.sort", "team/ops/run", "team/ops/self",
     "team/o_p/x", "team/оps/x", "ops/x", "/team/ops/x", "team/ops/x@1", "team/ops/" + "x" * 49, "team/../x", "std.x/y"],
)  # fmt: skip
def test_what_is_no_name_is_none(scene: Scene, name: str) -> None:
    for caller in (scene.alice, scene.mallory):
        refused = error(caller.call("evolve", name=name, description="x", code=SQUARE))
        expected = {"invalid_name"} if caller is scene.alice else {"invalid_name", "unknown_team"}
        assert refused["kind"] in expected, refused


# ── several at one time ──────────────────────────────────────────────────────────────────────────────────────


def test_writers_at_one_time_lose_nothing(scene: Scene) -> None:
    scene.teams.add("ops", "dora", "write")
    writers = [scene.alice, Caller(scene.server, token(scene.home, "dora"))]
    rounds = 8
    outcomes: list[dict[str, Any]] = []

    def write(writer: int) -> None:
        for turn in range(rounds):
            code = {"lam": "x", "body": {"add": [X, 1 + 2 * turn + writer]}}
            outcomes.append(
                writers[writer].call("evolve", name="team/ops/contended", description="x", code=code)
            )

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each["type"] == "tool" for each in outcomes)
    assert sorted(each["version"] for each in outcomes) == list(range(1, 2 * rounds + 1))
    history = scene.bob.call("history", name="team/ops/contended")
    assert len(history["events"]) == 2 * rounds
    conflict = scene.alice.call(
        "evolve", name="team/ops/contended", description="x", code=SQUARE, expect_version=3
    )
    assert error(conflict)["kind"] == "version_conflict"
    assert error(conflict)["tool"].startswith("team/ops/contended@")
    assert "'contended'" not in json.dumps(conflict)


def test_examples_of_the_teams_users_hold_or_nothing_is_changed(scene: Scene) -> None:
    evolved(scene.alice, "team/ops/part", SQUARE)
    evolved(scene.alice, "team/ops/whole", calling("part"), examples=[{"input": 3, "output": 9}])
    evolved(scene.bob, "relying", calling("team/ops/part"), examples=[{"input": 3, "output": 9}])
    refused = error(scene.alice.call("evolve", name="team/ops/part", description="x", code=TWICE))
    assert (refused["kind"], refused["tool"]) == ("example_failed", "team/ops/whole@1")
    assert "relying" not in json.dumps(refused)
    forced = scene.alice.call("evolve", name="team/ops/part", description="x", code=TWICE, force=True)
    assert "relying" not in json.dumps(forced)
    assert scene.bob.call("analyze", code="team/ops/part", aspects=["users"])["users"] == [
        {"name": "team/ops/whole", "version": 1, "direct": True, "pinned": False, "examples": 1},
        {"name": "relying", "version": 1, "direct": True, "pinned": False, "examples": 1},
    ]
    assert "relying" not in json.dumps(scene.alice.call("analyze", code="team/ops/part", aspects=["users"]))


# ── room ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_team_that_stores_too_much_is_told_so_and_can_make_room(scene: Scene) -> None:
    scene.teams.create("full")
    scene.teams.add("full", "alice", "write")
    text = "x" * 60_000
    for number in range(60):
        made = scene.alice.call(
            "evolve",
            name=f"team/full/big{number}",
            description="x",
            code={"lam": "x", "body": [text, number]},
        )
        if made["type"] == "error":
            break
    assert (error(made)["kind"], error(made)["quota"]) == ("quota_exceeded", "team-mb")
    evolved(scene.alice, "small", SQUARE)
    evolved(scene.alice, "team/ops/small", SQUARE)
    assert scene.alice.call("forget", name="team/full/big0")["type"] == "forgotten"
    status, _ = scene.server.post(
        call("list", team="full"), **HEADERS | {"Mcp-Name": "list"}, **scene.alice.headers
    )
    assert status == 200
