"""Theories that a team shares: they mean the same for every member, and nothing for anybody else, from the moment that rights change."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.access.teams import TeamFile
from tests.support.servers.http_server import Served, serving
from tests.support.servers.principals import Caller, token


class Scene:
    def __init__(self, server: Served, home: Path) -> None:
        self.home = home
        self.teams = TeamFile(home)
        self.alice, self.bob, self.carol, self.mallory = (
            Caller(server, token(home, name)) for name in ("alice", "bob", "carol", "mallory")
        )


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    teams = TeamFile(home)
    for name in ("ops", "lab"):
        teams.create(name)
    teams.add("ops", "alice", "write")
    teams.add("ops", "carol", "write")
    teams.add("ops", "bob", "read")
    teams.add("lab", "alice", "write")
    with serving(home, groups="pif,theory", more=True) as server:
        yield Scene(server, home)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended()[0] == 0


def defined(caller: Caller, session: str, kleis: str) -> None:
    assert caller.call("submit_define", kleis=kleis, session=session)["accepted"]


def value(caller: Caller, session: str, expression: str) -> str:
    answer = caller.call("evaluate", expression=expression, session=session)
    assert answer.get("result") is not None, answer
    return str(answer["result"])


def saved(caller: Caller, session: str, name: str, **more: Any) -> dict[str, Any]:
    return caller.call("save_theory", name=name, session=session, **more)


def loaded(caller: Caller, session: str, *imports: str) -> dict[str, Any]:
    return caller.call("load_theory", imports=[*imports], session=session)


def base(scene: Scene) -> None:
    """Alice shares `base`, and `top`, which imports it."""
    if (scene.home / "teams" / "ops" / "theories" / "top.kleis").exists():
        return
    defined(scene.alice, "base", "define helper(x : ℤ) : ℤ = x * 7")
    assert saved(scene.alice, "base", "team/ops/base")["name"] == "team/ops/base"
    assert loaded(scene.alice, "top", "team/ops/base")["status"] != "error"
    defined(scene.alice, "top", "define user(x : ℤ) : ℤ = helper(x) + 1")
    assert saved(scene.alice, "top", "team/ops/top")["status"] == "saved"


def test_a_shared_theory_means_the_same_for_every_member(scene: Scene) -> None:
    base(scene)
    for caller in (scene.bob, scene.carol):
        # … whatever the member has saved under the names that the theory imports
        defined(caller, "own", "define helper(x : ℤ) : ℤ = x * 1000")
        for name in ("base", "top", "ops"):
            assert saved(caller, "own", name, overwrite=True)["status"] == "saved"
        loaded(caller, "shared", "team/ops/top")
        assert value(caller, "shared", "user(3)") == "22"
    text = (scene.home / "teams" / "ops" / "theories" / "top.kleis").read_text()
    assert 'import "base.kleis"' in text
    assert {"base", "top"} <= {*scene.bob.call("list")["teams"][0]["theories"]}


def test_what_is_missing_beside_a_shared_theory_is_not_the_members(scene: Scene) -> None:
    base(scene)
    folder = scene.home / "teams" / "ops" / "theories"
    (folder / "lost.kleis").write_text('import "gone.kleis"\ndefine late(x : ℤ) : ℤ = found(x)\n')
    defined(scene.bob, "gone", "define found(x : ℤ) : ℤ = x")
    assert saved(scene.bob, "gone", "gone", overwrite=True)["status"] == "saved"
    answer = loaded(scene.bob, "lost", "team/ops/lost")
    assert answer["status"] not in ("consistent", "unknown")
    assert "gone" in json.dumps(answer)
    for escape in ("../../lab/theories/secret.kleis", str(scene.home / "principals/bob/theories/gone.kleis")):
        (folder / "escaping.kleis").write_text(f'import "{escape}"\n')
        assert loaded(scene.bob, "escaping", "team/ops/escaping")["status"] not in ("consistent", "unknown")


def test_a_theory_of_ones_own_cannot_be_carried_into_a_shared_one(scene: Scene) -> None:
    defined(scene.alice, "private", "define mine(x : ℤ) : ℤ = x")
    assert saved(scene.alice, "private", "private", overwrite=True)["status"] == "saved"
    loaded(scene.alice, "carrier", "private")
    refused = saved(scene.alice, "carrier", "team/ops/carrier")
    assert refused["problem"]["code"] == "save-refused", refused
    defined(scene.alice, "ofLab", "define secret(x : ℤ) : ℤ = x")
    assert saved(scene.alice, "ofLab", "team/lab/secret", overwrite=True)["status"] == "saved"
    loaded(scene.alice, "across", "team/lab/secret")
    assert saved(scene.alice, "across", "team/ops/across")["problem"]["code"] == "save-refused"
    assert not (scene.home / "teams" / "ops" / "theories" / "across.kleis").exists()


def test_a_shared_theory_says_who_saved_it_and_no_session_says_another(scene: Scene) -> None:
    forging = "// Theory saved from the session s by bob at 2020-01-01T00:00:00Z.\n"
    defined(scene.alice, "signed", f"{forging}define signed(x : ℤ) : ℤ = x")
    assert saved(scene.alice, "signed", "team/ops/signed")["status"] == "saved"
    (said,) = loaded(scene.bob, "reading", "team/ops/signed")["saved"]
    assert (said["name"], said["by"]) == ("team/ops/signed", "alice")
    defined(scene.carol, "signing", f"{forging}define signed(x : ℤ) : ℤ = x + 1")
    assert saved(scene.carol, "signing", "team/ops/signed", overwrite=True)["status"] == "saved"
    first, (now,) = said, loaded(scene.bob, "reading", "team/ops/signed.kleis")["saved"]
    assert (now["by"], now["at"] >= first["at"]) == ("carol", True)
    for session in ("s by bob", "s by bob at 2020-01-01T00:00:00Z.\n//", "s\tby"):
        assert saved(scene.carol, session, "team/ops/signed", overwrite=True)["status"] == "error"
    folder = scene.home / "teams" / "ops" / "theories"
    (folder / "beside.kleis").write_text("define beside(x : ℤ) : ℤ = x\n")
    assert "saved" not in loaded(
        scene.bob, "reading", "team/ops/beside"
    )  # nobody is named for what came another way
    assert saved(scene.bob, "reading", "mine")["status"] == "saved"
    assert "saved" not in loaded(scene.bob, "reading", "mine")


def test_who_may_read_saves_nothing_and_nobody_replaces_unasked(scene: Scene) -> None:
    base(scene)
    folder = scene.home / "teams" / "ops" / "theories"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    defined(scene.bob, "bobs", "define helper(x : ℤ) : ℤ = 0")
    for name in ("team/ops/base", "team/ops/fresh"):
        assert saved(scene.bob, "bobs", name, overwrite=True)["problem"]["code"] == "save-refused"
    defined(scene.carol, "carols", "define helper(x : ℤ) : ℤ = 0")
    assert saved(scene.carol, "carols", "team/ops/base")["problem"]["code"] == "save-exists"
    for name in (
        "team/ops/../base",
        "team/ops/.hidden",
        "team/ops/a/b",
        "team/ops/",
        "/team/ops/x",
        "team/OPS/x",
    ):
        assert saved(scene.carol, "carols", name)["status"] == "error", name
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def told(caller: Caller, team: str) -> list[Any]:
    """What is told of a team's theories, with its name taken out."""
    said = [
        loaded(caller, "guess", f"team/{team}/base"),
        loaded(caller, "guess", f"team/{team}/bass"),
        loaded(caller, "guess", f"../../teams/{team}/theories/base.kleis"),
        loaded(caller, "guess", f"teams/{team}/theories/base"),
        saved(caller, "guess", f"team/{team}/base"),
        saved(caller, "guess", f"team/{team}/base", overwrite=True),
        caller.call("evaluate", expression="helper(3)", session="guess"),
    ]
    return [json.loads(re.sub(rf"\b{team}\b", "TEAM", json.dumps(each))) for each in said]


def test_theories_of_a_team_that_one_is_not_in_are_told_of_as_if_there_were_none(scene: Scene) -> None:
    base(scene)
    told(scene.mallory, "ops")
    for its, nothing in zip(told(scene.mallory, "ops"), told(scene.mallory, "opz"), strict=True):
        assert its == nothing


def test_who_is_taken_out_cannot_go_on_with_what_was_loaded(scene: Scene) -> None:
    base(scene)
    scene.teams.add("ops", "mallory", "read")
    loaded(scene.mallory, "kept", "team/ops/top")
    defined(scene.mallory, "kept", "define more(x : ℤ) : ℤ = user(x)")
    assert value(scene.mallory, "kept", "more(3)") == "22"
    assert saved(scene.mallory, "kept", "mine")["status"] == "saved"
    asking = {"kleis": "user(3)"}
    assert scene.mallory.call("run", code=asking, session="kept")["value"] == 22
    scene.teams.remove("ops", "mallory")
    for answer in (
        scene.mallory.call("evaluate", expression="more(3)", session="kept"),
        scene.mallory.call("describe_schema", name="user", session="kept"),
        scene.mallory.call("submit_define", kleis="define other(x : ℤ) : ℤ = user(x)", session="kept"),
        scene.mallory.call("run", code=asking, session="kept"),
        loaded(scene.mallory, "again", "mine"),
        loaded(scene.mallory, "again", "team/ops/top"),
    ):
        text = json.dumps(answer)
        assert answer.get("status", answer.get("type")) == "error", text
        assert "x * 7" not in text
        assert "helper" not in text
    assert loaded(scene.mallory, "kept", "stdlib/prelude")["status"] != "error"
