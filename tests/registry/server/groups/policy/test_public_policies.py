"""Policies as other people write them decide as their comments say, asked by a real client of `pif serve`.

The files stand in tests/kleis/policy/policies; what a client gets beside the decision is looked at too: the text leads
with the word, a denial is an error result, and the policy can be listed and described.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.servers.theory_client import theory_client
from tests.support.theories.policies import POLICIES, expectations_of


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.stem))
def test_policies_decide_as_their_comments_say(path: Path, tmp_path: Path) -> None:
    with theory_client(tmp_path, groups="policy", policy=path) as server:
        for action, given, allowed in expectations_of(path):
            reply = server.reply("check_action", action=action, **given)
            assert reply.structured["allowed"] is allowed, (action, given, reply.structured)
            assert reply.is_error is not allowed
            assert re.match(r"\W*ALLOWED" if allowed else r"\W*DENIED", reply.text)
        rules = server.ask("list_rules")["check_functions"]
        schema = server.ask("describe_schema")["schema"]
        assert [each["name"] for each in rules] == [each["name"] for each in schema["check_functions"]]
        for proposition in schema["verifiable_propositions"][::4]:
            found = server.ask("evaluate", expression=proposition["kleis"])
            assert found["status"] in ("value", "verified", "disproved"), (proposition, found)
