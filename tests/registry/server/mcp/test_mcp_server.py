"""The server as a process, spoken to through raw pipes: both protocol generations."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from registry.server.contract.group import Group, ToolSpec
from registry.server.mcp.listed import page_of as _page
from registry.server.mcp.mcp_server import McpServer
from registry.server.offers.offer import Offer
from registry.server.offers.wire_forms import PAGE
from registry.server.serve import GROUPS, chosen_names
from registry.server.streams.messages import NESTING, TEXT_LIMIT
from tests.programs.demo_group import DemoGroup
from tests.support.servers.raw_client import RawClient, call, cancelled, demo, initialize, modern, ready

SUBSCRIBE = {"notifications": {"toolsListChanged": True, "resourcesListChanged": True}}


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    """One server on the 2025 protocol, for tests that leave it as it was."""
    with ready() as ready_client:
        yield ready_client


def request(number: int | str, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def error_of(result: Any) -> dict[str, Any]:
    """The error object of a refused call, having checked that text and object say the same."""
    assert result["isError"] is True
    error = result["structuredContent"]["error"]
    assert error["message"] in result["content"][0]["text"]
    return dict(error)


# the two generations


def test_the_2025_handshake_tells_the_truth() -> None:
    with demo() as client:
        result = client.handshake()
        assert result["protocolVersion"] == "2025-11-25"
        assert result["instructions"] == "Call echo first."
        assert result["serverInfo"] == {"name": "demo", "version": "1.0"}
        assert result["capabilities"]["tools"] == {"listChanged": True}
        assert result["capabilities"]["resources"]["listChanged"] is True


def test_nothing_is_called_before_the_handshake() -> None:
    with demo() as client:
        client.send(call(1, "echo", {"value": 1}))
        assert client.answer_to(1)["error"]["code"] == -32602
        client.handshake()
        assert client.is_alive()


def test_the_2026_protocol() -> None:
    with demo() as client:
        client.send(modern(request(1, "server/discover")))
        result = client.answer_to(1)["result"]
        assert result["supportedVersions"] == ["2026-07-28"]
        assert result["capabilities"]["tools"] == {"listChanged": True}
        client.send(modern(call(2, "echo", {"value": 5})))
        assert client.answer_to(2)["result"]["structuredContent"]["value"] == 5
        client.send(initialize(3))
        assert client.answer_to(3)["error"]["code"] == -32022
        client.send(call(4, "echo", {"value": 5}))
        assert client.answer_to(4)["error"]["code"] == -32602


def test_the_generations_are_not_mixed() -> None:
    with ready() as client:
        client.send(modern(call(1, "echo", {"value": 5})))
        assert client.answer_to(1)["error"]["code"] == -32600
        assert client.is_alive()


@pytest.mark.parametrize("arguments", [{"value": [1, {"a": 10**30}]}, {"value": 1, "fuel": 0}])
def test_the_short_way_and_the_ways_of_the_sdk_answer_alike(arguments: dict[str, Any]) -> None:
    """The first call of a 2026 connection goes through the SDK, the next past it; likewise a client of the older
    protocol that only says that it is initialized goes through the SDK's models."""
    with demo() as client:
        client.send(modern(call(1, "echo", arguments)))
        first = client.answer_to(1)["result"]
        client.send(modern(call(2, "echo", arguments)))
        assert client.answer_to(2)["result"] == first
        assert first["resultType"] == "complete"
        assert first["_meta"] == {"io.modelcontextprotocol/serverInfo": {"name": "demo", "version": "1.0"}}
    with demo() as client:
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.send(call(3, "echo", arguments))
        through_models = client.answer_to(3)["result"]
    with ready() as client:
        assert client.call(4, "echo", **arguments) == through_models
    assert {**first, "resultType": None, "_meta": None} == {
        **through_models,
        "resultType": None,
        "_meta": None,
    }


# calls


def test_exact_values_go_both_ways(client: RawClient) -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    for value in (
        2**8192 - 1,
        -(2**64),
        1.5,
        -0.0,
        "\u0000é\U0001f600",
        None,
        {"b": 1, "a": [True]},
        deep,
    ):
        got = client.call(1, "echo", value=value)["structuredContent"]["value"]
        assert json.dumps(got) == json.dumps(value)


@pytest.mark.parametrize(
    ("params", "kind", "said"),
    [
        ({"name": "ecko", "arguments": {}}, "unknown_tool", "Did you mean `echo`?"),
        ({"name": "zzzzzzzz", "arguments": {}}, "unknown_tool", "Tools: echo, "),
        ({"name": 5}, "invalid_argument", "`name`"),
        ({}, "invalid_argument", "`name`"),
        ({"name": "echo"}, "invalid_argument", "`value` is missing"),
        ({"name": "echo", "arguments": [1]}, "invalid_argument", "must be an object"),
        ({"name": "echo", "arguments": {"valeu": 1}}, "invalid_argument", "did you mean `value`?"),
        ({"name": "echo", "arguments": {"value": 1, "fuel": 101}}, "invalid_argument", "at most 100"),
    ],
)
def test_bad_calls_are_results(client: RawClient, params: dict[str, Any], kind: str, said: str) -> None:
    client.send(request(1, "tools/call", **params))
    result = client.answer_to(1)["result"]
    assert error_of(result)["kind"] == kind
    assert said in result["content"][0]["text"]


@pytest.mark.parametrize("how", ["plain", "unencodable", "huge", "recursion", "memory", "stop"])
def test_a_defect_is_a_result_without_its_text(how: str) -> None:
    with ready() as client:
        result = client.call(1, "fail", name=how)
        assert error_of(result)["kind"] == "internal"
        assert "secret" not in json.dumps(result)
        assert "Error:" not in json.dumps(result)
        assert client.is_alive()
        client.end_input()
        assert client.wait() == 0
        assert b"internal error E0001" in client.errors


def test_lone_surrogates_in_an_answer_are_escaped(client: RawClient) -> None:
    client.send(call(1, "fail", {"name": "surrogate"}))
    answer = json.loads(client.line())
    assert answer["result"]["structuredContent"] == {"value": "\ud800"}
    assert answer["result"]["content"][0]["text"] == "torn \ud800"


def test_a_tool_that_is_not_listed_can_be_found(client: RawClient) -> None:
    assert client.call(1, "hidden_one", value=3)["structuredContent"]["value"] == 3


def test_long_text_is_cut(client: RawClient) -> None:
    text = client.call(1, "produce", size=50_000)["content"][0]["text"]
    assert len(text) == TEXT_LIMIT
    assert text.endswith("Ask for less.]")


# progress and cancellation


@pytest.mark.parametrize("is_modern", [False, True])
def test_progress_grows_and_ends_before_the_answer(is_modern: bool) -> None:
    with demo() as client:
        if not is_modern:
            client.handshake()
        for number in (1, 2):
            message = (
                modern(call(number, "count", {"steps": 400}))
                if is_modern
                else call(number, "count", {"steps": 400})
            )
            message["params"].setdefault("_meta", {})["progressToken"] = "token"
            client.send(message)
            seen = []
            while (got := client.receive()).get("method") == "notifications/progress":
                assert got["params"]["progressToken"] == "token"
                assert got["params"]["total"] == 400
                seen.append(got["params"]["progress"])
            assert got["result"]["structuredContent"] == {"done": 400}
            assert seen == sorted(set(seen))
            assert seen[-1] == 400


def test_no_progress_without_a_token(client: RawClient) -> None:
    client.send(call(1, "count", {"steps": 50}))
    assert client.receive()["id"] == 1


@pytest.mark.parametrize("is_modern", [False, True])
def test_a_cancelled_call_is_told_and_never_answered(is_modern: bool) -> None:
    with demo() as client:
        if not is_modern:
            client.handshake()

        def say(message: dict[str, Any]) -> None:
            client.send(modern(message) if is_modern else message)

        for number in (1, 2):
            message = call(number, "wait_for_cancel", {})
            message["params"]["_meta"] = {"progressToken": number}
            say(message) if not is_modern else client.send(_with_token(modern(message), number))
            assert client.receive()["params"]["message"] == "begun"
            client.send(cancelled(number))
            waiting = True
            while waiting:
                say(call("status", "status", {}))
                answer = client.receive()
                assert answer["id"] == "status"
                waiting = answer["result"]["structuredContent"]["cancelled"] < number


def _with_token(message: dict[str, Any], token: int) -> dict[str, Any]:
    message["params"]["_meta"]["progressToken"] = token
    return message


def test_small_calls_are_answered_while_threads_are_busy(client: RawClient) -> None:
    for number in range(6):
        client.send(call(number, "wait_for_cancel", {}))
    for _ in range(20):
        assert client.is_alive()
    for number in range(6):
        client.send(cancelled(number))
    assert client.is_alive()


# lists


def test_tools_are_listed_exactly_and_in_order(client: RawClient) -> None:
    client.send(request(1, "tools/list"))
    tools = client.answer_to(1)["result"]["tools"]
    specs = DemoGroup().tools()
    assert [tool["name"] for tool in tools] == [spec.name for spec in specs]
    for tool, spec in zip(tools, specs, strict=True):
        assert tool["inputSchema"] == spec.input_schema
        assert list(tool["inputSchema"]["properties"]) == list(spec.input_schema["properties"])
        assert tool["annotations"]["readOnlyHint"] is spec.read_only
        assert tool["title"] == spec.title


def test_a_new_tool_is_announced_on_the_older_protocol() -> None:
    with ready() as client:
        client.send(call(1, "add_tool", {"name": "extra"}))
        methods = {client.receive().get("method") for _ in range(3)}
        assert methods == {None, "notifications/tools/list_changed", "notifications/resources/list_changed"}
        client.send(request(2, "tools/list"))
        assert client.answer_to(2)["result"]["tools"][-1]["name"] == "extra"
        assert client.call(3, "extra", value=1)["structuredContent"]["value"] == 1


def test_a_new_tool_is_announced_on_the_newer_protocol() -> None:
    with demo() as client:
        client.send(modern(request("listen", "subscriptions/listen", **SUBSCRIBE)))
        assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        client.send(modern(call(1, "add_tool", {"name": "extra"})))
        methods = {client.receive().get("method") for _ in range(3)}
        assert methods == {None, "notifications/tools/list_changed", "notifications/resources/list_changed"}


def test_pages() -> None:
    items = list(range(2 * PAGE + 1))
    shown: list[int] = []
    cursor: str | None = None
    pages = 0
    while pages == 0 or cursor is not None:
        page, cursor = _page(items, _Cursor(cursor))  # type-checked by duck: only `cursor` is looked at
        shown.extend(page)
        pages += 1
    assert (shown, pages) == (items, 3)


class _Cursor(msgspec.Struct):
    cursor: str | None


def test_a_foreign_cursor_is_refused(client: RawClient) -> None:
    for cursor in ("-1", "x", "1e3", "٣", "9" * 5_000):
        client.send(request(1, "tools/list", cursor=cursor))
        assert client.answer_to(1)["error"]["code"] == -32602
    client.send(request(2, "tools/list", cursor="900000000"))
    assert client.answer_to(2)["result"]["tools"] == []


def test_resources(client: RawClient) -> None:
    client.send(request(1, "resources/list"))
    (resource,) = client.answer_to(1)["result"]["resources"]
    assert (resource["uri"], resource["title"]) == ("demo://tools", "Tools")
    client.send(request(2, "resources/templates/list"))
    assert client.answer_to(2)["result"]["resourceTemplates"][0]["uriTemplate"] == "demo://tools/{name}"
    client.send(request(3, "resources/read", uri="demo://tools/echo"))
    (content,) = client.answer_to(3)["result"]["contents"]
    assert content == {"uri": "demo://tools/echo", "mimeType": "text/plain", "text": "echo"}
    client.send(request(4, "resources/read", uri="demo://toools"))
    error = client.answer_to(4)["error"]
    assert error["code"] == -32602
    assert "did you mean demo://tools" in error["message"]
    client.send(request(5, "resources/read", uri="demo://tools/defect"))
    error = client.answer_to(5)["error"]
    assert (error["code"], "secret" in error["message"]) == (-32603, False)


def test_completion(client: RawClient) -> None:
    ref = {"type": "ref/resource", "uri": "demo://tools/{name}"}
    client.send(request(1, "completion/complete", ref=ref, argument={"name": "name", "value": "ec"}))
    assert client.answer_to(1)["result"]["completion"] == {
        "values": ["echo"],
        "total": 1,
        "hasMore": False,
    }
    client.send(request(2, "completion/complete", ref=ref, argument={"name": "other", "value": "e"}))
    assert client.answer_to(2)["result"]["completion"]["values"] == []


# the end


def test_what_was_asked_before_the_end_is_answered() -> None:
    """`printf … | pif serve` works without waiting."""
    with demo() as client:
        for message in (initialize(0), call(1, "echo", {"value": 7}), request(2, "tools/list")):
            client.send(message)
        client.end_input()
        assert {client.receive()["id"] for _ in range(3)} == {0, 1, 2}
        assert client.wait() == 0


def test_the_end_cancels_what_runs() -> None:
    with ready() as client:
        for number in range(10):
            client.send(call(number, "wait_for_cancel", {}))
        assert client.is_alive()
        client.end_input()
        assert client.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_server(number: signal.Signals) -> None:
    with ready() as client:
        for each in range(3):
            client.send(call(each, "wait_for_cancel", {}))
        assert client.is_alive()
        client.process.send_signal(number)
        for _ in range(3):
            result = client.receive()["result"]
            assert result["isError"]
            assert result["structuredContent"]["error"]["kind"] == "cancelled"
        assert client.wait() == 0
        assert client.errors == b""


@pytest.mark.parametrize("is_modern", [False, True])
def test_a_refused_call_has_the_form_of_its_protocol(is_modern: bool) -> None:
    with demo() as client:
        if is_modern:
            client.send(modern({"jsonrpc": "2.0", "id": 0, "method": "tools/list"}))
            assert client.answer_to(0)["result"]["resultType"] == "complete"
        else:
            client.handshake()
        asked = call(1, "echo", {"value": "DEEP"})
        text = msgspec.json.encode(modern(asked) if is_modern else asked)
        client.write(text.replace(b'"DEEP"', b"[" * NESTING + b"]" * NESTING) + b"\n")
        result = client.answer_to(1)["result"]
        assert result["structuredContent"]["error"]["kind"] == "term_too_deep"
        assert result.get("resultType") == ("complete" if is_modern else None)
        assert ("_meta" in result) is is_modern


def test_standard_descriptors_are_moved_away(tmp_path: Any) -> None:
    script = tmp_path / "noisy.py"
    script.write_text(
        "import os, sys\n"
        "from registry.server.contract.group import Answer\n"
        "from registry.server.stdio.stdio_server import serve_stdio\n"
        "from tests.programs import demo_group\n"
        "class Noisy(demo_group.DemoGroup):\n"
        "    async def call(self, name, arguments, context):\n"
        "        print('printed', flush=True)\n"
        "        os.system('echo from a child; cat')\n"
        "        return Answer({'read': sys.stdin.read()}, 'done')\n"
        "sys.exit(serve_stdio([Noisy()], name='noisy', version='1'))\n"
    )
    with demo(command=[sys.executable, str(script)]) as client:
        client.handshake()
        assert client.call(1, "status")["structuredContent"] == {"read": ""}
        client.end_input()
        assert client.wait() == 0
        assert b"printed" in client.errors
        assert b"from a child" in client.errors


# construction


class _Named(Group):
    def __init__(self, name: str, tools: Sequence[ToolSpec] = (), instructions: str = "") -> None:
        self.name = name
        self.instructions = instructions
        self._tools = tuple(tools)

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools


def test_groups_that_do_not_fit_together() -> None:
    tool = DemoGroup().tools()[0]
    with pytest.raises(ValueError, match="one and two both list the tool echo"):
        Offer([_Named("one", [tool]), _Named("two", [tool])], name="x", version="1")
    with pytest.raises(ValueError, match="2048 are allowed"):
        Offer([_Named("one", (), "x" * 2_000), _Named("two", (), "x" * 100)], name="x", version="1")


def test_groups_are_chosen_by_name_in_their_own_order() -> None:
    assert chosen_names("all") == list(GROUPS)
    assert chosen_names(",".join(reversed(GROUPS))) == list(GROUPS)
    with pytest.raises(ValueError, match=r"no group 'piff'; did you mean 'pif'\? groups: pif, "):
        chosen_names("piff")
    with pytest.raises(ValueError, match="no group is chosen"):
        chosen_names(" , ")


def test_later_groups_are_brief_where_all_would_be_too_long() -> None:
    long, brief = _Named("one", (), "x" * 2_000), _Named("two", (), "y" * 100)
    brief.brief_instructions = "z" * 40
    server = McpServer(Offer([long, brief], name="x", version="1")).server
    assert server.instructions == "x" * 2_000 + "\n\n" + "z" * 40
