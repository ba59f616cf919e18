"""A real `pif serve` in a process of its own, with a home of its own, and a raw client to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from registry.server.contract.settings import Settings
from tests.support.servers.raw_client import PATIENCE, RawClient

_START = """
import sys
import msgspec
from registry.server.serve import serve
from registry.server.contract.settings import Settings
from tests.support.servers.checked_answers import hold_answers
hold_answers()
settings = msgspec.json.decode(sys.argv[1], type=Settings, dec_hook=lambda kind, text: kind(text))
if settings.store:  # the driver of the database is loaded by nothing else
    from tests.support.servers.held_loop import hold_event_loop
    hold_event_loop()
sys.exit(serve(settings, sys.argv[2]))
"""


def command(home: Path, *, groups: str = "pif", **options: Any) -> list[str]:
    """The command line of a server; `options` are fields of `Settings`."""
    settings = msgspec.json.encode(Settings(home=home, **options), enc_hook=str).decode()
    return [sys.executable, "-c", _START, settings, groups]


class PifClient(RawClient):
    """A client after the 2025 handshake."""

    def __init__(self, home: Path, **options: Any) -> None:
        super().__init__(command=command(home, **options))
        self.handshake()
        self._calls = 0

    def ask(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its structured answer."""
        self._calls += 1
        found = self.call(f"ask-{self._calls}", tool, **arguments)["structuredContent"]
        assert isinstance(found, dict)
        return found

    def lives(self) -> bool:
        """Whether the server still computes."""
        return self.ask("run", code={"add": [40, 2]})["value"] == 42


@contextmanager
def pif_server(home: Path, **options: Any) -> Iterator[PifClient]:
    """A server and a client; the server is killed at the end."""
    client = PifClient(home, **options)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.wait()
        client._listener.join(PATIENCE)
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            if stream is not None and not stream.closed:
                stream.close()
