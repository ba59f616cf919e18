"""Run all property tests for longer: `python -m tests.fuzz --examples N [--seed S] [TESTS]`.

N examples are spread evenly over all property tests found under `tests`, or in the files and directories named. A test
that asks for fewer examples than others, because one takes long, gets more by the same factor. The seed is printed first
and last: the same seed, tests and versions try the same examples. The exit status is pytest's (0 nothing failed, 1
something did).

With `--cluster ADDRESS` workers of Dask that have these sources try the properties (`tests.fuzz.spread_out`); what fails there is tried
here again, with the same seed, and so is what nobody tried.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from collections.abc import Sequence

from tests.fuzz.spread_out import ROOT, Found, tried_elsewhere

__all__ = ["main"]


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
    parser.add_argument("--cluster", metavar="ADDRESS", help="tcp://HOST:PORT or local:N (extra cluster)")
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
    if options.cluster:
        return _on_cluster(options.cluster, properties, each, seed, options.workers)
    return pytest([*tests, "-n", options.workers, "--maxfail=20"], each, seed, capture=False).returncode


def _on_cluster(address: str, properties: Sequence[str], examples: int, seed: int, workers: str) -> int:
    """Have workers try the properties; 1 if one failed, there or here."""
    from kleis.batches.cluster import Cluster, ClusterError

    try:
        with Cluster(address) as cluster:
            found = tried_elsewhere(properties, examples, seed, cluster.opening({}), _note)
    except ClusterError as error:
        print(f"--cluster {address}: {error.message}; {error.hint}", file=sys.stderr)
        return 2
    return _tried_here(found, examples, seed, workers)


def _tried_here(found: Found, examples: int, seed: int, workers: str) -> int:
    """Try here what failed elsewhere and what nobody tried, and say what workers counted."""
    failed = 0
    for test, worker in sorted(found.failed.items()):
        failed = 1
        if pytest([test, "-n", "0"], examples, seed, capture=False).returncode == 0:
            print(f"{test} failed on worker {worker}, and not here with the same seed", flush=True)
    if found.untried:
        print(f"{len(found.untried)} property tests that no worker tried are tried here", flush=True)
        failed |= pytest([*found.untried, "-n", workers], examples, seed, capture=False).returncode
    counted = found.counts.summary().rpartition("\n")[0]
    print(f"by workers\n{counted}\nfailures   {len(found.failed) or 'none'}\nseed       {seed}")
    return failed


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
