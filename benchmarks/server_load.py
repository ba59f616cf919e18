"""Latency of small calls beside long runs, and the time until a cancelled run stops."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.peer import Connection, serving

__all__ = ["LIMITS", "measure"]

LIMITS = {
    "a small run beside two long ones, worst, ms": 20.0,
    "from cancelling to free memory, worst, ms": 100.0,
}
FUEL = 5_000_000
_LONG = {"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0,
                  {"range": [0, 350_000]}]}  # fmt: skip


def _start(server: Connection, name: str) -> None:
    params = {"name": "run", "arguments": {"code": _LONG, "fuel": FUEL}}
    server.send({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params})


def _cancel(server: Connection, name: str) -> None:
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": name}})


def _small(server: Connection) -> Any:
    return server.call("run", {"code": {"add": [40, 2]}})


def measure(rounds: int = 20) -> dict[str, float]:
    """Milliseconds: medians and worst cases over some rounds."""
    beside: list[float] = []
    stopping: list[float] = []
    with tempfile.TemporaryDirectory() as home, serving(Path(home)) as server:
        for number in range(rounds):
            names = [f"long-{number}-{i}" for i in range(2)]
            for name in names:
                _start(server, name)
            for _ in range(10):
                begun = time.perf_counter()
                _small(server)
                beside.append((time.perf_counter() - begun) * 1_000)
            begun = time.perf_counter()
            for name in names:
                _cancel(server, name)
            while server.call("run", {"code": {"add": [40, 2]}, "fuel": FUEL, "trace": 1})["result"][
                "isError"
            ]:
                continue
            stopping.append((time.perf_counter() - begun) * 1_000)
    return {
        "a small run beside two long ones, median, ms": statistics.median(beside),
        "a small run beside two long ones, worst, ms": max(beside),
        "from cancelling to free memory, median, ms": statistics.median(stopping),
        "from cancelling to free memory, worst, ms": max(stopping),
    }
