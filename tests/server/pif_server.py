"""A real `pif serve` in a process of its own, with a home of its own, and a raw client to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.raw_client import PATIENCE, RawClient

_START = """
import sys
from pathlib import Path
from registry.server.serve import serve
home, groups, expose, more, memory, fuel = sys.argv[1:]
sys.exit(serve(home=Path(home), groups=groups, expose=int(expose), more=more == "more", memory_mb=int(memory),
               maximum_fuel=int(fuel)))
"""


def command(
    home: Path, *, expose: int = 25, more: bool = False, memory_mb: int = 512, maximum_fuel: int = 5_000_000
) -> list[str]:
    """The command line of a server."""
    settings = [str(expose), "more" if more else "less", str(memory_mb), str(maximum_fuel)]
    return [sys.executable, "-c", _START, str(home), "pif", *settings]


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
