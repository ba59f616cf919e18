"""`kleis export`: a theory or a proposition for Lean and other provers.

Specification: docs/reference/lean.md §1, §9. Where Lean is on the PATH, an exported file is run through it (`run_lean`):
the answer is "clean" only if Lean ended by itself without an error, and each message names the declaration of Kleis that
it is about.

JSON: the fields of `kleis.lean.lean_file.LeanFile` with ``problems`` (of our checker), ``lean`` (what a Lean said, if one
ran) and ``output``; of SMT-LIB and TPTP ``{"text", "exact", "approximated", "output"}``; of a rejection the error.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec

from kleis.errors import KleisError
from kleis.lean.lean_file import LeanFile
from registry.cli.kleis.shared.loading import STANDARD_INPUT, load, make_loader, standard_input
from registry.cli.kleis.shared.patience import PATIENT, Patience
from registry.cli.kleis.shared.reports import render
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.process import words
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.lean.lean_program import Message
    from kleis.syntax.tree import Expression, TypeExpression
    from kleis.theory.loader import Loading

__all__ = ["LIMIT", "Exporting", "export", "run_lean"]

LIMIT = 600.0
"""Seconds that Lean may take."""

_PROPOSITION = "<proposition>"


class Exporting(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks."""

    file: str
    language: Literal["lean", "smtlib", "tptp"]
    proposition: str = ""
    using: str = ""
    output: Path | None = None
    prove: bool = False
    assume_defined: bool = False
    run_lean: bool = False
    fresh: bool = False
    patience: Patience = PATIENT
    path: tuple[Path, ...] = ()
    as_json: bool = False


def export(asked: Exporting) -> int:
    """Write the file; the exit status."""
    texts: dict[str, str] = {}
    try:
        loading = load(make_loader(asked.path), asked.file)
        texts = {source.name: source.text for source in loading.sources}
        if loading.errors:
            return _rejected(asked, loading.errors[0], texts)
        texts[_PROPOSITION] = _proposition_text(asked)
        if asked.language == "lean":
            return _lean(asked, loading, texts)
        return _exchange(asked, loading, texts)
    except KleisError as error:
        return _rejected(asked, error, texts)


def _proposition_text(asked: Exporting) -> str:
    if asked.proposition == STANDARD_INPUT:
        return standard_input()
    return words([asked.proposition.lstrip()])[0] if asked.proposition else ""


def _question(asked: Exporting, text: str) -> tuple[Expression | None, TypeExpression | None]:
    from kleis.syntax.parser.parser import parse_expression, parse_type

    using = parse_type(asked.using, file="<using>") if asked.using else None
    return (parse_expression(text, file=_PROPOSITION) if text else None), using


def _rejected(asked: Exporting, error: KleisError, texts: dict[str, str]) -> int:
    """Say what is wrong: 1 if the proposition has no form there, 2 if it is ill-formed."""
    if asked.as_json:
        Screen().out.write(json_text({"error": error.as_dict()}) + "\n")
    else:
        print_error(f"error  {render(error, texts.get(error.file, ''))}", style="bad")
    return 1 if error.code == "not-expressible" else 2


def _written(asked: Exporting, text: str) -> str:
    """Put the text where it was asked for; the name of the file."""
    if asked.output is None:
        return ""
    try:
        asked.output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{asked.output} cannot be written: {error.strerror}") from error
    return str(asked.output)


# ── SMT-LIB and TPTP ─────────────────────────────────────────────────────────────────────────────────────────


def _exchange(asked: Exporting, loading: Loading, texts: dict[str, str]) -> int:
    from kleis.elaborate.elaborator import Elaborator
    from kleis.prover.problem_files import smtlib, tptp

    proposition, using = _question(asked, texts[_PROPOSITION])
    assert proposition is not None, "the command line asks for one"
    meaning = Elaborator(loading.theory).proposition(proposition, using=using, file=_PROPOSITION)
    found = smtlib(meaning) if asked.language == "smtlib" else tptp(meaning)
    output = _written(asked, found.text)
    screen = Screen()
    if asked.as_json:
        fields: dict[str, Any] = {**msgspec.to_builtins(found), "output": output}
        screen.out.write(json_text(fields) + "\n")
        return 0
    if not output:
        screen.out.write(found.text)
    if not found.exact:
        unknown = f": {', '.join(found.approximated)}" if found.approximated else ""
        print_error(f"a model of this need not be a countermodel; something is approximated{unknown}")
    return 0


# ── Lean ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _lean(asked: Exporting, loading: Loading, texts: dict[str, str]) -> int:
    from kleis.lean.language.check_file import check_emitted

    found = _lean_file(asked, loading, texts[_PROPOSITION])
    problems = check_emitted(found.text)
    output = _written(asked, found.text)
    said: dict[str, Any] | None = None
    if asked.run_lean:
        said = run_lean(found)
    status = 1 if problems or (said is not None and said["errors"]) else 0
    screen = Screen()
    if asked.as_json:
        fields = {
            **found.as_dict(),
            "problems": msgspec.to_builtins(problems),
            "lean": said,
            "output": output,
        }
        screen.out.write(json_text(fields) + "\n")
        return status
    if not output:
        screen.out.write(found.text)
    for problem in problems:
        print_error(f"{problem.line}:{problem.column}: {problem.message}", style="bad")
    _summary(found, said)
    return status


def _lean_file(asked: Exporting, loading: Loading, text: str) -> LeanFile:
    from kleis.lean.export.export import export_lean

    proposition, using = _question(asked, text)
    own = (loading.main.name,)
    stem = Path(asked.file).stem if asked.file != STANDARD_INPUT else "Theory"
    module = stem[:1].upper() + stem[1:]
    write = partial(
        export_lean,
        loading.theory,
        proposition,
        using=using,
        module=module,
        file=_PROPOSITION,
        files=own,
        assume_defined=asked.assume_defined,
    )
    from kleis.prover.certificates.proof_steps import ProofSteps
    from registry.cli.kleis.shared.question import make_prover

    # What is not decided when the time is up stays open in the file, which is written all the same.
    with (
        asked.patience.waiting(live=not asked.as_json, interrupting=False) as waiting,
        make_prover(
            loading.theory, fresh=asked.fresh, broker=waiting.broker, effort=asked.patience.effort
        ) as prover,
    ):
        return write(verdict=prover.verify if asked.prove else None, judge=ProofSteps(prover))


def _summary(found: LeanFile, said: dict[str, Any] | None) -> None:
    """Print what the file holds, what it leaves out, and how far it was checked, on standard error."""
    counts = {
        status: sum(each.status == status for each in found.theorems)
        for status in ("sorry", "proof", "refutation")
    }
    print_error(
        f"{len(found.theorems)} theorem{'' if len(found.theorems) == 1 else 's'}: {counts['sorry']} open, {counts['proof']} with a proof, "
        f"{counts['refutation']} refuted; {len(found.omitted)} left out"
    )
    for each in found.omitted:
        print_error(f"left out  {each.name}: {each.reason}")
    if said is None:
        print_error("checked: the shape; no Lean has read it")
        return
    print_error(f"checked: {said['level']}; {said['message']}")
    for each in said["errors"]:
        print_error(
            f"{each['line']}: {each['message']}" + (f" (from {each['place']})" if each["place"] else "")
        )


def run_lean(found: LeanFile, *, limit: float = LIMIT) -> dict[str, Any]:
    """What Lean says: ``level``, ``message``, ``errors`` and ``warnings`` (line, message, place of the declaration)."""
    from kleis.lean.lean_file import imports_mathlib
    from kleis.lean.lean_program import Limits, find_lean, read_text

    lean = find_lean()
    if lean is None:
        return _answer("shape", "there is no lean on the PATH")
    reading = read_text(lean, found.text, Limits(seconds=limit, processor=math.ceil(limit)))
    errors = [_traced(found, each) for each in reading.errors]
    warnings = [_traced(found, each) for each in reading.warnings]
    if reading.ended != "itself":
        return _answer("shape", reading.reason, errors, warnings)
    if errors:
        return _answer("shape", f"lean reports {len(errors)} errors", errors, warnings)
    read = "elaborated with Mathlib" if imports_mathlib(found.text) else "elaborated"
    return _answer(read, f"{lean.version}: no error, {len(warnings)} warnings", [], warnings)


def _answer(
    level: str,
    message: str,
    errors: list[dict[str, Any]] | None = None,
    warnings: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {"level": level, "message": message, "errors": errors or [], "warnings": warnings or []}


def _traced(found: LeanFile, said: Message) -> dict[str, Any]:
    """A message of Lean with the place of the declaration that it is about."""
    entry = found.declaration_at(said.line)
    place = str(entry.place) if entry is not None and entry.place is not None else ""
    return {"severity": said.severity, "line": said.line, "message": said.text, "place": place}
