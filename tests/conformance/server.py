"""The server under test, with a home of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["command", "over_http"]

GROUPS = "pif,theory,conformance"


def command(home: Path, *, groups: str = GROUPS, options: tuple[str, ...] = ()) -> list[str]:
    """The command line of a server on standard input and output."""
    program = [sys.executable, "-m", "registry.cli.pif", "--home", str(home), "serve"]
    return [*program, "--groups", groups, *options]


@contextmanager
def over_http(home: Path, *, groups: str = GROUPS, options: tuple[str, ...] = ()) -> Iterator[str]:
    """The address of a server over HTTP, which ends with the block."""
    options = (*options, "--http", "127.0.0.1:0")
    with (
        (home / "server.log").open("w") as log,
        subprocess.Popen(
            command(home, groups=groups, options=options), stdout=log, stderr=subprocess.PIPE, text=True
        ) as server,
    ):
        assert server.stderr is not None
        try:
            line = server.stderr.readline()
            if "http://" not in line:
                raise RuntimeError(f"the server did not start: {line}{server.stderr.read()}")
            yield line.split()[-1].replace("127.0.0.1", "localhost")
        finally:
            server.terminate()
            log.write(server.stderr.read())
