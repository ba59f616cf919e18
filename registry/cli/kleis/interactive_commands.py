"""The commands `kleis repl` and `kleis kernel`: a session that one talks to, at a prompt or in a notebook."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.kleis.shared.options import EFFORT, GRANT, TIMEOUT

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


COMMANDS = (repl,)
