"""The command `kleis`: check, test, eval, fmt, show.

This module only starts it, and imports nothing before an interrupt is caught; the commands are put together in
`kleis_commands`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing`, which has this name too, takes longer to import than an interrupt to arrive
if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `kleis` with these arguments (those of the process if None); returns the exit status."""
    try:
        from registry.cli.terminal.process import run_program

        return run_program("kleis", _load, sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130


def _load() -> click.Command:
    from registry.cli.kleis.commands import kleis

    return kleis
