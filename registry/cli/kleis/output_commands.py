"""The commands `kleis export`, `publish`, `graph`, `document`, `serve`, `lsp`: theories for provers, readers, agents, editors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from registry.cli.kleis.shared.options import DIRECTORY, EFFORT, FRESH, GRANT, JSON, PATH, TIMEOUT
from registry.cli.terminal.commands import SECONDS
from registry.cli.terminal.process import USAGE, print_error

__all__ = ["COMMANDS", "serve_kleis"]


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--lean", "language", flag_value="lean", help="Lean 4, with Mathlib where it is needed.")
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
@TIMEOUT
@EFFORT
@FRESH
@PATH
@JSON
def export(timeout: float | None, effort: int, **options: Any) -> int:
    """Write a theory, or one proposition, for another prover.

    What has no form there is left out and listed on standard error. Exit status: 0 written, 1 something did not hold
    (the proposition cannot be said, or Lean found an error), 2 ill-formed.
    """
    from registry.cli.kleis.output.export import Exporting
    from registry.cli.kleis.output.export import export as answer
    from registry.cli.kleis.shared.patience import Patience

    if options["language"] is None:
        raise click.UsageError("say what to write: --lean, --smtlib or --tptp")
    if options["language"] != "lean" and not options["proposition"]:
        raise click.UsageError(f"--{options['language']} needs a proposition: add --proposition P")
    return answer(Exporting(**options, patience=Patience(timeout, effort)))


@click.command()
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
@FRESH
@PATH
@JSON
def publish(corpus: Path, home: Path | None, as_json: bool, **options: Any) -> int:
    """Write a theory into a corpus, as a paper with claims, cards and the dependencies of its proofs.

    THEORY is a file, or the name of a saved theory. What its examples assert is proved first.
    """
    from registry.cli.kleis.output.publish import Publishing
    from registry.cli.kleis.output.publish import publish as write
    from registry.home import find_home

    return write(Publishing(corpus=corpus, home=find_home(home).path, **options), as_json=as_json)


@click.command()
@click.argument("subject", metavar="[FILE|PAPER]", default="")
@click.option(
    "--corpus", type=click.Path(path_type=Path), metavar="DIR", help="Draw PAPER of this corpus, or all."
)
@click.option("--svg", "form", flag_value="svg", help="SVG instead of Mermaid text.")
@click.option("--dot", "form", flag_value="dot", help="DOT, for Graphviz, instead of Mermaid text.")
@click.option("--html", "form", flag_value="html", help="A page with the picture, a search and a table.")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to FILE."
)
@PATH
@JSON
def graph(
    subject: str,
    corpus: Path | None,
    form: Literal["svg", "dot", "html"] | None,
    output: Path | None,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Draw what a file declares, or the cards of a paper, with arrows to what needs them."""
    from registry.cli.kleis.output.graph import draw

    if not subject and corpus is None:
        raise click.UsageError("give a FILE, or --corpus DIR")
    return draw(subject, corpus, path, form or "mermaid", output, as_json=as_json)


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--output", "-o", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="OUT",
    help="Write here: .pdf, .png or .svg (one a page), or .typ for the text.",
)  # fmt: skip
@click.option("--example", default="", metavar="TEXT", help="The example that prints, by a part of its name.")
@click.option(
    "--assemble", is_flag=True, help="A paper of the file: declarations, verdicts, pictures, prose."
)
@click.option("--title", default="", metavar="TEXT", help="The paper's title (default: the file's name).")
@click.option("--author", "authors", multiple=True, metavar="NAME", help="An author (repeatable).")
@click.option(
    "--prose", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="TEXTFILE",
    help="The paper's introduction, with headings after #.",
)  # fmt: skip
@PATH
@GRANT
@JSON
def document(**options: Any) -> int:
    """Compile what an example block prints to a document, or assemble a paper of a theory.

    Needs the extra documents (Typst), for pictures also numeric. Nothing is downloaded; the document reads no file.
    """
    from registry.cli.kleis.output.document import Documenting
    from registry.cli.kleis.output.document import document as write

    return write(Documenting(**options))


@click.command()
@click.option("--groups", default="", metavar="NAMES", help="The groups of tools to offer. [default: theory]")
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Where sessions are kept.")
@click.option("--more", is_flag=True, help="Offer the second list of tools too (undo, compare, explain).")
@click.option("--policy", type=click.Path(path_type=Path), metavar="FILE", help="The policy to enforce.")
@click.option(
    "--root", "roots", type=DIRECTORY, multiple=True, metavar="DIR",
    help="A directory from which theories and readFile may read (repeatable).",
)  # fmt: skip
@click.option(
    "--http", default="", metavar="HOST:PORT",
    help="Serve streamable HTTP there, at /mcp, instead of standard input and output.",
)  # fmt: skip
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="ORIGIN",
    help="Web pages that may call over HTTP, such as https://example.org (repeatable).",
)  # fmt: skip
@click.option(
    "--certfile",
    "certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Serve HTTPS with this certificate (PEM).",
)
@click.option(
    "--keyfile",
    "certificate_key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The key of the certificate (PEM).",
)
@click.option(
    "--quota", "quotas", multiple=True, metavar="NAME=N",
    help="What each principal but the owner may use: fuel and prover-seconds in a minute, stored-mb, sessions, calls; team-mb is for each team (repeatable).",
)  # fmt: skip
@click.option(
    "--log", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="The lines of the log on standard error; json has one for each call.",
)  # fmt: skip
@click.option("--log-arguments", is_flag=True, help="Log the arguments of calls too (with --log json).")
def serve(groups: str, home: Path | None, **options: Any) -> int:
    """Serve MCP on standard input and output, or over HTTP: theories that agents build and prove about.

    The short form of pif serve --groups theory.
    """

    return serve_kleis(home, groups, options)


@click.command()
@PATH
@click.option(
    "--timeout",
    type=SECONDS,
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="The most time of a check.",
)
def lsp(path: tuple[Path, ...], timeout: float) -> int:
    """Serve editors: the language server protocol on standard input and output.

    It needs the extra lsp. An editor starts it; see docs/how-to/use-an-editor.md.
    """
    closed: frozenset[int] = click.get_current_context().find_root().obj or frozenset()
    if closed & {0, 1}:
        print_error("kleis lsp: standard input and output must be open")
        return USAGE
    try:
        from registry.cli.kleis.language_server.server import run_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        print_error("kleis lsp needs pygls, which the extra lsp installs: pip install 'pif-kleis[lsp]'")
        return USAGE
    from importlib.metadata import version

    return run_server(version("pif-kleis"), path=path, timeout=timeout)


COMMANDS: tuple[click.Command, ...] = (
    export,
    publish,
    graph,
    document,
    serve,
    lsp,
)


def serve_kleis(home: Path | None, groups: str, options: Mapping[str, Any]) -> int:
    """Serve until the client disconnects; the exit status. Without `--groups`: `theory`, with a policy also `policy`."""
    closed: frozenset[int] = click.get_current_context().find_root().obj or frozenset()
    if closed & {0, 1} and not options.get("http"):
        print_error("kleis serve: standard input and output must be open")
        return USAGE
    from registry.home import find_home
    from registry.server.contract.settings import Settings
    from registry.server.serve import serve
    from registry.store.open_store import find_url

    chosen = groups or ("theory,policy" if options.get("policy") else "theory")
    return serve(
        Settings(home=find_home(home).path, store=find_url(), **options), chosen, command="kleis serve"
    )
