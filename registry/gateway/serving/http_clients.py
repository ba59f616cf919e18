"""The protocol over streamable HTTP: sessions of the older generation, requests that stand alone of the newer.

An answer is JSON; it becomes a stream of events where something is said before it, and the client takes such.  What a header
says of a request is only ever compared with the body, by which the request is judged and sent.

Invariants
    * A session is one principal's, with the scopes that it was opened with: for any other there is no such session.
    * A client that goes away ends its request of the newer generation; one of the older it may not have cancelled.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import msgspec
from starlette.types import Receive, Scope, Send

from kleis.decoding import json_decoder
from kleis.policy.calls import Principal
from registry.gateway.front.client import Client
from registry.gateway.front.forwarding import named_by
from registry.gateway.front.listening import Connection
from registry.gateway.messages.generations import UNSUPPORTED, check_modern
from registry.gateway.messages.replies import HEADER_MISMATCH, METHOD_NOT_FOUND, Fault, Form
from registry.gateway.messages.requests import Refusal, Request, key_of, read_request
from registry.gateway.upstream.parameter_headers import PREFIX
from registry.gateway.upstream.raw_json import UnsoundJson, on_one_line, text_of
from registry.server.mcp.http_access import Refused
from registry.server.streams.generations import MODERN, OLDER

__all__ = ["Clients", "HttpClients", "Refusing"]

SESSIONS = 200
"""Sessions at one time; each has processes of its own."""

PRINCIPALS = 1_000
"""Principals of the newer generation, each by its scopes, that are remembered; those that asked longest ago make room."""

IDLE = 1_800.0
"""Seconds after which a session that nobody uses is ended."""

WAITING = 1_000
"""Messages of one stream that its client has not read; more are dropped."""

PING = 15.0
"""Seconds between two signs of life on a stream."""

_SESSION = b"mcp-session-id"
_VERSION = b"mcp-protocol-version"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_STATUS = {
    -32700: 400,
    -32600: 400,
    -32602: 400,
    HEADER_MISMATCH: 400,
    -32021: 400,
    UNSUPPORTED: 400,
    METHOD_NOT_FOUND: 404,
}

logger = logging.getLogger(__name__)

Clients = Callable[[str, Principal, bool], Client]
"""Makes a client: its key, who it is, whether it is of the newer generation."""

Refusing = Callable[[Principal, str, str, str], None]
"""Told who was refused without being judged: the method, what it names, why."""


class _Session(msgspec.Struct):
    """A session of the older generation."""

    client: Client
    credential: str
    used: float
    streaming: bool = False


class HttpClients:
    """All clients over HTTP. Use it from one event loop."""

    def __init__(self, make: Clients, info: Mapping[str, Any], on_refusal: Refusing) -> None:
        self._make = make
        self._on_refusal = on_refusal
        self._older = Form(info, is_modern=False)
        self._newer = Form(info, is_modern=True)
        self._sessions: dict[str, _Session] = {}
        self._principals: dict[Principal, Client] = {}
        self._calls = 0

    async def answer(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        who: Principal,
        credential: str,
    ) -> None:
        """Answer one request over HTTP. Raises `Refused`."""
        self._calls += 1
        try:
            version = headers.get(_VERSION, b"").decode("latin-1")
            if version == MODERN:
                await self._stand_alone(scope, headers, receive, send, who)
            elif version and version not in OLDER:
                data = {"supported": [MODERN], "requested": version[:100]}
                fault = Fault(UNSUPPORTED, "Unsupported protocol version", data)
                self._on_refusal(who, "", "", f"no protocol is called {version[:40]}")
                said = read_request(await _body(receive)) if scope["method"] == "POST" else None
                number = said.id if isinstance(said, Request) and said.id is not None else b"null"
                await _json(send, self._older.error(number, fault), 400)
            else:
                await self._in_session(scope, headers, receive, send, who, credential)
        finally:
            self._calls -= 1

    @property
    def has_calls(self) -> bool:
        return self._calls > 0

    # ── The newer generation ─────────────────────────────────────────────────────────────────────────────────

    async def _stand_alone(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send, who: Principal
    ) -> None:
        if scope["method"] != "POST":
            raise Refused(405, "the 2026 protocol has POST alone", (b"allow", b"POST"))
        said = read_request(await _body(receive))
        match said:
            case Request(id=None) | None:
                await _empty(send, 202)
            case Refusal(answer=b"", id=bytes() as number, reason=reason):
                client = await self._client_of(who)
                await _json(send, client.refused(number, reason))
            case Refusal():
                self._on_refusal(who, "", "", said.reason)
                await _json(send, said.answer, 400)
            case Request(id=bytes() as number) as request:
                try:
                    _check_headers(request, headers, scope["headers"])
                    check_modern(request)
                except (Fault, UnsoundJson) as error:
                    fault = error if isinstance(error, Fault) else Fault(-32600, str(error))
                    self._on_refusal(who, request.method, named_by(request), fault.message)
                    await _json(send, self._newer.error(number, fault), _STATUS.get(fault.code, 200))
                    return
                request = msgspec.structs.replace(request, headers=_parameters(headers))
                client = await self._client_of(who)
                exchange = _Exchange(send, headers, by_status=True)
                await exchange.run(client, request, _gone(receive), key=object())

    async def _client_of(self, who: Principal) -> Client:
        client = self._principals.pop(who, None)
        if client is None:
            client = self._make(f"principal:{who.name}:{','.join(who.scopes)}", who, True)
        self._principals[who] = client  # the last of them
        if len(self._principals) > PRINCIPALS:
            idle = [name for name, each in self._principals.items() if each.is_idle and name != who]
            if idle:
                await self._principals.pop(idle[0]).close()
        return client

    # ── The older generation ─────────────────────────────────────────────────────────────────────────────────

    async def _in_session(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        who: Principal,
        credential: str,
    ) -> None:
        name = headers.get(_SESSION, b"").decode("latin-1")
        session = self._sessions.get(name)
        if name and (session is None or session.client.who != who):
            self._on_refusal(who, "", "", "there is no such session")
            raise Refused(404, "there is no such session; initialize opens one")
        if session is not None:
            session.used = time.monotonic()
        match scope["method"]:
            case "POST":
                await self._post(await _body(receive), headers, send, session, who, credential)
            case "GET" if session is not None:
                await self._stream(session, headers, receive, send)
            case "DELETE" if session is not None:
                await self._end(name)
                await _empty(send, 200)
            case _:
                raise Refused(400, "this needs the header `Mcp-Session-Id`")

    async def _post(
        self,
        body: bytes,
        headers: Mapping[bytes, bytes],
        send: Send,
        session: _Session | None,
        who: Principal,
        credential: str,
    ) -> None:
        said = read_request(body)
        match said:
            case Request(id=None, method="notifications/cancelled") if session is not None:
                with contextlib.suppress(UnsoundJson):
                    session.client.cancel(key_of(said.params.get("requestId", b"null")))
                await _empty(send, 202)
            case Request(id=None) | None:
                await _empty(send, 202)
            case Refusal(answer=b"", id=bytes() as number, reason=reason) if session is not None:
                await _json(send, session.client.refused(number, reason))
            case Refusal():
                self._on_refusal(who, "", "", said.reason)
                await _json(
                    send,
                    said.answer or self._older.error(said.id or b"null", Fault(-32600, said.reason)),
                    400,
                )
            case Request(method="initialize") as request if session is None:
                await self._open(request, headers, send, who, credential)
            case Request(method="initialize"):
                self._on_refusal(who, "initialize", "", "the session has been initialized")
                raise Refused(400, "this session has been initialized")
            case Request() as request:
                if session is None:
                    self._on_refusal(who, request.method, named_by(request), "it is in no session")
                    raise Refused(400, "this needs the header `Mcp-Session-Id`; initialize opens a session")
                await _Exchange(send, headers).run(session.client, request)

    async def _open(
        self, request: Request, headers: Mapping[bytes, bytes], send: Send, who: Principal, credential: str
    ) -> None:
        await self._make_room()
        name = secrets.token_urlsafe(24)
        client = self._make(f"session:{name}", who, False)
        answer = await client.answer(request, _nowhere)
        if answer is None or b'"result"' not in answer[:200]:
            await client.close()
            await _json(send, answer or b"", 200)
            return
        self._sessions[name] = _Session(client, credential, time.monotonic())
        await _json(send, answer, 200, (_SESSION, name.encode()))

    async def _make_room(self) -> None:
        """End sessions that nobody uses. Raises `Refused` where there are too many others."""
        now = time.monotonic()
        for name in [
            name for name, each in self._sessions.items() if _is_idle(each) and now - each.used > IDLE
        ]:
            await self._end(name)
        if len(self._sessions) < SESSIONS:
            return
        idle = [(each.used, name) for name, each in self._sessions.items() if _is_idle(each)]
        if not idle:
            raise Refused(
                503, "every session has a request or a stream open", (b"retry-after", b"2"), code=-32000
            )
        await self._end(min(idle)[1])

    async def _stream(
        self, session: _Session, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        """The stream of what the server says unasked."""
        if session.streaming:
            raise Refused(409, "this session has a stream open")
        if b"text/event-stream" not in headers.get(b"accept", b""):
            raise Refused(406, "`Accept` must have text/event-stream")
        events = _Events(send)
        gone = asyncio.ensure_future(_gone(receive))
        session.streaming = True
        end = session.client.add_outlet(Connection(events.put))
        try:
            await events.begin()
            await events.until(gone, session.client.ended)
        finally:
            session.streaming = False
            end()
            gone.cancel()
        await events.end()

    async def _end(self, name: str) -> None:
        session = self._sessions.pop(name, None)
        if session is not None:
            await session.client.close()

    async def end_sessions_of(self, credential: str) -> None:
        """End the sessions that were opened with a credential which is not valid any more."""
        for name in [name for name, each in self._sessions.items() if each.credential == credential]:
            await self._end(name)

    def end_streams(self) -> None:
        """End what clients listen to."""
        for each in (*(each.client for each in self._sessions.values()), *self._principals.values()):
            each.end_streams()

    async def close(self) -> None:
        for name in list(self._sessions):
            await self._end(name)
        for client in self._principals.values():
            await client.close()


def _is_idle(session: _Session) -> bool:
    return not session.streaming and session.client.is_idle


class _Exchange:
    """One request and its answer. `by_status`: errors have a status of HTTP."""

    def __init__(self, send: Send, headers: Mapping[bytes, bytes], *, by_status: bool = False) -> None:
        self._send = send
        accept = headers.get(b"accept", b"*/*")
        self._may_stream = b"text/event-stream" in accept or b"*/*" in accept
        self._by_status = by_status

    async def run(
        self, client: Client, request: Request, gone: Awaitable[None] | None = None, key: object = None
    ) -> None:
        """Answer a request; when the client is `gone` it is cancelled."""
        events = _Events(self._send)
        task = asyncio.ensure_future(
            client.answer(request, events.put if self._may_stream else _nowhere, key=key)
        )
        left = asyncio.ensure_future(gone) if gone is not None else None
        try:
            while not task.done() and not (left is not None and left.done()):
                arrived = asyncio.ensure_future(events.arrived.wait())
                waiting: list[asyncio.Future[Any]] = [task, arrived]
                if left is not None:
                    waiting.append(left)
                await asyncio.wait(waiting, timeout=PING, return_when=asyncio.FIRST_COMPLETED)
                arrived.cancel()
                if not task.done() and self._may_stream:
                    await events.flush()
            if not task.done():
                return
            answer = task.result()
        finally:
            task.cancel()
            if left is not None:
                left.cancel()
        if events.has_begun or events.arrived.is_set():
            if answer is not None:
                events.put(answer)
            await events.flush()
            await events.end()
        elif answer is None:
            await _empty(self._send, 202)
        else:
            await _json(self._send, answer, _status(answer) if self._by_status else 200)


class _Events:
    """A stream of events: begun with the first message, or when nothing has been said for a while."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._messages: list[bytes] = []
        self.arrived = asyncio.Event()
        self.has_begun = False

    def put(self, message: bytes) -> None:
        if len(self._messages) < WAITING:
            self._messages.append(message)
            self.arrived.set()

    async def begin(self) -> None:
        if not self.has_begun:
            self.has_begun = True
            fields = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
            await self._send({"type": "http.response.start", "status": 200, "headers": fields})
            await self._send({"type": "http.response.body", "body": b"", "more_body": True})

    async def flush(self) -> None:
        """Send what waits, or a sign of life."""
        await self.begin()
        messages, self._messages = self._messages, []
        self.arrived.clear()
        body = b"".join(b"event: message\r\ndata: %b\r\n\r\n" % on_one_line(each) for each in messages)
        await self._send({"type": "http.response.body", "body": body or b": \r\n\r\n", "more_body": True})

    async def until(self, gone: asyncio.Future[None], ended: asyncio.Event) -> None:
        """Send what comes until the client is gone, or all is over."""
        over = asyncio.ensure_future(ended.wait())
        try:
            while not gone.done() and not over.done():
                arrived = asyncio.ensure_future(self.arrived.wait())
                waiting: list[asyncio.Future[Any]] = [gone, over, arrived]
                await asyncio.wait(waiting, timeout=PING, return_when=asyncio.FIRST_COMPLETED)
                arrived.cancel()
                if not gone.done():
                    await self.flush()
        finally:
            over.cancel()

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _check_headers(
    request: Request, headers: Mapping[bytes, bytes], lines: Iterable[tuple[bytes, bytes]]
) -> None:
    """Raise `Fault` where headers say something else than the body, which is what is judged and sent.

    `lines`: all of them, one of which may stand twice.
    """
    names = [name for name, _ in lines if name.startswith(b"mcp-")]
    if len(set(names)) != len(names):
        raise Fault(HEADER_MISMATCH, "a header of the protocol stands twice")
    if headers.get(b"mcp-method", b"").decode("latin-1") != request.method:
        raise Fault(HEADER_MISMATCH, "the header Mcp-Method does not match the method of the body")
    version = request.meta.get("io.modelcontextprotocol/protocolVersion")
    if version is not None and text_of(version) != MODERN:  # without it the body is at fault
        raise Fault(HEADER_MISMATCH, "the header MCP-Protocol-Version does not match `_meta` of the body")
    name = _NAMED.get(request.method)
    if name is None or name not in request.params:
        return
    if _decoded(headers.get(b"mcp-name", b"")) != text_of(request.params[name]):
        raise Fault(HEADER_MISMATCH, f"the header Mcp-Name does not match `{name}` of the body")


def _decoded(value: bytes) -> str | None:
    """The value of a header that may be written in base64."""
    if value.startswith(b"=?base64?") and value.endswith(b"?="):
        try:
            return base64.b64decode(value[9:-2], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return None
    return value.decode("latin-1")


def _parameters(headers: Mapping[bytes, bytes]) -> dict[str, str | None]:
    """What headers repeat of arguments."""
    start = PREFIX.encode()
    return {
        name.decode("latin-1"): _decoded(each) for name, each in headers.items() if name.startswith(start)
    }


def _status(answer: bytes) -> int:
    """The status of an answer that is an error."""
    found = _ERRORS.decode(answer).error
    return 200 if found is None else _STATUS.get(found.code, 200)


class _Error(msgspec.Struct):
    code: int = 0


class _Answered(msgspec.Struct):
    error: _Error | None = None


_ERRORS = json_decoder(_Answered)


async def _body(receive: Receive) -> bytes:
    """The body, which has been read and judged before (`registry.server.mcp.http_requests`)."""
    message = await receive()
    return bytes(message.get("body", b""))


async def _gone(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _nowhere(message: bytes) -> None:
    """What a client does not take is dropped."""


async def _json(send: Send, body: bytes, status: int = 200, *headers: tuple[bytes, bytes]) -> None:
    fixed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})


async def _empty(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
