"""The `kleis` command: check, test, eval, fmt, show.

Specification: issue 3, item 6; servers.md, "Command line".  Exit status: 0 all is well; 1 something did not hold, or
there is no value; 2 the command itself is wrong; 130 interrupted.

The subcommands live here as thin as they can be; what they do is in kleis_checking.py, kleis_testing.py and the
`kleis` package, imported when needed so that ``kleis --help`` is quick.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from registry.cli.commands import Commands, NumbersCommand
from registry.cli.kleis_terminal import complain, progress, say
from registry.cli.process import words

__all__ = ["kleis"]

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
_PATH = click.option(
    "--path",
    "path",
    multiple=True,
    type=_DIRECTORY,
    metavar="DIR",
    help="Look for imports here too (repeatable).",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
_GRANT = click.option(
    "--grant", "granted", type=_DIRECTORY, metavar="DIR", help="The directory that readFile may read."
)
_FILES = click.argument("files", nargs=-1, required=True, metavar="FILES…")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pif-kleis", prog_name="kleis")
def kleis() -> None:
    """Kleis: a language of structures, axioms, definitions and data types.

    FILES may be directories (all .kleis files below) or - (standard input).
    """


@kleis.command()
@_FILES
@click.option("--syntax-only", is_flag=True, help="Only read the files; ignore imports and names.")
@_PATH
@_JSON
def check(files: tuple[str, ...], syntax_only: bool, path: tuple[Path, ...], as_json: bool) -> int:
    """Report syntax errors, missing imports, unknown names, and declarations that mean nothing.

    Sorts, kinds, dimensions, ambiguous operations, definedness and termination are checked. Warnings point out
    readings that a person may not expect; they do not change the exit status.
    """
    from registry.cli.kleis_checking import check_file
    from registry.cli.kleis_files import expand, make_loader

    names = expand(files)
    loader = make_loader(path)
    reports = [check_file(loader, name, syntax_only=syntax_only) for name in names]
    if as_json:
        _print_json({"files": [report.as_dict() for report in reports]})
    else:
        from registry.cli.kleis_report import print_checked

        for report in reports:
            print_checked(report)
    return 0 if all(report.ok for report in reports) else 1


@kleis.command()
@_FILES
@click.option("--example", default="", metavar="TEXT", help="Only the examples whose names contain TEXT.")
@_PATH
@_GRANT
@_JSON
def test(
    files: tuple[str, ...], example: str, path: tuple[Path, ...], granted: Path | None, as_json: bool
) -> int:
    """Run the example blocks of files.

    What exact evaluation cannot decide says "needs the prover"; it is counted apart and does not fail.
    """
    from registry.cli.kleis_files import expand, make_loader
    from registry.cli.kleis_report import print_block_output, print_tested, print_totals
    from registry.cli.kleis_testing import FileReport, run_file

    names = expand(files)
    loader = make_loader(path)
    reports: list[FileReport] = []
    for count, name in enumerate(names):
        if as_json:
            progress(count, len(names), name)
        report = run_file(loader, name, selection=example, granted_root=granted)
        if as_json:
            print_block_output(report, to_results=False)
        else:
            print_tested(report)
        reports.append(report)
    if as_json:
        progress(len(names), len(names), "")
        _print_json({"files": [report.as_dict() for report in reports]})
    else:
        print_totals(reports)
    if example and not any(report.blocks for report in reports) and all(report.ok for report in reports):
        raise click.UsageError(f'no example has a name with "{example}" in it')
    return 0 if all(report.ok for report in reports) else 1


@kleis.command("eval", cls=NumbersCommand)
@click.argument("expression", metavar="EXPRESSION")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Import a file first (repeatable).")
@_PATH
@_GRANT
def evaluate(expression: str, imports: tuple[str, ...], path: tuple[Path, ...], granted: Path | None) -> int:
    """Print the value of an expression.

    EXPRESSION may be - (standard input).  What it prints with out goes to standard error.
    """
    from registry.cli.kleis_evaluating import evaluate_text

    return evaluate_text(words([expression.lstrip()])[0], imports, path, granted)


@kleis.command()
@_FILES
@click.option("--check", "only_check", is_flag=True, help="Change nothing; fail if something would change.")
@click.option("--ascii", "in_ascii", is_flag=True, help="Spell operators in ASCII.")
def fmt(files: tuple[str, ...], only_check: bool, in_ascii: bool) -> int:
    """Lay out files in the one style, in place.

    Standard input (-) is printed.  Comments, parentheses and line breaks stay.
    """
    from registry.cli.kleis_files import expand
    from registry.cli.kleis_formatting import format_file

    outcomes = [format_file(name, only_check=only_check, in_ascii=in_ascii) for name in expand(files)]
    changed, failed = outcomes.count("changed"), outcomes.count("failed")
    if changed and not only_check:
        complain(f"{changed} of {len(outcomes)} files changed")
    return 1 if failed or (only_check and changed) else 0


@kleis.command(cls=NumbersCommand)
@click.argument("file", metavar="FILE", default="")
@click.option("--tree", is_flag=True, help="Show the abstract syntax with places.")
@click.option("--meaning", metavar="PROPOSITION", help="Show what a proposition means (- is standard input).")
@click.option("--import", "imports", multiple=True, metavar="F", help="With --meaning: import a file first.")
@click.option("--using", default="", metavar="S", help="With --meaning: the structure it is about.")
@_PATH
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
        from registry.cli.kleis_meaning import show_meaning

        (proposition,) = words([meaning.lstrip()])
        return show_meaning(proposition, imports, using, path, in_ascii=in_ascii, as_json=as_json)
    if not file:
        raise click.UsageError("give a FILE, or a proposition with --meaning")
    if imports or using or path or as_json:
        raise click.UsageError("--import, --using, --path and --json belong to --meaning")
    return _show_file(file, tree, in_ascii)


def _show_file(file: str, tree: bool, in_ascii: bool) -> int:
    from kleis.errors import LoadError
    from kleis.printer import print_program
    from registry.cli.kleis_files import expand, load, make_loader
    from registry.cli.kleis_report import render
    from registry.cli.kleis_tree import tree_lines

    (name,) = expand([file])[:1]
    try:
        source = load(make_loader(), name).main
    except LoadError as error:
        complain(str(error), style="bad")
        return 1
    program = source.result.program
    if tree:
        for line in tree_lines(program):
            say(line)
    else:
        say(print_program(program, ascii=in_ascii).rstrip("\n"))
    for problem in source.result.errors:
        complain(render(problem, source.text), style="bad")
    return 0 if source.result.ok else 1


def _print_json(answer: dict[str, Any]) -> None:
    from registry.cli.screen import json_text

    sys.stdout.write(json_text(answer) + "\n")
