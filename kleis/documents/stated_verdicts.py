"""Propositions decided for a paper, each with the hash of its certificate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kleis.documents.paper import StatedVerdict
from kleis.elaborate.question import read_question
from kleis.errors import KleisError
from kleis.prover.certificates.build import Question, build_from
from kleis.prover.checker.format import CertificateError
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.prover.shared_provers import Provers
from kleis.theory.theory import Theory

__all__ = ["stated_verdicts"]


def stated_verdicts(
    propositions: Sequence[str], theory: Theory, provers: Provers, deadline: Deadline
) -> tuple[StatedVerdict, ...]:
    """The verdict on each proposition; one that is ill-formed has the status ``error``."""
    return tuple(_stated(each, theory, provers, deadline) for each in propositions)


def _stated(proposition: str, theory: Theory, provers: Provers, deadline: Deadline) -> StatedVerdict:
    try:
        question = read_question(proposition, file="<proposition>", importing="session")
    except KleisError as error:
        return StatedVerdict(proposition=proposition, status="error", note=error.message)
    with provers.prover(theory, deadline) as prover:
        verdict = prover.ask(question).verdict
        if verdict.status not in ("verified", "disproved"):
            return StatedVerdict(proposition=proposition, status=verdict.status, note=verdict.message[:300])
        digest, note = _certificate(proposition, verdict, prover, provers)
    shown = (
        ", ".join(f"{each.name} = {each.value}" for each in verdict.evidence.bindings)
        if verdict.evidence
        else ""
    )
    return StatedVerdict(
        proposition=proposition,
        status=verdict.status,
        axioms=tuple(verdict.core),
        evidence=shown[:300],
        certificate=digest,
        note=note,
    )


def _certificate(proposition: str, verdict: Verdict, prover: Prover, provers: Provers) -> tuple[str, str]:
    """The SHA-256 of the certificate, or why there is none."""
    try:
        certificate = build_from(provers.broker, prover, Question(proposition), verdict)
    except CertificateError as error:
        return "", f"no certificate: {error.message}"[:300]
    return hashlib.sha256(to_json(certificate)).hexdigest(), ""
