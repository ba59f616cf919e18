"""The command `pif`: everything that the server does, for people (servers.md, "Command line").

This module only starts it; the commands are put together in `pif_commands`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from registry.cli.process import run_program, words

if TYPE_CHECKING:
    import click

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pif` with these arguments (those of the process if None); returns the exit status."""
    return run_program("pif", _load, words(sys.argv[1:]) if arguments is None else arguments)


def _load() -> click.Command:
    from registry.cli.pif_commands import pif

    return pif


if __name__ == "__main__":
    sys.exit(main())
