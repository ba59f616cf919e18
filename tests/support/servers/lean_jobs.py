"""Jobs of the Lean service brought to their end, and what each script of the stand-in ends as."""

from __future__ import annotations

from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import Job
from registry.aristotle.stand_in import Ending

CODE = "theorem one : 1 + 0 = 1 := by\n  sorry\n\ntheorem two : 2 + 0 = 2 := by\n  sorry\n"
OUTCOMES: dict[Ending, str] = {
    "proved": "proved",
    "partial": "failed",
    "refuted": "counterexample",
    "negated": "counterexample",
    "failed": "error",
    "canceled": "failed",
    "out_of_budget": "failed",
    "with_errors": "failed",
    "changed": "failed",
    "axiom": "failed",
    "unfilled": "failed",
    "lost": "error",
}


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def ended(runner: JobRunner, clock: Clock, job: Job) -> Job:
    """The job at its end, looked at again and again by a client that waits as long as it is told."""
    for _ in range(60):
        if job.stage == "done":
            return job
        clock.time += 120
        job = runner.advance(job)
        assert runner.store.get(job.id) == job
    raise AssertionError(f"it does not end: {job}")
