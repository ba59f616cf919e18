"""Jobs as answers: flat objects without nulls, `status` and `message` always there (docs/reference/lean.md §8.8).

Invariants
----------
- What does not come from the real service is marked: `mock`, `mode`, and the message begins with the mark.
- A job that is not done never has a status of one that is; `percent_complete` is never invented.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from registry.aristotle.job_store import Job, Outcome
from registry.aristotle.service import FAILURES, Mode
from registry.server.contract.group import Answer

__all__ = ["answered", "error_answer", "job_answer", "row_of", "scrubbed"]

_CODE_FIELD = {"prove": "code", "file": "code", "formalize": "lean_code"}
_REST = "The whole text is in structuredContent; for a file, call check_prove_file with save: true and read the file."


def answered(fields: Mapping[str, Any], *, is_error: bool = False) -> Answer:
    """An object as an answer, without nulls."""
    kept = {name: value for name, value in fields.items() if value is not None and value != ()}
    return Answer(kept, msgspec.json.encode(kept).decode(), is_error=is_error, rest=_REST)


def error_answer(
    kind: str, message: str, *, argument: str = "", hint: str = "", mode: Mode | None = None, **more: Any
) -> Answer:
    """An error answer: the error object, with the original's `status` and `message` beside it."""
    path = f"/{argument}" if argument else None
    answer = Answer.error(kind, message, path=path, hint=hint)
    fields = {**answer.structured, "status": "error", "message": message, **more, **_mark(mode)}
    return Answer(fields, answer.text, is_error=True)


def _mark(mode: Mode | None) -> dict[str, Any]:
    return {} if mode in (None, "real") else {"mock": True, "mode": mode}


def _marked(mode: Mode, message: str) -> str:
    return message if mode == "real" else f"[{mode}: nothing was proved] {message}"


def job_answer(
    job: Job, retry_after_s: int, now: float, *, asked: str, note: str = "", **more: Any
) -> Answer:
    """The current state of a job. `asked`: the status of a job that this call began and that is not done."""
    fields = _open(job, retry_after_s, now, asked) if job.outcome is None else _ended(job, job.outcome)
    fields |= {"project_id": job.id, "warnings": job.warnings, **_mark(job.mode), **more}
    if note:
        fields["message"] += f" ({note})"
    if job.claim:
        fields |= {"claim": job.claim, "decided_by": "aristotle" if job.outcome is not None else None}
    return answered(fields, is_error=fields["status"] == "error")


def _open(job: Job, retry_after_s: int, now: float, asked: str) -> dict[str, Any]:
    status = asked or ("queued" if job.last == "queued" else "in_progress")
    wait = max(retry_after_s, math.ceil(job.not_before - now))
    if job.trouble is not None:
        problem = FAILURES[job.trouble]
        kept = "the job is kept and goes on" if job.stage == "running" else "the job is kept; it will be sent"
        message = f"{problem}; {kept} at the next look"
    elif job.raw:
        message = f"the service reports a status that is not known here: {job.raw[:80]}"
    elif status == "submitted":
        message = "the job is with the service"
    else:
        message = "the job waits for its turn" if status == "queued" else "the service works on it"
    return {
        "status": status,
        "message": _marked(job.mode, f"{message}. Ask again in {wait} s."),
        "percent_complete": job.percent,
        "retry_after_s": wait,
        "trouble": job.trouble,
    }


def _ended(job: Job, outcome: Outcome) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "status": outcome.status,
        "message": _marked(job.mode, outcome.message),
        "percent_complete": 100,
        _CODE_FIELD[job.kind]: outcome.code or None,
        "counterexample": outcome.counterexample or None,
        "refusal": outcome.refusal or None,
        "unchecked": outcome.unchecked,
        "checked": outcome.checked or None,
    }
    if job.kind == "file" or outcome.sorries_total:
        fields |= {"sorries_filled": outcome.sorries_filled, "sorries_total": outcome.sorries_total}
    if job.saved_path:
        fields["output_path"] = job.saved_path
    return fields


def row_of(job: Job) -> dict[str, Any]:
    """A job in a list."""
    status = job.outcome.status if job.outcome else ("queued" if job.last == "queued" else "in_progress")
    row = {"project_id": job.id, "kind": job.kind, "status": status, "created": round(job.created)}
    row |= _mark(job.mode)
    return row | ({"file_path": job.file_path} if job.file_path else {})


def scrubbed(answer: Answer, key: str) -> Answer:
    """The answer with every occurrence of the key removed."""
    if not key or key not in msgspec.json.encode(answer.structured).decode() + answer.text:
        return answer
    structured: dict[str, Any] = _without(answer.structured, key)
    return Answer(structured, answer.text.replace(key, "[key]"), answer.is_error, answer.rest)


def _without(data: Any, key: str) -> Any:
    match data:
        case str():
            return data.replace(key, "[key]")
        case dict():
            return {_without(name, key): _without(value, key) for name, value in data.items()}
        case list() | tuple():
            return [_without(value, key) for value in data]
        case _:
            return data
