"""Problems and verdicts for people: source lines with carets, one word a status, evidence as assignments and tables.

Specification: docs/reference/proving.md §5.5.

Invariants
    * The first word of the first line of a verdict is the status, without colours too.
    * Tables are drawn on a terminal; elsewhere they are text in columns, with the same cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kleis.errors import KleisError
from kleis.problems import AnswerWarning, Problem
from kleis.syntax.tree import Lint
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.plain_output import print_error, say
from registry.cli.terminal.screen import Line, Screen, json_text

if TYPE_CHECKING:
    from kleis.prover.protocol.verdict import Evidence, Status, Table, Verdict

__all__ = [
    "UNKNOWN_MODEL",
    "grid",
    "print_evidence",
    "print_rejection",
    "print_rows",
    "print_table",
    "print_verdict",
    "print_warnings",
    "remark",
    "render",
    "status_piece",
]

_ROLES: dict[Status, Role] = {
    "verified": "good",
    "disproved": "bad",
    "consistent": "operation",
    "inconsistent": "number",
    "unknown": "word",
    "error": "strong",
}

_INDENT = "  "
_COLUMN = 14
_ACROSS = 16


UNKNOWN_MODEL = " – the axioms used are not known to have a model"
"""What the first line of a verdict says besides, where the proof may rest on axioms that clash."""


def status_piece(verdict: Verdict) -> Piece:
    """The word that says how a verdict is, with the reason of one that decides nothing."""
    word = f"{verdict.status} ({verdict.reason})" if verdict.reason is not None else verdict.status
    return Piece(word, _ROLES[verdict.status])


def print_warnings(screen: Screen, warnings: Sequence[AnswerWarning]) -> None:
    """Write the warnings of a verdict, before it: a reading that may not be meant comes before the answer."""
    screen.write(*([Piece("warning  ", "word"), Piece(str(each))] for each in warnings))


def print_verdict(screen: Screen, verdict: Verdict, *, label: str = "", explain: bool = False) -> None:
    """Write a verdict with its evidence; `label` says what it is about, `explain` also how it was found."""
    unknown = verdict.status == "verified" and verdict.consistency == "unknown"
    pieces = [status_piece(verdict), *([Piece(UNKNOWN_MODEL, "word")] if unknown else [])]
    screen.write([*pieces, *_about(screen, verdict, label)])
    screen.write(*_remarks(verdict))
    if verdict.evidence is not None:
        title = {"disproved": "counterexample", "consistent": "model"}.get(verdict.status, "evidence")
        if verdict.evidence.undefined:
            title += " (the claim is undefined there)"
        if not verdict.message or shows_something(verdict.evidence):
            print_evidence(screen, verdict.evidence, title)
        if explain:
            _print_parts(screen, verdict.evidence)
    if verdict.witness is not None:
        print_evidence(screen, verdict.witness, "witness")
    if explain:
        _print_explanation(screen, verdict)


def _about(screen: Screen, verdict: Verdict, label: str) -> list[Piece]:
    """What a verdict is about: a name, or the claim, on a terminal in colour."""
    if label or not verdict.claim:
        return [Piece(f"  {label}")] if label else []
    if not screen.out_terminal:
        return [Piece(f"  {verdict.claim}")]
    from registry.cli.terminal.kleis_source import coloured_line

    return [Piece("  "), *coloured_line(verdict.claim)]


def _remarks(verdict: Verdict) -> Iterator[Line]:
    """What a reader has to know besides the status."""
    if verdict.theory == "inconsistent" and verdict.status != "inconsistent":
        yield remark("theory", "inconsistent: some declarations of it have no model", "bad")
    if verdict.message:
        yield remark("witness" if verdict.status == "verified" else "why", verdict.message)
    if verdict.core:
        title = "clash" if verdict.status == "inconsistent" else "axioms"
        minimal = " (none can be left out)" if verdict.minimal and len(verdict.core) > 1 else ""
        yield remark(title, ", ".join(verdict.core) + minimal)
    if verdict.status == "verified" and verdict.core:
        from kleis.sessions.answer_fields import CONSISTENCY

        if verdict.consistency:
            role: Role = "plain" if verdict.consistency == "model" else "word"
            yield remark("", CONSISTENCY[verdict.consistency], role)
    if verdict.lemmas:
        yield remark("lemmas", "; ".join(verdict.lemmas))
    if verdict.assumed:
        yield remark(
            "assumed", f"{', '.join(verdict.assumed)} (declared by an implementation, not proved)", "word"
        )
    if verdict.status == "unknown":
        for place, each in enumerate(verdict.tried):
            yield remark("tried" if place == 0 else "", each)
    if verdict.advice:
        yield remark("try", verdict.advice)
    if verdict.certificate:
        yield remark("certificate", verdict.certificate)


def remark(title: str, text: str, role: Role = "plain") -> list[Piece]:
    """A line below a verdict: what it says, and of what."""
    return [Piece(_INDENT + title.ljust(_COLUMN), "key"), Piece(text, role)]


# ── Evidence ─────────────────────────────────────────────────────────────────────────────────────────────────


def print_evidence(screen: Screen, evidence: Evidence, title: str) -> None:
    """Write what shows that a claim fails, or that there is a model."""
    from kleis.sessions.answer_fields import statements

    said = statements(evidence)
    if not shows_something(evidence):
        screen.write(remark("why", _COMPUTED[evidence.undefined]))
        return
    screen.write([Piece(f"{_INDENT}{title}", "strong")])
    screen.write(*([Piece(f"    {each}")] for each in said.carriers))
    for text, each in zip(said.values, evidence.bindings, strict=True):
        sort = f" : {each.sort}" if each.sort else ""
        screen.write([Piece(f"    {text}"), Piece(sort, "faint")])
    screen.write(*([Piece(f"    {each}")] for each in (*said.interpretation, *evidence.rules)))
    if evidence.normal_forms:
        screen.write([Piece(f"    different normal forms: {'  and  '.join(evidence.normal_forms)}")])
    for table in evidence.tables:
        if len(table.columns) == 1 and len(table.rows) == 1:
            screen.write(
                [Piece(f"    {table.name} = {table.rows[0][0]}"), Piece(f" : {table.columns[0]}", "faint")]
            )
        else:
            print_table(screen, table)


def _print_parts(screen: Screen, evidence: Evidence) -> None:
    """Write what the parts of a claim come to, from the inside out."""
    if evidence.parts:
        screen.write([Piece(f"{_INDENT}evaluated, from the inside out", "strong")])
        screen.write(*([Piece(f"    {term}  is  {value}")] for term, value in evidence.parts))


def shows_something(evidence: Evidence) -> bool:
    """Whether evidence has values, tables or rules; what is false itself leaves none to choose."""
    shown = (evidence.bindings, evidence.tables, evidence.carriers, evidence.interpretation, evidence.rules)
    return any(shown) or bool(evidence.normal_forms)


_COMPUTED = {
    False: "it is false itself: it leaves no value open to choose",
    True: "it has no value itself, and leaves none open to choose",
}


def print_table(screen: Screen, table: Table) -> None:
    """Write the table of an operation."""
    print_rows(screen, *grid(table))


def print_rows(screen: Screen, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write rows below their titles."""
    if screen.out_terminal:
        screen.table(titles, rows)
        return
    cells = [list(titles), *(list(row) for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(titles))]
    for row in cells:
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        screen.write([Piece(f"    {text.rstrip()}")])


def grid(table: Table) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """A table as titles and rows: one argument across, two as a square, more with a row for every point."""
    points = {row[:-1]: row[-1] for row in table.rows}
    if len(table.columns) == 2 and len(points) <= _ACROSS:
        return [table.columns[0], *(point for (point,) in points)], [[table.name, *points.values()]]
    if len(table.columns) == 3 and points:
        down = list(dict.fromkeys(point[0] for point in points))
        across = list(dict.fromkeys(point[1] for point in points))
        if len(points) == len(down) * len(across):
            return [table.name, *across], [
                [left, *(points[left, right] for right in across)] for left in down
            ]
    arguments = [f"{sort} {place}" for place, sort in enumerate(table.columns[:-1], 1)]
    return [*arguments, table.name], table.rows


# ── How it was found ─────────────────────────────────────────────────────────────────────────────────────────


def _print_explanation(screen: Screen, verdict: Verdict) -> None:
    engine = verdict.engine + (" (kept from an earlier run)" if verdict.cached else "")
    if engine:
        screen.write(remark("decided by", engine))
    if verdict.solvers:
        screen.write(remark("solvers", ", ".join(f"{name} {version}" for name, version in verdict.solvers)))
    if verdict.model is not None:
        print_evidence(screen, verdict.model, "a model of the axioms used")
    for name, why in verdict.unused:
        screen.write(remark("unused", f"{name}: {why}"))
    for obligation in verdict.obligations:
        screen.write(remark("rests on", obligation))
    if verdict.proof:
        screen.write([Piece(f"{_INDENT}proof", "strong")])
        screen.write(*([Piece(f"    {each}")] for each in verdict.proof))
    if verdict.attempts:
        screen.write([Piece(f"{_INDENT}engines", "strong")])
        name_width = max(len(each.engine) for each in verdict.attempts)
        outcome_width = max(len(each.outcome) for each in verdict.attempts)
        for each in verdict.attempts:
            line = f"    {each.engine.ljust(name_width)}  {each.outcome.ljust(outcome_width)}"
            remarks = f"  {each.steps} steps, {each.seconds:.2f} s  {each.detail}".rstrip()
            screen.write([Piece(line), Piece(remarks, "faint")])


def render(problem: KleisError | Problem | Lint, text: str) -> str:
    """A problem with its source line and a caret."""
    if isinstance(problem, KleisError):
        return problem.render(text)
    if isinstance(problem, Lint):
        problem = Problem(**problem.as_dict())
    return problem.as_error().render(text)


def print_rejection(error: KleisError, text: str, *, as_json: bool) -> None:
    """Print why a command was rejected: an object on standard output, or the problem with its line on standard error."""
    if as_json:
        say(json_text({"error": error.as_dict()}))
    else:
        print_error(f"error  {render(error, text) if error.line else error}", style="bad")
