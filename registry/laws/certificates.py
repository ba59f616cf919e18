"""Certificates of laws as texts: made, read and checked. Only here does the registry know the checker's format.

A certificate is about a theory and a claim of its own choice. `Shown` is what it says that it shows; whether that is the
law at hand is for the caller to compare (`LawCheck.recheck`), before anything in it is solved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kleis.syntax.tree import Expression, Using
from pif.language.terms import Json

if TYPE_CHECKING:
    from kleis.core.goal import Goal
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.checker.format import Certificate
    from kleis.prover.process.broker import Broker

__all__ = ["AXIOMS", "Shown", "UnreadableCertificate", "check_text", "read_text", "shown_before", "text_of"]

AXIOMS = "axioms"
"""What the finding is about that tells of axioms which are not known to have a model."""


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
    from kleis.prover.checker.strict_reading import to_json

    return to_json(certificate).decode()


def read_text(text: str) -> Shown:
    """What a certificate says that it shows. Raises `UnreadableCertificate`."""
    from kleis.prover.checker.format import CertificateError
    from kleis.prover.checker.strict_reading import from_json

    try:
        given = from_json(text.encode(errors="surrogatepass"))
    except CertificateError as error:
        raise UnreadableCertificate(error.message) from None
    lemmas = tuple(each.claim for each in given.lemmas)
    return Shown(given.status, given.theory, given.claim, given.using, given.part, lemmas, given.assumed)


def shown_before(text: str, goal: Goal, elaborator: Elaborator) -> tuple[Expression, ...]:
    """What a certificate of a goal's claim shows before the claim, in its last proof, as propositions of the goal's theory.

    A step that has no words there is left out. Nothing of it is believed.
    """
    from kleis.delaborate.describe_goal import proposition_of
    from kleis.prover.checker.format import CertificateError
    from kleis.prover.checker.read_terms import Vocabulary
    from kleis.prover.checker.sequent import RejectedError
    from kleis.prover.checker.strict_reading import from_json

    try:
        steps = from_json(text.encode(errors="surrogatepass")).steps
    except CertificateError:
        return ()
    vocabulary = Vocabulary(goal, elaborator.definitions.operation)
    found: list[Expression] = []
    for step in steps:
        if step.shows is None:
            continue
        try:
            formula = vocabulary.closed_formula(step.shows)
        except RejectedError:
            continue
        said = proposition_of(msgspec.structs.replace(goal, claim=formula, free=()), elaborator.theory)
        if said is not None and not isinstance(said, Using):
            found.append(said)
    return tuple(found)


def check_text(text: str, broker: Broker) -> list[Json]:
    """The findings of the check of a certificate: nothing in it is believed."""
    from kleis.prover.certificates.check import check

    report = check(text.encode(errors="surrogatepass"), broker)
    if report.refused is not None or not report.ok:
        step, reason = report.refused or ("proof", "it is refused")
        return [{"what": step, "ok": False, "detail": reason}]
    settled = "; ".join(dict.fromkeys(each.by for each in report.leaves))
    found: list[Json] = [{"what": "proof", "ok": True, "detail": settled}]
    if report.model == "unknown":
        found.append({"what": AXIOMS, "ok": True, "detail": "they are not known to have a model"})
    return found
