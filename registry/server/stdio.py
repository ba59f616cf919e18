"""The stream pair between the SDK's server and this process's standard input and output (mcp-sdk.md §6).

Replaces the SDK's own: it answers malformed input instead of dropping it, accepts both framings and answers in the
one it was spoken to, has a size cap, decodes numbers exactly, and needs no thread for each message.

Invariants
----------
- Descriptors 0 and 1 are moved away first: a stray `print` or a child process writes to standard error.
- What waits to be written is bounded: a client that does not read is not read from, and nothing else waits for it.
- A frame is written whole or, when the client is gone, not at all; a closed pipe ends the session like end of file.
- At end of file, requests that are nearly done get a moment (`GRACE`), so that `printf … | pif serve` answers; then
  the SDK cancels what is left.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import stat
import threading
from collections.abc import Callable
from typing import Protocol

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from registry.server.framing import DEFAULT_CAP, Fault, Framing, Message
from registry.server.messages import (
    INTERNAL_ERROR,
    Incoming,
    Refusal,
    Reply,
    Unencodable,
    encode_json,
    oversized,
    protocol_error,
    read_message,
    unframed,
)

__all__ = ["InputStream", "OutputStream", "move_descriptors", "open_streams"]

WRITE_HIGH = 4 * 1024 * 1024
"""Bytes waiting for a client that does not read, before it is no longer read from. A client that sends thousands of
requests before it reads the first answer still gets them all."""

READ_HIGH = 1024 * 1024
GRACE = 0.1
"""Seconds."""

FLUSH = 1.0
"""Seconds that the last answers may take to be read."""

_UNFRAMED = {
    "bad_header": "a header block must be lines `Name: value` with one `Content-Length: N`, then an empty line",
    "truncated": "the input ended inside a message",
}
logger = logging.getLogger(__name__)


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


class _Sink(Protocol):
    """Where whole frames go."""

    def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...


class _PipeSink(asyncio.BaseProtocol):
    """A pipe or socket, written without blocking."""

    def __init__(self, output: OutputStream) -> None:
        self._output = output
        self._gone = asyncio.Event()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.set_write_buffer_limits(high=WRITE_HIGH)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()
        self._output.lost()

    def pause_writing(self) -> None:
        self._output.open.clear()

    def resume_writing(self) -> None:
        self._output.open.set()

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

    def __init__(self, output: OutputStream, descriptor: int) -> None:
        self._output = output
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            self._output.lost()

    async def close(self) -> None:
        os.close(self._descriptor)


class OutputStream:
    """The writing half: whole frames out, behind a gate that closes while too much waits to be read."""

    def __init__(self, on_lost: Callable[[], None]) -> None:
        self.open = asyncio.Event()
        self.open.set()
        self.is_lost = False
        self.with_headers = False
        self.unanswered: set[int | str] = set()
        self._answered = asyncio.Event()
        self._on_lost = on_lost
        self._sink: _Sink | None = None

    async def connect(self, descriptor: int) -> None:
        """Write to a descriptor, which this owns from now on."""
        if _is_pipe(descriptor):
            sink = _PipeSink(self)
            pipe = os.fdopen(descriptor, "wb", buffering=0)
            await asyncio.get_running_loop().connect_write_pipe(lambda: sink, pipe)
            self._sink = sink
        else:
            self._sink = _FileSink(self, descriptor)

    def lost(self) -> None:
        """Nobody reads any more."""
        self.is_lost = True
        self.open.set()
        self._answered.set()
        self._on_lost()

    def write(self, body: bytes) -> None:
        """Write one message without waiting."""
        if self._sink is not None and not self.is_lost:
            header = b"Content-Length: %d\r\n\r\n" % len(body) if self.with_headers else b""
            self._sink.write(header + body + (b"" if self.with_headers else b"\n"))

    async def send(self, item: SessionMessage) -> None:
        """Write one message. Waits while too much waits; raises `anyio.BrokenResourceError` when nobody reads."""
        while not self.open.is_set():
            await self.open.wait()
        if self.is_lost:
            raise anyio.BrokenResourceError
        message = item.message
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self.unanswered.discard(message.id)
            self._answered.set()
        self.write(_encode(message))

    async def let_finish(self) -> None:
        """Wait until every request is answered, but for `GRACE` at most."""
        deadline = asyncio.get_running_loop().time() + GRACE
        while self.unanswered and not self.is_lost:
            self._answered.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._answered.wait()
            except TimeoutError:
                return

    async def aclose(self) -> None:
        """Close, once what waits has been read or `FLUSH` has passed."""
        sink, self._sink = self._sink, None
        if sink is not None:
            await sink.close()

    async def __aenter__(self) -> OutputStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _PipeSource(asyncio.Protocol):
    """A pipe or socket, read as bytes come."""

    def __init__(self, stream: InputStream) -> None:
        self._stream = stream
        self._transport: asyncio.ReadTransport | None = None
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._stream.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stream.end()

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

    def __init__(self, stream: InputStream, descriptor: int) -> None:
        self._stream = stream
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._room = threading.Event()
        self._room.set()
        self._closed = False
        threading.Thread(target=self._read, name="standard input", daemon=True).start()

    def _read(self) -> None:
        try:
            while not self._closed and (data := os.read(self._descriptor, 65_536)):
                self._loop.call_soon_threadsafe(self._stream.received, data)
                self._room.wait()
            self._loop.call_soon_threadsafe(self._stream.end)
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


class InputStream:
    """The reading half: what the client sends, as messages. What is no message is answered here."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._framing = Framing(cap)
        self._output = OutputStream(on_lost=self.end)
        self._source: _PipeSource | _FileSource | None = None
        self._arrived = asyncio.Event()
        self._ended = False

    async def connect(self, source: int, sink: int) -> OutputStream:
        """Read from one descriptor and answer on the other; both are owned by the streams from now on."""
        await self._output.connect(sink)
        if _is_pipe(source):
            protocol = _PipeSource(self)
            self._source = protocol
            pipe = os.fdopen(source, "rb", buffering=0)
            await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
        else:
            self._source = _FileSource(self, source)
        return self._output

    def received(self, data: bytes) -> None:
        """Bytes have come."""
        self._framing.feed(data)
        self._arrived.set()
        if self._source is not None and self._framing.held > READ_HIGH:
            self._source.pause(True)

    def end(self) -> None:
        """Nothing more will come: end of file, a closed pipe on either side, or a signal."""
        if not self._ended:
            self._ended = True
            self._framing.end()
            self._arrived.set()

    async def receive(self) -> SessionMessage:
        """The next message for the server. Raises `anyio.EndOfStream` at the end."""
        while True:
            await self._output.open.wait()
            frame = self._framing.next()
            if frame is None:
                await self._more()
                continue
            item = self._accept(frame)
            if item is not None:
                return item
            await asyncio.sleep(0)  # a flood of refusals must not hold the loop

    async def _more(self) -> None:
        if self._ended:
            await self._output.let_finish()
            raise anyio.EndOfStream
        self._arrived.clear()
        if self._source is not None:
            self._source.pause(False)
        await self._arrived.wait()

    def _accept(self, frame: Message | Fault) -> SessionMessage | None:
        self._output.with_headers = self._framing.with_headers
        if isinstance(frame, Message):
            said = read_message(frame.text)
        elif frame.reason == "too_large":
            said = oversized(frame.head, self._cap)
        else:
            said = unframed(_UNFRAMED[frame.reason])
        match said:
            case Incoming():
                return SessionMessage(self._incoming(said))
            case Refusal():
                self._output.write(encode_json(said.answer))
            case Reply():
                return _reply(said)
            case None:
                logger.debug("a message that calls for no answer was dropped")
        return None

    def _incoming(self, said: Incoming) -> JSONRPCMessage:
        if said.id is not None:
            self._output.unanswered.add(said.id)
            return JSONRPCRequest(jsonrpc="2.0", id=said.id, method=said.method, params=said.params)
        if said.method == "notifications/cancelled" and said.params is not None:
            number = said.params.get("requestId")
            if isinstance(number, str | int):
                self._output.unanswered.discard(number)
        return JSONRPCNotification(jsonrpc="2.0", method=said.method, params=said.params)

    async def aclose(self) -> None:
        """Stop reading."""
        self.end()
        if self._source is not None:
            self._source.close()

    def __aiter__(self) -> InputStream:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> InputStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def open_streams(source: int, sink: int, *, cap: int = DEFAULT_CAP) -> tuple[InputStream, OutputStream]:
    """The pair for `Server.run`, over two descriptors."""
    reading = InputStream(cap)
    return reading, await reading.connect(source, sink)


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _reply(said: Reply) -> SessionMessage | None:
    """The client's answer in the SDK's form, if it has that form."""
    if said.result is not None:
        return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=said.id, result=said.result))
    error = said.error or {}
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or not isinstance(message, str):
        return None
    failure = ErrorData(code=code, message=message, data=error.get("data"))
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=said.id, error=failure))


def _encode(message: JSONRPCMessage) -> bytes:
    """The text of a message. What cannot be said in JSON becomes an error answer: silence would hang the client."""
    try:
        return encode_json(_wire(message))
    except Unencodable:
        logger.exception("an outgoing message cannot be encoded")
        number = getattr(message, "id", None)
        return encode_json(protocol_error(number, INTERNAL_ERROR, "the answer cannot be written as JSON"))


def _wire(message: JSONRPCMessage) -> dict[str, object]:
    match message:
        case JSONRPCResponse():
            return {"jsonrpc": "2.0", "id": message.id, "result": message.result}
        case JSONRPCError():
            error = {"code": message.error.code, "message": message.error.message}
            if message.error.data is not None:
                error["data"] = message.error.data
            return {"jsonrpc": "2.0", "id": message.id, "error": error}
        case JSONRPCRequest():
            return _with_params(
                {"jsonrpc": "2.0", "id": message.id, "method": message.method}, message.params
            )
        case JSONRPCNotification():
            return _with_params({"jsonrpc": "2.0", "method": message.method}, message.params)


def _with_params(wire: dict[str, object], params: dict[str, object] | None) -> dict[str, object]:
    if params is not None:
        wire["params"] = params
    return wire
