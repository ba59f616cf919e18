"""One client on standard input and output.

The first request decides the generation.  A client that does not read is not read from; what it is told without having
asked is dropped meanwhile.
"""

from __future__ import annotations

import asyncio
import gc
import getpass
import logging
from collections.abc import Iterable

from kleis.policy.calls import Principal
from registry.gateway.front.client import Client
from registry.gateway.front.gateway import Gateway
from registry.gateway.front.listening import Connection
from registry.gateway.messages.generations import check_modern, is_modern
from registry.gateway.messages.replies import Fault, Form
from registry.gateway.messages.requests import SIZE, Refusal, Request, key_of, read_request
from registry.gateway.upstream.raw_json import UnsoundJson, on_one_line
from registry.server.streams.connection import UNFRAMED
from registry.server.streams.descriptors import Sink, Source, open_sink, open_source
from registry.server.streams.framing import Fault as Unframed
from registry.server.streams.framing import Framing
from registry.server.streams.messages import Rejection, encode_message, oversized, unframed

__all__ = ["OneClient", "local_principal"]

GRACE = 1.0
"""Seconds, after the end of the input, for requests under way."""

logger = logging.getLogger(__name__)


def local_principal(scopes: Iterable[str]) -> Principal:
    """The user who started this process."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user without an entry
        name = "unknown"
    return Principal(name, tuple(sorted(set(scopes))))


class OneClient:
    """The client at the other end of two descriptors. `serve` it once."""

    def __init__(self, gateway: Gateway, who: Principal) -> None:
        self._gateway = gateway
        self._who = who
        self._framing = Framing(SIZE)
        self._client: Client | None = None
        self._sink: Sink | None = None
        self._source: Source | None = None
        self._is_congested = False
        self._ended = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, source: int, sink: int) -> None:
        """Serve until the client goes, or `stop` is called."""
        self._sink = await open_sink(sink, self)
        self._source = await open_source(source, self)
        gc.collect()
        gc.freeze()
        await self._ended.wait()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)
        self._source.close()
        if self._client is not None:
            await self._client.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)
        await self._sink.close()

    def stop(self) -> None:
        """End as if the client had gone."""
        self._ended.set()

    # what is read

    def received(self, data: bytes) -> None:
        self._framing.feed(data)
        self._take()

    def end(self) -> None:
        self._framing.end()
        self._take()
        self._ended.set()

    def _take(self) -> None:
        while (frame := self._framing.next()) is not None:
            if isinstance(frame, Unframed):
                refused = self._unframed(frame)
                self._refused(f"it is no message: {frame.reason}")
                self._write(encode_message(refused.answer))
                continue
            self._read(frame.text)

    def _unframed(self, frame: Unframed) -> Rejection:
        return (
            oversized(frame.head, SIZE) if frame.reason == "too_large" else unframed(UNFRAMED[frame.reason])
        )

    def _read(self, text: bytes) -> None:
        match read_request(text):
            case Request(id=None) as said:
                self._notified(said)
            case Request() as request:
                self._begin(request)
            case Refusal(answer=b"", id=bytes() as number, reason=reason) if self._client is not None:
                self._write(self._client.refused(number, reason))
            case Refusal() as refusal:
                self._refused(refusal.reason)
                number = refusal.id or b"null"
                self._write(refusal.answer or self._form.error(number, Fault(-32600, refusal.reason)))
            case None:
                logger.debug("a message that calls for no answer was dropped")

    @property
    def _form(self) -> Form:
        return Form(self._gateway.info, is_modern=False) if self._client is None else self._client.form

    def _refused(self, reason: str, method: str = "") -> None:
        self._gateway.forwarding.refused(self._who, method, "", reason)

    def _notified(self, said: Request) -> None:
        if (
            said.method == "notifications/cancelled"
            and self._client is not None
            and "requestId" in said.params
        ):
            try:
                self._client.cancel(key_of(said.params["requestId"]))
            except UnsoundJson:
                logger.debug("a cancelled request has no id that there is")

    def _begin(self, request: Request) -> None:
        assert request.id is not None
        modern = is_modern(request)
        if self._client is None and request.method == "ping":
            self._write(self._form.result(request.id, "ping", b"{}"))
            return
        try:
            if self._client is None:
                self._open(request, modern=modern)
            assert self._client is not None
            if modern != self._client.form.is_modern:
                raise Fault(-32600, "this connection speaks the other generation of the protocol")
            if modern:
                check_modern(request)
        except (Fault, UnsoundJson) as error:
            fault = error if isinstance(error, Fault) else Fault(-32600, str(error))
            self._refused(fault.message, request.method)
            self._write(self._form.error(request.id, fault))
            return
        task = asyncio.get_running_loop().create_task(self._answer(self._client, request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _open(self, request: Request, *, modern: bool) -> None:
        """Begin with the first request. Raises `Fault` for one that cannot be the first."""
        if modern:
            check_modern(request)
        elif request.method != "initialize":
            raise Fault(-32602, "initialize comes first, or `_meta` says the protocol's version")
        key = f"principal:{self._who.name}" if modern else "session:stdio"
        self._client = self._gateway.client(key, self._who, is_modern=modern)
        if not modern:
            self._client.add_outlet(Connection(self._send))

    async def _answer(self, client: Client, request: Request) -> None:
        answer = await client.answer(request, self._send)
        if answer is not None:
            self._write(answer)

    # what is written

    def _send(self, message: bytes) -> None:
        """Send what was not asked for."""
        if not self._is_congested:
            self._write(message)

    def _write(self, message: bytes) -> None:
        if self._sink is None:
            return
        message = on_one_line(message)
        if self._framing.with_headers:
            self._sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(message), message))
        else:
            self._sink.write(message + b"\n")

    def congested(self, is_congested: bool) -> None:
        self._is_congested = is_congested
        if self._source is not None:
            self._source.pause(is_congested)

    def lost(self) -> None:
        self._sink = None
        self._ended.set()
