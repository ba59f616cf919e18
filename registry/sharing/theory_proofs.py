"""Certificates of what saved theories state: made where they are published, and filed as claimed where they come in (docs/reference/registry.md §3.1).

A verdict is kept by the digest of a question, which names no theory. So `sharing/proofs.json` in the home remembers, for the text of a
theory by its hash, the questions of its lemmas: those whose certificates go with it. What comes from elsewhere is filed under the digest that
its row says, where nothing is filed yet, and is believed in nothing: whoever asks that question checks the certificate before anything is
made of it (`kleis.prover.certificates.shared_verdicts`), and drops it if it shows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from kleis.decoding import decode_json
from kleis.prover.kept_certificates import LONGEST, CertificateStorage, KeptCertificate, MadeCertificates
from registry.access.access_file import AccessFile
from registry.errors import RegistryError
from registry.sharing.keys import FOLDER
from registry.sharing.manifest import OBJECT_LIMIT, decoded, encoded, object_hash

if TYPE_CHECKING:
    from kleis.prover.process.broker import Broker

__all__ = ["MOST", "ProofFile", "Proofs", "certificate_object", "prove_lemmas", "read_certificate_object"]

MOST: Final = 500
"""Certificates that go with one theory."""

_ATTEMPTS: Final = 100
_SECONDS: Final = 600.0


class _Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For each text of a theory, by the hash of its object, the digests of questions."""

    theories: dict[str, tuple[str, ...]] = {}


class ProofFile:
    """What a home remembers of which certificates go with which texts. Reading it makes nothing."""

    def __init__(self, home: Path) -> None:
        self._file = AccessFile(
            home / FOLDER / "proofs.json", "which certificates go with theories", _decoded, _Known(),
            unreadable="which certificates go with saved theories cannot be read",
            restore="Remove the file: theories are then shared without certificates.",
        )  # fmt: skip

    def of(self, text: str) -> tuple[str, ...]:
        """The digests that go with a text, by its object's hash; none where that cannot be read."""
        try:
            return self._file.read().theories.get(text, ())
        except RegistryError:
            return ()

    def add(self, rows: Mapping[str, Sequence[str]]) -> None:
        """Remember digests that go with texts, beside those that are known."""
        if not any(rows.values()):
            return
        with self._file.changing() as replace:
            known = self._file.read().theories
            more = {
                text: tuple(sorted({*known.get(text, ()), *digests}))[:MOST] for text, digests in rows.items()
            }
            replace(_Known({**known, **more}))


class Proofs(msgspec.Struct, frozen=True):
    """The certificates of a home, and which go with which theories."""

    file: ProofFile
    storage: CertificateStorage

    def going_with(self, text: str) -> dict[str, bytes]:
        """The certificates that go with a text, as objects, by the digests of their questions."""
        found = {}
        for digest in self.file.of(text):
            kept = self.storage.get(digest)
            content = None if kept is None else certificate_object(kept)
            if content is not None and len(content) <= OBJECT_LIMIT:
                found[digest] = content
        return found

    def claim(self, digest: str, kept: KeptCertificate) -> bool:
        """File a certificate from elsewhere where there is none, and say whether it was. Raises `store_error`."""
        if self.storage.get(digest) is not None:
            return False
        self._put(digest, kept)
        return True

    def keep(self, text: str, made: Mapping[str, KeptCertificate]) -> None:
        """File certificates that were made here for a text. Raises `store_error`."""
        for digest, kept in made.items():
            self._put(digest, kept)
        self.file.add({text: tuple(made)})

    def _put(self, digest: str, kept: KeptCertificate) -> None:
        try:
            self.storage.put(digest, kept)
        except OSError as error:
            raise RegistryError(
                "store_error", f"a certificate cannot be kept: {error.strerror or error}", hint="make room"
            ) from error


def certificate_object(kept: KeptCertificate) -> bytes:
    """The object of a certificate: the same for the same."""
    return encoded(kept)


def read_certificate_object(content: bytes, hash_: str, place: str) -> KeptCertificate | None:
    """The certificate in an object, spelled as we write it and not longer than one may be; None for anything else."""
    try:
        kept = decoded(content, KeptCertificate, place)
    except RegistryError:
        return None
    is_one = len(kept.certificate) <= LONGEST and len(kept.attempts) <= _ATTEMPTS
    return kept if is_one and object_hash(certificate_object(kept)) == hash_ else None


def prove_lemmas(
    saved: Path, order: Sequence[str], broker: Broker
) -> dict[str, dict[str, KeptCertificate] | RegistryError]:
    """Certificates of the lemmas of saved theories, what is imported first: each lemma is proved anew, from those before it.

    A lemma that is not proved has none; a theory that cannot be loaded has an error in their place.
    """
    from kleis.errors import KleisError
    from kleis.prover.certificates.shared_verdicts import SharedVerdicts
    from kleis.prover.lemmas import Ledger
    from kleis.prover.prover import Prover
    from kleis.prover.verdict_cache import RecentVerdicts
    from kleis.theory.import_search import ImportSearch, packaged_library
    from kleis.theory.loader import Loader

    library = packaged_library()
    confined = (saved,) if library is None else (saved, library)
    loader = Loader(ImportSearch((), None, library, confined))
    made, cache = MadeCertificates(), RecentVerdicts(10_000)
    shared = SharedVerdicts(made, broker)
    found: dict[str, dict[str, KeptCertificate] | RegistryError] = {}
    try:
        for name in order:
            before = {*made.kept}
            try:
                loading = loader.load(saved / f"{name}.kleis")
            except KleisError as error:
                found[name] = _unloadable(name, error.message)
                continue
            if loading.errors:
                found[name] = _unloadable(name, str(loading.errors[0]))
                continue
            prover = Prover(loading.theory, broker=broker, cache=cache, elsewhere=shared, beside=False)
            ledger = Ledger(prover, visible=loading.imported_by)
            for entry in loading.theory.lemmas:
                ledger.prove(entry)
                shared.settle(_SECONDS)
            found[name] = {digest: made.kept[digest] for digest in sorted({*made.kept} - before)[:MOST]}
    finally:
        shared.close()
    return found


def _unloadable(name: str, why: str) -> RegistryError:
    return RegistryError(
        "invalid_argument", f"the saved theory {name} cannot be loaded: {why}", place="theory", found=name,
        hint="load it in a session, and save it again",
    )  # fmt: skip


def _decoded(content: bytes) -> _Known:
    return decode_json(content, _Known)
