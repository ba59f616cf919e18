"""Standard input and output as descriptors of our own: moved away, read and written without blocking.

Pipes and sockets go through the event loop. Files and terminals, which it cannot watch, are read by a thread and
written by waiting. The two sides see callbacks only; what the bytes mean is `connection`'s business.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import stat
import threading
from typing import Protocol

__all__ = ["Listener", "Sink", "Source", "Speaker", "move_descriptors", "open_sink", "open_source"]

WRITE_HIGH = 4 * 1024 * 1024
"""Bytes waiting for a client that does not read, before it is no longer read from. A client that sends thousands of
requests before it reads the first answer still gets them all."""

FLUSH = 1.0
"""Seconds that the last answers may take to be read."""

logger = logging.getLogger(__name__)


class Listener(Protocol):
    """Receiver of what is read. Called on the event loop."""

    def received(self, data: bytes) -> None: ...

    def end(self) -> None: ...


class Speaker(Protocol):
    """Receiver of events of writing. Called on the event loop."""

    def congested(self, is_congested: bool) -> None: ...

    def lost(self) -> None: ...


class Source(Protocol):
    """Where bytes come from."""

    def pause(self, is_paused: bool) -> None: ...

    def close(self) -> None: ...


class Sink(Protocol):
    """Where whole frames go."""

    def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...


def move_descriptors() -> tuple[int, int]:
    """Move standard input and output to private descriptors, for the rest of the process; returns these.

    Descriptor 0 then reads nothing and descriptor 1 is standard error. Raises OSError where either is closed.
    """
    source = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    sink = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    os.close(nothing)
    return source, sink


class _PipeSink(asyncio.BaseProtocol):
    """A pipe or socket, written without blocking."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._gone = asyncio.Event()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.set_write_buffer_limits(high=WRITE_HIGH)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()
        self._speaker.lost()

    def pause_writing(self) -> None:
        self._speaker.congested(True)

    def resume_writing(self) -> None:
        self._speaker.congested(False)

    def write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    async def close(self) -> None:
        assert self._transport is not None
        self._transport.close()
        try:
            async with asyncio.timeout(FLUSH):
                await self._gone.wait()
        except TimeoutError:
            logger.warning("the last answers were not read by the client")
            self._transport.abort()


class _FileSink:
    """A file or terminal, which is written by waiting for it."""

    def __init__(self, speaker: Speaker, descriptor: int) -> None:
        self._speaker = speaker
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self._speaker.lost()

    async def close(self) -> None:
        os.close(self._descriptor)


class _PipeSource(asyncio.Protocol):
    """A pipe or socket, read as bytes come."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._listener.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._listener.end()

    def pause(self, is_paused: bool) -> None:
        if self._transport is None or is_paused == self._paused or self._transport.is_closing():
            return
        self._paused = is_paused
        if is_paused:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


class _FileSource:
    """A file or terminal, which the event loop cannot watch: read by a thread that waits for it."""

    def __init__(self, listener: Listener, descriptor: int) -> None:
        self._listener = listener
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._room = threading.Event()
        self._room.set()
        self._closed = False
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def _read(self) -> None:
        try:
            while not self._closed and (data := os.read(self._descriptor, 65_536)):
                self._loop.call_soon_threadsafe(self._listener.received, data)
                self._room.wait()
            self._loop.call_soon_threadsafe(self._listener.end)
        except RuntimeError:
            logger.debug("the event loop closed while standard input was being read")

    def pause(self, is_paused: bool) -> None:
        if is_paused:
            self._room.clear()
        else:
            self._room.set()

    def close(self) -> None:
        self._closed = True
        self._room.set()


async def open_sink(descriptor: int, speaker: Speaker) -> Sink:
    """Write to a descriptor, which the sink owns from now on."""
    if not _is_pipe(descriptor):
        return _FileSink(speaker, descriptor)
    sink = _PipeSink(speaker)
    pipe = os.fdopen(descriptor, "wb", buffering=0)
    await asyncio.get_running_loop().connect_write_pipe(lambda: sink, pipe)
    return sink


async def open_source(descriptor: int, listener: Listener) -> Source:
    """Read from a descriptor, which the source owns from now on."""
    if not _is_pipe(descriptor):
        return _FileSource(listener, descriptor)
    source = _PipeSource(listener)
    pipe = os.fdopen(descriptor, "rb", buffering=0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: source, pipe)
    return source


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
