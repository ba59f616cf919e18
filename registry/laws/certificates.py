"""Certificates of laws as texts: made, read and checked. Only here does the registry know the checker's format.

A certificate is about a theory and a claim of its own choice. `Shown` is what it says that it shows; whether that is the
law at hand is for the caller to compare (`LawCheck.recheck`), before anything in it is solved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pif.language.terms import Json

if TYPE_CHECKING:
    from kleis.prover.certificates.certificate import Certificate
    from kleis.prover.process.broker import Broker

__all__ = ["Shown", "UnreadableCertificate", "check_text", "read_text", "text_of"]


class UnreadableCertificate(Exception):
    """A text that is no certificate, or one of another format."""


class Shown(msgspec.Struct, frozen=True):
    """What a certificate says that it shows. `lemmas` are the propositions that it shows first."""

    status: str
    theory: str
    claim: str
    using: str
    part: str
    lemmas: tuple[str, ...]
    assumed: tuple[str, ...]


def text_of(certificate: Certificate) -> str:
    """The text that is kept and hashed: equal certificates have equal texts."""
    return msgspec.json.encode(msgspec.to_builtins(certificate), order="sorted").decode()


def read_text(text: str) -> Shown:
    """What a certificate says that it shows. Raises `UnreadableCertificate`."""
    given = _certificate(text)
    return Shown(
        given.status, given.theory, given.claim, given.using, given.part,
        tuple(each.claim for each in given.lemmas), given.assumed,
    )  # fmt: skip


def check_text(text: str, broker: Broker) -> list[Json]:
    """The findings of the check of a certificate: nothing in it is believed."""
    from kleis.prover.certificates.certificate import check

    try:
        given = _certificate(text)
    except UnreadableCertificate as error:
        return [{"what": "certificate", "ok": False, "detail": str(error)}]
    return [msgspec.structs.asdict(each) for each in check(given, broker).findings]


def _certificate(text: str) -> Certificate:
    from kleis.prover.certificates.certificate import Certificate, CertificateError

    try:
        return Certificate.from_json(text.encode())
    except CertificateError as error:
        raise UnreadableCertificate(error.message) from None
