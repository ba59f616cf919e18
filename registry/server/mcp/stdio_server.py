"""One process that serves: descriptors, signals, the event loop and the interpreter's settings.

`serve_stdio` is what `pif serve` calls. It returns the exit status: 0 when the client has closed the connection or a
signal has ended it, 2 where standard input or output is closed. After a signal no call is begun, and those under way are
answered as cancelled.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pif.language.budget import reserve_stack
from pif.run.stack_room import with_room
from registry.server.calls import stopping
from registry.server.calls.observation import Observer
from registry.server.contract.group import Group
from registry.server.mcp.mcp_server import McpServer
from registry.server.mcp.stdio_streams import open_streams
from registry.server.streams.descriptors import move_descriptors
from registry.server.streams.framing import DEFAULT_CAP
from registry.server.streams.messages import NESTING

if TYPE_CHECKING:
    from registry.server.monitoring.tracing import Tracing

__all__ = ["serve_stdio", "tune"]

SWITCH_INTERVAL = 0.001
"""Seconds that a worker thread keeps the interpreter while the event loop waits for it. Python's own 5 ms, times the
threads that take turns, would use up the 20 ms in which a small request is to be answered beside long runs."""


def serve_stdio(
    groups: Sequence[Group],
    *,
    name: str,
    version: str,
    title: str = "",
    cap: int = DEFAULT_CAP,
    command: str = "pif serve",
    observers: Sequence[Observer] = (),
    tracing: Tracing | None = None,
) -> int:
    """Serve until the client goes; returns the exit status. What goes wrong at the start is `command`'s. `observers` are
    told of every call; `tracing` makes a span for each request."""
    logging.basicConfig(
        stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING
    )
    try:
        source, sink = move_descriptors()
    except OSError:
        sys.stderr.write(f"{command}: standard input and output must be open\n")
        return 2
    tune()
    server = McpServer(groups, name=name, version=version, title=title, observers=observers, tracing=tracing)
    return with_room(lambda: asyncio.run(_serve(server, source, sink, cap)))


async def _serve(server: McpServer, source: int, sink: int, cap: int) -> int:
    reading, writing = await open_streams(source, sink, cap=cap)

    def stop() -> None:
        server.stop()
        reading.end(stopping.SECONDS)

    stopping.end_on_signals(stop)
    gc.collect()
    gc.freeze()
    await server.serve(reading, writing)
    return 0


def tune() -> None:
    """Set the interpreter up for a server.

    The start-up's objects are kept out of garbage collections, which otherwise cost five to ten times the decoding of
    a large message; decoding needs room for the nesting that messages may have. Warnings of the SDK are about what clients
    send: anyone could fill the log with them.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    gc.set_threshold(50_000, 20, 100)
    sys.setswitchinterval(SWITCH_INTERVAL)
    reserve_stack(4 * NESTING)
