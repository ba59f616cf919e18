"""The listening socket: made here, or handed over by systemd, which keeps it while one server ends and the next begins.

A connection that comes between the two waits in the socket's queue: an upgrade refuses nobody (sd_listen_fds(3)).
"""

from __future__ import annotations

import os
import socket
from typing import Final

__all__ = ["handed_over", "listen"]

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
