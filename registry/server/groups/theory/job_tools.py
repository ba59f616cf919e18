"""Jobs of the group `theory`: a proof or a search that a client leaves and comes back to (docs/reference/serving.md §5.11).

`evaluate` and `explore` begin one with ``wait: false``; `check_job` looks, and gives the answer as the tool would have,
or stops it. The fields are those of the group `lean`: `project_id`, `status`, `message`, `retry_after_s`.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

import msgspec

from registry.server.contract.group import Answer, CallContext, JobView, ToolSpec
from registry.server.groups.theory.requests import CheckJob

__all__ = ["JOB_TOOLS", "BegunAnswer", "begun", "checked_job"]

LOOK_AGAIN = 3
"""Seconds after which another look is worth it."""


class BegunAnswer(TypedDict):
    """A job that was begun."""

    type: Literal["job"]
    project_id: str
    status: Literal["in_progress"]
    message: str
    retry_after_s: int


class JobAnswer(TypedDict):
    """The state of a job; once it is done, with the answer that the tool would have given."""

    type: Literal["job"]
    project_id: str
    title: str
    status: Literal["in_progress", "done", "cancelled"]
    message: str
    seconds: float
    retry_after_s: NotRequired[int]
    answer: NotRequired[dict[str, Any]]


class JobListAnswer(TypedDict):
    """The jobs of a client."""

    type: Literal["jobs"]
    jobs: list[JobAnswer]


JOB_TOOLS = (
    ToolSpec(
        name="check_job",
        title="Look at a job",
        description="A job that was begun with wait: false: its answer, or how far it is. Without project_id: your jobs.",
        arguments=CheckJob,
        answers=(JobAnswer, JobListAnswer),
        example={"project_id": "job-0123456789abcdef0123456789abcdef"},
        destructive=True,
        idempotent=True,
    ),
)


def begun(job: JobView | None) -> Answer:
    """The answer of a call that began a job."""
    if job is None:
        return Answer.error(
            "too_busy", "too many jobs have not ended", hint="Wait for one, or stop one: check_job with cancel: true.",
            retry_after_ms=LOOK_AGAIN * 1_000,
        )  # fmt: skip
    return _answered(
        {
            "type": "job",
            "project_id": job.id,
            "status": "in_progress",
            "message": "begun",
            "retry_after_s": LOOK_AGAIN,
        }
    )


async def checked_job(arguments: CheckJob, context: CallContext) -> Answer:
    """The answer of `check_job`."""
    if not arguments.project_id:
        return _answered({"type": "jobs", "jobs": [_state(each) for each in await context.jobs.all()]})
    if arguments.cancel:
        job = await context.jobs.cancel(arguments.project_id)
    else:
        job = await context.jobs.find(arguments.project_id)
    return _unknown(arguments.project_id) if job is None else _told(job)


def _told(job: JobView) -> Answer:
    """The state of a job, with its answer if there is one; an error where that is one."""
    state = _state(job)
    if job.answer is None:
        return _answered(state)
    state["answer"] = dict(job.answer.structured)
    text = f"{job.id} is done\n{job.answer.text}"
    return msgspec.structs.replace(job.answer, structured=dict(state), text=text)


def _state(job: JobView) -> JobAnswer:
    messages = {
        "in_progress": job.message or "begun",
        "done": "check_job has the answer",
        "cancelled": "stopped",
    }
    state: JobAnswer = {
        "type": "job",
        "project_id": job.id,
        "title": f"{job.kind} {job.title}",
        "status": job.status,
        "message": messages[job.status],
        "seconds": job.seconds,
    }
    if job.status == "in_progress":
        state["retry_after_s"] = LOOK_AGAIN
    return state


def _unknown(number: str) -> Answer:
    return Answer.error(
        "invalid_argument", f"there is no job {number[:60]!r}", path="/project_id",
        hint="Jobs are kept for an hour after their end, while the server runs. Without project_id check_job lists yours.",
    )  # fmt: skip


def _answered(fields: BegunAnswer | JobAnswer | JobListAnswer) -> Answer:
    return Answer(dict(fields), msgspec.json.encode(fields).decode())
