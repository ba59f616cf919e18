"""Tools, prompts and resources as lists show them, in the wire's names and in the SDK's order of members."""

from __future__ import annotations

from typing import Any

from registry.server.contract.group import PromptSpec, ResourceSpec, TemplateSpec, ToolSpec

__all__ = ["INSTRUCTIONS_LIMIT", "PAGE", "prompt_form", "resource_form", "template_form", "tool_form"]

PAGE = 250
"""Entries in one page of a list."""

INSTRUCTIONS_LIMIT = 2_048
"""Characters of instructions, and of a description; clients cut both there without a word."""


def tool_form(spec: ToolSpec) -> dict[str, Any]:
    """A tool. Its schemas are as the group gives them."""
    description = spec.description
    if len(description) > INSTRUCTIONS_LIMIT:
        description = description[: INSTRUCTIONS_LIMIT - 1] + "…"
    return _present(
        annotations=_present(
            destructiveHint=spec.destructive,
            idempotentHint=spec.idempotent,
            openWorldHint=spec.open_world,
            readOnlyHint=spec.read_only,
        ),
        description=description,
        inputSchema=dict(spec.input_schema),
        name=spec.name,
        outputSchema=None if spec.output_schema is None else dict(spec.output_schema),
        title=spec.title,
    )


def prompt_form(spec: PromptSpec) -> dict[str, Any]:
    """A prompt with its arguments."""
    arguments = [
        {"description": each.description, "name": each.name, "required": each.default is None}
        for each in spec.arguments
    ]
    return _present(arguments=arguments, description=spec.description, name=spec.name, title=spec.title)


def resource_form(spec: ResourceSpec) -> dict[str, Any]:
    """A resource."""
    return {**_described(spec), "uri": spec.uri}


def template_form(spec: TemplateSpec) -> dict[str, Any]:
    """A template of addresses."""
    return {**_described(spec), "uriTemplate": spec.uri_template}


def _described(spec: ResourceSpec | TemplateSpec) -> dict[str, Any]:
    described = {"description": spec.description} if spec.description else {}
    described |= {"mimeType": spec.mime_type, "name": spec.name}
    return described | ({"title": spec.title} if spec.title else {})


def _present(**members: Any) -> dict[str, Any]:
    """The members that are not None, which the wire leaves out."""
    return {name: value for name, value in members.items() if value is not None}
