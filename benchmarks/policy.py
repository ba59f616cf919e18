"""The cost of a policy: decisions in process, and round trips of `check_action` over stdio.

Limits: at least 2,000 decisions/s in process, and p50 under 2 ms over stdio.

The policy is the starter policy of the library; no action occurs twice, so that no cache helps.

    python -m benchmarks --only policy
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.stdio_latency import HANDSHAKE
from kleis.policy.policy import load_policy
from kleis.theory.import_search import packaged_library

__all__ = ["LIMITS", "actions", "measure", "starter_policy"]

LIMITS = {
    "a decision in process (ms)": 0.5,
    "check_action over stdio, p50 (ms)": 2.0,
}
"""The most that a figure may be: 2,000 decisions a second are 0.5 ms each."""

_DECISIONS = 2_000
_CALLS = 1_000
_WARM = 500
"""Decisions before the first that counts: they find the states of the patterns that later ones pass through."""


def measure() -> dict[str, float]:
    """Means in process, percentiles over stdio."""
    starter = starter_policy()
    return {**_in_process(starter), **_over_stdio(starter)}


def starter_policy() -> Path:
    """The file of the policy that is measured."""
    library = packaged_library()
    if library is None:
        raise FileNotFoundError("the library of Kleis is not installed")
    return library / "policies" / "coding_agent.kleis"


def actions() -> Iterator[dict[str, Any]]:
    """Distinct actions of all kinds, allowed and denied."""
    number = 0
    while True:
        number += 1
        yield {
            "action": "run_command",
            "command": f"git diff --stat src/part{number}.rs && cargo test -p part{number}",
        }
        yield {"action": "run_command", "command": f"rm -rf target{number}"}
        yield {"action": "file_edit", "path": f"src/module{number}/lexer.py"}
        yield {"action": "file_delete", "path": f"build/{number}.o"}
        yield {"action": "git_push", "branch": f"feature/{number}", "force": number % 2 == 0}


def _in_process(starter: Path) -> dict[str, float]:
    policy = load_policy(starter)
    given = [(each.pop("action"), each) for each in islice(actions(), _WARM + _DECISIONS)]
    for action, arguments in given[:_WARM]:
        policy.decide(action, arguments)
    begun = time.perf_counter()
    allowed = sum(policy.decide(action, arguments).allowed for action, arguments in given[_WARM:])
    spent = time.perf_counter() - begun
    if not 0 < allowed < _DECISIONS:
        raise ValueError(f"{allowed} of {_DECISIONS} actions are allowed: this is no gate")
    return {"a decision in process (ms)": spent / _DECISIONS * 1000, "decisions a second": _DECISIONS / spent}


def _over_stdio(starter: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "registry.cli.pif", "serve", "--home", home, "--groups", "policy"]
        process = subprocess.Popen(
            [*command, "--policy", str(starter)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            times = list(_round_trips(process))
        finally:
            process.kill()
            process.wait()
    ordered = sorted(times)
    return {
        "check_action over stdio, p50 (ms)": statistics.median(ordered) * 1000,
        "check_action over stdio, p99 (ms)": ordered[int(len(ordered) * 0.99)] * 1000,
    }


def _round_trips(process: subprocess.Popen[bytes]) -> Iterator[float]:
    writing, reading = process.stdin, process.stdout
    assert writing is not None
    assert reading is not None

    def send(message: Any) -> None:
        writing.write(msgspec.json.encode(message) + b"\n")
        writing.flush()

    send(HANDSHAKE)
    reading.readline()
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    given = actions()
    for number in range(1, _CALLS + 101):
        params = {"name": "check_action", "arguments": next(given)}
        begun = time.perf_counter()
        send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answer = msgspec.json.decode(reading.readline())
        spent = time.perf_counter() - begun
        if "allowed" not in answer["result"]["structuredContent"]:
            raise ValueError(f"no decision: {answer}")
        if number > 100:
            yield spent
