"""Tokens of a home: made, kept as hashes, revoked; by the commands too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.access.principals import ALL_SCOPES, OWNER, Principal, home_of, read_scopes
from registry.access.tokens import FILE, PREFIX, TokenFile, moment_of, read_expiry
from registry.cli.pif import main
from registry.errors import RegistryError

READ = frozenset(("read",))
NOW = 1_800_000_000.0


def never(now: float) -> None:
    return None


def test_a_secret_is_random_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    file = TokenFile(tmp_path)
    made = [file.create("alice", READ, never) for _ in range(3)]
    secrets = {secret for _, secret in made}
    assert len(secrets) == 3
    assert all(secret.startswith(PREFIX) and len(secret) == len(PREFIX) + 43 for secret in secrets)
    text = (tmp_path / FILE).read_text()
    for token, secret in made:
        assert secret not in text
        assert secret.removeprefix(PREFIX) not in text
        found = file.read().find(secret)
        assert found == token
        assert token.principal == Principal("alice", READ, token.id)
    assert file.read().find(made[0][0].sha256) is None


def test_the_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    TokenFile(tmp_path).create("alice", READ, never)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / FILE).parent.stat().st_mode & 0o777 == 0o700


def test_reading_makes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert len(TokenFile(home).read()) == 0
    assert not home.exists()


def test_what_another_process_changes_is_seen_at_once(tmp_path: Path) -> None:
    here, there = TokenFile(tmp_path), TokenFile(tmp_path)
    token, secret = there.create("alice", READ, never)
    assert here.read().find(secret) == token
    there.revoke(token.id)
    found = here.read().find(secret)
    assert found is not None
    assert not found.is_valid(NOW)


def test_revoking_by_name_ends_all_of_a_principal_and_nobody_else_s(tmp_path: Path) -> None:
    file = TokenFile(tmp_path)
    for name in ("alice", "alice", "bob"):
        file.create(name, READ, never)
    assert [each.name for each in file.revoke("alice")] == ["alice", "alice"]
    assert file.revoke("alice") == ()
    assert [each.name for each in file.read().all if each.revoked is None] == ["bob"]
    with pytest.raises(RegistryError, match="no token has the id"):
        file.revoke("carol")


def test_tokens_of_many_processes_are_all_kept(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "registry.cli.pif", "token", "create", "--json", "--home", str(tmp_path)]
    begun = [
        subprocess.Popen([*words, f"p{number}"], stdout=subprocess.PIPE, cwd=Path(__file__).parents[3])
        for number in range(6)
    ]
    secrets = [json.loads(each.communicate()[0])["token"] for each in begun]
    tokens = TokenFile(tmp_path).read()
    assert len(tokens) == 6
    assert all(tokens.find(secret) is not None for secret in secrets)


def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = TokenFile(tmp_path)
    _, secret = file.create("alice", READ, never)
    before = (tmp_path / FILE).read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RegistryError, match="cannot be written") as caught:
        file.revoke("alice")
    assert caught.value.kind == "store_error"
    monkeypatch.undo()
    assert (tmp_path / FILE).read_bytes() == before
    assert file.read().find(secret) is not None
    assert [each.name for each in (tmp_path / FILE).parent.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize(
    "damage", [b"", b"[]", b'{"tokens":[]', b'{"tokens":[],"format":9}', b"\xff", b'{"tokens":[],"x":1}']
)
def test_a_damaged_file_is_an_error_and_never_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    TokenFile(tmp_path).create("alice", READ, never)
    (tmp_path / FILE).write_bytes(damage)
    with pytest.raises(RegistryError, match="cannot be read"):
        TokenFile(tmp_path).read()
    with pytest.raises(RegistryError, match="cannot be read"):
        TokenFile(tmp_path).create("bob", READ, never)
    assert (tmp_path / FILE).read_bytes() == damage


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "Alice", "a.b", "ä", "a" * 33, "-a", "a\n", "a\x00", "1a"]
)
def test_a_principal_s_name_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(RegistryError) as caught:
        TokenFile(tmp_path).create(name, READ, never)
    assert caught.value.kind == "invalid_name"
    with pytest.raises(RegistryError):
        home_of(tmp_path, Principal(name, READ))
    assert not (tmp_path / FILE).exists()


def test_every_principal_has_a_directory_of_its_own_and_the_owner_the_home(tmp_path: Path) -> None:
    assert home_of(tmp_path, OWNER) == tmp_path
    assert home_of(tmp_path, Principal("owner", READ, "x")) == tmp_path
    homes = [home_of(tmp_path, Principal(name, READ)) for name in ("alice", "bob", "team", "std")]
    assert len(set(homes)) == 4
    assert all(each.parent == tmp_path / "principals" for each in homes)


def test_when_a_token_expires(tmp_path: Path) -> None:
    assert read_expiry("never")(NOW) is None
    assert read_expiry("90d")(NOW) == NOW + 90 * 86_400
    assert read_expiry("12h")(NOW) == NOW + 12 * 3_600
    assert moment_of(read_expiry("2099-01-31")(NOW) or 0) == "2099-01-31T00:00:00Z"
    assert moment_of(read_expiry("2099-01-31T12:00:00+02:00")(NOW) or 0) == "2099-01-31T10:00:00Z"
    for wrong in ("", "0d", "-1d", "90", "soon", "1y", "٣d"):
        with pytest.raises(RegistryError, match="no end of a token"):
            read_expiry(wrong)
    with pytest.raises(RegistryError, match="past"):
        read_expiry("2001-01-01")(NOW)
    token, _ = TokenFile(tmp_path, clock=lambda: NOW).create("alice", READ, read_expiry("1h"))
    assert token.is_valid(NOW + 3_599)
    assert not token.is_valid(NOW + 3_600)


def test_scopes_as_people_write_them() -> None:
    assert read_scopes("read, run") == {"read", "run"}
    assert read_scopes("all") == ALL_SCOPES
    for wrong in ("", "rum", "read,root", "READ"):
        with pytest.raises(RegistryError, match="scope"):
            read_scopes(wrong)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(tmp_path)]
    assert main(["token", "list", *home]) == 0
    assert "no tokens" in capsys.readouterr().out
    assert main(["token", "create", "alice", "--scopes", "read,run", "--expires", "90d", *home]) == 0
    shown = capsys.readouterr()
    secret = shown.out.strip()
    token = TokenFile(tmp_path).read().find(secret)
    assert token is not None
    assert token.scopes == ("read", "run")
    assert secret not in shown.err
    assert main(["token", "list", "--json", *home]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["tokens"]
    assert (listed["id"], listed["name"], listed["scopes"]) == (token.id, "alice", ["read", "run"])
    assert {"expires", "created"} <= set(listed)
    assert not {"sha256", "token"} & set(listed)
    assert main(["token", "revoke", token.id, *home]) == 0
    capsys.readouterr()
    assert main(["token", "list", *home]) == 0
    assert "revoked" in capsys.readouterr().out
    assert main(["token", "create", "alice", "--again", "--scopes", "rum", *home]) == 1
    assert "did you mean 'run'" in capsys.readouterr().err
    assert main(["token", "revoke", "nobody", "--json", *home]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["expected"] == "alice"


def test_a_name_that_somebody_had_is_not_given_to_another_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who gets a token of a name gets the tools, the sessions and the teams of who had it."""
    home = ["--home", str(tmp_path)]
    for words in (
        ["token", "create", "alice"],
        ["token", "create", "alice"],
        ["team", "create", "ops"],
        ["team", "add", "ops", "alice"],
    ):
        assert main([*words, *home]) == 0
    first, second = TokenFile(tmp_path).read().all
    assert main(["token", "revoke", first.id, *home]) == 0
    assert "still in the team ops" in capsys.readouterr().err
    assert main(["token", "create", "alice", *home]) == 0, "another token is alive: it is the same one"
    assert main(["token", "revoke", "alice", "--json", *home]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["teams"] == {"alice": ["ops"]}
    count = len(TokenFile(tmp_path).read())
    assert main(["token", "create", "alice", *home]) == 1
    assert "--again" in capsys.readouterr().err
    assert len(TokenFile(tmp_path).read()) == count
    assert main(["token", "create", "alicia", *home]) == 0
    assert main(["token", "create", "alice", "--again", *home]) == 0
    assert len(TokenFile(tmp_path).read()) == count + 2
    assert second.name == "alice"
