"""Commands on tools: evolve, list, show, diff, history, rollback, forget."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from registry.cli.pif import views
from registry.cli.pif.completion import own_tool_names, team_names, tool_names
from registry.cli.pif.stored_code import term_of
from registry.cli.terminal.characters import counted
from registry.cli.terminal.command_context import Answer, CommandContext
from registry.cli.terminal.commands import SECONDS
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.proof_time import proving
from registry.cli.terminal.session import TermCommand, command, fractions
from registry.cli.terminal.sources import Source, path, text

if TYPE_CHECKING:
    from registry.workspace.workspace import Workspace

__all__ = ["COMMANDS"]


@command("evolve", cls=TermCommand)
@click.argument("file", type=text, metavar="FILE|-|JSON")
@click.option("--name", type=text, help="The tool's name; a bare term needs it.")
@click.option("--description", type=text, help="What the tool does, for whoever finds it.")
@click.option(
    "--expect-version", type=click.IntRange(min=0), metavar="N",
    help="Refuse unless version N is current (0: unless the name is free).",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Check everything, keep nothing.")
@click.option("--force", is_flag=True, help="Replace it though examples of tools that use it fail.")
@click.option(
    "--language", type=click.Choice(["json", "python"]), default="json",
    help="What the code is written in; a file that ends in .py is Python.",
)  # fmt: skip
@click.option(
    "--example", "examples", type=text, nargs=2, multiple=True, metavar="IN OUT",
    help="An input and the output that must come of it (repeatable).",
)  # fmt: skip
@click.option(
    "--law", "laws", type=text, multiple=True, metavar="PROPOSITION",
    help="A Kleis proposition about the tool; a false one refuses it (repeatable).",
)  # fmt: skip
@click.option("--drop-law", "drop_laws", type=text, multiple=True, help="A law to give up (repeatable).")
@click.option(
    "--timeout", type=SECONDS, metavar="SECONDS", help="The most time for proofs of the laws of a tool."
)
@fractions
def evolve(
    context: CommandContext,
    file: str,
    examples: tuple[tuple[str, str], ...],
    timeout: float | None,
    **options: Any,
) -> int:
    """Keep a tool, or a new version of one.

    FILE holds {"name", "description", "code", ...} or a list of them, or a bare term, or a Python function. Of a
    list the first tool that is refused ends the work; those before it are kept.
    """
    from registry.cli.pif.evolve_file import requests

    source = context.sources.json(file, what="the tool", place="code", files=True)
    language = options.pop("language")
    if language == "python" or (source.error_answer and source.name.endswith(".py")):
        source.data, source.error_answer, language = source.text, None, "python"
        if options["name"] is None:
            raise click.UsageError("a Python function needs --name, the name of the tool")
    if source.error_answer:
        return context.answer(source.error_answer, views.nothing, Texts(code=source))
    pairs = []
    for pair in examples:
        read = [context.sources.json(part, what="the example", place="input") for part in pair]
        for source_of in read:
            if source_of.error_answer:
                return context.answer(source_of.error_answer, views.nothing, Texts(given=source_of))
        pairs.append({"input": read[0].data, "output": read[1].data})
    if language != "json":
        options["language"] = language
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    with context.workspace() as workspace:
        asked = requests(source, {**given, "examples": pairs}, lambda tool: _description(workspace, tool))
        for number, request in enumerate(asked):
            status = _evolve_one(context, workspace, request, source, timeout, several=len(asked) > 1)
            if status:
                if len(asked) > 1:
                    context.screen.print_error(
                        f"{number} of {len(asked)} tools were evolved before this one."
                    )
                return status
    return 0


def _description(workspace: Workspace, name: str) -> str:
    """The description that a name has now, or none."""
    shown = workspace.show(name)
    return str(shown["description"]) if shown["type"] == "tool" else ""


def _evolve_one(
    context: CommandContext,
    workspace: Workspace,
    request: dict[str, Any],
    source: Source,
    timeout: float | None,
    *,
    several: bool,
) -> int:
    from registry.cli.pif.evolve_file import checked

    arguments = checked(request)
    title = str(request.get("name", "a tool without a name")) if several else ""
    if isinstance(arguments, dict):
        return context.answer(arguments, views.nothing, title=title)
    if timeout is None and arguments.timeout_ms is not None:
        timeout = arguments.timeout_ms / 1_000
    with proving(timeout, arguments.name) as deadline:
        answer = workspace.evolve(arguments, deadline=deadline)
    code = Source(f"code of {arguments.name}", "")
    code.data = arguments.code
    code.tool = arguments.language != "json"  # an error has its line and column, and no path into JSON
    return context.answer(
        answer, lambda made: views.evolved(context.screen, made), Texts(code=code), title=title
    )


@command("list")
@click.argument("query", type=text, nargs=-1)
@click.option("--offset", type=click.IntRange(min=0), default=0, help="Skip this many.")
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=50, show_default=True, help="At most this many."
)
@click.option("--library", is_flag=True, help="List the standard library's tools instead of the home's.")
@click.option(
    "--team",
    type=text,
    default="",
    shell_complete=team_names,
    help="List the tools of this team instead of the home's.",
)
def list_tools(
    context: CommandContext, query: tuple[str, ...], offset: int, limit: int, library: bool, team: str
) -> int:
    """Find tools by words in their names and descriptions."""
    from registry.workspace.requests import List

    with context.workspace() as workspace:
        answer = workspace.list(List(" ".join(query), offset=offset, limit=limit, library=library, team=team))
    return context.answer(answer, lambda found: views.tools(context.screen, found))


@command("show")
@click.argument("tool", type=text, metavar="NAME[@V]", shell_complete=tool_names)
@click.option("--python", is_flag=True, help="Show the code as a Python function.")
@click.option("--kleis", is_flag=True, help="Show the code as Kleis definitions, as laws speak of it.")
@click.option("--html", type=path, metavar="OUT", help="Write it as a page that carries everything with it.")
def show(context: CommandContext, tool: str, python: bool, kleis: bool, html: Path | None) -> int:
    """Show one tool: its term, what it may do, its laws and versions."""
    with context.workspace() as workspace:
        answer = workspace.show(tool, python=python, kleis=kleis)
        if answer["type"] == "tool":
            _tell_origin(context, answer)
        if html is not None and answer["type"] == "tool":
            from registry.cli.terminal.pages import write_page
            from registry.views.tool import tool_view

            page = workspace.show(tool, python=True, kleis=True)
            write_page(html, tool_view(page if page["type"] == "tool" else answer))
        return context.answer(answer, lambda found: views.tool(context.screen, found, term_of(found["code"])))


def _tell_origin(context: CommandContext, answer: Answer) -> None:
    """Say of a version that was pulled whose it is."""
    from registry.sharing.ledger import LedgerFile

    origin = LedgerFile(context.home().path).origin(f"{answer['name']}@{answer['version']}", answer["hash"])
    if origin is not None:
        answer["origin"] = origin.as_json()


@command("diff")
@click.argument("left", type=text, metavar="A", shell_complete=tool_names)
@click.argument("right", type=text, metavar="[B]", required=False, shell_complete=tool_names)
def diff(context: CommandContext, left: str, right: str | None) -> int:
    """Show where two tools or versions differ; of one alone, from the version before it."""
    with context.workspace() as workspace:
        answer = workspace.diff(left, right)
    return context.answer(answer, lambda found: views.difference(context.screen, found))


@command("history")
@click.argument("name", type=text, shell_complete=own_tool_names)
def history(context: CommandContext, name: str) -> int:
    """Show everything that happened to a name, oldest first."""
    with context.workspace() as workspace:
        answer = workspace.history(name)
    return context.answer(answer, lambda found: views.history(context.screen, found))


@command("rollback", cls=TermCommand)
@click.argument("name", type=text, shell_complete=own_tool_names)
@click.argument("version", type=click.IntRange(min=1))
@click.option(
    "--expect-version", type=click.IntRange(min=1), metavar="N", help="Refuse unless version N is current."
)
@click.option("--force", is_flag=True, help="Go back though examples of tools that use it fail.")
def rollback(
    context: CommandContext, name: str, version: int, expect_version: int | None, force: bool
) -> int:
    """Make an older version of a tool the current one."""
    from registry.workspace.requests import Rollback

    with context.workspace() as workspace:
        answer = workspace.rollback(Rollback(name, version, expect_version=expect_version, force=force))
    return context.answer(answer, lambda done: context.say(f"{done['name']} is at version {done['version']}"))


@command("forget")
@click.argument("tool", type=text, metavar="NAME[@V]", shell_complete=own_tool_names)
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(context: CommandContext, tool: str, yes: bool) -> int:
    """Drop a tool, or one version of it, for good."""
    with context.workspace() as workspace:
        if not yes and not _agreed(context, workspace, tool):
            return 1
        answer = workspace.forget(tool)
    return context.answer(answer, lambda done: context.say(views.forgotten(done)))


def _agreed(context: CommandContext, workspace: Workspace, tool: str) -> bool:
    """Ask for confirmation on a terminal. Elsewhere `--yes` is required."""
    shown: Answer = workspace.show(tool)
    if shown["type"] == "error":
        context.answer(shown, views.nothing)
        return False
    if not sys.stdin.isatty():
        raise click.UsageError("`forget` asks before it forgets, and there is no terminal; give --yes")
    count = len(shown["versions"])
    what = (
        f"version {shown['version']} of {shown['name']}"
        if "@" in tool
        else f"{shown['name']} ({counted(count, 'version')})"
    )
    if click.confirm(f"Forget {what} for good?", err=True):
        return True
    context.screen.print_error("Nothing was forgotten.")
    return False


COMMANDS = (evolve, list_tools, show, diff, history, rollback, forget)
