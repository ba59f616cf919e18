"""Jobs of running servers over one database: seen, told of and stopped from another; lost with their server, and only then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import psycopg
import pytest

from registry.errors import RegistryError
from registry.server.calls import recorded_jobs
from registry.server.calls.jobs import ClientJobs, Job, Jobs
from registry.server.contract.group import Answer, JobView
from registry.store.postgres.connections import PostgresRows
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.shared_state import job_board
from tests.support.databases import asked, new_schema
from tests.support.sabotage import kill, sabotage

Talk = Callable[[ClientJobs, ClientJobs], Awaitable[None]]

ANN, BOB = "principal ann", "principal bob"


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_jobs, "SEEN", 0.02)


def of(jobs: Jobs, client: str) -> ClientJobs:
    return ClientJobs(jobs, client, lambda work: work)


def two_servers(url: str, talk: Callable[[Jobs, Jobs], Awaitable[None]]) -> None:
    """Two servers over one database, with connections of their own."""

    async def main() -> None:
        stores = [PostgresStore(url, patience=1.0) for _ in range(2)]
        servers = [Jobs(board=job_board(store)) for store in stores]
        try:
            async with asyncio.timeout(60):
                await talk(servers[0], servers[1])
        finally:
            for jobs in servers:
                jobs.close()
            for store in stores:
                store.close()

    asyncio.run(main())


async def at_once(job: Job) -> Answer:
    return Answer({"type": "value", "of": job.client, "nul": "a\0b"}, "∀ done", rest="more")


async def never(job: Job) -> Answer:
    await job.note(3, 7, None)
    await asyncio.Event().wait()
    raise AssertionError


async def seen(jobs: ClientJobs, number: str, wanted: Callable[[JobView], bool]) -> JobView:
    while True:
        view = await jobs.find(number)
        if view is not None and wanted(view):
            return view
        await asyncio.sleep(0.01)


def test_a_job_is_told_of_and_answered_by_another_server(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        begun = await of(one, ANN).start("evaluate", "x = x", at_once)
        assert begun is not None
        there = await of(two, ANN).find(begun.id)  # written before its client heard of it
        assert there is not None
        done = await seen(of(two, ANN), begun.id, lambda view: view.status == "done")
        assert done.answer == await at_once(Job("", "", ANN))
        assert (done.kind, done.title) == ("evaluate", "x = x")
        running = await of(two, ANN).start("explore", "Group", never)
        assert running is not None
        view = await seen(of(one, ANN), running.id, lambda view: view.message == "3 of 7")
        assert view.status == "in_progress"
        for jobs in (one, two):
            assert {each.id for each in await of(jobs, ANN).all()} == {running.id, begun.id}

    two_servers(url, talk)


def test_a_job_is_stopped_from_another_server(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        begun = await of(one, ANN).start("explore", "x", never)
        assert begun is not None
        view = await of(two, ANN).cancel(begun.id)
        assert view is not None
        assert view.status == "cancelled"
        assert not one.has_running
        again = await of(two, ANN).cancel(begun.id)
        assert again is not None
        assert (again.status, again.id) == ("cancelled", begun.id)

    two_servers(url, talk)


def test_a_principals_job_is_its_own_on_every_server(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        begun = await of(one, ANN).start("explore", "x", never)
        assert begun is not None
        for server in (one, two):
            for client in (BOB, "session 1", ""):
                assert await of(server, client).find(begun.id) is None
                assert await of(server, client).cancel(begun.id) is None
                assert await of(server, client).all() == []
        assert one.has_running

    two_servers(url, talk)


def test_a_job_is_lost_with_its_server_and_only_then(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        begun = await of(one, ANN).start("explore", "x", never)
        assert begun is not None
        assert one.recorded is not None
        one.recorded.close()
        one.recorded = None  # as a server that is killed: it writes nothing more
        schema = url.rpartition("=")[2]
        asked(
            f"UPDATE {schema}.jobs SET seen = now() - interval '29 s', ended = NULL, status = 'in_progress'"
        )
        view = await of(two, ANN).find(begun.id)
        assert view is not None
        assert view.status == "in_progress"
        asked(
            f"UPDATE {schema}.jobs SET seen = now() - interval '31 s', ended = NULL, status = 'in_progress'"
        )
        view = await of(two, ANN).find(begun.id)
        assert view is not None
        assert view.answer is not None
        assert (view.status, view.answer.is_error) == ("done", True)
        assert "Begin the job again" in view.answer.text

    two_servers(url, talk)


def test_a_job_that_cannot_be_written_down_is_not_begun(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        schema = url.rpartition("=")[2]
        asked(f"ALTER TABLE {schema}.jobs RENAME TO gone")
        with pytest.raises(RegistryError):
            await of(one, ANN).start("explore", "x", never)
        assert [each for each in one.of(ANN) if each.status == "in_progress"] == []
        asked(f"ALTER TABLE {schema}.gone RENAME TO jobs")
        assert await of(two, ANN).all() == []

    two_servers(url, talk)


def test_an_answer_is_written_when_the_database_is_back(url: str) -> None:
    async def talk(one: Jobs, two: Jobs) -> None:
        go = asyncio.Event()

        async def later(job: Job) -> Answer:
            await go.wait()
            return Answer({"type": "value"}, "late")

        begun = await of(one, ANN).start("evaluate", "x", later)
        assert begun is not None
        schema = url.rpartition("=")[2]
        asked(f"ALTER TABLE {schema}.jobs RENAME TO gone")
        go.set()
        while one.has_running:
            await asyncio.sleep(0.01)
        here = await of(one, ANN).find(begun.id)
        assert here is not None
        assert here.status == "done"
        asked(f"ALTER TABLE {schema}.gone RENAME TO jobs")
        view = await seen(of(two, ANN), begun.id, lambda view: view.status == "done")
        assert view.answer is not None
        assert view.answer.text == "late"

    two_servers(url, talk)


def test_what_is_kept_is_bounded(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_jobs, "MOST", 3)
    monkeypatch.setattr(recorded_jobs, "LONGEST", 1_000)

    async def talk(one: Jobs, two: Jobs) -> None:
        for number in range(8):
            begun = await of(one, f"client {number}").start("evaluate", "x", at_once)
            assert begun is not None
            await seen(of(two, "anybody"), begun.id, lambda view: view.status == "done")
        schema = url.rpartition("=")[2]
        assert asked(f"SELECT count(*) FROM {schema}.jobs") == [(4,)]
        asked(f"UPDATE {schema}.jobs SET ended = now() - interval '2 h'")

        async def long(job: Job) -> Answer:
            return Answer({"type": "value", "value": "x" * 2_000}, "x" * 2_000)

        begun = await of(one, ANN).start("evaluate", "x", long)
        assert begun is not None
        view = await seen(of(two, ANN), begun.id, lambda view: view.status == "done")
        assert view.answer is not None
        assert view.answer.is_error
        assert asked(f"SELECT count(*) FROM {schema}.jobs") == [(1,)]

    two_servers(url, talk)


def test_the_connection_is_lost_at_every_step_and_what_was_written_is_there() -> None:
    def carry_out(store: PostgresStore) -> object:
        board = job_board(store)
        assert board is not None
        job = recorded_jobs.KeptJob(
            id="job-1", client=ANN, kind="k", title="t", status="in_progress", seconds=0.0, silent=0.0
        )
        board.begin(job, age=60.0, most=10)
        board.stop("job-1")
        wanted = board.see({"job-1": "half"})
        board.end("job-1", "done", "{}")
        board.end("job-1", "cancelled", None)
        found = board.find("job-1")
        assert found is not None
        return wanted, found.status, found.message, found.answer, [each.id for each in board.of(ANN)]

    with new_schema() as url:
        store = PostgresStore(url)
        with sabotage(10_000, kill) as statements:
            wanted = carry_out(store)
        store.close()
    assert wanted == (frozenset({"job-1"}), "done", "half", "{}", ["job-1"])
    for step in range(1, len(statements) + 1, 2):  # every other one: each change is the same transaction
        with new_schema() as url:
            store = PostgresStore(url)
            with sabotage(step, kill):
                assert (step, carry_out(store)) == (step, wanted)
            store.close()


def test_a_commit_that_nobody_answered_for_writes_a_job_once(url: str) -> None:
    store = PostgresStore(url)
    board = job_board(store)
    assert board is not None
    cut: list[str] = []

    def commit_and_cut(rows: PostgresRows, statement: str) -> None:
        if statement == "COMMIT" and not cut:
            cut.append(statement)
            rows._connection.execute("COMMIT")
            rows._connection.execute("SELECT 1").fetchone()
            kill(rows, statement)

    job = recorded_jobs.KeptJob(
        id="job-1", client=ANN, kind="k", title="t", status="in_progress", seconds=0.0, silent=0.0
    )
    with sabotage(1, commit_and_cut, times=10_000):
        board.begin(job, age=60.0, most=10)
    assert [each.id for each in board.of(ANN)] == ["job-1"]
    with pytest.raises((RegistryError, psycopg.Error)):
        board.begin(job, age=60.0, most=10)
    store.close()
