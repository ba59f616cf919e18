"""URLs, passwords, migrations, and databases that are refused."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from kleis.sessions import SessionError
from registry.aristotle.job_requests import JobRequest, prove_job
from registry.aristotle.job_rows import job_storage
from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.open_store import find_url
from registry.store.postgres.address import is_address, read_address, without_password
from registry.store.postgres.connections import connect
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.postgres.tables import MIGRATIONS, prepare
from registry.store.shared_state import session_rows
from tests.support.databases import SERVER, asked, new_schema


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@db/tools", "postgresql://me@db/tools"),
        ("postgresql://me:s3%40cret@a,b:5433/tools?schema=x", "postgresql://me@a,b:5433/tools?schema=x"),
        ("postgresql://db/tools?password=s3cret&user=me", "postgresql://db/tools?user=me"),
        ("postgres://me:a:b@[::1]/tools", "postgres://me@[::1]/tools"),
        ("postgresql://me:s3cret@[bad/tools", "postgresql://…"),
    ],
)
def test_a_password_is_never_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_errors_hide_the_password() -> None:
    for url in (
        "postgresql://nobody:s3cret@127.0.0.1:9/tools",
        "postgresql://nobody:s3cret@127.0.0.1/tools?s3cret=s3cret",
        "postgresql://nobody:s3cret@[bad/tools",
    ):
        with pytest.raises(RegistryError) as refused:
            PostgresStore(url, patience=0.2)
        assert "s3cret@" not in f"{refused.value} {refused.value.as_json()}"


@pytest.mark.parametrize("schema", ["", "Public", "pg_toast", "a;b", 'a"b', "x" * 64])
def test_schemas_that_cannot_be_named(schema: str) -> None:
    with pytest.raises(RegistryError) as refused:
        read_address(f"postgresql://db/tools?schema={schema}", patience=1)
    assert (refused.value.kind, refused.value.place) == ("invalid_argument", "--store")


def test_what_is_a_url() -> None:
    assert [is_address(text) for text in ("postgresql://x", "Postgres://x", "./postgresql", "mysql://x")] == [
        True,
        True,
        False,
        False,
    ]
    assert find_url("postgresql://a", {"PIF_STORE": "postgresql://b"}) == "postgresql://a"
    assert find_url(None, {"PIF_STORE": "postgresql://b"}) == "postgresql://b"
    assert find_url(None, {}) == ""
    with pytest.raises(RegistryError, match="does not start with postgresql"):
        read_address("mysql://db", patience=1)


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(RegistryError) as refused:
        read_address("postgresql://db/tools", patience=1)
    assert "pif-kleis[postgres]" in str(refused.value.hint)


def test_migrations_are_applied_once_and_all_or_none() -> None:
    good = ("ALTER TABLE heads ADD COLUMN stars INTEGER NOT NULL DEFAULT 0",)
    columns = "SELECT column_name::text FROM information_schema.columns WHERE table_schema = %s AND table_name = 'heads'"
    with new_schema() as url:
        address = read_address(url, patience=5)
        with closing(PostgresStore(url)) as store:
            store.evolve("f", code="1", hash=content_hash("1"), description="", capabilities=[])
        with closing(connect(address)) as raw:
            with pytest.raises(psycopg.errors.SyntaxError):
                prepare(raw, address.schema, address.shown, [*MIGRATIONS, good, ("NO SUCH STATEMENT",)])
            assert ("stars",) not in asked(columns, address.schema)
            prepare(raw, address.schema, address.shown, [*MIGRATIONS, good])
            prepare(raw, address.schema, address.shown, [*MIGRATIONS, good])
            assert raw.execute("SELECT name, stars FROM heads").fetchall() == [("f", 0)]
            assert raw.execute("SELECT number FROM migrations ORDER BY 1").fetchall() == [
                (number,) for number in range(1, len(MIGRATIONS) + 2)
            ]


def test_programs_that_start_at_once_migrate_once() -> None:
    with new_schema() as url, ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda number: PostgresStore(url), range(6)))
        steps = stores[0].connections.ask(
            lambda rows: rows.execute("SELECT number FROM migrations").fetchall()
        )
        for store in stores:
            store.close()
    assert steps == [(number,) for number in range(1, len(MIGRATIONS) + 1)]


def test_a_newer_schema_is_refused_when_it_is_opened_and_when_it_is_written() -> None:
    with new_schema() as url:
        schema = read_address(url, patience=1).schema
        store = PostgresStore(url)
        asked(f"INSERT INTO {schema}.migrations (number, program) VALUES ({len(MIGRATIONS) + 1}, 'later')")
        with pytest.raises(RegistryError, match="newer version of this program; nothing was changed"):
            store.evolve("f", code="1", hash=content_hash("1"), description="", capabilities=[])
        assert store.snapshot().names() == ()
        store.close()
        for read_only in (False, True):
            with pytest.raises(RegistryError, match="newer version of this program") as refused:
                PostgresStore(url, read_only=read_only)
            assert refused.value.found == f"schema {len(MIGRATIONS) + 1}"


def test_a_schema_of_another_program_is_refused_and_left_alone() -> None:
    with new_schema() as url:
        schema = read_address(url, patience=1).schema
        asked(f"CREATE SCHEMA {schema}")
        asked(f"CREATE TABLE {schema}.bookmarks (url TEXT)")
        with pytest.raises(RegistryError, match="some other program") as refused:
            PostgresStore(url)
        assert refused.value.found == "bookmarks"
        assert asked(
            "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace(%s)", schema
        ) == [("bookmarks",)]


def test_reading_makes_nothing() -> None:
    with new_schema() as url:
        with pytest.raises(RegistryError, match="there is no store to read"):
            PostgresStore(url, read_only=True)
        assert asked("SELECT to_regnamespace(%s)", schema_of(url)) == [(None,)]


def schema_of(url: str) -> str:
    return read_address(url, patience=1).schema


def test_a_server_that_is_not_there_is_an_error_that_says_so() -> None:
    with pytest.raises(RegistryError, match="does not answer; nothing was changed") as refused:
        PostgresStore("postgresql://postgres@127.0.0.1:9/test", patience=0.2)
    assert refused.value.kind == "store_error"


def test_a_database_that_is_not_there_is_an_error_that_says_so() -> None:
    with new_schema():  # skips where no server answers
        base = SERVER.rpartition("/")[0]
        with pytest.raises(RegistryError) as refused:
            PostgresStore(f"{base}/pif_no_such_database")
        assert "pif_no_such_database" in f"{refused.value.found}"


def test_a_schema_of_before_gets_its_further_tables_and_keeps_its_tools() -> None:
    with new_schema() as url:
        address = read_address(url, patience=5)
        with closing(connect(address)) as raw:
            prepare(raw, address.schema, address.shown, MIGRATIONS[:1])
            raw.execute(
                "INSERT INTO events (sequence, name, kind, version, current, moment) VALUES (1, 'f', 'evolve', 1, 1, '')"
            )
        with pytest.raises(RegistryError, match="older version of this program"):
            PostgresStore(url, read_only=True)
        with closing(PostgresStore(url)) as store:
            sessions = session_rows(store, Path("/nowhere"))
            assert sessions is not None
            assert sessions.replace("s", b"") is not None
            assert store.snapshot().sequence == 1


def test_what_may_only_be_read_takes_no_submission(tmp_path: Path) -> None:
    with new_schema() as url:
        with closing(PostgresStore(url)) as store:
            rows = session_rows(store, tmp_path)
            assert rows is not None
            rows.replace("s", b"text")
        with closing(PostgresStore(url, read_only=True)) as store:
            rows = session_rows(store, tmp_path)
            assert rows is not None
            read = rows.read("s")
            assert read is not None
            assert read[0] == b"text"
            with pytest.raises(SessionError, match="can only be read; nothing was changed") as refused:
                rows.replace("s", b"other")
            assert refused.value.code == "session-unwritable"
            jobs = job_storage(tmp_path, store)
            job = prove_job(JobRequest("mock", "", 0.0), "theorem t : True := by sorry", {}, "")
            with jobs.lock(job.job.id), pytest.raises(RegistryError, match="can only be read"):
                jobs.begin(job)
            assert jobs.all() == []
