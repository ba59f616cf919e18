"""What `kleis check` and `kleis test` print: problems with their source lines, blocks with their assertions, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kleis.errors import KleisError
from kleis.problems import Problem
from registry.cli.kleis.files.check import CheckedFile
from registry.cli.kleis.files.stated_lemmas import NEEDS_PROVER, LemmaReport
from registry.cli.kleis.files.test import Block, FileReport
from registry.cli.kleis.shared.reports import render
from registry.cli.terminal.plain_output import print_error, say, say_row, table

__all__ = ["print_block_output", "print_checked", "print_drawn", "print_tested", "print_totals"]


def print_checked(report: CheckedFile) -> None:
    """What `kleis check` found in a file."""
    for problem in (*report.parse, *report.errors, *report.problems):
        error = isinstance(problem, KleisError) or (
            isinstance(problem, Problem) and problem.severity == "error"
        )
        word, style = ("error", "bad") if error else ("warning", "note")
        say_row(f"{word}[{problem.code}]", render(problem, report.text_of(problem.file)), style=style)
    say_row("ok" if report.ok else "not ok", report.file, style="good" if report.ok else "bad")


def print_tested(report: FileReport) -> None:
    """What `kleis test` found in a file, after what its blocks printed."""
    for error in (*report.parse, *report.errors):
        say_row(f"error[{error.code}]", render(error, report.text_of(error.file)), style="bad")
    for warning in report.warnings:
        say_row("warning", f"{report.file}: {warning}", style="note")
    for lemma in report.lemmas:
        _print_lemma(report, lemma)
    for block in report.blocks:
        _print_output(block, to_results=True)
        _print_block(report, block)
    if not report.blocks and not report.lemmas and report.ok:
        say_row("none", f"{report.file}: no examples", style="note")


def print_block_output(report: FileReport, *, to_results: bool) -> None:
    """What the blocks of a file printed."""
    for block in report.blocks:
        _print_output(block, to_results=to_results)


def print_drawn(drawn: Mapping[str, Any]) -> None:
    """Which pictures were drawn, and the problem if there was one."""
    error = drawn.get("error")
    if error is not None:
        hint = f" ({error['hint']})" if error.get("hint") else ""
        say_row(f"error[{error['code']}]", f"plots: {error['message']}{hint}", style="bad")
        return
    for picture in drawn.get("pictures", ()):
        say_row("drawn", f"{drawn['directory']}/{picture['name']} ({picture['example']})", style="good")


def print_totals(reports: Sequence[FileReport]) -> None:
    """How many blocks and lemmas passed, failed and are undecided."""
    counts = [_counts(report) for report in reports]
    if len(reports) > 1:
        headings = ("file", "passed", "no assertion", "failed", "unknown")
        rows = zip(reports, counts, strict=True)
        table("kleis test", headings, [[report.file, *map(str, count)] for report, count in rows])
    passed, silent, failed, undecided = (sum(count[place] for count in counts) for place in range(4))
    unread = sum(1 for report in reports if report.parse or report.errors)
    words = [f"{passed} passed"]
    if silent:
        words.append(f"{silent} without an assertion")
    words.append(f"{failed} failed")
    if undecided:
        asked = not any(
            block.error == NEEDS_PROVER for report in reports for block in report.blocks
        ) and not any(lemma.undecided for report in reports for lemma in report.lemmas)
        words.append(f"{undecided} unknown" if asked else f"{undecided} not decided without the prover")
    if unread:
        words.append(f"{unread} file{'s' if unread > 1 else ''} could not be loaded")
    say(", ".join(words), style="bad" if failed or unread else "good")


def _counts(report: FileReport) -> tuple[int, int, int, int]:
    """How many passed, ran without an assertion, failed, and are undecided."""
    tested: tuple[Block | LemmaReport, ...] = (*report.blocks, *report.lemmas)
    passed = sum(1 for each in tested if each.passed)
    silent = sum(1 for each in report.blocks if each.passed and not each.assertions)
    undecided = sum(1 for each in tested if each.undecided)
    return passed - silent, silent, len(tested) - passed - undecided, undecided


def _print_output(block: Block, *, to_results: bool) -> None:
    for text in block.output:
        if to_results:
            say(text)
        else:
            print_error(text)


def _print_lemma(report: FileReport, lemma: LemmaReport) -> None:
    title = f"{report.file}: {lemma.word} {lemma.name}"
    for warning in lemma.warnings:
        say_row("warning", f"{report.file}:{lemma.line}: {warning}", style="note")
    if lemma.passed:
        say_row("passed", title, style="good")
    elif lemma.undecided:
        say_row(NEEDS_PROVER, title, style="note")
    else:
        say_row("failed", title, style="bad")
        say(f"  {report.file}:{lemma.line}: {lemma.status}")
        if lemma.detail:
            say(f"    {lemma.detail}")


def _tolerance(block: Block) -> str:
    """What is said of a block that passes only as far as doubles tell."""
    details = {each.detail for each in block.assertions if each.detail.startswith("(to ")}
    return f" {min(details)}" if details else ""


def _print_block(report: FileReport, block: Block) -> None:
    for warning in block.warnings:
        say_row("warning", f"{report.file}:{warning.line}: {warning.message} ({warning.hint})", style="note")
    if block.passed and not block.assertions:
        say_row("ran", f"{report.file}: {block.name} (nothing is asserted)", style="note")
    elif block.passed:
        say_row("passed", f"{report.file}: {block.name}{_tolerance(block)}", style="good")
    elif block.undecided:
        say_row(str(block.error), f"{report.file}: {block.name}", style="note")
    else:
        say_row("failed", f"{report.file}: {block.name}", style="bad")
        if block.error is not None:
            say(f"  {block.error}")
    lines = report.text_of(report.loading.main.name).split("\n") if report.loading is not None else []
    for each in block.assertions:
        if each.status != "passed":
            source = lines[each.line - 1].strip() if 0 < each.line <= len(lines) else ""
            say(f"  {report.file}:{each.line}: {each.status}: {source}")
            if each.detail:
                say(f"    {each.detail}")
