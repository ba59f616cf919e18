"""`kleis verify --certificate FILE`, `kleis consistent --certificates DIR` and `kleis certificate check FILE`.

Specification: docs/reference/proving.md §12. Beside ``FILE`` stand its obligations as ``FILE-stem.N.smt2``, which any
SMT-LIB solver reads.  JSON of a check: ``{"ok", "status", "claim", "findings": [{"what", "ok", "detail"}]}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis import durable_files
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.prover.certificates.certificate import Certificate, Finding, ObligationText
    from kleis.prover.process.broker import Broker
    from kleis.prover.protocol.verdict import Verdict
    from kleis.prover.prover import Prover
    from registry.cli.kleis.shared.question import Question

__all__ = ["certified", "certified_parts", "check_file", "obligation_files", "write_certificate"]


def certified(
    question: Question, proposition: str, prover: Prover, broker: Broker, verdict: Verdict
) -> Verdict:
    """The verdict with its certificate written; with a warning where there is none, withdrawn on a contradiction."""
    from kleis.prover.certificates.build import Contradiction, build
    from kleis.prover.certificates.build import Question as Asked
    from kleis.prover.certificates.certificate import CertificateError

    assert question.certificate is not None
    try:
        lemmas = tuple(_lemmas(question, prover))
        asked = Asked(proposition, question.using, lemmas)
        certificate = build(broker, prover.theory, asked, verdict)
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
        return msgspec.structs.replace(verdict, warnings=(*verdict.warnings, error.message))
    write_certificate(question.certificate, certificate)
    return msgspec.structs.replace(verdict, certificate=str(question.certificate))


def certified_parts(
    parts: tuple[tuple[str, Verdict], ...], folder: Path, prover: Prover, broker: Broker
) -> tuple[tuple[str, Verdict], ...]:
    """The verdicts on parts of a theory, each with its certificate in a file of the folder."""
    from kleis.prover.certificates.build import build_part
    from kleis.prover.certificates.certificate import CertificateError

    folder.mkdir(parents=True, exist_ok=True)
    found: list[tuple[str, Verdict]] = []
    for place, (part, verdict) in enumerate(parts, 1):
        if verdict.status in ("consistent", "inconsistent"):
            name = "".join(each if each.isalnum() else "-" for each in part)[:_NAME]
            file = folder / f"{place}-{name}.json"
            try:
                write_certificate(file, build_part(broker, prover.theory, part, verdict))
                verdict = msgspec.structs.replace(verdict, certificate=str(file))
            except CertificateError as error:
                verdict = msgspec.structs.replace(verdict, warnings=(*verdict.warnings, error.message))
        found.append((part, verdict))
    return tuple(found)


_NAME = 60
"""So many characters of a part's name are in its file's name."""


def _lemmas(question: Question, prover: Prover) -> list[tuple[str, Verdict]]:
    """The lemmas with their verdicts, each with those before it."""
    from kleis.syntax.parser.parser import parse_expression, parse_type

    using = parse_type(question.using) if question.using else None
    trees = [parse_expression(each) for each in question.lemmas]
    return [
        (text, prover.verify(tree, using=using, lemmas=trees[:place]))
        for place, (text, tree) in enumerate(zip(question.lemmas, trees, strict=True))
    ]


def obligation_files(file: Path, certificate: Certificate) -> dict[Path, ObligationText]:
    """The obligations with the files they are written to."""
    return {
        file.with_name(f"{file.stem}.{place}.smt2"): each
        for place, each in enumerate(certificate.obligations, 1)
    }


def write_certificate(file: Path, certificate: Certificate) -> None:
    """Write a certificate, and its obligations beside it."""
    for path, each in obligation_files(file, certificate).items():
        durable_files.write_whole(path, each.text.encode(), mode=0o644, durable=False)
    durable_files.write_whole(file, certificate.to_json(), mode=0o644, durable=False)


def check_file(file: Path, *, as_json: bool) -> int:
    """Check a certificate and say what was found; the exit status."""
    from kleis.prover.certificates.certificate import (
        Certificate,
        CertificateError,
        CheckReport,
        Finding,
        check,
    )
    from kleis.prover.process.broker import Broker

    status = claim = ""
    try:
        certificate = Certificate.from_json(file.read_bytes(), file=str(file))
    except CertificateError as error:
        report = CheckReport((Finding("file", False, error.message),))
    else:
        status, claim = certificate.status, certificate.claim or certificate.part
        with Broker() as broker:
            found = check(certificate, broker).findings
        report = CheckReport((*found, *_beside(file, certificate)))
    screen = Screen()
    if as_json:
        answer = {"ok": report.ok, "status": status, "claim": claim, **report.as_dict()}
        screen.out.write(json_text(answer) + "\n")
        return 0 if report.ok else 1
    for each in report.findings:
        mark = Piece("holds   ", "good") if each.ok else Piece("refused ", "bad")
        detail = f": {each.detail}" if each.detail else ""
        screen.write([mark, Piece(each.what + detail)])
    if report.ok:
        screen.write([Piece("valid", "good"), Piece(f"  {status}: {claim}")])
    else:
        screen.write([Piece("not valid", "bad"), Piece(f"  {file}")])
    return 0 if report.ok else 1


def _beside(file: Path, certificate: Certificate) -> list[Finding]:
    """That obligations written beside the certificate, where they are there, are those in it."""
    from kleis.prover.certificates.certificate import Finding as Found

    found = []
    for path, each in obligation_files(file, certificate).items():
        if path.exists():
            same = path.read_bytes() == each.text.encode()
            found.append(
                Found(path.name, same, "" if same else "it is not the obligation of the certificate")
            )
    return found
