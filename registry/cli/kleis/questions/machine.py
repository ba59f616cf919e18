"""`kleis machine`: what is true of all runs of a state machine.

Specification: docs/reference/proving.md §5.11. JSON: the fields of `kleis.sessions.answer_shapes.MachineAnswer`.

Exit status: 0 all is as asked, 1 something is not, 2 the question or the command is ill-formed, 3 unknown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError
from registry.cli.kleis.shared.loading import load, make_loader
from registry.cli.kleis.shared.patience import Patience, TimeIsUp
from registry.cli.kleis.shared.question import make_prover
from registry.cli.kleis.shared.reports import print_rows, print_warnings, remark, render
from registry.cli.kleis.shared.strict import strict_errors
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.machines.properties import Asked
    from kleis.machines.report import Finding, Report

__all__ = ["Question", "machine"]

_STATUS = {"verified": 0, "disproved": 1, "error": 2, "unknown": 3}
_ROLES: dict[str, Role] = {
    "verified": "good",
    "found": "good",
    "disproved": "bad",
    "none": "bad",
    "unknown": "word",
}


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks."""

    file: str
    asked: Asked
    path: tuple[Path, ...]
    fresh: bool
    strict: bool
    patience: Patience


def machine(question: Question, *, as_json: bool) -> int:
    """Check a machine and print what was found; the exit status."""
    from kleis.machines.report import Report
    from kleis.sessions.check_machine import machine_fields

    texts: dict[str, str] = {}
    try:
        report = _report(question, texts, live=not as_json)
    except KleisError as error:
        report = Report(status="error", message=error.message, hint=error.hint, problem=error.as_dict())
    screen = Screen()
    if as_json:
        screen.out.write(json_text(machine_fields(report)) + "\n")
    else:
        print_warnings(screen, report.warnings)
        _show(screen, report, texts)
    return _STATUS[report.status]


def _report(question: Question, texts: dict[str, str], *, live: bool) -> Report:
    from kleis.machines.check import check_machine
    from kleis.machines.report import Report

    loading = load(make_loader(question.path), question.file)
    texts |= {source.name: source.text for source in loading.sources} | _texts(question.asked)
    for error in strict_errors(loading, strict=question.strict):
        raise error
    try:
        with question.patience.waiting(live=live) as waiting:
            prover = make_prover(
                loading.theory, fresh=question.fresh, broker=waiting.broker, effort=question.patience.effort
            )
            return check_machine(prover, question.asked)
    except TimeIsUp:
        return Report(status="unknown", message=f"stopped after {question.patience.timeout:g} s")


def _texts(asked: Asked) -> dict[str, str]:
    """The texts of the properties, as errors call them."""
    from kleis.machines.properties import file_of

    return {
        **{file_of("invariant", place): text for place, text in enumerate(asked.invariants, 1)},
        **{file_of("variant", place): text for place, text in enumerate(asked.variants, 1)},
        **{file_of("reach", place): text for place, text in enumerate(asked.reach, 1)},
    }


def _show(screen: Screen, report: Report, texts: dict[str, str]) -> None:
    if report.problem:
        error = KleisError.from_dict(report.problem)
        print_error(f"error  {render(error, texts.get(error.file, ''))}", style="bad")
        return
    if report.message:
        screen.write([Piece(report.status, _ROLES[report.status]), Piece(f"  {report.message}")])
    for each in report.findings:
        _show_finding(screen, each)


def _show_finding(screen: Screen, finding: Finding) -> None:
    from kleis.sessions.check_machine import finding_line, remarks, trace_rows

    screen.write([Piece(finding.status, _ROLES[finding.status]), Piece(f"  {finding_line(finding)}")])
    screen.write(*(remark(title, text) for title, text in remarks(finding)))
    titles, rows = trace_rows(finding)
    if rows:
        said = "a step that breaks the proof by induction" if finding.breaks else "trace"
        screen.write([Piece(f"  {said}", "strong")])
        print_rows(screen, titles, rows)
