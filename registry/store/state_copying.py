"""Theory sessions, saved theories, jobs of Aristotle and certificates of verdicts, copied between a home and a database.

In a home they are files, in a database rows; the texts are the same. Every text that a digest stands beside is compared with
it on the way, and what arrived is read again and compared with what was sent.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from kleis.decoding import decode_json
from kleis.prover.kept_certificates import CERTIFICATES, CertificateFiles, KeptCertificate, read_certificate
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.session_storage import DirectoryStorage
from kleis.sessions.files.storage import make_directory, plain_name, read_whole, write_whole
from registry.errors import RegistryError
from registry.records import certificate_hash
from registry.store.failures import Place, damaged, store_errors
from registry.store.sql.rows import Rows

__all__ = ["STATE", "Kept", "copy_state", "in_home", "in_rows", "rows_are_empty", "to_home", "to_rows"]

Table: TypeAlias = Literal["sessions", "theories", "lean_jobs", "certified_verdicts"]

STATE: Final[dict[Table, str]] = {
    "sessions": "SELECT name, body, digest FROM sessions ORDER BY name",
    "theories": "SELECT name, body, digest FROM theories ORDER BY number",
    "lean_jobs": "SELECT id, submission, record FROM lean_jobs ORDER BY id",
    "certified_verdicts": "SELECT question, certificate, hash, attempts FROM certified_verdicts ORDER BY question",
}
"""The tables of a database that have files in a home, and their rows."""

_AT_ONCE: Final = 50
_ID: Final = re.compile(r"[a-z]+(-[a-z0-9]+)*-[0-9a-f]{32}")
_QUESTION: Final = re.compile(r"[0-9a-f]{64}")

_RECORD, _SUBMISSION = ".json", ".order"


class Kept(msgspec.Struct, frozen=True):
    """One of them: the texts are those of the columns, or files."""

    table: Table
    name: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """What two of one name are compared by."""
        return hashlib.sha256(msgspec.json.encode(self.texts)).digest()


def copy_state(
    found: Iterable[Kept], put: Callable[[Kept], None], arrived: Callable[[], Iterable[Kept]]
) -> dict[str, int]:
    """Copy all, and see that what arrived is what was sent; how many of each there are."""
    sent: dict[tuple[str, str], bytes] = {}
    counts: Counter[str] = Counter()
    for each in found:
        put(each)
        sent[each.table, each.name] = each.digest
        counts[each.table] += 1
    if sent != {(each.table, each.name): each.digest for each in arrived()}:
        raise RegistryError(
            "store_error",
            "the copy of sessions and jobs is not what was read; nothing was kept",
            hint="report this; see that no other program changes the target",
        )
    return {table: counts[table] for table in STATE}


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────


def in_rows(reader: Rows, place: Place) -> Iterator[Kept]:
    """All that a database holds. Raises RegistryError for what is not what was written."""
    for table, question in STATE.items():
        answer = reader.execute(question)
        while some := answer.fetchmany(_AT_ONCE):
            for row in some:
                yield _checked(table, row, place)


def _checked(table: Table, row: tuple[Any, ...], place: Place) -> Kept:
    name, *texts = row
    match table, texts:
        case (("sessions" | "theories"), [body, digest]):
            if hashlib.sha256(body.encode()).hexdigest() != digest:
                raise damaged(place, name, f"the text of {table} {name} is not the one that was written")
            return _named(Kept(table, name, (body,)), place)
        case "certified_verdicts", [certificate, digest, attempts]:
            if certificate_hash(certificate) != digest:
                raise damaged(place, name, f"the certificate for {name} has another hash")
            return _named(Kept(table, name, (certificate, attempts)), place)
        case _:
            return _named(Kept(table, name, tuple(texts)), place)


def to_rows(rows: Rows) -> Callable[[Kept], None]:
    """Writes into the empty tables of a database, inside a transaction."""
    from registry.store.postgres.certificate_rows import put_certificate
    from registry.store.postgres.session_rows import put_session, put_theory

    def put(kept: Kept) -> None:
        match kept.table, kept.texts:
            case "sessions", (body,):
                put_session(rows, kept.name, body)
            case "theories", (body,):
                put_theory(rows, kept.name, body)
            case "certified_verdicts", (certificate, attempts):
                put_certificate(rows, kept.name, certificate, attempts)
            case _, (submission, record):
                rows.execute(
                    "INSERT INTO lean_jobs (id, created, submission, record) VALUES (?, ?, ?, ?)",
                    (kept.name, float(msgspec.json.decode(record)["created"]), submission, record),
                )

    return put


def rows_are_empty(rows: Rows) -> bool:
    """Whether a database holds none of them."""
    return all(rows.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is None for table in STATE)


# ── Files ────────────────────────────────────────────────────────────────────────────────────────────────────


def in_home(home: Path) -> Iterator[Kept]:
    """All that the default directories of a home hold. Raises RegistryError for a file that is none of ours."""
    try:
        sessions = DirectoryStorage(home / "sessions", home / "theories")
        for name in sessions.names():
            read = sessions.read(name)
            if read is not None:
                yield _named(Kept("sessions", name, (_decoded(read[0], sessions.file(name)),)), home)
    except SessionError as error:
        raise damaged(home, "sessions", error.message) from error
    for path in _files(home / "theories", ".kleis"):
        yield _named(Kept("theories", path.stem, (_text(path),)), home)
    for path in _files(home / "aristotle" / "jobs", _RECORD):
        yield _named(Kept("lean_jobs", path.stem, (_text(path.with_suffix(_SUBMISSION)), _text(path))), home)
    for path in _files(home / CERTIFICATES, ".json"):
        try:
            kept = read_certificate(_text(path).encode())
        except msgspec.DecodeError as error:
            raise damaged(path, path.stem, str(error)) from error
        attempts = msgspec.json.encode(kept.attempts).decode()
        yield _named(Kept("certified_verdicts", path.stem, (kept.certificate, attempts)), home)


def _files(directory: Path, suffix: str) -> list[Path]:
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    return [directory / each for each in sorted(names) if each.endswith(suffix) and not each.startswith(".")]


def _text(path: Path) -> str:
    try:
        read = read_whole(path)
    except SessionError as error:
        raise damaged(path, path.name, error.message) from error
    if read is None:
        raise damaged(path, path.name, "it is not there")
    return _decoded(read[0], path)


def _decoded(body: bytes, path: Path) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise damaged(path, path.name, "it is no UTF-8") from error


def to_home(home: Path) -> Callable[[Kept], None]:
    """Writes the files of a home."""
    sessions = DirectoryStorage(home / "sessions", home / "theories")
    certificates = CertificateFiles(home / CERTIFICATES)

    def put(kept: Kept) -> None:
        match kept.table, kept.texts:
            case "sessions", (body,):
                sessions.replace(kept.name, body.encode())
            case "theories", (body,):
                sessions.save(kept.name, body.encode(), overwrite=False)
            case "certified_verdicts", (certificate, attempts):
                with store_errors(home):
                    tried = decode_json(attempts, tuple[tuple[str, str, int], ...])
                    certificates.put(kept.name, KeptCertificate(certificate, tried))
            case _, (submission, record):
                jobs = home / "aristotle" / "jobs"
                make_directory(jobs)
                write_whole(jobs / f"{kept.name}{_SUBMISSION}", submission.encode())
                write_whole(jobs / f"{kept.name}{_RECORD}", record.encode())

    def put_or_say(kept: Kept) -> None:
        try:
            put(kept)
        except SessionError as error:
            raise RegistryError(
                "store_error",
                f"{kept.table} {kept.name} cannot be written: {error.message}",
                hint=error.hint or None,
            ) from error

    return put_or_say


def _named(kept: Kept, place: Place) -> Kept:
    """The same, if its name can be that of a file and a row, and its texts are what they should be."""
    try:
        match kept.table:
            case "sessions" | "theories":
                plain_name(kept.name, what=kept.table, code="session-name")
            case "lean_jobs":
                _check(_ID.fullmatch(kept.name) is not None, "it is no id")
                record = decode_json(kept.texts[1], dict[str, Any])
                _check(record.get("id") == kept.name, "it is the record of another job")
                _check(isinstance(record.get("created"), int | float), "it does not say when it was made")
            case "certified_verdicts":
                _check(_QUESTION.fullmatch(kept.name) is not None, "it is no digest")
                decode_json(kept.texts[1], tuple[tuple[str, str, int], ...])
    except (SessionError, msgspec.DecodeError) as error:
        raise damaged(place, kept.name[:100], f"{kept.table} {kept.name[:100]}: {error}") from error
    return kept


def _check(holds: bool, why: str) -> None:
    if not holds:
        raise msgspec.ValidationError(why)
