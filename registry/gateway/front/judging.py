"""A request judged, and the judgement recorded, before anything of it is forwarded.

Invariants
    * Nothing is forwarded unless a line about it is in the log: `Judge.judge` raises where it cannot be written.
    * All of one request is judged by one policy, the one that was in force when judging began.
    * In `monitor` mode what is denied is forwarded, and the line says what would have been.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from kleis.policy.calls import Call, CallDecision, Principal
from kleis.policy.exact_json import ExactJsonError, read_exactly
from registry.gateway.front.policies import Policies, decide
from registry.gateway.log.records import Asked, CallLog, Kind, Outcome, Refused, Unlogged

__all__ = ["Judge", "Judged", "Mode", "Unjudgeable", "arguments_of"]

Mode = Literal["enforce", "monitor"]

STRICT = "strict-json"
"""The rule that denies arguments which two parsers may read differently."""


logger = logging.getLogger(__name__)


class Unjudgeable(Exception):
    """A request that no policy is asked about: the rule of the gateway that denies it, and why."""

    def __init__(self, rule: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason
        self.hint = hint

    def decision(self) -> CallDecision:
        return CallDecision(outcome="deny", rule=self.rule, reason=f"DENIED — {self.reason}", hint=self.hint)


def arguments_of(raw: bytes, *, exact: bool) -> Any:
    """The arguments as a policy sees them.  `exact`: the tool reads integers of any size.  Raises `Unjudgeable`."""
    try:
        return read_exactly(raw, exact_integers=exact)
    except ExactJsonError as error:
        hint = (
            "send it as text, or mark the tool as exact in the gateway's configuration"
            if error.code == "inexact-integer"
            else "write the arguments in a way that every parser reads alike"
        )
        raise Unjudgeable(STRICT, f"the arguments cannot be judged: {error.message}", hint) from None


class Judged(msgspec.Struct, frozen=True):
    """A decision that is in the log.  `forwarded`: whether the request may go on; then its outcome is recorded."""

    decision: CallDecision
    forwarded: bool
    token: object
    began: float


class Judge:
    """Judges requests by the policy in force, and records them."""

    def __init__(self, policies: Policies, log: CallLog, mode: Mode) -> None:
        self._policies = policies
        self._log = log
        self.mode = mode

    async def judge(
        self,
        who: Principal,
        kind: Kind,
        server: str,
        name: str,
        raw: bytes,
        calls: Sequence[Call] | Unjudgeable,
    ) -> Judged:
        """The decision on a request of which all `calls` must be allowed.  Raises `Unlogged`."""
        served = await self._policies.served()
        if isinstance(calls, Unjudgeable):
            decision = msgspec.structs.replace(calls.decision(), problem=served.problem)
        else:
            for call in calls:
                decision = await decide(served, who, call)
                if not decision.allowed:
                    break
        forwarded = decision.allowed or self.mode == "monitor"
        asked = Asked(
            principal=who.name, kind=kind, server=server, name=name, arguments=raw,
            policy=self._policies.digest(served), rule=decision.rule, decision=decision.outcome,
            reason=decision.reason, forwarded=forwarded,
        )  # fmt: skip
        return Judged(decision, forwarded, self._log.before(asked), time.perf_counter())

    def ended(self, judged: Judged, *, size: int = 0, error: str = "") -> None:
        """Record what became of a request that was forwarded.  Raises `Unlogged`."""
        milliseconds = (time.perf_counter() - judged.began) * 1000
        self._log.after(judged.token, Outcome(milliseconds=milliseconds, size=size, error=error))

    def refused(self, refused: Refused) -> None:
        """Record what is refused without being judged."""
        try:
            self._log.refused(refused)
        except Unlogged as failure:
            logger.error("a refusal cannot be logged: %s", failure)
