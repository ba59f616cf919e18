"""Run all property tests for longer: `python -m tests.fuzz --examples N [--seed S] [TESTS]`.

N examples are spread evenly over all property tests found under `tests`, or in the files and directories named. A test
that asks for fewer examples than others, because one takes long, gets more by the same factor. The seed is printed first
and last: the same seed, tests and versions try the same examples. The exit status is pytest's (0 nothing failed, 1
something did).
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parent.parent.parent


def pytest(
    arguments: Sequence[str], examples: int, seed: int, *, capture: bool
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ, "PIF_PROFILE": "fuzz", "PIF_EXAMPLES": str(examples), "PIF_FUZZ_SEED": str(seed),
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.fuzz.plugin",
        f"--hypothesis-seed={seed}",
        *arguments,
    ]
    return subprocess.run(command, cwd=ROOT, env=environment, text=True, capture_output=capture, check=False)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=20_000, metavar="N", help="examples in all")
    parser.add_argument(
        "--seed", type=int, default=None, metavar="S", help="try what a run with this seed tried"
    )
    parser.add_argument("--workers", default="auto", metavar="W", help="processes (0: none beside this one)")
    parser.add_argument("tests", nargs="*", help="files or directories instead of all tests")
    options = parser.parse_args(words)
    seed = random.SystemRandom().randrange(2**32) if options.seed is None else options.seed
    tests = options.tests or ["tests"]
    print(f"seed {seed}", flush=True)
    found = pytest([*tests, "--collect-only"], 1, seed, capture=True)
    properties = [line for line in found.stdout.splitlines() if "::" in line]
    if not properties:
        print(found.stdout[-2_000:] + found.stderr[-2_000:] + "\nno property tests found", file=sys.stderr)
        return 2
    each = max(1, -(-options.examples // len(properties)))
    print(f"{len(properties)} property tests, {each} examples each, fewer where one is dear", flush=True)
    return pytest([*tests, "-n", options.workers, "--maxfail=20"], each, seed, capture=False).returncode


if __name__ == "__main__":
    sys.exit(main())
