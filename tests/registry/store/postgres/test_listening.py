"""Changes in a database, told as they happen: nothing is missed, whatever becomes of the connection that listens."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from registry.server.calls.recorded_jobs import RecordedJobs
from registry.store.job_board import KeptJob
from registry.store.postgres.listening import CHANNEL
from registry.store.postgres.postgres_store import PostgresStore
from registry.store.shared_state import job_board
from registry.teams.team_stores import TeamStores
from tests.support.cluster import new_cluster, why_no_cluster
from tests.support.databases import asked, new_schema
from tests.support.servers.raw_client import PATIENCE
from tests.support.stores import evolve

LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = %s AND application_name = %s"
)


class Seen:
    """What one follower knows: the number of the last event at its last look, and a look at every notice."""

    def __init__(self, store: PostgresStore) -> None:
        self.store = store
        self.told = threading.Semaphore(0)
        self.following = store.follow(self.told.release)

    def until(self, sequence: int) -> None:
        """Look when told, and never otherwise, until that event is seen."""
        while self.store.snapshot().sequence < sequence:
            assert self.told.acquire(timeout=PATIENCE), f"nobody told of event {sequence}"


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:  # the name gives a test a listening connection that no other test has
        yield f"{made}&application_name={made.partition('schema=')[2]}"


def stores(url: str, count: int, ending: ExitStack) -> list[PostgresStore]:
    found = [PostgresStore(url) for _ in range(count)]
    for each in found:
        ending.callback(each.close)
    return found


def test_every_change_of_another_is_told_and_one_of_another_schema_is_not(url: str) -> None:
    with ExitStack() as ending, new_schema() as foreign:
        one, two = stores(url, 2, ending)
        own = url.partition("&")[2]
        [stranger] = stores(f"{foreign}&{own}", 1, ending)
        seen, apart = Seen(two), Seen(stranger)
        ending.callback(seen.following.close)
        ending.callback(apart.following.close)
        seen.until(0)
        assert apart.told.acquire(timeout=PATIENCE)  # the connection is there
        for number in range(20):
            evolve(one, f"tool_{number}", "1")
            seen.until(number + 1)
        one.forget("tool_1")
        seen.until(21)
        evolve(stranger, "own", "1")
        assert apart.told.acquire(timeout=PATIENCE)
        evolve(
            one, "last", "1"
        )  # notices come in the order of commits: one of the others' would have come before
        seen.until(22)
        assert not apart.told.acquire(blocking=False)


def test_a_change_that_was_undone_is_not_told(url: str) -> None:
    with ExitStack() as ending:
        one, two = stores(url, 2, ending)
        seen = Seen(two)
        ending.callback(seen.following.close)
        seen.until(0)
        assert seen.told.acquire(timeout=PATIENCE)
        with pytest.raises(ZeroDivisionError):
            one.transactions.run(lambda rows: rows.execute("SELECT 1").fetchone()[0] / 0)
        one.transactions.run(lambda rows: rows.execute("SELECT 1"), is_told=False)
        evolve(one, "tool", "1")
        assert seen.told.acquire(timeout=PATIENCE)
        evolve(two, "another", "1")
        assert seen.told.acquire(timeout=PATIENCE)
        assert not seen.told.acquire(blocking=False)


def test_a_killed_listener_misses_nothing(url: str) -> None:
    """Its backend is killed again and again while another store writes."""
    with ExitStack() as ending:
        one, two = stores(url, 2, ending)
        seen = Seen(two)
        ending.callback(seen.following.close)
        seen.until(0)
        for number in range(8):
            asked(LISTENERS, f"LISTEN {CHANNEL}", url.partition("application_name=")[2])
            evolve(one, f"tool_{number}", "1")
            seen.until(number + 1)


def test_followers_of_one_database_share_a_connection_and_the_last_one_ends_it(url: str) -> None:
    with ExitStack() as ending:
        one, two = stores(url, 2, ending)
        first, second = one.follow(lambda: None), two.follow(lambda: None)
        running = [each for each in threading.enumerate() if each.name == "changes in the database"]
        assert len(running) == 1
        first.close()
        first.close()
        assert running[0].is_alive()
        second.close()
        running[0].join(PATIENCE)
        assert not running[0].is_alive()


def test_a_team_s_change_is_told_and_seen_at_once(tmp_path: Path, url: str) -> None:
    here, there = TeamStores(tmp_path / "a", url), TeamStores(tmp_path / "b", url)
    told = threading.Semaphore(0)
    following = here.follow(told.release)
    team = here.of("ops")
    try:
        while not following.is_live:
            assert told.acquire(timeout=PATIENCE)
        assert team.last_change() == 0
        evolve(there.of("ops"), "team/ops/square", "1")
        while team.last_change() == 0:
            assert told.acquire(timeout=PATIENCE)
        following.close()
        assert here.is_live
    finally:
        here.close()
        there.close()
        asked(f"DROP SCHEMA IF EXISTS {url.partition('schema=')[2].partition('&')[0]}__0ops CASCADE")


def test_a_job_on_another_machine_is_stopped_when_it_is_told_of(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server of the job would look for wishes in an hour; it is told."""
    monkeypatch.setattr("registry.server.calls.recorded_jobs.SEEN", 3_600.0)

    class Job:
        id, client, kind, title, message = "job-1", "", "prove", "a claim", ""
        answer = None
        is_cancelled = False
        task: asyncio.Task[None] | None = None

    with ExitStack() as ending:
        one, two = stores(url, 2, ending)

        async def talk() -> None:
            boards = [job_board(one), job_board(two)]
            assert None not in boards
            here, there = (RecordedJobs(each, 3_600, lambda one, other: True) for each in boards if each)
            job = Job()

            async def work() -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    job.is_cancelled = True
                    ended.append(asyncio.ensure_future(here.ended(job)))

            ended: list[asyncio.Future[None]] = []
            job.task = asyncio.create_task(work())
            await here.begun(job)
            stopped = await there.cancel("job-1", "")
            assert stopped is not None
            assert stopped.status == "cancelled"
            await asyncio.gather(*ended)
            here.close()
            there.close()

        asyncio.run(asyncio.wait_for(talk(), PATIENCE))
        assert isinstance(two.connections.ask(lambda rows: rows.execute("SELECT 1").fetchone()), tuple)
        kept = job_board(two)
        assert kept is not None
        assert isinstance(kept.find("job-1"), KeptJob)


def test_a_restarted_server_misses_nothing() -> None:
    if reason := why_no_cluster():
        pytest.skip(reason)
    with new_cluster() as cluster, ExitStack() as ending:
        one, two = (PostgresStore(cluster.url, patience=60) for _ in range(2))
        ending.callback(one.close)
        ending.callback(two.close)
        seen = Seen(two)
        ending.callback(seen.following.close)
        evolve(one, "before", "1")
        seen.until(1)
        cluster.stop(signal.SIGINT)
        while seen.following.is_live:
            continue
        cluster.start()
        evolve(one, "after", "1")
        while not seen.following.is_live:  # the connection is there again, and says so
            assert seen.told.acquire(timeout=PATIENCE)
        assert seen.told.acquire(blocking=False) or two.snapshot().sequence == 2
        evolve(one, "later", "1")
        seen.until(3)
