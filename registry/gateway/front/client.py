"""One client of the gateway: a session of the older generation, or a principal of the newer. What each method does.

Invariants
    * A request has one answer, or none where it was cancelled; what its server does costs no other request anything.
    * What waits for one client is bounded: requests, and their bytes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

import msgspec

from kleis.policy.calls import Principal
from kleis.policy.policy_file import Served
from registry.gateway.front.catalogue import Catalogue
from registry.gateway.front.forwarding import Denied, Forwarding, named_by
from registry.gateway.front.listening import Outlet, Send, Stream, wanted_by
from registry.gateway.front.reach import Reach
from registry.gateway.front.watching import Watching
from registry.gateway.messages.replies import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_ERROR,
    Fault,
    Form,
    call_failure,
    notification,
)
from registry.gateway.messages.requests import Request, key_of
from registry.gateway.pins.approvals import Approvals, Listed
from registry.gateway.upstream.envelopes import LOG_LEVEL
from registry.gateway.upstream.protocol import Notification, Receiver, Upstream, UpstreamFailure, UpstreamPool
from registry.gateway.upstream.raw_json import UnsoundJson, text_of, written
from registry.server.streams.generations import LATEST_OLDER, MODERN, OLDER

__all__ = ["Client", "Shared"]

REQUESTS = 256
"""Requests of one client under way."""

BYTES = 32 * 1024 * 1024
"""Of these requests."""

PAGE = 250
"""Items of one page of a list."""

STREAMS = 64
"""Streams of one client of the newer generation."""

_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_LISTS: Mapping[str, tuple[Listed, str]] = {
    "tools/list": ("tools", "tools"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("templates", "resourceTemplates"),
    "prompts/list": ("prompts", "prompts"),
}
_CHANGED: Mapping[str, tuple[Listed, ...]] = {
    "notifications/tools/list_changed": ("tools",),
    "notifications/resources/list_changed": ("resources", "templates"),
    "notifications/prompts/list_changed": ("prompts",),
}
_NAMES: Mapping[Listed, str] = {
    "tools": "notifications/tools/list_changed",
    "resources": "notifications/resources/list_changed",
    "templates": "notifications/resources/list_changed",
    "prompts": "notifications/prompts/list_changed",
}

logger = logging.getLogger(__name__)


class Shared(Protocol):
    """What all clients of one gateway share."""

    @property
    def pool(self) -> UpstreamPool: ...

    @property
    def parts(self) -> Mapping[str, str]: ...

    @property
    def approvals(self) -> Approvals: ...

    @property
    def forwarding(self) -> Forwarding: ...

    @property
    def reach(self) -> Reach: ...

    @property
    def info(self) -> Mapping[str, Any]: ...

    @property
    def instructions(self) -> str: ...

    async def served(self) -> Served: ...


class Client:
    """One client, known to the pool of servers by its `key`. `close` it at the end."""

    def __init__(self, shared: Shared, key: str, who: Principal, *, is_modern: bool) -> None:
        self.key = key
        self.who = who
        self.form = Form(shared.info, is_modern=is_modern)
        self._shared = shared
        self.catalogue = Catalogue(self.upstream, shared.parts, shared.approvals, self._came_late)
        self._outlets: set[Outlet] = set()
        self._running: dict[object, asyncio.Task[bytes]] = {}
        self._sends: dict[int, tuple[Request, Send]] = {}
        self._bytes = 0
        self._level: str | None = None
        self._levelled: dict[str, Upstream] = {}
        self._watching = Watching(self._ask_again, self._tell_changed)
        self.ended = asyncio.Event()
        self._waiting: set[asyncio.Task[Any]] = set()

    # ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────

    async def answer(self, request: Request, send: Send, *, key: object = None) -> bytes | None:
        """The message that answers a request; None where it was cancelled. `send` sends what is said about it before.

        `key`: by which it can be cancelled; the request's id where it is not given.  When the waiting task is cancelled, so
        is the request.
        """
        assert request.id is not None, "a request has an id"
        if key is None:
            key = key_of(request.id)
        if key in self._running:
            self._shared.forwarding.refused(
                self.who, request.method, named_by(request), "its id is under way"
            )
            return self.form.error(request.id, Fault(-32600, "a request with this id is under way"))
        if len(self._running) >= REQUESTS or (self._bytes and self._bytes + request.size > BYTES):
            self._shared.forwarding.refused(self.who, request.method, named_by(request), "too many requests")
            return self._failed(request, "busy", "too many requests are under way; wait for answers first")
        self._bytes += request.size
        self._sends[id(request)] = (request, send)
        task = asyncio.get_running_loop().create_task(self._result(request, send))
        self._running[key] = task
        try:
            return await task
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if waiting is not None and waiting.cancelling():
                raise
            return None
        finally:
            task.cancel()
            del self._running[key], self._sends[id(request)]
            self._bytes -= request.size

    def cancel(self, key: object) -> None:
        """Cancel a request that is under way; nothing where there is none."""
        task = self._running.get(key)
        if task is not None:
            task.cancel()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way, and nobody listens."""
        return not self._running and not self._outlets

    async def _result(self, request: Request, send: Send) -> bytes:
        assert request.id is not None
        try:
            result = await self._ask(request, send)
            return self.form.result(request.id, request.method, result)
        except Fault as fault:
            if request.method == "tools/call" and not fault.raw and fault.code != HEADER_MISMATCH:
                return self._failed(request, "invalid_request", fault.message)
            return self.form.error(request.id, fault)
        except Denied as denied:
            if request.method == "tools/call":
                return self.form.result(request.id, request.method, denied.result())
            return self.form.error(request.id, denied.fault())
        except UpstreamFailure as failure:
            return self._failed(request, failure.kind, failure.message, failure.hint)
        except UnsoundJson as error:
            return self._failed(request, "invalid_request", error.message)
        except Exception:
            logger.exception("a request failed: %s", request.method[:40])
            return self._failed(request, "internal", "internal error; the gateway's log says more")

    def _failed(self, request: Request, kind: str, message: str, hint: str = "") -> bytes:
        """The answer to a request that is not answered by a server: to a call a result, which models get to see."""
        assert request.id is not None
        if request.method == "tools/call":
            return self.form.result(request.id, request.method, call_failure(kind, message, hint))
        said = message + (f". {hint}" if hint else "")
        return self.form.error(request.id, Fault(SERVER_ERROR, said, {"kind": kind}))

    def refused(self, number: bytes, reason: str) -> bytes:
        """The answer to a call that could not be read."""
        self._shared.forwarding.refused(self.who, "tools/call", "", reason)
        reason = f"DENIED — the call cannot be judged: {reason}"
        denied = Denied(
            rule="strict-json", reason=reason, hint="write it in a way that every parser reads alike"
        )
        return self.form.result(number, "tools/call", denied.result())

    async def _ask(self, request: Request, send: Send) -> bytes:
        forwarding = self._shared.forwarding
        match request.method:
            case "tools/call":
                return await forwarding.call_tool(self, request)
            case "resources/read":
                return await forwarding.read_resource(self, request)
            case "prompts/get":
                return await forwarding.get_prompt(self, request)
            case "completion/complete":
                return await forwarding.complete(self, request)
            case method if method in _LISTS:
                return await self._list(request, *_LISTS[method])
            case "server/discover" if self.form.is_modern:
                return written({"supportedVersions": [MODERN], **self._about()})
            case "subscriptions/listen" if self.form.is_modern:
                return await self._listen(request, send)
            case "initialize" if not self.form.is_modern:
                return self._initialize(request)
            case "ping" if not self.form.is_modern:
                return b"{}"
            case "logging/setLevel" if not self.form.is_modern:
                return await self._set_level(request)
            case "resources/subscribe" if not self.form.is_modern:
                await self._watch(request, _text(request, "uri"))
                return b"{}"
            case "resources/unsubscribe" if not self.form.is_modern:
                await self._unwatch(_text(request, "uri"))
                return b"{}"
            case method:
                forwarding.refused(self.who, method, named_by(request), "there is no such method")
                raise Fault(METHOD_NOT_FOUND, "Method not found", method[:200])

    # ── Who this is, and what there is ───────────────────────────────────────────────────────────────────────

    def _about(self) -> dict[str, Any]:
        changing = {"listChanged": True}
        capabilities: dict[str, Any] = {
            "tools": changing, "prompts": changing, "resources": {**changing, "subscribe": True}, "completions": {},
        }  # fmt: skip
        if not self.form.is_modern:
            capabilities["logging"] = {}
        return {"capabilities": capabilities, "instructions": self._shared.instructions}

    def _initialize(self, request: Request) -> bytes:
        asked = _text(request, "protocolVersion")
        agreed = asked if asked in OLDER else LATEST_OLDER
        return written({"protocolVersion": agreed, "serverInfo": self._shared.info, **self._about()})

    async def _list(self, request: Request, kind: Listed, name: str) -> bytes:
        start = _start(request)
        entries = [each for each in await self.catalogue.all(kind) if not each.problem]
        if kind == "tools":
            served = await self._shared.served()
            entries = [each for each in entries if self._shared.reach.listed(served, self.who, each)]
        page = entries[start : start + PAGE]
        result = b'{"' + name.encode() + b'":[' + b",".join([each.item for each in page]) + b"]"
        if start + PAGE < len(entries):
            result += b',"nextCursor":"%d"' % (start + PAGE)
        return result + b"}"

    # ── Servers ──────────────────────────────────────────────────────────────────────────────────────────────

    async def upstream(self, server: str) -> Upstream:
        """The running server, at the level of its log messages that this client wants. Raises `UpstreamFailure`."""
        upstream = await self._shared.pool.get(
            server, self.key, partial(self._told, server), partial(self._ended_of, server)
        )
        if self._levelled.get(server) is not upstream:
            self._levelled[server] = upstream
            self._shared.approvals.heard(server, upstream.instructions)
            if self._level is not None:
                await upstream.set_level(self._level)
        return upstream

    async def _set_level(self, request: Request) -> bytes:
        level = _text(request, "level")
        if level not in _LEVELS:
            raise Fault(INVALID_PARAMS, f"{level[:40]!r} is no level; they are {', '.join(_LEVELS)}")
        self._level = level
        told = [each.set_level(level) for each in self._levelled.values()]
        for server, said in zip(
            self._levelled, await asyncio.gather(*told, return_exceptions=True), strict=True
        ):
            if isinstance(said, Exception):
                logger.info("%s does not take a level: %s", server, said)
        return b"{}"

    def receiver_of(self, request: Request) -> Receiver | None:
        """Where what a server says about a request goes: to the client, where it asks for progress or messages."""
        found = self._sends.get(id(request))
        token = request.meta.get("progressToken")
        if found is None or (token is None and LOG_LEVEL not in request.meta):
            return None
        send = found[1]

        def receive(said: Notification) -> None:
            if said.method == "notifications/progress":
                if token is not None:
                    send(notification(said.method, {"progressToken": token, **said.params}))
            elif said.method == "notifications/message":
                send(notification(said.method, said.params))

        return receive

    def _told(self, server: str, said: Notification) -> None:
        """A server says something that belongs to no request."""
        params = dict(said.params)
        if said.method in _CHANGED:
            for kind in _CHANGED[said.method]:
                self.catalogue.forget(server, kind)
        elif said.method == "notifications/resources/updated":
            self._tell_updated(server, params)
            return
        elif said.method == "notifications/message" and not self.form.is_modern:
            own = params.get("logger", b"")
            params["logger"] = written(f"{server}/{text_of(own)}" if own.startswith(b'"') else server)
        else:
            return
        self.tell(said.method, params)

    def _tell_updated(self, server: str, params: dict[str, bytes]) -> None:
        """Under every address by which it was asked for: one resource may be part of another, so any of this server's."""
        try:
            uri = text_of(params.get("uri", b"null"))
        except UnsoundJson:
            return
        address = self._shared.forwarding.address(server, uri)
        for shown in self._watching.shown(server, uri) or (address,):
            self.tell("notifications/resources/updated", {**params, "uri": written(shown)})

    def _tell_changed(self, server: str, uri: str) -> None:
        self._tell_updated(server, {"uri": written(uri)})

    def _ended_of(self, server: str) -> None:
        """The process of a server has ended."""
        if not self.ended.is_set():
            self._watching.ended(server)

    async def _ask_again(self, server: str, uri: str) -> None:
        again = Request("resources/subscribe", {"uri": written(uri)}, {}, None, 0)
        await self._shared.forwarding.subscribe(self, again, self._shared.forwarding.address(server, uri))

    def tell(self, method: str, params: Mapping[str, bytes]) -> None:
        """Notify the client, as its generation is notified."""
        for outlet in tuple(self._outlets):
            outlet.tell(method, params)

    def _came_late(self, kind: Listed) -> None:
        self.tell(_NAMES[kind], {})

    # ── Listening ────────────────────────────────────────────────────────────────────────────────────────────

    def add_outlet(self, outlet: Outlet) -> Callable[[], None]:
        """Notify there too; gives what ends that."""
        self._outlets.add(outlet)
        return partial(self._outlets.discard, outlet)

    async def _listen(self, request: Request, send: Send) -> bytes:
        """Serve a stream until the client, or the gateway, ends it."""
        assert request.id is not None
        changes, uris = wanted_by(request.params.get("notifications", b"{}"))
        if len(self._outlets) >= STREAMS:
            raise Fault(INVALID_PARAMS, f"a client has at most {STREAMS} streams; end one of them first")
        watched: list[str] = []
        try:
            for uri in uris:
                try:
                    await self._watch(request, uri)
                    watched.append(uri)
                except (Denied, Fault, UpstreamFailure) as error:
                    logger.info("a resource is not watched: %s", error)
            stream = Stream(send, request.id, changes, frozenset(watched))
            stream.begin()
            end = self.add_outlet(stream)
            try:
                await self.ended.wait()
            finally:
                end()
        finally:
            for uri in watched:
                self._later(self._unwatch(uri))
        return b'{"_meta":' + stream.meta + b"}"

    async def _watch(self, request: Request, uri: str) -> None:
        """Be told of a resource. Raises `Denied`, `Fault`, `UpstreamFailure`."""
        at = await self._shared.forwarding.subscribe(self, request, uri)
        self._watching.add(*at, uri)

    async def _unwatch(self, uri: str) -> None:
        at = self._watching.remove(uri)
        upstream = self._levelled.get(at[0]) if at is not None else None
        if at is not None and upstream is not None:
            await upstream.unsubscribe(at[1])

    def _later(self, work: Awaitable[None]) -> None:
        """Do what nobody waits for; its failures are those of a server that has gone."""

        async def done() -> None:
            try:
                await work
            except UpstreamFailure as failure:
                logger.info("a resource is watched still: %s", failure)

        task = asyncio.get_running_loop().create_task(done())
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    # ── The end ──────────────────────────────────────────────────────────────────────────────────────────────

    def end_streams(self) -> None:
        """End what the client listens to, in the way that tells it so."""
        self.ended.set()

    async def close(self) -> None:
        """Cancel what is under way, and let its servers go."""
        self.end_streams()
        tasks = [*self._running.values(), *self._waiting, *self._watching.close()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.catalogue.close()
        await self._shared.pool.release(self.key)


def _text(request: Request, name: str) -> str:
    try:
        return text_of(request.params.get(name, b"null"))
    except UnsoundJson:
        raise Fault(INVALID_PARAMS, f"`{name}` must be a string") from None


def _start(request: Request) -> int:
    """Where a page begins: a cursor is the number of items before it."""
    cursor = request.params.get("cursor")
    if cursor is None or cursor == b"null":
        return 0
    said = msgspec.json.decode(cursor)
    if not (isinstance(said, str) and said.isascii() and said.isdigit() and len(said) < 10):
        raise Fault(INVALID_PARAMS, "the cursor is not one of this gateway's")
    return int(said)
