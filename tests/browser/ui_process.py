"""`pif ui` in a process of its own, for tests and pictures."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["Ui", "shown"]


class Ui:
    """`pif ui` in a process of its own, and the address that it printed."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "registry.cli.pif", "ui", "--home", str(folder / "home"), "--no-browser"]  # fmt: skip
        for option in ("policy", "corpus"):
            found_there = next(folder.glob(f"{option}*"), None)
            command += [f"--{option}", str(found_there)] if found_there is not None else []
        command += options
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:(\d+))/ui#([\w-]{43})", self.address)
        assert found is not None, self.address
        self.origin, self.port, self.token = found[1], int(found[2]), found[3]

    def request(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers})  # fmt: skip
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()  # fmt: skip
        finally:
            connection.close()

    def call(self, tool: str, arguments: object, **headers: str) -> tuple[int, Any]:
        """A call as the page makes it."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta}}  # fmt: skip
        usual = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool, "Authorization": f"Bearer {self.token}"}  # fmt: skip
        status, _, text = self.request("POST", "/mcp", message, **{**usual, **headers})
        return status, json.loads(text)


@contextmanager
def shown(folder: Path, *options: str) -> Iterator[Ui]:
    ui = Ui(folder, *options)
    try:
        yield ui
    finally:
        ui.process.send_signal(signal.SIGTERM)
        ui.process.communicate(timeout=60)
