"""A started upstream: requests, lists page by page, subscriptions and log levels, as its generation asks for them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping

from registry.gateway.upstream.connection import Connection
from registry.gateway.upstream.envelopes import LOG_LEVEL
from registry.gateway.upstream.generations import is_complete
from registry.gateway.upstream.handshake import Agreement, agree
from registry.gateway.upstream.http_session import HttpSession
from registry.gateway.upstream.parameter_headers import ParameterHeaders
from registry.gateway.upstream.process import Process
from registry.gateway.upstream.protocol import (
    Answer,
    Generation,
    Members,
    Notification,
    Receiver,
    UpstreamFailure,
    UpstreamSettings,
)
from registry.gateway.upstream.raw_json import UnsoundJson, elements, members, text_of, written

__all__ = ["LISTS", "RunningUpstream"]

LISTS: Mapping[str, tuple[str, str]] = {
    "tools/list": ("tools", "tools"),
    "prompts/list": ("prompts", "prompts"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("resources", "resourceTemplates"),
}
"""The capability that a list belongs to, and the member of its result that holds the items."""

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that a header repeats over HTTP."""

_SUBSCRIPTIONS = 1_000

_INCOMPLETE = Answer(
    error=written(
        {
            "code": -32603,
            "message": "the server asks its client for input, or made the call a task: the gateway offers neither yet",
        }
    )
)

logger = logging.getLogger(__name__)


class RunningUpstream:
    """One upstream of one client session or principal. `start` first, `close` at the end."""

    def __init__(self, settings: UpstreamSettings, on_notification: Receiver | None = None) -> None:
        transport = Process(settings) if settings.url is None else HttpSession(settings)
        self.settings = settings
        self.transport = transport
        self.used = time.monotonic()
        self._connection = Connection(settings, transport, ended=self._ended)
        self._receiver = on_notification
        self._on_end: Callable[[], None] | None = None
        self._agreement: Agreement | None = None
        self._headers = ParameterHeaders()
        self._level: str | None = None
        self._uris: dict[str, None] = {}
        self._listening: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def start(self, generation: Generation | None = None) -> None:
        """Start and agree; `generation` where it is known from before. Raises `UpstreamFailure`, and is closed then."""
        self._connection.receiver = self._told
        try:
            async with asyncio.timeout(self.settings.timeouts.start):
                await self._connection.open()
                self._agreement = await agree(self._connection, self.settings.generation or generation)
        except TimeoutError:
            await self.close()
            said = f"{self.settings.name} did not start within {self.settings.timeouts.start:.0f} s"
            raise UpstreamFailure("timed_out", said) from None
        except BaseException:
            await self.close()
            raise
        self._listen()

    @property
    def is_open(self) -> bool:
        return self._agreement is not None and self._connection.is_open

    @property
    def said(self) -> str:
        """The last that a process wrote to standard error; it may hold secrets."""
        return self.transport.said if isinstance(self.transport, Process) else ""

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for it, or for news of a resource: what only listens for changed lists does not count."""
        if self._uris:
            return False
        return self._connection.is_idle or (self._connection.waiting == 1 and self._listening is not None)

    @property
    def agreement(self) -> Agreement:
        assert self._agreement is not None, "not started"
        return self._agreement

    @property
    def generation(self) -> Generation:
        return self.agreement.generation

    @property
    def revision(self) -> str:
        return self.agreement.revision

    @property
    def capabilities(self) -> Members:
        return self.agreement.capabilities

    @property
    def instructions(self) -> str:
        return self.agreement.instructions

    @property
    def server_info(self) -> bytes:
        return self.agreement.server_info

    def receive(self, on_notification: Receiver | None, on_end: Callable[[], None] | None = None) -> None:
        """Where what belongs to no request goes from now on, and who is told of the end."""
        self._receiver = on_notification
        self._on_end = on_end

    async def request(
        self,
        method: str,
        params: Members,
        *,
        meta: Members | None = None,
        on_notification: Receiver | None = None,
        timeout: float | None = None,
    ) -> Answer:
        self.used = time.monotonic()
        modern = self.generation == "2026"
        level = self._level
        if modern and level is not None and LOG_LEVEL not in (meta or {}):
            meta = {**(meta or {}), LOG_LEVEL: written(level)}
        elif not modern and meta is not None and LOG_LEVEL in meta:
            asked = text_of(meta[LOG_LEVEL])
            if asked != level:  # the older generation has one level for all requests of a session
                await self.set_level(asked)
        name = headers = None
        if modern and self.settings.url is not None and method in _NAMED:
            name = text_of(params.get(_NAMED[method], b'""'))
            if method == "tools/call":
                headers = await self._headers.of_call(self, name, params.get("arguments", b"{}"))
        try:
            answer = await self._connection.request(
                method,
                params,
                meta=meta,
                name=name,
                headers=headers,
                receiver=on_notification,
                timeout=timeout,
            )
        finally:
            self.used = time.monotonic()
        if modern and answer.result is not None and not is_complete(answer.result):
            return _INCOMPLETE
        return answer

    async def notify(self, method: str, params: Members) -> None:
        self.used = time.monotonic()
        self._connection.notify(method, params)

    async def set_level(self, level: str) -> None:
        self._level = level
        if self.generation == "2025" and "logging" in self.capabilities:
            await self._connection.request("logging/setLevel", {"level": written(level)})

    async def subscribe(self, uri: str) -> Answer:
        if len(self._uris) >= _SUBSCRIPTIONS:
            raise UpstreamFailure("overloaded", f"{self.settings.name} has {_SUBSCRIPTIONS:,} subscriptions")
        if self.generation == "2025":
            answer = await self.request("resources/subscribe", {"uri": written(uri)})
            if answer.result is not None:
                self._uris[uri] = None
            return answer
        self._uris[uri] = None
        self._listen()
        return Answer(result=b"{}")

    async def unsubscribe(self, uri: str) -> Answer:
        self._uris.pop(uri, None)
        if self.generation == "2025":
            return await self.request("resources/unsubscribe", {"uri": written(uri)})
        self._listen()
        return Answer(result=b"{}")

    async def list_all(self, method: str) -> list[bytes]:
        capability, items = LISTS[method]
        if capability not in self.capabilities:
            return []
        limits = self.settings.limits
        found: list[bytes] = []
        size = 0
        cursors: set[bytes] = set()
        params: dict[str, bytes] = {}
        for _ in range(limits.pages):
            answer = await self.request(method, params)
            if answer.result is None:
                if method == "resources/templates/list" and not found:
                    return []  # resources without templates: not every server answers this
                raise self._broken(f"it answered `{method}` with an error")
            size += len(answer.result)
            if size > limits.listed:
                raise UpstreamFailure("too_large", f"{self.settings.name}: `{method}` is beyond the limit")
            try:
                parts = members(answer.result)
                found += elements(parts.get(items, b"[]"))
                cursor = parts.get("nextCursor", b"null")
                if cursor == b"null":
                    return found
                text_of(cursor)
            except UnsoundJson:
                raise self._broken(f"its answer to `{method}` has another form") from None
            if cursor in cursors:
                raise self._broken(f"the pages of `{method}` go round in a circle")
            cursors.add(cursor)
            params = {"cursor": cursor}
        raise UpstreamFailure("too_large", f"{self.settings.name}: `{method}` has over {limits.pages} pages")

    async def close(self) -> None:
        self._ended()
        if self._closing is not None:
            await asyncio.shield(self._closing)

    # what comes without being asked

    def _told(self, said: Notification) -> None:
        if said.method == "notifications/tools/list_changed":
            self._headers.forget()
        if self._receiver is not None:
            self._receiver(said)

    def _listen(self) -> None:
        """Open the stream of changes anew, for the 2026 generation: what is asked for has changed."""
        if self.generation != "2026":
            return
        if self._listening is not None:
            self._listening.cancel()
        wanted: dict[str, object] = {
            f"{kind}ListChanged": True
            for kind in ("tools", "prompts", "resources")
            if _announces(self.capabilities.get(kind, b"{}"))
        }
        if self._uris:
            wanted["resourceSubscriptions"] = list(self._uris)
        self._listening = asyncio.create_task(self._keep_listening(wanted)) if wanted else None

    async def _keep_listening(self, wanted: dict[str, object]) -> None:
        params = {"notifications": written(wanted)}
        pause = 1.0
        while self._connection.is_open:
            begun = time.monotonic()
            try:
                answer = await self._connection.request("subscriptions/listen", params, timeout=float("inf"))
                if answer.error is not None:
                    logger.info("%s does not tell of changes", self.settings.name)
                    return
            except UpstreamFailure as failure:
                if not self._connection.is_open:
                    return
                logger.info("%s tells of no changes for a while: %s", self.settings.name, failure.kind)
            pause = 1.0 if time.monotonic() - begun > 60 else min(60.0, 2 * pause)
            await asyncio.sleep(pause)

    def _ended(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
            if self._on_end is not None:
                self._on_end()

    async def _close(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listening
        await self._connection.close()

    def _broken(self, what: str) -> UpstreamFailure:
        return UpstreamFailure("broken", f"{self.settings.name}: {what}")


def _announces(capability: bytes) -> bool:
    try:
        return members(capability).get("listChanged") == b"true"
    except UnsoundJson:
        return False
