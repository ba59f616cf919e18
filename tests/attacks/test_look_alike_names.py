"""Names that look like others': letters of other scripts, other cases, marks that are not seen, dots and blanks at the end.

Alice has a tool, a session, a saved theory and a team; Mallory calls what is hers by everything that looks, or is sorted, printed or
kept on some disk, as her names are. Each is refused as no name, or means something of Mallory's own.
"""

from __future__ import annotations

import json
import signal
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from prometheus_client.parser import text_string_to_metric_families

from registry.access.principals import ALL_SCOPES, oauth_name
from registry.access.teams import TeamFile
from registry.access.tokens import TokenFile
from registry.errors import RegistryError
from registry.server.mcp.http_access import TOKEN
from tests.support.servers.http_server import Served, serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


def look_alikes(name: str) -> list[str]:
    """What looks like a name of small Latin letters, and is another text."""
    other_script = name.translate(str.maketrans("aeopcx", "аеорсх"))
    assert other_script != name
    return [
        other_script,
        "".join(chr(ord(each) + 0xFEE0) for each in name),  # full width: NFKC makes it the name
        "".join(chr(ord(each) - ord("a") + 0x1D41A) if "a" <= each <= "z" else each for each in name),  # mathematical bold
        unicodedata.normalize("NFD", name[0] + "́" + name[1:]),
        name[:2] + "\u200b" + name[2:],  # of no width
        name + "\u200d",
        "\u202e" + name[::-1],  # written from the right
        name + "\u00ad",
        name.replace("s", "ſ") if "s" in name else name + "ſ",  # whose capital is S
        name + "․",  # one dot leader
        name + " ", " " + name, name + "\n", name + "\t", name + "\r", name + "\0", name + "\u00a0", name + "\u2028",
        name + "/", "./" + name, name + "/.", "../" + name, name + "\\",
        quote(name[0], safe="").join(["", name[1:]]) if name[0] == "%" else "%" + f"{ord(name[0]):02x}" + name[1:],
    ]  # fmt: skip


OWN = ["Square", "SQUARE", "square.", "square..", "square-", "square_", "_square"]
"""Names of their own, which a disk or a reader may take for `square`."""


class Scene:
    def __init__(self, server: Served, home: Path) -> None:
        self.server = server
        self.home = home
        self.alice, self.mallory = (Caller(server, token(home, name)) for name in ("alice", "mallory"))


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    teams = TeamFile(home)
    teams.create("ops")
    teams.add("ops", "alice", "write")
    token(home, "first")
    with serving(home, groups="pif,theory", more=True) as server:
        made = Scene(server, home)
        for name in ("square", "team/ops/square"):
            assert made.alice.call("evolve", name=name, description="d", code=SQUARE)["type"] == "tool"
        defined = made.alice.call("submit_define", kleis="define hidden(x : ℤ) : ℤ = x * 7", session="plans")
        assert defined["accepted"]
        for name in ("axioms", "team/ops/axioms"):
            assert made.alice.call("save_theory", name=name, session="plans")["status"] == "saved"
        yield made
        server.process.send_signal(signal.SIGTERM)
        assert server.ended() == (0, "")


def kind_of(answer: dict[str, Any]) -> str:
    problem = answer.get("problem") or answer.get("error")
    assert isinstance(problem, dict), answer
    return str(problem.get("kind") or problem.get("code"))


@pytest.mark.parametrize("name", look_alikes("square"), ids=ascii)
def test_what_looks_like_a_tools_name_is_no_name(scene: Scene, name: str) -> None:
    for full in (name, f"team/ops/{name}"):
        assert kind_of(scene.alice.call("evolve", name=full, description="d", code=SQUARE)) == "invalid_name"
        for asked in (full, f"{full}@1"):
            assert scene.alice.call("run", tool=asked, input=3)["type"] == "error", asked
        assert scene.alice.call("run", code={"app": [full, 3]}, input=0)["type"] == "error"
    assert scene.alice.call("run", tool="square", input=3)["value"] == 9


def test_names_that_differ_in_case_and_dots_are_tools_of_their_own(scene: Scene) -> None:
    for number, name in enumerate(OWN):
        code = {"lam": "x", "body": number}
        for full in (name, f"team/ops/{name}"):
            assert scene.alice.call("evolve", name=full, description="d", code=code)["type"] == "tool", full
    for number, name in enumerate(OWN):
        for full in (name, f"team/ops/{name}"):
            assert scene.alice.call("run", tool=full, input=3)["value"] == number, full
    for full in ("square", "team/ops/square"):
        assert scene.alice.call("run", tool=full, input=3)["value"] == 9
    # Written out as files and read again they are as many, also where a disk takes two cases for one.
    count = scene.alice.call("list")["total"]
    exported = scene.alice.call("export", directory="all")
    assert exported["type"] != "error"
    assert scene.mallory.call("import", directory="all")["type"] == "error"
    files = [
        path.name.lower() for path in (scene.home / "principals/alice").rglob("all/**/*") if path.is_file()
    ]
    assert len(files) == len(set(files)) > count


@pytest.mark.parametrize(
    "team",
    [*look_alikes("ops"), "Ops", "OPS", "ops.", "ops..", "ops@1", "o_ps", "-ops", "0ops", ""],
    ids=ascii,
)
def test_what_looks_like_a_teams_name_is_no_team(scene: Scene, team: str) -> None:
    with pytest.raises(RegistryError):
        TeamFile(scene.home).create(team)
    for caller in (scene.alice, scene.mallory):
        refused = caller.call("evolve", name=f"team/{team}/square", description="d", code=SQUARE)
        assert kind_of(refused) in ("invalid_name", "unknown_team")
        assert caller.call("run", tool=f"team/{team}/square", input=3)["type"] == "error"
        saved = caller.call("save_theory", name=f"team/{team}/axioms", session="plans", overwrite=True)
        assert kind_of(saved) in ("save-name", "save-refused")
        loaded = caller.call("load_theory", imports=[f"team/{team}/axioms"], session="other")
        assert loaded["status"] not in ("consistent", "unknown"), loaded
        address = f"pif://tools/team/{quote(team)}/square"
        assert "contents" not in caller.ask("resources/read", {"uri": address}, address)
    assert {path.name for path in (scene.home / "teams").iterdir() if path.is_dir()} == {"ops"}


@pytest.mark.parametrize("name", [*look_alikes("plans"), "plans.", "plans..", ".plans"], ids=ascii)
def test_what_looks_like_a_sessions_name_is_no_session(scene: Scene, name: str) -> None:
    for caller in (scene.alice, scene.mallory):
        for answer in (
            caller.call("submit_define", kleis="define f(x : ℤ) : ℤ = x", session=name),
            caller.call("evaluate", expression="hidden(1)", session=name),
            caller.call("save_theory", name="stolen", session=name),
        ):
            assert answer.get("status") == "error", answer
            assert "7" not in str(answer.get("result"))
    address = f"kleis://sessions/{quote(name)}"
    assert "contents" not in scene.mallory.ask("resources/read", {"uri": address}, address)


def test_sessions_and_theories_that_differ_in_case_are_two(scene: Scene) -> None:
    for session in ("Plans", "PLANS", "plans-", "plans_"):
        assert "undefined" in json.dumps(
            scene.alice.call("evaluate", expression="hidden(1)", session=session)
        ) or (scene.alice.call("evaluate", expression="hidden(1)", session=session)["status"] == "error")
    for name in [*look_alikes("axioms"), "axioms.", ".axioms", "axioms..kleis"]:
        for full in (name, f"team/ops/{name}"):
            assert kind_of(scene.alice.call("save_theory", name=full, session="plans", overwrite=True)), full
    for theories in (scene.home / "teams/ops/theories", scene.home / "principals/alice/theories"):
        assert {path.name for path in theories.glob("*.kleis")} == {"axioms.kleis"}


@pytest.mark.parametrize(
    "name", [*look_alikes("alice"), "Alice", "ALICE", "alice.", "alice..", "oauth.x.alice", "owner.", "", "teams/ops"], ids=ascii
)  # fmt: skip
def test_nobody_is_called_what_looks_like_another(scene: Scene, name: str) -> None:
    before = TokenFile(scene.home).path.read_bytes()
    with pytest.raises(RegistryError) as refused:
        TokenFile(scene.home).create(name, ALL_SCOPES, lambda now: None)
    assert refused.value.kind == "invalid_name"
    assert TokenFile(scene.home).path.read_bytes() == before


def test_subjects_that_look_alike_are_as_many_principals() -> None:
    subjects = [
        "alice",
        "Alice",
        "ALICE",
        "e\u0301",
        "\u00e9",
        "alice_",
        "alice_2e",
        "alice.",
        *look_alikes("alice"),
    ]
    issuers = [
        "https://a.example.org",
        "https://a.example.org/",
        "https://A.example.org",
        "https://а.example.org",
    ]
    names = [oauth_name(issuer, subject) for issuer in issuers for subject in subjects]
    folded = {unicodedata.normalize("NFKC", name).casefold() for name in names}
    assert len(folded) == len(issuers) * len(set(subjects))
    assert all(name.isascii() and "/" not in name and not name.endswith(".") for name in names)


def test_labels_of_the_metrics_are_few_whatever_clients_send(scene: Scene) -> None:
    admin = Caller(scene.server, token(scene.home, "adam", frozenset(["admin"])))

    def series() -> set[tuple[str, frozenset[tuple[str, str]]]]:
        status, _, text = scene.server.request("GET", "/metrics", **admin.headers)
        assert status == 200
        return {
            (sample.name, frozenset(sample.labels.items()))
            for family in text_string_to_metric_families(text.decode())
            for sample in family.samples
        }

    injected = [
        'x"} 1\npif_calls_total{tool="evolve"',
        'run"',
        "run\\",
        "run\n# HELP owned",
        "tool{}",
        'ᐁ"',
        "run ",
    ]
    for number, name in enumerate([*injected, *look_alikes("eval")]):
        body = {"name": name, "arguments": {"code": 1}}
        scene.mallory.ask("tools/call", body, quote(name))
        failing = {"lam": "x", "body": {"error": f"kind_{number}{name}"}}
        scene.mallory.call("run", code=failing, input=0)
        scene.mallory.call("run", code={"app": [name, 1]}, input=0)
        scene.mallory.call("evolve", name=name, description="d", code=SQUARE)
        scene.mallory.call("evaluate", expression=name, session=name)
        if number == 0:
            before = series()
    after = series()
    new = {name for name, _ in after} - {name for name, _ in before}
    assert not new
    values = {value for _, labels in after for _, value in labels}
    assert not any("kind_" in value or "owned" in value or not value.isascii() for value in values)
    assert len(after) - len(before) <= 60  # kinds of errors that had not been met, and their buckets
    known = {"run", "evolve", "list", "evaluate", "(unknown)", "(evolved)"}
    assert known >= {
        value
        for name, labels in after - before
        if name == "pif_calls_total"
        for key, value in labels
        if key == "tool"
    }


def test_a_header_with_a_secret_that_looks_alike_is_no_secret(scene: Scene) -> None:
    secret = scene.alice.headers["Authorization"]
    assert scene.server.request("POST", "/mcp", b"{}", Authorization=secret)[0] != 401
    for changed in (
        secret.swapcase(),
        secret.upper(),
        secret + ".",
        secret[:-1],
        secret + "=",
        secret.replace("Bearer ", "Bearer  x"),
    ):
        assert scene.server.request("POST", "/mcp", b"{}", Authorization=changed)[0] == 401
    assert TOKEN not in json.dumps(scene.mallory.call("list"))
