"""Certificates of questions that belong to no saved theory, as a publication has them (docs/reference/registry.md §3.1).

A certificate holds its question whole: declarations, claim, and the digest of what is asked. So the root names one object, the index, which
names for each digest the object of a certificate. On arrival each is checked in a process that can be killed, like any certificate, and
filed only if it shows what its digest says: who publishes is believed in nothing. `sharing/questions.json` in the home lists the digests of
those that it gave or took in.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from kleis.decoding import decode_json
from kleis.prover.certificates.check import check
from kleis.prover.certificates.shared_verdicts import GUARDS
from kleis.prover.kept_certificates import LONGEST, CertificateStorage, KeptCertificate
from kleis.prover.process.broker import Broker
from registry.access.access_file import AccessFile
from registry.errors import RegistryError
from registry.sharing.keys import FOLDER
from registry.sharing.manifest import OBJECT_LIMIT, decoded, encoded, object_hash, untrue
from registry.sharing.pull import Puller
from registry.sharing.theory_proofs import certificate_object, read_certificate_object

__all__ = [
    "MOST",
    "QuestionCatalogue",
    "QuestionFile",
    "Questions",
    "TakenQuestions",
    "file_certificates",
    "new_questions",
    "offered_questions",
    "pull_questions",
    "questions_of",
    "take_questions",
]

MOST: Final = 5_000
"""Questions of one publication."""

_LIES: Final = 20
"""Certificates that show nothing, after which no more of a source are looked at."""

_BYTES: Final = 64 * 1024 * 1024
_SHOWN: Final = 200
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The digests of questions, each with its claim, for people."""

    questions: dict[str, str] = {}


class QuestionFile:
    """The questions of a home whose certificates are given on. Reading it makes nothing."""

    def __init__(self, home: Path) -> None:
        self._file = AccessFile(
            home / FOLDER / "questions.json", "which questions have certificates", _decoded, _Known(),
            unreadable="which questions have certificates cannot be read",
            restore="Remove the file: nothing is given on then but what is named.",
        )  # fmt: skip

    def read(self) -> dict[str, str]:
        """The claims by their digests."""
        return self._file.read().questions

    def add(self, claims: Mapping[str, str]) -> None:
        """List questions."""
        if not claims.items() <= self.read().items():
            with self._file.changing() as replace:
                replace(_Known({**self.read(), **claims}))


class Questions(msgspec.Struct, frozen=True):
    """Certificates that are given together: `rows` are the objects by the digests of questions, `objects` has the index too, whose hash is
    `index`, empty where there are none."""

    rows: dict[str, str] = {}
    objects: dict[str, bytes] = {}
    index: str = ""


def questions_of(
    home: Path,
    storage: CertificateStorage,
    fits: Callable[[bytes], bool] = lambda content: len(content) <= OBJECT_LIMIT,
) -> Questions:
    """What a home has to give, but objects that do not fit. Raises `invalid_argument` where that is more than a publication holds."""
    rows: dict[str, str] = {}
    objects: dict[str, bytes] = {}
    for digest in sorted(QuestionFile(home).read()):
        kept = storage.get(digest)
        content = None if kept is None else certificate_object(kept)
        if content is not None and fits(content):
            rows[digest] = object_hash(content)
            objects[rows[digest]] = content
    if not rows:
        return Questions()
    if len(rows) > MOST:
        raise RegistryError(
            "invalid_argument", "there are more certificates of questions than a publication holds", found=str(len(rows)),
            expected=f"{MOST} at most", hint="publish from several homes",
        )  # fmt: skip
    index = encoded(rows)
    return Questions(rows, {**objects, object_hash(index): index}, object_hash(index))


class QuestionCatalogue:
    """The certificates of questions that a server offers; certificates are read anew only where other questions are listed."""

    def __init__(self, home: Path, storage: Callable[[], CertificateStorage | None]) -> None:
        self._home = home
        self._file = QuestionFile(home)
        self._storage = storage
        self._listed: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        self._index = ("", b"")

    def bring_up_to_date(self) -> str:
        """The hash of the index of what is offered now; empty where nothing is, or more than an index can hold."""
        listed = self._file.read()
        storage = self._storage() if listed else None
        if listed == self._listed or storage is None or len(listed) > MOST:
            return self._index[0] if listed == self._listed else ""
        given = questions_of(self._home, storage)
        self._listed, self._digests = listed, {hash_: digest for digest, hash_ in given.rows.items()}
        self._index = (given.index, given.objects.get(given.index, b""))
        return given.index

    def object(self, hash_: str) -> bytes | None:
        """The index as it was offered last, or a certificate of it; None for what is not there, or not as it was."""
        if hash_ and hash_ == self._index[0]:
            return self._index[1]
        digest, storage = self._digests.get(hash_), self._storage()
        kept = None if digest is None or storage is None else storage.get(digest)
        content = None if kept is None else certificate_object(kept)
        return content if content is not None and object_hash(content) == hash_ else None


def file_certificates(
    files: Sequence[Path], home: Path, storage: CertificateStorage, broker: Broker
) -> dict[str, str]:
    """Check certificates in files, as `kleis verify --certificate` writes them, and file them; their claims by digests.

    Raises `invalid_argument` for one that cannot be read or does not hold, `store_error` where one cannot be kept.
    """
    found: dict[str, str] = {}
    for path in files:
        try:
            data = path.read_bytes() if path.stat().st_size <= LONGEST else b""
        except OSError as error:
            raise _unusable(path, error.strerror or str(error)) from None
        kept = _kept_of(data)
        shown = () if kept is None else _shown_by(kept, broker)
        if kept is None or not shown:
            raise _unusable(path, "it does not hold, or is no certificate of a verdict on a claim")
        digest = shown[-1]
        _put(storage, digest, kept)
        found[digest] = _said(kept, "claim")
    QuestionFile(home).add(found)
    return found


def offered_questions(puller: Puller) -> dict[str, str]:
    """The certificates that a publication has: objects by the digests of questions. Raises `invalid_argument`."""
    hash_ = puller.manifest.questions
    if not hash_:
        return {}
    place = _place(puller, hash_)
    rows = decoded(puller.source.object(hash_, OBJECT_LIMIT), dict[str, str], place)
    if len(rows) > MOST or any(_HASH.fullmatch(each) is None for pair in rows.items() for each in pair):
        raise untrue(
            place, "the index of questions is not spelled as one", "other values", f"{MOST} hashes at most"
        )
    return rows


class TakenQuestions(msgspec.Struct):
    """What became of certificates that came: those that hold, by digests, those that were refused, and how many were looked at."""

    told: dict[str, dict[str, str]] = {}
    refused: list[dict[str, Any]] = []
    looked_at: int = 0
    fetched: int = 0
    is_left: bool = False
    """Whether no more of the source are looked at: it sent too much, or too much that shows nothing."""

    @property
    def questions(self) -> list[dict[str, str]]:
        """Status and claim of each that holds."""
        return [self.told[each] for each in sorted(self.told)]


def new_questions(puller: Puller, storage: CertificateStorage) -> dict[str, str]:
    """The certificates of a publication for whose questions there is none here, in order of digests. Raises as `offered_questions`."""
    rows = sorted(offered_questions(puller).items())
    return {digest: hash_ for digest, hash_ in rows if storage.get(digest) is None}


def pull_questions(puller: Puller, home: Path, storage: CertificateStorage, broker: Broker) -> dict[str, Any]:
    """Take in the certificates of questions that are new here and hold; the answer of a command. Raises as `offered_questions`, and
    `store_error`."""
    rows = new_questions(puller, storage)
    puller.source.ahead([*rows.values()])
    taken = take_questions(puller, rows, home, storage, broker)
    return {
        "type": "synchronised", "publisher": puller.described(), "looked_at": len(rows), "fetched": taken.fetched, "added": [],
        "questions": taken.questions, "refused": taken.refused,
    }  # fmt: skip


def take_questions(
    puller: Puller,
    rows: Mapping[str, str],
    home: Path,
    storage: CertificateStorage,
    broker: Broker,
    *,
    seconds: float = math.inf,
    lies: int = _LIES,
) -> TakenQuestions:
    """Check certificates, file those that hold, and list them. After `seconds` none but the first is begun; after `lies` that show
    nothing no more of the source are looked at. Raises `store_error`."""
    taken = TakenQuestions()
    size, until = 0, time.monotonic() + seconds
    for digest, hash_ in rows.items():
        if taken.looked_at and time.monotonic() > until:
            break
        if size > _BYTES or len(taken.refused) >= lies:
            found = f"{len(taken.refused)} refused, {size} bytes"
            wanted = f"certificates that hold, {_BYTES} bytes at most at a time"
            place = _place(puller, hash_)
            taken.refused.append(
                _refusal(digest, untrue(place, "no more of this source are looked at", found, wanted))
            )
            taken.is_left = True
            break
        taken.looked_at += 1
        size += _take_one(puller, (digest, hash_), home, storage, broker, taken)
    return taken


def _take_one(
    puller: Puller,
    row: tuple[str, str],
    home: Path,
    storage: CertificateStorage,
    broker: Broker,
    taken: TakenQuestions,
) -> int:
    """Check and file one; the bytes that came. It is listed before it is filed: what is listed and not there is not given on, and
    comes again where this was cut off."""
    digest, hash_ = row
    place = _place(puller, hash_)
    try:
        content = puller.source.object(hash_, OBJECT_LIMIT)
    except RegistryError as error:
        if error.kind == "store_error":
            raise
        taken.refused.append(_refusal(digest, error))
        return 0
    taken.fetched += 1
    kept = read_certificate_object(content, hash_, place)
    if kept is None or digest not in _shown_by(kept, broker):
        lie = untrue(place, "a certificate does not show what its digest says", hash_, digest)
        taken.refused.append(_refusal(digest, lie))
    else:
        QuestionFile(home).add({digest: _said(kept, "claim")})
        _put(storage, digest, kept)
        taken.told[digest] = {"status": _said(kept, "status"), "claim": _said(kept, "claim")}
    return len(content)


def _shown_by(kept: KeptCertificate, broker: Broker) -> tuple[str, ...]:
    """The digests of the questions that a certificate answers, checked here: none, one, or with and without its lemmas."""
    data = kept.certificate.encode("utf-8", "surrogatepass")
    report = check(data, broker, file="<certificate>", guards=GUARDS)
    if not report.ok or report.status not in ("verified", "disproved"):
        return ()
    return (report.goal, report.without_lemmas) if report.without_lemmas else (report.goal,)


def _kept_of(data: bytes) -> KeptCertificate | None:
    try:
        return KeptCertificate(data.decode()) if data else None
    except UnicodeDecodeError:
        return None


def _said(kept: KeptCertificate, field: str) -> str:
    """A text in a certificate that was checked."""
    fields = msgspec.json.decode(kept.certificate)
    return str(fields.get(field, "")) if isinstance(fields, dict) else ""


def _put(storage: CertificateStorage, digest: str, kept: KeptCertificate) -> None:
    try:
        storage.put(digest, kept)
    except OSError as error:
        raise RegistryError(
            "store_error", f"a certificate cannot be kept: {error.strerror or error}", hint="make room"
        ) from error


def _refusal(digest: str, error: RegistryError) -> dict[str, Any]:
    return {"root": digest, **error.as_json()}


def _unusable(path: Path, why: str) -> RegistryError:
    return RegistryError(
        "invalid_argument", f"this certificate cannot be shared: {why[:_SHOWN]}", place="certificate", found=str(path),
        expected="a certificate that holds, as `kleis verify --certificate FILE` writes it",
        hint="`kleis certificate check FILE` says what is wrong with it",
    )  # fmt: skip


def _place(puller: Puller, hash_: str) -> str:
    return f"{puller.source.place}/objects/{hash_}.json"


def _decoded(content: bytes) -> _Known:
    return decode_json(content, _Known)
