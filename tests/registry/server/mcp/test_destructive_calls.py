"""A person is asked before something is destroyed, by real clients of both generations over both transports."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp.client import Client
from mcp_types import ElicitRequestParams, ElicitResult, TextContent

from registry.server.calls.confirmation import can_be_asked
from registry.server.contract.group import Answer, CallContext, Group, ToolSpec
from registry.server.mcp import request_client
from registry.server.mcp.mcp_server import McpServer
from registry.server.offers.offer import Offer
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, call, demo, modern
from tests.support.servers.real_clients import WAYS, converse

MAGMA = "structure Magma(M) { operation (⊙) : M × M → M }"


class Person:
    """Answers questions in order, and keeps them."""

    def __init__(self, *answers: ElicitResult) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return self.answers.pop(0)


YES = ElicitResult(action="accept", content={"confirm": True})
UNTICKED = ElicitResult(action="accept", content={"confirm": False})
NO = ElicitResult(action="decline")
AWAY = ElicitResult(action="cancel")


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The object of an answer, having checked that the text says it too."""
    result = await client.call_tool(tool, arguments)
    found = result.structured_content
    assert isinstance(found, dict)
    if result.is_error:
        assert isinstance(result.content[0], TextContent)
        error = found["error"]
        assert (error if isinstance(error, str) else error["message"]) in result.content[0].text
    return found


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_what_destroys_is_asked_about(way: tuple[str, str], tmp_path: Path) -> None:
    person = Person(NO, UNTICKED, AWAY, YES, NO, YES, NO, YES, NO, YES)

    async def talk(client: Client) -> None:
        for code in (1, 2):
            await ask(client, "evolve", name="mine", description="Mine", code=code)
        for _ in range(3):
            refused = await ask(client, "forget", name="mine")
            assert refused["error"]["kind"] == "declined"
            assert "nothing was changed" in refused["error"]["message"]
            assert (await ask(client, "run", code="mine"))["value"] == 2
        assert (await ask(client, "forget", name="mine@1"))["type"] == "forgotten"
        assert person.asked[0] == "Forget the tool mine for good, with all its versions (2)?"
        assert "version 1 of the tool mine" in person.asked[3]

        await ask(client, "submit_structure", kleis=MAGMA, session="s")
        refused = await ask(client, "load_theory", imports=[], session="s")
        assert (refused["status"], refused["error"]["kind"]) == ("error", "declined")
        assert (await ask(client, "list_session", session="s"))["count"] == 1
        assert (await ask(client, "load_theory", imports=["stdlib/prelude"], session="s"))["count"] == 0
        assert "(1) are dropped" in person.asked[4]

        await ask(client, "save_theory", session="s", name="kept")
        for expected in ("declined", "saved"):
            saved = await ask(client, "save_theory", session="s", name="kept", overwrite=True)
            assert expected in (saved["status"], saved.get("error", {}).get("kind"))

        await ask(client, "submit_structure", kleis=MAGMA, session="s")
        assert (await ask(client, "undo", session="s"))["error"]["kind"] == "declined"
        assert (await ask(client, "undo", session="s"))["status"] == "undone"
        assert MAGMA in person.asked[-1]
        assert person.answers == []

        # What destroys nothing is not asked about: a try, a replacement that nothing stood in the way of, an empty session.
        await ask(client, "evolve", name="mine", description="Mine", code=3, force=True, dry_run=True)
        await ask(client, "save_theory", session="s", name="other", overwrite=True)
        await ask(client, "load_theory", imports=["stdlib/prelude"], session="s")
        assert (await ask(client, "forget", name="nobody"))["error"]["kind"] == "unknown_tool"
        assert (await ask(client, "forget"))["error"]["kind"] == "invalid_argument"

    converse(tmp_path, way, talk, client={"elicitation_callback": person})


@pytest.mark.parametrize("way", [WAYS[0], WAYS[-1]], ids=" ".join)
def test_clients_that_cannot_ask_work_as_before(way: tuple[str, str], tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        await ask(client, "evolve", name="mine", description="Mine", code=1)
        assert (await ask(client, "forget", name="mine"))["type"] == "forgotten"

    converse(tmp_path, way, talk, groups="pif")


# One group whose question changes, in memory.


class Wipe(msgspec.Struct, frozen=True):
    what: str = "all"


class Wiping(Group):
    """A tool that destroys what its question names; `asked` and `wiped` tell how often."""

    name = "wiping"

    def __init__(self) -> None:
        self.questions = ["Wipe all?"] * 3
        self.wiped = 0
        self.running = asyncio.Event()

    def tools(self) -> tuple[ToolSpec, ...]:
        return _TOOLS

    def question(self, name: str, arguments: Any) -> str | None:
        if arguments.what == "defect":
            raise RuntimeError("the secret of the group")
        return self.questions[0] if self.questions else None

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        if name == "wipe":
            self.wiped += 1
        return Answer({"wiped": self.wiped}, f"{self.wiped}")


_TOOLS = (
    ToolSpec(name="wipe", title="Wipe", description="Wipes.", arguments=Wipe, may_ask=True, destructive=True),
    ToolSpec(name="look", title="Look", description="Looks.", arguments=Wipe, read_only=True),
)


def in_memory(group: Wiping, mode: str, talk: Any, **of_client: Any) -> None:
    server = McpServer(Offer([group], name="n", version="1"))
    server.http_sessions(1_000)  # answers as over HTTP: in memory nothing is encoded

    async def run() -> None:
        async with (
            asyncio.timeout(60),
            server.open(),
            Client(server.server, mode=mode, **of_client) as client,
        ):
            await talk(client)

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_what_was_agreed_to_is_what_is_done(mode: str) -> None:
    """The question is another one after the first answer, so that it is asked again."""
    group = Wiping()
    person = Person(YES, NO)

    async def answering(context: Any, params: ElicitRequestParams) -> ElicitResult:
        said = await person(context, params)
        group.questions = ["Wipe all, and more?"]
        return said

    async def talk(client: Client) -> None:
        assert (await ask(client, "wipe"))["error"]["kind"] == "declined"
        assert person.asked == ["Wipe all?", "Wipe all, and more?"]
        assert group.wiped == 0

    in_memory(group, mode, talk, elicitation_callback=answering)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_a_question_that_fails_is_asked_in_general(mode: str) -> None:
    group = Wiping()
    person = Person(NO)

    async def talk(client: Client) -> None:
        assert (await ask(client, "wipe", what="defect"))["error"]["kind"] == "declined"

    in_memory(group, mode, talk, elicitation_callback=person)
    assert person.asked == ["What `wipe` would change could not be found out. Call it all the same?"]


def test_waiting_for_a_person_holds_nothing_up_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the older protocol the call waits: other calls are answered meanwhile, and after its time nothing is done."""
    monkeypatch.setattr(request_client, "PATIENCE", 1.0)
    group = Wiping()

    async def talk(client: Client) -> None:
        waiting = asyncio.create_task(ask(client, "wipe"))
        await begun.wait()
        assert (await ask(client, "look"))["wiped"] == 0
        refused = await waiting
        assert refused["error"]["kind"] == "not_answered"
        assert "nothing was changed" in refused["error"]["message"]
        assert group.wiped == 0

    begun = asyncio.Event()

    async def silent(context: Any, params: ElicitRequestParams) -> ElicitResult:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    in_memory(group, "legacy", talk, elicitation_callback=silent)


def test_an_agreement_is_good_for_one_thing(tmp_path: Path) -> None:
    """What the newer generation sends back is the client's to change: only what this server sealed counts."""
    yes = {"confirm": {"action": "accept", "content": {"confirm": True}}}
    with demo(command=command(tmp_path, more=True)) as client:

        def said(name: str, **more: Any) -> dict[str, Any]:
            message = modern(call(name, "forget", {"name": name}))
            message["params"] |= more
            message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {"elicitation": {}}
            client.send(message)
            answer = client.answer_to(name)
            return dict(answer.get("result") or answer["error"])

        for name in ("one", "two"):
            client.send(modern(call("new", "evolve", {"name": name, "description": name, "code": 1})))
            client.answer_to("new")
        asked = said("one")
        assert asked["resultType"] == "input_required"
        assert asked["inputRequests"]["confirm"]["method"] == "elicitation/create"
        state = asked["requestState"]
        assert said("one", inputResponses=yes)["resultType"] == "input_required", "without what was asked"
        assert said("one", requestState=state)["resultType"] == "input_required", "without an answer"
        assert said("two", inputResponses=yes, requestState=state)["code"] == -32602
        assert said("one", inputResponses=yes, requestState=state[:-2] + "AA")["code"] == -32602
        for wrong in ({"action": "accept"}, {"action": "accept", "content": {"confirm": False}}):
            refused = said("one", inputResponses={"confirm": wrong}, requestState=state)
            assert refused["structuredContent"]["error"]["kind"] == "declined"
        assert said("one", inputResponses=yes, requestState=state)["structuredContent"]["type"] == "forgotten"
        again = said("one", inputResponses=yes, requestState=state)
        assert again["structuredContent"]["error"]["kind"] == "unknown_tool"


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({}, False),
        ({"elicitation": True}, False),
    ],
)
def test_who_can_be_asked(capabilities: Any, expected: bool) -> None:
    assert can_be_asked(capabilities) is expected
