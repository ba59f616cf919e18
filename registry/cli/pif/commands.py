"""The commands of `pif`, put together. The modules of commands import click and what their options need.

A command's module is imported when it is asked for, all of them for `pif --help`.
"""

from __future__ import annotations

import click

from registry.cli.terminal.commands import Commands, CommandTable
from registry.cli.terminal.session import home_and_json
from registry.cli.terminal.shared_commands import completion, version_option

__all__ = ["pif"]

_MODULES = {
    "registry.cli.pif.tool_commands": ("evolve", "list", "show", "diff", "history", "rollback", "forget"),
    "registry.cli.pif.compose_commands": ("compose", "derive", "graph", "users"),
    "registry.cli.pif.run_commands": ("run", "analyze", "fuzz", "help"),
    "registry.cli.pif.interactive_commands": ("repl",),
    "registry.cli.pif.law_commands": ("verify", "certificate"),
    "registry.cli.pif.home_commands": (
        "export", "import", "backup", "migrate-store", "serve", "ui", "demo", "doctor",
    ),
    "registry.cli.pif.gateway_commands": ("gateway",),
    "registry.cli.pif.client_commands": ("install-client",),
    "registry.cli.pif.token_commands": ("token",),
    "registry.cli.pif.team_commands": ("team",),
    "registry.cli.pif.sharing_commands": ("publish", "pull", "push", "sync"),
    "registry.cli.pif.key_commands": ("key", "trust"),
}  # fmt: skip
"""The commands that each module has."""


@click.group(
    cls=Commands,
    commands=CommandTable(_MODULES, completion),
    params=home_and_json(),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`pif help` explains the language, `pif demo` shows it at work.",
)
@version_option
def pif(home: object, store: object, as_json: bool) -> None:
    """Evolve pure tools, run them under exact limits, find them again tomorrow.

    Exit status: 0 a value or a continuation, 1 an error result, 2 a command line that cannot be understood, 130
    interrupted. Status 2 is explained on standard error only, with --json too.
    """
