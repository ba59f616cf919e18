"""Jobs as records in the home directory: they survive restarts and ``kill -9``.  See docs/reference/lean.md §8.3.

A job is two JSON files in ``HOME/aristotle/jobs``: its submission (``.order``), written once, and its record; in a database
it is a row with both (`job_rows`).  The life of a job:

    waiting ──submit──▶ running ──look, fetch──▶ done
       ▲ │ the service takes nothing now            (an outcome, for ever)
       └─┘ or the answer was lost: it is found by its key, or submitted again

Invariants
----------
- A record is replaced as a whole: written beside, synchronised, renamed, the directory synchronised.  A reader sees the
  old one or the new one.
- Ids are 128 random bits; an id that is not of that form is unknown without a look at the disk.
- Whoever changes a job holds its lock, which ends with the process that holds it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from kleis import durable_files
from kleis.decoding import decode_json
from registry.aristotle.service import FailureCode, Mode, Submission
from registry.errors import RegistryError

__all__ = [
    "Job",
    "JobKind",
    "JobStorage",
    "JobStore",
    "Ordered",
    "Outcome",
    "OutcomeStatus",
    "damaged_job",
    "is_job_id",
    "new_id",
]

JobKind: TypeAlias = Literal["prove", "file", "formalize"]

OutcomeStatus: TypeAlias = Literal["proved", "counterexample", "partial", "formalized", "failed", "error"]

_ID = re.compile(r"(?:aristotle|mock|standin)-(?:file-|formalize-)?[0-9a-f]{32}")
_PREFIX: dict[Mode, str] = {"real": "aristotle", "mock": "mock", "stand-in": "standin"}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a job ended.

    `refusal` is the code of the rule by which a returned proof was not accepted; `unchecked` what was not looked at;
    `checked` which Lean elaborated the text here, and the axioms it named.
    """

    status: OutcomeStatus
    message: str
    code: str = ""
    counterexample: str = ""
    refusal: str = ""
    sorries_total: int = 0
    sorries_filled: int = 0
    unchecked: tuple[str, ...] = ()
    checked: str = ""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a job.

    target
        Which file of the submission is to come back.
    attempted
        Whether the service may have the job already, though no answer of it was seen.
    project
        The service's id, once it is known.
    last
        Where the run stood when it was last looked at, `percent` as the service said it.
    trouble
        The code of the last failure to reach the service, until the next success.
    not_before
        The time (seconds since 1970) before which the service asked not to be asked.
    refutation_counts
        False in records of earlier versions whose Lean text had unknown functions in place of built-ins.
    """

    id: str
    kind: JobKind
    mode: Mode
    created: float
    target: str
    stage: Literal["waiting", "running", "done"] = "waiting"
    attempted: bool = False
    project: str = ""
    last: str = "queued"
    raw: str = ""
    percent: int | None = 0
    trouble: FailureCode | None = None
    not_before: float = 0.0
    cancelled: bool = False
    wants_proof: bool = True
    refutation_counts: bool = True
    file_path: str = ""
    output_path: str = ""
    saved_path: str = ""
    claim: str = ""
    warnings: tuple[str, ...] = ()
    outcome: Outcome | None = None


class Ordered(msgspec.Struct, frozen=True):
    """A job with what goes to the service for it."""

    job: Job
    submission: Submission

    def noting(self, **fields: Any) -> Ordered:
        """The same with some fields of the job changed."""
        return Ordered(msgspec.structs.replace(self.job, **fields), self.submission)


def new_id(kind: JobKind, mode: Mode) -> str:
    """A random id, with the mode and the kind of the job in front."""
    middle = "" if kind == "prove" else f"{kind}-"
    return f"{_PREFIX[mode]}-{middle}{secrets.token_hex(16)}"


def is_job_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return _ID.fullmatch(text) is not None


class JobStorage(Protocol):
    """Where jobs are written down.  Several processes, and machines, may use one; raises `RegistryError`."""

    def begin(self, ordered: Ordered) -> Job:
        """Write a new job down with its submission."""
        ...

    def put(self, job: Job) -> Job:
        """Write a job down, whole, and return it."""
        ...

    def submission(self, job: Job) -> Submission:
        """What goes to the service for a job."""
        ...

    def get(self, job_id: str) -> Job | None:
        """A job by its id; None where there is none."""
        ...

    def all(self) -> list[Job]:
        """All jobs, the newest first."""
        ...

    def lock(self, job_id: str) -> AbstractContextManager[bool]:
        """Hold a job's lock; gives False, at once, where another process or thread holds it."""
        ...


class JobStore:
    """The jobs of a home, as files.  See `JobStorage`."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "aristotle" / "jobs"

    def begin(self, ordered: Ordered) -> Job:
        """Write a new job down, its submission first."""
        self._write(f"{ordered.job.id}.order", msgspec.json.encode(ordered.submission))
        return self.put(ordered.job)

    def put(self, job: Job) -> Job:
        """Write a job down, whole, and return it."""
        self._write(f"{job.id}.json", msgspec.json.encode(job))
        return job

    def submission(self, job: Job) -> Submission:
        """What goes to the service for a job."""
        try:
            data = (self._folder / f"{job.id}.order").read_bytes()
            return decode_json(data, Submission)
        except (OSError, msgspec.DecodeError) as error:
            raise damaged_job(job.id) from error

    def _write(self, name: str, data: bytes) -> None:
        """Write a file whole, and synchronise it."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            durable_files.write_whole(self._folder / name, data)
        except OSError as error:
            raise RegistryError(
                "store_error",
                f"the job cannot be written down: {error.strerror}",
                file=str(self._folder),
                hint="make room or give another --home; what was written before stands",
            ) from error

    def get(self, job_id: str) -> Job | None:
        """A job by its id; None where there is none."""
        if not is_job_id(job_id):
            return None
        try:
            data = (self._folder / f"{job_id}.json").read_bytes()
        except FileNotFoundError:
            return None
        try:
            return decode_json(data, Job)
        except msgspec.DecodeError as error:
            raise damaged_job(job_id) from error

    def all(self) -> list[Job]:
        """All jobs, the newest first."""
        names = [path.stem for path in self._folder.glob("*.json")] if self._folder.is_dir() else []
        found = [job for name in names if (job := self.get(name)) is not None]
        return sorted(found, key=lambda job: (-job.created, job.id))

    @contextmanager
    def lock(self, job_id: str) -> Iterator[bool]:
        """Hold a job's lock; gives False, at once, where another process or thread holds it."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = durable_files.FileLock(self._folder / f"{job_id}.lock")
        except OSError as error:
            raise RegistryError(
                "store_error", f"the job cannot be locked: {error.strerror}", file=str(self._folder)
            ) from error
        with lock:
            yield lock.acquire(0)


def damaged_job(job_id: str) -> RegistryError:
    """The error of a record that is none."""
    return RegistryError(
        "store_error",
        f"the record of the job {job_id} is damaged",
        hint="it was not written by this program; move it out of the home's aristotle/jobs, or of the database's table of Lean jobs",
    )
