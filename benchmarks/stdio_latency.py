"""Latency of a trivial `run` over stdio against a bare msgspec loop, on both protocol generations.

The floor is the least that any server in Python can do: read a line, decode it with msgspec, encode an answer of the
same form, write it. Client, pipes and machine are the same for all, and the rounds alternate, so the ratios hold
where the figures do not.

    python -m benchmarks.stdio_latency
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from registry.store.protocol import Store
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

__all__ = ["HANDSHAKE", "LIMITS", "Peer", "keep_same", "measure"]

LIMITS = {"2025": 15.0, "2026": 25.0}
"""The most that the ratio of medians may be."""

FLOOR = """
import sys, msgspec
decode, encode = msgspec.json.decode, msgspec.json.encode
read, write, flush = sys.stdin.buffer.readline, sys.stdout.buffer.write, sys.stdout.buffer.flush
while line := read():
    request = decode(line)
    value = request["params"]["arguments"]["input"]
    result = {"content": [{"type": "text", "text": str(value)}], "structuredContent": {"value": value}}
    write(encode({"jsonrpc": "2.0", "id": request["id"], "result": result}) + b"\\n")
    flush()
"""

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
}
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


class Peer:
    """A server process and blocking pipes to it."""

    def __init__(self, command: Sequence[str], extra: dict[str, Any], *, handshake: bool) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        self._extra = extra
        if handshake:
            self._exchange(msgspec.json.encode(HANDSHAKE))
            self._input.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            self._input.flush()

    def _exchange(self, text: bytes) -> bytes:
        self._input.write(text + b"\n")
        self._input.flush()
        return self._output.readline()

    def times(self, count: int) -> list[int]:
        """Nanoseconds of each of some calls, the encoding and decoding by the client left out."""
        params = {"name": "run", "arguments": {"code": "same", "input": 42}, **self._extra}
        texts = [
            msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            for number in range(1, count + 1)
        ]
        spent = []
        answer = b""
        for text in texts:
            begun = time.perf_counter_ns()
            answer = self._exchange(text)
            spent.append(time.perf_counter_ns() - begun)
        said = msgspec.json.decode(answer)
        if said["result"]["structuredContent"]["value"] != 42:
            raise ValueError(f"a wrong answer: {answer!r}")
        return spent

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()
        self._process.wait()
        self._output.close()


def keep_same(store: Store) -> None:
    """Keep the tool that a `Peer` calls in a store."""
    Workspace(store).evolve(Evolve("same", "What it is given", {"lam": "x", "body": {"var": "x"}}))


def measure(*, rounds: int = 10, calls: int = 200) -> dict[str, float]:
    """The ratios of the medians on both protocols, and the medians in microseconds."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        with closing(SqliteStore(Path(home))) as store:
            keep_same(store)
        ours = [sys.executable, "-m", "registry.cli.pif", "--home", home, "serve"]
        peers = {
            "floor": stack.enter_context(Peer([sys.executable, "-c", FLOOR], {}, handshake=False)),
            "2025": stack.enter_context(Peer(ours, {}, handshake=True)),
            "2026": stack.enter_context(Peer(ours, {"_meta": ENVELOPE}, handshake=False)),
        }
        spent: dict[str, list[int]] = {name: [] for name in peers}
        for peer in peers.values():
            peer.times(100)
        for _ in range(rounds):
            for name, peer in peers.items():
                spent[name].extend(peer.times(calls))
    medians = {name: statistics.median(times) / 1_000 for name, times in spent.items()}
    ratios = {name: medians[name] / medians["floor"] for name in LIMITS}
    return {**ratios, **{f"{name}, µs": figure for name, figure in medians.items()}}


if __name__ == "__main__":
    for name, figure in measure().items():
        print(f"{name}: {figure:.1f}")
