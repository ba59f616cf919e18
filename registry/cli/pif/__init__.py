"""The command `pif`: everything that the server does, for people (docs/reference/serving.md §9.1).

This module only starts it and imports nothing before an interrupt is caught.

- `commands`: the commands put together
- `without_options`: run as it is mostly typed, for which no command has to be made
- `tool_commands`: evolve, list, show, diff, history, rollback, forget
- `compose_commands`: compose, derive, graph, users
- `run_commands`: run, analyze, fuzz, help
- `term_runs`: what `run` does
- `law_commands`: verify, certificate
- `home_commands`: export, import, backup, migrate-store, serve, demo, doctor
- `stores_beside`: the stores of principals and teams that `migrate-store` leaves where they are
- `client_commands`: install-client
- `gateway_commands`: gateway, and its wrap, unwrap, approve, log
- `gateway_views`: what these show
- `clients`: MCP clients and where each keeps its servers
- `client_settings`: one entry of a client's settings changed
- `token_commands`: token create, list, revoke
- `team_commands`: team create, list, add, remove
- `sharing_commands`: publish, pull, push, sync
- `key_commands`: key, trust
- `sharing_questions`: certificates of questions, which they give and take in
- `sharing_views`: what these show
- `interactive_commands`: repl
- `repl/`: a prompt over the tools of a home
- `evolve_file`: evolve files and the options above them
- `views`: answers for people
- `law_views`: laws and comparisons for people
- `doctor`: the installation examined
- `repair`: `pif doctor --repair`
- `stored_code`: the code of registered tools
- `completion`: tool names for shells
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing`, which has this name too, takes longer to import than an interrupt to arrive
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pif` with these arguments (those of the process if None, which then ends with them); returns the exit status."""
    try:
        from registry.cli.pif.without_options import without_options
        from registry.cli.terminal.process import run_process, run_program, words

        if arguments is None:
            return run_process("pif", _load, words(sys.argv[1:]), without_options)
        return run_program("pif", _load, arguments, without_options)
    except KeyboardInterrupt:
        return 130


def _load() -> click.Command:
    from registry.cli.pif.commands import pif

    return pif
