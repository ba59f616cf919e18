"""The commands `kleis repl` and `kleis kernel`: a session that one talks to, at a prompt or in a notebook."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.kleis.shared.options import EFFORT, GRANT, TIMEOUT
from registry.cli.terminal.commands import Commands

__all__ = ["COMMANDS"]


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--session", metavar="NAME", help="The session to go on with (default: repl).")
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="The home.")
@GRANT
@TIMEOUT
@EFFORT
def repl(
    files: tuple[str, ...],
    session: str | None,
    home: Path | None,
    granted: Path | None,
    timeout: float | None,
    effort: int,
) -> int:
    """Declare, prove and compute at a prompt.

    FILES are imported first. What is declared stays in the session, which is there again the next time.

    Standard input that is no terminal is a script, with a session of its own unless one is named. Its exit status: 0 all
    is well, 1 something does not hold or has no value, 2 ill-formed, 3 unknown.
    """
    from registry.cli.kleis.repl.repl import ReplRequest
    from registry.cli.kleis.repl.repl import repl as talk

    return talk(
        ReplRequest(files=files, session=session, home=home, timeout=timeout, effort=effort, granted=granted)
    )


@click.group(cls=Commands)
def kernel() -> None:
    """Kleis in notebooks (extra jupyter)."""


@kernel.command("install")
@click.option("--user", is_flag=True, help="For this user.")
@click.option(
    "--prefix", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="In an environment."
)
@click.option("--sys-prefix", is_flag=True, help="In the environment of this Python.")
def install_kernel(user: bool, prefix: Path | None, sys_prefix: bool) -> int:
    """Enter the kernel where Jupyter looks for kernels.

    It runs with the Python that runs this command. Without an option it is entered for all users of this machine.
    """
    import sys

    from registry.cli.terminal.plain_output import print_error, say
    from registry.errors import RegistryError
    from registry.notebook import kernel_spec

    if user + sys_prefix + (prefix is not None) > 1:
        raise click.UsageError("one of --user, --prefix and --sys-prefix says where")
    try:
        entered = kernel_spec.install_kernel(user=user, prefix=Path(sys.prefix) if sys_prefix else prefix)
    except RegistryError as error:
        print_error(f"error  {error.message} ({error.hint})", style="bad")
        return 1
    say(f"entered {entered}")
    return 0


COMMANDS = (repl, kernel)
