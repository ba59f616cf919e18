"""Commands on tools made of tools: compose, derive, graph, users."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kleis.decoding import converted
from registry.cli.pif import views
from registry.cli.pif.completion import tool_names
from registry.cli.terminal.characters import counted
from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.error_report import Texts
from registry.cli.terminal.session import TermCommand, command, fractions
from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError

if TYPE_CHECKING:
    from registry.tools.code_and_examples import Example

__all__ = ["COMMANDS"]

_DESCRIPTION = click.option("--description", type=text, default="", help="What the tool does.")
_DRY = click.option("--dry-run", is_flag=True, help="Check everything, keep nothing.")
_FORCE = click.option("--force", is_flag=True, help="Replace it though examples of tools that use it fail.")
_EXAMPLE = click.option(
    "--example", "examples", type=text, nargs=2, multiple=True, metavar="IN OUT",
    help="An input and the output that must come of it (repeatable).",
)  # fmt: skip


def _examples(context: CommandContext, pairs: tuple[tuple[str, str], ...]) -> tuple[Example, ...]:
    """Examples from the command line. Raises `click.UsageError` for what is no JSON."""
    from registry.tools.code_and_examples import Example

    read = []
    for pair in pairs:
        sources = [context.sources.json(part, what="the example", place="input") for part in pair]
        for source in sources:
            if source.error_answer:
                raise click.UsageError(f"{source.error_answer['error']['message']}: {source.text[:80]}")
        read.append(Example(input=sources[0].data, output=sources[1].data))
    return tuple(read)


def _stage(context: CommandContext, given: str) -> Any:
    """A tool's name, or a term."""
    if not given.lstrip().startswith(("{", "@", "-")):
        return given
    source = context.sources.json(given, what="the stage", place="code")
    if source.error_answer:
        raise click.UsageError(f"{source.error_answer['error']['message']}: {given[:80]}")
    return source.data


@command("compose", cls=TermCommand)
@click.argument("name", type=text)
@click.argument(
    "stages", type=text, nargs=-1, required=True, metavar="TOOL|JSON...", shell_complete=tool_names
)
@_DESCRIPTION
@_EXAMPLE
@_DRY
@_FORCE
@fractions
def compose(
    context: CommandContext, name: str, stages: tuple[str, ...], description: str,
    examples: tuple[tuple[str, str], ...], dry_run: bool, force: bool,
) -> int:  # fmt: skip
    """Make tool NAME a pipeline: what it is given goes through all stages, first to last."""
    from registry.workspace.requests import Evolve

    given = _examples(context, examples)
    with context.workspace() as workspace:
        request = Evolve(
            name, description or f"A pipeline: {', then '.join(stages)}."[:8_000],
            compose=[_stage(context, stage) for stage in stages], examples=given, dry_run=dry_run, force=force,
        )  # fmt: skip
        answer = workspace.evolve(request)
    return context.answer(answer, lambda made: views.evolved(context.screen, made), Texts())


@command("derive", cls=TermCommand)
@click.argument("name", type=text)
@click.argument("tool", type=text, shell_complete=tool_names)
@click.argument("by", type=text, metavar="TERMTOOL|JSON", shell_complete=tool_names)
@_DESCRIPTION
@_EXAMPLE
@_DRY
@_FORCE
@fractions
def derive(
    context: CommandContext, name: str, tool: str, by: str, description: str,
    examples: tuple[tuple[str, str], ...], dry_run: bool, force: bool,
) -> int:  # fmt: skip
    """Make tool NAME of the code that a term tool gives for the code of TOOL."""
    from registry.tools.composition import Transform
    from registry.workspace.requests import Evolve

    given = _examples(context, examples)
    with context.workspace() as workspace:
        request = Evolve(
            name, description or f"Derived from {tool} by {by}."[:8_000],
            transform=Transform(tool=tool, by=_stage(context, by)), examples=given, dry_run=dry_run, force=force,
        )  # fmt: skip
        answer = workspace.evolve(request)
    return context.answer(answer, lambda made: views.evolved(context.screen, made), Texts())


@command("graph")
@click.argument("names", type=text, nargs=-1, shell_complete=tool_names)
@click.option("--library", is_flag=True, help="Show the standard library's tools too.")
@click.option(
    "--image",
    type=path,
    metavar="FILE",
    help="Write it to FILE.svg, .png, .html, .dot or .mmd; a PNG needs the extra pictures.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
def graph(
    context: CommandContext, names: tuple[str, ...], library: bool, image: Path | None, overwrite: bool
) -> int:
    """Show which tools use which, as Mermaid text or as a picture.

    With NAMES: these, all they use and all that use them; without, the whole home.
    """
    from registry.cli.terminal.pictures import form_of, written
    from registry.workspace.dependants import Graph, drawing_of

    form = "" if image is None else form_of(image)
    if form is None:
        raise click.UsageError("the name of the file says its form: FILE.svg, .png, .html, .dot or .mmd")
    with context.workspace() as workspace:
        answer = workspace.graph(names, library=library)
    if image is not None and answer["type"] == "graph":
        drawing = drawing_of(converted(answer, Graph))
        _write(image, written(drawing, form), overwrite=overwrite)
        answer["image"] = str(image)
    return context.answer(answer, lambda drawn: _show_graph(context, drawn))


def _write(image: Path, drawn: bytes, *, overwrite: bool) -> None:
    """Write a picture to a file; refused where it is there, unless `overwrite`."""
    try:
        with image.open("wb" if overwrite else "xb") as file:
            file.write(drawn)
    except FileExistsError:
        raise RegistryError(
            "invalid_argument", "the file is there already", file=str(image), found=image.name,
            expected="a file that is not there", hint="choose another name, or give --overwrite",
        ) from None  # fmt: skip
    except OSError as error:
        raise RegistryError(
            "store_error", f"the picture cannot be written: {error.strerror}", file=str(image),
            hint="choose a file in a directory that is there and may be written to",
        ) from None  # fmt: skip


def _show_graph(context: CommandContext, drawn: dict[str, Any]) -> None:
    if "image" in drawn:
        context.say(f"picture written to {drawn['image']}")
    else:
        context.say(*drawn["mermaid"].splitlines())
    if drawn["cut"]:
        context.screen.print_error("There are more tools than one graph shows; name some.")


@command("users")
@click.argument("tool", type=text, shell_complete=tool_names)
def users(context: CommandContext, tool: str) -> int:
    """Show which tools use a tool, themselves or through others."""
    with context.workspace() as workspace:
        answer = workspace.users(tool)
    return context.answer(answer, lambda found: _show_users(context, found))


def _show_users(context: CommandContext, found: dict[str, Any]) -> None:
    rows = [
        (
            f"{user['name']}@{user['version']}",
            "directly" if user["direct"] else "through others",
            "a fixed version" if user["pinned"] else "",
            counted(user["examples"], "example"),
        )
        for user in found["users"]
    ]
    if rows:
        context.screen.table(("tool", "uses it", "pinned", "examples"), rows)
    else:
        context.screen.print_error(f"No tool of this home uses {found['name']}.")
    for part in found.get("unfinished", ()):
        context.screen.print_error(f"unfinished: {part}")


COMMANDS = (compose, derive, graph, users)
