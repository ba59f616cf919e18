"""An upstream over streamable HTTP: sessions and streams of the 2025 generation, stateless requests of the 2026 one.

Each request is a POST whose response, JSON or a stream of events, may answer that request and no other.  Redirects are not
followed and compressed bodies are not read: the one would send the credentials elsewhere, the other may be a bomb.  What
the headers of the configuration say goes to the configured address only, and nothing of a client's request is a header
but what the protocol repeats from the body.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from registry.gateway.upstream.envelopes import Response, read_envelope
from registry.gateway.upstream.event_stream import Event, EventReader, TooLong
from registry.gateway.upstream.protocol import FailureKind, UpstreamFailure, UpstreamSettings
from registry.gateway.upstream.raw_json import UnsoundJson
from registry.gateway.upstream.transport import Allowance, Outgoing, TransportEvents

if TYPE_CHECKING:
    import httpx2

__all__ = ["HttpSession", "header_value"]

_MESSAGES = 4_000
_SLICE = 0.01
_UNASKED = 64
"""Notifications and answers that are being sent at once."""

_RETRY = 1.0
"""Seconds before a stream that broke off is opened again, where the server names none."""
_LONGEST_RETRY = 60.0
_RESUMED = 5
"""Times that the stream of one request is opened again without an event in between."""

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_SESSION = re.compile(r"[\x21-\x7e]{1,1024}")

logger = logging.getLogger(__name__)


class HttpSession:
    """One session with an HTTP upstream, or its stateless requests."""

    def __init__(self, settings: UpstreamSettings) -> None:
        assert settings.url is not None
        self._settings = settings
        self._url = settings.url
        self._client: httpx2.AsyncClient | None = None
        self._events: TransportEvents | None = None
        self._session: str | None = None
        self._revision: str | None = None
        self._modern = False
        self._posts: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._messages = Allowance(_MESSAGES, _MESSAGES / 2)

    async def open(self, events: TransportEvents) -> None:
        import httpx2

        self._events = events
        waiting = self._settings.limits.waiting
        try:
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=self._settings.timeouts.start),
                limits=httpx2.Limits(max_connections=waiting + _UNASKED, max_keepalive_connections=10),
                follow_redirects=False,
                verify=_certificates(),
            )
        except (ValueError, httpx2.InvalidURL):
            raise self._failure("unavailable", "its `url` is none") from None

    def send(self, message: Outgoing) -> None:
        self._revision, self._modern = message.revision, message.modern
        if message.id is not None:
            self._posts[message.id] = asyncio.create_task(self._request(message, message.id))
            return
        if self._modern:
            return  # this generation sends a server nothing but requests
        if len(self._others) >= _UNASKED:
            raise self._failure("overloaded", "it does not take what it is sent")
        self._begin(self._tell(message))

    def abandon(self, request: int) -> bool:
        """Ending the request is what cancels it in the 2026 generation; in the older one a message says so too."""
        task = self._posts.pop(request, None)
        if task is not None:
            task.cancel()
        return self._modern

    def agreed(self) -> None:
        if not self._modern:
            self._begin(self._listen())

    async def close(self) -> None:
        tasks = [*self._posts.values(), *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is None:
            return
        if self._session is not None:
            with suppress(Exception):  # it is over for this side, whatever the other says
                async with asyncio.timeout(self._settings.timeouts.close):
                    await self._client.delete(self._url, headers=self._headers())
        await self._client.aclose()

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    # headers

    def _headers(self, message: Outgoing | None = None, *, last: bytes | None = None) -> dict[str, str]:
        headers = {name.lower(): value for name, value in self._settings.headers.items()}
        headers["accept"] = "text/event-stream" if message is None else "application/json, text/event-stream"
        headers["accept-encoding"] = "identity"
        if message is not None:
            headers["content-type"] = "application/json"
        if self._revision is not None:
            headers["mcp-protocol-version"] = self._revision
        if self._session is not None:
            headers["mcp-session-id"] = self._session
        if last is not None:
            headers["last-event-id"] = last.decode("latin-1")
        if message is not None and message.modern and message.method is not None:
            headers["mcp-method"] = message.method
            if message.name is not None:
                headers["mcp-name"] = header_value(message.name)
            headers.update(message.headers)
        return headers

    # requests

    async def _request(self, message: Outgoing, number: int) -> None:
        """POST a request and hand on what comes back, until its answer came."""
        assert self._events is not None
        try:
            await self._exchange(message, number)
        except UpstreamFailure as failure:
            self._events.failed(failure, number)
        except TooLong:
            self._events.failed(self._failure("too_large", "its answer is beyond the limit"), number)
        except Exception as error:
            if not _is_of_network(error):
                logger.exception("a request to %s failed", self._settings.name)
            self._events.failed(self._failure("unavailable", f"no answer ({type(error).__name__})"), number)
        finally:
            self._posts.pop(number, None)

    async def _exchange(self, message: Outgoing, number: int) -> None:
        assert self._client is not None
        assert self._events is not None
        headers = self._headers(message)
        last: bytes | None = None
        retry = _RETRY
        async with self._client.stream("POST", self._url, content=message.text, headers=headers) as response:
            if message.method == "initialize":
                self._keep_session(response.headers.get("mcp-session-id"))
            if not response.is_success or _type(response) != "text/event-stream":
                await self._plain(response, number)
                return
            async for event in self._stream(response):
                last = event.id if event.id is not None else last
                retry = retry if event.retry is None else min(_LONGEST_RETRY, event.retry / 1000)
                await self._hand_on(event, number)
                if not self._events.awaits(number):
                    return
        if last is None or self._modern:
            raise self._failure("exited", "it ended the stream of a call without an answer")
        await self._resume(number, last, retry)

    async def _resume(self, number: int, last: bytes, retry: float) -> None:
        """Open the stream of a request again, from the last event on."""
        assert self._client is not None
        assert self._events is not None
        for _ in range(_RESUMED):
            await asyncio.sleep(retry)
            async with self._client.stream("GET", self._url, headers=self._headers(last=last)) as response:
                if response.status_code != 200 or _type(response) != "text/event-stream":
                    break
                async for event in self._stream(response):
                    last = event.id if event.id is not None else last
                    retry = retry if event.retry is None else min(_LONGEST_RETRY, event.retry / 1000)
                    await self._hand_on(event, number)
                    if not self._events.awaits(number):
                        return
        raise self._failure("exited", "it ended the stream of a call without an answer")

    async def _plain(self, response: httpx2.Response, number: int) -> None:
        """A response that is no stream: JSON, or a status that says why there is none."""
        assert self._events is not None
        status = response.status_code
        body = b""
        if _type(response) == "application/json":
            body = await self._body(response)
        if status == 404 and self._session is not None and not self._modern:
            self._session = None
            self._events.failed(self._failure("exited", "it has ended the session"), None)
        elif body and (response.is_success or self._answers(body, number)):
            await self._pace(body, number)
        elif response.is_success:
            raise self._failure("broken", "it answered with neither JSON nor a stream of events")
        elif response.is_redirect:
            raise self._failure("unavailable", "it redirects; set its `url` to where the server is")
        elif status in (401, 403):
            raise self._failure("unavailable", f"it refuses the credentials of its `headers` ({status})")
        else:
            raise self._failure("unavailable", f"it answered with status {status}")

    def _answers(self, body: bytes, number: int) -> bool:
        """Whether the body of a refusal is the answer to a request: some servers refuse in words of their own."""
        try:
            found = read_envelope(body, self._settings.limits)
        except UnsoundJson:
            return False
        return isinstance(found, Response) and found.id == number

    async def _tell(self, message: Outgoing) -> None:
        """POST what wants no answer."""
        assert self._client is not None
        try:
            async with self._client.stream(
                "POST", self._url, content=message.text, headers=self._headers(message)
            ) as response:
                if response.status_code >= 300:
                    logger.warning("%s refused a message: %d", self._settings.name, response.status_code)
        except Exception as error:
            if not _is_of_network(error):
                raise
            logger.warning("%s cannot be reached: %s", self._settings.name, type(error).__name__)

    async def _listen(self) -> None:
        """The stream of what belongs to no request, where the server has one. It is opened again while the session lasts."""
        assert self._client is not None
        assert self._events is not None
        last: bytes | None = None
        retry = pause = _RETRY
        while True:
            try:
                async with self._client.stream(
                    "GET", self._url, headers=self._headers(last=last)
                ) as response:
                    if response.status_code != 200 or _type(response) != "text/event-stream":
                        return  # it has none (405), or the session is over
                    async for event in self._stream(response):
                        last = event.id if event.id is not None else last
                        retry = retry if event.retry is None else min(_LONGEST_RETRY, event.retry / 1000)
                        pause = retry
                        await self._hand_on(event, None)
            except (TooLong, UpstreamFailure):
                self._events.unsound("an event beyond the limit")
            except Exception as error:
                if not _is_of_network(error):
                    raise
            await asyncio.sleep(pause)
            pause = min(_LONGEST_RETRY, 2 * pause)

    # bodies

    async def _stream(self, response: httpx2.Response) -> AsyncIterator[Event]:
        self._refuse_compressed(response)
        reader = EventReader(self._settings.limits.message)
        async for chunk in response.aiter_raw():
            for event in reader.feed(chunk):
                yield event

    async def _body(self, response: httpx2.Response) -> bytes:
        self._refuse_compressed(response)
        parts: list[bytes] = []
        size = 0
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > self._settings.limits.message:
                raise TooLong
            parts.append(chunk)
        return b"".join(parts)

    def _refuse_compressed(self, response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._failure("broken", "it compressed its answer, which was not asked for")

    async def _hand_on(self, event: Event, number: int | None) -> None:
        if event.data and event.name == b"message":
            await self._pace(event.data, number)

    async def _pace(self, text: bytes, number: int | None) -> None:
        """Hand on a message, and rest as long as that took where it took long."""
        assert self._events is not None
        begun = time.monotonic()
        self._events.received(text, number)
        took = time.monotonic() - begun
        pause = max(self._messages.take(), took if took > _SLICE else 0.0)
        if pause and (number is None or self._events.awaits(number)):
            await asyncio.sleep(pause)

    def _keep_session(self, name: str | None) -> None:
        if name is not None and _SESSION.fullmatch(name):
            self._session = name

    def _failure(self, kind: FailureKind, what: str) -> UpstreamFailure:
        return UpstreamFailure(kind, f"{self._settings.name}: {what}")


def header_value(text: str) -> str:
    """A text as the value of a header: as it is where a header can say it, in base64 with the protocol's marks otherwise."""
    if _PLAIN.fullmatch(text) and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _type(response: httpx2.Response) -> str:
    value: str = response.headers.get("content-type", "")
    return value.partition(";")[0].strip().lower()


def _is_of_network(error: Exception) -> bool:
    import httpx2

    return isinstance(error, httpx2.HTTPError | httpx2.InvalidURL | httpx2.StreamError | OSError)


@cache
def _certificates() -> ssl.SSLContext:
    """Reading the certificates costs 20 ms."""
    return ssl.create_default_context()
