"""Jobs for a child process of `kleis.documents.child` that try what it must not do."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

__all__ = ["Answer", "Asked"]

_T = TypeVar("_T")


class Asked(msgspec.Struct, frozen=True):
    """A request: one text."""

    text: str


class Answer(msgspec.Struct, frozen=True):
    """What a job found."""

    text: str


def echo(request: Asked) -> Answer:
    """The text again."""
    return Answer(request.text)


def connect(request: Asked) -> Answer:
    """Connect to a port of this machine."""
    return _tried(lambda: socket.create_connection(("127.0.0.1", int(request.text)), timeout=5).close())


def send_datagram(request: Asked) -> Answer:
    """Send a datagram to a port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return _tried(lambda: sender.sendto(b"x", ("127.0.0.1", int(request.text))))


def enter_namespace(request: Asked) -> Answer:
    """Enter the network namespace of another process."""
    path = f"/proc/{request.text}/ns/net"
    place = _tried_value(lambda: os.open(path, os.O_RDONLY))
    if ctypes.CDLL(None, use_errno=True).setns(place, 0) != 0:
        raise ValueError(os.strerror(ctypes.get_errno()))
    return Answer("entered")


def read(request: Asked) -> Answer:
    """Read a file."""
    return Answer(_tried_value(lambda: Path(request.text).read_text()))


def write(request: Asked) -> Answer:
    """Write a file."""
    _tried_value(lambda: Path(request.text).write_text("written"))
    return Answer("written")


def flood(request: Asked) -> Answer:
    """Answer without end."""
    while True:
        os.write(1, b"=" * (1 << 16))


def leave(request: Asked) -> Answer:
    """End without an answer."""
    os._exit(0)


def stay(request: Asked) -> Answer:
    """Never end."""
    while True:
        time.sleep(60)


def close_and_stay(request: Asked) -> Answer:
    """Close the answer, and stay."""
    os.close(1)
    return stay(request)


def start_another(request: Asked) -> Answer:
    """Start a process that stays, and stay."""
    other = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    Path("process").write_text(str(other.pid))
    return stay(request)


def _tried(attempt: Callable[[], object]) -> Answer:
    _tried_value(attempt)
    return Answer("done")


def _tried_value(attempt: Callable[[], _T]) -> _T:
    """What an attempt gives; its refusal as an error that the child reports."""
    try:
        return attempt()
    except OSError as error:
        raise ValueError(str(error)) from None
