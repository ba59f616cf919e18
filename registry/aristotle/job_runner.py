"""Every step of a job's life, each written down before and after.  See docs/reference/lean.md §8.3.

Invariants
----------
- The record exists before the service hears of the job, and says ``attempted`` before the service can have it.  So after
  a crash at any point the next look finds the project by its key, or submits it again under the same key.
- A failure to reach the service changes nothing but `trouble`: the job stays where it truly is.
- A job that is done never changes again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from registry.aristotle.job_store import Job, JobStorage, Ordered, Outcome
from registry.aristotle.judgement import Check, judge, needs_text
from registry.aristotle.service import NOT_TAKEN, PASSING, AristotleService, Finding, ServiceFailure

__all__ = ["JobRunner"]

Look: TypeAlias = Callable[[Job], Awaitable[Job]]
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_replace = msgspec.structs.replace

_DEFAULT_WAIT = 60
"""Seconds to leave a service alone that asks for fewer requests and does not say how long."""


class JobRunner:
    """The jobs of a home with one service.  Methods block for as long as the service takes; any thread may call."""

    def __init__(
        self,
        store: JobStorage,
        service: AristotleService,
        *,
        now: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        check: Check | None = None,
    ) -> None:
        self.store = store
        self.service = service
        self._now = now
        self._monotonic = monotonic
        self._check = check if service.mode == "real" else None  # what a stand-in fills in is no proof

    def open(self, ordered: Ordered) -> Job:
        """Write a new job down and hand it to the service."""
        with self.store.lock(ordered.job.id):
            job = self.store.begin(ordered)
            try:
                return self._submitted(job)
            except ServiceFailure as failure:
                return self._troubled(self.store.get(job.id) or job, failure)

    def advance(self, job: Job) -> Job:
        """The job after one more look at it.  Where another process is looking, the job as it was last written."""
        with self.store.lock(job.id) as mine:
            current = self.store.get(job.id) or job
            if not mine or current.stage == "done" or self._now() < current.not_before:
                return current
            return self._step(current)

    async def wait(self, job: Job, seconds: float, look: Look, sleep: Sleep = asyncio.sleep) -> Job:
        """Look at a job again and again until it is done or the time is up.

        `look` is `advance` in a thread; no thread is held between two looks.
        """
        deadline = self._monotonic() + seconds
        while job.stage != "done":
            pause = max(self.service.interval, job.not_before - self._now())
            if self._monotonic() + pause > deadline:
                break
            await sleep(pause)
            job = await look(job)
        return job

    def cancel(self, job: Job) -> Job:
        """Stop a job.  One that the service certainly does not have ends here."""
        with self.store.lock(job.id) as mine:
            current = self.store.get(job.id) or job
            if not mine or current.stage == "done":
                return current
            if current.stage == "waiting" and not current.attempted:
                outcome = Outcome(status="failed", message="cancelled before the service had it")
                return self._done(_replace(current, cancelled=True), outcome)
            try:
                if current.stage == "waiting":
                    current = self._submitted(current)
                self.service.cancel(current.project)
                current = self.store.put(_replace(current, cancelled=True))
                return self._looked(current)
            except ServiceFailure as failure:
                return self._troubled(self.store.get(job.id) or current, failure)

    def _step(self, job: Job) -> Job:
        """Submit a job that waits, look at one that runs."""
        try:
            if job.stage == "waiting":
                job = self._submitted(job)
            return self._looked(job)
        except ServiceFailure as failure:
            return self._troubled(self.store.get(job.id) or job, failure)

    def _submitted(self, job: Job) -> Job:
        """The job with its project: found by its key if the service may have it, else submitted."""
        project = self.service.find(job.id) if job.attempted else None
        if project is None:
            job = self.store.put(_replace(job, attempted=True))
            project = self._accepted(job)
        return self.store.put(_replace(job, stage="running", project=project, trouble=None, not_before=0.0))

    def _accepted(self, job: Job) -> str:
        try:
            return self.service.submit(self.store.submission(job))
        except ServiceFailure as failure:
            if failure.code in NOT_TAKEN:
                self.store.put(_replace(job, attempted=False))
            raise

    def _looked(self, job: Job) -> Job:
        """The job after a look at its run; judged where that has ended."""
        run = self.service.look(job.project)
        if not run.ended:
            percent = 0 if run.status == "queued" else run.percent
            return self.store.put(
                _replace(job, last=run.status, raw=run.raw, percent=percent, trouble=None, not_before=0.0)
            )
        original = self.store.submission(job).files[job.target]
        returned: str | None = None
        findings: tuple[Finding, ...] = ()
        if needs_text(run):
            returned = self.service.fetch(job.project, job.target)
            findings = self.service.findings(job.project) if job.kind != "formalize" else ()
        outcome = judge(job, original, run, returned, findings, self._check)
        return self._done(_replace(job, last=run.status), outcome)

    def _done(self, job: Job, outcome: Outcome) -> Job:
        return self.store.put(
            _replace(job, stage="done", outcome=outcome, percent=100, trouble=None, not_before=0.0)
        )

    def _troubled(self, job: Job, failure: ServiceFailure) -> Job:
        """The job after a failure: unchanged but for `trouble`, or done where another try cannot help."""
        if failure.code in PASSING:
            limited = failure.code in ("rate_limited", "run_limit")
            wait = failure.retry_after_s or (_DEFAULT_WAIT if limited else 0)
            return self.store.put(_replace(job, trouble=failure.code, not_before=self._now() + wait))
        if failure.code in ("no_key", "library_missing", "authentication"):
            return self.store.put(_replace(job, trouble=failure.code))
        return self._done(job, Outcome(status="error", message=failure.message, refusal=failure.code))
