"""`--peer CMD`: any other MCP-PIF server beside ours, on the same workloads, over stdio, in one run.

Gross time is the least round trip of the run. Net time is that minus the least round trip of a trivial tool with the same
input, so that the transport does not count.
"""

from __future__ import annotations

import math
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.terms import Workload, peer_workloads
from benchmarks.timing import geometric_mean

__all__ = ["LIMITS", "Connection", "measure", "serving"]

ROUNDS = 30
LONG = 200e-6
_SHORTEST = 1e-6
"""A net time below what the clock tells apart counts as this."""
MEAN, GROSS = "geometric mean, net", "geometric mean, gross"
WORST = "most, net, where the peer takes 200 µs or more"
LIMITS = {MEAN: 0.2, GROSS: 1.0, WORST: 0.6}
_IDENTITY = {"lam": "x", "body": 1}


class Connection:
    """A minimal client of the 2025 protocol."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        hello = {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }
        self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(message) + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        assert self.process.stdout is not None
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while line := self.process.stdout.readline():
            answer = msgspec.json.decode(line)
            if answer.get("id") == self.number:
                return answer
        raise RuntimeError("the server closed its output")

    def call(self, name: str, arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def serving(home: Path) -> Iterator[Connection]:
    """Our own server over a home, and a connection to it."""
    server = Connection([sys.executable, "-m", "registry.cli.pif", "--home", str(home), "serve"])
    try:
        yield server
    finally:
        server.close()


def _least(servers: Sequence[Connection], name: str, given: Any) -> list[float]:
    """The least round trip to each server; they take turns, so that all see the same machine."""
    arguments = {"code": name, "input": given, "fuel": 5_000_000}
    least = [math.inf for _ in servers]
    for _ in range(ROUNDS):
        for place, server in enumerate(servers):
            start = time.perf_counter()
            answer = server.call("run", arguments)
            least[place] = min(least[place], time.perf_counter() - start)
            if "error" in answer or answer["result"].get("isError"):
                raise RuntimeError(f"{name}: {str(answer)[:300]}")
    return least


def _both(servers: Sequence[Connection], workload: Workload) -> tuple[list[float], list[float]]:
    """The least round trips of a workload, and of the trivial tool with its input."""
    for name, code in {**workload.tools, "trivial": _IDENTITY}.items():
        for server in servers:
            server.call("evolve", {"name": name, "description": name, "code": code})
    return _least(servers, workload.run, workload.input), _least(servers, "trivial", workload.input)


def measure(peer: str) -> dict[str, float]:
    """For each workload that both run, our net and gross times over the peer's; then their geometric means, and the worst
    net of those on which the peer's evaluator, not the cost of starting it, is measured."""
    net: dict[str, float] = {}
    gross: dict[str, float] = {}
    long: list[float] = []
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        ours = stack.enter_context(serving(Path(home)))
        theirs = Connection(shlex.split(peer))
        stack.callback(theirs.close)
        for workload in peer_workloads():
            try:
                (whole, their_whole), (trivial, their_trivial) = _both((ours, theirs), workload)
            except RuntimeError as error:
                sys.stderr.write(f"left out: {error}\n")
                continue
            their_net = max(their_whole - their_trivial, _SHORTEST)
            net[workload.name] = max(whole - trivial, _SHORTEST) / their_net
            gross[workload.name] = whole / their_whole
            if their_net >= LONG:
                long.append(net[workload.name])
    found = {f"{name}, net": ratio for name, ratio in net.items()}
    found |= {f"{name}, gross": ratio for name, ratio in gross.items()}
    if net:
        found |= {MEAN: geometric_mean([*net.values()]), GROSS: geometric_mean([*gross.values()])}
    if long:
        found[WORST] = max(long)
    return found
