"""A `StandIn` of the proving service, served over HTTP on loopback.

`registry.aristotle.stand_in.HttpService` is the client to it; the server under test uses it where the environment
variable ``ARISTOTLE_STAND_IN`` holds the address.  A fault becomes what it would be on a network: `drop` closes the
connection without an answer, `garbage` answers what is no JSON, the others are status codes.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, assert_never

import msgspec

from registry.aristotle.service import ServiceFailure, Submission
from registry.aristotle.stand_in import OPERATIONS, Fault, Operation, StandIn

__all__ = ["serving"]

_RETRY_AFTER = 2
_STATUS: dict[Fault, tuple[int, str]] = {
    "rate_limited": (429, "requests"),
    "run_limit": (429, "runs"),
    "authentication": (401, ""),
    "service_error": (500, ""),
    "refused": (400, ""),
}


class _Handler(BaseHTTPRequestHandler):
    """Answers one request with what the stand-in answers."""

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
        """Write nothing to standard error."""


def _performed(stand_in: StandIn, operation: Operation, body: bytes) -> Any:
    """The answer of the stand-in; one that may be None is sent in a list."""
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
        """Do nothing: a client that closes its connection is part of the tests."""


@contextmanager
def serving(stand_in: StandIn) -> Iterator[tuple[str, list[str]]]:
    """Serve a stand-in while the block lasts; yields its origin and the keys that requests brought."""
    server = _Server(stand_in)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.keys
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
