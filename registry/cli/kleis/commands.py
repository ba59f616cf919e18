"""The commands of `kleis`, put together (docs/reference/serving.md §9.2).

A command's module is imported when it is asked for, all of them for `kleis --help`; what a command does when it runs.

Exit status: 0 all is well; 1 something did not hold, or there is no value; 2 the command itself is wrong, or the
question asked is ill-formed; 3 what was asked is unknown (`verify`, `consistent` and `explore` only); 130 interrupted.
"""

from __future__ import annotations

import click

from registry.cli.terminal.commands import Commands, CommandTable
from registry.cli.terminal.shared_commands import completion, version_option

__all__ = ["kleis"]

_MODULES = {
    "registry.cli.kleis.file_commands": ("check", "test", "eval", "fmt", "show"),
    "registry.cli.kleis.question_commands": (
        "verify", "consistent", "certificate", "model", "machine", "explore",
    ),
    "registry.cli.kleis.policy_commands": ("policy",),
    "registry.cli.kleis.interactive_commands": ("repl", "kernel"),
    "registry.cli.kleis.output_commands": ("export", "publish", "graph", "document", "serve", "lsp"),
}  # fmt: skip
"""The commands that each module has."""


@click.command("help")
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Explain a command, or list them."""
    described = ctx.find_root()
    for name in names:
        command = described.command
        found = command.get_command(described, name) if isinstance(command, click.Group) else None
        if found is None:
            raise click.UsageError(f"there is no command {' '.join(names)!r}", ctx.find_root())
        described = click.Context(found, info_name=name, parent=described)
    click.echo(described.get_help())


@click.group(
    cls=Commands,
    commands=CommandTable(_MODULES, completion, help_),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@version_option
def kleis() -> None:
    """Kleis: a language of structures, axioms, definitions and data types.

    FILES may be directories (all .kleis files below) or - (standard input).
    """
