"""A server over HTTP in a process of its own, spoken to by requests and by bytes."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from registry.server.mcp.http_access import TOKEN
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, PATIENCE

ROOT = str(Path(__file__).parents[3])
HASTY = str(Path(ROOT) / "tests" / "programs" / "hasty_http.py")

HEADERS = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "run"}
"""Of a call of `run` on the 2026 protocol."""

USUAL = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Served:
    """A server over HTTP and where it is."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"https?://127\.0\.0\.1:(\d+)/mcp", said)
        assert found is not None, said + process.stderr.read()
        self.process = process
        self.url = found[0]
        self.port = int(found[1])

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """A request as it stands; the status, the headers and the body that came back."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {**USUAL, **headers})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def post(self, body: bytes, **headers: str) -> tuple[int, Any]:
        """A POST of a message; the status and the body that came back, decoded where it is JSON."""
        status, _, text = self.request("POST", "/mcp", body, **headers)
        try:
            return status, msgspec.json.decode(text)
        except msgspec.DecodeError:
            return status, text.decode()

    def connect(self) -> socket.socket:
        """A connection for bytes."""
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)

    def memory(self, field: str = "VmHWM") -> int:
        """Bytes of memory: the most so far, or (`VmRSS`) now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024

    def ended(self) -> tuple[int, str]:
        """Wait until it ends by itself; the status and what it wrote to standard error after its address."""
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said


def environment(token: str = "") -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != TOKEN}
    return {**kept, "PYTHONPATH": ROOT, **({TOKEN: token} if token else {})}


def started(
    home: Path, address: str = "0", token: str = "", groups: str = "pif", **options: Any
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(home, groups=groups, http=address, **options),
        env=environment(token),
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def _until_killed(process: subprocess.Popen[str]) -> Iterator[Served]:
    try:
        yield Served(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def serving(home: Path, **options: Any) -> Iterator[Served]:
    """`pif serve --http` with a home."""
    with _until_killed(started(home, **options)) as server:
        yield server


@contextmanager
def hasty(token: str = "", **limits: Any) -> Iterator[Served]:
    """The demo group over HTTP, with limits (see `tests.programs.hasty_http`)."""
    words = [sys.executable, HASTY, json.dumps(limits)]
    process = subprocess.Popen(words, env=environment(token), stderr=subprocess.PIPE, text=True)
    with _until_killed(process) as server:
        yield server


def call(name: str, /, **arguments: Any) -> bytes:
    """A call as the 2026 protocol has it, without its headers."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def posted(body: bytes, name: str = "echo", **headers: str) -> bytes:
    """The bytes of a call of a tool; headers replace those with their name, "" takes one away."""
    usual = {"Host": "127.0.0.1", **USUAL, **HEADERS, "Mcp-Name": name, "Content-Length": str(len(body))}
    given = {each.replace("_", "-"): value for each, value in headers.items()}
    lines = [f"{each}: {value}" for each, value in {**usual, **given}.items() if value]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body


def answer_of(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """The next answer on a connection; EOFError where it was closed without one."""
    with connection.makefile("rb", buffering=0) as file:  # what belongs to the next answer stays
        line = file.readline()
        if not line:
            raise EOFError
        headers: dict[str, str] = {}
        while (text := file.readline().decode("latin-1").strip()) != "":
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body, length = b"", int(headers.get("content-length", "0"))
        while len(body) < length:
            part = file.read(length - len(body))
            if not part:
                raise EOFError(body)
            body += part
        return int(line.split()[1]), headers, body


def until_closed(connection: socket.socket) -> bytes:
    """What comes until the server closes the connection."""
    found = b""
    try:
        while data := connection.recv(65_536):
            found += data
    except ConnectionResetError:
        return found
    return found
