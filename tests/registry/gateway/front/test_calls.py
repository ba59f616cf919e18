"""Calls: judged on what is sent, logged before they are sent, answered with what the server said."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from kleis.policy.calls import Annotations, Principal
from registry.gateway.front.catalogue import Entry
from registry.gateway.log.records import Asked, Outcome
from registry.gateway.upstream.protocol import Answer, UpstreamFailure, UpstreamSettings
from tests.support.gateway.fake_servers import FakeServer, Gate, ended, request, tool, until

READ_ALONE = """
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("files", "read", arguments, Annotations(true, _, _, _), _) =>
        if has_scope(who, "read") ∧ get(arguments, "n") = JsonNumber(1/10) then Allow else Deny("tenth", "send a tenth")
  | GetPrompt("files", "plan", arguments) => if get(arguments, "a") = JsonText("b") then Allow else Deny("plans", "")
  | ReadResource("files", "file:///a") => Allow
  | Complete("files", "plan", "a", value) => if value = "b" then Allow else Deny("values", "")
  | Complete("files", "plan", "c", _) => Allow
  | McpCall(_, "asks", _, _, _) => Ask("consent", "is that meant?")
}
"""


def files(**more: Any) -> FakeServer:
    given: dict[str, Any] = {
        "tools": [tool("read", annotations={"readOnlyHint": True}), tool("asks"), tool("write.all")],
        "prompts": [{"name": "plan"}],
        "resources": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}],
    }
    return FakeServer(**{**given, **more})


def test_arguments_go_on_as_the_bytes_that_came() -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE)
        arguments = b'{ "n" : 1.00e-1, "x":[1E2 , "\\u00e9"] }'
        result = await gate.call("files__read", arguments)
        assert result == {"content": []}
        assert gate.server.sent == [("tools/call", {"name": b'"read"', "arguments": arguments})]
        asked, outcome = gate.log.lines
        assert isinstance(asked, Asked)
        assert (asked.principal, asked.kind, asked.server, asked.name) == ("ann", "tool", "files", "read")
        assert (asked.arguments, asked.decision, asked.forwarded) == (arguments, "allow", True)
        assert asked.policy.startswith("sha256:")
        assert isinstance(outcome, Outcome)
        assert (outcome.size, outcome.error) == (len(b'{"content":[]}'), "")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("name", "arguments", "rule", "hint"),
    [
        ("files__read", b'{"n": 0.2}', "tenth", "send a tenth"),
        ("files__read", b'{"n": 9007199254740993}', "strict-json", "send it as text"),
        ("files__read", b'{"n": 1e400}', "strict-json", ""),
        ("files__asks", b"{}", "consent", "is that meant?"),
    ],
)
def test_a_denied_call_reaches_no_server(name: str, arguments: bytes, rule: str, hint: str) -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE)
        result = await gate.call(name, arguments)
        assert gate.server.sent == []
        assert result["isError"] is True
        about = result["_meta"]["pif/gateway"]
        assert about["denied"] is True
        assert about["rule"] == rule
        assert hint in about.get("hint", "")
        assert rule in result["content"][0]["text"]
        [asked] = gate.log.lines
        assert isinstance(asked, Asked)
        assert (asked.forwarded, asked.rule) == (False, rule)

    asyncio.run(scenario())


def test_what_no_rule_allows_and_what_fails_is_denied() -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE)
        written = next(
            each.name for each in (await gate.client.catalogue.all("tools")) if each.own == "write.all"
        )
        assert (await gate.call(written))["isError"] is True  # no case of the rule
        gate.policies.now = type(gate.policies.now)(None, "the file is broken")
        result = await gate.call("files__read", b'{"n": 0.1}')
        assert result["isError"] is True
        assert "no policy is in force" in result["content"][0]["text"]
        assert gate.server.sent == []

    asyncio.run(scenario())


def test_an_integer_beyond_2_53_passes_where_the_tool_is_marked_exact() -> None:
    async def scenario() -> None:
        server = files()
        server.settings = UpstreamSettings("files", command="none", exact=frozenset({"read"}))
        gate = Gate(server)
        assert "isError" not in await gate.call("files__read", b'{"n": 123456789012345678901234567890}')
        assert (await gate.call("files__asks", b'{"n": 123456789012345678901234567890}'))["isError"] is True
        assert [params["name"] for _, params in server.sent] == [b'"read"']

    asyncio.run(scenario())


def test_nothing_is_sent_when_the_log_cannot_be_written() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.log.broken = True
        result = await gate.call("files__read")
        assert gate.server.sent == []
        assert result["_meta"]["pif/gateway"]["rule"] == "log"

    asyncio.run(scenario())


def test_the_line_is_written_before_the_call_is_sent() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        sent_before: list[int] = []
        gate.log.on_before = lambda: sent_before.append(len(gate.server.sent))
        await gate.call("files__read")
        assert sent_before == [0]
        assert len(gate.server.sent) == 1

    asyncio.run(scenario())


def test_an_answer_is_given_although_its_outcome_cannot_be_logged() -> None:
    async def scenario() -> None:
        gate = Gate(files())

        def answers(method: str, params: object) -> Answer:
            gate.log.broken = True
            return Answer(b'{"content":[],"x":1}')

        gate.server.answers = answers
        assert (await gate.call("files__read"))["x"] == 1
        assert (await gate.call("files__read"))["isError"] is True
        assert len(gate.server.sent) == 1

    asyncio.run(scenario())


def test_monitoring_forwards_what_would_be_denied_and_says_so_in_the_log() -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE, mode="monitor")
        assert "isError" not in await gate.call("files__read", b'{"n": 0.2}')
        assert "isError" not in await gate.call("files__read", b'{"n": 9007199254740993}')
        assert [(each.decision, each.rule, each.forwarded) for each in gate.asked] == [
            ("deny", "tenth", True),
            ("deny", "strict-json", True),
        ]
        assert len(gate.server.sent) == 2
        gate.log.broken = True
        assert (await gate.call("files__read"))["isError"] is True
        assert len(gate.server.sent) == 2

    asyncio.run(scenario())


def test_a_call_is_judged_by_the_policy_in_force_when_judging_began() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        before = gate.policies.now

        def replaced() -> None:
            gate.policies.now = type(before)(None, "replaced")

        gate.log.on_before = replaced
        assert "isError" not in await gate.call("files__read")
        assert gate.asked[0].policy == gate.policies.digest(before)
        assert (await gate.call("files__read"))["isError"] is True

    asyncio.run(scenario())


def test_failures_of_a_server_are_results_that_say_what_happened() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.failure = UpstreamFailure("timed_out", "no answer within 2 s")
        result = await gate.call("files__read")
        assert result["isError"] is True
        assert result["_meta"]["pif/gateway"] == {
            "denied": False, "error": {"kind": "timed_out", "message": "no answer within 2 s"},
        }  # fmt: skip
        assert gate.log.lines[-1].error == "timed_out"  # type: ignore[union-attr]

    asyncio.run(scenario())


def test_errors_of_a_server_are_handed_on_as_they_are() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.answers = lambda method, params: Answer(
            error=b'{"code":-32602,"message":"m","data":{"n":1.0}}'
        )
        raw = b'{"name":"files__read","arguments":{}}'
        answer = await gate.client.answer(request("tools/call", raw), gate.hears)
        assert answer == b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":{"n":1.0}}}'

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "params", "allowed"),
    [
        ("resources/read", {"uri": "files+file:///a"}, True),
        ("resources/read", {"uri": "file:///a"}, True),
        ("resources/read", {"uri": "files+file:///b"}, False),
        ("resources/read", {"uri": "files+file:///../a"}, False),
        ("resources/subscribe", {"uri": "files+file:///a"}, True),
        ("resources/subscribe", {"uri": "files+file:///b"}, False),
        ("prompts/get", {"name": "files__plan", "arguments": {"a": "b"}}, True),
        ("prompts/get", {"name": "files__plan", "arguments": {"a": "c"}}, False),
        ("prompts/get", {"name": "files__plan"}, False),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "files__plan"}, "argument": {"name": "a", "value": "b"}}, True),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "files__plan"}, "argument": {"name": "a", "value": "x"}}, False),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "files__plan"},
                "argument": {"name": "c", "value": "x"},
                "context": {"arguments": {"a": "not allowed"}},
            },
            False,
        ),
    ],
)  # fmt: skip
def test_reading_prompts_and_completions_are_judged_too(
    method: str, params: dict[str, Any], allowed: bool
) -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE)
        gate.server.answers = lambda method, params: Answer(b"{}")
        answer = await gate.ask(method, params)
        assert ("result" in answer) is allowed
        assert len(gate.server.sent) == allowed
        if not allowed:
            assert answer["error"]["data"]["kind"] == "denied"

    asyncio.run(scenario())


def test_what_the_gateway_does_not_judge_it_does_not_send() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        for method, params in (
            ("tools/call", {"name": "files__read", "arguments": {}, "task": {"ttl": 1}}),
            ("tools/call", {"name": "files__read", "arguments": []}),
            ("prompts/get", {"name": "files__plan", "requestState": "x"}),
            ("resources/read", {"uri": "files+file:///a", "inputResponses": {}}),
            (
                "completion/complete",
                {"ref": {"type": "ref/tool", "name": "x"}, "argument": {"name": "a", "value": ""}},
            ),
            (
                "completion/complete",
                {
                    "ref": {"type": "ref/prompt", "name": "files__plan"},
                    "argument": {"name": "a", "value": "", "x": 1},
                },
            ),
            ("tasks/get", {}),
            ("sampling/createMessage", {}),
        ):
            answer = await gate.ask(method, params)
            assert answer.get("result", {}).get("isError") or "error" in answer
        assert gate.server.sent == []

    asyncio.run(scenario())


def test_names_that_nothing_has_are_answered_with_the_nearest() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        assert "did you mean files__read?" in (await gate.call("files__reed"))["content"][0]["text"]
        assert "did you mean files__read?" in (await gate.call("fils__read"))["content"][0]["text"]
        assert "names are SERVER__NAME" in (await gate.call("read"))["content"][0]["text"]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "params", "name", "reason"),
    [
        ("tools/call", {"name": "files__reed"}, "files__reed", "has no tool"),
        ("tools/call", {"name": "fils__read"}, "fils__read", "no server is called"),
        ("tools/call", {"name": "files__read", "task": {}}, "files__read", "'task' is not known here"),
        ("tools/call", {}, "", "`name` must be a string"),
        ("prompts/get", {"name": "files__plot"}, "files__plot", "has no prompt"),
        ("resources/read", {"uri": "http://nowhere"}, "http://nowhere", "no server has the resource"),
        ("resources/subscribe", {"uri": "http://nowhere"}, "http://nowhere", "no server has the resource"),
        ("completion/complete", {"ref": {"type": "ref/tool"}, "argument": {}}, "", "`ref` has the type"),
        ("tasks/get", {"name": "x"}, "x", "there is no such method"),
    ],
)
def test_what_is_refused_before_it_is_judged_is_in_the_log(
    method: str, params: dict[str, Any], name: str, reason: str
) -> None:
    async def scenario() -> None:
        gate = Gate(files())
        await gate.ask(method, params)
        [refused] = gate.log.refusals
        assert (refused.principal, refused.method, refused.name) == ("ann", method, name)
        assert reason in refused.reason
        assert (gate.log.lines, gate.server.sent) == ([], [])

    asyncio.run(scenario())


def test_a_call_of_a_server_that_does_not_start_is_in_the_log() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.failure = UpstreamFailure("unavailable", "files did not start")
        assert (await gate.call("files__read"))["isError"] is True
        [refused] = gate.log.refusals
        assert (refused.name, refused.reason) == ("files__read", "files did not start")
        assert gate.log.lines == []

    asyncio.run(scenario())


def test_what_is_refused_is_refused_also_where_that_cannot_be_logged() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.log.broken = True
        assert (await gate.call("files__reed"))["isError"] is True
        assert gate.server.sent == []

    asyncio.run(scenario())


def test_what_is_not_approved_any_more_is_neither_listed_nor_called() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.approvals.problems["read"] = "its description has changed"
        result = await gate.call("files__read")
        assert result["_meta"]["pif/gateway"]["rule"] == "approved"
        assert "its description has changed" in result["content"][0]["text"]
        listed = (await gate.ask("tools/list"))["result"]["tools"]
        assert "files__read" not in [each["name"] for each in listed]
        assert gate.server.sent == []

    asyncio.run(scenario())


def test_a_tool_that_its_server_changes_while_its_call_is_judged_is_not_called() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.log.on_before = lambda: gate.server.tell("notifications/tools/list_changed")
        result = await gate.call("files__read")
        assert result["_meta"]["pif/gateway"]["rule"] == "approved"
        assert gate.server.sent == []
        assert gate.log.lines[-1].error == "changed"  # type: ignore[union-attr]

    asyncio.run(scenario())


def test_a_changed_list_is_looked_at_before_the_next_call() -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE)
        assert "isError" not in await gate.call("files__read", b'{"n": 0.1}')
        gate.server.lists["tools"] = [tool("read", annotations={"readOnlyHint": False})]
        gate.server.tell("notifications/tools/list_changed")
        assert (await gate.call("files__read", b'{"n": 0.1}'))["isError"] is True
        assert len(gate.server.sent) == 1

    asyncio.run(scenario())


def test_annotations_and_scopes_are_what_the_policy_sees() -> None:
    async def scenario() -> None:
        gate = Gate(files(), rule=READ_ALONE, who=Principal("bob", ("run",)))
        assert (await gate.call("files__read", b'{"n": 0.1}'))["isError"] is True
        entry, _ = await gate.client.catalogue.find("tools", "files__read")
        assert isinstance(entry, Entry)
        assert entry.annotations == Annotations(read_only=True)

    asyncio.run(scenario())


def test_a_cancelled_call_is_cancelled_at_its_server_and_has_no_answer() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.hangs.add("tools/call")
        asked = request("tools/call", b'{"name":"files__read","arguments":{}}', number=b'"a"')
        task = asyncio.ensure_future(gate.client.answer(asked, gate.hears))
        await until(lambda: bool(gate.server.sent))
        gate.client.cancel(("text", "a"))
        assert await task is None
        assert gate.server.cancelled == 1
        assert gate.log.lines[-1].error == "cancelled"  # type: ignore[union-attr]

    asyncio.run(scenario())


def test_progress_has_the_clients_own_token() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.progress = [{"progress": b"1", "total": b"2.0"}]
        raw = b'{"name":"files__read","arguments":{},"_meta":{"progressToken":"t","trace":{"n":1}}}'
        await gate.ask("tools/call", raw=raw)
        assert gate.said == [
            {
                "jsonrpc": "2.0",
                "method": "notifications/progress",
                "params": {"progressToken": "t", "progress": 1, "total": 2.0},
            }
        ]
        assert gate.server.metas[-1]["trace"] == b'{"n":1}'
        gate.said.clear()
        await gate.call("files__read")
        assert gate.said == []

    asyncio.run(scenario())


def test_one_client_has_bounded_requests_and_each_id_once() -> None:
    async def scenario() -> None:
        gate = Gate(files())
        gate.server.hangs.add("tools/call")
        raw = b'{"name":"files__read","arguments":{}}'
        tasks = [
            asyncio.ensure_future(
                gate.client.answer(request("tools/call", raw, number=b"%d" % each), gate.hears)
            )
            for each in range(256)
        ]
        await until(lambda: len(gate.server.sent) == 256)
        assert "with this id" in json.dumps(await gate.ask("ping", number=b"7"))
        assert "too many requests" in json.dumps(await gate.ask("ping", number=b"300"))
        for task in tasks:
            await ended(task)
        assert gate.client.is_idle

    asyncio.run(scenario())
