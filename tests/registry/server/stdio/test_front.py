"""The front on standard streams against the SDK's server: whole sessions, with and without it, answer alike."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from registry.server.contract.group import PromptArgument, PromptSpec, ResourceSpec, ToolSpec
from registry.server.offers.offer import Offer
from registry.server.offers.wire_forms import PAGE
from registry.server.stdio.front import Front
from registry.server.streams.connection import InputStream
from registry.server.streams.messages import Incoming, Reply
from tests.programs.demo_group import ECHO, DemoGroup
from tests.support.servers.raw_client import call, cancelled, demo, initialize, modern

Message = dict[str, Any]

INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}


def request(number: int | str, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})}


def handshake(version: str = "2025-11-25", capabilities: Any = None, **params: Any) -> Message:
    about = {
        "protocolVersion": version,
        "capabilities": capabilities or {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    return request("hello", "initialize", **{**about, **params})


class Behind(Front):
    """A front that takes nothing: everything goes the SDK's way."""

    def _take(self, said: Incoming | Reply) -> bool:
        return False


class Prompted(DemoGroup):
    """The demo's group with a prompt."""

    def prompts(self) -> Sequence[PromptSpec]:
        wanted = PromptArgument("what", "what to say")
        return [
            PromptSpec(
                name="say", title="Say", description="Says it.", text="say {what}", arguments=(wanted,)
            )
        ]


async def _spoken(
    front_type: type[Front], messages: Sequence[Message | bytes], group: DemoGroup
) -> list[Message]:
    """Everything that a server says in a session in which each request waits for its answer."""
    (source, ours), (theirs, sink) = os.pipe(), os.pipe()
    offer = Offer([group], name="demo", version="1.0", title="Demo")
    front = front_type(offer, InputStream())
    serving = asyncio.create_task(front.serve(source, sink))
    reader = asyncio.StreamReader(limit=1 << 24)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(theirs, "rb")
    )
    said: list[Message] = []

    async def until(number: Any) -> None:
        while line := await asyncio.wait_for(reader.readline(), 60):
            said.append(msgspec.json.decode(line))
            if said[-1].get("id") == number and "method" not in said[-1]:
                return

    for message in messages:
        os.write(ours, (message if isinstance(message, bytes) else msgspec.json.encode(message)) + b"\n")
        if isinstance(message, bytes):
            await until(None)
        elif "id" in message and "method" in message:
            await until(message["id"])
    os.close(ours)
    await until(object())
    await asyncio.wait_for(serving, 60)
    transport.close()
    return said


def both(
    *messages: Message | bytes, group: type[DemoGroup] = DemoGroup
) -> tuple[list[Message], list[Message]]:
    """What the front and what the SDK's server says in one session."""
    return (
        asyncio.run(_spoken(Front, messages, group())),
        asyncio.run(_spoken(Behind, messages, group())),
    )


SESSIONS: dict[str, list[Message | bytes]] = {
    **{
        f"the handshake of {version}": [handshake(version), INITIALIZED, request(1, "ping"), *map(request, LISTS, LISTS)]
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1.0", "")
    },
    "standing alone": [modern(request(1, "server/discover")), *(modern(request(each, each)) for each in LISTS)],
    "a list first": [modern(request(each, each)) for each in LISTS],
    "ping alone": [request(1, "ping")],
    "nothing before the handshake": [request(1, "tools/list"), handshake(), request(2, "tools/list")],
    "initialized only": [INITIALIZED, call(1, "echo", {"value": 1}), request(2, "tools/list")],
    "two handshakes": [handshake(), handshake(), request(1, "tools/list")],
    "a handshake for one who stands alone": [modern(request(1, "tools/list")), handshake(), request(2, "ping")],
    "standing alone after a handshake": [handshake(), modern(request(1, "tools/list")), request(2, "tools/list")],
    "an envelope around a handshake": [modern(handshake()), request(1, "tools/list")],
    "no such method": [handshake(), request(1, "tools/lost"), request(2, "server/discover"), request(3, "tools/list")],
    "no ping there": [modern(request(1, "server/discover")), modern(request(2, "ping")), modern(request(3, "tools/list"))],
    "pages": [handshake(), request(1, "tools/list", cursor="0"), request(2, "tools/list", cursor="x"), request(3, "tools/list", cursor=5)],
    "progress of a list": [handshake(), request(1, "tools/list", _meta={"progressToken": 5}), request(2, "ping", _meta={"other": 1})],
    "levels": [handshake(), request(1, "logging/setLevel", level="info"), request(2, "tools/list")],
    "reading": [handshake(), INITIALIZED, request(1, "resources/read", uri="demo://tools"), request(2, "resources/read", uri="demo://tols")],
    "completion": [handshake(), request(1, "completion/complete", ref={"type": "ref/resource", "uri": "demo://tools/{name}"}, argument={"name": "name", "value": "e"})],
    "calls and lists": [handshake(), call(1, "echo", {"value": 1}), request(2, "tools/list"), call(3, "ecko", {}), call(4, "fail", {"how": "exception"})],
    "a tool more": [handshake(), INITIALIZED, call(1, "add_tool", {"name": "new"}), request(2, "tools/list")],
    "watching what changes": [handshake(), INITIALIZED, request(1, "resources/subscribe", uri="demo://tools"), call(2, "add_tool", {"name": "new"}), request(3, "resources/unsubscribe", uri="demo://tools")],
    "cancelling what is not": [handshake(), cancelled(5), request(1, "ping")],
    "other notifications": [handshake(), {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}, {"jsonrpc": "2.0", "method": "nonsense"}, request(1, "ping")],
    "answers to nothing": [{"jsonrpc": "2.0", "id": 5, "result": {}}, handshake(), {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}}, request(1, "ping")],
    "no JSON": [b"{", handshake(), b"[]", request(1, "ping")],
    "no JSON in the newer": [modern(request(1, "server/discover")), b"{", modern(request(2, "tools/list"))],
    "views": [handshake(capabilities=VIEWS), INITIALIZED, request(1, "tools/list"), request(2, "resources/list"), call(3, "echo", {"value": 1})],
    **{
        f"capabilities {each!r}": [handshake(capabilities=each), request(1, "tools/list")]
        for each in (
            {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}, "experimental": {"x": {"y": 1}}},
            {"roots": {"listChanged": "maybe"}}, {"sampling": 5}, {"tasks": {}}, {"unknown": 1}, {"extensions": {"a/b": {}}},
            {"elicitation": {"form": {"applyDefaults": True}, "url": {}}}, {"experimental": {"x": 1}}, {"roots": None},
        )
    },
    **{
        f"a handshake with {each!r}": [handshake(**each), request(1, "ping"), request(2, "tools/list")]
        for each in (
            {"clientInfo": {"name": "x"}}, {"clientInfo": {"name": "x", "version": 1}}, {"clientInfo": None}, {"capabilities": []},
            {"protocolVersion": 5}, {"protocolVersion": None}, {"_meta": {"progressToken": 1}}, {"_meta": 5}, {"extra": 1},
            {"clientInfo": {"name": "x", "version": "1", "title": "T", "websiteUrl": "no address", "icons": []}},
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_is_the_same_with_and_without_the_sdk(session: str) -> None:
    ours, theirs = both(*SESSIONS[session])

    assert _without_references(ours) == _without_references(theirs)
    assert len(ours) >= 1


def test_a_session_with_prompts() -> None:
    messages = [
        handshake(),
        *map(request, LISTS, LISTS),
        request(1, "prompts/get", name="say", arguments={"what": "it"}),
    ]
    ours, theirs = both(*messages, group=Prompted)

    assert ours == theirs
    assert "prompts" in ours[0]["result"]["capabilities"]
    assert ours[4]["result"]["prompts"][0]["arguments"][0]["required"] is True


def _without_references(said: list[Message]) -> list[Message]:
    """What was said, with the references of defects, which are random, left out, and lists that are told in any place."""
    told = [each for each in said if "id" not in each]
    answers = [each for each in said if "id" in each]
    text = msgspec.json.encode([*answers, *sorted(told, key=msgspec.json.encode)])
    return list(msgspec.json.decode(re.sub(rb"internal error \w+", b"internal error", text)))


# The SDK comes when it is needed, and only then.

_PROGRAM = """
import sys
from tests.programs.demo_group import main
sys.argv = ["demo"]
status = main()
sys.stderr.write(" ".join(name for name in ("mcp", "mcp_types", "pydantic", "starlette") if name in sys.modules))
sys.exit(status)
"""


def test_the_sdk_is_not_loaded_for_lists_and_calls() -> None:
    with demo(command=[sys.executable, "-c", _PROGRAM]) as client:
        client.handshake()
        for each in LISTS[:3]:
            client.send(request(each, each))
            assert "error" not in client.answer_to(each)
        assert client.call(1, "echo", value=5)["structuredContent"]["value"] == 5
        client.send(call(2, "add_tool", {"name": "new"}))
        assert {client.receive().get("method") for _ in range(2)} == {
            None,
            "notifications/tools/list_changed",
        }
        client.end_input()

        assert client.wait() == 0
        assert client.errors == b""


def test_what_is_under_way_goes_on_while_the_sdk_is_loaded() -> None:
    with demo() as client:
        client.handshake()
        client.send(call("long", "wait_for_cancel", {}))
        client.send(request("read", "resources/read", uri="demo://tools"))
        client.send(call("short", "echo", {"value": 1}))
        assert client.receive()["id"] == "short"  # past the SDK, which is being loaded
        assert client.receive()["id"] == "read"
        client.send(cancelled("long"))
        client.send(request("list", "tools/list"))
        assert client.receive()["id"] == "list"
        client.end_input()
        assert client.process.wait(60) == 0


def test_a_server_that_is_stopped_early_ends() -> None:
    with demo() as client:
        client.send(initialize(1))
        client.answer_to(1)
        client.process.terminate()
        assert client.process.wait(60) == 0
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=b"", capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


class Many(DemoGroup):
    """The demo's group with more tools than a page has, and resources that cannot be listed."""

    def tools(self) -> tuple[ToolSpec, ...]:
        return (*super().tools(), *(msgspec.structs.replace(ECHO, name=f"echo_{n}") for n in range(PAGE)))

    def resources(self) -> Sequence[ResourceSpec]:
        raise RuntimeError("no resources today")


def test_pages_and_defects() -> None:
    ours, theirs = both(handshake(), request(1, "tools/list"), request(2, "resources/list"), group=Many)

    assert _without_references(ours) == _without_references(theirs)
    assert ours[1]["result"]["nextCursor"] == str(PAGE)
    assert ours[2]["error"]["code"] == -32603
