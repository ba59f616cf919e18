"""The stand-in over real HTTP on loopback, and the client to it: for tests and for trying clients out.

``ARISTOTLE_STAND_IN=http://127.0.0.1:PORT`` makes the server talk to it.  Only loopback addresses are accepted; every
answer is marked as the stand-in's.  Requests are JSON, answers too; a dropped connection is a connection that is
closed without an answer, garbage is an answer that is no JSON.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar, assert_never
from urllib.parse import urlsplit

import msgspec

from registry.aristotle.service import (
    Finding,
    Mode,
    Overview,
    Run,
    ServiceFailure,
    Submission,
)
from registry.aristotle.stand_in import OPERATIONS, Fault, Operation, StandIn

__all__ = ["HttpService", "serving"]

T = TypeVar("T")

TIMEOUT = 10.0
"""Seconds for one request."""

LARGEST = 32 * 1024 * 1024
"""Bytes of an answer that are read."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_RETRY_AFTER = 2

_STATUS: dict[Fault, tuple[int, str]] = {
    "rate_limited": (429, "requests"),
    "run_limit": (429, "runs"),
    "authentication": (401, ""),
    "service_error": (500, ""),
    "refused": (400, ""),
}


class HttpService:
    """A client to the stand-in.  `key` goes in a header, as the real service's does."""

    mode: Mode = "stand-in"
    interval = 0.02
    retry_after_s = 1

    def __init__(self, origin: str, key: str) -> None:
        parts = urlsplit(origin)
        host, port = parts.hostname, parts.port
        if parts.scheme != "http" or host not in _LOOPBACK or port is None or parts.username is not None:
            raise ValueError("ARISTOTLE_STAND_IN is an address on loopback: http://127.0.0.1:PORT")
        self._host, self._port, self._key = host, port, key

    def submit(self, submission: Submission) -> str:
        """Begin a run."""
        return self._ask("submit", submission, str)

    def find(self, key: str) -> str | None:
        """The project of a key."""
        return self._ask("find", [key], tuple[str | None])[0]

    def look(self, project: str) -> Run:
        """Where a run stands."""
        return self._ask("look", project, Run)

    def fetch(self, project: str, path: str) -> str | None:
        """A file of the project."""
        return self._ask("fetch", [project, path], tuple[str | None])[0]

    def findings(self, project: str) -> tuple[Finding, ...]:
        """What is said of the declarations."""
        return self._ask("findings", project, tuple[Finding, ...])

    def cancel(self, project: str) -> bool:
        """Stop a run."""
        return self._ask("cancel", project, bool)

    def overview(self) -> Overview:
        """How the service is."""
        return self._ask("overview", None, Overview)

    def _ask(self, operation: Operation, argument: Any, kind: type[T]) -> T:
        status, headers, data = self._exchange(operation, msgspec.json.encode(argument))
        match status:
            case 200:
                try:
                    return msgspec.json.decode(data, type=kind)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise ServiceFailure("unreadable") from error
            case 401 | 403:
                raise ServiceFailure("authentication")
            case 404:
                raise ServiceFailure("not_found")
            case 429:
                after = headers.get("Retry-After", "")
                seconds = int(after) if after.isdigit() else None
                raise ServiceFailure(
                    "run_limit" if data == b"runs" else "rate_limited", retry_after_s=seconds
                )
            case 400:
                raise ServiceFailure("refused")
            case _:
                raise ServiceFailure("service_error")

    def _exchange(self, operation: Operation, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT)
        try:
            connection.connect()
        except OSError as error:
            raise ServiceFailure("connection") from error
        try:
            connection.request("POST", f"/{operation}", body, {"X-API-Key": self._key})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read(LARGEST)
        except TimeoutError as error:
            raise ServiceFailure("timeout") from error
        except (OSError, http.client.HTTPException) as error:
            raise ServiceFailure("outcome_unknown") from error
        finally:
            connection.close()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request by the stand-in."""

    server: _Server

    def do_POST(self) -> None:
        operation = next((each for each in OPERATIONS if self.path == f"/{each}"), None)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.keys.append(self.headers.get("X-API-Key", ""))
        stand_in = self.server.stand_in
        if operation is None:
            return self._send(404, b"")
        fault = stand_in.fault(operation)
        if fault == "drop":
            return self._drop()
        if fault == "garbage":
            return self._send(200, b"<html>\xff not what was asked for")
        if fault is not None and fault != "drop_after":
            status, words = _STATUS[fault]
            return self._send(status, words.encode())
        try:
            found = _performed(stand_in, operation, body)
        except ServiceFailure as failure:
            return self._send(404 if failure.code == "not_found" else 500, b"")
        if fault == "drop_after":
            return self._drop()
        return self._send(200, msgspec.json.encode(found))

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        if status == 429:
            self.send_header("Retry-After", str(_RETRY_AFTER))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: requests are not what anybody reads standard error for."""


def _performed(stand_in: StandIn, operation: Operation, body: bytes) -> Any:
    """What the stand-in answers; what may be nothing is sent in a list."""
    if operation == "submit":
        return stand_in.submit(msgspec.json.decode(body, type=Submission))
    found = msgspec.json.decode(body)
    match operation:
        case "find":
            return [stand_in.find(*found)]
        case "fetch":
            return [stand_in.fetch(*found)]
        case "look":
            return stand_in.look(found)
        case "findings":
            return stand_in.findings(found)
        case "cancel":
            return stand_in.cancel(found)
        case "overview":
            return stand_in.overview()
        case _:
            assert_never(operation)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, stand_in: StandIn) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.stand_in = stand_in
        self.keys: list[str] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no matter of ours."""


@contextmanager
def serving(stand_in: StandIn) -> Iterator[tuple[str, list[str]]]:
    """Serve a stand-in while the block lasts: its origin, and the keys that requests brought."""
    server = _Server(stand_in)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.keys
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
