"""The commands of `pif`, put together. `pif --help` loads nothing but click."""

from __future__ import annotations

import click

from registry.cli.pif import (
    client_commands,
    compose_commands,
    gateway_commands,
    home_commands,
    interactive_commands,
    law_commands,
    run_commands,
    sharing_commands,
    team_commands,
    token_commands,
    tool_commands,
)
from registry.cli.terminal.commands import Commands
from registry.cli.terminal.session import home_and_json
from registry.cli.terminal.shared_commands import completion, version_option

__all__ = ["pif"]


@click.group(
    cls=Commands,
    commands=[
        *tool_commands.COMMANDS,
        *compose_commands.COMMANDS,
        *run_commands.COMMANDS,
        *interactive_commands.COMMANDS,
        *law_commands.COMMANDS,
        *home_commands.COMMANDS,
        *gateway_commands.COMMANDS,
        *client_commands.COMMANDS,
        *token_commands.COMMANDS,
        *team_commands.COMMANDS,
        *sharing_commands.COMMANDS,
        completion,
    ],
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
