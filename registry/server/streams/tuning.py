"""The interpreter, set up for a server."""

from __future__ import annotations

import gc
import logging
import sys

from pif.language.budget import reserve_stack
from registry.server.streams.messages import NESTING

__all__ = ["tune"]

SWITCH_INTERVAL = 0.001
"""Seconds that a worker thread keeps the interpreter while the event loop waits for it. Python's own 5 ms, times the
threads that take turns, would use up the 20 ms in which a small request is to be answered beside long runs."""


def tune() -> None:
    """Set the interpreter up for a server.

    The start-up's objects are kept out of garbage collections, which otherwise cost five to ten times the decoding of
    a large message. They are not collected before: hardly any of them is garbage, and to look would be a tenth of the start. Decoding needs room for the nesting that messages may have. Warnings of the SDK are about what clients
    send: anyone could fill the log with them.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    sys.setswitchinterval(SWITCH_INTERVAL)
    reserve_stack(4 * NESTING)
