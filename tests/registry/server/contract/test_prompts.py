"""Prompts through the SDK's real client, in both protocol generations; and verdicts as resources."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import msgspec
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from registry.server.contract.prompts import PIF_PROMPTS, POLICY_PROMPTS, THEORY_PROMPTS
from tests.support.servers.pif_server import command
from tests.support.servers.raw_client import MODERN, PATIENCE

STARTER = Path(__file__).parents[4] / "stdlib" / "kleis" / "policies" / "coding_agent.kleis"
ALL = (*PIF_PROMPTS, *THEORY_PROMPTS, *POLICY_PROMPTS)
MODES = ("legacy", MODERN)


def converse(
    home: Path, mode: str, talk: Callable[[Client], Awaitable[None]], *, groups: str, **options: Any
) -> None:
    program, *arguments = command(home, groups=groups, **options)
    root = str(Path(__file__).parents[4])
    parameters = StdioServerParameters(
        command=program, args=arguments, env={**os.environ, "PYTHONPATH": root}
    )

    async def run() -> None:
        async with asyncio.timeout(PATIENCE), Client(parameters, mode=mode) as client:
            await talk(client)

    asyncio.run(run())


@pytest.mark.parametrize("mode", MODES)
def test_every_prompt_is_listed_and_filled_in(mode: str, tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        listed = (await client.list_prompts()).prompts
        assert [each.name for each in listed] == [each.name for each in ALL]
        for each in listed:
            needed = [argument.name for argument in each.arguments or () if argument.required]
            given = dict.fromkeys(needed, "{a brace} and ∀")
            found = await client.get_prompt(each.name, given)
            assert len(found.messages) == 1
            assert found.messages[0].role == "user"
            block = found.messages[0].content
            assert isinstance(block, types.TextContent)
            assert ("{a brace} and ∀" in block.text) == bool(needed)

    converse(tmp_path, mode, talk, groups="pif,theory,policy", policy=STARTER)


def test_tools_that_prompts_speak_of_are_there(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        tools = {each.name for each in (await client.list_tools()).tools}
        for prompt in ALL:
            given = {each.name: "x" for each in prompt.arguments}
            called = {word.strip("`.,:;") for word in prompt.filled(given).split() if word.startswith("`")}
            words = called - {"status", "clash", "against"}
            assert words
            assert words <= tools, words - tools

    converse(tmp_path, MODERN, talk, groups="pif,theory,policy", policy=STARTER)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("build_teory", {"subject": "groups"}, "did you mean build_theory?"),
        ("build_theory", {}, "needs 'subject': what the theory is about"),
        ("build_theory", {"subject": "  "}, "needs 'subject'"),
        (
            "build_theory",
            {"subject": "groups", "sesion": "s"},
            "takes no 'sesion': it takes subject, session",
        ),
    ],
)
def test_what_cannot_be_filled_in_is_refused(
    name: str, given: dict[str, str], said: str, tmp_path: Path
) -> None:
    async def talk(client: Client) -> None:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, given)
        assert said in refused.value.message

    converse(tmp_path, MODERN, talk, groups="theory")


def test_arguments_are_completed(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        text = "structure Magma(M) { operation (⊙) : M × M → M }"
        await client.call_tool("submit_structure", {"kleis": text, "session": "algebra"})
        prompt = types.PromptReference(name="explore_structure")
        session = await client.complete(prompt, {"name": "session", "value": "al"})
        assert session.completion.values == ["algebra"]
        structure = await client.complete(
            prompt, {"name": "structure", "value": "Mag"}, context_arguments={"session": "algebra"}
        )
        assert structure.completion.values == ["Magma"]
        nothing = await client.complete(prompt, {"name": "no_argument", "value": ""})
        assert nothing.completion.values == []

    converse(tmp_path, MODERN, talk, groups="theory")


def test_groups_without_prompts_do_not_say_that_there_are_some(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        assert client.server_capabilities.prompts is None

    converse(tmp_path, "legacy", talk, groups="corpus", corpus=tmp_path)


def test_a_verdict_is_a_resource(tmp_path: Path) -> None:
    async def talk(client: Client) -> None:
        asked = {"expression": "∀(x : ℤ). x + 1 > x ∧ x ≠ 7", "explain": True}
        answer = (await client.call_tool("evaluate", asked)).structured_content
        assert answer is not None
        assert answer["status"] == "disproved"
        read = await client.read_resource(f"kleis://verdicts/{answer['explanation']['id']}")
        content = read.contents[0]
        assert isinstance(content, types.TextResourceContents)
        verdict = msgspec.json.decode(content.text)
        assert verdict["status"] == "disproved"
        assert verdict["evidence"]["bindings"] == [{"name": "x", "sort": "ℤ", "value": "7"}]
        for key in ("0" * 24, "../../etc/passwd", "", answer["explanation"]["id"][:8], "." * 24):
            with pytest.raises(MCPError, match="there is no resource"):
                await client.read_resource(f"kleis://verdicts/{key}")

    converse(tmp_path, MODERN, talk, groups="theory")
