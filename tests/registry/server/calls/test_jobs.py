"""Jobs: who sees them, how many are kept, and that each ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from registry.server.calls import jobs as jobs_module
from registry.server.calls.jobs import ALL_JOBS, JOBS, Job, Jobs
from registry.server.contract.group import Answer


def run(talk: Callable[[Jobs], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(60):
            await talk(Jobs())

    asyncio.run(main())


async def at_once(job: Job) -> Answer:
    return Answer({"of": job.client}, "done")


async def never(job: Job) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


async def ended(jobs: Jobs, number: str, client: str) -> None:
    while (job := jobs.find(number, client)) is not None and job.ended is None:
        await asyncio.sleep(0)


def test_a_principals_job_is_its_own_and_any_other_belongs_to_who_has_the_id() -> None:
    async def talk(jobs: Jobs) -> None:
        for owner, reader, seen in (
            ("principal ann", "principal ann", True),
            ("principal ann", "principal bob", False),
            ("principal ann", "session 1", False),
            ("principal ann", "", False),
            ("session 1", "session 2", True),
        ):
            begun = jobs.start("explore", "x", owner, at_once)
            assert begun is not None
            assert (jobs.find(begun.id, reader) is not None) is seen
            assert begun.id not in {each.id for each in jobs.of("somebody else")}

    run(talk)


def test_ids_are_not_guessed() -> None:
    async def talk(jobs: Jobs) -> None:
        begun = [jobs.start("explore", "x", "a", never) for _ in range(3)]
        numbers = {each.id for each in begun if each is not None}
        assert len(numbers) == 3
        assert all(len(number) == len("job-") + 32 for number in numbers)
        jobs.close()

    run(talk)


def test_only_ended_jobs_make_room() -> None:
    async def talk(jobs: Jobs) -> None:
        first = jobs.start("explore", "x", "a", at_once)
        assert first is not None
        await ended(jobs, first.id, "a")
        for _ in range(JOBS):
            assert jobs.start("explore", "x", "a", never) is not None
        assert jobs.find(first.id, "a") is None, "the one that had ended went"
        assert jobs.start("explore", "x", "a", never) is None
        for number in range(ALL_JOBS - JOBS):
            assert jobs.start("explore", "x", f"client {number}", never) is not None
        assert jobs.start("explore", "x", "late", never) is None
        jobs.close()

    run(talk)


def test_old_answers_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk(jobs: Jobs) -> None:
        begun = jobs.start("explore", "x", "a", at_once)
        assert begun is not None
        await ended(jobs, begun.id, "a")
        assert jobs.find(begun.id, "a") is not None
        monkeypatch.setattr(jobs_module, "JOB_AGE", -1.0)
        assert jobs.find(begun.id, "a") is None
        assert jobs.of("a") == []

    run(talk)
