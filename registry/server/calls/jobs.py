"""Jobs: long work that a client may leave and come back to, by an id that nobody guesses (docs/reference/serving.md §5.12).

A job is a call that answers nobody: it waits in the same lanes, and its answer is kept until it is old or others need
the room. Jobs live as long as the process. Where a server has many, a job is looked for in all of them, and what has ended
in one that is replaced is kept by its successor. With a database (`recorded_jobs`) other servers tell of them, and of their end.

Invariants
----------
- Who may see a job: of a principal's, that principal; of any other, whoever has its id.
- The jobs that are kept are bounded, for each client and in all. Only jobs that have ended make room for others.
- A job ends with an answer, whatever happens: what is raised is told as the answer of its call would have been.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

import msgspec

from registry.errors import RegistryError
from registry.server.calls.recorded_jobs import RecordedJobs
from registry.server.contract.group import Answer, JobStatus, JobView
from registry.store.job_board import JobBoard

__all__ = ["ALL_JOBS", "JOBS", "JOB_AGE", "ClientJobs", "EndedJob", "Jobs", "JobsElsewhere"]

JOBS, ALL_JOBS = 16, 128
"""Jobs of one client, and of all, that are kept."""

JOB_AGE = 3_600.0
"""Seconds after its end for which the answer of a job is kept."""

PRINCIPAL = "principal "
"""What the name of a client begins with where it is a principal's."""

Work = Callable[["Job"], Awaitable[Answer]]


class Job:
    """One job. `note` takes its progress."""

    def __init__(self, kind: str, title: str, client: str) -> None:
        self.id = f"job-{secrets.token_hex(16)}"
        self.kind = kind
        self.title = title
        self.client = client
        self.begun = time.monotonic()
        self.ended: float | None = None
        self.answer: Answer | None = None
        self.message = ""
        self.task: asyncio.Task[None] | None = None
        self.is_cancelled = False
        self.is_recorded = False

    async def note(self, done: float, total: float | None, message: str | None) -> None:
        """How far the job is."""
        self.message = message or f"{done:g}" + (f" of {total:g}" if total is not None else "")

    def view(self) -> JobView:
        """The job as a group sees it."""
        status: JobStatus = "in_progress"
        if self.is_cancelled:
            status = "cancelled"
        elif self.answer is not None:
            status = "done"
        until = time.monotonic() if self.ended is None else self.ended
        return JobView(
            id=self.id, kind=self.kind, title=self.title, status=status, seconds=round(until - self.begun, 1), begun=self.begun,
            message=self.message, answer=self.answer,
        )  # fmt: skip


class EndedJob(msgspec.Struct, frozen=True):
    """A job that has ended, for another process to keep: `took` seconds, `ago` seconds since then."""

    id: str
    kind: str
    title: str
    client: str
    took: float
    ago: float
    answer: Answer | None
    is_cancelled: bool


class JobsElsewhere(Protocol):
    """The jobs of the same principal in other processes; who may see one is judged there."""

    async def find(self, number: str, client: str) -> JobView | None: ...

    async def cancel(self, number: str, client: str) -> JobView | None: ...

    async def of(self, client: str) -> list[JobView]: ...


class Jobs:
    """The jobs of one server. Use it from one event loop."""

    def __init__(self, elsewhere: JobsElsewhere | None = None, board: JobBoard | None = None) -> None:
        """`elsewhere`: where else to look for a job, and for all of a client's. `board`: where they are written down for other
        servers."""
        self.recorded = None if board is None else RecordedJobs(board, JOB_AGE, _may_see)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._elsewhere = elsewhere

    @property
    def others(self) -> list[JobsElsewhere]:
        """Where else there may be jobs: in other processes of this server, then in the database."""
        return [each for each in (self._elsewhere, self.recorded) if each is not None]

    def start(self, kind: str, title: str, client: str, work: Work) -> JobView | None:
        """Begin a job; None where too many of the client's, or of all, have not ended."""
        self._forget()
        mine = [each for each in self._jobs.values() if each.client == client]
        if not self._has_room(mine, JOBS) or not self._has_room(list(self._jobs.values()), ALL_JOBS):
            return None
        job = Job(kind, title, client)
        self._jobs[job.id] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, work))
        return job.view()

    def _has_room(self, among: list[Job], most: int) -> bool:
        """Whether there is room for one more among these, after the oldest of them that has ended went."""
        if len(among) < most:
            return True
        old = next((each for each in among if each.ended is not None), None)
        if old is None:
            return False
        self._jobs.pop(old.id, None)
        return True

    async def _run(self, job: Job, work: Work) -> None:
        try:
            job.answer = await work(job)
        except asyncio.CancelledError:
            job.is_cancelled = True
        finally:
            job.ended = time.monotonic()
            job.task = None
            if self.recorded is not None and job.is_recorded:
                await self.recorded.ended(job)

    async def record(self, number: str) -> None:
        """Write a job down where there is a database. Raises RegistryError, and the job is stopped, where that cannot be."""
        job = self._jobs.get(number)
        if self.recorded is None or job is None:
            return
        try:
            job.is_recorded = True
            await self.recorded.begun(job)
        except RegistryError:
            job.is_recorded = False
            if job.task is not None:
                job.task.cancel()
            self._jobs.pop(number, None)
            raise

    def find(self, number: str, client: str) -> Job | None:
        """A job that this client may see."""
        self._forget()
        job = self._jobs.get(number)
        return job if job is not None and _may_see(job.client, client) else None

    async def cancel(self, number: str, client: str) -> JobView | None:
        """Stop a job that this client may see, and what it began; one that has ended stays as it is."""
        job = self.find(number, client)
        if job is None:
            return None
        task = job.task
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        return job.view()

    def of(self, client: str) -> list[JobView]:
        """The jobs that a client began, the newest first."""
        self._forget()
        return [each.view() for each in reversed(self._jobs.values()) if each.client == client]

    def _forget(self) -> None:
        """Drop what ended long ago."""
        oldest = time.monotonic() - JOB_AGE
        for job in [each for each in self._jobs.values() if each.ended is not None and each.ended < oldest]:
            del self._jobs[job.id]

    @property
    def has_running(self) -> bool:
        """Whether one has not ended."""
        return any(each.ended is None for each in self._jobs.values())

    def ended(self) -> list[EndedJob]:
        """The jobs that have ended, to be kept by another process."""
        self._forget()
        now = time.monotonic()
        return [
            EndedJob(
                each.id, each.kind, each.title, each.client, each.ended - each.begun, now - each.ended, each.answer, each.is_cancelled
            )
            for each in self._jobs.values()
            if each.ended is not None
        ]  # fmt: skip

    def adopt(self, ended: Iterable[EndedJob]) -> None:
        """Keep jobs that have ended in another process."""
        now = time.monotonic()
        for each in ended:
            if not self._has_room(list(self._jobs.values()), ALL_JOBS):
                return
            job = Job(each.kind, each.title, each.client)
            job.id, job.answer, job.is_cancelled = each.id, each.answer, each.is_cancelled
            job.ended = now - each.ago
            job.begun = job.ended - each.took
            self._jobs[job.id] = job

    def close(self) -> None:
        """End all jobs."""
        if self.recorded is not None:
            self.recorded.close()
        for job in self._jobs.values():
            if job.task is not None:
                job.task.cancel()


class ClientJobs:
    """The jobs of a server as one client sees them. `answering` makes work of a call's work: it answers whatever happens."""

    def __init__(self, jobs: Jobs, client: str, answering: Callable[..., Work]) -> None:
        self._jobs = jobs
        self._client = client
        self._answering = answering

    async def start(self, kind: str, title: str, work: Callable[..., Awaitable[Answer]]) -> JobView | None:
        """Begin ``work(context)`` as a job; None where there is no room for another."""
        begun = self._jobs.start(kind, title, self._client, self._answering(work))
        if begun is not None:
            await self._jobs.record(begun.id)
        return begun

    async def find(self, number: str) -> JobView | None:
        """A job by its id."""
        job = self._jobs.find(number, self._client)
        for others in self._jobs.others if job is None else ():
            if (view := await others.find(number, self._client)) is not None:
                return view
        return None if job is None else job.view()

    async def cancel(self, number: str) -> JobView | None:
        """Stop a job, and what it began; one that has ended stays as it is."""
        job = await self._jobs.cancel(number, self._client)
        for others in self._jobs.others if job is None else ():
            if (job := await others.cancel(number, self._client)) is not None:
                break
        return job

    async def all(self) -> list[JobView]:
        """The jobs of this client, the newest first."""
        here = self._jobs.of(self._client)
        found = {each.id: each for each in here}
        for others in self._jobs.others:
            for each in await others.of(self._client):
                found.setdefault(each.id, each)
        return sorted(found.values(), key=lambda job: job.begun, reverse=True)


def _may_see(owner: str, client: str) -> bool:
    """Whether a client may see a job that `owner` began."""
    return owner == client or not owner.startswith(PRINCIPAL)
