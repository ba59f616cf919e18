"""`kleis export`: a theory or a proposition for Lean and other provers.

Specification: issue 10 item 1; lean-and-corpus.md §5 ("State for each file which level it passed"), §6.

JSON: the fields of `kleis.lean.lean_file.LeanFile` with ``problems`` (of our checker), ``lean`` (what a Lean said, if one
ran) and ``output``; of SMT-LIB and TPTP ``{"text", "exact", "approximated", "output"}``; of a refusal the error.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec

from kleis.errors import KleisError
from registry.cli.kleis.shared.loading import STANDARD_INPUT, load, make_loader, standard_input
from registry.cli.kleis_report import render
from registry.cli.terminal.plain_output import complain
from registry.cli.terminal.process import words
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.lean.lean_file import LeanFile
    from kleis.syntax.tree import Expression, TypeExpression
    from kleis.theory.loader import Loading

__all__ = ["Exporting", "export"]

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
    path: tuple[Path, ...] = ()
    as_json: bool = False


def export(asked: Exporting) -> int:
    """Write the file; the exit status."""
    texts: dict[str, str] = {}
    try:
        loading = load(make_loader(asked.path), asked.file)
        texts = {source.name: source.text for source in loading.sources}
        if loading.errors:
            return _refused(asked, loading.errors[0], texts)
        texts[_PROPOSITION] = _proposition_text(asked)
        if asked.language == "lean":
            return _lean(asked, loading, texts)
        return _exchange(asked, loading, texts)
    except KleisError as error:
        return _refused(asked, error, texts)


def _proposition_text(asked: Exporting) -> str:
    if asked.proposition == STANDARD_INPUT:
        return standard_input()
    return words([asked.proposition.lstrip()])[0] if asked.proposition else ""


def _question(asked: Exporting, text: str) -> tuple[Expression | None, TypeExpression | None]:
    from kleis.syntax.parser.parser import parse_expression, parse_type

    using = parse_type(asked.using, file="<using>") if asked.using else None
    return (parse_expression(text, file=_PROPOSITION) if text else None), using


def _refused(asked: Exporting, error: KleisError, texts: dict[str, str]) -> int:
    """Say what is wrong: 1 if the proposition has no form there, 2 if it is ill-formed."""
    if asked.as_json:
        Screen().out.write(json_text({"error": error.as_dict()}) + "\n")
    else:
        complain(f"error  {render(error, texts.get(error.file, ''))}", style="bad")
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
        complain(f"a model of this need not be a countermodel; something is approximated{unknown}")
    return 0


# ── Lean ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _lean(asked: Exporting, loading: Loading, texts: dict[str, str]) -> int:
    from kleis.lean.language.check_file import check_emitted

    found = _lean_file(asked, loading, texts[_PROPOSITION])
    problems = check_emitted(found.text)
    output = _written(asked, found.text)
    said: dict[str, Any] | None = None
    if asked.run_lean:
        from registry.cli.kleis_lean import run_lean

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
        complain(f"{problem.line}:{problem.column}: {problem.message}", style="bad")
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
    if not asked.prove:
        return write()
    from registry.cli.kleis.questions.verify import make_prover

    with make_prover(loading.theory, fresh=asked.fresh) as prover:
        return write(verdict=prover.verify)


def _summary(found: LeanFile, said: dict[str, Any] | None) -> None:
    """What the file holds, what it leaves out, and what nobody checked: on standard error."""
    counts = {
        status: sum(each.status == status for each in found.theorems)
        for status in ("sorry", "proof", "refutation")
    }
    complain(
        f"{len(found.theorems)} theorem{'' if len(found.theorems) == 1 else 's'}: {counts['sorry']} open, {counts['proof']} with a proof, "
        f"{counts['refutation']} refuted; {len(found.omitted)} left out"
    )
    for each in found.omitted:
        complain(f"left out  {each.name}: {each.reason}")
    if found.approximated:
        complain(f"unknown functions in this file: {', '.join(found.approximated)}")
    if said is None:
        complain("checked: the shape; no Lean has read it")
        return
    complain(f"checked: {said['level']}; {said['message']}")
    for each in said["errors"]:
        complain(f"{each['line']}: {each['message']}" + (f" (from {each['place']})" if each["place"] else ""))
