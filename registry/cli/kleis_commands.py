"""The `kleis` command: check, test, verify, consistent, certificate, policy, explore, eval, fmt, show.

Specification: issue 3, item 6; issue 5, item 7; servers.md, "Command line".  Exit status: 0 all is well; 1 something
did not hold, or there is no value; 2 the command itself is wrong, or the question asked is ill-formed; 3 what was asked
is unknown (`verify`, `consistent` and `explore` only); 130 interrupted.

The subcommands live here as thin as they can be; what they do is in kleis_checking.py, kleis_testing.py and the
`kleis` package, imported when needed so that ``kleis --help`` is quick.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from registry.cli.commands import Commands, NumbersCommand
from registry.cli.kleis_policy_commands import policy
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
_FRESH = click.option("--fresh", is_flag=True, help="Neither use nor keep verdicts of other runs.")
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
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Ask N questions at a time (default: processors).",
)
@click.option("--exact", is_flag=True, help="Only evaluate; ask the prover nothing.")
@_FRESH
@_PATH
@_GRANT
@_JSON
def test(
    files: tuple[str, ...],
    example: str,
    jobs: int | None,
    exact: bool,
    fresh: bool,
    path: tuple[Path, ...],
    granted: Path | None,
    as_json: bool,
) -> int:
    """Run the example blocks of files.

    What exact evaluation cannot decide, the prover is asked. What stays unknown is counted apart and does not fail.
    """
    from registry.cli.kleis_files import expand, make_loader
    from registry.cli.kleis_report import print_block_output, print_tested, print_totals
    from registry.cli.kleis_testing import FileReport, run_files

    names = expand(files)
    reports: list[FileReport] = []
    progress(0, len(names), names[0])
    for report in run_files(
        make_loader(path),
        names,
        selection=example,
        granted_root=granted,
        jobs=0 if exact else jobs,
        fresh=fresh,
    ):
        progress(len(names), len(names), "")  # the line of a terminal that results are about to use
        if as_json:
            print_block_output(report, to_results=False)
        else:
            print_tested(report)
        reports.append(report)
        if len(reports) < len(names):
            progress(len(reports), len(names), names[len(reports)])
    if as_json:
        _print_json({"files": [report.as_dict() for report in reports]})
    else:
        print_totals(reports)
    if example and not any(report.blocks for report in reports) and all(report.ok for report in reports):
        raise click.UsageError(f'no example has a name with "{example}" in it')
    return 0 if all(report.ok for report in reports) else 1


_EXPLAIN = click.option("--explain", is_flag=True, help="Also say how it was found: engines, steps, models.")


@kleis.command(cls=NumbersCommand)
@click.argument("proposition", metavar="PROPOSITION")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Import a file first (repeatable).")
@click.option("--using", default="", metavar="S", help="The structure it is about.")
@click.option(
    "--lemma",
    "lemmas",
    multiple=True,
    metavar="P",
    help="Prove this first, then use it (repeatable, in order).",
)
@click.option(
    "--expect",
    type=click.Choice(["verified", "disproved", "inconsistent", "unknown", "error"]),
    help="Exit with 0 exactly if the verdict is this one.",
)
@click.option(
    "--certificate",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a certificate, with its obligations as .smt2 files beside it.",
)
@_EXPLAIN
@_FRESH
@_PATH
@_JSON
def verify(
    proposition: str,
    imports: tuple[str, ...],
    using: str,
    lemmas: tuple[str, ...],
    expect: str | None,
    certificate: Path | None,
    explain: bool,
    fresh: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide whether a proposition holds wherever the axioms do.

    PROPOSITION may be - (standard input). Exit status: 0 verified, 1 disproved or the axioms clash, 2 ill-formed,
    3 unknown.
    """
    from registry.cli.kleis_verify import Question
    from registry.cli.kleis_verify import verify as answer

    (text, *others) = words([proposition.lstrip(), *lemmas])
    question = Question(
        proposition=text,
        imports=imports,
        using=using,
        lemmas=tuple(others),
        path=path,
        fresh=fresh,
        certificate=certificate,
    )
    return answer(question, explain=explain, as_json=as_json, expected=expect or "")


@kleis.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a certificate for each part, with obligations beside it.",
)
@_EXPLAIN
@_FRESH
@_PATH
@_JSON
def consistent(
    file: str, certificates: Path | None, explain: bool, fresh: bool, path: tuple[Path, ...], as_json: bool
) -> int:
    """Decide whether what a file declares has a model.

    Every structure with parameters is asked about, and every group of structures without. Exit status: 0 all have
    models, 1 some axioms clash, 2 ill-formed, 3 unknown.
    """
    from registry.cli.kleis_files import expand
    from registry.cli.kleis_verify import consistent_file

    names = expand([file])
    if len(names) != 1:
        raise click.UsageError(f"{file} is a directory: ask about one file")
    return consistent_file(
        names[0], path, fresh=fresh, explain=explain, as_json=as_json, certificates=certificates
    )


@kleis.command()
@click.argument("file", metavar="FILE")
@click.option("--lean", "language", flag_value="lean", help="Lean 4 with Mathlib, proofs left open.")
@click.option("--smtlib", "language", flag_value="smtlib", help="SMT-LIB, exactly what solvers are asked.")
@click.option("--tptp", "language", flag_value="tptp", help="TPTP: FOF, or TFF with arithmetic.")
@click.option("--proposition", "-p", default="", metavar="P", help="Only this, and what it rests on.")
@click.option("--using", default="", metavar="S", help="The structure it is about.")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT", help="Write here."
)
@click.option(
    "--prove", is_flag=True, help="Ask the prover; write the proofs and countermodels that Lean can decide."
)
@click.option(
    "--assume-defined", is_flag=True, help="State less: nowhere false, instead of true and defined."
)
@click.option("--check", "run_lean", is_flag=True, help="Run the lean on the PATH on what was written.")
@_FRESH
@_PATH
@_JSON
def export(**options: Any) -> int:
    """Write a theory, or one proposition, for another prover.

    What has no form there is left out and listed on standard error. Exit status: 0 written, 1 something did not hold
    (the proposition cannot be said, or Lean found an error), 2 ill-formed.
    """
    from registry.cli.kleis_exporting import Exporting
    from registry.cli.kleis_exporting import export as answer

    if options["language"] is None:
        raise click.UsageError("say what to write: --lean, --smtlib or --tptp")
    if options["language"] != "lean" and not options["proposition"]:
        raise click.UsageError(f"--{options['language']} needs a proposition: add --proposition P")
    return answer(Exporting(**options))


kleis.add_command(policy)


@kleis.group(cls=Commands)
def certificate() -> None:
    """Certificates: verdicts that can be checked again."""


@certificate.command("check")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_JSON
def check_certificate(file: Path, as_json: bool) -> int:
    """Check a certificate without trusting whoever wrote it.

    The claim is read and encoded again, every obligation solved again. Exit status: 0 it holds, 1 it does not.
    """
    from registry.cli.kleis_certificates import check_file

    return check_file(file, as_json=as_json)


@kleis.command()
@click.argument("file", metavar="FILE")
@click.argument("structure", metavar="STRUCTURE")
@click.option(
    "--size", type=click.IntRange(1, 20), default=5, show_default=True, help="Symbols on each side of a law."
)
@click.option(
    "--variables", type=click.IntRange(0, 6), default=3, show_default=True, help="Variables of a law."
)
@click.option("--carrier", metavar="NAME", help="The parameter that laws are about (default: the first).")
@click.option("--generator", metavar="TOOL", help="A PIF tool of your own that gives the candidates.")
@click.option("--seconds", type=click.IntRange(min=1), metavar="N", help="Show what is found after so long.")
@click.option(
    "--limit", type=click.IntRange(0, 100_000), default=20, show_default=True, help="Rows of each list."
)
@click.option(
    "--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Leave out the first rows."
)
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Where the PIF tools are.")
@_FRESH
@_PATH
@_JSON
def explore(**options: Any) -> int:
    """Find the laws of a structure: conjecture, test, prove.

    All equations between small terms are tested on finite models, then proved or refuted. Exit status: 0 all are
    decided, 3 some are not.
    """
    from registry.cli.kleis_explore import Exploring
    from registry.cli.kleis_explore import explore as answer

    return answer(Exploring(**options))


@kleis.command()
@click.option("--groups", default="", metavar="NAMES", help="The groups of tools to offer. [default: theory]")
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Where sessions are kept.")
@click.option("--more", is_flag=True, help="Offer the second list of tools too (undo, compare, explain).")
@click.option("--policy", type=click.Path(path_type=Path), metavar="FILE", help="The policy to enforce.")
@click.option(
    "--root", "roots", type=_DIRECTORY, multiple=True, metavar="DIR",
    help="A directory from which theories and readFile may read (repeatable).",
)  # fmt: skip
def serve(groups: str, home: Path | None, **options: Any) -> int:
    """Serve MCP on standard input and output: theories that agents build and prove about.

    The short form of pif serve --groups theory.
    """
    from registry.cli.kleis_serving import serve_kleis

    return serve_kleis(home, groups, options)


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


@kleis.command()
@click.argument("theory", metavar="THEORY")
@click.option(
    "--corpus",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The corpus; begun if it is new.",
)
@click.option("--id", "paper_id", default="", metavar="ID", help="The paper's id (default: from the name).")
@click.option("--title", default="", metavar="TEXT", help="The paper's title.")
@click.option("--author", "authors", multiple=True, metavar="NAME", help="An author (repeatable).")
@click.option("--year", type=int, metavar="Y", help="The paper's year (default: this one).")
@click.option("--domain", default="mathematics", show_default=True, metavar="D", help="What it is about.")
@click.option(
    "--claim", "claims", multiple=True, metavar="P", help="A proposition to publish too (repeatable)."
)
@click.option("--overwrite", is_flag=True, help="Replace the paper of this id.")
@click.option("--home", type=click.Path(path_type=Path), metavar="DIR", help="Where saved theories are.")
@_FRESH
@_PATH
@_JSON
def publish(corpus: Path, home: Path | None, as_json: bool, **options: Any) -> int:
    """Write a theory into a corpus, as a paper with claims, cards and the dependencies of its proofs.

    THEORY is a file, or the name of a saved theory. What its examples assert is proved first.
    """
    from registry.cli.kleis_publish import Publishing
    from registry.cli.kleis_publish import publish as write
    from registry.home import find_home

    return write(Publishing(corpus=corpus, home=find_home(home).path, **options), as_json=as_json)


@kleis.command()
@click.argument("subject", metavar="[FILE|PAPER]", default="")
@click.option(
    "--corpus", type=click.Path(path_type=Path), metavar="DIR", help="Draw PAPER of this corpus, or all."
)
@click.option("--svg", "form", flag_value="svg", help="SVG instead of Mermaid text.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to FILE."
)
@_PATH
@_JSON
def graph(
    subject: str,
    corpus: Path | None,
    form: str | None,
    output: Path | None,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Draw what a file declares, or the cards of a paper, with arrows to what needs them."""
    from registry.cli.kleis_graph import draw

    if not subject and corpus is None:
        raise click.UsageError("give a FILE, or --corpus DIR")
    return draw(subject, corpus, path, "svg" if form else "mermaid", output, as_json=as_json)


def _print_json(answer: dict[str, Any]) -> None:
    from registry.cli.screen import json_text

    sys.stdout.write(json_text(answer) + "\n")
