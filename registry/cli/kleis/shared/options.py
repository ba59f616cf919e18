"""Options and arguments that several commands of `kleis` have in common."""

from __future__ import annotations

from pathlib import Path

import click

from registry.cli.terminal.commands import SECONDS

__all__ = [
    "CLUSTER",
    "DIRECTORY",
    "EFFORT",
    "EXPLAIN",
    "FILES",
    "FRESH",
    "GRANT",
    "JSON",
    "PATH",
    "STRICT",
    "TIMEOUT",
]

DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
PATH = click.option(
    "--path",
    "path",
    multiple=True,
    type=DIRECTORY,
    metavar="DIR",
    help="Look for imports here too (repeatable).",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
GRANT = click.option(
    "--grant", "granted", type=DIRECTORY, metavar="DIR", help="The directory that readFile may read."
)
FRESH = click.option("--fresh", is_flag=True, help="Neither use nor keep verdicts of other runs.")
EXPLAIN = click.option("--explain", is_flag=True, help="Also say how it was found: engines, steps, models.")
STRICT = click.option("--strict", is_flag=True, help="A name in a file that nothing declares is an error.")
TIMEOUT = click.option(
    "--timeout", type=SECONDS, metavar="SECONDS", help="The most time; what is open then stays unknown."
)
CLUSTER = click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Have workers help: tcp://HOST:PORT, tls://HOST:PORT or local:N (extra cluster).",
)
EFFORT = click.option(
    "--effort",
    type=click.IntRange(1, 100),
    default=1,
    metavar="N",
    help="Search N times as much before giving up (1 to 100).",
)
FILES = click.argument("files", nargs=-1, required=True, metavar="FILES…")
