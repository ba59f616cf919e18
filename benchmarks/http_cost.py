"""Processor time of a trivial `run` over HTTP against stdio, by two workers against one process, and start and idle memory of `pif serve`.

Processor time of the server's process, user and system, so that the figures hold on a busy machine; clients keep their
connection. The 2025 protocol answers by an event stream, which takes the SDK four tasks a request.

    python -m benchmarks.http_cost
"""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.stdio_latency import ENVELOPE, HANDSHAKE

__all__ = ["LIMITS", "measure"]

LIMITS = {"two workers / one, 2026": 1.15, "two workers / one, 2025": 1.15, "HTTP, 2026 / stdio": 8.0, "group pif, idle memory, MB": 75.0, "group pif, start to first answer, s": 0.9,
          "default groups, start to first answer, s": 1.5}  # fmt: skip
"""The most that a figure may be. The limits of a start are for the time on a quiet machine; measured is its processor time."""

WARM = 300
"""Calls before the first that counts."""

CALL: dict[str, Any] = {"name": "run", "arguments": {"code": {"add": [40, 2]}}}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def _spent(process: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _spent_finely(process: int) -> float:
    """The same without rounding, of the threads that live."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9


def _memory(process: int) -> float:
    """Resident megabytes of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024 / 1_000_000


def _command(home: str, *words: str) -> list[str]:
    return [sys.executable, "-m", "registry.cli.pif", "--home", home, "serve", *words]


def _each(process: int, call: Callable[[], Any], calls: int) -> float:
    """Processor milliseconds of a call."""
    for _ in range(WARM):
        call()
    before = _spent(process)
    for _ in range(calls):
        call()
    return (_spent(process) - before) / calls * 1_000


def _message(**more: Any) -> bytes:
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**CALL, **more}}
    )


def _over_stdio(home: str, groups: str, calls: int) -> tuple[float, float, float]:
    """Seconds of a start, idle megabytes, and milliseconds of a call."""
    words = _command(home, "--groups", groups)
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    reading, writing = process.stdout, process.stdin

    def exchange(text: bytes) -> bytes:
        writing.write(text + b"\n")
        writing.flush()
        return reading.readline()

    with process:
        exchange(msgspec.json.encode(HANDSHAKE))
        started, idle = _spent(process.pid), _memory(process.pid)
        text = _message()
        each = _each(process.pid, lambda: exchange(text), calls) if calls else 0.0
        writing.close()
    return started, idle, each


def _over_http(home: str, calls: int) -> tuple[float, float]:
    """Milliseconds of a call on the newer and on the older protocol."""
    words = _command(home, "--groups", "pif", "--http", "127.0.0.1:0")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(re.findall(r":(\d+)/mcp", process.stderr.readline())[0])
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def post(body: bytes, headers: dict[str, str]) -> http.client.HTTPResponse:
            connection.request("POST", "/mcp", body, {**HEADERS, **headers})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ValueError(f"{answer.status}: {answer.read()!r}")
            answer.read()
            return answer

        modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run"}
        text = _message(_meta=ENVELOPE)
        newer = _each(process.pid, lambda: post(text, modern), calls)
        session = post(msgspec.json.encode(HANDSHAKE), {}).headers["Mcp-Session-Id"]
        of_session = {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session}
        older = _each(process.pid, lambda: post(_message(), of_session), calls)
        connection.close()
        process.terminate()
    return newer, older


class _Server:
    """A server over HTTP of so many workers, with a connection to each."""

    def __init__(self, home: str, workers: int) -> None:
        words = _command(
            home, "--groups", "pif", "--http", "127.0.0.1:0", "--workers", str(workers), "--memory", "1024"
        )
        self._process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        self._port = int(re.findall(r":(\d+)/mcp", self._process.stderr.readline())[0])
        self.spent = 0.0
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        while workers > 1 and f'"serving":{workers}' not in self._got(connection, "/livez"):
            continue
        self._all = [self._process.pid, *(self._workers() if workers > 1 else ())]
        self._connections = [connection]
        if workers > 1:  # one to each, so that the work is spread as by many clients
            self._connections = [self._to(number) for number in range(workers)]

    @staticmethod
    def _got(connection: http.client.HTTPConnection, path: str) -> str:
        connection.request("GET", path)
        return connection.getresponse().read().decode()

    def _workers(self) -> list[int]:
        supervisor = self._process.pid
        children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
        return [int(each) for each in children]

    def _to(self, number: int) -> http.client.HTTPConnection:
        """A connection that this worker serves: the others are stopped while it is made."""
        others = [each for place, each in enumerate(self._all[1:]) if place != number]
        for each in others:
            os.kill(each, signal.SIGSTOP)
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        self._got(connection, "/livez")
        for each in others:
            os.kill(each, signal.SIGCONT)
        return connection

    def post(self, number: int, body: bytes, headers: dict[str, str]) -> http.client.HTTPResponse:
        """A request on one of the connections."""
        connection = self._connections[number % len(self._connections)]
        connection.request("POST", "/mcp", body, {**HEADERS, **headers})
        answer = connection.getresponse()
        if answer.status != 200:
            raise ValueError(f"{answer.status}: {answer.read()!r}")
        answer.read()
        return answer

    def sessions(self, held: int | None = None) -> list[dict[str, str]]:
        """The headers of a session for each connection; all of worker `held` if that is said."""
        found = []
        for number in range(len(self._connections)):
            opened = self.post(number if held is None else held, msgspec.json.encode(HANDSHAKE), {})
            name = opened.headers["Mcp-Session-Id"]
            found.append({"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": name})
        return found

    def calls(self, count: int, body: bytes, headers: list[dict[str, str]], *, counts: bool = True) -> None:
        """So many calls, and what they take of all its processes."""
        before = sum(map(_spent_finely, self._all))
        for number in range(count):
            self.post(number, body, headers[number % len(headers)])
        if counts:
            self.spent += sum(map(_spent_finely, self._all)) - before

    def end(self) -> None:
        """End it."""
        for connection in self._connections:
            connection.close()
        self._process.terminate()
        self._process.communicate()


def _over_workers(home: str, calls: int, rounds: int = 20) -> dict[str, float]:
    """Processor time of a call with two workers, supervisor included, against one process: in turns on one machine."""
    modern = [{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "run"}]
    servers = [_Server(str(Path(home) / str(count)), count) for count in (1, 2)]
    found: dict[str, float] = {}
    kinds: list[tuple[str, bytes, list[list[dict[str, str]]]]] = [
        ("two workers / one, 2026", _message(_meta=ENVELOPE), [modern, modern]),
        ("two workers / one, 2025", _message(), [each.sessions() for each in servers]),
        (
            "two workers / one, 2025, half passed on",
            _message(),
            [servers[0].sessions(), servers[1].sessions(0)],
        ),
    ]
    for kind, body, headers in kinds:
        for server, of_server in zip(servers, headers, strict=True):
            server.spent = 0.0
            server.calls(WARM, body, of_server, counts=False)
        for _ in range(rounds):
            for server, of_server in zip(servers, headers, strict=True):
                server.calls(calls // rounds, body, of_server)
        found[kind] = servers[1].spent / servers[0].spent
    for server in servers:
        server.end()
    return found


def measure(*, calls: int = 2_000) -> dict[str, float]:
    """Ratios of processor time, milliseconds of a call, and what a start takes."""
    with tempfile.TemporaryDirectory() as home:
        first = str(Path(home) / "first")
        start, idle, stdio = _over_stdio(first, "pif", calls)
        default_start, default_idle, _ = _over_stdio(str(Path(home) / "second"), "pif,theory", 0)
        newer, older = _over_http(first, calls)
        workers = _over_workers(home, 2 * calls)
    return {
        **workers,
        "HTTP, 2026 / stdio": newer / stdio,
        "HTTP, 2025 / stdio": older / stdio,
        "stdio, ms": stdio,
        "HTTP, 2026, ms": newer,
        "HTTP, 2025, ms": older,
        "group pif, start to first answer, s": start,
        "default groups, start to first answer, s": default_start,
        "group pif, idle memory, MB": idle,
        "default groups, idle memory, MB": default_idle,
    }


if __name__ == "__main__":
    for name, figure in measure().items():
        print(f"{name}: {figure:.2f}")
