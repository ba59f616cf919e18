"""Tools that ask their clients, write to their logs and answer with more than text, through the SDK's client."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from registry.server.contract.settings import Settings, Site
from registry.server.mcp.request_client import OPEN
from registry.server.serve import FIXTURES, GROUPS, chosen_names, make_groups
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, PATIENCE

MODES = ("legacy", MODERN)


async def elicited(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    """A person who answers every question about a name or a colour, and declines to send an e-mail address."""
    assert isinstance(params, types.ElicitRequestFormParams)
    fields = params.requested_schema["properties"]
    if "email" in fields:
        return types.ElicitResult(action="decline")
    known: dict[str, Any] = {"name": "Ada", "color": "green", "ok": True, "context": "a garden"}
    return types.ElicitResult(action="accept", content={name: known[name] for name in fields})


async def sampled(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    """A model that repeats its prompt."""
    said = params.messages[0].content
    assert isinstance(said, types.TextContent)
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(text=f"“{said.text}”"), model="echo"
    )


async def rooted(context: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root(uri="file:///tmp/work")])


EVERYTHING = {
    "elicitation_callback": elicited,
    "sampling_callback": sampled,
    "list_roots_callback": rooted,
}


def converse(home: Path, mode: str, talk: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    program, *arguments = command(home, groups="conformance")
    parameters = StdioServerParameters(command=program, args=arguments)

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(parameters, mode=mode, **options) as client:
            await talk(client)

    asyncio.run(run())


async def text_of(client: Client, tool: str, arguments: dict[str, Any] | None = None) -> str:
    answer = await client.call_tool(tool, arguments or {})
    assert not answer.is_error, answer.content
    assert isinstance(answer.content[0], types.TextContent)
    return answer.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_a_tool_asks_the_same_in_both_generations(mode: str, tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        assert await text_of(client, "test_sampling", {"prompt": "hello"}) == "LLM response: “hello”"
        assert "decline" in await text_of(client, "test_elicitation", {"message": "Where to write?"})
        assert await text_of(client, "test_input_required_result_elicitation") == "Hello, Ada!"
        assert await text_of(client, "test_input_required_result_multi_round") == "Ada likes green"
        assert "state-ok" in await text_of(client, "test_input_required_result_request_state")
        everything = await text_of(client, "test_input_required_result_multiple_inputs")
        assert everything == "answered: client_roots, greeting, user_name"
        prompt = await client.get_prompt("test_input_required_result_prompt")
        assert "a garden" in str(prompt.messages)

    converse(tmp_path, mode, talk, **EVERYTHING)


def test_a_client_that_cannot_be_asked_is_told(tmp_path: Path) -> None:
    async def older(client: Client) -> None:
        answer = await client.call_tool("test_missing_capability", {})
        assert answer.is_error
        assert answer.structured_content is not None
        assert answer.structured_content["error"]["kind"] == "client_cannot"
        assert "sampling" in answer.structured_content["error"]["message"]
        some = await text_of(client, "test_input_required_result_capabilities")
        assert some == "answered: user_name"

    async def newer(client: Client) -> None:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("test_missing_capability", {})
        assert refused.value.error.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
        assert refused.value.error.data == {"requiredCapabilities": {"sampling": {}}}
        some = await text_of(client, "test_input_required_result_capabilities")
        assert some == "answered: user_name"

    converse(tmp_path, "legacy", older, elicitation_callback=elicited)
    converse(tmp_path, MODERN, newer, elicitation_callback=elicited)


def test_a_client_that_fails_to_answer_gets_an_error_that_says_so(tmp_path: Path) -> None:
    async def failing(context: Any, params: types.ElicitRequestParams) -> types.ErrorData:
        return types.ErrorData(code=-32000, message="the window is closed")

    async def talk(client: Client) -> None:
        answer = await client.call_tool("test_elicitation", {"message": "Who?"})
        assert answer.is_error
        assert answer.structured_content is not None
        assert answer.structured_content["error"]["kind"] == "not_answered"
        assert "-32000" in answer.structured_content["error"]["message"]
        assert await text_of(client, "test_simple_text")  # and the server goes on

    converse(tmp_path, "legacy", talk, elicitation_callback=failing)


def test_calls_that_wait_for_their_clients_are_bounded(tmp_path: Path) -> None:
    asked = 0
    go_on = asyncio.Event()

    async def waiting(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        nonlocal asked
        asked += 1
        await go_on.wait()
        return types.ElicitResult(action="cancel")

    async def talk(client: Client) -> None:
        first = [client.call_tool("test_elicitation", {"message": str(number)}) for number in range(OPEN)]
        calls = [asyncio.create_task(each) for each in first]
        while asked < OPEN:
            await asyncio.sleep(0.01)
        refused = await client.call_tool("test_elicitation", {"message": "one more"})
        assert refused.structured_content is not None
        assert refused.structured_content["error"]["kind"] == "too_busy"
        assert await text_of(client, "test_simple_text")
        go_on.set()
        assert not any(each.is_error for each in await asyncio.gather(*calls))
        assert "cancel" in await text_of(client, "test_elicitation", {"message": "again"})

    converse(tmp_path, "legacy", talk, elicitation_callback=waiting)


def test_state_that_was_changed_or_is_anothers_is_rejected(tmp_path: Path) -> None:
    tool, other = "test_input_required_result_tampered_state", "test_input_required_result_request_state"
    answers = {"confirm": types.ElicitResult(action="accept", content={"ok": True})}

    async def talk(client: Client) -> None:
        session = client.session
        required = await session.call_tool(tool, {}, allow_input_required=True)
        assert isinstance(required, types.InputRequiredResult)
        state = required.request_state
        assert state
        assert "{" not in state  # sealed: what the tool remembers is not to be read
        for name, changed in ((tool, state[:-2] + "AA"), (other, state), (tool, "{}")):
            with pytest.raises(MCPError, match="requestState") as refused:
                await session.call_tool(
                    name, {}, input_responses=answers, request_state=changed, allow_input_required=True
                )
            assert refused.value.error.code == types.INVALID_PARAMS
        done = await session.call_tool(tool, {}, input_responses=answers, request_state=state)
        assert isinstance(done, types.CallToolResult)
        assert not done.is_error

    converse(tmp_path, MODERN, talk, **EVERYTHING)


@pytest.mark.filterwarnings("ignore:The logging capability is deprecated")
def test_log_entries_are_sent_from_the_level_that_was_asked_for(tmp_path: Path) -> None:
    seen: list[types.LoggingMessageNotificationParams] = []

    async def note(params: types.LoggingMessageNotificationParams) -> None:
        seen.append(params)

    async def older(client: Client) -> None:
        await client.call_tool("test_tool_with_logging", {})
        assert [each.data for each in seen][::2] == ["Tool execution started", "Tool execution completed"]
        seen.clear()
        await client.set_logging_level("warning")
        await client.call_tool("test_tool_with_logging", {})
        assert seen == []
        await client.set_logging_level("debug")
        await client.call_tool("test_logging_tool", {})
        assert [each.level for each in seen] == ["info"]

    async def newer(client: Client) -> None:
        seen.clear()
        await client.call_tool("test_tool_with_logging", {})
        assert seen == []
        await client.call_tool("test_tool_with_logging", {}, meta={types.LOG_LEVEL_META_KEY: "info"})
        assert len(seen) == 3
        await client.call_tool("test_tool_with_logging", {}, meta={types.LOG_LEVEL_META_KEY: "error"})
        assert len(seen) == 3

    converse(tmp_path, "legacy", older, logging_callback=note)
    converse(tmp_path, MODERN, newer, logging_callback=note)


@pytest.mark.parametrize("mode", MODES)
def test_content_that_is_no_text(mode: str, tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        mixed = await client.call_tool("test_multiple_content_types", {})
        text, image, resource = mixed.content
        assert isinstance(text, types.TextContent)
        assert isinstance(image, types.ImageContent)
        assert base64.b64decode(image.data).startswith(b"\x89PNG")
        assert isinstance(resource, types.EmbeddedResource)
        sound = (await client.call_tool("test_audio_content", {})).content[1]
        assert isinstance(sound, types.AudioContent)
        assert base64.b64decode(sound.data)[8:12] == b"WAVE"
        binary = (await client.read_resource("test://static-binary")).contents[0]
        assert isinstance(binary, types.BlobResourceContents)
        assert binary.blob == image.data
        templated = (await client.read_resource("test://template/a7/data")).contents[0]
        assert isinstance(templated, types.TextResourceContents)
        assert "a7" in templated.text
        with pytest.raises(MCPError):
            await client.read_resource("test://template/a/b/data")

    converse(tmp_path, mode, talk)


def test_the_group_is_offered_by_name_only(tmp_path: Path) -> None:
    assert chosen_names("all") == list(GROUPS)
    assert chosen_names("conformance,pif") == ["pif", "conformance"]
    site = Site(Settings(home=tmp_path))
    offered = {each.name for each in make_groups("all", site)}
    assert not offered & set(FIXTURES)
    site.close()
