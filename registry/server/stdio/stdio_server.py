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

from pif.run.stack_room import with_room
from registry.server.calls import stopping
from registry.server.calls.observation import Observer
from registry.server.contract.group import Group
from registry.server.offers.offer import Offer
from registry.server.stdio.front import Front
from registry.server.streams.connection import InputStream
from registry.server.streams.descriptors import move_descriptors
from registry.server.streams.framing import DEFAULT_CAP
from registry.server.streams.tuning import tune

if TYPE_CHECKING:
    from registry.server.monitoring.tracing import Tracing

__all__ = ["serve_stdio"]


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
    offer = Offer(groups, name=name, version=version, title=title, observers=observers)
    return with_room(lambda: asyncio.run(_serve(offer, tracing, source, sink, cap)))


async def _serve(offer: Offer, tracing: Tracing | None, source: int, sink: int, cap: int) -> int:
    connection = InputStream(cap)
    front = Front(offer, connection, tracing)

    def stop() -> None:
        front.stop()
        connection.end(stopping.SECONDS)

    stopping.end_on_signals(stop)
    gc.freeze()  # what the offer is made of, as what is there since `tune`
    await front.serve(source, sink)
    return 0
