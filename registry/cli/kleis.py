"""The command `kleis`: check, test, eval, fmt, show.

This module only starts it; the commands are put together in `kleis_commands`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from registry.cli.process import run_program

if TYPE_CHECKING:
    import click

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `kleis` with these arguments (those of the process if None); returns the exit status."""
    return run_program("kleis", _load, sys.argv[1:] if arguments is None else arguments)


def _load() -> click.Command:
    from registry.cli.kleis_commands import kleis

    return kleis


if __name__ == "__main__":
    sys.exit(main())
