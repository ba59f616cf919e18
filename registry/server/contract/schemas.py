"""The JSON Schemas of tools' arguments, in the few forms that every client reads (docs/reference/serving.md §4.3).

Objects, texts, switches, whole numbers, choices and lists of texts; no references, no unions, no nesting that a
client would have to follow. A property without a description says enough by its name. Keys stand in one order: type,
bounds or choices, default, description.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec

from registry.server.contract.group import ToolSpec

__all__ = ["Natural", "choice", "record", "session_name", "spec", "switch", "text", "texts", "whole"]

Natural = Annotated[int, msgspec.Meta(ge=0)]
"""What `whole(0)` describes, as the type of an argument."""


def record(required: Sequence[str], **properties: Any) -> dict[str, Any]:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(description: str = "") -> dict[str, Any]:
    """A text."""
    return _described({"type": "string"}, description)


def session_name() -> dict[str, Any]:
    """The name of a theory session."""
    return {"type": "string", "default": "default"}


def texts(description: str) -> dict[str, Any]:
    """A list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def choice(words: Iterable[str], description: str = "", *, default: str | None = None) -> dict[str, Any]:
    """One of a few words."""
    schema: dict[str, Any] = {"type": "string", "enum": list(words)}
    return _described(schema if default is None else {**schema, "default": default}, description)


def switch(description: str, *, default: bool = False) -> dict[str, Any]:
    """True or false."""
    return {"type": "boolean", "default": default, "description": description}


def whole(
    least: int, most: int | None = None, *, default: int | None = None, description: str = ""
) -> dict[str, Any]:
    """A whole number from `least` to `most`."""
    schema: dict[str, Any] = {"type": "integer", "minimum": least}
    if most is not None:
        schema["maximum"] = most
    if default is not None:
        schema["default"] = default
    return _described(schema, description)


def spec(
    name: str,
    title: str,
    description: str,
    arguments: type[msgspec.Struct],
    properties: dict[str, Any],
    example: dict[str, Any],
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    open_world: bool = False,
) -> ToolSpec:
    """A tool that requires those of its arguments that have no default."""
    required = [field.encode_name for field in msgspec.structs.fields(arguments) if field.required]
    return ToolSpec(
        name=name,
        title=title,
        description=description,
        input_schema=record(required, **properties),
        arguments=arguments,
        example=example,
        read_only=read_only,
        destructive=destructive,
        idempotent=idempotent,
        open_world=open_world,
    )


def _described(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description} if description else schema
