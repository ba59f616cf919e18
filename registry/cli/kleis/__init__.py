"""The command `kleis`. This module only starts it and imports nothing before an interrupt is caught.

- `commands`: the commands put together
- `without_options`: eval and verify as they are mostly typed, for which no command has to be made
- `file_commands`: check, test, eval, fmt, show: names and options
- `question_commands`: verify, consistent, certificate, model, machine, explore: names and options
- `output_commands`: export, publish, graph, document, serve, lsp: names and options
- `policy_commands`: policy check, audit, compare: names and options
- `interactive_commands`: repl, kernel: names and options
- `shared/`: files, options and reports that several commands use
- `files/`: what is done with files
- `questions/`: what is asked of the prover
- `output/`: what leaves for others
- `language_server/`: `kleis lsp`, for editors
- `policies`: what is asked of a policy
- `repl/`: a session at a prompt

The modules with options import click alone; what a command does is imported when it runs, so that `--help` is quick.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing`, which has this name too, takes longer to import than an interrupt to arrive
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `kleis` with these arguments (those of the process if None, which then ends with them); returns the exit status."""
    try:
        from registry.cli.kleis.without_options import without_options
        from registry.cli.terminal.process import run_process, run_program

        if arguments is None:
            return run_process("kleis", _load, sys.argv[1:], without_options)
        return run_program("kleis", _load, arguments, without_options)
    except KeyboardInterrupt:
        return 130


def _load() -> click.Command:
    from registry.cli.kleis.commands import kleis

    return kleis
