"""`kleis verify --certificate FILE` and `kleis consistent --certificates DIR`: certificates written.

Specification: docs/reference/proving.md §12.  Where none can be made, the verdict stays, and its field `certificate` says
``none`` with the leaf and the reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis import durable_files

if TYPE_CHECKING:
    from kleis.prover.certificates.build import Question as Asked
    from kleis.prover.checker.format import Certificate, CertificateError
    from kleis.prover.process.broker import Broker
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Decision, Prover
    from registry.cli.kleis.shared.question import Question

__all__ = ["certified", "certified_parts", "write_certificate"]


def certified(
    question: Question, proposition: str, prover: Prover, broker: Broker, decision: Decision
) -> Verdict:
    """The verdict with its certificate written, or with the reason why there is none; withdrawn on a contradiction."""
    from kleis.prover.certificates.build import Contradiction, build_from
    from kleis.prover.certificates.build import Question as Asked
    from kleis.prover.checker.format import CertificateError
    from kleis.prover.library_laws import KEPT

    assert question.certificate is not None
    verdict = decision.verdict
    try:
        if any(each.verdict.engine != KEPT for each in decision.used) and not question.lemmas:
            asked, found = _with_facts(decision, prover)
        else:
            asked, found = Asked(proposition, question.using, tuple(_lemmas(question, prover))), verdict
        certificate = build_from(broker, prover, asked, found)
    except Contradiction as error:
        return msgspec.structs.replace(
            verdict,
            status="unknown",
            reason="contradiction",
            message=error.message,
            advice=error.hint,
            core=(),
            evidence=None,
        )
    except CertificateError as error:
        return _without(verdict, error)
    write_certificate(question.certificate, certificate)
    return msgspec.structs.replace(verdict, certificate=str(question.certificate))


def certified_parts(
    parts: tuple[tuple[str, Verdict], ...], folder: Path, prover: Prover, broker: Broker
) -> tuple[tuple[str, Verdict], ...]:
    """The verdicts on parts of a theory, each with its certificate in a file of the folder."""
    from kleis.prover.certificates.build import build_part_from
    from kleis.prover.checker.format import CertificateError

    folder.mkdir(parents=True, exist_ok=True)
    found: list[tuple[str, Verdict]] = []
    for place, (part, verdict) in enumerate(parts, 1):
        if verdict.status in ("consistent", "inconsistent"):
            name = "".join(each if each.isalnum() else "-" for each in part)[:_NAME]
            file = folder / f"{place}-{name}.json"
            try:
                made = build_part_from(broker, prover, part, verdict)
                write_certificate(file, made)
                verdict = msgspec.structs.replace(verdict, certificate=str(file))
            except CertificateError as error:
                verdict = _without(verdict, error)
        found.append((part, verdict))
    return tuple(found)


_NAME = 60
"""So many characters of a part's name are in its file's name."""

_NONE = "no certificate: "
"""How the reasons of `build` begin."""


def _without(verdict: Verdict, error: CertificateError) -> Verdict:
    """The verdict with the reason why there is no certificate of it."""
    reason = error.message.removeprefix(_NONE)
    return msgspec.structs.replace(verdict, certificate=f"none ({reason})")


def _with_facts(decision: Decision, prover: Prover) -> tuple[Asked, Verdict]:
    """The claim with the lemmas of files that its proof rests on as lemmas of its own, and the verdict on that.

    Their texts are those of their meanings, which say what structure each is about.
    """
    from kleis.prover.certificates.build import Question as Asked
    from kleis.prover.library_laws import KEPT
    from kleis.syntax.parser.parser import parse_expression

    stated = (each for fact in decision.used for each in fact.grounds() if each.verdict.engine != KEPT)
    texts = dict.fromkeys(each.verdict.claim for each in stated)
    trees = [parse_expression(each) for each in texts]
    shown = tuple(
        (text, prover.verify(tree, lemmas=trees[:place]))
        for place, (text, tree) in enumerate(zip(texts, trees, strict=True))
    )
    claim = decision.verdict.claim
    return Asked(claim, "", shown), prover.verify(parse_expression(claim), lemmas=trees)


def _lemmas(question: Question, prover: Prover) -> list[tuple[str, Verdict]]:
    """The lemmas with their verdicts, each with those before it."""
    from kleis.syntax.parser.parser import parse_expression, parse_type

    using = parse_type(question.using) if question.using else None
    trees = [parse_expression(each) for each in question.lemmas]
    return [
        (text, prover.verify(tree, using=using, lemmas=trees[:place]))
        for place, (text, tree) in enumerate(zip(question.lemmas, trees, strict=True))
    ]


def write_certificate(file: Path, certificate: Certificate) -> None:
    """Write a certificate in its canonical bytes."""
    from kleis.prover.checker.strict_reading import to_json

    durable_files.write_whole(file, to_json(certificate), mode=0o644, durable=False)
