"""Teams of a home: made, filled, emptied; by the commands too."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import click
import pytest

from registry.access.principals import oauth_name
from registry.access.teams import FILE, MOST_MEMBERS, TeamFile
from registry.access.tokens import TokenFile
from registry.cli.pif import main
from registry.cli.pif.completion import team_names
from registry.errors import RegistryError


def failed(work: object, *arguments: str) -> RegistryError:
    with pytest.raises(RegistryError) as caught:
        work(*arguments)  # type: ignore[operator]
    return caught.value


def test_rights_are_those_of_the_file_as_it_is(tmp_path: Path) -> None:
    file, other = TeamFile(tmp_path), TeamFile(tmp_path)
    assert file.rights("alice") == {}
    for name in ("ops", "lab"):
        file.create(name)
    file.add("ops", "alice", "write")
    file.add("lab", "alice", "read")
    assert other.rights("alice") == {"lab": "read", "ops": "write"}
    assert [*other.rights("alice")] == ["lab", "ops"]
    assert other.rights("bob") == {}
    assert other.rights("owner") == {"lab": "write", "ops": "write"}
    file.add("ops", "alice", "read")
    assert other.rights("alice")["ops"] == "read"
    file.remove("ops", "alice")
    assert other.rights("alice") == {"lab": "read"}
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    file = TeamFile(tmp_path)
    file.create("ops")
    file.add("ops", "alice", "write")
    before = (tmp_path / FILE).read_bytes()
    for name in ("", "Ops", "o_p", "1ops", "o/p", "..", "ops ", "oрs", "x" * 33):
        assert failed(file.create, name).kind == "invalid_name"
    assert failed(file.create, "ops").kind == "version_conflict"
    assert failed(file.add, "opz", "bob", "read").hint == "Did you mean 'ops'?"
    assert failed(file.add, "ops", "B/ob", "read").kind == "invalid_name"
    assert failed(file.add, "ops", "owner", "read").kind == "invalid_argument"
    assert failed(file.remove, "ops", "bob").expected == "alice"
    assert failed(file.remove, "opz", "alice").kind == "unknown_team"
    assert (tmp_path / FILE).read_bytes() == before


def test_subjects_of_an_authorization_server_are_members_like_others(tmp_path: Path) -> None:
    file = TeamFile(tmp_path)
    file.create("ops")
    name = oauth_name("https://a.org", "alice@x.org")
    file.add("ops", name, "write")
    assert file.rights(name) == {"ops": "write"}
    assert file.rights(oauth_name("https://b.org", "alice@x.org")) == {}
    assert failed(file.add, "ops", "oauth.https_3A.alice", "read").kind == "invalid_name"
    file.remove("ops", name)
    assert file.rights(name) == {}


def test_a_team_has_so_many_members_at_most(tmp_path: Path) -> None:
    file = TeamFile(tmp_path)
    file.create("ops")
    row = json.loads((tmp_path / FILE).read_bytes())
    row["teams"][0]["members"] = {f"m{number}": "read" for number in range(MOST_MEMBERS)}
    (tmp_path / FILE).write_text(json.dumps(row))
    assert failed(file.add, "ops", "one-more", "read").kind == "invalid_argument"
    file.add("ops", "m1", "write")
    assert file.rights("m1") == {"ops": "write"}


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"teams": [], "format": 2}', '{"teams": [{"name": "../x", "created": 0}]}', '{"teams": [{"name": "a"}]}',
     '{"teams": [{"name": "a", "created": 0, "members": {"b": "admin"}}]}', '{"teams": [], "more": 1}', "\udcff"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_lets_nobody_in(tmp_path: Path, text: str) -> None:
    file = TeamFile(tmp_path)
    file.create("ops")
    file.add("ops", "alice", "write")
    assert file.rights("alice") == {"ops": "write"}
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert file.rights("alice") == file.rights("owner") == {}
    assert failed(file.read).kind == "store_error"
    assert failed(file.create, "more").kind == "store_error"


def test_tokens_and_teams_do_not_touch_each_other(tmp_path: Path) -> None:
    TokenFile(tmp_path).create("alice", frozenset(["read"]), lambda now: None)
    TeamFile(tmp_path).create("ops")
    assert len(TokenFile(tmp_path).read()) == 1
    assert [*TeamFile(tmp_path).read()] == ["ops"]
    assert sorted(os.listdir(tmp_path / "access")) == ["lock", "teams.json", "tokens.json"]


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        status = main(["--home", str(tmp_path), "team", *words])
        return status, capsys.readouterr().out

    assert run("list") == (0, "no teams; `pif team create TEAM` makes one\n")
    assert run("create", "ops") == (0, "the team ops is made; nobody is in it yet\n")
    assert run("add", "ops", "alice", "--write") == (0, "alice may write in the team ops\n")
    assert run("add", "ops", "bob") == (0, "bob may read in the team ops\n")
    assert run("list", "ops") == (0, "alice  write\nbob  read\n")
    assert run("remove", "ops", "bob") == (0, "bob is not in the team ops any more\n")
    status, said = run("list", "--json")
    assert status == 0
    assert json.loads(said)["teams"][0]["members"] == {"alice": "write"}
    assert run("remove", "ops", "bob")[0] == 1
    assert run("add", "opz", "bob")[0] == 1
    assert run("list", "opz")[0] == 1


def test_what_a_team_has_kept_is_not_given_to_a_new_one(tmp_path: Path) -> None:
    """A list of teams that was lost: the name made again would open the store that is there to its new members."""
    file = TeamFile(tmp_path)
    file.create("ops")
    (tmp_path / "teams" / "ops").mkdir(parents=True)
    file.path.unlink()
    with pytest.raises(RegistryError) as refused:
        file.create("ops")
    assert refused.value.kind == "version_conflict"
    assert not file.read()
    file.create("other")


def test_a_shell_completes_the_names_of_teams(tmp_path: Path) -> None:
    for name in ("ops", "dev", "opt"):
        TeamFile(tmp_path).create(name)
    context = click.Context(click.Command("export"))
    context.params["home"] = tmp_path
    asked = click.Option(["--team"])
    assert team_names(context, asked, "o") == ["ops", "opt"]
    assert team_names(context, asked, "x") == []
    TeamFile(tmp_path).path.write_text("no teams")
    assert team_names(context, asked, "o") == []
