"""What every request over HTTP passes before the SDK sees it (docs/reference/serving.md §3.2).

The head is judged first: the path, who may call, the method, the announced size. Only then is the body read, by our own
reader, so that numbers, nesting and size are rejected as on standard input. The table of sessions of the older protocol
is kept here too: a new client takes the place of the one that has been idle for longest.

Invariants
----------
- Of a request that is refused by its head no byte of the body is kept.
- Who may call is judged for every request (`http_access`), but for `GET /` and the open pages, which tell nothing secret.
- The bodies under way hold at most `BODIES` bytes together, small ones not counted. Where that is not enough, the
  longest of those that are still coming is refused, so that a client that sends half of a body keeps nobody out.
- Every refusal is a JSON-RPC error in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.server.calls.stopping import Stopping
from registry.server.contract.page import Page
from registry.server.mcp.http_access import Access, Refused
from registry.server.mcp.http_bodies import BODIES, Bodies, HeldBody
from registry.server.streams.messages import (
    Rejection,
    check_body,
    encode_message,
)

__all__ = ["BODY", "METHODS", "NESTING", "PATH", "Requests"]

PATH = "/mcp"

BODY = 4 * 1024 * 1024
"""Bytes of one request."""

NESTING = 180
"""Levels of JSON in a request; the SDK gives up silently a little above. A term that is deeper goes as its text."""

RETRY_SECONDS = 2
"""After which a client that was refused for lack of room is asked to come again."""

METHODS = ("GET", "POST", "DELETE")

_SESSION = b"mcp-session-id"
_SERVER_ERROR = -32000


class Sessions:
    """Sessions of the older protocol: how many requests of each are under way, the longest idle one first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way: dict[bytes, int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._under_way) >= self._most

    def __iter__(self) -> Any:
        return iter(tuple(self._under_way))

    def begin(self, session: bytes) -> None:
        """A request of a session begins."""
        if session in self._under_way:
            self._under_way[session] += 1

    def end(self, session: bytes) -> None:
        """It has ended: the session is the last that was used."""
        if session in self._under_way:
            self._under_way[session] = self._under_way.pop(session) - 1

    def open(self, session: bytes) -> None:
        """A session was opened."""
        self._under_way.setdefault(session, 0)

    def forget(self, session: bytes) -> None:
        """A session has ended."""
        self._under_way.pop(session, None)

    def longest_idle(self) -> bytes | None:
        """The session to close for a new one; None where all have a request or a stream open."""
        return next((session for session, count in self._under_way.items() if count == 0), None)


class Requests:
    """The application that uvicorn calls: what is refused is answered here, the rest by `app`.

    `about` is the answer to `GET /`, `pages` are there beside MCP, `envelope` what the newer protocol adds to a result, `sessions` the most sessions
    of the older protocol, `body_seconds` the most seconds in which a body comes whole.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        stopping: Stopping,
        *,
        about: dict[str, Any],
        pages: Sequence[Page] = (),
        envelope: dict[str, Any],
        sessions: int,
        body_seconds: float,
    ) -> None:
        self._app = app
        self._access = access
        self._stopping = stopping
        self._about = about
        self._pages = {page.path: page for page in pages}
        self._envelope = envelope
        self._body_seconds = body_seconds
        self._sessions = Sessions(sessions)
        self._bodies = Bodies(BODIES)
        self._calls: set[asyncio.Task[Any]] = set()

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
            self._check_head(scope, headers)
            if scope["method"] == "POST":
                await self._post(scope, headers, receive, send)
            else:
                await self._hand_on(scope, headers, receive, send)
        except Refused as refused:
            # A client that waits for "100 Continue" will not send its body, and what follows would be taken for it.
            awaited = any(name == b"expect" for name, _ in scope["headers"])
            closing = ((b"connection", b"close"),) if awaited else ()
            await _send(send, refused.status, refused.error, *refused.headers, *closing)
        except asyncio.CancelledError:
            if not self._stopping.has_begun:
                raise

    # heads

    def _check_head(self, scope: Scope, headers: Mapping[bytes, bytes]) -> None:
        """Raises `Refused` for what cannot be answered, whatever its body."""
        self._access.check(headers)
        if scope["path"] != PATH:
            raise Refused(404, f"there is nothing here; MCP is served at {PATH}")
        method = scope["method"]
        if method not in METHODS:
            allowed = ", ".join(METHODS)
            raise Refused(405, f"{method[:20]} is not a method of {PATH}", (b"allow", allowed.encode()))
        if self._stopping.has_begun:
            raise Refused(503, "the server is being stopped", (b"connection", b"close"), code=_SERVER_ERROR)
        if method == "GET" and b"last-event-id" in headers:
            said = "this server keeps no events to resume from: open the stream without Last-Event-ID"
            raise Refused(400, said)
        if method != "POST":
            return
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if kind != b"application/json":
            raise Refused(415, "`Content-Type` must be application/json")
        length = headers.get(b"content-length", b"0")
        if int(length) > BODY:  # h11 has seen that it is a number
            raise _too_long()

    async def _describe(self, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        """Answer `GET /`: what this is."""
        self._access.check_names(headers)
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, f"MCP is served at {PATH}", (b"allow", b"GET, HEAD"))
        await _send(send, 200, self._about)

    async def _show(self, page: Page, scope: Scope, headers: Mapping[bytes, bytes], send: Send) -> None:
        """Answer `GET` of a page beside MCP. Supervisors and balancers ask for an address of this machine, so that an open
        page needs no name of it in `Host`: it says nothing that a web page could use, and its `Origin` cannot read it."""
        if not page.is_open:
            self._access.check(headers)
        if scope["method"] not in ("GET", "HEAD"):
            raise Refused(405, f"{page.path} is read with GET", (b"allow", b"GET, HEAD"))
        found = await page.answer()
        await _send_bytes(send, found.status, found.content_type, found.body)

    # bodies

    async def _post(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send) -> None:
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
            replay = _again(body, receive)
            del body
            await self._hand_on(scope, headers, replay, _joined(send))
        finally:
            self._bodies.release(held)

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
            return Refused(503, said, retry, code=_SERVER_ERROR)
        said = f"a body must be whole within {self._body_seconds:g} s"
        return Refused(408, said, (b"connection", b"close"))

    async def _reject(self, rejected: Rejection, headers: Mapping[bytes, bytes], send: Send) -> None:
        is_modern = headers.get(b"mcp-protocol-version", b"").decode("latin-1") in MODERN_PROTOCOL_VERSIONS
        answer = rejected.with_envelope(self._envelope if is_modern else {})
        await _send(send, 200 if "result" in answer else 400, answer)

    # sessions

    async def _hand_on(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send
    ) -> None:
        """Let the SDK answer, and see which session that was."""
        session = headers.get(_SESSION)
        if session is None:
            await self._open(scope, headers, receive, send)
            return
        gone = False

        async def watched(message: Message) -> None:
            nonlocal gone
            if message["type"] == "http.response.start":
                gone = message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 400)
            await send(message)

        self._sessions.begin(session)
        try:
            await self._answer(scope, receive, watched)
        finally:
            self._sessions.end(session)
            if gone:
                self._sessions.forget(session)

    async def _open(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send) -> None:
        """A request without a session: of the newer protocol, or one that opens a session."""
        version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
        if scope["method"] != "POST" or version in MODERN_PROTOCOL_VERSIONS:
            await self._answer(scope, receive, send)
            return
        if self._sessions.is_full:
            idle = self._sessions.longest_idle()
            if idle is None:
                said = "every session has a request or a stream open"
                retry = (b"retry-after", str(RETRY_SECONDS).encode())
                raise Refused(503, said, retry, code=_SERVER_ERROR)
            await self._end_session(idle)
        opened: bytes | None = None

        async def watched(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = dict(message["headers"]).get(_SESSION)
                if opened is not None:
                    self._sessions.open(opened)
                    self._sessions.begin(opened)
            await send(message)

        try:
            await self._answer(scope, receive, watched)
        finally:
            if opened is not None:
                self._sessions.end(opened)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        if task is not None and scope["method"] == "POST":
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
        await self._app(scope, receive, send)

    async def _end_session(self, session: bytes) -> None:
        """End a session as its client would, which closes its streams."""
        self._sessions.forget(session)
        scope = {
            "type": "http", "http_version": "1.1", "method": "DELETE", "scheme": "http", "path": PATH,
            "raw_path": PATH.encode(), "query_string": b"", "root_path": "", "client": None, "server": None,
            "headers": [(_SESSION, session)],
        }  # fmt: skip
        await self._app(scope, _gone, _nowhere)

    async def finish(self, seconds: float) -> None:
        """Wait until every call is answered, for so many seconds at most; then end the sessions and their streams."""
        if self._calls:
            await asyncio.wait(tuple(self._calls), timeout=seconds)
        for session in self._sessions:
            await self._end_session(session)


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
     b"last-event-id", _SESSION)
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


async def _gone() -> Message:
    return {"type": "http.disconnect"}


async def _nowhere(message: Message) -> None:
    """What is sent to nobody."""


async def _send(send: Send, status: int, said: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    await _send_bytes(send, status, "application/json", encode_message(said), *headers)


async def _send_bytes(
    send: Send, status: int, content_type: str, body: bytes, *headers: tuple[bytes, bytes]
) -> None:
    fixed = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})
