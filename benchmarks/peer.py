"""`--peer CMD`: any other MCP-PIF server beside ours, on the same workloads, over stdio, in one run.

Net time is the least round trip of the run minus the least round trip of a trivial tool with the same input, so that the
transport does not count.
"""

from __future__ import annotations

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
MEAN, WORST = "geometric mean", "most where the peer takes 200 µs or more"
LIMITS = {MEAN: 0.5, WORST: 1.0}
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


def _least(server: Connection, name: str, given: Any) -> float:
    arguments = {"code": name, "input": given, "fuel": 5_000_000}
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        answer = server.call("run", arguments)
        least = min(least, time.perf_counter() - start)
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{name}: {str(answer)[:300]}")
    return least


def _net(server: Connection, workload: Workload) -> float:
    for name, code in {**workload.tools, "trivial": _IDENTITY}.items():
        server.call("evolve", {"name": name, "description": name, "code": code})
    return _least(server, workload.run, workload.input) - _least(server, "trivial", workload.input)


def measure(peer: str) -> dict[str, float]:
    """For each workload that both run, our net time over the peer's; then the geometric mean, and the worst of those
    on which the peer's evaluator, not the cost of starting it, is measured."""
    found: dict[str, float] = {}
    long: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        ours = stack.enter_context(serving(Path(home)))
        theirs = Connection(shlex.split(peer))
        stack.callback(theirs.close)
        for workload in peer_workloads():
            try:
                net, their_net = _net(ours, workload), _net(theirs, workload)
            except RuntimeError as error:
                sys.stderr.write(f"left out: {error}\n")
                continue
            found[workload.name] = net / their_net
            if their_net >= LONG:
                long[workload.name] = net / their_net
    if found:
        found[MEAN] = geometric_mean(list(found.values()))
    if long:
        found[WORST] = max(long.values())
    return found
