"""The group `conformance`: handlers, resources and prompts (docs/conformance.md)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from registry.server.contract.content import (
    Audio,
    Content,
    EmbeddedText,
    Image,
    PromptMessage,
    ResourceBytes,
)
from registry.server.contract.group import (
    Announcer,
    Answer,
    CallContext,
    Group,
    PromptArgument,
    PromptSpec,
    ResourceSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.contract.questions import Client, InputRequired
from registry.server.contract.settings import Site
from registry.server.groups.conformance import requests, samples
from registry.server.groups.conformance.answer_shapes import FixtureAnswer
from registry.server.groups.conformance.questions import (
    DIALOGUES,
    Dialogue,
    answer,
    elicited,
    proceed,
    sample_text,
    sampled,
)
from registry.server.groups.conformance.tool_specs import ADDED_TOOL, INSTRUCTIONS, TOOLS

__all__ = ["ConformanceGroup", "make"]

PAUSE: Final = 0.05
"""Seconds between two reports or log entries, which the suite wants to see apart."""


def make(site: Site) -> Group:
    """The group; it reads no settings."""
    return ConformanceGroup()


class ConformanceGroup(Group):
    """What the suite asks for by name."""

    name = "conformance"
    instructions = INSTRUCTIONS
    brief_instructions = INSTRUCTIONS

    def __init__(self) -> None:
        self._announcer: Announcer | None = None
        self._tools = TOOLS
        self._prompts = PROMPTS

    def attach(self, announcer: Announcer) -> None:
        self._announcer = announcer

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer | InputRequired:
        if name in DIALOGUES:
            return answer(DIALOGUES[name], context.client)
        match arguments:
            case requests.Prompt():
                return _sampling(arguments.prompt, context.client)
            case requests.Message():
                return _elicitation(arguments.message, context.client)
            case requests.Headers() | requests.Contact():
                given = msgspec.to_builtins(arguments)
                return _answer(f"given: {msgspec.json.encode(given).decode()}", given=given)
        match name:
            case "test_tool_with_progress":
                return await _progress(context)
            case "test_tool_with_logging":
                return await _logging(context.client)
            case "test_logging_tool":
                await context.client.log("info", "Tool was called")
                return _answer("One log entry was written.")
            case "test_trigger_tool_change":
                return self._change_tools()
            case "test_trigger_prompt_change":
                return self._change_prompts()
            case "test_error_handling":
                return Answer.error("intended", "This tool intentionally returns an error for testing")
            case _:
                return CONTENTS[name]

    def _change_tools(self) -> Answer:
        self._tools = (*TOOLS, ADDED_TOOL) if self._tools is TOOLS else TOOLS
        if self._announcer is not None:
            self._announcer.tools_changed()
        return _answer(f"There are {len(self._tools)} tools now.")

    def _change_prompts(self) -> Answer:
        self._prompts = (*PROMPTS, ADDED_PROMPT) if self._prompts is PROMPTS else PROMPTS
        if self._announcer is not None:
            self._announcer.prompts_changed()
        return _answer(f"There are {len(self._prompts)} prompts now.")

    # Resources.

    def resources(self) -> Sequence[ResourceSpec]:
        return RESOURCES

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return TEMPLATES

    async def read(self, uri: str) -> ResourceText | ResourceBytes | None:
        match uri:
            case "test://static-text":
                return ResourceText(samples.STATIC_TEXT, "text/plain")
            case "test://static-binary":
                return ResourceBytes(samples.PIXEL, "image/png")
            case "test://watched-resource":
                return ResourceText(f"{len(self._tools)} tools are listed.", "text/plain")
        found = _TEMPLATE.fullmatch(uri)
        if found is None:
            return None
        data = {"id": found["id"], "templateTest": True, "data": f"Data for ID: {found['id']}"}
        return ResourceText(msgspec.json.encode(data).decode())

    def state(self, uri: str) -> object:
        return len(self._tools) if uri == "test://watched-resource" else None

    # Prompts.

    def prompts(self) -> Sequence[PromptSpec]:
        return self._prompts

    async def prompt(
        self, spec: PromptSpec, given: Mapping[str, str], client: Client
    ) -> Sequence[PromptMessage] | InputRequired:
        text = PromptMessage(spec.filled(given))
        match spec.name:
            case "test_prompt_with_embedded_resource":
                embedded = EmbeddedText(given["resourceUri"], samples.EMBEDDED_TEXT)
                return (PromptMessage(embedded), text)
            case "test_prompt_with_image":
                return (PromptMessage(Image(samples.PIXEL)), text)
            case "test_input_required_result_prompt":
                answered = proceed(_CONTEXT, client)
                if isinstance(answered, InputRequired):
                    return answered
                return (text, PromptMessage(_CONTEXT.sums_up(answered)))
        return (text,)

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        return [each for each in _PLACES if each.startswith(prefix)]


def _answer(text: str, *content: Content, given: dict[str, Any] | None = None) -> Answer:
    found: FixtureAnswer = {"text": text}
    if given is not None:
        found["given"] = given
    return Answer(found, text, content=content)


def _sampling(prompt: str, client: Client) -> Answer | InputRequired:
    dialogue = Dialogue(
        ({"sample": sampled(prompt)},),
        lambda answers: f"LLM response: {sample_text(answers['sample'])}",
    )
    return answer(dialogue, client)


def _elicitation(message: str, client: Client) -> Answer | InputRequired:
    fields = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    dialogue = Dialogue(
        ({"form": elicited(message, fields, ("username", "email"))},),
        lambda answers: f"User response: {msgspec.json.encode(answers['form']).decode()}",
    )
    return answer(dialogue, client)


async def _progress(context: CallContext) -> Answer:
    for done in (0, 50, 100):
        context.progress(done, 100, f"{done} of 100")
        await asyncio.sleep(PAUSE)
    return _answer("Three reports were sent.")


async def _logging(client: Client) -> Answer:
    for entry in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await client.log("info", entry)
        await asyncio.sleep(PAUSE)
    return _answer("Three log entries were written.")


_PIXEL: Final = Image(samples.PIXEL)
_MIXED: Final = EmbeddedText("test://mixed-content-resource", samples.MIXED_JSON, "application/json")

CONTENTS: Final[Mapping[str, Answer]] = {
    "test_simple_text": _answer(samples.SIMPLE_TEXT),
    "test_image_content": _answer("An image:", _PIXEL),
    "test_audio_content": _answer("A sound:", Audio(samples.SILENCE)),
    "test_embedded_resource": _answer(
        "A resource:", EmbeddedText("test://embedded-resource", samples.EMBEDDED_TEXT)
    ),
    "test_multiple_content_types": _answer("Multiple content types test:", _PIXEL, _MIXED),
    ADDED_TOOL.name: _answer("This tool was added."),
}
"""What is always answered the same."""

RESOURCES: Final = (
    ResourceSpec(uri="test://static-text", name="static text", title="A fixed text", mime_type="text/plain"),
    ResourceSpec(
        uri="test://static-binary", name="static binary", title="A fixed image", mime_type="image/png"
    ),
    ResourceSpec(
        uri="test://watched-resource",
        name="watched",
        title="A text to watch: the number of tools",
        mime_type="text/plain",
    ),
)

TEMPLATES: Final = (
    TemplateSpec(uri_template="test://template/{id}/data", name="template", title="Data by id"),
)
_TEMPLATE: Final = re.compile(r"test://template/(?P<id>[^/]+)/data")
_PLACES: Final = ("paris", "park", "party", "test")


def _prompt(name: str, text: str, *arguments: PromptArgument) -> PromptSpec:
    title = name.removeprefix("test_").replace("_", " ").capitalize()
    return PromptSpec(
        name=name,
        title=title,
        description="A fixture of the conformance suite.",
        text=text,
        arguments=arguments,
    )


PROMPTS: Final[tuple[PromptSpec, ...]] = (
    _prompt("test_simple_prompt", "This is a simple prompt for testing."),
    _prompt(
        "test_prompt_with_arguments",
        "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
        PromptArgument("arg1", "First test argument"),
        PromptArgument("arg2", "Second test argument"),
    ),
    _prompt(
        "test_prompt_with_embedded_resource",
        "Please process the embedded resource above ({resourceUri}).",
        PromptArgument("resourceUri", "URI of the resource to embed"),
    ),
    _prompt("test_prompt_with_image", "Please analyze the image above."),
    _prompt("test_input_required_result_prompt", "Please use the context below."),
)
ADDED_PROMPT: Final = _prompt("test_added_prompt", "This prompt was added.")

_CONTEXT: Final = Dialogue(
    (
        {
            "user_context": elicited(
                "What context should the prompt use?", {"context": {"type": "string"}}, ("context",)
            )
        },
    ),
    lambda answers: f"Context: {msgspec.json.encode(answers['user_context']).decode()}",
)
