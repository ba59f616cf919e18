"""Why a question stays undecided, in words, and what to try next: one place for every client.

See docs/reference/proving.md §5.2.
"""

from __future__ import annotations

import msgspec

from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict

__all__ = ["stopped", "within"]

_MORE_TIME = "give it more time (--timeout, over MCP timeout_ms), or prove a simpler law first"


def stopped(claim: str, seconds: float) -> Verdict:
    """The verdict on a question of which a limit of time left nothing."""
    return Verdict(
        status="unknown",
        claim=claim,
        reason="killed",
        message=f"stopped after {seconds:g} s",
        advice=_MORE_TIME,
    )


def within(deadline: Deadline, verdict: Verdict) -> Verdict:
    """The verdict, and where the deadline left it undecided, this as the reason."""
    if verdict.status != "unknown" or not deadline.over:
        return verdict
    late = stopped(verdict.claim, deadline.seconds)
    return msgspec.structs.replace(verdict, reason=late.reason, message=late.message, advice=late.advice)
