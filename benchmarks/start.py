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

_ROLES = """
define can_view(p : ℤ) : Bool = p ≥ 1
define can_edit(p : ℤ) : Bool = p ≥ 3
define effective(folder : ℤ, document : ℤ, blocked : Bool) : ℤ =
  if blocked then 0 else if folder ≥ document then folder else document
structure Sharing {
  operation role : ℤ → ℤ → ℤ
  axiom bounded : ∀(u d : ℤ). 0 ≤ role(u, d) ∧ role(u, d) ≤ 4
  axiom one_owner : ∀(u v d : ℤ). role(u, d) = 4 ∧ role(v, d) = 4 → u = v
}
"""
_CLAIMS = (
    "∀(p : ℤ). can_edit(p) → can_view(p)",
    "∀(p : ℤ). p = 1 → ¬can_edit(p)",
    "∀(p : ℤ). p < 0 → ¬can_view(p)",
    "∀(f d : ℤ). effective(f, d, true) = 0",
    "∀(f d : ℤ). effective(f, d, false) ≥ f",
    "∀(f d : ℤ). effective(f, d, false) ≥ d",
    "∀(f : ℤ). effective(f, f, false) = f",
    "∀(u d : ℤ). role(u, d) < 5",
    "∀(u d : ℤ). role(u, d) ≥ 0",
    "∀(u d : ℤ). role(u, d) = 4 → can_edit(role(u, d))",
    "∀(u d : ℤ). role(u, d) = 0 → ¬can_view(role(u, d))",
    "∀(u v d : ℤ). role(u, d) > 3 ∧ role(v, d) > 3 → u = v",
    "∀(u d : ℤ). can_edit(role(u, d)) → role(u, d) ≥ 2",
)
"""A file as people write their first ones: 13 examples that are proved."""

LIMITS = {
    "pif serve --groups pif / import z3": 3.0,
    "pif serve / import z3": 4.3,
    "pif run / import z3": 1.7,
    "kleis eval / import z3": 2.0,
    "kleis verify, new / import z3": 6.0,
    "kleis verify, again / import z3": 2.3,
    "kleis test, 13 claims / import z3": 22.0,
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
        examples = Path(folder, "roles.kleis")
        blocks = (f'example "{number}" {{ assert({claim}) }}\n' for number, claim in enumerate(_CLAIMS, 1))
        examples.write_text(_ROLES + "".join(blocks), encoding="utf-8")
        commands: dict[str, tuple[Callable[[], list[str]], bytes]] = {
            "python -c pass": (lambda: [sys.executable, "-c", "pass"], b""),
            "import z3": (lambda: [sys.executable, "-c", "import z3"], b""),
            "pif serve --groups pif": (lambda: [*PIF, "serve", "--groups", "pif"], hello),
            "pif serve": (lambda: [*PIF, "serve"], hello),
            "pif run": (lambda: [*PIF, "run", IDENTITY, "1"], b""),
            "kleis eval": (lambda: [*KLEIS, "eval", "1 + 2"], b""),
            "kleis verify, new": (lambda: [*KLEIS, "verify", f"∀(x : ℤ). x + {next(claims)} > x"], b""),
            "kleis verify, again": (lambda: [*KLEIS, "verify", "∀(x : ℤ). x + 1 > x"], b""),
            "kleis test, 13 claims": (lambda: [*KLEIS, "test", "--fresh", str(examples)], b""),
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
