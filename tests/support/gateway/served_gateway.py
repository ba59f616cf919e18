"""`pif gateway` as a process: its files, and a client on its standard input and output, or over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.gateway.fake_servers import ALLOW, tool

__all__ = ["MODERN", "Files", "Process", "gateway_process"]

PLAIN = str(Path(__file__).with_name("plain_upstream.py"))
ROOT = Path(__file__).parents[3]

BOUND = 240.0
"""Seconds that a gateway may run in a test."""

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Files:
    """What a gateway reads and writes, in one folder; the server behind it is called `plain`."""

    def __init__(
        self, folder: Path, rule: str = ALLOW, *, tools: tuple[str, ...] = ("echo", "change")
    ) -> None:
        self.folder = folder
        self.policy = folder / "policy.kleis"
        self.config = folder / "servers.json"
        self.tools = folder / "tools.json"
        self.received = folder / "received"
        self.log = folder / "log"
        self.write_policy(rule)
        self.tools.write_text(json.dumps([tool(each) for each in tools]))
        server = {"command": sys.executable, "args": ["-I", "-S", PLAIN, str(self.tools), str(self.received)]}
        self.config.write_text(json.dumps({"mcpServers": {"plain": server}}))

    def write_policy(self, rule: str) -> None:
        """Put another policy in place, whole."""
        text = self.folder / "policy.new"
        text.write_text(f'import "stdlib/policies/gateway.kleis"\n{rule}\n')
        text.rename(self.policy)

    def options(self) -> list[str]:
        return [
            "--home", str(self.folder / "home"), "--policy", str(self.policy), "--config", str(self.config),
            "--log", str(self.log), "--trust-first-use", "--no-pif",
        ]  # fmt: skip

    def calls(self) -> list[Any]:
        """The arguments of the calls that reached the server."""
        if not self.received.exists():
            return []
        return [json.loads(each)["params"]["arguments"] for each in self.received.read_bytes().splitlines()]

    def log_files(self) -> list[Path]:
        """The files of the log, one for each gateway that ran."""
        return sorted(self.log.glob("*.jsonl"))

    def lines(self) -> list[dict[str, Any]]:
        """The whole lines of the log."""
        whole = [each.read_bytes().rpartition(b"\n")[0] for each in self.log_files()]
        return [json.loads(line) for each in whole for line in each.splitlines()]


class Process:
    """A gateway on pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def send(self, text: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the gateway has ended"
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The answer to a request; what comes before it is dropped."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        self.send(json.dumps(message).encode())
        while True:
            found = self.read()
            if found.get("id") == self._number:
                return found

    def begin(self) -> dict[str, Any]:
        """Shake hands, as clients of the older generation do."""
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        answer = self.ask("initialize", about)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, name: str, arguments: Any = None) -> dict[str, Any]:
        """The result of a call."""
        return dict(self.ask("tools/call", {"name": name, "arguments": arguments or {}})["result"])

    def end(self) -> tuple[int, str]:
        """Go away; the exit status and what it wrote to standard error."""
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said.decode()


@contextmanager
def gateway_process(*options: str, **environment: str) -> Iterator[Process]:
    """A gateway on pipes, ended in the end."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "registry.cli.pif", "gateway", *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip
    bound = threading.Timer(BOUND, process.kill)  # then what is waited for never comes: reading fails
    bound.start()
    try:
        yield Process(process)
    finally:
        bound.cancel()
        if process.returncode is None:
            process.kill()
            process.communicate()
