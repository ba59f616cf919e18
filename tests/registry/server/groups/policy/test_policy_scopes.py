"""Tools that two groups have in common are one tool with a scope; audits and comparisons through a client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.server.calls.scoped_tools import share
from registry.server.contract.group import Answer, CallContext, Group, ToolSpec
from registry.server.offers.wire_forms import INSTRUCTIONS_LIMIT
from tests.support.servers.pif_server import pif_server
from tests.support.servers.theory_client import TheoryClient, theory_client

POLICY = 'define check_git_push(branch, force) = if branch = "main" then "deny" else "allow"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("scopes")
    (made / "agent.kleis").write_text(POLICY)
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[TheoryClient]:
    options: dict[str, Any] = {"groups": "pif,theory,policy", "policy": folder / "agent.kleis"}
    with theory_client(folder / "home", **options) as client:
        yield client


def test_no_tool_is_listed_twice(server: TheoryClient) -> None:
    tools = server.tools()
    assert len(tools) == len(set(tools))
    assert {"evaluate", "describe_schema", "check_action", "submit_define", "run"} <= set(tools)


def test_the_scope_says_whose_declarations_are_meant(server: TheoryClient) -> None:
    expression = '∀(b : String). check_git_push("main", 0) = "deny"'
    assert server.ask("evaluate", expression=expression, scope="policy")["status"] == "verified"
    assert server.ask("evaluate", expression=expression)["status"] != "verified"
    server.ask("submit_define", kleis="define forty_two = 42")
    assert server.ask("evaluate", expression="forty_two")["result"] == "42"
    assert server.ask("evaluate", expression="forty_two", scope="theory")["result"] == "42"
    assert server.ask("evaluate", expression="forty_two", scope="policy").get("result") != "42"
    assert "check_functions" in server.ask("describe_schema", scope="policy")["schema"]
    assert "check_functions" not in server.ask("describe_schema")["schema"]


def test_arguments_are_those_of_the_scope(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression="1", scope="policy", session="x")
    assert reply.is_error
    assert "session" in reply.text
    wrong = server.reply("evaluate", expression="1", scope="polcy")
    assert wrong.is_error
    assert "policy" in wrong.text
    assert server.reply("evaluate", scope="policy").is_error


def test_instructions_of_all_groups_fit(folder: Path) -> None:
    with pif_server(folder / "other", groups="all", policy=folder / "agent.kleis") as client:
        client.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
        listed = client.answer_to("list")["result"]["tools"]
    merged = next(each for each in listed if each["name"] == "evaluate")
    assert merged["inputSchema"]["properties"]["scope"]["enum"] == ["theory", "policy"]
    assert merged["inputSchema"]["required"] == ["expression"]
    assert len(merged["description"]) <= INSTRUCTIONS_LIMIT


def test_all_groups_without_a_policy_leave_the_gate_out(folder: Path) -> None:
    with pif_server(folder / "third", groups="all") as client:
        client.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
        names = {each["name"] for each in client.answer_to("list")["result"]["tools"]}
    assert "check_action" not in names
    assert "evaluate" in names


class _Arguments(msgspec.Struct, frozen=True):
    text: str
    times: int = 1


class _Echo(Group):
    def __init__(self, name: str, tool: str) -> None:
        self.name = name
        schema = {
            "type": "object",
            "properties": {"text": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["text"],
        }
        self._tools = (
            ToolSpec(
                name=tool,
                title=tool,
                description=f"{name} says it.",
                schema=schema,
                arguments=_Arguments,
            ),
        )

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        return Answer({"by": self.name, "text": arguments.text * arguments.times}, "")


def test_groups_without_common_tools_stay_as_they_are() -> None:
    groups: list[Group] = [_Echo("a", "one"), _Echo("b", "two")]
    assert share(groups) == groups


def test_three_groups_may_share_a_tool() -> None:
    groups: list[Group] = [_Echo("a", "say"), _Echo("b", "say"), _Echo("c", "say"), _Echo("d", "other")]
    shared = share(groups)
    assert [[spec.name for spec in group.tools()] for group in shared] == [["say"], [], [], ["other"]]
    (spec,) = shared[0].tools()
    assert spec.input_schema["properties"]["scope"]["enum"] == ["a", "b", "c"]
    assert shared[0].tools() is shared[0].tools()
    assert asyncio.run(shared[1].find("say")) is None


# Audits and comparisons.


def test_an_audit_over_the_wire(server: TheoryClient) -> None:
    reply = server.reply("audit_policy", action="git_push")
    assert not reply.is_error
    assert reply.structured["complete"] is True
    slips = [each for each in reply.structured["findings"] if each["kind"] == "slips_past"]
    assert slips
    for each in slips:
        witness = {name: value for name, value in each["witness"].items() if name != "action"}
        again = server.ask("check_action", action=each["witness"]["action"], **witness)
        assert again == each["decision"]
        assert again["allowed"]
    assert "slips_past" in reply.text
    wrong = server.reply("audit_policy", action="git_pusch")
    assert wrong.is_error
    assert "git_push" in wrong.text


def test_a_comparison_over_the_wire(server: TheoryClient, folder: Path) -> None:
    stricter = POLICY.replace('branch = "main"', 'hasPrefix(branch, "ma")')
    found = server.ask("compare_policies", kleis=stricter)
    assert found["relation"] == "stricter"
    (push,) = [each for each in found["actions"] if each["relation"] != "equal"]
    assert push["stricter"]["old"]["allowed"]
    assert not push["stricter"]["new"]["allowed"]
    (folder / "stricter.kleis").write_text(stricter)
    assert server.ask("compare_policies", file="stricter.kleis")["relation"] == "stricter"
    assert server.reply("compare_policies").is_error
    assert server.reply("compare_policies", kleis="define (").is_error
    assert server.reply("compare_policies", file="/etc/passwd").is_error
