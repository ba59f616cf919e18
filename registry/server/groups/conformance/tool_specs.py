"""The tools of the group `conformance` as clients see them (docs/conformance.md).

Names are the suite's. None is of use to an agent: they show what a server can send.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from registry.server.contract.group import ToolSpec
from registry.server.groups.conformance import requests
from registry.server.groups.conformance.answer_shapes import FixtureAnswer
from registry.server.groups.conformance.questions import DIALOGUES

__all__ = ["ADDED_TOOL", "INSTRUCTIONS", "TOOLS"]

INSTRUCTIONS: Final = """\
Conformance: fixtures that the conformance suite of the protocol calls by name. None of them is of use to an agent."""


def _tool(name: str, does: str, arguments: type[msgspec.Struct] = requests.Nothing, **more: Any) -> ToolSpec:
    """A fixture: its title is its name in words."""
    title = name.removeprefix("test_").replace("_", " ").capitalize()
    return ToolSpec(
        name=name,
        title=title,
        description=f"A fixture of the conformance suite: {does}",
        arguments=arguments,
        answers=(FixtureAnswer,),
        read_only=True,
        **more,
    )


ADDED_TOOL: Final = _tool("test_added_tool", "is listed after every second call of test_trigger_tool_change.")

TOOLS: Final[tuple[ToolSpec, ...]] = (
    _tool("test_simple_text", "answers a text."),
    _tool("test_image_content", "answers an image."),
    _tool("test_audio_content", "answers a sound."),
    _tool("test_embedded_resource", "answers a resource inside the answer."),
    _tool("test_multiple_content_types", "answers a text, an image and a resource."),
    _tool("test_error_handling", "answers an error."),
    _tool("test_tool_with_progress", "reports progress three times."),
    _tool("test_tool_with_logging", "writes three log entries.", interactive=True),
    _tool("test_logging_tool", "writes a log entry.", interactive=True),
    _tool(
        "test_sampling",
        "asks the client's model.",
        requests.Prompt,
        example={"prompt": "Say hello"},
        interactive=True,
    ),
    _tool(
        "test_elicitation",
        "asks the client's user.",
        requests.Message,
        example={"message": "Who are you?"},
        interactive=True,
    ),
    *(_tool(name, "asks the client, in one round or more.", interactive=True) for name in DIALOGUES),
    _tool("test_trigger_tool_change", "changes the list of tools."),
    _tool("test_trigger_prompt_change", "changes the list of prompts."),
    _tool(
        "test_x_mcp_header",
        "takes arguments that clients of the newer protocol repeat in headers.",
        requests.Headers,
        schema=requests.HEADER_SCHEMA,
        example={"region": "north"},
    ),
    _tool(
        "json_schema_2020_12_tool",
        "has a schema with words of JSON Schema 2020-12.",
        requests.Contact,
        schema=requests.CONTACT_SCHEMA,
        example={"name": "Ada", "contactMethod": "email", "email": "ada@example.org"},
    ),
)
