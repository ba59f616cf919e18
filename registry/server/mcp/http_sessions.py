"""The door to one principal's server: its sessions of the older protocol, and what of it is under way.

Invariants
----------
- A session is known behind one door only: at another its id is one that nobody has.
- A new client takes the place of the session that has been idle for longest; one with a request under way keeps its place.
- A session ends with the token that opened it; one of an authorization server's subject with the last that was used in it, since
  such tokens are renewed every few minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.server.mcp.http_access import Refused

__all__ = ["PATH", "RETRY_SECONDS", "SERVER_ERROR", "SESSION", "Door", "Sessions"]

PATH = "/mcp"

RETRY_SECONDS = 2
"""After which a client that was refused for lack of room is asked to come again."""

SERVER_ERROR = -32000

SESSION = b"mcp-session-id"


class Sessions:
    """Sessions of the older protocol: how many requests of each are under way, the longest idle one first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._under_way: dict[bytes, int] = {}

    @property
    def is_full(self) -> bool:
        return len(self._under_way) >= self._most

    def __iter__(self) -> Iterator[bytes]:
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


class Door:
    """What a request passes last: `app` answers it, and which session it was is seen. `sessions`: the most at one time."""

    def __init__(self, app: ASGIApp, sessions: int) -> None:
        self._app = app
        self._sessions = Sessions(sessions)
        self._openers: dict[bytes, str] = {}
        self._calls: set[asyncio.Task[Any]] = set()
        self.requests = 0

    @property
    def is_idle(self) -> bool:
        """Whether no request and no stream is open."""
        return self.requests == 0

    async def answer(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send, credential: str = ""
    ) -> None:
        """Let the server answer. `credential`: the id of the token that let the request in. Raises `Refused`."""
        self.requests += 1
        try:
            session = headers.get(SESSION)
            if session is None:
                await self._open(scope, headers, receive, send, credential)
            else:
                await self._continue(session, scope, receive, send, credential)
        finally:
            self.requests -= 1

    async def _continue(
        self, session: bytes, scope: Scope, receive: Receive, send: Send, credential: str
    ) -> None:
        gone = False

        async def watched(message: Message) -> None:
            nonlocal gone
            if message["type"] == "http.response.start":
                gone = message["status"] == 404 or (scope["method"] == "DELETE" and message["status"] < 400)
                if is_renewed and message["status"] < 400:
                    self._openers[session] = credential
            await send(message)

        self._sessions.begin(session)
        is_renewed = "user" in scope and self._openers.get(session, credential) != credential
        try:
            await self._answer(scope, receive, watched)
        finally:
            self._sessions.end(session)
            if gone:
                self._forget(session)

    async def _open(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send, credential: str
    ) -> None:
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
                raise Refused(503, said, retry, code=SERVER_ERROR)
            await self.end_session(idle)
        opened: bytes | None = None

        async def watched(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = dict(message["headers"]).get(SESSION)
                if opened is not None:
                    self._sessions.open(opened)
                    self._sessions.begin(opened)
                    self._openers[opened] = credential
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

    def _forget(self, session: bytes) -> None:
        self._sessions.forget(session)
        self._openers.pop(session, None)

    async def end_session(self, session: bytes) -> None:
        """End a session as its client would, which closes its streams."""
        self._forget(session)
        scope = {
            "type": "http", "http_version": "1.1", "method": "DELETE", "scheme": "http", "path": PATH,
            "raw_path": PATH.encode(), "query_string": b"", "root_path": "", "client": None, "server": None,
            "headers": [(SESSION, session)],
        }  # fmt: skip
        await self._app(scope, _gone, _nowhere)

    async def end_sessions_of(self, credential: str) -> None:
        """End the sessions that a token opened, with the calls that run in them."""
        for session in [each for each, opener in self._openers.items() if opener == credential]:
            await self.end_session(session)

    async def finish(self, seconds: float) -> None:
        """Wait until every call is answered, for so many seconds at most; then end the sessions and their streams."""
        if self._calls:
            await asyncio.wait(tuple(self._calls), timeout=seconds)
        for session in self._sessions:
            await self.end_session(session)


async def _gone() -> Message:
    return {"type": "http.disconnect"}


async def _nowhere(message: Message) -> None:
    """What is sent to nobody."""
