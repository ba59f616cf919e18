"""The listening socket: made here, or handed over by systemd, which keeps it while one server ends and the next begins.

A connection that comes between the two waits in the socket's queue: an upgrade refuses nobody (sd_listen_fds(3)).
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable
from typing import Final

__all__ = ["SCARCE_SECONDS", "Accepting", "handed_over", "listen"]

logger = logging.getLogger(__name__)

SCARCE_SECONDS: Final = 0.1
"""How long nothing is accepted where the system has no descriptor left."""

_SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

FIRST_DESCRIPTOR: Final = 3

_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def handed_over() -> socket.socket | None:
    """The socket that the starting process hands to this one; None where it hands over none. Children do not get it.

    Raises ValueError in words where it is none that can be served.
    """
    said = {name: os.environ.pop(name, "") for name in _VARIABLES}
    if said["LISTEN_PID"] != str(os.getpid()):
        return None
    if said["LISTEN_FDS"] != "1":
        raise ValueError(
            f"LISTEN_FDS={said['LISTEN_FDS']}: one socket is served; name one ListenStream= in the socket unit"
        )
    try:
        listening = socket.socket(fileno=FIRST_DESCRIPTOR)
    except OSError as error:
        raise ValueError(f"LISTEN_FDS=1, but descriptor 3 is no socket: {error.strerror}") from None
    os.set_inheritable(FIRST_DESCRIPTOR, False)
    is_tcp = listening.family in (socket.AF_INET, socket.AF_INET6) and listening.type == socket.SOCK_STREAM
    if not is_tcp or not listening.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        listening.detach()
        raise ValueError(
            "the socket that was handed over listens for no TCP: write ListenStream=HOST:PORT in the socket unit"
        )
    return listening


def listen(host: str, port: int) -> socket.socket:
    """A listening socket that knows its protocol is TCP, which is what makes asyncio set TCP_NODELAY. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # notices a peer that is gone
        listening.bind((host, port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


class Accepting:
    """Takes connections from a listening socket until it is closed, one in each turn of the event loop: a worker that is busy
    leaves them to one that is not. What was accepted is handed to `take`, always: a connection that were dropped here would be
    a call refused."""

    def __init__(self, listening: socket.socket, take: Callable[[socket.socket], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._take = take
        self._pause: asyncio.TimerHandle | None = None
        listening.setblocking(False)
        self._open()

    def _open(self) -> None:
        self._pause = None
        self._loop.add_reader(self._listening.fileno(), self._accept)

    def _accept(self) -> None:
        try:
            accepted, _ = self._listening.accept()
        except OSError as error:
            # Another process was first, the client went away meanwhile, or no descriptor is left.
            if error.errno in _SCARCE:
                logger.error("no connection can be taken: %s", error.strerror)
                self._loop.remove_reader(self._listening.fileno())
                self._pause = self._loop.call_later(SCARCE_SECONDS, self._open)
            return
        self._take(accepted)

    def close(self) -> None:
        """Take no more; those that wait are another process's."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._listening.fileno())
