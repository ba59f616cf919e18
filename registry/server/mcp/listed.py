"""What groups offer, in the SDK's types: tools, prompts and resources as lists of them show these."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from registry.server.contract.content import ResourceBytes
from registry.server.contract.group import PromptSpec, ResourceSpec, ResourceText, TemplateSpec, ToolSpec

__all__ = [
    "INSTRUCTIONS_LIMIT",
    "PAGE",
    "advertised",
    "contents",
    "described",
    "listed_prompt",
    "names_headers",
    "page_of",
]

Item = TypeVar("Item")

HEADER_KEYWORD = "x-mcp-header"
"""In the schema of an argument: the header that repeats it over HTTP (2026 protocol)."""

PAGE = 250
"""Entries in one page of a list."""

INSTRUCTIONS_LIMIT = 2_048
"""Characters of instructions, and of a description; clients cut both there without a word."""


def advertised(spec: ToolSpec) -> types.Tool:
    description = spec.description
    if len(description) > INSTRUCTIONS_LIMIT:
        description = description[: INSTRUCTIONS_LIMIT - 1] + "…"
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=description,
        input_schema=dict(spec.input_schema),
        output_schema=None if spec.output_schema is None else dict(spec.output_schema),
        annotations=types.ToolAnnotations(
            read_only_hint=spec.read_only,
            destructive_hint=spec.destructive,
            idempotent_hint=spec.idempotent,
            open_world_hint=spec.open_world,
        ),
    )


def listed_prompt(spec: PromptSpec) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=each.name, description=each.description, required=each.default is None)
        for each in spec.arguments
    ]
    return types.Prompt(name=spec.name, title=spec.title, description=spec.description, arguments=arguments)


def contents(
    uri: str, found: ResourceText | ResourceBytes
) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(found, ResourceBytes):
        blob = b64encode(found.data).decode()
        return types.BlobResourceContents(uri=uri, mime_type=found.mime_type, blob=blob)
    return types.TextResourceContents(uri=uri, mime_type=found.mime_type, text=found.text)


def described(spec: ResourceSpec | TemplateSpec) -> dict[str, Any]:
    described: dict[str, Any] = {"name": spec.name, "mime_type": spec.mime_type}
    if spec.title:
        described["title"] = spec.title
    if spec.description:
        described["description"] = spec.description
    return described


def page_of(
    items: Sequence[Item], params: types.PaginatedRequestParams | None
) -> tuple[Sequence[Item], str | None]:
    """One page of a list and the cursor of the next. A cursor is the number of entries before the page."""
    cursor = params.cursor if params else None
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise MCPError(types.INVALID_PARAMS, "the cursor is not one of this server's")
    start = int(cursor or 0)
    end = start + PAGE
    return items[start:end], str(end) if end < len(items) else None


def names_headers(schema: Mapping[str, Any]) -> bool:
    """Whether an argument, or a part of one, is to be repeated in a header."""
    return any(
        HEADER_KEYWORD in each or names_headers(each) for each in schema.get("properties", {}).values()
    )
