"""The gateway over HTTP: sessions, requests that stand alone, tokens, headers that disagree with the body."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from registry.access.principals import read_scopes
from registry.access.tokens import TokenFile, read_expiry
from tests.support.gateway.fake_servers import tool
from tests.support.gateway.served_gateway import MODERN, Files, gateway_process

WRITERS = """
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("plain", "echo", _, _, _) => Allow
  | McpCall("plain", "change", _, _, _) => if has_scope(who, "write") then Allow else Deny("write", who_is(who))
  | _ => Deny("default", "")
}
define who_is(who : Principal) : String = match who { Principal(name, _) => name }
"""
USUAL = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Web:
    """A gateway over HTTP."""

    def __init__(self, port: int) -> None:
        self.port = port

    def post(self, message: Any, **headers: str) -> tuple[int, dict[str, str], Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("POST", "/mcp", body, {**USUAL, **named})
            answer = connection.getresponse()
            text = answer.read()
            found = json.loads(text) if text.startswith(b"{") else text
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, found
        finally:
            connection.close()

    def modern(self, method: str, params: dict[str, Any], **headers: str) -> tuple[int, Any]:
        """A request of the newer generation; `headers` in place of those that it has."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": MODERN}}
        own = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
        if "name" in params:
            own["Mcp_Name"] = params["name"]
        status, _, found = self.post(message, **{**own, **headers})
        return status, found

    def open(self, **headers: str) -> tuple[str, Any]:
        """A session of the older generation: its name, and the answer."""
        about = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        status, found, answer = self.post(message, **headers)
        assert status == 200, answer
        return found["mcp-session-id"], answer


@contextmanager
def web(files: Files, *options: str) -> Iterator[Web]:
    with gateway_process(*files.options(), "--http", "127.0.0.1:0", *options) as gateway:
        assert gateway.process.stderr is not None
        said = gateway.process.stderr.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert found is not None, said
        yield Web(int(found[1]))


CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "plain__echo", "arguments": {"n": 1}},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Files]]:
    """A gateway without tokens, whose caller has the scope `write`."""
    files = Files(tmp_path_factory.mktemp("gateway"), WRITERS)
    marked = {"path": {"x-mcp-header": "Path"}, "in": {"properties": {"n": {"x-mcp-header": "N"}}}}
    tools = [
        *json.loads(files.tools.read_text()),
        tool("marked", inputSchema={"type": "object", "properties": marked}),
    ]
    files.tools.write_text(json.dumps(tools))
    with web(files, "--scopes", "write") as served:
        yield served, files


def test_both_generations_are_served(opened: tuple[Web, Files]) -> None:
    served, _ = opened
    session, answer = served.open()
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["serverInfo"]["name"] == "pif-gateway"
    status, _, found = served.post(CALL, Mcp_Session_Id=session)
    assert (status, "isError" in found["result"]) == (200, False)
    status, found = served.modern("tools/call", {"name": "plain__echo", "arguments": {}})
    assert (status, found["result"]["resultType"]) == (200, "complete")


def test_headers_that_name_another_tool_are_refused(opened: tuple[Web, Files]) -> None:
    served, files = opened
    before = files.calls()
    for headers in (
        {"Mcp_Name": "plain__change"},
        {"Mcp_Method": "tools/list"},
        {"Mcp_Name": "=?base64?###?="},
    ):
        status, found = served.modern("tools/call", {"name": "plain__echo", "arguments": {}}, **headers)
        assert (status, found["error"]["code"]) == (400, -32020)
    status, found = served.modern("tools/list", {}, MCP_Protocol_Version="2025-11-25")
    assert status == 400
    status, found = served.modern("tools/list", {}, MCP_Protocol_Version="2099-01-01")
    assert (status, found["error"]["code"]) == (400, -32022)
    assert files.calls() == before


def test_headers_that_say_something_else_of_arguments_are_refused(opened: tuple[Web, Files]) -> None:
    served, files = opened
    before = files.calls()

    def call(arguments: dict[str, Any], **headers: str) -> int | None:
        params = {"name": "plain__marked", "arguments": arguments}
        status, found = served.modern("tools/call", params, **headers)
        if "error" not in found:
            assert found["result"]["isError"] is True  # denied by the policy: it was judged
            return None
        assert status == 400
        return int(found["error"]["code"])

    mismatch = -32020
    assert call({"path": "/a"}, Mcp_Param_Path="/a") is None
    assert call({"path": "/a"}, Mcp_Param_Path="=?base64?L2E=?=") is None
    assert call({"path": "/a"}, Mcp_Param_Path="/a", Mcp_Param_Other="x") is None
    assert call({"in": {"n": 4}}, Mcp_Param_N="4.0") is None
    assert call({"in": {"n": True}}, Mcp_Param_N="true") is None
    assert call({}) is None
    assert call({"path": "/a"}, Mcp_Param_Path="/b") == mismatch
    assert call({"path": "/a"}) == mismatch
    assert call({}, Mcp_Param_Path="/a") == mismatch
    assert call({"path": ["/a"]}, Mcp_Param_Path="/a") == mismatch
    assert call({"path": "/a"}, Mcp_Param_Path="=?base64?###?=") == mismatch
    assert call({"in": {"n": 9007199254740993}}, Mcp_Param_N="9007199254740992") == mismatch
    assert files.calls() == before
    refused = [each for each in files.lines() if each["line"] == "refused" and "mcp-param" in each["reason"]]
    assert len(refused) == 6
    assert {each["name"] for each in refused} == {"plain__marked"}


def test_a_header_that_stands_twice_is_refused(opened: tuple[Web, Files]) -> None:
    served, files = opened
    before = files.calls()
    body = json.dumps({**CALL, "params": {**CALL["params"], "_meta": MODERN}})  # type: ignore[dict-item]
    for name in ("Mcp-Name", "Mcp-Param-X"):
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        connection.putrequest("POST", "/mcp")
        fields = {
            **USUAL,
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "plain__echo",
        }
        for field in (
            *fields.items(),
            (name, "plain__echo"),
            (name, "plain__echo"),
            ("Content-Length", str(len(body))),
        ):
            connection.putheader(*field)
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["error"]["code"]) == (400, -32020)
        connection.close()
    assert files.calls() == before


def test_batches_and_what_is_no_message_are_refused(opened: tuple[Web, Files]) -> None:
    served, files = opened
    before = files.calls()
    session, _ = served.open()
    for body in (b"[]", b"[" + json.dumps(CALL).encode() + b"]", b"{", b"", b'"x"', b"\xff"):
        status, _, found = served.post(body, Mcp_Session_Id=session)
        assert (status, found["id"]) == (400, None)
    assert files.calls() == before


def test_a_request_without_its_session_is_refused(opened: tuple[Web, Files]) -> None:
    served, _ = opened
    assert served.post(CALL)[0] == 400
    assert served.post(CALL, Mcp_Session_Id="none")[0] == 404
    assert served.modern("nope", {})[0] == 404


def test_what_is_said_before_an_answer_makes_it_a_stream(opened: tuple[Web, Files]) -> None:
    served, _ = opened
    listening = {
        "jsonrpc": "2.0",
        "id": 5,
        "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": True}, "_meta": MODERN},
    }
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    headers = {**USUAL, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
    connection.request("POST", "/mcp", json.dumps(listening), headers)
    answer = connection.getresponse()
    assert answer.getheader("content-type") == "text/event-stream"
    first = _event(answer)
    assert first["method"] == "notifications/subscriptions/acknowledged"
    status, _ = served.modern("tools/call", {"name": "plain__change", "arguments": {}})
    assert status == 200
    told = _event(answer)
    assert told["method"] == "notifications/tools/list_changed"
    assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 5
    connection.close()


def _event(answer: http.client.HTTPResponse) -> dict[str, Any]:
    """The next message of a stream."""
    while not (line := answer.readline()).startswith(b"data: {"):
        assert line, "the stream has ended"
    found: dict[str, Any] = json.loads(line[6:])
    return found


def test_principals_have_the_scopes_of_their_tokens_and_sessions_of_their_own(tmp_path: Path) -> None:
    files = Files(tmp_path, WRITERS)
    tokens = TokenFile(tmp_path / "home")
    _, ann = tokens.create("ann", read_scopes("read"), read_expiry("never"))
    _, bob = tokens.create("bob", read_scopes("read"), read_expiry("never"))
    with web(files, "--grant", "bob=write") as served:
        assert served.post(CALL)[0] == 401
        of_ann, of_bob = {"Authorization": f"Bearer {ann}"}, {"Authorization": f"Bearer {bob}"}
        change = {"name": "plain__change", "arguments": {}}
        denied = served.modern("tools/call", change, **of_ann)[1]["result"]["_meta"]["pif/gateway"]
        assert (denied["rule"], denied["hint"]) == ("write", "ann")
        assert "isError" not in served.modern("tools/call", change, **of_bob)[1]["result"]
        session, _ = served.open(**of_ann)
        assert served.post(CALL, Mcp_Session_Id=session, **of_bob)[0] == 404
        assert served.post(CALL, Mcp_Session_Id=session, **of_ann)[0] == 200
        tokens.revoke("ann")
        assert served.post(CALL, Mcp_Session_Id=session, **of_ann)[0] == 401
    assert {each["principal"] for each in files.lines() if "principal" in each} == {"ann", "bob"}
    assert ann not in "".join(each.read_text() for each in files.log_files())
    sent = files.received.read_text()
    assert ann not in sent
    assert bob not in sent
