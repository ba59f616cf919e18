"""Sessions of the older protocol where many workers serve them: found from each, and made again after the end of a process.

Outside a session has a name that says which worker holds it (`registry.server.workers.session_names`); the protocol library knows
it by one of its own. What the holder needs to make it again is kept by the supervisor: the `initialize` that opened it, what it
watches, its level of logging. A process that is asked for a session which an earlier one of its number had repeats
these requests, as whoever made them, and goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope

from kleis.decoding import json_decoder
from registry.access.access_tokens import OAuthPrincipal
from registry.access.principals import OWNER, Principal
from registry.server.mcp.http_access import Refused
from registry.server.mcp.http_sessions import PATH, SESSION, Door
from registry.server.mcp.oauth import sdk_user
from registry.server.workers.links import Gone, Passed, pass_on
from registry.server.workers.member import Member
from registry.server.workers.orders import SessionState

__all__ = ["SharedSessions", "ended_session", "replayed"]

LARGEST: Final = 64 * 1024
"""Bytes of a request with a lasting effect; a session that was opened by a larger one is not made again."""

SECONDS: Final = 10.0
"""In which a session is made again."""

_INITIALIZED: Final = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

logger = logging.getLogger(__name__)


class _Said(msgspec.Struct):
    id: Any = None
    method: Any = None
    params: Any = None


_SAID = json_decoder(_Said)


def ended_session() -> Refused:
    """The refusal of a name that is that of no session: made up, another's, or ended. Which of these it is is not said."""
    return Refused(404, "there is no such session, or it has ended: begin with `initialize`")


def replayed(body: bytes, receive: Receive) -> Receive:
    """The same body once more, then what comes after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay


class SharedSessions:
    """The sessions of one principal that this worker holds (`http_sessions.SessionNaming`)."""

    def __init__(
        self, member: Member, principal: str, app: ASGIApp, on_again: Callable[[Principal], None]
    ) -> None:
        """`app` answers requests; `on_again` is told as whom a session was made again."""
        self._member = member
        self._principal = principal
        self._app = app
        self._on_again = on_again
        self._known: dict[bytes, bytes] = {}
        self._making: dict[bytes, asyncio.Task[bytes | None]] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self.door: Door | None = None
        self.is_ending = False

    async def opening(self, scope: Scope, receive: Receive) -> tuple[Receive, Callable[[bytes], bytes]]:
        body = await _whole(receive)
        principal = _principal_in(scope)

        def named(known: bytes) -> bytes:
            name = self._member.names.new(self._member.number, self._principal)
            self._known[name.encode()] = known
            state = SessionState(
                self._principal, tuple(sorted(principal.scopes)), principal.credential, body if len(body) <= LARGEST else b""
            )  # fmt: skip
            self._member.opened(name, state)
            return name.encode()

        return replayed(body, receive), named

    async def continuing(self, name: bytes, scope: Scope, receive: Receive) -> tuple[Scope, Receive]:
        known = self._known.get(name)
        if known is None and not self._member.is_leaving:
            known = await self._again(name, _principal_in(scope))
        if known is None:
            raise ended_session()
        if scope["method"] == "POST":
            body = await _whole(receive)
            self._note(name, body, scope)
            receive = replayed(body, receive)
        headers = [(key, known if key == SESSION else value) for key, value in scope["headers"]]
        return {
            **scope,
            "headers": headers,
            "state": {**(scope.get("state") or {}), "session": name},
        }, receive

    def ended(self, name: bytes) -> bytes:
        if not self.is_ending:  # else another process of this number makes it again
            self._member.ended(name.decode("latin-1"))
        return self._known.pop(name, name)

    def _note(self, name: bytes, body: bytes, scope: Scope) -> None:
        """Tell the supervisor of a request with a lasting effect; and an earlier process of this number, which may still be at
        a call of the session, of a message that asks for no answer: it may cancel the call, or be what the call waits for."""
        if len(body) > LARGEST:
            return
        try:
            said = _SAID.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return  # the library answers it, and it has no effect
        if (said.id is None or said.method is None) and (paths := self._member.predecessors()):
            passed = Passed(
                scope["method"], scope["path"], "http", tuple(scope["headers"]), scope.get("client"), body
            )
            telling = asyncio.ensure_future(_tell(paths, passed))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)
        params = said.params if isinstance(said.params, dict) else {}
        session, uri = name.decode("latin-1"), params.get("uri")
        match said.method:
            case "resources/subscribe" if isinstance(uri, str):
                self._member.kept(session, f"watch {uri}", body)
            case "resources/unsubscribe" if isinstance(uri, str):
                self._member.kept(session, f"watch {uri}", None)
            case "logging/setLevel":
                self._member.kept(session, "level", body)

    # after the end of a process

    async def _again(self, name: bytes, asker: Principal) -> bytes | None:
        """The session made again that an earlier process held; None where there is none. `asker` wants it, and was judged."""
        making = self._making.get(name)
        if making is None:
            making = self._making[name] = asyncio.ensure_future(self._make(name, asker))
            making.add_done_callback(lambda task: self._making.pop(name, None))
        return await asyncio.shield(making)

    async def _make(self, name: bytes, asker: Principal) -> bytes | None:
        state = await self._member.find(name.decode("latin-1"))
        if state is None or state.principal != self._principal or not state.opener or self.door is None:
            return None
        principal = OWNER
        if isinstance(asker, OAuthPrincipal):
            # The token that opened it may have ended by now: it is vouched for by the one that is used in it, and what was allowed
            # when it was asked is repeated.
            principal = msgspec.structs.replace(asker, scopes=frozenset(state.scopes))
        elif state.credential:
            principal = Principal(state.principal, frozenset(state.scopes), state.credential)
        await self.door.make_room()
        try:
            async with asyncio.timeout(SECONDS):
                known = await self._repeat(state.opener, principal, None)
                if known is None:
                    return None
                for body in (_INITIALIZED, *state.kept.values()):
                    await self._repeat(body, principal, known)
        except TimeoutError:
            logger.error("a session could not be made again within %g s", SECONDS)
            return None
        self._known[name] = known
        self.door.has_again(name, principal.credential)
        self._on_again(principal)
        return known

    async def _repeat(self, body: bytes, principal: Principal, known: bytes | None) -> bytes | None:
        """Make a request again; the session that the answer names."""
        found: bytes | None = known
        done = asyncio.Event()

        async def receive() -> Message:
            await done.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal found
            if message["type"] == "http.response.start":
                found = dict(message["headers"]).get(SESSION, found)
            elif not message.get("more_body", False):
                done.set()

        headers = [
            (b"content-type", b"application/json"),
            (b"accept", b"application/json, text/event-stream"),
        ]
        if known is not None:
            headers.append((SESSION, known))
        scope: Scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http", "path": PATH, "raw_path": PATH.encode(),
            "query_string": b"", "root_path": "", "client": None, "server": None, "headers": headers,
            "state": {"principal": principal} if principal.credential else {},
        }  # fmt: skip
        if isinstance(principal, OAuthPrincipal):
            scope["user"] = sdk_user(
                principal
            )  # the protocol library gives a session to the subject that opened it alone
        await self._app(scope, replayed(body, receive), send)
        return found


async def _tell(paths: list[str], passed: Passed) -> None:
    """Pass a message on that asks for no answer."""
    for path in paths:
        try:
            await pass_on(path, passed, _never, _nobody)
        except Gone:
            logger.debug("an earlier process has ended meanwhile")


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


async def _nobody(message: Message) -> None:
    """Whoever sent the message has been answered."""


def _principal_in(scope: Scope) -> Principal:
    found = (scope.get("state") or {}).get("principal")
    return found if isinstance(found, Principal) else OWNER


async def _whole(receive: Receive) -> bytes:
    """The body of a request that was read and judged before: it comes in one part."""
    message = await receive()
    body: bytes = message.get("body", b"")
    return body
