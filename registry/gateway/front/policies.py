"""The policy in force, followed while its file changes, and its decisions on calls.

Loading and proving are done in threads; a decision that takes longer than the usual is, too, so that no call holds another.

Invariants
    * A decision is one policy's: `Policies.served` gives it whole, and who has it uses nothing else of it.
    * What cannot be loaded, or whose promises are not kept, is never in force; the one before stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from kleis.policy.calls import Call, CallDecision, Principal
from kleis.policy.policy import BRIEF, CHECK_CALL, FULL, Policy
from kleis.policy.policy_file import PolicyFile, Served

__all__ = ["Policies", "decide", "digest_of"]

LOOK = 0.5
"""Seconds between two looks at the file while nobody calls."""

FIRST = 50.0
"""Seconds that a call waits for the first policy to be proved."""

logger = logging.getLogger(__name__)


def digest_of(policy: Policy) -> str:
    """A digest of the texts of a policy, those of imported files among them."""
    made = hashlib.sha256()
    for source in sorted(policy.loading.sources, key=lambda each: each.name):
        text = source.text.encode()
        made.update(b"%d:%b%d:%b" % (len(source.name.encode()), source.name.encode(), len(text), text))
    return f"sha256:{made.hexdigest()}"


class Policies:
    """The policy of a file.  Use it from one event loop; `close` it."""

    def __init__(self, file: PolicyFile) -> None:
        """Raises what `PolicyFile` raises."""
        self._file = file
        self._digest: tuple[Policy | None, str] = (None, "")
        self._reloading: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._seen: Served | None = None
        self.on_change: Callable[[Served], None] = lambda served: None
        """Told of another policy in force, and of another problem with the file."""

    @classmethod
    def of(cls, path: Path) -> Policies:
        """The policy of a file, whose promises are proved beside what is decided."""
        return cls(PolicyFile(path, default="deny", proves_beside=True))

    def start(self) -> None:
        """Follow the file from now on."""
        self._following = asyncio.get_running_loop().create_task(self._follow())

    def close(self) -> None:
        for task in (self._following, self._reloading):
            if task is not None:
                task.cancel()

    async def served(self) -> Served:
        """The policy in force, and what is wrong with the text in the file.  Waits for the first to be proved."""
        await self._look()
        served = self._file.served
        if served.policy is None and self._file.is_proving:
            async with asyncio.timeout(FIRST) as limit:
                while self._file.is_proving and not limit.expired():
                    await asyncio.sleep(0.02)
            served = self._file.served
        self._tell(served)
        return served

    async def _look(self) -> None:
        """Load what has changed.  Whoever asks meanwhile waits for it too: a call is judged by the file as it is."""
        if self._reloading is None and self._file.state() == "stale":
            self._reloading = asyncio.get_running_loop().create_task(asyncio.to_thread(self._file.reload))
            self._reloading.add_done_callback(self._loaded)
        if self._reloading is not None:
            await asyncio.shield(self._reloading)

    def _loaded(self, task: asyncio.Task[None]) -> None:
        self._reloading = None

    def _tell(self, served: Served) -> None:
        before, self._seen = self._seen, served
        if before is not None and (before.policy, before.problem) != (served.policy, served.problem):
            self.on_change(served)

    async def _follow(self) -> None:
        while True:
            try:
                await self._look()
                self._tell(self._file.served)
            except Exception:
                logger.exception("the policy's file cannot be looked at")
            await asyncio.sleep(LOOK)

    def digest(self, served: Served) -> str:
        """The digest of the policy in force; empty where there is none."""
        policy = served.policy
        if policy is None:
            return ""
        if self._digest[0] is not policy:
            self._digest = (policy, digest_of(policy))
        return self._digest[1]


async def decide(served: Served, who: Principal, call: Call) -> CallDecision:
    """The decision of a policy that is in force.  An error of it, also one of the evaluator's, denies."""
    try:
        decision = served.decide_call(who, call, budget=BRIEF)
        if decision.exhausted:
            decision = await asyncio.to_thread(served.decide_call, who, call, budget=FULL)
    except Exception:
        logger.exception("the policy failed")
        reason = "DENIED — the policy failed; the gateway's log says how"
        return CallDecision(outcome="deny", rule=CHECK_CALL, reason=reason, problem=served.problem)
    return decision
