"""`pif migrate-store`: a copy that answers as the original does, both ways, or nothing at all."""

from __future__ import annotations

import json
import secrets
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from registry.cli.pif.commands import pif
from registry.cli.pif.stores_beside import stores_beside
from registry.errors import RegistryError
from registry.records import certificate_hash
from registry.store import migrate
from registry.store.migrate import migrate_store
from registry.store.open_store import open_store
from registry.store.postgres.address import of_principal, of_team
from registry.store.sql import copying
from registry.store.sqlite.traces import FILE_NAME
from tests.support.databases import asked, new_schema
from tests.support.stores import next_version

NAMES = ("f", "g", "odd", "gone")
CERTIFICATE = '{"certificate": "é"}'


def filled(place: str) -> None:
    """Tools with versions, laws, certificates, odd texts, forgotten and erased ones."""
    with closing(open_store(Path(place), place if "://" in place else "")) as store:
        for code in "123":
            next_version(
                store,
                "f",
                code,
                f"says {code}",
                capabilities=["eval"],
                examples=f'[{{"input":{code},"output":1}}]',
            )
        store.rollback("f", 1)
        store.forget("f", 2)
        laws = f'[{{"law":"x = x","status":"proved","certificate":"{certificate_hash(CERTIFICATE)}"}}]'
        next_version(store, "g", "[1]", laws=laws, certificates={certificate_hash(CERTIFICATE): CERTIFICATE})
        next_version(
            store, "odd", '"odd"', "null \0 and \ufdd0 and \ufdd1\ufdd0 'quotes' \U0001f600", python="x = 1\n"
        )
        next_version(store, "gone", "7")
        store.forget("gone")


def shown(place: str) -> Any:
    """Everything that a store answers."""
    with closing(open_store(Path(place), place if "://" in place else "")) as store:
        snapshot = store.snapshot()
        assert store.check() == ()
        return (
            snapshot.sequence,
            snapshot.names(),
            [snapshot.lineage(name) for name in NAMES],
            [store.history(name) for name in NAMES],
            store.certificate(certificate_hash(CERTIFICATE)),
            store.page("says"),
            store.recent(9),
        )


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


def test_there_and_back_again(url: str, tmp_path: Path) -> None:
    here, back = str(tmp_path / "here"), str(tmp_path / "back")
    filled(here)
    before = shown(here)
    there = migrate_store(here, url)
    again = migrate_store(url, back)

    assert shown(url) == before
    assert shown(back) == before
    assert shown(here) == before
    assert there.rows == again.rows
    assert there.rows["versions"] == 6
    assert there.rows["certificates"] == 1
    for place in (url, back):
        with closing(open_store(Path(place), url if place == url else "")) as store:
            assert next_version(store, "gone", "8") == 2  # a number that was given out stays given out
            assert next_version(store, "f", "9") == 4
            store.forget("g")


def test_the_command_prints_the_counts(url: str, tmp_path: Path) -> None:
    filled(str(tmp_path / "here"))
    done = CliRunner().invoke(pif, ["--json", "migrate-store", str(tmp_path / "here"), url])
    answer = json.loads(done.stdout)
    listed = CliRunner().invoke(pif, ["--store", url, "--json", "list"])
    told = CliRunner().invoke(pif, ["migrate-store", url, str(tmp_path / "back")])
    refused = CliRunner().invoke(pif, ["--json", "migrate-store", str(tmp_path / "here"), url])

    assert (done.exit_code, answer["type"], answer["rows"]["versions"]) == (0, "migrated", 6)
    assert [tool["name"] for tool in json.loads(listed.stdout)["tools"]] == ["f", "g", "odd"]
    assert "versions            6" in told.stdout
    assert (refused.exit_code, json.loads(refused.stdout)["error"]["kind"]) == (1, "invalid_argument")


@pytest.fixture
def short(url: str) -> Iterator[str]:
    """The URL of a schema whose name leaves room for those of principals, which go with it."""
    schema = f"m{secrets.token_hex(3)}"
    yield url.replace(url.partition("schema=")[2], schema)
    for (name,) in asked("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s)", schema):
        asked(f'DROP SCHEMA "{name}" CASCADE')


ELSEWHERE = "oauth.https_3a_2f_2fa_2eorg.alice_40x_2eorg"


def test_the_stores_of_principals_and_teams_are_named_and_each_command_copies_one(
    short: str, tmp_path: Path
) -> None:
    here, back = tmp_path / "here", tmp_path / "back"
    others = ("principals/alice-b", f"principals/{ELSEWHERE}", "teams/ops")
    for home in (here, *(here / other for other in others)):
        filled(str(home))
    (here / "principals" / "idle" / "verdicts").mkdir(parents=True)
    ran: list[list[str]] = []

    def copied(source: str, target: str) -> None:
        done = CliRunner().invoke(pif, ["--home", str(here), "migrate-store", source, target])
        assert done.exit_code == 0, done.output
        ran.append([source, target])
        for line in done.stdout.splitlines():
            if line.startswith("  pif migrate-store "):
                copied(*shlex.split(line)[2:])

    copied(str(here), short)
    assert [source for source, _ in ran] == [str(here), *(str(here / other) for other in others)]
    assert [target for _, target in ran[1:]] == [
        of_principal(short, "alice-b"), of_principal(short, ELSEWHERE), of_team(short, "ops")
    ]  # fmt: skip
    copied(short, str(back))
    assert sorted(ran[5:]) == sorted(
        [target, source.replace("/here", "/back")] for source, target in ran[1:4]
    )
    for other in others:
        assert shown(str(back / other)) == shown(str(here / other))


def test_what_is_beside_a_database_is_told_without_passwords_and_leads_nowhere(
    short: str, tmp_path: Path
) -> None:
    filled(str(tmp_path / "here"))
    migrate_store(str(tmp_path / "here"), short)
    secret = f"{short}&sslpassword=hunter2"
    migrate_store(str(tmp_path / "here"), of_principal(short, ELSEWHERE))
    schema = short.partition("schema=")[2]
    asked(f'CREATE SCHEMA "{schema}__../../evil"')
    asked(f'CREATE SCHEMA "{schema}__0"')
    found = stores_beside(secret, str(tmp_path / "back"), tmp_path)
    again = stores_beside(str(tmp_path / "here"), secret, tmp_path)
    assert [(each.source, each.target) for each in found] == [(of_principal(short, ELSEWHERE), "")]
    assert again == []


def test_targets_that_are_not_empty_are_refused_and_left_alone(url: str, tmp_path: Path) -> None:
    here, other = tmp_path / "here", tmp_path / "other"
    filled(str(here))
    migrate_store(str(here), url)
    before = shown(url)
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    for source, target in ((str(here), url), (url, str(other)), (url, str(here)), (url, url)):
        with pytest.raises(RegistryError, match="not empty; nothing was changed") as refused:
            migrate_store(source, target)
        assert refused.value.place == "TO"

    assert shown(url) == before
    assert [path.name for path in other.iterdir()] == ["letter.txt"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "other"]


def test_a_source_that_is_not_there(url: str, tmp_path: Path) -> None:
    for source, target in ((str(tmp_path / "none"), url), (url, str(tmp_path / "target"))):
        with pytest.raises(RegistryError, match="there is no store to read"):
            migrate_store(source, target)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("table", ["content", "certificates"])
def test_a_hash_that_is_wrong_stops_it_and_nothing_is_kept(table: str, url: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    filled(str(here))
    column = {"content": "code", "certificates": "certificate"}[table]
    with closing(sqlite3.connect(here / FILE_NAME)) as raw, raw:
        raw.execute(f"UPDATE {table} SET {column} = {column} || ' '")
    for target in (url, str(tmp_path / "there")):
        with pytest.raises(RegistryError, match="has another hash") as refused:
            migrate_store(str(here), target)
        assert refused.value.kind == "store_error"

    with closing(open_store(tmp_path, url)) as store:
        assert store.snapshot().sequence == 0
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("table", copying.TABLES)
def test_whatever_stops_it_leaves_nothing(
    table: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped after each of the tables; then it is done again, and is whole."""
    filled(str(tmp_path / "here"))
    plain = copying._compare

    def stopped(compared: str, *arguments: Any) -> None:
        if compared == table:
            raise KeyboardInterrupt
        plain(compared, *arguments)

    for target in (url, str(tmp_path / "there")):
        with monkeypatch.context() as patch:
            patch.setattr(copying, "_compare", stopped)
            with pytest.raises(KeyboardInterrupt):
                migrate_store(str(tmp_path / "here"), target)
        assert [path.name for path in tmp_path.iterdir()] == ["here"]
        with closing(open_store(tmp_path / "here", url)) as store:
            assert store.snapshot().sequence == 0 or target != url
        migrate_store(str(tmp_path / "here"), target)
        assert shown(target) == shown(str(tmp_path / "here"))


def test_a_copy_that_is_not_what_was_read_is_not_kept(url: str, tmp_path: Path) -> None:
    filled(str(tmp_path / "here"))
    with closing(open_store(tmp_path, url)):
        schema = url.partition("schema=")[2]
        asked(
            f"CREATE FUNCTION {schema}.meddle() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN NEW.description := 'other'; RETURN NEW; END $$"
        )
        asked(
            f"CREATE TRIGGER meddle BEFORE INSERT ON {schema}.events FOR EACH ROW EXECUTE FUNCTION {schema}.meddle()"
        )
        with pytest.raises(RegistryError, match="the copy of the table events is not what was read"):
            migrate.migrate_store(str(tmp_path / "here"), url)
    with closing(open_store(tmp_path, url)) as store:
        assert store.snapshot().sequence == 0


# ── Sessions, jobs, certificates ─────────────────────────────────────────────────────────────────────────────

SESSION = '//@ session {"version":1,"imports":[],"basis":"x"}\n∀ NUL \0 \ufdd0'
JOB = "mock-" + 32 * "a"
QUESTION = 64 * "d"
RECORD = '{"id":"' + JOB + '","created":1.5}'
FILES = {
    "sessions/default/session.kleis": SESSION,
    "sessions/groups/session.kleis": "",
    "theories/mine.kleis": "// mine\n",
    f"aristotle/jobs/{JOB}.json": RECORD,
    f"aristotle/jobs/{JOB}.order": '{"key":"k"}',
    f"certified/{QUESTION}.json": '{"certificate":"{}","attempts":[["z3","proved",7]]}',
}


def with_state(home: Path, files: dict[str, str] = FILES) -> str:
    """A home with tools, and files of every kind."""
    filled(str(home))
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, newline="")
    return str(home)


def files_of(home: Path) -> dict[str, str]:
    found = (path for path in home.rglob("*") if path.suffix in (".kleis", ".json", ".order"))
    return {str(path.relative_to(home)): path.read_bytes().decode() for path in found}


def test_sessions_jobs_and_certificates_come_along_both_ways(url: str, tmp_path: Path) -> None:
    here = with_state(tmp_path / "here")
    there = migrate_store(here, url)
    schema = url.partition("schema=")[2]
    assert asked(f"SELECT body FROM {schema}.sessions WHERE name = 'groups'") == [("",)]
    for target in (str(tmp_path / "back"), str(tmp_path / "beside")):
        source = url if target.endswith("back") else here
        again = migrate_store(source, target)
        assert there.rows == again.rows
        assert files_of(Path(target)) == FILES
        assert shown(target) == shown(here)
    assert {name: there.rows[name] for name in ("sessions", "theories", "lean_jobs", "certified_verdicts")} == {
        "sessions": 2, "theories": 1, "lean_jobs": 1, "certified_verdicts": 1,
    }  # fmt: skip
    with new_schema() as other:
        assert migrate_store(url, other).rows == there.rows
        with pytest.raises(RegistryError, match="not empty; nothing was changed"):
            migrate_store(url, other)


def test_a_database_with_sessions_alone_is_not_empty(url: str, tmp_path: Path) -> None:
    here = with_state(tmp_path / "here")
    open_store(tmp_path, url).close()
    schema = url.partition("schema=")[2]
    asked(f"INSERT INTO {schema}.sessions (name, revision, body, digest) VALUES ('s', 'r', '', 'd')")
    with pytest.raises(RegistryError, match="not empty; nothing was changed"):
        migrate_store(here, url)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sessions SET body = body || ' ' WHERE name = 'default'",
        "UPDATE theories SET digest = '0'",
        "UPDATE certified_verdicts SET certificate = 'other'",
        "UPDATE certified_verdicts SET attempts = '['",
        "UPDATE certified_verdicts SET question = '../../evil'",
        "UPDATE sessions SET name = '../../evil' WHERE name = 'groups'",
        "UPDATE theories SET name = '../evil'",
        "UPDATE lean_jobs SET id = '../evil'",
        "UPDATE lean_jobs SET record = '{}'",
    ],
)
def test_a_database_that_lies_is_not_copied(url: str, tmp_path: Path, statement: str) -> None:
    migrate_store(with_state(tmp_path / "here"), url)
    schema = url.partition("schema=")[2]
    asked(statement.replace("UPDATE ", f"UPDATE {schema}."))
    with pytest.raises(RegistryError) as refused:
        migrate_store(url, str(tmp_path / "back"))
    assert refused.value.kind == "store_error"
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert not list(tmp_path.parent.glob("evil*"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (f"aristotle/jobs/{JOB}.json", "{"),
        (f"aristotle/jobs/mock-{32 * 'b'}.json", RECORD),
        (f"certified/{QUESTION}.json", "{}"),
        (f"certified/{QUESTION}.json", "{"),
        ("certified/short.json", '{"certificate":"{}"}'),
        ("theories/a b.kleis", ""),
    ],
)
def test_a_file_that_is_none_of_ours_stops_it(url: str, tmp_path: Path, name: str, text: str) -> None:
    here = with_state(tmp_path / "here", FILES | {name: text})
    for target in (url, str(tmp_path / "there")):
        with pytest.raises(RegistryError) as refused:
            migrate_store(here, target)
        assert refused.value.kind == "store_error"
    assert not (tmp_path / "there").exists()
    with closing(open_store(tmp_path, url)) as store:
        assert store.snapshot().sequence == 0


@pytest.mark.parametrize("table", ["sessions", "theories", "lean_jobs", "certified_verdicts"])
def test_a_copy_of_a_text_that_is_not_what_was_read_is_not_kept(url: str, tmp_path: Path, table: str) -> None:
    open_store(tmp_path, url).close()
    schema = url.partition("schema=")[2]
    column = {
        "sessions": "body",
        "theories": "body",
        "lean_jobs": "submission",
        "certified_verdicts": "attempts",
    }
    value = "[]" if table == "certified_verdicts" else "other"
    asked(
        f"CREATE FUNCTION {schema}.meddle() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN NEW.{column[table]} := '{value}'; RETURN NEW; END $$"
    )
    asked(
        f"CREATE TRIGGER meddle BEFORE INSERT ON {schema}.{table} FOR EACH ROW EXECUTE FUNCTION {schema}.meddle()"
    )
    with pytest.raises(RegistryError, match=r"not what was read|not the one that was written"):
        migrate_store(with_state(tmp_path / "here"), url)
    assert asked(f"SELECT count(*) FROM {schema}.sessions") == [(0,)]
