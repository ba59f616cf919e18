"""One connection of HTTP/1.1: uvicorn's protocol with deadlines, and refusals in words (docs/reference/serving.md §3.4).

uvicorn waits for ever for the rest of a request and for a reader; what is here does not. A connection is in one phase
at a time, and each phase but the call itself has a deadline (`PHASES`). Bytes that come, however slowly, move no deadline.

Invariants
----------
- A connection that does nothing, sends a head or a body slowly, or does not read, is closed in bounded time.
- When there is no room for a connection, the one that has been idle for longest makes room.
- What is no HTTP is answered with a status and a JSON-RPC error, or, where an answer has begun, by closing.
- Requests that are sent together are answered one after another, in their order (h11 keeps them apart).
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any, Literal

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from registry.server.mcp.http_access import CONNECTION
from registry.server.streams.messages import INVALID_REQUEST, encode_message, protocol_error
from registry.server.workers.kept_connections import KeptConnections, State

__all__ = ["HEAD_BYTES", "PHASES", "Connection", "Limits", "Phase"]

Phase = Literal["head", "body", "idle", "unread", "blocked", "closing"]

PHASES: dict[Phase, tuple[float, str]] = {
    "head": (10.0, "the head of a request, from the start of the connection or its first byte"),
    "body": (60.0, "the body of a request"),
    "idle": (120.0, "a connection without a request, after the first one"),
    "unread": (20.0, "the rest of a body whose request was refused; it is not kept"),
    "blocked": (60.0, "an answer that the client does not read"),
    "closing": (5.0, "the last bytes of a closed connection"),
}
"""The most seconds of each phase, and what is waited for in it. Bodies are read, and timed, by `http_requests`."""

HEAD_BYTES = 16 * 1024
"""Of the head of a request, and of the line before a chunk."""

UNREAD_BYTES = 16 * 1024 * 1024
"""Of a refused body that are taken, so that a client which sends all of it before it reads gets its answer."""

CLOSE = (b"connection", b"close")
"""The header of an answer after which the connection is closed."""

_REFUSALS = {
    431: f"the head of a request has at most {HEAD_BYTES:,} bytes",
    501: "the only transfer coding is chunked",
    505: "the protocol is HTTP/1.1",
}


class Limits:
    """The connections of one server and how many there may be. `kept`: where they are written down to outlive this process."""

    def __init__(self, connections: int, kept: KeptConnections | None = None) -> None:
        self.connections = connections
        self.kept = kept
        self.seconds = {phase: seconds for phase, (seconds, _) in PHASES.items()}


class _Gathering(asyncio.Transport):
    """A transport that sends what is written in one turn of the event loop at once, and closes without losing it.

    uvicorn writes the head, the body and the end of an answer one by one: three system calls, and a client that wakes up
    for a head without a body. And it closes when the answer is written, although a client may still be sending: the
    system then resets the connection, and the answer is lost. So the transport `lingers` where `is_sending` says so: the
    end is sent, and `Connection` drops what comes until the client has closed.
    """

    def __init__(
        self,
        inner: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        is_sending: Callable[[], bool],
        writing: Callable[[bool], None],
    ) -> None:
        """`writing` is told before something is handed to the system, and whether all of it was after that."""
        super().__init__()
        self._writing = writing
        self._inner = inner
        self._loop = loop
        self._is_sending = is_sending
        self._parts: list[bytes] = []
        self.lingers = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not data:
            return
        if not self._parts:
            self._loop.call_soon(self.flush)
        self._parts.append(bytes(data))

    @property
    def has_unsent(self) -> bool:
        """Whether something was written that the system has not taken yet."""
        return bool(self._parts) or self._inner.get_write_buffer_size() > 0

    def flush(self) -> None:
        """Hand over what was written."""
        if self._parts:
            parts, self._parts = self._parts, []
            self._writing(False)
            self._inner.write(b"".join(parts))
            if not self._inner.get_write_buffer_size():
                self._writing(True)

    def close(self) -> None:
        self.flush()
        if self.lingers or not self._is_sending():
            self._inner.close()
            return
        self.lingers = True
        try:
            if self._inner.can_write_eof():
                self._inner.write_eof()
            self._inner.resume_reading()
        except OSError:  # the client has gone
            self._inner.abort()

    def abort(self) -> None:
        self._parts.clear()
        self._inner.abort()

    def is_closing(self) -> bool:
        return self.lingers or self._inner.is_closing()

    def pause_reading(self) -> None:
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        self._inner.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._inner.get_extra_info(name, default)


class Connection(H11Protocol):
    """One connection. Made by the event loop for each that is accepted; `limits` are those of the server. `was_used`: another
    process has answered on it, so that its client may take its time."""

    def __init__(self, config: Config, state: ServerState, limits: Limits, *, was_used: bool = False) -> None:
        super().__init__(config, state, {CONNECTION: self})
        self._limits = limits
        self._was_used = was_used
        self._slot: int | None = None
        self._is_stream = False
        self._phase: Phase | None = None
        self._is_blocked = False
        self._unread = 0
        self._timer: asyncio.TimerHandle | None = None

    # events

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._make_room()
        self._gathering = _Gathering(transport, self.loop, self._is_sending, self._wrote)
        kept = self._limits.kept
        if kept is not None:
            self._slot = kept.add(transport.get_extra_info("socket"))
        super().connection_made(self._gathering)
        if len(self.connections) > self._limits.connections:
            self._refuse(503, "too many connections are open")
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)
        self._enter(None)
        self._unset_keepalive_if_required()

    def data_received(self, data: bytes) -> None:
        if self._phase == "unread":
            self._unread += len(data)
            if self._unread > UNREAD_BYTES:
                self.transport.abort()
                return
        if self._gathering.lingers:
            return
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self.asked()
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._unset_keepalive_if_required()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._is_blocked = True
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._is_blocked = False
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP. Called by uvicorn while it handles h11's error."""
        error = sys.exception()
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self._refuse(status, _REFUSALS.get(status, "the request is not HTTP/1.1 as it should be"))

    def _is_sending(self) -> bool:
        """Whether the client is in the middle of a body, or of what is no HTTP."""
        return self.conn.their_state in (h11.SEND_BODY, h11.ERROR)

    # what outlives this process

    def asked(self, number: bytes = b"") -> None:
        """A request is under way; `number` is its id as JSON, once that is known."""
        if self._slot is not None and self._limits.kept is not None:
            self._is_stream = False
            self._limits.kept.asked(self._slot, number)

    def streaming(self) -> None:
        """The answer is a stream of events.

        One that was asked for with GET may end with this process. Its client must not put a request on the connection then: with TLS
        it learns that it is closed only after the end of the stream. So the head says already that nothing follows.
        """
        self._is_stream = self.scope.get("http_version") == "1.1"
        if self.is_stream:
            self.close_after_answer()

    def close_after_answer(self) -> None:
        """Let the head of the answer under way, if it was not sent yet, say that nothing follows."""
        cycle = self.cycle
        if cycle is not None and CLOSE not in cycle.default_headers:
            cycle.default_headers = [*cycle.default_headers, CLOSE]

    @property
    def is_streaming(self) -> bool:
        """Whether the answer under way is a stream of events."""
        return self._is_stream and self.cycle is not None and not self.cycle.response_complete

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is read."""
        return self.transport.is_closing()

    def _wrote(self, is_all: bool) -> None:
        """Something is about to be written, or was, to its end."""
        if self._slot is None or self._limits.kept is None:
            return
        is_over = self.cycle is None or self.cycle.response_complete
        state: State = (
            "writing" if not is_all else "idle" if is_over else "stream" if self._is_stream else "writing"
        )
        self._limits.kept.note(self._slot, state)

    def release(self) -> None:
        """Leave the connection to another worker if nothing is under way on it, and if it is kept."""
        kept, slot = self._limits.kept, self._slot
        is_still = (
            self._phase in ("idle", "head")
            and not self.conn.trailing_data[0]
            and not self._gathering.has_unsent
            and not self._gathering.is_closing()
        )
        if kept is None or slot is None or not is_still:
            return
        self._slot = None
        kept.release(slot)
        self.drop()

    def _let_go(self) -> None:
        """The connection ends here, and so it must where it is kept: else its client would not see its end."""
        slot, self._slot = self._slot, None
        if slot is None or self._limits.kept is None:
            return
        try:
            self._gathering.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        except OSError:  # the client has gone
            self._is_stream = False
        self._limits.kept.remove(slot)

    # deadlines

    def _find_phase(self) -> Phase | None:
        """What is being waited for; None where it is the server's own work, or a body that `http_requests` reads."""
        if self._gathering.lingers:
            return "unread"
        if self.transport.is_closing():
            return "closing"
        if self._is_blocked:
            return "blocked"
        if self.cycle is not None and not self.cycle.response_complete:
            return None
        if self.conn.their_state is h11.SEND_BODY:
            return "unread"
        is_first = self.cycle is None and not self._was_used
        return "head" if is_first or self.conn.trailing_data[0] else "idle"

    def _watch(self) -> None:
        phase = self._find_phase()
        if phase is not self._phase:
            self._enter(phase)

    def _enter(self, phase: Phase | None) -> None:
        self._phase = phase
        self._unread = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase is not None:
            self._timer = self.loop.call_later(self._limits.seconds[phase], self._expire)

    def _expire(self) -> None:
        match self._phase:
            case "head":
                self._refuse(408, f"a head must be whole within {self._limits.seconds['head']:g} s")
            case "idle":
                self.transport.close()
            case _:
                self.transport.abort()
        self._watch()

    # room

    def _make_room(self) -> None:
        """Close the connection that has waited longest without a request, where there are too many."""
        if len(self.connections) < self._limits.connections:
            return
        waiting = (each for each in self.connections if isinstance(each, Connection) and each.is_waiting)
        longest = min(waiting, key=Connection.deadline, default=None)
        if longest is not None:
            longest.drop()

    @property
    def is_waiting(self) -> bool:
        """Whether there is no request under way: the client may be told to come back."""
        return self._phase in ("idle", "head", "unread")

    @property
    def is_idle(self) -> bool:
        """Whether it is kept after an answer, and no request has begun."""
        return self._phase == "idle"

    @property
    def is_stream(self) -> bool:
        """Whether what is under way is a stream of events that the client asked for with GET."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and cycle.scope["method"] == "GET"

    def deadline(self) -> float:
        """When the phase ends, in the event loop's time."""
        return self._timer.when() if self._timer is not None else 0.0

    def drop(self) -> None:
        """Close at once, behind an answer that was just written; what was not read is lost."""
        self.connections.discard(self)
        self._gathering.flush()
        self.transport.abort()

    # the end

    def shutdown(self) -> None:
        """Close after the answer that is under way, or now."""
        if self._gathering.lingers or self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self.cycle.keep_alive = False
        self._watch()

    def _refuse(self, status: int, said: str) -> None:
        """Answer without a request having been accepted, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE) and not self.transport.is_closing():
            body = encode_message(protocol_error(None, INVALID_REQUEST, said))
            fields: list[Any] = [
                *self.server_state.default_headers,
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
                CLOSE,
            ]
            head = h11.Response(status_code=status, headers=fields, reason=STATUS_PHRASES[status])
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            self.transport.close()
        else:
            self.transport.abort()
