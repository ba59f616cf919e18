"""One client at the other end of two descriptors (docs/reference/serving.md §2): its messages in turn, ours to it.

Malformed input is answered instead of dropped, both framings are accepted and the answer is in the one that was spoken,
there is a size cap, numbers are decoded exactly, and no message needs a thread. What a message asks for is not looked at.

Invariants
----------
- What waits to be written is bounded: a client that does not read is not read from, and nothing else waits for it.
- A frame is written whole or, when the client is gone, not at all; a closed pipe ends the session like end of file.
- At end of file, requests that are nearly done get a moment (`GRACE`), so that `printf … | pif serve` answers; what
  is left is then cancelled.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from registry.server.streams.descriptors import Sink, Source, open_sink, open_source
from registry.server.streams.framing import DEFAULT_CAP, Fault, Framing, Message
from registry.server.streams.messages import (
    Incoming,
    Rejection,
    Reply,
    encode_message,
    oversized,
    read_message,
    unframed,
)

__all__ = ["UNFRAMED", "InputStream", "OutputStream"]

READ_HIGH = 1024 * 1024
"""Unprocessed bytes above which no more are read."""

QUEUE = 64
"""Messages waiting to be received above which no more are taken out of the bytes."""

BATCH = 128
"""Messages processed before the event loop runs other tasks."""

GRACE = 0.1
"""Seconds, after the end of the input."""

UNFRAMED = {
    "bad_header": "a header block must be lines `Name: value` with one `Content-Length: N`, then an empty line",
    "truncated": "the input ended inside a message",
}
"""What is said of bytes that are no message, by the reason of the fault."""

logger = logging.getLogger(__name__)


class OutputStream:
    """The writing half: whole frames out, behind a gate that closes while too much waits to be read."""

    def __init__(self, on_lost: Callable[[], None], on_room: Callable[[], None]) -> None:
        self.is_lost = False
        self.with_headers = False
        self.unanswered: set[int | str] = set()
        self._open = asyncio.Event()
        self._open.set()
        self._answered = asyncio.Event()
        self._on_lost = on_lost
        self._on_room = on_room
        self._sink: Sink | None = None

    async def connect(self, descriptor: int) -> None:
        """Write to a descriptor, which this owns from now on."""
        self._sink = await open_sink(descriptor, self)

    @property
    def is_open(self) -> bool:
        """Whether there is room for more."""
        return self._open.is_set()

    def congested(self, is_congested: bool) -> None:
        """Output waits for the reader, or no longer."""
        if is_congested:
            self._open.clear()
        else:
            self._open.set()
            self._on_room()

    def lost(self) -> None:
        """The reader is gone."""
        self.is_lost = True
        self._open.set()
        self._answered.set()
        self._on_lost()

    def write(self, body: bytes) -> None:
        """Write one message without waiting."""
        if self._sink is None or self.is_lost:
            return
        if self.with_headers:
            self._sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        else:
            self._sink.write(body + b"\n")

    async def has_room(self) -> bool:
        """Wait until there is room; False when the reader is gone."""
        while not self._open.is_set():
            await self._open.wait()
        return not self.is_lost

    def answered(self, number: int | str) -> None:
        """A request has its answer, or will have none."""
        self.unanswered.discard(number)
        self._answered.set()

    async def let_finish(self, seconds: float) -> None:
        """Wait until every request is answered, but for so many seconds at most."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self.unanswered and not self.is_lost:
            self._answered.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._answered.wait()
            except TimeoutError:
                return

    async def aclose(self) -> None:
        """Close, once what waits has been read (or a second has passed)."""
        sink, self._sink = self._sink, None
        if sink is not None:
            await sink.close()


class InputStream:
    """The reading half: what the client sends, as messages. What is no message is answered here.

    `take` may claim a message at once, by returning True; what it leaves is received in turn. `envelope` is what the
    connection's generation of the protocol adds to a result.
    """

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self.take: Callable[[Incoming | Reply], bool] = lambda said: False
        self.envelope: dict[str, Any] = {}
        self.output = OutputStream(on_lost=self.end, on_room=self._look)
        self._cap = cap
        self._framing = Framing(cap)
        self._source: Source | None = None
        self._items: deque[Incoming | Reply] = deque()
        self._arrived = asyncio.Event()
        self._ended = False
        self._grace = GRACE
        self._is_behind = False

    async def connect(self, source: int, sink: int) -> None:
        """Read from one descriptor and answer on the other; both are owned by the streams from now on."""
        await self.output.connect(sink)
        self._source = await open_source(source, self)

    def received(self, data: bytes) -> None:
        """Bytes have come."""
        if not self._ended:
            self._framing.feed(data)
            self._look()

    def end(self, grace: float = GRACE) -> None:
        """Nothing more will come: end of file, a closed pipe on either side, or a signal. What is under way has `grace`
        seconds to be answered."""
        if not self._ended:
            self._grace = grace
            self._ended = True
            self._framing.end()
            self._look()
            self._arrived.set()

    def _look(self) -> None:
        """Take messages out of the bytes, as long as there is room for them and for their answers."""
        for _ in range(BATCH):
            if not self.output.is_open or len(self._items) >= QUEUE:
                self._is_behind = True
                self._pause(self._framing.held > READ_HIGH)
                return
            frame = self._framing.next()
            if frame is None:
                self._is_behind = False
                self._pause(False)
                return
            self._accept(frame)
        self._is_behind = True
        asyncio.get_running_loop().call_soon(self._look)

    def _pause(self, is_paused: bool) -> None:
        if self._source is not None and not self._ended:
            self._source.pause(is_paused)

    def _accept(self, frame: Message | Fault) -> None:
        self.output.with_headers = self._framing.with_headers
        if isinstance(frame, Message):
            said = read_message(frame.text)
        elif frame.reason == "too_large":
            said = oversized(frame.head, self._cap)
        else:
            said = unframed(UNFRAMED[frame.reason])
        match said:
            case Incoming():
                if said.id is not None:
                    self.output.unanswered.add(said.id)
                if not self.take(said):
                    self._hand_on(said)
            case Rejection():
                self.output.write(encode_message(said.with_envelope(self.envelope)))
            case Reply():
                if not self.take(said):
                    self._hand_on(said)
            case None:
                logger.debug("a message that calls for no answer was dropped")

    def _hand_on(self, said: Incoming | Reply) -> None:
        if isinstance(said, Incoming) and said.method == "notifications/cancelled":
            number = (said.params or {}).get("requestId")
            if isinstance(number, str | int):
                self.output.answered(number)
        self._items.append(said)
        self._arrived.set()

    async def next_message(self) -> Incoming | Reply | None:
        """The next message that nobody took; None at the end."""
        while not self._items:
            if self._ended and (not self._is_behind or self.output.is_lost):
                await self.output.let_finish(self._grace)
                return None
            self._arrived.clear()
            await self._arrived.wait()
        item = self._items.popleft()
        if self._is_behind:
            self._look()
        return item

    async def aclose(self) -> None:
        """Stop reading."""
        self.end()
        if self._source is not None:
            self._source.close()
