"""Policies from texts, and the policy files whose comments say what they decide."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from kleis.policy.decision import Decision
from kleis.policy.policy import Default, Policy, policy_of, policy_search
from kleis.theory.loader import Loader

__all__ = ["POLICIES", "STARTER", "decide", "expectations_of", "policy"]

_EXPECTED = re.compile(r"^// (?P<sign>[+-]) (?P<action>\w+) (?P<arguments>.*)$", re.MULTILINE)
_ARGUMENT = re.compile(r"(\w+)=(.*?)(?=$| force=)")
POLICIES = sorted((Path(__file__).parents[2] / "kleis" / "policy" / "policies").glob("*.kleis"))

STARTER = Path(__file__).parents[3] / "stdlib" / "kleis" / "policies" / "coding_agent.kleis"


def policy(text: str, *, default: Default = "allow") -> Policy:
    loading = Loader(policy_search(Path("here.kleis"))).load_text(text, file="here.kleis")
    return policy_of(loading, default=default)


def decide(text: str, action: object, /, **given: Any) -> Decision:
    return policy(text).decide(action, given)


def expectations_of(path: Path) -> list[tuple[str, dict[str, object], bool]]:
    """What the comments of a policy say: action, arguments, whether it is allowed."""
    found = []
    for expected in _EXPECTED.finditer(path.read_text()):
        given: dict[str, object] = dict(_ARGUMENT.findall(expected["arguments"]))
        if "force" in given:
            given["force"] = given["force"] == "true"
        found.append((expected["action"], given, expected["sign"] == "+"))
    assert len(found) >= 9
    assert {allowed for _, _, allowed in found} == {True, False}
    return found
