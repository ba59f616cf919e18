"""The command `pif`: everything that the server does, for people (servers.md, "Command line").

This module only puts the commands together and ends the process; `pif --help` loads nothing but click. The commands
are in `pif_tools` (evolve, list, show, …), `pif_run` (run, analyze, help) and `pif_home` (serve, export, backup, …).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from registry.cli import pif_home, pif_run, pif_tools
from registry.cli.screen import portable_streams, visible
from registry.cli.session import BROKEN_PIPE, INTERRUPTED, Commands, home_and_json
from registry.cli.sources import words

__all__ = ["main", "pif"]


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib import metadata

        click.echo(f"pif {metadata.version('pif-kleis')}")
        ctx.exit()


@click.group(
    cls=Commands,
    commands=[*pif_tools.COMMANDS, *pif_run.COMMANDS, *pif_home.COMMANDS],
    params=home_and_json(),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`pif help` explains the language, `pif demo` shows it at work.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
def pif(home: object, as_json: bool) -> None:
    """Evolve pure tools, run them under exact limits, find them again tomorrow."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `pif` with these arguments (those of the process if None); returns the exit status."""
    portable_streams()
    try:
        status = pif.main(
            words(sys.argv[1:]) if arguments is None else list(arguments),
            prog_name="pif",
            standalone_mode=False,
        )
        sys.stdout.flush()
        return int(status or 0)
    except click.ClickException as error:
        _complain(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    finally:
        _let_go()


def _complain(error: click.ClickException) -> None:
    """A usage error on standard error, in click's words."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    lines = [] if context is None else [context.get_usage()]
    if context is not None:
        lines.append(f"Try '{context.command_path} --help'.")
    lines.append(f"Error: {error.format_message()}")
    sys.stderr.write(visible("\n".join(lines)) + "\n")


def _let_go() -> None:
    """Keep the interpreter from complaining, as it ends, of a reader that is gone."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
