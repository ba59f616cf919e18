"""Processor time of commands and of a server to its first answer, against a bare interpreter and the import of Z3's binding.

Whole processes, in turn, each with a home and a cache that have been used before; medians. A server is given one handshake
and the end of its input.

    python -m benchmarks.start
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchmarks.stdio_latency import HANDSHAKE

__all__ = ["LIMITS", "measure"]

ROUNDS = 9
IDENTITY = '{"lam": "x", "body": {"var": "x"}}'

PIF = [sys.executable, "-m", "registry.cli.pif"]
KLEIS = [sys.executable, "-m", "registry.cli.kleis"]

LIMITS = {
    "pif serve --groups pif / import z3": 5.0,
    "pif serve / import z3": 7.8,
    "pif run / import z3": 2.1,
    "kleis eval / import z3": 2.3,
    "kleis verify, new / import z3": 6.5,
    "kleis verify, again / import z3": 2.9,
}


def _spent(command: list[str], given: bytes, environment: dict[str, str]) -> float:
    """The processor time of a process and of those that it waited for, in seconds."""
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(given)
    process.stdin.close()
    said = process.stdout.read()
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or (given and b'"result"' not in said):
        raise ValueError(f"{command} failed: {said[:200]!r}")
    return used.ru_utime + used.ru_stime


def measure(*, rounds: int = ROUNDS) -> dict[str, float]:
    """Ratios to the import of Z3's binding and to a bare interpreter, and seconds."""
    hello = msgspec.json.encode(HANDSHAKE) + b"\n"
    claims = iter(range(1, rounds + 3))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PIF_HOME": folder, "XDG_CACHE_HOME": str(Path(folder, "cache"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        commands: dict[str, tuple[Callable[[], list[str]], bytes]] = {
            "python -c pass": (lambda: [sys.executable, "-c", "pass"], b""),
            "import z3": (lambda: [sys.executable, "-c", "import z3"], b""),
            "pif serve --groups pif": (lambda: [*PIF, "serve", "--groups", "pif"], hello),
            "pif serve": (lambda: [*PIF, "serve"], hello),
            "pif run": (lambda: [*PIF, "run", IDENTITY, "1"], b""),
            "kleis eval": (lambda: [*KLEIS, "eval", "1 + 2"], b""),
            "kleis verify, new": (lambda: [*KLEIS, "verify", f"∀(x : ℤ). x + {next(claims)} > x"], b""),
            "kleis verify, again": (lambda: [*KLEIS, "verify", "∀(x : ℤ). x + 1 > x"], b""),
        }
        spent: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, (command, given) in commands.items():
                seconds = _spent(command(), given, environment)
                if number:
                    spent[name].append(seconds)
    medians = {name: statistics.median(each) for name, each in spent.items()}
    timed = [name for name in medians if name not in ("python -c pass", "import z3")]
    return {
        **{f"{name} / import z3": medians[name] / medians["import z3"] for name in timed},
        **{f"{name} / python -c pass": medians[name] / medians["python -c pass"] for name in timed},
        **{f"{name}, s": figure for name, figure in medians.items()},
    }


if __name__ == "__main__":
    for row, measured in measure().items():
        print(f"{row}: {measured:.2f}")
