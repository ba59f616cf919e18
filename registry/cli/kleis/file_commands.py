"""The commands `kleis check`, `test`, `eval`, `fmt`, `show`: files as they are read, run and laid out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from registry.cli.kleis.shared.options import (
    CLUSTER,
    EFFORT,
    FILES,
    FRESH,
    GRANT,
    JSON,
    PATH,
    STRICT,
    TIMEOUT,
)
from registry.cli.terminal.commands import NumbersCommand
from registry.cli.terminal.plain_output import print_error, say
from registry.cli.terminal.process import words

__all__ = ["COMMANDS"]


@click.command()
@FILES
@click.option("--syntax-only", is_flag=True, help="Only read the files; ignore imports and names.")
@STRICT
@PATH
@JSON
def check(
    files: tuple[str, ...], syntax_only: bool, strict: bool, path: tuple[Path, ...], as_json: bool
) -> int:
    """Report syntax errors, missing imports, unknown names, and declarations that mean nothing.

    Sorts, kinds, dimensions, ambiguous operations, definedness and termination are checked. Warnings point out
    readings that a person may not expect, and axioms that a short look finds to clash; they do not change the exit
    status.
    """
    from registry.cli.kleis.files.check import check_file
    from registry.cli.kleis.shared.clashes import ClashLook
    from registry.cli.kleis.shared.loading import make_loader
    from registry.cli.kleis.shared.named_files import expand

    names = expand(files)
    loader = make_loader(path)
    with ClashLook() as look:
        reports = [
            check_file(loader, name, syntax_only=syntax_only, strict=strict, look=look.clashing)
            for name in names
        ]
    if as_json:
        _print_json({"files": [report.as_dict() for report in reports]})
    else:
        from registry.cli.kleis.files.check_and_test_report import print_checked

        for report in reports:
            print_checked(report)
    return 0 if all(report.ok for report in reports) else 1


@click.command()
@FILES
@click.option("--example", default="", metavar="TEXT", help="Only the examples whose names contain TEXT.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Ask N questions at a time (default: processors).",
)
@click.option("--exact", is_flag=True, help="Only evaluate; ask the prover nothing.")
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw the blocks' pictures there (SVG, PNG).",
)
@click.option("--dark", is_flag=True, help="Draw them for a dark page.")
@STRICT
@TIMEOUT
@EFFORT
@FRESH
@PATH
@GRANT
@CLUSTER
@JSON
def test(
    files: tuple[str, ...],
    example: str,
    jobs: int | None,
    exact: bool,
    plots: Path | None,
    dark: bool,
    strict: bool,
    timeout: float | None,
    effort: int,
    fresh: bool,
    path: tuple[Path, ...],
    granted: Path | None,
    cluster: str,
    as_json: bool,
) -> int:
    """Run the example blocks of files, and prove their lemmas.

    What exact evaluation cannot decide, the prover is asked. What stays unknown is counted apart and does not fail; a
    lemma must be proved.
    """
    from registry.cli.kleis.files.check_and_test_report import (
        print_block_output,
        print_drawn,
        print_tested,
        print_totals,
    )
    from registry.cli.kleis.files.test import FileReport, run_files
    from registry.cli.kleis.shared.loading import make_loader
    from registry.cli.kleis.shared.named_files import expand
    from registry.cli.kleis.shared.patience import Patience
    from registry.cli.kleis.shared.workers import check_address, workers_ahead

    names = expand(files)
    reports: list[FileReport] = []
    patience = Patience(timeout, effort)
    slots = jobs or os.cpu_count() or 1
    if cluster:
        if exact:
            raise click.UsageError("--exact asks the prover nothing: there is nothing for --cluster to do")
        check_address(cluster)
    with (
        patience.waiting(live=not as_json, slots=slots, interrupting=False) as waiting,
        workers_ahead(
            cluster, waiting.broker, effort=effort, line=waiting.line, over=lambda: waiting.deadline.over
        ) as ahead,
    ):
        waiting.line.about = f"0/{len(names)} {names[0]}"
        for report in run_files(
            make_loader(path),
            names,
            selection=example,
            granted_root=granted,
            jobs=0 if exact else jobs,
            fresh=fresh,
            strict=strict,
            effort=effort,
            waiting=waiting,
            ahead=ahead,
        ):
            with waiting.line.hidden():
                if as_json:
                    print_block_output(report, to_results=False)
                else:
                    print_tested(report)
                sys.stdout.flush()
            reports.append(report)
            if len(reports) < len(names):
                waiting.line.about = f"{len(reports)}/{len(names)} {names[len(reports)]}"
    drawn: dict[str, Any] = {}
    complete = True
    if plots is not None:
        from registry.cli.kleis.files.plots import draw_tested

        drawn, complete = draw_tested(reports, plots, dark=dark)
    if as_json:
        answer = {"files": [report.as_dict() for report in reports]}
        _print_json({**answer, "plots": drawn} if drawn else answer)
    else:
        print_drawn(drawn)
        print_totals(reports)
    if example and not any(report.blocks for report in reports) and all(report.ok for report in reports):
        raise click.UsageError(f'no example has a name with "{example}" in it')
    return 0 if complete and all(report.ok for report in reports) else 1


@click.command("eval", cls=NumbersCommand)
@click.argument("expression", metavar="EXPRESSION")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Import a file first (repeatable).")
@STRICT
@PATH
@GRANT
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, also for what has no value.")
def evaluate(
    expression: str,
    imports: tuple[str, ...],
    strict: bool,
    path: tuple[Path, ...],
    granted: Path | None,
    as_json: bool,
) -> int:
    """Print the value of an expression.

    EXPRESSION may be - (standard input).  What it prints with out goes to standard error.
    """
    from registry.cli.kleis.files.evaluate import evaluate_text

    text = words([expression.lstrip()])[0]
    return evaluate_text(text, imports, path, granted, as_json=as_json, strict=strict)


@click.command()
@FILES
@click.option("--check", "only_check", is_flag=True, help="Change nothing; fail if something would change.")
@click.option("--ascii", "in_ascii", is_flag=True, help="Spell operators in ASCII.")
def fmt(files: tuple[str, ...], only_check: bool, in_ascii: bool) -> int:
    """Lay out files in the one style, in place.

    Standard input (-) is printed.  Comments, parentheses and line breaks stay.
    """
    from registry.cli.kleis.files.format import format_file
    from registry.cli.kleis.shared.named_files import expand

    outcomes = [format_file(name, only_check=only_check, in_ascii=in_ascii) for name in expand(files)]
    changed, failed = outcomes.count("changed"), outcomes.count("failed")
    if changed and not only_check:
        print_error(f"{changed} of {len(outcomes)} files changed")
    return 1 if failed or (only_check and changed) else 0


@click.command(cls=NumbersCommand)
@click.argument("file", metavar="FILE", default="")
@click.option("--tree", is_flag=True, help="Show the abstract syntax with places.")
@click.option("--meaning", metavar="PROPOSITION", help="Show what a proposition means (- is standard input).")
@click.option("--import", "imports", multiple=True, metavar="F", help="With --meaning: import a file first.")
@click.option("--using", default="", metavar="S", help="With --meaning: the structure it is about.")
@PATH
@click.option("--ascii", "in_ascii", is_flag=True, help="Spell operators in ASCII.")
@click.option("--json", "as_json", is_flag=True, help="With --meaning: print one JSON object.")
def show(
    file: str,
    tree: bool,
    meaning: str | None,
    imports: tuple[str, ...],
    using: str,
    path: tuple[Path, ...],
    in_ascii: bool,
    as_json: bool,
) -> int:
    """Print a file as it was read, or what a proposition means.

    The meaning has every name resolved, every coercion written out, what is in force and what it rests on.
    """
    if meaning is not None:
        if file or tree:
            raise click.UsageError("--meaning shows a proposition: give files with --import, and no --tree")
        from registry.cli.kleis.files.show import show_meaning

        (proposition,) = words([meaning.lstrip()])
        return show_meaning(proposition, imports, using, path, in_ascii=in_ascii, as_json=as_json)
    if not file:
        raise click.UsageError("give a FILE, or a proposition with --meaning")
    if imports or using or path or as_json:
        raise click.UsageError("--import, --using, --path and --json belong to --meaning")
    return _show_file(file, tree, in_ascii)


def _show_file(file: str, tree: bool, in_ascii: bool) -> int:
    from kleis.errors import LoadError
    from kleis.syntax.printer.program import print_program
    from registry.cli.kleis.files.show import tree_lines
    from registry.cli.kleis.shared.loading import load, make_loader
    from registry.cli.kleis.shared.named_files import expand
    from registry.cli.kleis.shared.reports import render
    from registry.cli.terminal.kleis_source import say_kleis

    (name,) = expand([file], library=True)[:1]
    try:
        source = load(make_loader(), name).main
    except LoadError as error:
        print_error(str(error), style="bad")
        return 1
    program = source.result.program
    if tree:
        for line in tree_lines(program):
            say(line)
    else:
        say_kleis(print_program(program, ascii=in_ascii).rstrip("\n"))
    for problem in source.result.errors:
        print_error(render(problem, source.text), style="bad")
    return 0 if source.result.ok else 1


def _print_json(answer: dict[str, Any]) -> None:
    from registry.cli.terminal.screen import json_text

    sys.stdout.write(json_text(answer) + "\n")


COMMANDS: tuple[click.Command, ...] = (
    check,
    test,
    evaluate,
    fmt,
    show,
)
