"""One server over HTTP under the load of many clients, open loop: a request is sent when it is due, whatever has been answered.

    python -m benchmarks.many_clients [--seconds 60] [--rate 150] [--clients 64]

Beside small runs of all clients, two more prove and explore, and one evolves. Bounded in time and count, on the loopback
interface only, against a server of its own. `tests/registry/server/mcp/test_load.py` asserts the outcomes of a short run;
`make bench` shows the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.peer import serving as serving_stdio

__all__ = ["LIMITS", "Outcome", "load", "measure", "serving_http"]

WORST, FLAT, HTTP = (
    "small runs, p99 under load / p50 idle",
    "memory of the server, at the end / after a third",
    "a run over HTTP / over stdio, processor time",
)
UNANSWERED, ERRORS = "requests without an answer", "answers with another error than `too_busy`"
LIMITS = {WORST: 10.0, FLAT: 1.2, HTTP: 8.0, UNANSWERED: 0.0, ERRORS: 0.0}

SECONDS, RATE, CLIENTS = 60.0, 150.0, 64
LAST = 90.0
"""Seconds after the last request by which everything is answered."""

MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_TICKS = os.sysconf("SC_CLK_TCK")
_CLAIMS = (
    "∀(x : ℝ). x + 0 = x",
    "∀(x y : ℝ). x*x + y*y ≥ 2*x*y",
    "∀(x : ℤ). x ≠ 42",
    "∀(x y z : ℤ). (x + y) * z = x * z + y * z",
    "∀(n : ℤ). mod(n * n, 4) = 0 ∨ mod(n * n, 4) = 1",
)


class Outcome(msgspec.Struct):
    """What became of the requests: milliseconds of small runs from when they were due, and counts by kind of answer.

    `answers` are those of the small runs, `others` those of the clients that prove, explore and evolve. `memory` is
    the server's in bytes, without its processes: after a third of the time, and at the end.
    """

    sent: int
    idle: list[float]
    small: list[float]
    answers: Counter[str]
    others: Counter[str]
    memory: tuple[int, int]

    @property
    def unanswered(self) -> int:
        return self.sent - sum(self.answers.values())

    @property
    def errors(self) -> dict[str, int]:
        """Answers that are errors, by kind, but `too_busy`."""
        fine = ("value", "too_busy")
        both = self.answers + self.others
        return {kind: count for kind, count in both.items() if kind not in fine}


class Connection:
    """One keep-alive connection of the 2026 protocol."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The object of an answer. Raises ConnectionError where there is none."""
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MODERN}\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        reader, writer = self._streams
        writer.write(head.encode() + body)
        try:
            answered = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            self._streams = None
            raise ConnectionError("the server closed the connection") from error
        fields = answered.lower().split(b"\r\n")
        status = int(fields[0].split()[1])
        lengths = [int(each[15:]) for each in fields if each.startswith(b"content-length:")]
        body = await reader.readexactly(lengths[0]) if lengths else await _chunks(reader)
        if (
            b"content-type: text/event-stream" in answered.lower()
        ):  # a long call's, with comments that keep it alive
            body = next(each[6:] for each in body.splitlines() if each.startswith(b"data: {"))
        said = msgspec.json.decode(body)
        if status != 200:
            raise ConnectionError(f"status {status}: {said}")
        found: dict[str, Any] = said["result"]["structuredContent"]
        return found

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    """A body in chunks."""
    parts: list[bytes] = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(parts)


def kind_of(found: dict[str, Any]) -> str:
    """`value`, or the kind of an error."""
    error = found.get("error")
    if isinstance(error, dict):
        return str(error["kind"])
    return "error" if found.get("status") == "error" else "value"


class _Client:
    """A client of small runs: what is due waits for the answer before it, as over one connection."""

    def __init__(self, port: int, outcome: Outcome) -> None:
        self._connection = Connection(port)
        self._due: deque[float] = deque()
        self._outcome = outcome
        self._arrived = asyncio.Event()

    def send(self) -> None:
        self._due.append(time.perf_counter())
        self._arrived.set()

    async def serve(self) -> None:
        while True:
            while not self._due:
                self._arrived.clear()
                await self._arrived.wait()
            due = self._due[0]
            found = await self._connection.call("run", code={"add": [40, 2]})
            self._outcome.answers[kind_of(found)] += 1
            self._outcome.small.append((time.perf_counter() - due) * 1_000)
            self._due.popleft()

    @property
    def is_idle(self) -> bool:
        return not self._due

    def close(self) -> None:
        self._connection.close()


async def load(
    port: int,
    process: int,
    *,
    seconds: float = SECONDS,
    rate: float = RATE,
    clients: int = CLIENTS,
    patience: float = LAST,
) -> Outcome:
    """Load a server; everything is answered, or `patience` (seconds) is over, when this returns."""
    outcome = Outcome(0, [], [], Counter(), Counter(), (0, 0))
    await _warm_up(port, outcome)
    small = [_Client(port, outcome) for _ in range(clients)]
    connections = [Connection(port) for _ in range(3)]
    others = [
        work(each, outcome) for work, each in zip((_prove, _explore, _evolve), connections, strict=True)
    ]
    tasks = [asyncio.create_task(each.serve()) for each in small]
    beside = [asyncio.create_task(each) for each in others]
    begun = time.perf_counter()
    early = 0
    for number in range(int(seconds * rate)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.perf_counter()))
        outcome.sent += 1
        small[number % clients].send()
        if number == int(seconds * rate / 3):
            early = memory_of(process)
    last = time.perf_counter() + patience
    while not all(each.is_idle for each in small) and time.perf_counter() < last:
        failed = [each for each in tasks if each.done()]
        if failed:
            break
        await asyncio.sleep(0.05)
    outcome.memory = (early, memory_of(process))
    for task in (*tasks, *beside):
        task.cancel()
    ended = await asyncio.gather(*tasks, *beside, return_exceptions=True)
    for client in small:
        client.close()
    for connection in connections:
        connection.close()
    for error in ended:
        if isinstance(error, Exception):
            outcome.others[f"{type(error).__name__}: {error}"] += 1
    return outcome


async def _warm_up(port: int, outcome: Outcome) -> None:
    """Small runs on an idle server, after each kind of work was done once."""
    connection = Connection(port)
    await connection.call("evaluate", expression=_CLAIMS[0])
    await connection.call(
        "evolve", name="warm", description="a tool", code={"lam": "x", "body": {"var": "x"}}
    )
    for _ in range(300):
        begun = time.perf_counter()
        await connection.call("run", code={"add": [40, 2]})
        outcome.idle.append((time.perf_counter() - begun) * 1_000)
    connection.close()


async def _prove(connection: Connection, outcome: Outcome) -> None:
    number = 0
    while True:
        number += 1
        claim = f"{_CLAIMS[number % len(_CLAIMS)]} ∧ {number} = {number}"  # no verdict is kept for it
        outcome.others[kind_of(await connection.call("evaluate", expression=claim))] += 1


async def _explore(connection: Connection, outcome: Outcome) -> None:
    while True:
        found = await connection.call("explore", structure="Group", size=5, variables=3)
        outcome.others[kind_of(found)] += 1


async def _evolve(connection: Connection, outcome: Outcome) -> None:
    number = 0
    while True:
        number += 1
        laws = ["∀(x : ℤ). grow(x) > x"] if number % 5 == 0 else []
        code = {"lam": "x", "body": {"add": [{"var": "x"}, number]}}
        found = await connection.call(
            "evolve", name="grow" if laws else f"tool{number % 20}", description="adds", code=code, laws=laws
        )
        outcome.others[kind_of(found)] += 1
        await asyncio.sleep(0.2)


def memory_of(process: int) -> int:
    """Resident bytes of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1])


def processor_time(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def serving_http(home: Path) -> Iterator[tuple[int, int]]:
    """A server over HTTP with the default groups: its port and its process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "registry.cli.pif", "--home", str(home), "serve", "--http", "127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        yield int(said.rpartition(":")[2].partition("/")[0]), process.pid
    finally:
        process.kill()
        process.communicate()


def _compared(rounds: int = 2_000) -> float:
    """Processor time of a small run over HTTP by that over stdio."""

    async def over_http(port: int) -> None:
        connection = Connection(port)
        for _ in range(rounds):
            await connection.call("run", code={"add": [40, 2]})
        connection.close()

    with tempfile.TemporaryDirectory() as home, serving_http(Path(home)) as (port, process):
        asyncio.run(over_http(port))
        before = processor_time(process)
        asyncio.run(over_http(port))
        http = processor_time(process) - before
    with tempfile.TemporaryDirectory() as home, serving_stdio(Path(home)) as server:
        stdio = 0.0
        for _ in range(2):  # the first round warms up
            before = processor_time(server.process.pid)
            for _ in range(rounds):
                server.call("run", {"code": {"add": [40, 2]}})
            stdio = processor_time(server.process.pid) - before
    return http / max(stdio, 1 / _TICKS)


def measure(seconds: float = SECONDS, rate: float = RATE, clients: int = CLIENTS) -> dict[str, float]:
    """The figures, by row."""
    with tempfile.TemporaryDirectory() as home, serving_http(Path(home)) as (port, process):
        found = asyncio.run(load(port, process, seconds=seconds, rate=rate, clients=clients))
    cuts = statistics.quantiles(found.small, n=100)
    idle = statistics.median(found.idle)
    for kind, count in (found.answers + found.others).items():
        sys.stderr.write(f"  {count} {kind}\n")
    return {
        f"small runs ({clients} clients, {rate:g}/s for {seconds:g} s)": float(found.sent),
        "p50 idle, ms": idle,
        "p50 under load, ms": cuts[49],
        "p99 under load, ms": cuts[98],
        "worst under load, ms": max(found.small),
        WORST: cuts[98] / idle,
        UNANSWERED: float(found.unanswered),
        "answers `too_busy`": float(found.answers["too_busy"] + found.others["too_busy"]),
        ERRORS: float(sum(found.errors.values())),
        FLAT: found.memory[1] / found.memory[0],
        HTTP: _compared(),
    }


def main() -> int:
    """Measure and print; 1 where a figure is over its limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_clients", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    options = parser.parse_args()
    rows = measure(min(options.seconds, 600.0), min(options.rate, 2_000.0), min(options.clients, 512))
    for name, figure in rows.items():
        print(f"{name:70} {figure:12.2f}  {LIMITS.get(name, '')}")
    return 1 if any(rows[name] > limit for name, limit in LIMITS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
