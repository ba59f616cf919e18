"""What every request over HTTP passes before the SDK sees it (docs/reference/serving.md §3.2).

The head is judged first: the path, who may call, the method, the announced size. Only then is the body read, by our own
reader, so that numbers, nesting and size are rejected as on standard input. The table of sessions of the older protocol
is kept here too: a new client takes the place of the one that has been idle for longest.

Invariants
----------
- Of a request that is refused by its head no byte of the body is kept.
- Without a token a request must name this machine in `Host` and `Origin`, or an origin that was allowed at the start, so
  that no web page can reach the server. With a token every request needs it, but `GET /`, which tells nothing secret.
- The bodies under way hold at most `BODIES` bytes together, small ones not counted. Where that is not enough, the
  longest of those that are still coming is refused, so that a client that sends half of a body keeps nobody out.
- Every refusal is a JSON-RPC error in words.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import msgspec
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.server.calls.stopping import Stopping
from registry.server.streams.messages import (
    INVALID_REQUEST,
    Rejection,
    check_body,
    encode_message,
    protocol_error,
)

__all__ = [
    "BODIES",
    "BODY",
    "NESTING",
    "PATH",
    "SMALL_BODY",
    "TOKEN",
    "Access",
    "Requests",
    "is_local",
]

PATH = "/mcp"

TOKEN = "PIF_HTTP_TOKEN"
"""The environment variable with the secret that callers send as ``Authorization: Bearer …``."""

BODY = 4 * 1024 * 1024
"""Bytes of one request."""

BODIES = 32 * 1024 * 1024
"""Bytes of the requests under way together, but for those of at most `SMALL_BODY` bytes."""

SMALL_BODY = 64 * 1024

NESTING = 180
"""Levels of JSON in a request; the SDK gives up silently a little above. A term that is deeper goes as its text."""

RETRY_SECONDS = 2
"""After which a client that was refused for lack of room is asked to come again."""

METHODS = ("GET", "POST", "DELETE")

_SESSION = b"mcp-session-id"
_SERVER_ERROR = -32000


class Refused(Exception):
    """A request that is answered here: the status, the error in words, and headers."""

    def __init__(
        self, status: int, said: str, *headers: tuple[bytes, bytes], code: int = INVALID_REQUEST
    ) -> None:
        super().__init__(said)
        self.status = status
        self.headers = headers
        self.error = protocol_error(None, code, said)


class Access(msgspec.Struct, frozen=True):
    """Who may call: with `token` whoever has it; without, this machine and web pages of the `origins`."""

    token: str = ""
    origins: tuple[str, ...] = ()

    def check(self, headers: Mapping[bytes, bytes]) -> None:
        """Raises `Refused`."""
        if self.token:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
                said = f"this server needs the token of its {TOKEN}, sent as `Authorization: Bearer …`"
                raise Refused(401, said, (b"www-authenticate", b"Bearer"))
            return
        self.check_names(headers)

    def check_names(self, headers: Mapping[bytes, bytes]) -> None:
        """Whether `Host` and `Origin` are of this machine. Raises `Refused`."""
        if self.token:
            return
        host = headers.get(b"host", b"").decode("latin-1")
        if not _names_this_machine(f"//{host}"):
            raise Refused(421, "`Host` must name this machine, such as 127.0.0.1 or localhost")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and origin not in self.origins and not _is_own_origin(origin):
            raise Refused(403, "pages of this `Origin` may not call; the server's --allow-origin permits one")


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


class _Body:
    """A body while it is held: its bytes, and how to end its reading."""

    def __init__(self, scope: asyncio.Timeout) -> None:
        self.scope = scope
        self.size = 0
        self.is_whole = False
        self.gave_way = False

    @property
    def counts(self) -> int:
        return self.size if self.size > SMALL_BODY else 0


class Bodies:
    """The bodies of all requests under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: set[_Body] = set()

    def hold(self, body: _Body) -> None:
        self._held.add(body)

    def release(self, body: _Body) -> None:
        self._held.discard(body)

    def grown(self, body: _Body) -> None:
        """A body has grown. Where all are too many, the longest unfinished one gives way."""
        if not body.counts or sum(each.counts for each in self._held) <= self._most:
            return
        coming = (each for each in self._held if not each.is_whole and not each.scope.expired())
        longest = max(coming, key=lambda each: each.size, default=None)
        if longest is not None:
            longest.gave_way = True
            longest.size = 0
            longest.scope.reschedule(asyncio.get_running_loop().time())


class Requests:
    """The application that uvicorn calls: what is refused is answered here, the rest by `app`.

    `about` is the answer to `GET /`, `envelope` what the newer protocol adds to a result, `sessions` the most sessions
    of the older protocol, `body_seconds` the most seconds in which a body comes whole.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        stopping: Stopping,
        *,
        about: dict[str, Any],
        envelope: dict[str, Any],
        sessions: int,
        body_seconds: float,
    ) -> None:
        self._app = app
        self._access = access
        self._stopping = stopping
        self._about = about
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

    # bodies

    async def _post(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send) -> None:
        limit = asyncio.timeout(self._body_seconds)
        held = _Body(limit)
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

    async def _read(self, held: _Body, receive: Receive) -> bytes | None:
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

    def _unfinished(self, held: _Body) -> Refused:
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


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _names_this_machine(address: str) -> bool:
    """Whether the host of an address, such as ``//127.0.0.1:8000``, is this machine and nothing else is in it."""
    if not _PLAIN.fullmatch(address):
        return False
    try:
        return is_local((urlsplit(address).hostname or "").lower())
    except ValueError:
        return False


_PLAIN = re.compile(r"(?:https?:)?//(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?")


def _is_own_origin(origin: str) -> bool:
    return origin.startswith("http") and _names_this_machine(origin)


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
    body = encode_message(said)
    fixed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})
