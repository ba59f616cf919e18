"""`pif pull`, `push` and `sync` with a running server; saved theories in a publication."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from registry.cli.kleis.commands import kleis
from registry.cli.pif import sharing_commands
from registry.errors import RegistryError
from tests.support.files.command_lines import Pif, answer
from tests.support.files.publications import Peer
from tests.support.servers.http_server import serving


def test_the_commands_with_a_token_in_a_file_or_the_environment(
    square: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Peer(tmp_path / "hub")
    hub.evolve("plain", {"lam": "x", "body": "plain"})
    secret = "s" * 40
    (tmp_path / "token").write_text(secret + "\n")
    monkeypatch.setenv("HUB", secret)
    with serving(hub.home, share="ops", token=secret) as server:
        to, file = ("--to", server.url), ("--token-file", tmp_path / "token")
        assert square("key", "create").exit_code == 0
        assert "let this caller in" in square("pull", "--from", server.url).stderr
        shown = square("pull", "--from", server.url, *file)
        assert "not trusted" in shown.stderr
        assert square("trust", "add", hub.key(), "--as", "hub").exit_code == 0
        listed = answer(square("pull", "--from", server.url, "--token-env", "HUB", "--json"))
        assert listed["tools"] == ["plain@1"]
        hub.trusts_key(answer(square("key", "show", "--json"))["key"])
        done = square("sync", "--with", server.url, "--namespace", "me", *file)
        assert done.exit_code == 0, done.output
        assert "plain@1  from ops, signed by hub" in done.stdout
        assert "square@1  is new there" in done.stdout
        for home, name in ((hub.home, "theirs"), (tmp_path / "home", "mine")):
            (home / "theories").mkdir(exist_ok=True)
            (home / "theories" / f"{name}.kleis").write_text(f"define {name}(n : ℤ) : ℤ = n\n")
        done = square("sync", "--with", server.url, "--namespace", "me", "--all-theories", *file)
        assert done.exit_code == 0, done.output
        assert "theirs  a theory from ops, signed by hub" in done.stdout
        assert "mine  a theory, is new there" in done.stdout
        none = answer(square("push", *to, "--namespace", "me", "--theory", "mine", *file, "--json"))
        assert (none["theories"], none["sent"]) == ([], 1)
        assert "nothing is new" in square("pull", "--from", server.url, "--all-theories", *file).stdout
        (hub.home / "theories" / "theirs.kleis").write_text("define theirs(n : ℤ) : ℤ = n + 1\n")
        (tmp_path / "home" / "theories" / "mine.kleis").write_text("define mine(n : ℤ) : ℤ = n + 1\n")
        done = square("sync", "--with", server.url, "--namespace", "me", "--all-theories", *file)
        assert done.exit_code == 0, done.output
        assert "theirs  a theory from ops, signed by hub" in done.stdout
        assert "mine  a theory, is new there" in done.stdout
        again = answer(square("push", "square", *to, "--namespace", "me", *file, "--json"))
        assert (again["added"], again["sent"]) == ([], 0)
        assert square("push", *to, "--namespace", "me", *file, "--token-env", "HUB").exit_code == 1
        assert "no token" in square("push", *to, "--namespace", "me", "--token-env", "NONE").stderr
    hub.close()


def test_what_came_stays_and_is_told_where_questions_are_refused(
    square: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Peer(tmp_path / "hub")
    hub.evolve("plain", {"lam": "x", "body": "plain"})
    assert square("key", "create").exit_code == 0
    assert square("trust", "add", hub.key(), "--as", "hub").exit_code == 0
    hub.trusts_key(answer(square("key", "show", "--json"))["key"])

    def refused(*given: object) -> None:
        raise RegistryError("store_error", "the source went away", found="nothing", hint="repeat the command")

    monkeypatch.setattr(sharing_commands, "pulled_questions", refused)
    with serving(hub.home, share="ops") as server:
        words = ("sync", "--with", server.url, "--namespace", "me", "--questions")
        done = square(*words, "--json")
        told = square(*words)
    assert done.exit_code == 1
    both = answer(done)
    assert both["pulled"]["added"] == ["plain@1"]
    assert both["pulled"]["ended"]["message"] == "the source went away"
    assert [*both["pushed"]["added"]] == ["square@1"]
    assert "it ended before all was done: the source went away" in told.stderr
    hub.close()


def test_certificates_of_questions_go_from_server_to_server(
    pif: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann pushes one to a server; Bob, who has another, syncs with it; a third registry pulls both from Bob's server."""
    homes = {name: tmp_path / name for name in ("hub", "ann", "bob", "carol")}
    keys = {
        name: answer(pif("--home", home, "key", "create", "--json"))["key"] for name, home in homes.items()
    }
    for here, there in (("hub", "ann"), ("hub", "bob"), ("bob", "hub"), ("carol", "bob")):
        assert pif("--home", homes[here], "trust", "add", keys[there], "--as", there).exit_code == 0
    claims = {"ann": "∀(x : ℤ). x + 0 = x", "bob": "∀(x : ℤ). x > 0"}
    for name, claim in claims.items():
        monkeypatch.setenv("PIF_HOME", str(homes[name]))
        file = tmp_path / f"{name}.json"
        CliRunner().invoke(kleis, ["verify", claim, "--certificate", str(file)])
        listed = pif("--home", homes[name], "publish", tmp_path / f"{name}.out", "--namespace", name,
                     "--certificate", file)  # fmt: skip
        assert listed.exit_code == 0, listed.output

    def repeated(*words: object) -> str:
        """The output of a command; a server that has no time at the moment says that it is to be repeated."""
        for _ in range(20):
            done = pif(*words)
            if done.exit_code == 0:
                return done.stdout
            assert "repeat the command" in done.stderr, done.output
        raise AssertionError("nothing came to an end in twenty times")

    def filed(name: str) -> int:
        return len([*(homes[name] / "certified").glob("*.json")])

    with serving(homes["hub"], share="ops", groups="pif,theory") as hub:
        to = ("--to", hub.url, "--namespace", "ann", "--questions")
        repeated("--home", homes["ann"], "push", *to)
        assert filed("hub") == 1
        assert repeated("--home", homes["ann"], "push", *to) == "nothing is new there\n"
        repeated("--home", homes["bob"], "sync", "--with", hub.url, "--namespace", "bob", "--questions")
        assert (filed("hub"), filed("bob")) == (2, 2)
    with serving(homes["bob"], share="ops", groups="pif,theory") as bob:
        pulled = answer(pif("--home", homes["carol"], "pull", "--questions", "--from", bob.url, "--json"))
        assert {each["claim"] for each in pulled["questions"]} == {*claims.values()}
        offered = pif("--home", homes["carol"], "pull", "--from", bob.url)
        assert offered.stdout == "2 certificates of questions\n"


def test_theories_are_published_and_pulled(square: Pif, tmp_path: Path) -> None:
    theirs, out = tmp_path / "theirs", tmp_path / "out"
    (theirs / "theories").mkdir(parents=True)
    (theirs / "theories" / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n + n\n")
    (theirs / "theories" / "more.kleis").write_text('import "twice.kleis"\n')
    key = answer(square("--home", theirs, "key", "create", "--json"))["key"]
    publish = ("--home", theirs, "publish", out, "--namespace", "ops")
    assert "there is no saved theory missing" in square(*publish, "--theory", "missing").stderr
    assert square(*publish, "--theory", "more", "--all-theories").exit_code == 2
    done = answer(square(*publish, "--theory", "more", "--json"))
    assert done["theories"] == ["more", "twice"]
    assert "ops/more" in (out / "index.html").read_text()

    assert square("trust", "add", key, "--as", "them").exit_code == 0
    assert "ops/more  a theory" in square("pull", "--from", out).stdout
    pulled = square("pull", "--theory", "ops/more", "--from", out)
    assert (
        pulled.stdout == "twice  a theory from ops, signed by them\nmore  a theory from ops, signed by them\n"
    )
    assert "nothing is new" in square("pull", "--theory", "more", "--from", out).stdout
    assert "there is no theory missing" in square("pull", "--theory", "missing", "--from", out).stderr
    (theirs / "theories" / "even.kleis").write_text(
        'import "twice"\nlemma even: ∀(n : ℤ). mod(twice(n), 2) = 0\n'
    )
    assert square(*publish, "--proofs").exit_code == 2
    assert "with 1 certificate in" in square(*publish, "--theory", "even", "--proofs").stdout
    assert "1 certificate of their lemmas" in square("pull", "--theory", "even", "--from", out).stdout
    (theirs / "theories" / "path.kleis").write_text('import "/etc/passwd.kleis"\n')
    (theirs / "theories" / "lost.kleis").write_text("define lost(n : ℤ) : ℤ = nowhere(n)\n")
    (theirs / "theories" / "twin.kleis").write_text('import "twice"\ndefine twice(n : ℤ) : ℤ = n\n')
    done = square(*publish, "--all-theories", "--proofs")
    assert done.exit_code == 1
    assert "5 saved theories" in done.stdout
    assert "path: a theory that is shared imports the library" in done.stderr
    assert square("pull", "square", "--theory", "more", "--from", out).exit_code == 2
    assert square("pull", "--all", "--theory", "more", "--from", out).exit_code == 2


def test_tools_that_cannot_be_shared_keep_the_others_back_no_more(square: Pif, tmp_path: Path) -> None:
    home, out = Peer(tmp_path / "theirs"), tmp_path / "out"
    home.evolve("plain", {"lam": "x", "body": "plain"})
    home.evolve("calls_team", {"lam": "x", "body": {"app": ["team/ops/gone", {"var": "x"}]}})
    home.evolve("calls_it", {"lam": "x", "body": {"app": ["calls_team", {"var": "x"}]}})
    home.evolve("calls_that", {"lam": "x", "body": {"app": ["calls_it", {"var": "x"}]}})
    home.key()
    home.close()
    publish = ("--home", tmp_path / "theirs", "publish", out, "--namespace", "ops", "--json")
    done = square(*publish)
    assert done.exit_code == 1, done.output
    told = answer(done)
    assert told["tools"] == 1
    assert [(each["root"], each.get("found")) for each in told["refused"]] == [
        ("calls_it", "calls_team"),
        ("calls_team", "team/ops/gone"),
        ("calls_that", "calls_it"),
    ]
    written = b"".join(each.read_bytes() for each in out.rglob("*") if each.is_file())
    assert b"plain" in written
    assert b"calls_" not in written
    assert square(*publish, "calls_that").exit_code == 1
    assert square(*publish, "plain").exit_code == 0


def test_certificates_of_questions_are_published_offered_and_pulled(square: Pif, tmp_path: Path) -> None:
    theirs, out, file = tmp_path / "theirs", tmp_path / "out", tmp_path / "one.json"
    assert (
        CliRunner().invoke(kleis, ["verify", "∀(x : ℤ). x + 1 > x", "--certificate", str(file)]).exit_code
        == 0
    )
    key = answer(square("--home", theirs, "key", "create", "--json"))["key"]
    publish = ("--home", theirs, "publish", out, "--namespace", "ops")
    assert "cannot be shared" in square(*publish, "--certificate", out).stderr
    assert "1 certificate of questions in" in square(*publish, "--certificate", file).stdout
    assert answer(square(*publish, "--proofs", "--json"))["questions"] == 1
    assert "questions" not in answer(square(*publish, "--json"))

    assert square("trust", "add", key, "--as", "them").exit_code == 0
    assert square("pull", "square", "--questions", "--from", out).exit_code == 2
    with serving(theirs, share="ops", groups="pif,theory") as server:
        assert "1 certificate of questions" in square("pull", "--from", server.url).stdout
        pulled = square("pull", "--questions", "--from", server.url)
        assert pulled.stdout.startswith("verified  ∀(x : ℤ). x + 1 > x"), pulled.output
        assert "nothing is new" in square("pull", "--questions", "--from", server.url).stdout
    assert square(*publish, "--proofs").exit_code == 0
    assert "nothing is new" in square("pull", "--questions", "--from", out).stdout
