"""Policies from texts, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kleis.policy.decision import Decision
from kleis.policy.policy import Default, Policy, policy_of, policy_search
from kleis.theory.loader import Loader

__all__ = ["STARTER", "decide", "policy"]

STARTER = Path(__file__).parents[3] / "stdlib" / "kleis" / "policies" / "coding_agent.kleis"


def policy(text: str, *, default: Default = "allow") -> Policy:
    loading = Loader(policy_search(Path("here.kleis"))).load_text(text, file="here.kleis")
    return policy_of(loading, default=default)


def decide(text: str, action: object, /, **given: Any) -> Decision:
    return policy(text).decide(action, given)
