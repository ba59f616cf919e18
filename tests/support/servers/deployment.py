"""A deployment as the page of deploying has it: real processes of the real command, TLS, a socket that outlives servers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from registry.server.mcp.http_access import TOKEN
from tests.support.servers.http_server import HEADERS, USUAL, call
from tests.support.servers.raw_client import PATIENCE

__all__ = ["PROGRAM", "Deployment", "Load", "certificate", "handing_over", "pif", "workers_of"]

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = [sys.executable, "-m", "registry.cli.pif"]


_HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=sys.argv[2])
os.execv(sys.argv[3], sys.argv[3:])
"""


def handing_over(descriptor: int, *command: object, count: int = 1) -> list[str]:
    """A command that is given a socket as systemd gives it: as descriptor 3, with the process that it is for."""
    return [sys.executable, "-c", _HAND_OVER, str(descriptor), str(count), *map(str, command)]


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != TOKEN} | {"PYTHONPATH": str(ROOT)}


def pif(*arguments: object) -> dict[str, Any]:
    """What a command answers."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True, check=False, env=_environment(), timeout=PATIENCE
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def certificate(directory: Path) -> tuple[Path, Path]:
    """A certificate for this machine that nobody else has signed, and its key."""
    made, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", made],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, key


def workers_of(server: subprocess.Popen[str]) -> set[str]:
    """The processes of a server's workers."""
    return set(Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split())


class Deployment:
    """One socket, as systemd would keep it, and the servers that are started on it one after another."""

    def __init__(self, home: Path, *options: object, trusted: Path | None = None) -> None:
        self.home = home
        self._options = options
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=4_096)
        self.port = int(self._socket.getsockname()[1])
        self.trusted = None if trusted is None else ssl.create_default_context(cafile=trusted)
        self._running: list[subprocess.Popen[str]] = []
        self._logs: dict[int, tuple[threading.Thread, list[str]]] = {}

    def start(self, *more: object) -> subprocess.Popen[str]:
        """A server on the socket, with more options; it answers when this returns."""
        descriptor = self._socket.fileno()
        words = ["--home", self.home, "serve", "--http", "127.0.0.1:8000", *map(str, (*self._options, *more))]
        process = subprocess.Popen(
            handing_over(descriptor, *PROGRAM, *words),
            pass_fds=(descriptor,), env=_environment(), stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._running.append(process)
        assert process.stderr is not None
        said = process.stderr.readline()
        assert f"127.0.0.1:{self.port}/mcp" in said, said + process.stderr.read()
        # The log is read as it comes, as by systemd: a server waits for who does not read it.
        lines: list[str] = []
        log, process.stderr = process.stderr, None

        def read() -> None:
            with log:
                lines.extend(log)

        reading = threading.Thread(target=read, daemon=True)
        self._logs[process.pid] = reading, lines
        reading.start()
        return process

    def stop(self, process: subprocess.Popen[str]) -> str:
        """End a server as systemd does; what it wrote to standard error."""
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        reading, lines = self._logs.pop(process.pid)
        reading.join(PATIENCE)
        said = "".join(lines)
        assert process.returncode == 0, said
        return said

    def close(self) -> None:
        for process in self._running:
            if process.returncode is None:
                process.kill()
                process.communicate()
        self._socket.close()

    def connection(self) -> http.client.HTTPConnection:
        if self.trusted is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=self.trusted)

    def get(self, path: str, secret: str = "") -> tuple[int, bytes]:
        """A page."""
        connection = self.connection()
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {secret}"} if secret else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(
        self, connection: http.client.HTTPConnection, secret: str, tool: str, /, **arguments: Any
    ) -> dict[str, Any]:
        """The object that a call answers. Raises what a client sees that was refused: OSError, HTTPException, or AssertionError."""
        headers = {**USUAL, **HEADERS, "Mcp-Name": tool, "Authorization": f"Bearer {secret}"}
        connection.request("POST", "/mcp", call(tool, **arguments), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (answer.status, body)
        found: dict[str, Any] = msgspec.json.decode(body)["result"]["structuredContent"]
        return found

    def call(self, secret: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The same, on a connection of its own."""
        connection = self.connection()
        try:
            return self.ask(connection, secret, tool, **arguments)
        finally:
            connection.close()


class Load:
    """Clients that call without end: some keep their connection, some open one for each call, some change something."""

    def __init__(self, deployment: Deployment, secret: str, kept: int = 2, fresh: int = 2) -> None:
        self._deployment = deployment
        self._secret = secret
        self._ended = threading.Event()
        self.answered = [0] * (kept + fresh)
        self.refused: list[str] = []
        self.evolved: list[str] = []
        self.longest = 0.0
        work = [(number, number < kept) for number in range(kept + fresh)]
        self._threads = [threading.Thread(target=self._call, args=each, daemon=True) for each in work]

    def _call(self, number: int, keeps: bool) -> None:
        connection = self._deployment.connection()
        while not self._ended.is_set():
            begun = time.monotonic()
            try:
                if self.answered[number] % 5 == 4:
                    name = f"made_{number}_{self.answered[number]}"
                    code = {"lam": "x", "body": {"add": [{"var": "x"}, number]}}
                    answer = self._deployment.ask(
                        connection, self._secret, "evolve", name=name, description="d", code=code
                    )
                    assert answer["type"] == "tool", answer
                    self.evolved.append(name)
                else:
                    answer = self._deployment.ask(connection, self._secret, "run", code={"mul": [6, 7]})
                    assert answer["value"] == 42, answer
            except (OSError, http.client.HTTPException, AssertionError, KeyError) as error:
                self.refused.append(f"client {number}: {error!r}")
                connection.close()
            self.longest = max(self.longest, time.monotonic() - begun)
            self.answered[number] += 1
            if not keeps:
                connection.close()
        connection.close()

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(PATIENCE)

    def wait_for(self, calls: int) -> None:
        """Until each client has had so many more answers."""
        wanted = [each + calls for each in self.answered]
        deadline = time.monotonic() + PATIENCE
        while any(now < then for now, then in zip(self.answered, wanted, strict=True)):
            assert time.monotonic() < deadline, (self.answered, wanted, self.refused[:3])
            time.sleep(0.01)
