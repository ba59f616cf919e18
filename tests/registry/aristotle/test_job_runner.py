"""Jobs against a service that fails: whatever goes wrong, the record on disk is right and no job is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.aristotle.job_requests import JobRequest, prove_job
from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import Job, JobStore, Ordered
from registry.aristotle.service import AristotleService, Run, ServiceFailure
from registry.aristotle.stand_in import Ending, Fault, HttpService, Operation, Script, StandIn
from registry.errors import RegistryError
from tests.support.servers.lean_jobs import CODE, OUTCOMES, Clock, ended
from tests.support.servers.stand_in_server import serving


def new_job(service: AristotleService, code: str = CODE) -> Ordered:
    return prove_job(JobRequest(service.mode, "", 0.0), code, {}, "")


@contextmanager
def reached(over_http: bool) -> Iterator[tuple[StandIn, AristotleService]]:
    stand_in = StandIn()
    if not over_http:
        yield stand_in, stand_in
        return
    with serving(stand_in) as (origin, _):
        yield stand_in, HttpService(origin, "a-key")


@pytest.mark.parametrize("over_http", [False, True])
@pytest.mark.parametrize("ending", get_args(Ending))
def test_every_ending(tmp_path: Path, ending: Ending, over_http: bool) -> None:
    clock = Clock()
    with reached(over_http) as (stand_in, service):
        stand_in.scripts.append(Script(ending))
        runner = JobRunner(JobStore(tmp_path), service, now=clock)
        job = ended(runner, clock, runner.open(new_job(service)))
        assert job.outcome is not None
        assert job.outcome.status == OUTCOMES[ending]
        assert JobStore(tmp_path).get(job.id) == job
        assert runner.advance(job) == job


FAULTS = [fault for fault in get_args(Fault) if fault != "refused"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", ["submit", "look", "fetch", "findings"])
def test_every_failure_leaves_the_job_where_it_is(tmp_path: Path, operation: Operation, fault: Fault) -> None:
    clock = Clock()
    with reached(True) as (stand_in, service):
        stand_in.faults.append((operation, fault))
        runner = JobRunner(JobStore(tmp_path), service, now=clock)
        job = runner.open(new_job(service))
        seen = [job]
        while not job.trouble:
            job = runner.advance(job)
            seen.append(job)
        assert job.outcome is None
        assert job.stage == ("waiting" if operation == "submit" else "running")
        if fault in ("rate_limited", "run_limit"):
            assert job.not_before == clock.time + 2, "the service's own Retry-After counts"
            calls = len(stand_in.submissions)
            assert runner.advance(job) == job, "before its time the service is not asked"
            assert len(stand_in.submissions) == calls
        job = ended(runner, clock, job)
        assert job.outcome is not None
        assert job.outcome.status == "proved"
        assert len(stand_in.submissions) == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(["submit", "find", "look", "fetch", "findings"]), st.sampled_from(FAULTS)),
        max_size=8,
    ),
    st.sampled_from(get_args(Ending)),
    st.lists(st.booleans(), max_size=10),
)
@settings(max_examples=40)
def test_no_sequence_of_failures_loses_or_doubles_a_job(
    tmp_path_factory: pytest.TempPathFactory,
    faults: Sequence[tuple[Operation, Fault]],
    ending: Ending,
    restarts: Sequence[bool],
) -> None:
    home, clock, stand_in = tmp_path_factory.mktemp("home"), Clock(), StandIn()
    stand_in.scripts.append(Script(ending, looks=1))
    stand_in.faults.extend(faults)
    job = JobRunner(JobStore(home), stand_in, now=clock).open(new_job(stand_in))
    for restart in restarts:
        if restart:
            found = JobStore(home).get(job.id)
            assert found is not None
            job = found
        clock.time += 120
        job = JobRunner(JobStore(home), stand_in, now=clock).advance(job)
    job = ended(JobRunner(JobStore(home), stand_in, now=clock), clock, job)
    assert job.outcome is not None
    assert job.outcome.status == OUTCOMES[ending]
    assert [each.key for each in stand_in.submissions] == [job.id]


def test_what_the_service_refuses_is_an_error(tmp_path: Path) -> None:
    with reached(True) as (stand_in, service):
        stand_in.faults.append(("submit", "refused"))
        job = JobRunner(JobStore(tmp_path), service).open(new_job(service))
        assert job.outcome is not None
        assert (job.outcome.status, job.outcome.refusal) == ("error", "refused")


def test_a_project_that_is_gone_is_an_error(tmp_path: Path) -> None:
    stand_in = StandIn()
    job = JobRunner(JobStore(tmp_path), stand_in).open(new_job(stand_in))
    job = JobRunner(JobStore(tmp_path), StandIn()).advance(job)
    assert job.outcome is not None
    assert (job.outcome.status, job.outcome.refusal) == ("error", "not_found")


def test_nobody_there(tmp_path: Path) -> None:
    with serving(StandIn()) as (origin, _):
        pass
    service = HttpService(origin, "")
    job = JobRunner(JobStore(tmp_path), service).open(new_job(service))
    assert (job.stage, job.trouble, job.attempted) == ("waiting", "connection", False)


def test_an_unknown_status_is_no_end(tmp_path: Path) -> None:
    stand_in = StandIn()
    stand_in.scripts.append(Script("proved", looks=1, raw="DREAMING"))
    runner = JobRunner(JobStore(tmp_path), stand_in)
    job = runner.advance(runner.open(new_job(stand_in)))
    assert (job.stage, job.last, job.raw, job.percent) == ("running", "unknown", "DREAMING", None)
    assert runner.advance(job).stage == "done"


def test_cancelling_in_every_stage(tmp_path: Path) -> None:
    clock, stand_in = Clock(), StandIn()
    runner = JobRunner(JobStore(tmp_path), stand_in, now=clock)
    stand_in.faults.append(("submit", "rate_limited"))
    waiting = runner.cancel(runner.open(new_job(stand_in)))
    assert waiting.outcome is not None
    assert stand_in.submissions == []
    stand_in.faults.append(("submit", "drop_after"))
    lost = runner.cancel(runner.open(new_job(stand_in)))
    assert lost.outcome is not None
    assert (lost.outcome.message, len(stand_in.submissions)) == ("the run was cancelled", 1)
    stand_in.faults.append(("cancel", "drop"))
    running = runner.open(new_job(stand_in))
    refused = runner.cancel(running)
    assert (refused.stage, refused.trouble) == ("running", "connection")
    clock.time += 120
    again = runner.cancel(refused)
    assert again.outcome is not None
    assert again.outcome.status == "failed"


def test_two_processes_do_not_step_on_a_job_at_once(tmp_path: Path) -> None:
    inside, go = threading.Event(), threading.Event()

    class Slow(StandIn):
        def look(self, project: str) -> Run:
            inside.set()
            go.wait(30)
            return super().look(project)

    slow = Slow()
    slow.scripts.append(Script("proved", looks=0))
    job = JobRunner(JobStore(tmp_path), slow).open(new_job(slow))
    thread = threading.Thread(target=JobRunner(JobStore(tmp_path), slow).advance, args=(job,))
    thread.start()
    assert inside.wait(30)
    assert JobRunner(JobStore(tmp_path), slow).advance(job) == job
    go.set()
    thread.join()
    after = JobStore(tmp_path).get(job.id)
    assert after is not None
    assert (job.stage, after.stage) == ("running", "done")


@pytest.mark.parametrize(("looks", "stage"), [(3, "done"), (1_000, "running")])
def test_waiting_ends_with_the_job_or_in_time(tmp_path: Path, looks: int, stage: str) -> None:
    clock, stand_in = Clock(), StandIn()
    stand_in.interval = 5.0
    stand_in.scripts.append(Script("proved", looks=looks))
    runner = JobRunner(JobStore(tmp_path), stand_in, now=clock, monotonic=clock)
    started = clock.time

    async def sleep(seconds: float) -> None:
        clock.time += seconds

    async def look(job: Job) -> Job:
        return runner.advance(job)

    job = asyncio.run(runner.wait(runner.open(new_job(stand_in)), 45, look, sleep))
    assert job.stage == stage
    assert clock.time - started <= 45


def test_ids_are_random_and_nothing_else_is_read(tmp_path: Path) -> None:
    stand_in = StandIn()
    runner = JobRunner(JobStore(tmp_path), stand_in)
    ids = {runner.open(new_job(stand_in)).id for _ in range(20)}
    assert len({each[-32:] for each in ids}) == 20
    (tmp_path / "aristotle" / "secret.json").write_text("{}")
    for name in ("../secret", "mock-" + "g" * 32, "", "mock-" + "0" * 31, f"{next(iter(ids))}\n"):
        assert JobStore(tmp_path).get(name) is None


def test_a_damaged_record_is_said(tmp_path: Path) -> None:
    stand_in = StandIn()
    job = JobRunner(JobStore(tmp_path), stand_in).open(new_job(stand_in))
    jobs = tmp_path / "aristotle" / "jobs"
    (jobs / f"{job.id}.order").unlink()
    with pytest.raises(RegistryError, match="damaged"):
        JobStore(tmp_path).submission(job)
    (jobs / f"{job.id}.json").write_text("{")
    with pytest.raises(RegistryError, match="damaged"):
        JobStore(tmp_path).get(job.id)


def test_what_cannot_be_written_down_is_not_submitted(tmp_path: Path) -> None:
    (tmp_path / "aristotle").write_text("a file in the way")
    stand_in = StandIn()
    with pytest.raises(RegistryError) as caught:
        JobRunner(JobStore(tmp_path), stand_in).open(new_job(stand_in))
    assert caught.value.kind == "store_error"
    assert stand_in.submissions == []


@pytest.mark.parametrize(
    "origin",
    [
        "https://127.0.0.1:1",
        "http://example.org:80",
        "http://127.0.0.1",
        "x",
        "http://127.0.0.1@example.org:80",
    ],
)
def test_the_stand_in_is_on_loopback_only(origin: str) -> None:
    with pytest.raises(ValueError, match="loopback"):
        HttpService(origin, "")


def test_all_failures_have_a_sentence() -> None:
    for fault in get_args(Fault):
        stand_in = StandIn()
        stand_in.faults.append(("overview", fault))
        if fault == "drop_after":
            continue
        with pytest.raises(ServiceFailure) as caught:
            stand_in.overview()
        assert str(caught.value)
