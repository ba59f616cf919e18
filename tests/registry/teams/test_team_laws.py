"""Laws, history, and files of a team's tools, over both stores: read as the team's, whatever its members have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.access.teams import TeamFile
from registry.records import content_hash
from registry.teams.member import Member
from registry.teams.team_store import TeamStore
from registry.workspace import requests
from registry.workspace.workspace import Workspace
from tests.registry.teams.conftest import Open

X = {"var": "x"}
SQUARE = {"lam": "x", "body": {"mul": [X, X]}}
TWICE = {"lam": "x", "body": {"add": [X, X]}}
NOT_NEGATIVE = "∀(x : ℤ). square(x) ≥ 0"


def calling(name: str) -> Any:
    return {"lam": "x", "body": {"app": [name, X]}}


def evolve(workspace: Workspace, name: str, code: Any = SQUARE, **more: Any) -> dict[str, Any]:
    return workspace.evolve(requests.Evolve(name, "a tool", code, **more))


def made(workspace: Workspace, name: str, code: Any = SQUARE, **more: Any) -> dict[str, Any]:
    answer = evolve(workspace, name, code, **more)
    assert answer["type"] == "tool", answer
    return answer


def error(answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["type"] == "error", answer
    found: dict[str, Any] = answer["error"]
    return found


def laws_of(workspace: Workspace, name: str) -> dict[str, str]:
    return {law["law"]: law["status"] for law in workspace.show(name).get("laws", ())}


# ── history ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_teams_history_says_who(members: Open, tmp_path: Path) -> None:
    alice, bob, owner = members("alice"), members("bob"), members("owner")
    TeamFile(tmp_path).add("ops", "bob", "write")
    made(alice, "team/ops/square")
    made(bob, "team/ops/square", TWICE)
    assert owner.rollback(requests.Rollback("team/ops/square", 1))["outcome"] == "rolled_back"
    evolve(bob, "team/ops/square", SQUARE, laws=[NOT_NEGATIVE])
    alice.forget("team/ops/square")
    team = alice.namespace_of("team/ops/square").store
    assert isinstance(team, TeamStore)
    team.inner.evolve("square", code="1", hash=content_hash("1"), description="beside", capabilities=())
    told = [(each["kind"], each.get("principal")) for each in bob.history("team/ops/square")["events"]]
    assert told == [
        ("evolve", "alice"), ("evolve", "bob"), ("rollback", "owner"), ("describe", "bob"), ("forget", "alice"), ("evolve", None),
    ]  # fmt: skip
    made(alice, "square")
    assert all("principal" not in each for each in alice.history("square")["events"])


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_law_of_a_teams_tool_is_about_the_teams_tools(members: Open) -> None:
    alice, bob = members("alice"), members("bob")
    for each in (alice, bob):
        made(each, "helper", {"lam": "x", "body": {"sub": [0, 1]}})
        made(each, "square", {"lam": "x", "body": {"sub": [0, 1]}})
    made(alice, "team/ops/helper")
    answer = made(
        alice, "team/ops/square", calling("helper"), laws=[NOT_NEGATIVE, "∀(x : ℤ). square(x) = helper(x)"]
    )
    assert [law["status"] for law in answer["laws"]] == ["proved", "proved"], answer
    assert laws_of(bob, "team/ops/square") == dict.fromkeys(
        [NOT_NEGATIVE, "∀(x : ℤ). square(x) = helper(x)"], "proved"
    )
    assert bob.check_laws("team/ops/square")["ok"]
    # What is true of the members' own tools of these names is false of the team's.
    refused = error(evolve(alice, "team/ops/square", calling("helper"), laws=["∀(x : ℤ). square(x) = 0 - 1"]))
    assert refused["kind"] == "law_disproved"
    # A new version has to keep them, and those of its users' are stale.
    broken = error(evolve(alice, "team/ops/square", {"lam": "x", "body": {"sub": [0, {"mul": [X, X]}]}}))
    assert broken["kind"] == "law_disproved"
    made(alice, "team/ops/helper", TWICE, force=True)
    assert all(law.get("stale") for law in bob.show("team/ops/square")["laws"])
    assert not bob.check_laws("team/ops/square")["ok"]
    dropped = made(alice, "team/ops/square", TWICE, drop_laws=[NOT_NEGATIVE])
    assert dropped["dropped_laws"] == [NOT_NEGATIVE]
    assert laws_of(alice, "team/ops/square") == {"∀(x : ℤ). square(x) = helper(x)": "proved"}


def test_a_teams_law_proves_nothing_of_a_tool_of_the_same_name(members: Open) -> None:
    """Read in the caller's namespace the law would be about the caller's helper: it must not serve there as a lemma."""
    alice, bob = members("alice"), members("bob")
    made(alice, "team/ops/helper")
    made(
        alice,
        "team/ops/user",
        calling("helper"),
        laws=["∀(x : ℤ). helper(x) ≥ 0", "∀(x : ℤ). user(x) = helper(x)"],
    )
    made(bob, "helper", {"lam": "x", "body": {"sub": [X, 1]}})
    both = {
        "lam": "x",
        "body": {"add": [{"app": ["team/ops/user", X]}, {"mul": [0, {"app": ["helper", X]}]}]},
    }
    for law in ("∀(x : ℤ). helper(x) ≥ 0", "∀(x : ℤ). both(x) = helper(x)"):
        assert error(evolve(bob, "both", both, laws=[law]))["kind"] == "law_disproved"
    assert made(bob, "both", both, laws=["∀(x : ℤ). both(x) ≥ 0"])["laws"][0]["status"] == "proved"


def test_laws_of_names_that_kleis_uses_itself(members: Open) -> None:
    alice = members("alice")
    made(alice, "team/ops/abs", SQUARE, laws=["∀(x : ℤ). tool_abs(x) ≥ 0", "safe(abs)"])
    made(alice, "team/ops/neg.abs", calling("abs"), laws=["∀(x : ℤ). tool_neg_abs(x) = tool_abs(x)"])
    assert set(laws_of(alice, "team/ops/abs").values()) == {"proved"}
    assert set(laws_of(alice, "team/ops/neg.abs").values()) == {"proved"}


def test_a_law_that_was_written_beside_the_server_is_checked_and_not_believed(members: Open) -> None:
    """Whoever wrote "proved" into a team's store: the check says no, and no proof of a member's law uses it."""
    alice, bob = members("alice"), members("bob")
    made(alice, "team/ops/square", TWICE)
    team = alice.namespace_of("team/ops/square").store
    record = team.snapshot().record("team/ops/square")
    assert record is not None
    lie = [
        {
            "law": NOT_NEGATIVE,
            "status": "proved",
            "format": 2,
            "certificate": "0" * 64,
            "tools": {"team/ops/square@1": record.hash},
        }
    ]
    assert team.keep_laws(record, json.dumps(lie))
    assert not bob.check_laws("team/ops/square")["ok"]
    refused = evolve(bob, "mine", calling("team/ops/square"), laws=["∀(x : ℤ). mine(x) ≥ 0"])
    assert error(refused)["kind"] == "law_disproved"


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_teams_tools_go_out_and_come_back_with_their_proofs(members: Open, tmp_path: Path) -> None:
    alice, bob = members("alice"), members("bob")
    made(alice, "team/ops/helper")
    made(
        alice,
        "team/ops/square",
        calling("helper"),
        laws=[NOT_NEGATIVE],
        examples=[requests.Example(input=3, output=9)],
    )
    hashes = {name: bob.show(f"team/ops/{name}")["hash"] for name in ("helper", "square")}
    assert bob.export(tmp_path / "out", team="ops")["tools"] == 2
    assert bob.export(tmp_path / "one", names=["team/ops/square"])["tools"] == 1
    assert sorted(each.name for each in (tmp_path / "one" / "tools").iterdir()) == ["square@1.json"]
    for name in hashes:
        alice.forget(f"team/ops/{name}")
    # The number 1 was given away: what comes in is version 2, of the same code, and its law by its certificate.
    back = alice.import_(tmp_path / "out", team="ops", renumber=True)
    assert back["added"] == 2, back
    assert [(law["tool"], law["status"]) for law in back["laws"]] == [("team/ops/square@2", "proved")]
    assert {name: bob.show(f"team/ops/{name}")["hash"] for name in hashes} == hashes
    last = bob.history("team/ops/square")["events"][-1]
    assert last["principal"] == "alice"
    assert bob.import_(tmp_path / "out")["type"] == "imported"
    assert bob.show("square")["hash"] == hashes["square"]


def test_tools_of_ones_own_come_into_a_team_with_their_names_in_full(members: Open, tmp_path: Path) -> None:
    alice, bob = members("alice"), members("bob")
    made(alice, "helper")
    made(alice, "ordered", calling("sort"))
    made(
        alice,
        "square",
        calling("helper"),
        laws=[NOT_NEGATIVE],
        examples=[requests.Example(input=3, output=9)],
    )
    alice.export(tmp_path / "out")
    came = alice.import_(tmp_path / "out", team="ops")
    assert came["added"] == 3, came
    assert [(law["tool"], law["status"]) for law in came["laws"]] == [("team/ops/square@1", "proved")]
    made(bob, "helper", TWICE)
    assert bob.run(requests_run("team/ops/square", 5))["value"] == 25
    assert '"team/ops/helper"' in json.dumps(bob.show("team/ops/square")["code"])
    assert '"std.sort"' in json.dumps(bob.show("team/ops/ordered")["code"])
    assert bob.check_laws("team/ops/square")["ok"]
    assert alice.import_(tmp_path / "out", team="ops")["added"] == 0


def requests_run(name: str, given: int) -> Any:
    from pif.run.evaluate import Request

    return Request(code=name, input=given)


HOSTILE: dict[str, Any] = {
    "another team's": {"app": ["team/other/helper", X]},
    "computed": {"eval": {"code_of": X}},
    "of data": {"eval": {"reflect": X}},
    "by the library": {"app": ["std.differentiate", {"quote": X}]},
}


@pytest.mark.parametrize("what", HOSTILE)
def test_files_bring_no_code_into_a_team_that_evolve_refuses(
    members: Open, tmp_path: Path, what: str
) -> None:
    alice = members("alice")
    made(alice, "good")
    made(alice, "evil", {"lam": "x", "body": HOSTILE[what]})
    alice.export(tmp_path / "out")
    refused = error(alice.import_(tmp_path / "out", team="ops"))
    assert (refused["kind"], refused["tool"]) == ("not_allowed", "team/ops/evil@1"), refused
    assert alice.list(requests.List(team="ops"))["total"] == 0


def test_files_bring_no_law_that_is_false(members: Open, tmp_path: Path) -> None:
    alice = members("alice")
    made(alice, "team/ops/square", SQUARE, laws=[NOT_NEGATIVE])
    alice.export(tmp_path / "out", team="ops")
    file = tmp_path / "out" / "tools" / "square@1.json"
    text = msgspec.json.decode(file.read_bytes())
    text["laws"][0]["law"] = "∀(x : ℤ). square(x) > 0"
    file.write_bytes(msgspec.json.encode(text))
    alice.forget("team/ops/square")
    came = alice.import_(tmp_path / "out", team="ops", renumber=True)
    assert [(law["status"], law["dropped"]) for law in came["laws"]] == [("refuted", True)]
    assert laws_of(alice, "team/ops/square") == {}


def test_who_may_not_write_takes_nothing_in_and_who_may_not_read_takes_nothing_out(
    members: Open, tmp_path: Path
) -> None:
    alice, bob, carol = members("alice"), members("bob"), members("carol")
    made(alice, "team/ops/square", laws=[NOT_NEGATIVE])
    made(bob, "mine")
    bob.export(tmp_path / "mine")
    assert error(bob.import_(tmp_path / "mine", team="ops"))["kind"] == "not_allowed"
    assert error(bob.renew_laws(["team/ops/square"]))["kind"] == "not_allowed"
    assert alice.renew_laws(["team/ops/square"])["type"] == "renewed"
    for team in ("ops", "zzz"):
        for refused in (
            carol.export(tmp_path / "theirs", team=team),
            carol.export(tmp_path / "theirs", names=[f"team/{team}/square"]),
            carol.import_(tmp_path / "mine", team=team),
        ):
            told = error(refused)
            assert json.dumps(told).replace(team, "TEAM") == json.dumps(
                error(carol.export(tmp_path / "x", team="qqq"))
            ).replace("qqq", "TEAM")
    assert not (tmp_path / "theirs").exists()
    mixed = error(alice.export(tmp_path / "mixed", names=["team/ops/square", "mine"]))
    assert mixed["kind"] == "invalid_argument"


def test_each_member_has_a_store_of_its_own_name(tmp_path: Path) -> None:
    """One store of a team is open in a process; what it writes says who asked."""
    from registry.teams.team_stores import TeamStores

    file = TeamFile(tmp_path)
    file.create("ops")
    file.add("ops", "alice", "write")
    stores = TeamStores(tmp_path)
    alice, again, owner = (Member(name, file, stores) for name in ("alice", "alice", "owner"))
    first, second, third = (each.store_for("ops", writing=True) for each in (alice, again, owner))
    assert first is alice.store("ops")
    assert first.inner is second.inner is third.inner
    assert first is not third
    stores.close()
