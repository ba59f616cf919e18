"""Requests on one transport and the answers to them: numbers, deadlines, cancelling, what comes without being asked.

An upstream may answer twice, answer what was not asked, or send what is no message: that is counted, and dropped.  Where
it does so more than `FAULTS` times without one sound answer in between it is given up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from registry.gateway.upstream import envelopes
from registry.gateway.upstream.protocol import (
    Answer,
    Members,
    Notification,
    Receiver,
    UpstreamFailure,
    UpstreamSettings,
)
from registry.gateway.upstream.raw_json import UnsoundJson, written
from registry.gateway.upstream.transport import Outgoing, Transport

__all__ = ["FAULTS", "Connection"]

FAULTS = 1_000

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class _Waiting:
    """A request without an answer yet."""

    answer: asyncio.Future[Answer]
    deadline: asyncio.Timeout
    receiver: Receiver | None
    wants_log: bool
    last: float
    """When it is over whatever progress it makes."""
    call: float

    def progressed(self) -> None:
        if not self.answer.done():
            now = asyncio.get_running_loop().time()
            self.deadline.reschedule(min(self.last, now + self.call))


class Connection:
    """One transport, opened by `open`. What belongs to no request goes to `receiver`, which may be set later."""

    def __init__(
        self, settings: UpstreamSettings, transport: Transport, *, ended: Callable[[], None] = lambda: None
    ) -> None:
        self.settings = settings
        self.receiver: Receiver | None = None
        self.revision: str | None = None
        self.modern = False
        self.faults = 0
        self._transport = transport
        self._ended = ended
        self._waiting: dict[int, _Waiting] = {}
        self._number = 0
        self._failure: UpstreamFailure | None = None

    @property
    def is_open(self) -> bool:
        return self._failure is None

    @property
    def is_idle(self) -> bool:
        return not self._waiting

    @property
    def waiting(self) -> int:
        """How many requests have no answer yet."""
        return len(self._waiting)

    async def open(self) -> None:
        await self._transport.open(self)

    def agree(self, revision: str | None, *, modern: bool) -> None:
        """What the two sides speak from now on."""
        self.revision = revision
        self.modern = modern

    def agreed(self) -> None:
        self._transport.agreed()

    async def request(
        self,
        method: str,
        params: Members,
        *,
        meta: Members | None = None,
        name: str | None = None,
        headers: Mapping[str, str] | None = None,
        receiver: Receiver | None = None,
        timeout: float | None = None,
    ) -> Answer:
        """One request and its answer. `name` is what `Mcp-Name` says. Raises `UpstreamFailure`.

        `timeout`: seconds in all, whatever progress is made; infinite for a request that stays open.
        """
        if self._failure is not None:
            raise self._again(self._failure)
        if len(self._waiting) >= self.settings.limits.waiting:
            raise UpstreamFailure(
                "overloaded", f"{self.settings.name} has {len(self._waiting)} calls that it has not answered"
            )
        self._number += 1
        number = self._number
        loop = asyncio.get_running_loop()
        begun = loop.time()
        call = self.settings.timeouts.call if timeout is None else timeout
        last = begun + (self.settings.timeouts.longest if timeout is None else timeout)
        sent_meta = envelopes.request_meta(
            meta, revision=self.revision if self.modern else None, progress=number if receiver else None
        )
        text = envelopes.request(number, method, params, sent_meta)
        deadline = asyncio.timeout_at(None if call == float("inf") else min(last, begun + call))
        waiting = _Waiting(
            loop.create_future(), deadline, receiver, bool(meta and envelopes.LOG_LEVEL in meta), last, call
        )
        self._waiting[number] = waiting
        try:
            async with deadline:
                self._transport.send(
                    Outgoing(text, number, method, name, self.revision, self.modern, headers or {})
                )
                return await waiting.answer
        except asyncio.CancelledError:
            self._give_up(number, "the client cancelled the call")
            raise
        except TimeoutError:
            self._give_up(number, "the time for an answer is over")
            said = f"{self.settings.name} did not answer `{method}` within {loop.time() - begun:.0f} s"
            raise UpstreamFailure("timed_out", said) from None
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Members) -> None:
        """Send a notification. Raises `UpstreamFailure`."""
        if self._failure is not None:
            raise self._again(self._failure)
        text = envelopes.notification(method, params)
        self._transport.send(Outgoing(text, None, method, None, self.revision, self.modern))

    async def close(self) -> None:
        """End the transport; what still waits fails."""
        self.failed(UpstreamFailure("closed", f"{self.settings.name} was closed by the gateway"), None)
        await self._transport.close()

    # what the transport brings

    def received(self, text: bytes, request: int | None) -> None:
        try:
            found = envelopes.read_envelope(text, self.settings.limits)
        except UnsoundJson as error:
            self.unsound(error.message)
            if request is not None:  # an answer that is none: nothing else will come
                self.failed(self._broken("its answer is no sound JSON-RPC message"), request)
            return
        match found:
            case envelopes.Response(id=number, answer=answer):
                self._answered(number, answer, request)
            case envelopes.ServerRequest():
                self._asked(found)
            case envelopes.Received():
                self._told(found)

    def awaits(self, request: int) -> bool:
        waiting = self._waiting.get(request)
        return waiting is not None and not waiting.answer.done()

    def unsound(self, reason: str) -> None:
        self.faults += 1
        if self.faults in (1, 10, 100):
            logger.warning(
                "%s sent what is no message, %d so far: %s", self.settings.name, self.faults, reason
            )
        if self.faults > FAULTS:
            self.failed(self._broken(f"it sent {self.faults:,} things that are no messages"), None)

    def failed(self, failure: UpstreamFailure, request: int | None) -> None:
        if request is not None:
            waiting = self._waiting.get(request)
            if waiting is not None and not waiting.answer.done():
                waiting.answer.set_exception(failure)
            return
        if self._failure is not None:
            return
        self._failure = failure
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(self._again(failure))
        self._ended()

    def _answered(self, number: int, answer: Answer, request: int | None) -> None:
        waiting = self._waiting.get(number)
        if waiting is None or waiting.answer.done() or (request is not None and request != number):
            self.unsound("an answer to a request that is not waiting for one")
            return
        self.faults = 0
        waiting.answer.set_result(answer)

    def _asked(self, found: envelopes.ServerRequest) -> None:
        try:
            self._transport.send(
                Outgoing(envelopes.answer_to(found), revision=self.revision, modern=self.modern)
            )
        except UpstreamFailure as failure:
            self.failed(failure, None)

    def _told(self, found: envelopes.Received) -> None:
        said = found.notification
        receiver = self.receiver
        if found.progress_of is not None:
            waiting = self._waiting.get(found.progress_of)
            if waiting is None or waiting.receiver is None:
                return  # of a call that is over
            waiting.progressed()
            receiver = waiting.receiver
        elif said.method == "notifications/message":
            receiver = self._receiver_of_log() or receiver
        elif said.method in ("notifications/cancelled", "notifications/subscriptions/acknowledged"):
            return  # of this connection
        if receiver is not None:
            _hand_on(receiver, said)

    def _receiver_of_log(self) -> Receiver | None:
        """Who asked for log messages, where that is one request alone: the older generation does not say whose they are."""
        asking = [each.receiver for each in self._waiting.values() if each.wants_log and each.receiver]
        return asking[0] if len(asking) == 1 else None

    def _give_up(self, number: int, reason: str) -> None:
        """Tell the upstream that nobody waits any more; the handshake cannot be cancelled."""
        if self._failure is not None or self._transport.abandon(number) or self.revision is None:
            return
        params = {"requestId": b"%d" % number, "reason": written(reason)}
        try:
            self.notify("notifications/cancelled", params)
        except UpstreamFailure as failure:
            logger.debug("%s cannot be told that a call was cancelled: %s", self.settings.name, failure.code)

    def _broken(self, what: str) -> UpstreamFailure:
        return UpstreamFailure("broken", f"{self.settings.name}: {what}")

    @staticmethod
    def _again(failure: UpstreamFailure) -> UpstreamFailure:
        """The same failure for one more call: an exception that two tasks raise would grow with each."""
        return UpstreamFailure(failure.kind, failure.message, hint=failure.hint)


def _hand_on(receiver: Receiver, said: Notification) -> None:
    try:
        receiver(said)
    except Exception:
        logger.exception("the receiver of a notification failed")
