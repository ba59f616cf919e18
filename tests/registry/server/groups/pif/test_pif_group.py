"""The group `pif` through raw pipes: its tools, what is exposed, progress, cancellation, admission, resources."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from registry.server.groups.pif.tool_specs import INSTRUCTIONS
from tests.support.servers.pif_server import PifClient, pif_server
from tests.support.servers.raw_client import call, cancelled

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
ADD_UP = {"fold": [{"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}}, 0,
                   {"range": [0, 400_000]}]}  # fmt: skip
"""Some 5,000,000 units: a good second's work."""

COUNT_DOWN = {"if": {"cond": {"eq": [{"var": "n"}, 0]}, "then": "done",
                     "else": {"continue": {"input": {"sub": [{"var": "n"}, 1]}}}}}  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PifClient]:
    with pif_server(tmp_path / "home") as client:
        yield client


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    """One server without tools, for tests that leave it so."""
    with pif_server(tmp_path_factory.mktemp("empty") / "home") as client:
        yield client


def listed(client: PifClient) -> list[str]:
    client.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    return [tool["name"] for tool in client.answer_to("list")["result"]["tools"]]


def evolve(client: PifClient, name: str, code: Any, **more: Any) -> dict[str, Any]:
    return client.ask("evolve", name=name, description=f"the tool {name}", code=code, **more)


def test_the_list_of_tools_is_small_and_portable(empty: PifClient) -> None:
    empty.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    tools = empty.answer_to("list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["evolve", "run", "list", "help", "analyze"]
    for tool in tools:
        assert len(tool["description"]) < 2_048
        assert tool["title"]
        assert tool["annotations"].keys() >= {
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        }
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"


def test_instructions_teach_within_the_limit() -> None:
    assert len(INSTRUCTIONS) < 2_048
    for word in ("evolve", "run", "list", "help", "analyze", "out_of_fuel", "drive", "hint"):
        assert word in INSTRUCTIONS


def test_what_is_evolved_is_a_tool_of_its_own_and_announced(server: PifClient) -> None:
    server.send(call("evolve", "evolve", {"name": "square", "description": "Squares", "code": SQUARE}))
    seen = []
    while "notifications/tools/list_changed" not in seen or "evolve" not in seen:
        message = server.receive()
        seen.append(message.get("method") or message["id"])
    assert listed(server)[-1] == "square"
    assert server.ask("square", input=12)["value"] == 144
    assert server.ask("square", input="12")["value"] == 144


def test_a_description_that_changes_is_announced_and_the_same_again_is_not(server: PifClient) -> None:
    assert evolve(server, "square", SQUARE)["outcome"] == "created"
    assert evolve(server, "square", SQUARE)["outcome"] == "unchanged"
    assert server.ask("evolve", name="square", description="other", code=SQUARE)["outcome"] == "description"
    changed = evolve(server, "square", {"mul": [{"var": "x"}, 3]})
    assert (changed["outcome"], changed["version"]) == ("new_version", 2)
    assert server.ask("run", code="square@1", input=5)["value"] == 25
    assert server.ask("run", code="square", input=5)["value"] == 15


def test_only_so_many_tools_are_listed_and_all_can_be_called(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", expose=2) as client:
        for name in ("c", "a", "b"):
            evolve(client, name, {"add": [{"var": "x"}, len(name)]})
        assert listed(client)[5:] == ["a", "b"]
        assert client.ask("c", input=1)["value"] == 2
        assert listed(client)[5:] == ["b", "c"]
        assert client.ask("run", tool="a", input=1)["value"] == 2
        assert listed(client)[5:] == ["a", "c"]
    with pif_server(tmp_path / "home", expose=0) as client:
        assert listed(client)[5:] == []
        assert client.ask("b", input=1)["value"] == 2


def test_another_process_evolves_and_this_one_sees_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pif_server(home) as one, pif_server(home) as other:
        evolve(one, "square", SQUARE)
        assert other.ask("run", tool="square", input=3)["value"] == 9
        assert "square" in listed(other)
        evolve(other, "square", {"var": "x"})
        assert one.ask("square", input=3)["value"] == 3


def test_types_are_told_by_evolve_list_and_analyze(server: PifClient) -> None:
    made = evolve(server, "square", SQUARE)
    assert (made["inferred_type"], made["input_type"], made["result_type"]) == (
        "integer → integer",
        "integer",
        "integer",
    )
    mixed = evolve(server, "mixed", {"lam": "x", "body": [{"var": "x"}, 1, "a"]})
    assert mixed["type"] == "tool"
    (problem,) = mixed["type_errors"]
    assert (problem["path"], problem["because"]) == ("/body/2", "/body/1")
    found = server.ask("list")["tools"]
    assert {tool["name"]: tool["type"] for tool in found} == {"mixed": None, "square": "integer → integer"}
    analyzed = server.ask("analyze", code="mixed", aspects=["types"])
    assert analyzed["type_errors"][0]["tool"] == "mixed@1"


def test_a_tool_in_python(server: PifClient) -> None:
    made = evolve(server, "double", "def double(x):\n    return x * 2", language="python")
    assert (made["outcome"], made["inferred_type"]) == ("created", "integer → integer")
    assert server.ask("run", code="double", input=21)["value"] == 42
    wrong = evolve(server, "wrong", "def f(x):\n    return x.y", language="python")["error"]
    assert (wrong["kind"], wrong["line"], wrong["column"]) == ("parse_error", 2, 12)
    assert evolve(server, "wrong", 5, language="python")["error"]["path"] == "/code"


def test_a_small_run_is_answered_while_long_ones_go_on(empty: PifClient) -> None:
    for number in range(2):
        empty.send(call(f"long-{number}", "run", {"code": ADD_UP, "fuel": 5_000_000}))
    empty.send(call("short", "run", {"code": {"add": [1, 2]}}))
    order = [empty.receive()["id"] for _ in range(3)]
    assert order[0] == "short"


def test_a_cancelled_run_stops_and_frees_what_it_held(tmp_path: Path) -> None:
    """Two of the largest runs fill the memory allowed, and a third waits; when they are cancelled, its turn comes."""
    endless = {"app": [{"lam": "f", "body": {"fold": [{"var": "f"}, 0, {"range": [0, 1_000_000]}]}},
                       {"lam": "p", "body": {"fst": {"var": "p"}}}]}  # fmt: skip
    with pif_server(tmp_path / "home", maximum_fuel=50_000_000, memory_mb=5_000) as client:
        for number in range(2):
            client.send(call(f"long-{number}", "run", {"code": endless, "fuel": 50_000_000}))
        client.send(call("third", "run", {"code": ADD_UP, "fuel": 50_000_000}))
        client.send(call("small", "run", {"code": {"add": [1, 2]}}))
        assert client.receive()["id"] == "small"
        for number in range(2):
            client.send(cancelled(f"long-{number}"))
        assert client.answer_to("third")["result"]["structuredContent"]["value"] == 79_999_800_000


def test_more_fuel_than_the_memory_allows_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", memory_mb=10) as client:
        found = client.ask("run", code=ADD_UP, fuel=5_000_000)
        assert found["error"]["kind"] == "too_busy"
        assert "--memory" in found["error"]["hint"]
        assert client.ask("run", code={"add": [1, 2]}, fuel=100_000)["value"] == 3


def test_more_fuel_than_the_maximum_is_an_error_that_names_it(empty: PifClient) -> None:
    found = empty.ask("run", code={"add": [1, 2]}, fuel=5_000_001)
    assert found["error"]["kind"] == "invalid_argument"
    assert "5000000" in found["error"]["message"]


def test_driving_reports_progress(server: PifClient) -> None:
    evolve(server, "down", COUNT_DOWN)
    message = call("drive", "run", {"tool": "down", "input": 200, "drive": 500})
    message["params"]["_meta"] = {"progressToken": "p"}
    server.send(message)
    progress = []
    while (received := server.receive()).get("id") != "drive":
        if received.get("method") == "notifications/progress":
            progress.append(received["params"])
    found = received["result"]["structuredContent"]
    assert (found["value"], found["step"]) == ("done", 200)
    assert progress
    assert [step["progress"] for step in progress] == sorted({step["progress"] for step in progress})
    assert all(step["progressToken"] == "p" and step["total"] == 500 for step in progress)


def test_a_driven_run_can_be_cancelled_between_steps(server: PifClient) -> None:
    evolve(server, "down", COUNT_DOWN)
    server.send(
        call("drive", "run", {"tool": "down", "input": 10_000_000, "drive": 10_000_000, "fuel": 5_000_000})
    )
    server.send(cancelled("drive"))
    assert server.ask("run", tool="down", input=1, drive=1)["value"] == "done"
    assert server.lives()


def test_out_of_fuel_while_driving_loses_nothing(server: PifClient) -> None:
    evolve(server, "down", COUNT_DOWN)
    found = server.ask("run", tool="down", input=100, drive=1_000, fuel=500)
    assert (found["type"], found["stopped"]) == ("continuation", "out_of_fuel")
    rest = server.ask("run", tool=found["tool"], input=found["next_input"], step=found["step"], drive=1_000)
    assert (rest["value"], rest["step"]) == ("done", 100)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("run", {"cod": 1}, ["cod", "code"]),
        ("run", {}, ["code", "tool"]),
        ("run", {"code": 1, "tool": "x"}, ["both"]),
        ("run", {"code": 1, "fuel": "many"}, ["fuel", "integer"]),
        ("run", {"code": 1, "fuel": 0}, ["fuel"]),
        ("run", {"code": 1, "drive": -1}, ["drive"]),
        ("evolve", {"name": "x", "code": 1}, ["description"]),
        ("evolve", {"name": 1, "description": "", "code": 1}, ["name"]),
        ("evolve", {"name": "x", "description": "", "code": 1, "examples": [{"input": 1}]}, ["output"]),
        ("evolve", {"name": "x", "description": "", "code": 1, "law": []}, ["laws"]),
        ("list", {"limit": 0}, ["limit"]),
        ("help", {"category": "lambdas"}, ["lambda"]),
        ("analyze", {"code": 1, "aspects": ["price"]}, ["aspects"]),
        ("analyze", {"code": 1, "agains": 2}, ["against"]),
        ("runn", {}, ["run"]),
    ],
)
def test_wrong_arguments_get_an_answer_that_helps(
    empty: PifClient, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    result = empty.call("wrong", tool, **arguments)
    assert result["isError"]
    text = result["content"][0]["text"]
    for word in words:
        assert word in text
    assert "Traceback" not in text
    assert "msgspec" not in text
    assert empty.lives()


def test_text_and_object_each_say_all(empty: PifClient) -> None:
    result = empty.call("value", "run", code=[1, {"pair": [2, "x"]}])
    assert msgspec.json.decode(result["content"][0]["text"]) == result["structuredContent"]
    refused = empty.call("error", "run", code={"add": [1, {"not": 2}]})
    text, error = refused["content"][0]["text"], refused["structuredContent"]["error"]
    for field in ("kind", "path", "message", "found", "expected"):
        assert str(error[field]) in text


def test_integers_and_depth_pass_exactly(empty: PifClient) -> None:
    big = 2**8191
    found = empty.ask("run", code=big)
    assert found["value"] == big
    assert found["value_text"] == str(big)
    deep = {"fold": [{"lam": "p", "body": [{"fst": {"var": "p"}}]}, 1, {"range": [0, 200]}]}
    found = empty.ask("run", code=deep)
    assert "value" not in found
    assert found["value_text"] == "[" * 200 + "1" + "]" * 200


def test_resources_and_completion(server: PifClient) -> None:
    evolve(server, "square", SQUARE)
    evolve(server, "square", {"var": "x"})

    def ask(method: str, **params: Any) -> Any:
        server.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        return server.answer_to(method)["result"]

    def read(uri: str) -> Any:
        return msgspec.json.decode(ask("resources/read", uri=uri)["contents"][0]["text"])

    assert {entry["uri"] for entry in ask("resources/list")["resources"]} == {
        "pif://tools",
        "pif://graph",
        "pif://graph.json",
        "pif://schema/term",
    }
    assert len(ask("resources/templates/list")["resourceTemplates"]) == 4
    assert read("pif://tools")["total"] == 1
    assert read("pif://tools/square")["version"] == 2
    assert read("pif://tools/square@1")["code"] == SQUARE
    assert read("pif://schema/term")["title"] == "PIF term"
    server.send(
        {"jsonrpc": "2.0", "id": "none", "method": "resources/read", "params": {"uri": "pif://tools/nothing"}}
    )
    assert server.answer_to("none")["error"]["code"] == -32602
    completed = ask("completion/complete", ref={"type": "ref/resource", "uri": "pif://tools/{name}"},
                    argument={"name": "name", "value": "sq"})  # fmt: skip
    assert completed["completion"]["values"] == ["square"]
    versions = ask("completion/complete", ref={"type": "ref/resource", "uri": "pif://tools/{name}@{version}"},
                   argument={"name": "version", "value": ""}, context={"arguments": {"name": "square"}})  # fmt: skip
    assert versions["completion"]["values"] == ["2", "1"]

    of_library = ask("completion/complete", ref={"type": "ref/resource", "uri": "pif://tools/{name}"},
                     argument={"name": "name", "value": "std.rev"})  # fmt: skip
    assert of_library["completion"]["values"] == ["std.reverse", "std.reverseText"]
    versions = ask("completion/complete", ref={"type": "ref/resource", "uri": "pif://tools/{name}@{version}"},
                   argument={"name": "version", "value": ""}, context={"arguments": {"name": "std.reverse"}})  # fmt: skip
    assert versions["completion"]["values"] == ["1"]
    assert {law["status"] for law in read("pif://tools/std.reverse")["laws"]} == {"proved"}


def test_the_second_list(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", more=True) as client:
        assert listed(client)[5:] == [
            "history",
            "diff",
            "rollback",
            "forget",
            "export",
            "import",
            "fuzz",
            "check_laws",
        ]
        evolve(client, "square", SQUARE)
        evolve(client, "square", {"mul": [{"var": "x"}, 3]})
        assert client.ask("diff", name="square")["changes"] == [
            {"path": "/body/mul/1", "from": {"var": "x"}, "to": 3}
        ]
        assert client.ask("rollback", name="square", version=1)["version"] == 1
        assert [event["kind"] for event in client.ask("history", name="square")["events"]] == [
            "evolve", "evolve", "rollback",
        ]  # fmt: skip
        assert client.ask("export", directory="monday")["versions"] == 2
        for path in ("../monday", "/tmp/monday", "a/b", "..", ""):
            assert client.ask("export", directory=path)["error"]["kind"] == "invalid_argument"
            assert client.ask("import", directory=path)["error"]["kind"] == "invalid_argument"
        assert client.ask("forget", name="square")["versions"] == [1, 2]
        assert client.ask("run", tool="square", input=1)["error"]["kind"] == "unknown_tool"
        refused = client.ask("import", directory="monday")
        assert refused["error"]["kind"] == "version_conflict"
        assert client.ask("import", directory="monday", renumber=True)["added"] == 2
        assert client.ask("run", tool="square", input=3)["value"] == 9


def test_a_tool_is_tried_on_made_up_inputs(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", more=True) as client:
        evolve(client, "inverse", {"div": [1, {"var": "x"}]})
        found = client.ask("fuzz", name="inverse", examples=50)
        assert found["seed"] == 0
        assert found["errors"][0]["input"] == 0
        assert client.ask("fuzz", name="inverse", examples=50) == found
        assert client.ask("fuzz", name="inverse", type="lists")["error"]["path"] == "/type"


def test_tools_are_found_again_tomorrow(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home") as client:
        evolve(client, "square", SQUARE)
    with pif_server(tmp_path / "home") as client:
        assert client.ask("list", query="squ")["total"] == 1
        assert client.ask("square", input=9)["value"] == 81


def test_many_clients_of_one_home_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pif_server(home) as one, pif_server(home) as other:
        found: dict[str, list[dict[str, Any]]] = {"one": [], "other": []}

        def work(name: str, client: PifClient) -> None:
            for i in range(40):
                found[name].append(evolve(client, f"{name}_{i % 4}", {"add": [{"var": "x"}, i]}))

        threads = [threading.Thread(target=work, args=pair) for pair in (("one", one), ("other", other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in found:
            assert [answer["version"] for answer in found[name]] == [i // 4 + 1 for i in range(40)]
        assert one.ask("list")["total"] == other.ask("list")["total"] == 8


def test_a_driven_run_of_light_steps_stops_when_cancelled(tmp_path: Path) -> None:
    """Each step is a handful of units: the flag must be asked between steps, not only within them."""
    up = {"lam": "n", "body": {"continue": {"input": {"add": [{"var": "n"}, 1]}}}}
    with pif_server(tmp_path / "home", maximum_fuel=1_000_000_000, memory_mb=100_000) as client:
        evolve(client, "up", up)
        most = {"tool": "up", "input": 0, "drive": 1_000_000_000, "fuel": 1_000_000_000}
        client.send(call("up", "run", most))
        client.send(call("up too", "run", most))
        client.send(call("third", "run", {"code": {"add": [1, 2]}, "fuel": 1_000_000_000, "trace": 1}))
        assert client.lives()
        client.send(cancelled("up"))
        client.send(cancelled("up too"))
        assert client.answer_to("third")["result"]["structuredContent"]["value"] == 3


def test_progress_does_not_flood(server: PifClient) -> None:
    evolve(server, "down", COUNT_DOWN)
    message = call("drive", "run", {"tool": "down", "input": 5_000, "drive": 10_000, "fuel": 1_000_000})
    message["params"]["_meta"] = {"progressToken": "p"}
    server.send(message)
    reports = 0
    while (received := server.receive()).get("id") != "drive":
        reports += received.get("method") == "notifications/progress"
    assert received["result"]["structuredContent"]["value"] == "done"
    assert 0 < reports < 500


def test_fuel_that_ran_out_says_where_it_went(empty: PifClient) -> None:
    """The same over MCP as in the terminal; what to raise is the argument `fuel`."""
    code = {"fold": [{"lam": "p", "body": {"app": ["std.sum", {"range": [0, 500]}]}}, 0, {"range": [0, 100]}]}
    for fuel, hint in ((None, 'Pass "fuel": 100000'), (200_000, 'Pass "fuel": 2000000')):
        error = empty.ask("run", code=code, **({} if fuel is None else {"fuel": fuel}))["error"]
        assert error["hint"].startswith(hint)
        assert [(each["where"], each["under_way"]) for each in error["shares"]] == [
            ("the code", True), ("std.sum@1", True),
        ]  # fmt: skip
        assert sum(each["fuel"] for each in error["shares"]) == error["fuel_used"] == (fuel or 10_000)
