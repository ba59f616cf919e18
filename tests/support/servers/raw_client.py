"""A client made of two pipes and a process, which can send a server anything."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

DEMO = Path(__file__).parents[2] / "programs" / "demo_group.py"
PATIENCE = 60.0
"""Seconds until a missing answer fails a test; no test waits for it otherwise."""

MODERN = "2026-07-28"


class RawClient:
    """Writes bytes and reads answers. Standard error is collected in `errors` once the server has ended."""

    def __init__(self, *arguments: str, command: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            command or [sys.executable, str(DEMO), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._input = self.process.stdin.fileno()
        self._output = self.process.stdout.fileno()
        self._buffer = bytearray()
        self.errors = b""
        self._listener = threading.Thread(target=self._listen, args=(self.process.stderr,), daemon=True)
        self._listener.start()

    def _listen(self, stream: Any) -> None:
        self.errors = stream.read()

    # writing

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._input, data) :]

    def write_aside(self, data: bytes) -> threading.Thread:
        """Write from a thread, for what is more than the pipe takes at once."""
        thread = threading.Thread(target=self._write_quietly, args=(data,), daemon=True)
        thread.start()
        return thread

    def _write_quietly(self, data: bytes) -> None:
        try:
            self.write(data)
        except BrokenPipeError:
            self.broken = True

    def write_until_stuck(self, data: bytes) -> int:
        """Write until the server takes no more; returns how many bytes it took."""
        os.set_blocking(self._input, False)
        written = 0
        while written < len(data) and select.select([], [self._input], [], 0.5)[1]:
            written += os.write(self._input, data[written : written + 4_096])
        os.set_blocking(self._input, True)
        return written

    def send(self, message: Any) -> None:
        self.write(msgspec.json.encode(message) + b"\n")

    def end_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end_output(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()

    # reading

    def read_bytes(self) -> bytes:
        """The next bytes; empty at the end. Fails when the server says nothing for a minute."""
        ready, _, _ = select.select([self._output], [], [], PATIENCE)
        if not ready:
            raise AssertionError("the server does not answer")
        return os.read(self._output, 1 << 20)

    def line(self) -> bytes:
        while b"\n" not in self._buffer:
            data = self.read_bytes()
            if not data:
                raise EOFError(bytes(self._buffer))
            self._buffer += data
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer[:] = rest
        return line

    def block(self) -> Any:
        """One answer in header framing."""
        header = self.line()
        assert header.startswith(b"Content-Length: "), header
        length = int(header[16:])
        assert self.line() == b"\r"
        while len(self._buffer) < length:
            self._buffer += self.read_bytes()
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return msgspec.json.decode(body)

    def receive(self) -> Any:
        return msgspec.json.decode(self.line())

    def answer_to(self, number: int | str) -> Any:
        """The answer with an id; what comes before it is dropped."""
        while True:
            message = self.receive()
            if message.get("id") == number and "method" not in message:
                return message

    # speaking

    def handshake(self) -> Any:
        """The 2025 handshake; returns the result of `initialize`."""
        self.send(initialize("start"))
        answer = self.answer_to("start")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, number: int | str, tool: str, /, **arguments: Any) -> Any:
        """Call a tool on the 2025 protocol; returns the result."""
        self.send(call(number, tool, arguments))
        return self.answer_to(number)["result"]

    def is_alive(self) -> bool:
        """Whether the server still answers (on the 2025 protocol, after the handshake)."""
        return bool(self.call("alive", "echo", value="here")["structuredContent"]["value"] == "here")

    def memory(self) -> int:
        """The most memory that the server has had so far, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

    def wait(self) -> int:
        """Wait for the server to end by itself; returns its exit status."""
        status = self.process.wait(PATIENCE)
        self._listener.join(PATIENCE)
        return status


@contextmanager
def demo(*arguments: str, command: list[str] | None = None) -> Iterator[RawClient]:
    """A demo server (or another) and a client to it."""
    client = RawClient(*arguments, command=command)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()
        for stream in (client.process.stdin, client.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        client._listener.join(PATIENCE)
        assert client.process.stderr is not None
        client.process.stderr.close()


@contextmanager
def ready(*arguments: str) -> Iterator[RawClient]:
    """A demo server after the 2025 handshake."""
    with demo(*arguments) as client:
        client.handshake()
        yield client


def initialize(number: int | str) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }


def call(number: int | str, name: str, arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def cancelled(number: int | str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}


def modern(message: dict[str, Any]) -> dict[str, Any]:
    """The message with the envelope of the 2026 protocol."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    return {**message, "params": {**message.get("params", {}), "_meta": meta}}
