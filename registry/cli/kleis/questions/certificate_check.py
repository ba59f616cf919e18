"""`kleis certificate check FILE`: what a verdict rests on, or the step of its certificate that lies.

Specification: docs/reference/certificates.md §6.  JSON: the fields of `kleis.prover.certificates.check.CheckReport` that say
something, ``theory`` (the SHA-256 of its text), and ``differences`` where a theory or a claim was given to compare.

Exit status: 0 only if everything holds: the certificate, the comparison, and with ``--require-model`` that the axioms used
have a model, which was checked; else 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from registry.cli.kleis.shared.reports import UNKNOWN_MODEL, print_evidence, remark
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.screen import Line, Screen, json_text

if TYPE_CHECKING:
    from kleis.prover.certificates.check import CheckReport, Settles

__all__ = ["Reader", "check_file"]


class Reader(msgspec.Struct, frozen=True):
    """What the reader holds, and asks for: a theory's file, a claim, and that the axioms used have a model."""

    theory: str = ""
    claim: str = ""
    path: tuple[Path, ...] = ()
    require_model: bool = False


def check_file(file: Path, reader: Reader, *, solvers: Settles, as_json: bool) -> int:
    """Check a certificate and say what its verdict rests on; the exit status."""
    from kleis.prover.certificates.check import check
    from kleis.prover.process.broker import Broker

    data = file.read_bytes()
    with Broker() as broker:
        report = check(data, broker, solvers=solvers, file=str(file))
    differences: tuple[str, ...] = ()
    digest = ""
    if report.ok:
        from registry.cli.kleis.questions.compare_goals import differences_from

        digest = _theory_digest(data, file)
        if reader.theory or reader.claim:
            differences = differences_from(data, reader.theory, reader.claim, reader.path)
    without_model = reader.require_model and report.model == "unknown"
    ok = report.ok and not differences and not without_model
    screen = Screen()
    if as_json:
        answer = {**report.as_dict(), "ok": ok, "theory": digest, "differences": list(differences)}
        screen.out.write(
            json_text({name: each for name, each in answer.items() if each not in ("", [])}) + "\n"
        )
        return 0 if ok else 1
    screen.write(*_first_line(report, file, ok))
    screen.write(*_rests_on(report, digest))
    if without_model:
        screen.write(
            remark("refused", "the axioms used are not known to have a model, which is required", "bad")
        )
    for each in differences:
        screen.write(remark("differs", each, "bad"))
    if report.evidence is not None:
        title = {"disproved": "counterexample", "consistent": "model"}.get(report.status, "evidence")
        print_evidence(screen, report.evidence, title)
    return 0 if ok else 1


def _first_line(report: CheckReport, file: Path, ok: bool) -> Iterator[Line]:
    if not report.ok:
        yield [Piece("not valid", "bad"), Piece(f"  {file}")]
        return
    unknown = UNKNOWN_MODEL if report.model == "unknown" else ""
    about = report.part or report.claim
    yield [Piece("valid" if ok else "not what was asked for", "good" if ok else "bad"),
           Piece(f"  {report.status}{unknown}: {about}")]  # fmt: skip


_MODEL = {
    "checked": "they have a model, which was checked",
    "unknown": "whether they have a model is not known",
}


def _rests_on(report: CheckReport, digest: str) -> Iterator[Line]:
    """What the verdict rests on, a line each."""
    if report.refused is not None:
        step, reason = report.refused
        yield remark("refused", f"{step}: {reason}", "bad")
    for title, text in (("using", report.using), ("theory", digest), ("goal", report.goal)):
        if text and report.ok:
            yield remark(title, text)
    if report.core:
        yield remark("clash" if report.status == "inconsistent" else "axioms", ", ".join(report.core))
    if report.model in _MODEL:
        yield remark("", _MODEL[report.model], "plain" if report.model == "checked" else "word")
    yield from _rows("definitions", [f"{name}: {why}" for name, why in report.definitions])
    if report.assumed:
        yield remark(
            "assumed", f"{', '.join(report.assumed)} (declared by an implementation, not proved)", "word"
        )
    yield from _rows("settled", [f"{each.place}: {each.by}" for each in report.leaves])
    for each in report.warnings:
        yield remark("warning", each, "word")
    yield remark("checked", f"in {report.seconds:.2f} s")


def _rows(title: str, texts: Sequence[str]) -> Iterator[Line]:
    for place, each in enumerate(texts):
        yield remark("" if place else title, each)


def _theory_digest(data: bytes, file: Path) -> str:
    """The SHA-256 of the text of the theory in a certificate that was accepted."""
    from kleis.prover.checker.strict_reading import from_json

    return hashlib.sha256(from_json(data, file=str(file)).theory.encode()).hexdigest()
