"""Connections that outlive their worker: whoever waits for an answer of a worker that dies is told so, and nobody is cut off.

The system closes the connections of a process that ends, and to a client of the protocol a connection that breaks off is the end of
everything it does there. So the supervisor keeps a second descriptor of each, and each worker writes down, in memory
that both map, what is under way on it: a state, and the id of the request. When the worker has ended, the
supervisor writes the error of that request, or ends the stream with it, and closes. A connection on which nothing is under way is given
to another worker, and its next request, even one that has come already, is answered there. So is one that a worker releases
because it makes way.

What a worker had begun to write and not ended is closed as it stands: nothing that could be added would be read as an answer. What
is encrypted is not kept: only the worker has its keys.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

import msgspec

__all__ = ["ENDED", "Keeper", "KeptConnections", "State"]

State = Literal["idle", "asked", "stream", "writing"]
"""Nothing is under way; a request is, without an answer; a stream of events is open between two of them; something is written."""

_STATES: Final[tuple[State, ...]] = ("idle", "asked", "stream", "writing")
_CODES: Final = {state: bytes((code,)) for code, state in enumerate(_STATES)}

SLOTS: Final = 4_096
WIDTH: Final = 128
"""Connections of one worker, and bytes of each: a state, the length of an id, the id."""

ENDED: Final = (
    "the worker that answered this has ended; whether the call was carried out is not known: where it changes something, look "
    "before you ask again"
)

SERVER_ERROR: Final = -32000

CLOSING: Final = 1.0
"""Seconds between the last byte and the end of a connection, in which the client reads it."""

logger = logging.getLogger(__name__)


class KeptConnections:
    """A worker's side: what is under way on its connections. `sending` is its end of the pair whose other end is the `Keeper`'s."""

    def __init__(self, path: Path, sending: socket.socket) -> None:
        """Raises OSError."""
        sending.setblocking(False)
        self._sending = sending
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), SLOTS * WIDTH)
        self._free = list(range(SLOTS - 1, -1, -1))
        self._untold: list[tuple[bytes, int]] = []

    def open(self, given: Callable[[socket.socket, int], None]) -> None:
        """Take connections that the supervisor gives: `given` is called for each, on the running event loop, and answers with
        `taken` and the number that comes with it."""

        def receive() -> None:
            try:
                said, descriptors, _, _ = socket.recv_fds(self._sending, 5, 1)
            except BlockingIOError:
                return
            if not said:
                asyncio.get_running_loop().remove_reader(self._sending)  # the supervisor has gone
            for descriptor in descriptors:
                given(socket.socket(fileno=descriptor), int.from_bytes(said[1:5], "big"))

        asyncio.get_running_loop().add_reader(self._sending, receive)

    def add(self, connection: socket.socket) -> int | None:
        """Let a connection be kept; its slot, or None where it cannot be."""
        self._tell_ends()
        if not self._free:
            return None
        slot = self._free.pop()
        self.note(slot, "idle")
        try:
            socket.send_fds(self._sending, [b"+" + slot.to_bytes(4, "big")], [connection.fileno()])
        except OSError as error:
            logger.debug("a connection is not kept: %s", error)
            self._free.append(slot)
            return None
        return slot

    def taken(self, number: int) -> None:
        """A connection that was given is served here."""
        self._untold.append((b"=", number))
        self._tell_ends()

    def note(self, slot: int, state: State) -> None:
        """Write down a state."""
        start = slot * WIDTH
        self._memory[start : start + 1] = _CODES[state]

    def asked(self, slot: int, number: bytes = b"") -> None:
        """A request is under way; `number` is its id as JSON, as far as that is known."""
        start = slot * WIDTH
        number = number if len(number) <= WIDTH - 2 else b""
        self._memory[start : start + 2 + len(number)] = _CODES["asked"] + bytes((len(number),)) + number

    def remove(self, slot: int) -> None:
        """A connection has been closed here."""
        self.note(slot, "writing")
        self._untold.append((b"-", slot))
        self._tell_ends()

    def release(self, slot: int) -> None:
        """A connection on which nothing is under way is left to another worker; this one closes its descriptor."""
        self._untold.append((b">", slot))
        self._tell_ends()

    def _tell_ends(self) -> None:
        """Say which connections have been closed or left; what there is no room for is said the next time."""
        while self._untold:
            what, slot = self._untold[-1]
            try:
                self._sending.send(what + slot.to_bytes(4, "big"))
            except OSError as error:
                logger.debug("the end of a connection is told later: %s", error)
                return
            self._untold.pop()
            if what != b"=":
                self._free.append(slot)


class Keeper:
    """The supervisor's side, for one worker. Use it from one event loop.

    `theirs` is for the worker to inherit. `left` is called with each connection that is for another worker.
    """

    def __init__(self, path: Path, left: Callable[[socket.socket], None]) -> None:
        """Raises OSError."""
        self.path = path
        self._left = left
        with path.open("w+b") as file:
            file.truncate(SLOTS * WIDTH)
            self._memory = mmap.mmap(file.fileno(), SLOTS * WIDTH)
        self._receiving, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._receiving.setblocking(False)
        self._kept: dict[int, int] = {}
        self._given: dict[int, socket.socket] = {}
        self._gifts = 0
        asyncio.get_running_loop().add_reader(self._receiving, self._receive)

    def _receive(self) -> None:
        while True:
            try:
                said, descriptors, _, _ = socket.recv_fds(self._receiving, 5, 1)
            except BlockingIOError:
                return
            except OSError as error:
                logger.error("connections of a worker are not kept: %s", error.strerror)
                return
            if not said:
                return
            slot = int.from_bytes(said[1:5], "big")
            if said[:1] == b"=":
                self._given.pop(slot).close()
                continue
            before = self._kept.pop(slot, None)
            if before is not None and said[:1] == b">":
                self._left(socket.socket(fileno=before))
            elif before is not None:
                os.close(before)
            if said[:1] == b"+" and descriptors:
                self._kept[slot] = descriptors[0]

    def give(self, connection: socket.socket) -> bool:
        """Give a connection to the worker; whether that could be done. If it ends before it has taken it, it is left again."""
        number = self._gifts
        self._gifts += 1
        try:
            socket.send_fds(self._receiving, [b"." + number.to_bytes(4, "big")], [connection.fileno()])
        except OSError as error:
            logger.debug("a connection could not be given: %s", error)
            return False
        self._given[number] = connection
        return True

    def end(self) -> None:
        """The worker has ended: tell whoever waits, and close what is open."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._receiving)
        self._receive()
        kept = {os.fstat(descriptor).st_ino for descriptor in self._kept.values()}
        for connection in self._given.values():
            if os.fstat(connection.fileno()).st_ino in kept:  # it was taken, and that was not said any more
                connection.close()
            else:
                self._left(connection)
        for slot, descriptor in self._kept.items():
            connection = socket.socket(fileno=descriptor)
            state, number = self._under_way(slot)
            last = _last_words(state, number)
            if state == "idle":
                self._left(connection)
            elif last:
                self._say(connection, last)
                loop.call_later(CLOSING, connection.close)
            else:
                connection.close()
        self._kept.clear()
        self._receiving.close()
        self._memory.close()
        self.path.unlink(missing_ok=True)

    @staticmethod
    def _say(connection: socket.socket, last: bytes) -> None:
        try:
            connection.setblocking(False)
            connection.send(last)
            connection.shutdown(socket.SHUT_WR)
        except OSError as error:
            logger.debug("a client that waited has gone: %s", error)

    def _under_way(self, slot: int) -> tuple[State, bytes]:
        """What is under way on a connection: a state, and the id of the request."""
        start = slot * WIDTH
        code, length = self._memory[start], self._memory[start + 1]
        number = self._memory[start + 2 : start + 2 + length]
        return (_STATES[code] if code < len(_STATES) else "writing"), number


def _last_words(state: State, number: bytes) -> bytes:
    """What is still to be written on a connection; nothing where nothing can be."""
    if state == "asked":
        return _answer(number)
    return _end_of_stream(number) if state == "stream" else b""


def _error(number: bytes) -> bytes:
    wanted = msgspec.Raw(number or b"null")
    return msgspec.json.encode(
        {"jsonrpc": "2.0", "id": wanted, "error": {"code": SERVER_ERROR, "message": ENDED}}
    )


def _answer(number: bytes) -> bytes:
    """An answer of HTTP with the error of a request."""
    error = _error(number)
    # A client of the protocol reads the error of its request with a status of success; a request without an id has none to read.
    status = b"200 OK" if number else b"503 Service Unavailable"
    head = (
        b"HTTP/1.1 " + status + b"\r\ncontent-type: application/json\r\ncontent-length: %d\r\n" % len(error)
    )
    return head + b"connection: close\r\n\r\n" + error


def _end_of_stream(number: bytes) -> bytes:
    """The end of a stream of events in chunks, after the error of its request if it has one."""
    if not number:
        return b"0\r\n\r\n"
    event = b"event: message\r\ndata: " + _error(number) + b"\r\n\r\n"
    return b"%x\r\n" % len(event) + event + b"\r\n0\r\n\r\n"
