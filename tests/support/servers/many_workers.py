"""A server of many workers, of which a test knows which one answers.

A stopped process takes no connection: while all workers but one are stopped, what is sent on a new connection is read by that one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from tests.support.servers.http_server import ROOT, Served, _until_killed, environment, started
from tests.support.servers.raw_client import PATIENCE

PROGRAM = str(Path(ROOT) / "tests" / "programs" / "many_workers.py")

OLDER = {"MCP-Protocol-Version": "2025-11-25"}

INITIALIZE = {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
}  # fmt: skip


class Workers:
    """The processes of a server, by their numbers."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.wait()

    def wait(self, count: int = 2) -> None:
        """Until so many take connections."""
        with self.server.connect() as connection:
            connection.settimeout(PATIENCE)
            while f'"serving":{count}' not in self._live(connection):
                continue

    @staticmethod
    def _live(connection: Any) -> str:
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        said: str = connection.recv(65_536).decode()
        assert said, "the connection was closed"
        return said

    def processes(self) -> dict[int, int]:
        """The process of each number: the supervisor's children, in the order in which they were begun, by what they have open."""
        found: dict[int, int] = {}
        supervisor = self.server.process.pid
        for process in Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split():
            number = _number(int(process))
            if number is not None:
                found[number] = int(process)
        return found

    @contextmanager
    def only(self, number: int) -> Iterator[None]:
        """While this is open, worker `number` alone takes connections."""
        others = [process for each, process in self.processes().items() if each != number]
        for process in others:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in others:
                with suppress(ProcessLookupError):  # a test may have killed it meanwhile
                    os.kill(process, signal.SIGCONT)

    def open_session(self, number: int, **headers: str) -> tuple[str, dict[str, str]]:
        """A session of the older protocol that worker `number` holds: its name, and the headers of its requests."""
        with self.only(number):
            _, answered, _ = self.server.request("POST", "/mcp", message("initialize", INITIALIZE), **headers)
        name = answered["Mcp-Session-Id"]
        return name, {**OLDER, **headers, "Mcp-Session-Id": name}


def _number(process: int) -> int | None:
    """The number of a worker by the file of its connections."""
    try:
        maps = Path(f"/proc/{process}/maps").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return None
    for line in maps.splitlines():
        if "/connections-" in line:
            return int(line.rpartition("/connections-")[2].split("-")[0])
    return None


def message(method: str, params: dict[str, Any] | None = None, number: int | str | None = 1) -> bytes:
    """A message of the older protocol; without a number a notification."""
    said: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    return msgspec.json.encode(said if number is None else {**said, "id": number})


def call_of(tool: str, number: int | str = 1, /, **arguments: Any) -> bytes:
    """A call on the older protocol."""
    return message("tools/call", {"name": tool, "arguments": arguments}, number)


def answer_in(body: bytes) -> Any:
    """The message that answers, in JSON or in a stream of events."""
    text = body.decode()
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return msgspec.json.decode((lines or [text])[-1])


@contextmanager
def demo_workers(home: Path, count: int = 2) -> Iterator[Workers]:
    """The demo group, by many workers."""
    words = [sys.executable, PROGRAM, str(home), str(count)]
    process = subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE, text=True)
    with _until_killed(process) as server:
        yield Workers(server)


@contextmanager
def pif_workers(home: Path, count: int = 2, **options: Any) -> Iterator[Workers]:
    """`pif serve --workers`."""
    with _until_killed(started(home, workers=count, memory_mb=1024, **options)) as server:
        yield Workers(server)
