"""What is promised of jobs of Aristotle, on both storages: files of a home and rows of a database."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from registry.aristotle.job_requests import JobRequest, prove_job
from registry.aristotle.job_rows import job_storage
from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import Job, JobStorage, Ordered
from registry.aristotle.service import AristotleService, Run
from registry.aristotle.stand_in import StandIn
from registry.errors import RegistryError
from registry.store.open_store import open_store
from registry.store.postgres.postgres_store import PostgresStore
from tests.support.databases import asked, new_schema
from tests.support.sabotage import kill, sabotage
from tests.support.servers.lean_jobs import CODE, Clock, ended

Opened = Callable[[], JobStorage]


@pytest.fixture(params=["files", "rows"])
def jobs_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens the one storage of a test, as often as there are machines."""
    with ExitStack() as ending:
        url = ending.enter_context(new_schema()) if request.param == "rows" else ""

        def opened() -> JobStorage:
            store = open_store(tmp_path, url)
            ending.callback(store.close)
            return job_storage(tmp_path, store)

        yield opened


def ordered(text: str = CODE, created: float = 0.0) -> Ordered:
    return prove_job(JobRequest("mock", "", created), text, {"Context.lean": "-- \0 ∀\n"}, "")


def test_a_job_comes_back_as_it_was_written(jobs_of: Opened) -> None:
    here, there = jobs_of(), jobs_of()
    wanted = ordered()
    job = here.begin(wanted)
    assert there.get(job.id) == job == wanted.job
    assert there.submission(job) == wanted.submission
    changed = there.put(msgspec.structs.replace(job, stage="running", project="p", percent=40))
    assert here.get(job.id) == changed
    assert here.get("mock-" + 32 * "0") is None
    assert here.get("../../etc/passwd") is None


def test_all_jobs_the_newest_first(jobs_of: Opened) -> None:
    here, there = jobs_of(), jobs_of()
    made = [
        each.begin(ordered(created=created)) for each, created in ((here, 2.0), (there, 3.0), (here, 1.0))
    ]
    assert there.all() == sorted(made, key=lambda job: -job.created)


def test_one_holds_the_lock_of_a_job(jobs_of: Opened) -> None:
    here, there = jobs_of(), jobs_of()
    job = here.begin(ordered())
    with here.lock(job.id) as mine:
        assert mine
        for other in (there, here):
            with other.lock(job.id) as theirs:
                assert not theirs
        with there.lock(ordered().job.id) as another:
            assert another
        assert here.put(msgspec.structs.replace(job, percent=1)) == here.get(job.id)
    with there.lock(job.id) as freed:
        assert freed


def test_machines_that_look_at_once_submit_once(jobs_of: Opened) -> None:
    """Six look at one job at a time: the service has it once, and everybody ends with the same outcome."""
    service = StandIn()
    storages = [jobs_of(), jobs_of()]
    clock = Clock()
    job = JobRunner(storages[0], service, now=clock).open(
        prove_job(JobRequest("stand-in", "", 0.0), CODE, {}, "")
    )
    barrier = threading.Barrier(6)

    def look(who: int) -> None:
        barrier.wait()
        runner = JobRunner(storages[who % 2], service, now=clock)
        for _ in range(4):
            runner.advance(job)

    threads = [threading.Thread(target=look, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = [ended(JobRunner(each, service, now=clock), clock, job) for each in storages]
    assert done[0] == done[1]
    assert done[0].outcome is not None
    assert len(service.submissions) == 1


# ── Rows alone ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def url() -> Iterator[str]:
    with new_schema() as made:
        yield made


def opened(url: str, ending: ExitStack) -> JobStorage:
    store = PostgresStore(url)
    ending.callback(store.close)
    return job_storage(Path("/nowhere"), store)


class Slow:
    """A service that somebody else acts behind while it is asked."""

    mode = "stand-in"
    interval = 1.0
    retry_after_s = 1

    def __init__(self, service: StandIn, behind: Callable[[], None]) -> None:
        self._service = service
        self._behind = behind

    def look(self, project: str) -> Run:
        """The run, after what happens behind."""
        found = self._service.look(project)
        self._behind()
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._service, name)


def test_who_lost_the_lock_writes_nothing(url: str) -> None:
    """The connection that holds a job's lock is cut while the service is asked; another machine takes the job to its end.
    The first then must not write over it what it had seen."""
    service, clock = StandIn(), Clock()
    with ExitStack() as ending:
        here, there = opened(url, ending), opened(url, ending)
        job = JobRunner(here, service, now=clock).open(
            prove_job(JobRequest("stand-in", "", 0.0), CODE, {}, "")
        )
        finished: list[Job] = []

        def behind() -> None:
            asked(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
                " AND classid = 1346979413 AND objsubid = 2"
            )
            finished.append(ended(JobRunner(there, service, now=clock), clock, job))

        slow: AristotleService = Slow(service, behind)  # type: ignore[assignment]
        with pytest.raises(RegistryError, match="whether it was kept is not known") as refused:
            JobRunner(here, slow, now=clock).advance(job)
        assert "ask for the job again" in str(refused.value.hint)
        assert finished[0].outcome is not None
        assert here.get(job.id) == there.get(job.id) == finished[0]


def test_the_connection_is_lost_at_every_step_and_no_job_is_lost_or_doubled() -> None:
    step, ended_whole = 0, False
    while not ended_whole:
        step += 1
        service, clock = StandIn(), Clock()
        with new_schema() as url, ExitStack() as ending:
            storage = opened(url, ending)
            wanted = prove_job(JobRequest("stand-in", "", 0.0), CODE, {}, "")
            with sabotage(step, kill) as statements:
                try:
                    JobRunner(storage, service, now=clock).open(wanted)
                except RegistryError as error:
                    assert error.kind == "store_error"
            ended_whole = len(statements) < step
            job = storage.get(wanted.job.id)
            if job is None:
                assert service.submissions == []
                continue
            job = ended(JobRunner(storage, service, now=clock), clock, job)
            assert job.outcome is not None
            assert len(service.submissions) == 1
    assert step > 5


def test_a_record_under_another_id_is_refused(url: str) -> None:
    """Somebody who may write to the database puts one job's outcome under the id of another."""
    with ExitStack() as ending:
        storage = opened(url, ending)
        one, two = storage.begin(ordered()), storage.begin(ordered())
        schema = url.rpartition("=")[2]
        asked(
            f"UPDATE {schema}.lean_jobs SET record = (SELECT record FROM {schema}.lean_jobs WHERE id = %s) WHERE id = %s",
            one.id,
            two.id,
        )
        with pytest.raises(RegistryError, match="is damaged"):
            storage.get(two.id)
