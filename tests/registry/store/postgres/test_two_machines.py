"""Two servers with two homes and one database: each sees what was submitted, undone, loaded and saved on the other, in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.sessions import SessionError, Sessions, open_sessions
from registry.store.open_store import url_of
from registry.store.postgres.connections import ATTEMPTS, PostgresRows
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.shared_state import session_rows
from registry.store.sql.rows import Rows
from tests.support.databases import asked, new_schema
from tests.support.sabotage import kill, sabotage

PRELUDE = ("stdlib/prelude.kleis",)


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.close()


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


@pytest.fixture
def machine(url: str, broker: Broker, tmp_path: Path) -> Iterator[Callable[..., Sessions]]:
    stores: list[PostgresStore] = []

    def opened(name: str, at: str = "") -> Sessions:
        store = PostgresStore(at or url)
        stores.append(store)
        rows = session_rows(store, tmp_path / name)
        assert rows is not None
        return open_sessions(tmp_path / name, environment={}, broker=broker, storage=rows, saved=rows.copies)

    yield opened
    for store in stores:
        store.close()


def submit(sessions: Sessions, name: str, session: str = "s") -> int:
    """Submit a function of that name; how many submissions there are then."""
    checked, universe = sessions.submit(session, f"define {name}(x : ℤ) : ℤ = x", "define", Deadline(60))
    assert checked.grown is not None, checked
    return universe.count


def names(sessions: Sessions, session: str = "s") -> list[str]:
    return [name for item in sessions.universe(session).items() for name in item.functions]


def test_what_is_done_on_one_is_seen_on_the_other(machine: Callable[..., Sessions]) -> None:
    one, two = machine("a"), machine("b")
    assert submit(one, "f") == 1
    assert names(two) == ["f"]
    assert submit(two, "g") == 2
    assert submit(one, "h") == 3
    assert names(one) == names(two) == names(machine("c")) == ["f", "g", "h"]

    item, _ = two.undo("s", Deadline(60))
    assert item.functions == ("h",)
    assert names(one) == ["f", "g"]
    item, _ = one.undo("s", Deadline(60))
    assert item.functions == ("g",)
    assert names(two) == ["f"]

    two.load("s", PRELUDE, Deadline(60))
    assert names(one) == []
    assert one.names() == ["s"]
    assert [name for name, _ in two.records()] == ["s"]
    assert one.text("s") == two.text("s")


def test_the_row_is_the_text_that_a_file_would_be(
    machine: Callable[..., Sessions], url: str, broker: Broker, tmp_path: Path
) -> None:
    rows, files = machine("a"), open_sessions(tmp_path / "files", environment={}, broker=broker)
    for each in (rows, files):
        submit(each, "f")
        submit(each, "g")
    schema = url.rpartition("=")[2]
    assert asked(f"SELECT body FROM {schema}.sessions WHERE name = 's'") == [(files.text("s"),)]
    assert Path(files.place("s")).read_text() == rows.text("s")
    assert not (tmp_path / "a" / "sessions").exists()


def test_both_submit_at_once_and_nothing_is_lost(machine: Callable[..., Sessions]) -> None:
    machines = [machine("a"), machine("b")]
    barrier = threading.Barrier(4)

    def work(who: int) -> None:
        barrier.wait()
        for number in range(4):
            submit(machines[who % 2], f"f{who}_{number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    found = names(machines[0])
    assert found == names(machines[1])
    assert sorted(found) == sorted(f"f{who}_{number}" for who in range(4) for number in range(4))
    for who in range(4):  # of each in the order in which it was submitted
        assert [each for each in found if each.startswith(f"f{who}_")] == [f"f{who}_{n}" for n in range(4)]


def test_a_session_imports_what_was_saved_on_the_other(machine: Callable[..., Sessions]) -> None:
    one, two = machine("a"), machine("b")
    submit(one, "f")
    one.save("s", "mine", overwrite=False)
    two.load("t", (*PRELUDE, "mine.kleis"), Deadline(60))
    submit(two, "g", "t")
    third = machine("c")  # opens the session without having saved anything
    assert third.universe("t").theory.definitions.keys() >= {"f", "g"}
    one.load("s", PRELUDE, Deadline(60))
    submit(one, "h")
    one.save("s", "mine", overwrite=True)
    assert third.universe("t").stale
    assert two.universe("t").stale


def test_a_saved_theory_that_is_not_there_yet_is_written_before_its_session(
    machine: Callable[..., Sessions],
) -> None:
    """A server that opened before anything was saved sees the session and its import together."""
    one, two = machine("a"), machine("b")
    assert names(two) == []
    submit(one, "f")
    one.save("s", "mine", overwrite=False)
    one.load("s", (*PRELUDE, "mine.kleis"), Deadline(60))
    assert "f" in two.universe("s").theory.definitions


def test_principals_have_sessions_of_their_own(machine: Callable[..., Sessions], url: str) -> None:
    """Who is another principal sees none, names none and changes none."""
    mine, theirs = machine("a"), machine("b", url_of(url, "mallory"))
    submit(mine, "f")
    mine.save("s", "mine", overwrite=False)
    assert (theirs.names(), names(theirs), theirs.text("s"), theirs.saved("mine")) == ([], [], None, False)
    theirs.load("s", PRELUDE, Deadline(60))
    submit(theirs, "g")
    theirs.save("s", "mine", overwrite=False)
    assert names(mine) == ["f"]
    assert machine("c").storage.saved("mine")
    asked(f"DROP SCHEMA {url.rpartition('=')[2]}__mallory CASCADE")


# ── Attacks of somebody who may write to the database ────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["../../evil", "..", "a/b", "/tmp/evil", ".hidden", "x" * 65])
def test_the_name_of_a_saved_theory_leads_nowhere_else(
    machine: Callable[..., Sessions], url: str, tmp_path: Path, name: str
) -> None:
    one = machine("a")
    schema = url.rpartition("=")[2]
    asked(
        f"INSERT INTO {schema}.theories (name, number, body, digest)"
        " VALUES (%s, 7, 'x', encode(sha256('x'), 'hex'))",
        name,
    )
    one.storage.update_saved()
    submit(one, "f")
    one.save("s", "mine", overwrite=False)
    found = [path.name for path in tmp_path.rglob("*") if path.suffix == ".kleis" or "evil" in path.name]
    assert found == ["mine.kleis"]


def test_a_text_that_was_changed_behind_its_digest_is_refused(
    machine: Callable[..., Sessions], url: str
) -> None:
    one = machine("a")
    submit(one, "f")
    schema = url.rpartition("=")[2]
    asked(f"UPDATE {schema}.sessions SET body = body || ' ', revision = 'other'")
    with pytest.raises(SessionError) as refused:
        one.universe("s")
    assert refused.value.code == "session-broken"
    with closing(PostgresStore(url)) as store:
        assert store.check() == ("the text of the session s is not the one that was written",)
    one.load("s", PRELUDE, Deadline(60))
    assert names(one) == []


# ── Connections that are lost ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("act", ["submit", "undo", "load", "save"])
def test_the_connection_is_lost_at_every_step_and_the_change_happens_once(
    act: str, broker: Broker, tmp_path: Path
) -> None:
    def prepared(url: str, number: int) -> tuple[PostgresStore, Sessions]:
        store = PostgresStore(url)
        rows = session_rows(store, tmp_path / f"home {number}")
        assert rows is not None
        made = open_sessions(
            tmp_path / f"home {number}", environment={}, broker=broker, storage=rows, saved=rows.copies
        )
        submit(made, "f")
        made.save("s", "old", overwrite=False)
        return store, made

    def carry_out(sessions: Sessions) -> object:
        match act:
            case "submit":
                return submit(sessions, "g")
            case "undo":
                return sessions.undo("s", Deadline(60))[0].functions
            case "load":
                return sessions.load("s", (*PRELUDE, "old.kleis"), Deadline(60))[0].status
            case _:
                return sessions.save("s", "new", overwrite=False).name

    def state(store: PostgresStore) -> list[object]:
        questions = (
            "SELECT name, body FROM sessions",
            "SELECT name, number, body FROM theories ORDER BY name",
        )

        def answers(rows: Rows) -> list[object]:
            return [rows.execute(each).fetchall() for each in questions]

        return store.connections.ask(answers)

    with new_schema() as url:
        store, sessions = prepared(url, 0)
        with closing(store), sabotage(10_000, kill) as statements:
            wanted = carry_out(sessions)
        steps = len(statements)
        again = PostgresStore(url)
        after = state(again)
        again.close()
    assert steps > 5
    for step in range(1, steps + 1):
        with new_schema() as url:
            store, sessions = prepared(url, step)
            with closing(store):
                with sabotage(step, kill):
                    found = carry_out(sessions)
                assert (step, found, state(store)) == (step, wanted, after)


def test_a_database_that_is_away_is_an_error_that_says_so(
    machine: Callable[..., Sessions], monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    one = machine("a")
    submit(one, "f")

    def nobody(timeout: float | None = None) -> None:
        raise psycopg.OperationalError("no route to host")

    assert hasattr(one.storage, "_connections")
    connections = one.storage._connections
    monkeypatch.setattr(connections, "one", nobody)
    monkeypatch.setattr(connections, "patience", 0.2)
    questions: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: one.universe("s"), "session-unreadable"),
        (lambda: one.storage.replace("s", b""), "session-unwritable"),
    )
    for question, code in questions:
        with pytest.raises(SessionError, match="does not answer; nothing was changed") as refused:
            question()
        assert refused.value.code == code
    monkeypatch.undo()
    assert names(one) == ["f"]


def test_a_disk_that_is_full_is_an_error_and_nothing_is_kept(
    machine: Callable[..., Sessions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error that PostgreSQL gives for a full disk (53100), in the place of each write."""
    one = machine("a")
    submit(one, "f")
    raising = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"

    def full(rows: object, statement: str) -> None:
        if "INSERT INTO sessions" in statement:
            rows._connection.execute(raising)  # type: ignore[attr-defined]

    with (
        sabotage(1, full, times=10_000),
        pytest.raises(SessionError, match="disk of the database is full") as refused,
    ):
        submit(one, "g")
    assert refused.value.code == "session-unwritable"
    assert "nothing was changed" in refused.value.message
    assert names(one) == names(machine("b")) == ["f"]
    assert submit(one, "g") == 2


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_submission_undone_for_others_is_begun_again_and_not_for_ever(
    machine: Callable[..., Sessions], code: str
) -> None:
    one = machine("a")
    submit(one, "f")
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = '{code}'; END $$"
    left = [2]

    def undo(rows: PostgresRows, statement: str) -> None:
        if "INSERT INTO sessions" in statement and left[0]:
            left[0] -= 1
            rows._connection.execute(raising)

    with sabotage(1, undo, times=10_000):
        assert submit(one, "g") == 2
    left[0] = 10_000
    with (
        sabotage(1, undo, times=10_000) as statements,
        pytest.raises(SessionError, match="again and again for the sake of others; nothing was changed"),
    ):
        submit(one, "h")
    assert statements.count("BEGIN ISOLATION LEVEL READ COMMITTED") == ATTEMPTS
    assert names(machine("b")) == ["f", "g"]


def test_a_statement_that_takes_too_long_is_stopped_and_nothing_is_kept(
    machine: Callable[..., Sessions], url: str
) -> None:
    one = machine("a", url + "&options=-c%20statement_timeout%3D100ms")
    submit(one, "f")

    def sleep(rows: PostgresRows, statement: str) -> None:
        if "INSERT INTO sessions" in statement:
            rows._connection.execute("SELECT pg_sleep(5)")

    with sabotage(1, sleep, times=10_000), pytest.raises(SessionError, match="took too long") as refused:
        submit(one, "g")
    assert refused.value.code == "session-unwritable"
    assert names(one) == names(machine("b")) == ["f"]
    assert submit(one, "g") == 2


def test_who_waits_for_another_writer_for_too_long_is_told_so(
    machine: Callable[..., Sessions], url: str, broker: Broker, tmp_path: Path
) -> None:
    busy, patient = PostgresStore(url), PostgresStore(url, patience=0.3)
    rows = session_rows(patient, tmp_path / "a")
    assert rows is not None
    one = open_sessions(tmp_path / "a", environment={}, broker=broker, storage=rows, saved=rows.copies)

    def refused(held: Rows) -> None:
        with pytest.raises(SessionError, match="another process has been writing") as error:
            submit(one, "f")
        assert error.value.code == "session-busy"
        assert names(one) == []  # readers wait for nobody

    busy.transactions.run(refused)
    assert submit(one, "f") == 1
    busy.close()
    patient.close()
