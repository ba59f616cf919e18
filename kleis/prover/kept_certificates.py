"""Certificates of verdicts as they are kept for other machines: protocols, and files of a home.

Nothing here is believed: `kleis.prover.certificates.shared_verdicts` checks what it finds.  See
docs/reference/proving.md §11.1.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from kleis import durable_files
from kleis.decoding import decode_json
from kleis.prover.protocol.verdict import Attempt, Evidence, Verdict

if TYPE_CHECKING:
    from kleis.prover.facts import Fact
    from kleis.prover.process.broker import Broker
    from kleis.prover.protocol.engine import Answer, Task
    from kleis.theory.theory import Theory

__all__ = [
    "CERTIFICATES",
    "LONGEST",
    "REFUSED",
    "AnyElsewhere",
    "CertificateFiles",
    "CertificateStorage",
    "Elsewhere",
    "KeptCertificate",
    "MadeCertificates",
    "ShownElsewhere",
    "read_certificate",
]

LONGEST = 4 * 2**20
"""Characters of a certificate that is shared."""

CERTIFICATES = "certified"
"""The folder of a home for certificates of verdicts that came from elsewhere."""

REFUSED = "refused"
"""The folder, beside the certificates of a home, of those that were checked and show nothing."""

_ASIDE = 20
"""How many of those are kept, the newest."""


class KeptCertificate(msgspec.Struct, frozen=True):
    """A certificate as it is kept, and which engines were asked: what is needed to ask the one again that found it."""

    certificate: str
    attempts: tuple[tuple[str, str, int], ...] = ()


class CertificateStorage(Protocol):
    """Where certificates are, by the digest of a question. Any thread may call; a failure is "not there", or "not kept"."""

    @property
    def takes_more(self) -> bool:
        """Whether what is found here is kept."""
        ...

    def get(self, question: str) -> KeptCertificate | None:
        """What is kept for a question."""
        ...

    def put(self, question: str, kept: KeptCertificate) -> None:
        """Keep a certificate, in place of what is there."""
        ...

    def refuse(self, question: str) -> None:
        """Told that what is kept for a question was checked and shows nothing of it."""
        ...


class CertificateFiles:
    """The certificates that a home got from elsewhere: a file each. What is found here is in the home's own cache."""

    takes_more = False

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever kept."""
        return not self._directory.is_dir()

    def has(self, question: str) -> bool:
        """Whether there is a file for a question, readable or not."""
        return (self._directory / f"{question}.json").exists()

    def get(self, question: str) -> KeptCertificate | None:
        """What the file of a question holds; None where it cannot be read."""
        try:
            return read_certificate((self._directory / f"{question}.json").read_bytes())
        except (OSError, msgspec.DecodeError):
            return None

    def put(self, question: str, kept: KeptCertificate) -> None:
        """Write the file.  Raises OSError."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable_files.write_whole(self._directory / f"{question}.json", msgspec.json.encode(kept))

    def refuse(self, question: str) -> None:
        """Put the certificate aside, as `kleis certificate check` reads it: it wastes no other check, and another may come in its place."""
        file, aside = self._directory / f"{question}.json", self._directory / REFUSED
        kept = self.get(question)
        with suppress(OSError):
            aside.mkdir(mode=0o700, parents=True, exist_ok=True)
            if kept is None:
                os.replace(file, aside / file.name)
            else:
                data = kept.certificate.encode("utf-8", "surrogatepass")
                durable_files.write_whole(aside / file.name, data, durable=False)
            for old in sorted(aside.iterdir(), key=lambda each: each.stat().st_mtime)[:-_ASIDE]:
                old.unlink()
        with suppress(OSError):
            file.unlink()


class MadeCertificates:
    """The certificates that are made while this is asked, by the digests of their questions. None is taken over from before."""

    takes_more = True

    def __init__(self) -> None:
        self.kept: dict[str, KeptCertificate] = {}

    def get(self, question: str) -> KeptCertificate | None:
        """Nothing: all are made anew."""
        del question
        return None

    def put(self, question: str, kept: KeptCertificate) -> None:
        """Keep one."""
        self.kept[question] = kept

    def refuse(self, question: str) -> None:
        """Nothing: none was given out."""


def read_certificate(data: bytes) -> KeptCertificate:
    """A file's certificate.  Raises msgspec.DecodeError."""
    return decode_json(data, KeptCertificate)


class ShownElsewhere(msgspec.Struct, frozen=True):
    """What a certificate from elsewhere shows of a goal, as its check here found it.

    `core` are the axioms and lemmas that a proof rests on at most; `engine` and `attempts` who is said to have found it.
    """

    status: Literal["verified", "disproved"]
    core: tuple[str, ...] = ()
    evidence: Evidence | None = None
    engine: str = ""
    attempts: tuple[Attempt, ...] = ()


class Elsewhere(Protocol):
    """Verdicts that other machines found (`kleis.prover.certificates.shared_verdicts`)."""

    def find(self, task: Task, broker: Broker) -> ShownElsewhere | None:
        """What was shown of a task, once its certificate has been checked here; None if nothing was."""
        ...

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Share a verdict on a task with these facts, without delay for who asked."""
        ...


class AnyElsewhere:
    """Several places with verdicts of other machines, the first asked first."""

    def __init__(self, places: Sequence[Elsewhere]) -> None:
        self._places = places

    def find(self, task: Task, broker: Broker) -> ShownElsewhere | None:
        """What the first place shows that shows anything."""
        return next(filter(None, (each.find(task, broker) for each in self._places)), None)

    def offer(
        self, theory: Theory, task: Task, facts: Sequence[Fact], verdict: Verdict, answer: Answer | None
    ) -> None:
        """Share a verdict in each."""
        for each in self._places:
            each.offer(theory, task, facts, verdict, answer)
