"""`kleis verify` and `kleis consistent`: a question about declarations, and its verdict.

Specification: docs/reference/proving.md §5. JSON: the fields of `kleis.prover.protocol.verdict.Verdict` that say something;
of `consistent` ``{"file", "status", "parts": [{"name", …verdict}]}``.

Exit status, for continuous integration: 0 verified or consistent, 1 disproved or inconsistent, 2 the question or the
command is ill-formed, 3 unknown.  With an expected status: 0 if it is that, 1 if it is another one, 2 as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.problems import AnswerWarning
from kleis.theory.loader import Loading
from registry.cli.kleis.shared.implementations import implementation_parts
from registry.cli.kleis.shared.loading import STANDARD_INPUT, load, make_loader, standard_input
from registry.cli.kleis.shared.patience import PATIENT, Patience, TimeIsUp
from registry.cli.kleis.shared.pulled import pulled_verdicts
from registry.cli.kleis.shared.question import Question, make_prover
from registry.cli.kleis.shared.reports import print_verdict, print_warnings, render
from registry.cli.kleis.shared.strict import IMPORTING, strict_errors
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.elaborate.question import Question as Asked
    from kleis.prover.protocol.verdict import Status, Verdict
    from kleis.prover.prover import Decision, Prover
    from kleis.syntax.tree import Expression, TypeExpression

__all__ = ["EXPECTED", "consistent_file", "error_verdict", "exit_status", "load_imports", "verify"]

_PROPOSITION = "<proposition>"
_USING = "<using>"
_LEMMA = "<lemma>"

EXPECTED = ("verified", "disproved", "inconsistent", "unknown", "error")
"""What a proposition may be expected to be."""

_STATUS: dict[Status, int] = {
    "verified": 0,
    "consistent": 0,
    "disproved": 1,
    "inconsistent": 1,
    "error": 2,
    "unknown": 3,
}

_CERTIFIED = ("verified", "disproved", "inconsistent")
"""The verdicts of which certificates are written."""


def exit_status(status: Status, expected: str = "") -> int:
    """The exit status of a verdict."""
    if not expected:
        return _STATUS[status]
    if status == expected:
        return 0
    return 2 if status == "error" else 1


def verify(question: Question, *, explain: bool, as_json: bool, expected: str = "") -> int:
    """Decide a proposition and print the verdict; the exit status."""
    texts = {_USING: question.using, _LEMMA: "", _PROPOSITION: question.proposition}
    errors: Sequence[KleisError] = ()
    try:
        if question.proposition == STANDARD_INPUT:
            texts[_PROPOSITION] = standard_input()
        loading = load_imports(question.imports, question.path)
        texts |= {source.name: source.text for source in loading.sources}
        errors = strict_errors(loading, strict=question.strict)
        verdict = (
            error_verdict(errors[0])
            if errors
            else _decided(
                question, texts, loading, live=not as_json, explain=explain or question.html is not None
            )
        )
    except KleisError as error:
        errors = (error,)
        verdict = error_verdict(error)
    if question.html is not None:
        _write_page(question.html, verdict)
    screen = Screen()
    if as_json:
        screen.out.write(json_text(verdict.as_dict()) + "\n")
    elif verdict.status == "error":
        print_warnings(screen, verdict.warnings)
        _print_errors(verdict, errors, texts)
    else:
        print_warnings(screen, verdict.warnings)
        print_verdict(screen, verdict, explain=explain)
    if expected and verdict.status != expected:
        print_error(f"expected {expected}, found {verdict.status}", style="bad")
    return exit_status(verdict.status, expected)


def _write_page(path: Path, verdict: Verdict) -> None:
    """Write a verdict as a page, of the fields that the MCP tools answer."""
    from kleis.sessions.answer_fields import verdict_fields
    from registry.cli.terminal.pages import write_page
    from registry.views.verdict import verdict_view

    write_page(
        path, verdict_view({**verdict_fields(verdict, explain=True), "certificate": verdict.certificate})
    )


def _decided(
    question: Question, texts: dict[str, str], loading: Loading, *, live: bool, explain: bool
) -> Verdict:
    from kleis.elaborate.question import read_question
    from kleis.prover.reasons import stopped, within
    from kleis.syntax.parser.parser import parse_expression, parse_type
    from kleis.syntax.printer.program import print_expression

    using = parse_type(question.using, file=_USING) if question.using else None
    lemmas = []
    for lemma in question.lemmas:
        texts[_LEMMA] = lemma
        lemmas.append(parse_expression(lemma, file=_LEMMA))
    asked = read_question(texts[_PROPOSITION], file=_PROPOSITION)
    refused: list[AnswerWarning] = []
    try:
        with question.patience.waiting(live=live) as waiting:
            prover = make_prover(
                loading.theory,
                fresh=question.fresh,
                broker=waiting.broker,
                effort=question.patience.effort,
                elsewhere=None if question.fresh else pulled_verdicts(waiting.broker, refused.append),
            )
            decision = _asked(prover, loading, asked, using, lemmas)
            decision = _warned(decision, refused)
            if explain:
                from kleis.prover.certificates.explained import explained

                decision = explained(prover, decision)
            if question.certificate is not None and decision.verdict.status in _CERTIFIED:
                from registry.cli.kleis.questions.certificates import certified

                return certified(question, texts[_PROPOSITION], prover, waiting.broker, decision)
            return within(waiting.deadline, decision.verdict)
    except TimeIsUp:
        return stopped(print_expression(asked.expression), question.patience.timeout or 0.0)


def _asked(
    prover: Prover,
    loading: Loading,
    asked: Asked,
    using: TypeExpression | None,
    lemmas: Sequence[Expression],
) -> Decision:
    """The decision about a question, with the lemmas of the imports that are proved."""
    if not loading.theory.lemmas:
        return prover.ask(asked, using=using, lemmas=lemmas)
    from kleis.prover.lemmas import recalled

    ledger = recalled(prover, loading.theory.lemmas, visible=loading.imported_by)
    decision = prover.ask(asked, using=using, lemmas=lemmas, facts=ledger.facts)
    return _warned(decision, ledger.warnings())


def _warned(decision: Decision, more: Sequence[AnswerWarning]) -> Decision:
    """The decision with more warnings, before those that it has."""
    warnings = (*more, *decision.verdict.warnings)
    return msgspec.structs.replace(
        decision, verdict=msgspec.structs.replace(decision.verdict, warnings=warnings)
    )


def load_imports(imports: Sequence[str], path: Sequence[Path]) -> Loading:
    """What imports declare.  Raises `LoadError`."""
    from kleis.syntax.printer.expressions import quote

    lines = "\n".join(f"import {quote(name)}" for name in imports)
    return make_loader(path).load_text(lines, file=IMPORTING, directory=Path.cwd())


def error_verdict(error: KleisError) -> Verdict:
    """The verdict on a question that is ill-formed."""
    from kleis.prover.protocol.verdict import Verdict

    return Verdict.ill_formed(error)


def _print_errors(verdict: Verdict, errors: Sequence[KleisError], texts: dict[str, str]) -> None:
    """Print what is wrong, with its source line."""
    for error in errors or [LoadError.from_dict(verdict.problem or {"message": verdict.message})]:
        print_error(f"error  {render(error, texts.get(error.file, ''))}", style="bad")


# ── Consistency ──────────────────────────────────────────────────────────────────────────────────────────────


def consistent_file(
    name: str,
    path: Sequence[Path],
    *,
    fresh: bool,
    explain: bool,
    as_json: bool,
    certificates: Path | None = None,
    strict: bool = False,
    patience: Patience = PATIENT,
) -> int:
    """Ask whether what a file declares has a model, part by part; the exit status."""
    texts: dict[str, str] = {}
    errors: Sequence[KleisError] = ()
    parts: tuple[tuple[str, Verdict], ...]
    try:
        loading = load(make_loader(tuple(path)), name)
    except LoadError as error:
        errors = (error,)
    else:
        texts = {source.name: source.text for source in loading.sources}
        errors = strict_errors(loading, strict=strict)
    if errors:
        parts = tuple((error.file, error_verdict(error)) for error in errors)
    else:
        parts = _parts(loading, fresh, certificates, patience, live=not as_json)
    status = _overall(parts)
    screen = Screen()
    if as_json:
        listed = [{"name": label, **verdict.as_dict()} for label, verdict in parts]
        screen.out.write(json_text({"file": name, "status": status, "parts": listed}) + "\n")
        return exit_status(status)
    for label, verdict in parts:
        if verdict.status == "error":
            _print_errors(verdict, (), texts)
        else:
            print_warnings(screen, verdict.warnings)
            print_verdict(screen, verdict, label=label, explain=explain)
    if len(parts) != 1:
        screen.write(
            f"{status}  {name}: {len(parts)} parts" if parts else f"{status}  {name} declares no axioms"
        )
    return exit_status(status)


def _parts(
    loading: Loading, fresh: bool, certificates: Path | None, patience: Patience, *, live: bool
) -> tuple[tuple[str, Verdict], ...]:
    from kleis.prover.reasons import stopped, within
    from registry.cli.kleis.questions.certificates import certified_parts

    try:
        with patience.waiting(live=live) as waiting:
            prover = make_prover(loading.theory, fresh=fresh, broker=waiting.broker, effort=patience.effort)
            parts = prover.consistent()
            if certificates is not None:
                parts = certified_parts(parts, certificates, prover, waiting.broker)
            parts = (*parts, *implementation_parts(loading, prover))
            return tuple((label, within(waiting.deadline, verdict)) for label, verdict in parts)
    except TimeIsUp:
        return (("declarations", stopped("", patience.timeout or 0.0)),)


def _overall(parts: Sequence[tuple[str, Verdict]]) -> Status:
    """A file is consistent if all its parts are, inconsistent or disproved if one is."""
    found = {verdict.status for _, verdict in parts}
    order: tuple[Status, ...] = ("inconsistent", "disproved", "error", "unknown")
    return next((each for each in order if each in found), "consistent")
