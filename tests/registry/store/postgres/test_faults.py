"""Connections that are lost, transactions that are undone, statements that take too long: what returned has been written,
what raised has changed nothing, unless it says that this is not known.

`sabotage` stands between the store and the driver. It counts the statements of an operation and does something before the
n-th of them, so that every step of every operation is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from registry.errors import RegistryError
from registry.records import certificate_hash, content_hash
from registry.store.postgres.connections import ATTEMPTS, PostgresRows
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.protocol import Lineage
from tests.support.databases import new_schema
from tests.support.sabotage import kill, sabotage
from tests.support.stores import evolve


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = PostgresStore(url, patience=8.0)
    yield opened
    opened.close()


def prepared(store: PostgresStore) -> None:
    for code in "123":
        evolve(store, "f", code)
    evolve(store, "g", "7")


def _lineage(store: PostgresStore) -> Lineage:
    record = evolve(store, "model", '"x"', dry_run=True).record
    return Lineage("new", 1, (type(record)(**{**_fields(record), "name": "new", "version": 1}),))


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


LAWS = '[{"law":"x = x","status":"untested"}]'

OPERATIONS: dict[str, Callable[[PostgresStore], Any]] = {
    "evolve": lambda store: evolve(store, "f", "4", certificates={certificate_hash("c"): "c"}).record.version,
    "describe": lambda store: (
        store.evolve(
            "f", code="3", hash=content_hash("3"), description="new", capabilities=[], laws=LAWS
        ).outcome
    ),
    "rollback": lambda store: store.rollback("f", 1).version,
    "forget": lambda store: store.forget("f").versions,
    "adopt": lambda store: store.adopt([_lineage(store)])[0].added,
    "keep_laws": lambda store: store.keep_laws(_current(store, "f"), LAWS),
    "dry run": lambda store: evolve(store, "f", "4", dry_run=True).record.version,
    "page": lambda store: [record.name for record in store.page("says")[1]],
    "history": lambda store: len(store.history("f")),
    "record": lambda store: _current(store, "g").code,
    "namings": lambda store: store.namings(lambda looked_at: None),
    "check": lambda store: store.check(),
}


def _current(store: PostgresStore, name: str) -> Any:
    record = store.snapshot().record(name)
    assert record is not None
    return record


def tables(store: PostgresStore) -> list[Any]:
    """What is stored, without the times."""
    statements = (
        "SELECT sequence, name, kind, version, current, description FROM events ORDER BY sequence",
        "SELECT name, version, hash, evolved, forgotten FROM versions ORDER BY name, version",
        "SELECT * FROM heads ORDER BY name",
        "SELECT * FROM laws ORDER BY name, version, since",
        "SELECT hash FROM certificates ORDER BY hash",
    )
    return [
        store.connections.ask(lambda rows, each=each: rows.execute(each).fetchall()) for each in statements
    ]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_connection_is_lost_at_every_step_and_the_operation_happens_once(operation: str) -> None:
    act = OPERATIONS[operation]
    with new_schema() as url:
        whole = PostgresStore(url)
        prepared(whole)
        with sabotage(10_000, kill) as statements:
            wanted = act(whole)
        after = tables(whole)
        whole.close()
    assert statements
    for step in range(1, len(statements) + 1):
        with new_schema() as url:
            store = PostgresStore(url)
            prepared(store)
            with sabotage(step, kill):
                found = act(store)

            assert (step, found) == (step, wanted)
            assert (step, tables(store)) == (step, after)
            assert store.check() == ()
            store.close()


def test_a_commit_that_was_done_and_not_answered_is_found_done(store: PostgresStore) -> None:
    """The connection is cut just after the database has committed: the change must not be made a second time."""
    prepared(store)

    def commit_and_cut(rows: PostgresRows, statement: str) -> None:
        if statement == "COMMIT":
            rows._connection.execute("COMMIT")
            rows._connection.execute("SELECT 1").fetchone()
            kill(rows, statement)

    with sabotage(1, commit_and_cut, times=10_000):
        made = evolve(store, "f", "4").record.version

    assert made == 4
    assert [event.version for event in store.history("f")] == [1, 2, 3, 4]
    assert evolve(store, "f", "4").outcome == "unchanged"


def test_a_commit_whose_end_nobody_can_tell_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore(url, patience=0.5)
    prepared(store)

    def cut_for_good(rows: PostgresRows, statement: str) -> None:
        if statement == "COMMIT":
            kill(rows, statement)

            def nobody(timeout: float | None = None) -> Any:
                raise psycopg.OperationalError("no route to host")

            monkeypatch.setattr(store.connections, "one", nobody)

    with sabotage(1, cut_for_good, times=10_000), pytest.raises(RegistryError) as refused:
        evolve(store, "f", "4")
    monkeypatch.undo()

    assert refused.value.kind == "store_error"
    assert "whether it was kept is not known" in refused.value.message
    assert "read the tool back" in str(refused.value.hint)
    store.close()


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_transaction_undone_for_others_is_begun_again_and_not_for_ever(
    store: PostgresStore, code: str
) -> None:
    prepared(store)
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = '{code}'; END $$"

    def undo(rows: PostgresRows, statement: str) -> None:
        if "INSERT INTO versions" in statement:
            rows._connection.execute(raising)

    with sabotage(1, undo, times=10_000) as statements, pytest.raises(RegistryError) as refused:
        evolve(store, "f", "4")
    assert statements.count("BEGIN ISOLATION LEVEL READ COMMITTED") == ATTEMPTS
    assert "again and again" in refused.value.message
    assert "nothing was changed" in refused.value.message
    assert _current(store, "f").version == 3

    raised = []

    def undo_twice(rows: PostgresRows, statement: str) -> None:
        if "INSERT INTO versions" in statement and len(raised) < 2:
            raised.append(statement)
            rows._connection.execute(raising)

    with sabotage(1, undo_twice, times=10_000):
        assert evolve(store, "f", "4").record.version == 4
    assert len(raised) == 2


def test_a_statement_that_takes_too_long_is_stopped_and_nothing_is_changed(url: str) -> None:
    store = PostgresStore(url + "&options=-c%20statement_timeout%3D100ms")
    prepared(store)

    def sleep(rows: PostgresRows, statement: str) -> None:
        if "INSERT INTO versions" in statement or "FROM heads WHERE" in statement:
            rows._connection.execute("SELECT pg_sleep(5)")

    for question in (lambda: evolve(store, "f", "4"), lambda: store.page("says")):
        with sabotage(1, sleep, times=10_000), pytest.raises(RegistryError, match="took too long") as refused:
            question()
        assert refused.value.kind == "store_error"
        assert "statement_timeout" in str(refused.value.hint)
    assert _current(store, "f").version == 3
    assert evolve(store, "f", "4").record.version == 4
    store.close()


def test_a_writer_waits_for_others_and_gives_up_with_a_reason(url: str) -> None:
    patient, busy = PostgresStore(url, patience=0.2), PostgresStore(url)
    evolve(patient, "f", "1")

    def refused(rows: Any) -> None:
        with pytest.raises(RegistryError, match="another process has been writing") as error:
            evolve(patient, "f", "2")
        assert error.value.kind == "store_error"
        assert patient.snapshot().record("f", 1) is not None  # readers wait for nobody
        assert patient.page()[0] == 1

    busy.transactions.run(refused)
    assert evolve(patient, "f", "2").record.version == 2
    patient.close()
    busy.close()


def test_a_change_that_is_interrupted_leaves_nothing_and_frees_the_lock(store: PostgresStore) -> None:
    prepared(store)
    before = tables(store)

    def interrupted(change: Any) -> None:
        change.forget("f", None)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store._write(interrupted)

    assert tables(store) == before
    assert evolve(store, "f", "4").record.version == 4
