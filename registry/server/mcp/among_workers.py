"""A server over HTTP as one worker among others: what it passes on to them, asks them, and answers them.

The newer protocol needs none of it: any worker answers any request. A request of a session is answered by the worker that holds
the session (`shared_sessions`), a job is looked for in all, what one server shares is told to those of the same principal. The
state that calls of the newer protocol give their clients between two rounds is sealed by keys that all workers have.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.types import ASGIApp, Receive, Scope, Send

from kleis.decoding import json_decoder
from registry.access.principals import Principal
from registry.server.calls.jobs import EndedJob
from registry.server.contract.group import JobView
from registry.server.mcp.http_access import Refused
from registry.server.mcp.http_sessions import RETRY_SECONDS, SERVER_ERROR, SESSION
from registry.server.mcp.mcp_server import McpServer
from registry.server.mcp.shared_sessions import SharedSessions, ended_session
from registry.server.streams.messages import encode_message, protocol_error
from registry.server.workers.kept_connections import ENDED
from registry.server.workers.links import Gone, Passed, ask, pass_on
from registry.server.workers.member import Member
from registry.server.workers.orders import Relayed

__all__ = ["AmongWorkers", "OfPrincipal"]

WAITING: Final = 20.0
"""Seconds that a request waits for the worker which holds its session to be started again."""

REMEMBERED: Final = 4_096
"""Names of sessions whose seal is not looked at again."""

JOBS: Final = "jobs"
ADOPT: Final = "adopt"
"""Questions to other workers."""

logger = logging.getLogger(__name__)

Answer = Callable[[Any], Awaitable[Any]]


class AmongWorkers:
    """What one process knows of its fellows. Use it from one event loop. `answers` are questions that others may ask besides."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.answers: dict[str, Answer] = {JOBS: self._jobs, ADOPT: self._adopt}
        self._servers: dict[str, McpServer] = {}
        self._adopted: dict[str, list[EndedJob]] = {}
        self._holders: dict[tuple[bytes, str], int] = {}
        self.on_again: Callable[[Principal], None] = lambda principal: None
        member.on_relayed = self._relayed

    def of(self, principal: str) -> OfPrincipal:
        """What the server of a principal needs."""
        return OfPrincipal(self, principal)

    def began(self, principal: str, server: McpServer) -> None:
        """A server of a principal has begun: it gets what is for it."""
        self._servers[principal] = server
        server.adopt_jobs(self._adopted.pop(principal, []))
        for said in self.member.notes.of(principal):
            server.told(said.topic, said.text)

    def ended(self, principal: str, server: McpServer) -> None:
        """A server of a principal has ended."""
        if self._servers.get(principal) is server:
            del self._servers[principal]

    def _relayed(self, said: Relayed) -> None:
        server = self._servers.get(said.principal)
        if server is not None:
            server.told(said.topic, said.text)

    # requests of sessions that others hold

    def elsewhere(self, scope: Scope, headers: Mapping[bytes, bytes], principal: Principal) -> bool:
        """Whether another worker answers this request. Raises `Refused` where its session is that of nobody, or another's."""
        session = headers.get(SESSION)
        version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
        if session is None or version in MODERN_PROTOCOL_VERSIONS:
            return False
        return self._holder(session, principal.name) != self.member.number or self.member.is_leaving

    def _holder(self, session: bytes, principal: str) -> int:
        """The number of the worker that holds a session. A seal that was found good stays so. Raises `Refused`."""
        found = self._holders.get((session, principal))
        if found is None:
            found = self.member.names.holder(session.decode("latin-1"), principal)
            if found is None:
                raise ended_session()
            if len(self._holders) >= REMEMBERED:
                self._holders.clear()
            self._holders[session, principal] = found
        return found

    async def pass_on(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive, send: Send, principal: Principal) -> None:  # fmt: skip
        """Let the holder of the session answer. Raises `Refused`."""
        number = self._holder(headers[SESSION], principal.name)
        body = b""
        if scope["method"] == "POST":
            body = (await receive()).get("body", b"")
        passed = Passed(
            scope["method"], scope["path"], scope.get("scheme", "http"), tuple(scope["headers"]), scope.get("client"), body
        )  # fmt: skip
        until = asyncio.get_running_loop().time() + WAITING
        content_type = b""

        async def watched(message: Any) -> None:
            nonlocal content_type
            if message["type"] == "http.response.start":
                content_type = dict(message["headers"]).get(b"content-type", b"")
            await send(message)

        while True:
            path = self.member.station(number)
            try:
                if path is not None:
                    await pass_on(path, passed, receive, watched)
                    return
            except Gone as gone:
                if gone.has_begun:
                    await _broken(body, content_type if gone.has_answered else None, send)
                    return
            left = until - asyncio.get_running_loop().time()
            if left <= 0:
                retry = (b"retry-after", str(RETRY_SECONDS).encode())
                raise Refused(
                    503, "the worker that holds this session is being started", retry, code=SERVER_ERROR
                )
            await self.member.changed(min(left, 0.25) if path is not None else left)

    # questions

    async def answer(self, what: str, about: Any) -> Any:
        """Answer another worker. Raises LookupError for a question of another version."""
        return await self.answers[what](about)

    async def _jobs(self, about: Any) -> Any:
        principal, asked, number, client = about
        server = self._servers.get(principal)
        if server is None:
            return [] if asked == "all" else None
        if asked == "all":
            return server.jobs.of(client)
        if asked == "cancel":
            return await server.jobs.cancel(number, client)
        job = server.jobs.find(number, client)
        return None if job is None else job.view()

    async def _adopt(self, about: Any) -> None:
        principal, jobs = about
        server = self._servers.get(principal)
        if server is not None:
            server.adopt_jobs(jobs)
        else:
            self._adopted.setdefault(principal, []).extend(jobs)

    async def bequeath(self) -> None:
        """Leave the answers of jobs to the process that has this worker's number now."""
        heir = self.member.station(self.member.number)
        if heir is None or heir == self.member.path:
            return
        for principal, server in tuple(self._servers.items()):
            if jobs := server.jobs.ended():
                try:
                    await ask(heir, ADOPT, (principal, jobs))
                except Gone:
                    logger.error(
                        "the answers of %d jobs are lost: the new process does not answer", len(jobs)
                    )

    # what monitoring asks (`registry.server.monitoring.fellows.Fellows`)

    @property
    def number(self) -> int:
        """Which worker this is."""
        return self.member.number

    @property
    def workers(self) -> int:
        """How many workers there are to be."""
        return self.member.orders.workers

    @property
    def serving(self) -> int:
        """How many take connections now."""
        return self.member.serving

    async def ask_others(self, what: str) -> list[Any]:
        """What each other worker that takes connections answers; one that does not is left out."""
        return [answer for station, answer in await self.member.ask_all(what) if not station.is_leaving]


class OfPrincipal:
    """What the server of one principal shares with those of the same principal in other processes."""

    def __init__(self, among: AmongWorkers, principal: str) -> None:
        self._among = among
        self._principal = principal
        secret = among.member.orders.secret
        self.state_key = hmac.digest(secret, f"state\0{principal}".encode(), hashlib.sha256)
        self.workers = among.member.orders.workers

    def sessions(self, app: ASGIApp) -> SharedSessions:
        """Its sessions here, answered by `app`."""
        return SharedSessions(self._among.member, self._principal, app, lambda who: self._among.on_again(who))

    def began(self, server: McpServer) -> None:
        """Its server here has begun."""
        self._among.began(self._principal, server)

    def ended(self, server: McpServer) -> None:
        """Its server here has ended."""
        self._among.ended(self._principal, server)

    def share(self, topic: str, text: str) -> None:
        """Tell the others something."""
        self._among.member.relay(self._principal, topic, text)

    async def find(self, number: str, client: str) -> JobView | None:
        """A job that another process has."""
        return await self._one("find", number, client)

    async def cancel(self, number: str, client: str) -> JobView | None:
        """Stop a job that another process has."""
        return await self._one("cancel", number, client)

    async def of(self, client: str) -> list[JobView]:
        """A client's jobs in other processes."""
        answers = await self._among.member.ask_all(JOBS, (self._principal, "all", "", client))
        return [job for _, jobs in answers for job in jobs]

    async def _one(self, asked: str, number: str, client: str) -> JobView | None:
        answers = await self._among.member.ask_all(JOBS, (self._principal, asked, number, client))
        return next((job for _, job in answers if job is not None), None)


class _Asked(msgspec.Struct):
    id: Any = None


_ASKED = json_decoder(_Asked)


async def _broken(body: bytes, content_type: bytes | None, send: Send) -> None:
    """End an answer whose worker went away. `content_type`: of the answer, if it has begun."""
    try:
        number = _ASKED.decode(body).id if body else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        number = None
    error = encode_message(protocol_error(number, SERVER_ERROR, ENDED))
    if content_type is None:
        # A client of the protocol reads the error of its request with any status of success, and of no other.
        status = 200 if number is not None else 503
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(error)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": error})
        return
    event = b""
    if number is not None and content_type.startswith(b"text/event-stream"):
        event = b"event: message\r\ndata: " + error + b"\r\n\r\n"
    await send({"type": "http.response.body", "body": event, "more_body": False})
