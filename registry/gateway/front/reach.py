"""Which tools are listed for a principal: those of which nobody has proved that every call is denied.

A list waits for no proof: a tool is shown until it is decided. The prover is asked in a thread, one tool after another, for
each distinct set of scopes, and what it said is kept for as long as the policy and what the server says of the tool are the
same. It only keeps lists short: each call is judged, listed or not.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol

from kleis.policy.calls import Annotations, Principal, ToolCall, unfit
from kleis.policy.policy import Policy
from kleis.policy.policy_file import Served
from kleis.policy.questions_about_calls import CallQuestions
from kleis.prover.process.broker import Broker
from kleis.prover.process.cancellable_broker import CancellableBroker
from registry.gateway.front.catalogue import Entry

__all__ = ["Everything", "ProvedReach", "Reach"]

logger = logging.getLogger(__name__)

KEPT = 10_000
"""Questions of one policy that wait or are answered, at most; what is beyond is listed."""


class Reach(Protocol):
    """Which tools a principal may call at all."""

    def listed(self, served: Served, who: Principal, entry: Entry) -> bool:
        """Whether a tool is shown: false only where it is known that every call of it is denied. Does not wait."""

    async def close(self) -> None:
        """Ask nothing more."""


class Everything:
    """Every tool is shown."""

    def listed(self, served: Served, who: Principal, entry: Entry) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is asked."""


class _Question(NamedTuple):
    scopes: tuple[str, ...]
    server: str
    tool: str
    annotations: Annotations
    schema: str


class ProvedReach:
    """Asks the prover. Use it on one event loop."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """`on_change` is told when tools that were shown are not shown any more."""
        self._on_change = on_change
        self._policy: Policy | None = None
        self._denied: dict[_Question, bool] = {}
        self._waiting: OrderedDict[_Question, None] = OrderedDict()
        self._work: asyncio.Task[None] | None = None
        self._broker: CancellableBroker | None = None

    def listed(self, served: Served, who: Principal, entry: Entry) -> bool:
        policy = served.policy
        if policy is None or unfit(policy):
            return True
        if policy is not self._policy:
            self._policy = policy
            self._denied.clear()
            self._waiting.clear()
        scopes = tuple(sorted(set(who.scopes)))
        question = _Question(scopes, entry.server, entry.own, entry.annotations, entry.digest)
        denied = self._denied.get(question)
        if denied is not None:
            return not denied
        if len(self._denied) + len(self._waiting) < KEPT:
            self._waiting[question] = None
            if self._work is None:
                self._work = asyncio.get_running_loop().create_task(self._answer())
                self._work.add_done_callback(self._done)
        return True

    async def close(self) -> None:
        self._waiting.clear()
        if self._broker is not None:
            self._broker.stop()  # what is asked now is answered with nothing, at once
        if self._work is not None:
            await self._work

    async def _answer(self) -> None:
        """Answer what waits, with one prover for each policy."""
        while self._waiting:
            policy = self._policy
            assert policy is not None, "questions are of a policy"
            broker = Broker()
            self._broker = CancellableBroker(broker)
            prover = await asyncio.to_thread(CallQuestions, policy.theory, broker=self._broker)
            are_fewer = False
            try:
                while self._waiting and policy is self._policy:
                    question, _ = self._waiting.popitem(last=False)
                    denied = await asyncio.to_thread(_is_denied, prover, question)
                    if policy is self._policy:
                        self._denied[question] = denied
                        are_fewer = are_fewer or denied
            finally:
                self._broker = None
                await asyncio.to_thread(prover.close)
                await asyncio.to_thread(broker.close)
            if are_fewer:
                self._on_change()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._work = None
        if not task.cancelled() and task.exception() is not None:
            logger.error("the prover cannot be asked which tools are denied", exc_info=task.exception())


def _is_denied(prover: CallQuestions, question: _Question) -> bool:
    call = ToolCall(
        server=question.server, tool=question.tool, annotations=question.annotations, schema=question.schema
    )
    return prover.denies_every_call(question.scopes, call)
