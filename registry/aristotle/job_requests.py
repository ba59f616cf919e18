"""What a call asks for, as a job: the folder that goes to the service, and what must come back.  Pure.

Invariant: no job is made of a text that holds the key, so a key that was pasted by mistake is not sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.aristotle.allowed_folders import ProjectFile
from registry.aristotle.job_store import Job, JobKind, Ordered, new_id
from registry.aristotle.service import (
    DESCRIPTION,
    FORMALIZE,
    FORMALIZE_AND_PROVE,
    MAIN,
    PROVE,
    Mode,
    Submission,
)

__all__ = ["LONGEST_CODE", "LONGEST_DESCRIPTION", "JobRequestError", "file_job", "formalize_job", "prove_job"]

LONGEST_CODE = 1_000_000
LONGEST_DESCRIPTION = 100_000
"""Characters."""


class JobRequestError(Exception):
    """A request that is not sent: the argument, the problem, a hint."""

    def __init__(self, code: str, argument: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.argument = argument
        self.message = message
        self.hint = hint


class JobRequest:
    """Makes jobs for one service; none of their texts may hold `key`."""

    def __init__(self, mode: Mode, key: str, now: float) -> None:
        self._mode = mode
        self._key = key
        self._now = now

    def job(
        self, kind: JobKind, prompt: str, files: Mapping[str, str], target: str, **fields: Any
    ) -> Ordered:
        """A job that waits to be submitted."""
        if self._key and any(self._key in text for text in (prompt, *files.values())):
            raise JobRequestError("key_in_text", "", "the text holds your Aristotle key; it is not sent")
        job_id = new_id(kind, self._mode)
        job = Job(id=job_id, kind=kind, mode=self._mode, created=self._now, target=target, **fields)
        return Ordered(job, Submission(job_id, prompt, dict(files), target))


def _bounded(argument: str, text: str, limit: int) -> None:
    if len(text) > limit:
        message = f"`{argument}` has a size of {len(text):,} characters; {limit:,} are allowed"
        raise JobRequestError("too_large", argument, message)


def prove_job(request: JobRequest, code: str, context: Mapping[str, str], hint: str) -> Ordered:
    """Fill in the proofs of a snippet."""
    _bounded("code", code, LONGEST_CODE)
    _bounded("hint", hint, LONGEST_DESCRIPTION)
    prompt = PROVE.format(target=MAIN) + (f"\n\nA hint: {hint}" if hint else "")
    return request.job("prove", prompt, {**context, MAIN: code}, MAIN)


def file_job(request: JobRequest, file: ProjectFile) -> Ordered:
    """Fill in the proofs of a file, with its Lake project along."""
    return request.job("file", PROVE.format(target=file.name), file.files, file.name)


def formalize_job(
    request: JobRequest, description: str, context: Mapping[str, str], *, prove: bool
) -> Ordered:
    """Write the statement of a description, with a proof if that is asked for."""
    _bounded("description", description, LONGEST_DESCRIPTION)
    if not description.strip():
        raise JobRequestError("invalid_argument", "description", "`description` is empty")
    files = {**context, DESCRIPTION: description, MAIN: ""}
    prompt = FORMALIZE_AND_PROVE if prove else FORMALIZE
    return request.job("formalize", prompt, files, MAIN, wants_proof=prove)


def context_names(paths: Sequence[str]) -> list[str]:
    """The names that context files get in the folder, each once; a second one of a name is numbered."""
    names: list[str] = []
    for path in paths:
        base = path.replace("\\", "/").rpartition("/")[2] or "Context.lean"
        stem, dot, suffix = base.rpartition(".")
        name, number = base, 1
        while name in (*names, MAIN, DESCRIPTION):
            name = f"{stem or suffix}_{number}{dot}{suffix if stem else ''}"
            number += 1
        names.append(name)
    return names
