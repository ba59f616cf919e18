"""Between workers: requests that belong to another one, and questions to all of them.

Each worker listens on a Unix socket in a directory that only its user may enter. A connection carries one request or one question.
A request is passed on after it was judged, with its body whole; the holder judges it again by its headers, as it would have at
the front, and its answer comes back part by part. Either end that goes away ends the other's work.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
from starlette.types import Message, Receive, Scope, Send

from kleis.prover.process.pipe_messages import HEADER, message_of, pack

__all__ = ["Answered", "Gone", "Links", "Passed", "ask", "pass_on"]

PATIENCE: Final = 5.0
"""Seconds for the answer to a question."""

TAKEN: Final = "taken"
"""The first part of what comes back: before it nothing was begun, and the request may be made again."""

_BUFFER: Final = 1 << 20

logger = logging.getLogger(__name__)


class Passed(msgspec.Struct, frozen=True):
    """A request that is passed on: what of its ASGI scope matters, and its body."""

    method: str
    path: str
    scheme: str
    headers: tuple[tuple[bytes, bytes], ...]
    client: tuple[str, int] | None
    body: bytes

    def scope(self) -> Scope:
        """The scope of the request at the worker that answers it."""
        return {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": self.method,
            "scheme": self.scheme, "path": self.path, "raw_path": self.path.encode(), "query_string": b"", "root_path": "",
            "headers": list(self.headers), "client": self.client, "server": None, "state": {},
        }  # fmt: skip


class Gone(Exception):
    """The other worker is not there, or went away. `has_begun`: it may have carried the request out; `has_answered`: a part of the
    answer was sent on."""

    def __init__(self, *, has_begun: bool, has_answered: bool = False) -> None:
        super().__init__("the worker has gone")
        self.has_begun = has_begun
        self.has_answered = has_answered


Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Answered = Callable[[str, Any], Awaitable[Any]]
"""Answers a question: what is asked, and about what."""


async def _read(reader: asyncio.StreamReader) -> Any:
    """The next part. Raises EOFError where there is none."""
    try:
        (length,) = HEADER.unpack(await reader.readexactly(HEADER.size))
        return pickle.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise EOFError from error


async def pass_on(path: str, passed: Passed, receive: Receive, send: Send) -> None:
    """Let the worker at `path` answer a request. Raises `Gone`. A client that goes away ends the work there."""
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=_BUFFER)
    except OSError as error:
        raise Gone(has_begun=False) from error
    has_begun = has_answered = False

    async def answer() -> None:
        nonlocal has_begun, has_answered
        await _read(reader)  # `TAKEN`: from here on it may be carried out
        has_begun = True
        while True:
            message: Message = await _read(reader)
            has_answered = True
            await send(message)
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                return

    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            continue

    leaving = asyncio.ensure_future(until_gone())
    answering = asyncio.ensure_future(answer())
    try:
        writer.write(message_of(pack(("request", passed))))
        await writer.drain()
        await asyncio.wait({leaving, answering}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
    except (EOFError, ConnectionError) as error:
        raise Gone(has_begun=has_begun, has_answered=has_answered) from error
    finally:
        leaving.cancel()
        answering.cancel()
        writer.close()
        await asyncio.gather(leaving, answering, return_exceptions=True)


async def ask(path: str, what: str, about: Any = None, seconds: float = PATIENCE) -> Any:
    """What the worker at `path` answers. Raises `Gone` where it does not in time."""
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_unix_connection(path, limit=_BUFFER)
            try:
                writer.write(message_of(pack(("ask", what, about))))
                await writer.drain()
                return await _read(reader)
            finally:
                writer.close()
    except (OSError, EOFError, TimeoutError, pickle.UnpicklingError, AttributeError, ImportError) as error:
        raise Gone(has_begun=False) from error


class Links:
    """One worker's end: its socket, and what answers there."""

    def __init__(self, path: str, application: Application, answered: Answered) -> None:
        """`application` answers requests that were passed on, `answered` questions."""
        self.path = path
        self._application = application
        self._answered = answered
        self._server: asyncio.Server | None = None
        self._refuses = False
        self._tasks: set[asyncio.Task[Any]] = set()

    async def open(self) -> None:
        """Listen. Raises OSError."""
        self._server = await asyncio.start_unix_server(self._serve, self.path, limit=_BUFFER)
        os.chmod(self.path, 0o600)

    @property
    def is_busy(self) -> bool:
        """Whether a request that was passed on is under way."""
        return bool(self._tasks)

    def refuse(self) -> None:
        """Begin nothing more: whoever passes a request on makes it again at the worker's next process."""
        self._refuses = True

    def close(self) -> None:
        """Listen no longer, and end what is under way."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            kind, *rest = await _read(reader)
            if kind == "ask":
                writer.write(message_of(pack(await self._answered(*rest))))
                await writer.drain()
            elif not self._refuses:
                await self._answer(rest[0], reader, writer)
        except EOFError:
            return  # whoever asked has gone
        except Exception:
            logger.exception("what another worker asked could not be answered")
        finally:
            writer.close()

    async def _answer(
        self, passed: Passed, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer a request that was passed on, as long as whoever passed it on is there."""
        gone = asyncio.Event()
        pending: list[Message] = [{"type": "http.request", "body": passed.body, "more_body": False}]

        async def receive() -> Message:
            if pending:
                return pending.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if not gone.is_set():
                writer.write(message_of(pack(dict(message))))
                await writer.drain()

        async def watch() -> None:
            try:
                await reader.read(1)  # nothing more comes but the end
            except ConnectionError:
                logger.debug("a worker that had passed a request on went away")
            gone.set()

        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        watching = asyncio.ensure_future(watch())
        try:
            writer.write(message_of(pack(TAKEN)))
            await writer.drain()
            await self._application(passed.scope(), receive, send)
        except ConnectionError:
            logger.debug("an answer was not read by the worker that had passed its request on")
        finally:
            self._tasks.discard(task)
            watching.cancel()
