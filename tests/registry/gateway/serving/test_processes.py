"""The gateway as a process: both generations on standard input and output, policies that change, the end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.gateway.served_gateway import MODERN, ROOT, Files, Process, gateway_process

NAMED = """
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("plain", "echo", arguments, _, _) => if get(arguments, "n") = JsonNumber(1) ∨ has_scope(who, "all") then Allow else Deny("one", "send 1")
  | _ => Allow
}
"""
BROKEN_PROMISE = (
    NAMED
    + """
promise nothing : ∀(who : Principal)(state : State)(call : McpCall). ¬allowed(check_call(who, state, call))
"""
)


def test_a_client_of_the_older_generation(tmp_path: Path) -> None:
    files = Files(tmp_path, NAMED)
    with gateway_process(*files.options()) as gateway:
        began = gateway.begin()["result"]
        assert began["protocolVersion"] == "2025-11-25"
        assert "Servers: plain" in began["instructions"]
        listed = gateway.ask("tools/list")["result"]["tools"]
        assert [each["name"] for each in listed] == ["plain__echo", "plain__change"]
        sent = json.loads(gateway.call("plain__echo", {"n": 1})["content"][0]["text"])
        assert sent["params"] == {"name": "echo", "arguments": {"n": 1}}
        denied = gateway.call("plain__echo", {"n": 2})
        assert denied["_meta"]["pif/gateway"]["rule"] == "one"
        assert files.calls() == [{"n": 1}]
        assert gateway.end()[0] == 0
    assert [each.get("decision") for each in files.lines() if each["line"] == "call"] == ["allow", "deny"]


def test_a_client_of_the_newer_generation_with_scopes(tmp_path: Path) -> None:
    files = Files(tmp_path, NAMED)
    with gateway_process(*files.options(), "--scopes", "all") as gateway:
        found = gateway.ask("server/discover", {"_meta": MODERN})["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        answer = gateway.ask("tools/call", {"name": "plain__echo", "arguments": {"n": 2}, "_meta": MODERN})
        assert answer["result"]["resultType"] == "complete"
        assert gateway.ask("tools/list", {})["error"]["code"] == -32600
        unknown = {**MODERN, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
        assert gateway.ask("tools/list", {"_meta": unknown})["error"]["code"] == -32022
    assert files.calls() == [{"n": 2}]


def test_a_policy_is_followed_and_one_that_breaks_a_promise_is_not_put_in_force(tmp_path: Path) -> None:
    files = Files(tmp_path, NAMED)
    with gateway_process(*files.options()) as gateway:
        gateway.begin()
        assert "isError" not in gateway.call("plain__echo", {"n": 1})
        files.write_policy(NAMED.replace("JsonNumber(1)", "JsonNumber(3)"))
        _until_told(gateway, "notifications/tools/list_changed")
        assert gateway.call("plain__echo", {"n": 1})["isError"] is True
        assert "isError" not in gateway.call("plain__echo", {"n": 3})
        files.write_policy(BROKEN_PROMISE)
        problem = _until_said(gateway, "the promise nothing (")
        assert "is broken by" in problem
        assert "the policy loaded before stays in force" in problem
        denied = gateway.call("plain__echo", {"n": 1})["_meta"]["pif/gateway"]
        assert denied["rule"] == "one"
        assert "is broken by" in denied["policy_problem"]
        assert "isError" not in gateway.call("plain__echo", {"n": 3})
    digests = {each["policy"] for each in files.lines() if each["line"] == "call"}
    assert len(digests) == 2


def _until_told(gateway: Process, method: str) -> None:
    while gateway.read().get("method") != method:
        pass


def _until_said(gateway: Process, text: str) -> str:
    """The message of the gateway that has a text."""
    while True:
        found = gateway.read()
        if found.get("method") == "notifications/message" and text in found["params"]["data"]:
            return str(found["params"]["data"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--policy": "nowhere.kleis"}, "nowhere.kleis cannot be loaded"),
        ({"--config": "nowhere.json"}, "nowhere.json cannot be read"),
        ({"--grant": "ann"}, "--grant ann: write NAME=SCOPE,SCOPE"),
        ({"--http": "somewhere"}, "is no address"),
    ],
)
def test_a_gateway_that_cannot_be_is_not_started(tmp_path: Path, change: dict[str, str], said: str) -> None:
    options = Files(tmp_path).options()
    for option, value in change.items():
        options += [option, value]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "registry.cli.pif", "gateway", *options],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert said in done.stderr
