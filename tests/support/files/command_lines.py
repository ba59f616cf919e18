"""Command lines of `pif` and `kleis`: their words, what a command leaves behind, a terminal to run it on."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from click.testing import Result

Pif = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[bytes]"]

SQUARE = '{"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}'
FACTORIAL = (
    '{"lam": "p", "body": {"if": {"cond": {"lte": [{"fst": {"var": "p"}}, 1]}, "then": {"snd": {"var": "p"}}, '
    '"else": {"continue": {"input": {"pair": [{"sub": [{"fst": {"var": "p"}}, 1]}, '
    '{"mul": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}]}}}}}}'
)


def command(*arguments: object, program: str = "pif") -> list[str]:
    """The words that start `pif`, or another program of ours, as a process."""
    return [sys.executable, "-P", "-m", f"registry.cli.{program}", *map(str, arguments)]


def answer(result: Result) -> Any:
    """The object that `--json` printed: one line and nothing else."""
    assert result.stdout.count("\n") == 1, result.output
    return json.loads(result.stdout)


def plain_environment() -> dict[str, str]:
    """This process's environment without what changes Python, as a user has it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


class Answer(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run the command with a terminal as its output: the status, and what it shows."""
    ours, theirs = pty.openpty()
    environment = {**plain_environment(), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "registry.cli.kleis", *arguments]
    with subprocess.Popen(command, stdout=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a closed terminal ends on Linux
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    return process.returncode, shown.decode()
