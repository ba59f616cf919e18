"""Jobs as rows of a database, so that a job begun on one machine goes on and is asked for on another.

A row has the two texts that the files of a home would have (`job_store`). A job's lock is that of a connection, and what
its holder writes goes over it (`registry.store.postgres.locked_rows`): of two machines that look at a job one takes it
further, and one whose connection was lost changes nothing any more.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.decoding import decode_json
from registry.aristotle.job_store import Job, JobStorage, JobStore, Ordered, damaged_job, is_job_id
from registry.aristotle.service import Submission
from registry.store.protocol import Store
from registry.store.shared_state import locked_rows

if TYPE_CHECKING:
    from registry.store.postgres.locked_rows import LockedRows

__all__ = ["JobRows", "job_storage"]


def job_storage(home: Path, store: Store | None) -> JobStorage:
    """Where jobs are written down: in the store if that is a database, else in the home."""
    rows = None if store is None else locked_rows(store)
    return JobStore(home) if rows is None else JobRows(rows)


class JobRows:
    """The jobs of one schema. See `JobStorage`."""

    def __init__(self, rows: LockedRows) -> None:
        self._rows = rows

    def begin(self, ordered: Ordered) -> Job:
        """Write the row."""
        job, submission = ordered.job, msgspec.json.encode(ordered.submission).decode()
        self._rows.write(
            job.id,
            "INSERT INTO lean_jobs (id, created, submission, record) VALUES (?, ?, ?, ?) RETURNING id",
            (job.id, job.created, submission, _record(job)),
        )
        return job

    def put(self, job: Job) -> Job:
        """Replace the record in the row."""
        statement = "UPDATE lean_jobs SET record = ? WHERE id = ? RETURNING id"
        if self._rows.write(job.id, statement, (_record(job), job.id)) is None:
            raise damaged_job(job.id)
        return job

    def submission(self, job: Job) -> Submission:
        """What goes to the service, as it was written."""
        statement = "SELECT submission FROM lean_jobs WHERE id = ?"
        row = self._rows.ask(lambda reader: reader.execute(statement, (job.id,)).fetchone())
        if row is None:
            raise damaged_job(job.id)
        try:
            return decode_json(row[0], Submission)
        except msgspec.DecodeError as error:
            raise damaged_job(job.id) from error

    def get(self, job_id: str) -> Job | None:
        """The record of the row."""
        if not is_job_id(job_id):
            return None
        statement = "SELECT record FROM lean_jobs WHERE id = ?"
        row = self._rows.ask(lambda reader: reader.execute(statement, (job_id,)).fetchone())
        return None if row is None else _job(job_id, row[0])

    def all(self) -> list[Job]:
        """The records of all rows."""
        statement = "SELECT id, record FROM lean_jobs ORDER BY created DESC, id"
        rows = self._rows.ask(lambda reader: reader.execute(statement).fetchall())
        return [_job(job_id, record) for job_id, record in rows]

    def lock(self, job_id: str) -> AbstractContextManager[bool]:
        """The lock of the row."""
        return self._rows.lock(job_id)


def _record(job: Job) -> str:
    return msgspec.json.encode(job).decode()


def _job(job_id: str, record: str) -> Job:
    try:
        found = decode_json(record, Job)
    except msgspec.DecodeError as error:
        raise damaged_job(job_id) from error
    if found.id != job_id:
        raise damaged_job(job_id)
    return found
