"""What every request over HTTP passes before the SDK sees it (docs/reference/serving.md §3.2).

The head is judged first: the path, who may call, the method, the announced size. Only then is the body read, by our own
reader, so that numbers, nesting and size are rejected as on standard input; and only then is the server of its principal
looked for (`principal_servers`).

Invariants
----------
- Of a request that is refused by its head no byte of the body is kept.
- Who may call is judged for every request (`http_access`), but for `GET /`, the open pages, and the document that leads to the
  authorization server, which tell nothing secret.
- The bodies under way hold at most `BODIES` bytes together, small ones not counted. Where that is not enough, the
  longest of those that are still coming is refused, so that a client that sends half of a body keeps nobody out.
- Every refusal is a JSON-RPC error in words.
- A token that is revoked or expires while a request or a stream of it is open ends that within a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import Message, Receive, Scope, Send

from kleis.decoding import json_decoder
from registry.access.access_tokens import OAuthPrincipal
from registry.access.principals import Principal
from registry.access.required_scopes import METRICS
from registry.access.verifier import insufficient, revoked
from registry.server.calls.stopping import Stopping
from registry.server.contract.page import Page
from registry.server.mcp.among_workers import AmongWorkers
from registry.server.mcp.http_access import CONNECTION, Access, Refused
from registry.server.mcp.http_bodies import BODIES, BODY, SMALL_BODY, Bodies, HeldBody
from registry.server.mcp.http_sessions import PATH, RETRY_SECONDS, SERVER_ERROR, SESSION
from registry.server.mcp.oauth import sdk_user
from registry.server.streams.messages import (
    Rejection,
    check_body,
    encode_message,
)

__all__ = ["BODY", "METHODS", "NESTING", "PATH", "Answering", "Requests", "Scoped", "Served", "Servers"]

NESTING = 180
"""Levels of JSON in a request; the SDK gives up silently a little above. A term that is deeper goes as its text."""

METHODS = ("GET", "POST", "DELETE")


class Scoped(Protocol):
    """Who knows which scope a request needs; None where every principal may make it."""

    def required_scope(self, method: str, params: Any) -> str | None: ...


class Answering(Protocol):
    """Who answers what was let in."""

    async def answer(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        credential: str = "",
        /,
    ) -> None: ...


class Served(Protocol):
    """What serves one principal."""

    @property
    def server(self) -> Scoped: ...

    @property
    def door(self) -> Answering: ...


class Servers(Protocol):
    """What serves all principals: `principal_servers`, or the gateway."""

    async def of(self, principal: Principal) -> Served:
        """What serves a principal. Raises `Refused`."""

    async def end_sessions_of(self, principal: Principal) -> None:
        """End the sessions that were opened with a token which is not valid any more."""


class Requests:
    """The application that uvicorn calls: what is refused is answered here, the rest by the server of the principal.

    `about` is the answer to `GET /`, `pages` are there beside MCP, `envelope` what the newer protocol adds to a result,
    `body_seconds` the most seconds in which a body comes whole.
    """

    def __init__(
        self,
        servers: Servers,
        access: Access,
        stopping: Stopping,
        *,
        about: dict[str, Any],
        pages: Sequence[Page] = (),
        envelope: dict[str, Any],
        body_seconds: float,
        among: AmongWorkers | None = None,
    ) -> None:
        """`among`: the other workers, where there are any."""
        self._among = among
        self._servers = servers
        self._access = access
        self._stopping = stopping
        self._about = about
        self._pages = {page.path: page for page in pages}
        self._documents = {} if access.resource is None else access.resource.routes
        self._envelope = envelope
        self._body_seconds = body_seconds
        self._admitted: dict[asyncio.Task[Any], _Guarded] = {}
        self._credentials: set[Principal] = set()
        workers = 1 if among is None else among.member.orders.workers
        self._bodies = Bodies(BODIES if workers == 1 else max(2 * BODY, BODIES // workers))
        if among is not None:
            among.on_again = self._credentials.add

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            headers = _single_headers(scope)
            if scope["path"] == "/":
                await self._describe(scope, headers, send)
                return
            if scope["path"] in self._pages:
                await self._show(self._pages[scope["path"]], scope, headers, send)
                return
            if scope["path"] in self._documents:
                await self._documents[scope["path"]].handle(scope, receive, send)
                return
            principal = await self._check_head(scope, headers)
            self._credentials.add(principal)
            if scope["method"] == "POST":
                await self._post(scope, headers, receive, send, principal)
            else:
                await self._hand_on(scope, headers, receive, send, principal)
        except Refused as refused:
            await _refuse(refused, scope, send)
        except asyncio.CancelledError:
            if not self._stopping.has_begun:
                raise

    async def passed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that another worker has passed on: its body is whole and sound. Who calls is judged again."""
        try:
            headers = _single_headers(scope)
            principal = await self._check_head(scope, headers)
            self._credentials.add(principal)
            body = None
            if scope["method"] == "POST" and not principal.may_do_all:
                body = (await receive()).get("body", b"")
                receive = _again(body, receive)
            await self._answer_here(scope, headers, receive, _joined(send), principal, body)
        except Refused as refused:
            await _refuse(refused, scope, send)

    # heads

    async def _check_head(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Principal:
        """Who calls. Raises `Refused` for what cannot be answered, whatever its body."""
        principal = await self._access.check(headers)
        if scope["path"] != PATH:
            raise Refused(404, f"there is nothing here; MCP is served at {PATH}")
        method = scope["method"]
        if method not in METHODS:
            allowed = ", ".join(METHODS)
            raise Refused(405, f"{method[:20]} is not a method of {PATH}", (b"allow", allowed.encode()))
        if self._stopping.has_begun:
            raise Refused(503, "the server is being stopped", (b"connection", b"close"), code=SERVER_ERROR)
        if method == "GET" and b"last-event-id" in headers:
            said = "this server keeps no events to resume from: open the stream without Last-Event-ID"
            raise Refused(400, said)
        if method != "POST":
            return principal
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind != b"application/json":
            raise Refused(415, "`Content-Type` must be application/json")
        length = headers.get(b"content-length", b"0")
        if int(length) > BODY:  # h11 has seen that it is a number
            raise _too_long()
        return principal

    async def _describe(self, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        """Answer `GET /`: what this is."""
        self._access.check_names(headers)
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, f"MCP is served at {PATH}", (b"allow", b"GET, HEAD"))
        authorization = "none: this machine only" if self._access.verifier.is_open else "Bearer"
        resource = self._access.resource
        where = {} if resource is None else {"resource_metadata": resource.metadata_url}
        await _send(send, 200, {**self._about, "authorization": authorization, **where})

    async def _show(self, page: Page, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        """Answer `GET` of a page beside MCP. Supervisors and balancers ask for an address of this machine, so that an open
        page needs no name of it in `Host`: it says nothing that a web page could use, and its `Origin` cannot read it. Where names
        are looked at in any case, they are looked at here too."""
        if self._access.always_names:
            self._access.check_names(headers)
        if not page.is_open and not (await self._access.check(headers)).may(METRICS):
            raise self._access.refusal(insufficient(METRICS))
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, f"{page.path} is read with GET", (b"allow", b"GET, HEAD"))
        found = await page.answer()
        headers_of_it = [(name.encode(), value.encode()) for name, value in found.headers]
        await _send_bytes(send, found.status, found.content_type, found.body, *headers_of_it)

    # bodies

    async def _post(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        principal: Principal,
    ) -> None:
        limit = asyncio.timeout(self._body_seconds)
        held = HeldBody(limit)
        self._bodies.hold(held)
        try:
            try:
                async with limit:
                    body = await self._read(held, receive)
            except TimeoutError:
                raise self._unfinished(held) from None
            if body is None:
                return  # the caller has gone
            rejected = check_body(body, NESTING)
            if rejected is not None:
                await self._reject(rejected, headers, send)
                return
            self._say_id(scope, body)
            replay = _again(body, receive)
            judged = None if principal.may_do_all else body
            del body
            await self._hand_on(scope, headers, replay, _joined(send), principal, judged)
        finally:
            self._bodies.release(held)

    def _say_id(self, scope: Scope, body: bytes) -> None:
        """Let the connection know which request is under way on it, for whoever answers if this process cannot."""
        connection = (scope.get("state") or {}).get(CONNECTION)
        if self._among is None or connection is None or len(body) > SMALL_BODY:
            return
        try:
            connection.asked(bytes(_NUMBERED.decode(body).id))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            connection.asked()

    async def _read(self, held: HeldBody, receive: Receive) -> bytes | None:
        """The body; None if the caller went away before it was whole. Raises `Refused`, and TimeoutError by its scope."""
        parts: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            held.is_whole = not message.get("more_body", False)
            held.size += len(part)
            if held.size > BODY:
                raise _too_long()
            parts.append(part)
            if held.is_whole:
                return b"".join(parts)
            self._bodies.grown(held)

    def _unfinished(self, held: HeldBody) -> Refused:
        if held.gave_way:
            said = f"requests of more than {BODIES:,} bytes are under way"
            retry = (b"retry-after", str(RETRY_SECONDS).encode())
            return Refused(503, said, retry, code=SERVER_ERROR)
        said = f"a body must be whole within {self._body_seconds:g} s"
        return Refused(408, said, (b"connection", b"close"))

    async def _reject(self, rejected: Rejection, headers: Mapping[bytes, bytes], send: Send) -> None:
        is_modern = headers.get(b"mcp-protocol-version", b"").decode("latin-1") in MODERN_PROTOCOL_VERSIONS
        answer = rejected.with_envelope(self._envelope if is_modern else {})
        await _send(send, 200 if "result" in answer else 400, answer)

    # principals

    async def _hand_on(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        principal: Principal,
        body: bytes | None = None,
    ) -> None:
        """Let the principal's server answer, here or where the session is."""
        if self._among is None or not self._among.elsewhere(scope, headers, principal):
            await self._answer_here(scope, headers, receive, send, principal, body)
            return
        among = self._among

        async def pass_on(guarded: Send) -> None:
            await among.pass_on(scope, headers, receive, guarded, principal)

        await self._guarded(principal, scope, send, pass_on)

    async def _answer_here(
        self,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
        principal: Principal,
        body: bytes | None = None,
    ) -> None:
        serving = await self._servers.of(principal)
        if body is not None and not principal.may_do_all:
            self._check_scope(serving.server, principal, body)
        if (
            principal.credential
        ):  # else it is the owner, whose connections and sessions take turns by themselves
            scope["state"] = {**(scope.get("state") or {}), "principal": principal}
        if isinstance(principal, OAuthPrincipal):
            scope["user"] = sdk_user(principal)

        async def answer(guarded: Send) -> None:
            await serving.door.answer(scope, headers, receive, guarded, principal.credential)

        await self._guarded(principal, scope, send, answer)

    async def _guarded(
        self, principal: Principal, scope: Scope, send: Send, answer: Callable[[Send], Awaitable[None]]
    ) -> None:
        """Let a request be answered as long as what let it in is valid."""
        connection = (scope.get("state") or {}).get(CONNECTION)
        guarded = _Guarded(principal, send, self._access, connection)
        task = asyncio.current_task()
        assert task is not None  # uvicorn makes one for each request
        self._admitted[task] = guarded
        try:
            await answer(guarded.send)
        except asyncio.CancelledError:
            if not guarded.is_ended:
                raise
            await guarded.finish()
        finally:
            del self._admitted[task]

    def _check_scope(self, server: Scoped, principal: Principal, body: bytes) -> None:
        """Refuse what needs a scope that the caller has not, as the authorization of MCP asks: by a status and a challenge.

        The server judges again by what it reads itself (`McpServer`); what cannot be read here is left to it.
        """
        try:
            asked = _ASKED.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        if not isinstance(asked.method, str):
            return
        needed = server.required_scope(asked.method, asked.params)
        if needed is not None and not principal.may(needed):
            raise self._access.refusal(insufficient(needed))

    async def end_revoked(self) -> None:
        """End the requests, streams and sessions of tokens that are not valid any more."""
        access = self._access
        ended: dict[Principal, bool] = {}
        for task, guarded in tuple(self._admitted.items()):
            principal = guarded.principal
            if principal not in ended:
                ended[principal] = not access.still_valid(principal)
            if ended[principal] and not guarded.is_ended:
                guarded.is_ended = True
                task.cancel()
        for principal in self._credentials.copy():
            if not access.still_valid(principal):
                self._credentials.discard(principal)
                await self._servers.end_sessions_of(principal)


class _Numbered(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw(b"")


_NUMBERED = json_decoder(_Numbered)


class _Asked(msgspec.Struct):
    method: Any = None
    params: Any = None


_ASKED = json_decoder(_Asked)


class _Guarded:
    """A request that was let in, and how it ends where that is taken back."""

    def __init__(self, principal: Principal, send: Send, access: Access, connection: Any = None) -> None:
        """`connection`: is told of a stream of events."""
        self.principal = principal
        self._access = access
        self.is_ended = False
        self._connection = connection
        self._send = send
        self._has_begun = False

    async def send(self, message: Message) -> None:
        """Send a part of the answer; nothing once it was ended."""
        if not self.is_ended:
            if self._connection is not None and message["type"] == "http.response.start":
                kind = next(
                    (value for name, value in message["headers"] if name.lower() == b"content-type"), b""
                )
                if kind.startswith(b"text/event-stream"):
                    self._connection.streaming()
            self._has_begun = True
            await self._send(message)

    async def finish(self) -> None:
        """End the answer: a stream ends, what was not answered is refused."""
        if self._has_begun:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        refused = self._access.refusal(revoked())
        await _send(self._send, refused.status, refused.error, *refused.headers)


def _single_headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name. Raises `Refused` where one that decides something stands twice."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in found and name in _DECIDING:
            raise Refused(400, f"the header {name.decode()} stands twice")
        found[name] = value
    return found


_DECIDING = frozenset(
    (b"host", b"origin", b"authorization", b"content-type", b"content-length", b"mcp-protocol-version",
     b"last-event-id", SESSION)
)  # fmt: skip


def _too_long() -> Refused:
    return Refused(413, f"a request has at most {BODY:,} bytes")


def _again(body: bytes, receive: Receive) -> Receive:
    """The same body once more, then what comes after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


def _joined(send: Send) -> Send:
    """Sends the head of an answer with the first of its body: one packet, and one call of the system less."""
    held: list[Message] = []

    async def join(message: Message) -> None:
        if message["type"] == "http.response.start":
            held.append(message)
            return
        while held:
            await send(held.pop())
        await send(message)

    return join


async def _refuse(refused: Refused, scope: Scope, send: Send) -> None:
    """Answer that a request is refused."""
    # A client that waits for "100 Continue" will not send its body, and what follows would be taken for it.
    awaited = any(name == b"expect" for name, _ in scope["headers"])
    closing = ((b"connection", b"close"),) if awaited else ()
    await _send(send, refused.status, refused.error, *refused.headers, *closing)


async def _send(send: Send, status: int, said: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    await _send_bytes(send, status, "application/json", encode_message(said), *headers)


async def _send_bytes(
    send: Send, status: int, content_type: str, body: bytes, *headers: tuple[bytes, bytes]
) -> None:
    fixed = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})
